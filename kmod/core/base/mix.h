/* SPDX-License-Identifier: GPL-2.0 */
/* The last step of hashes that are sums of products. */
#ifndef _WEIR_MIX_H
#define _WEIR_MIX_H

#include <linux/bitops.h>
#include <linux/types.h>

/**
 * weir_mix_high() - finalize a hash, so that consecutive keys are spread over a table
 * @sum: sum of products, whose upper 32 bits are a strongly universal hash
 *
 * Consecutive addresses, ports or numbers have hashes at equal distances. For about one secret in
 * 20 these fall into a part of the table. A quadratic permutation (x(2x + 1) modulo 2^32, as RC6
 * uses it) breaks up the distances, and keeps the hash strongly universal.
 *
 * Return: a hash for a table that is indexed by the upper bits.
 */
static inline u32 weir_mix_high(u64 sum)
{
	u32 hash = sum >> 32;

	return hash * (2 * hash + 1);
}

/* As weir_mix_high(), for a table that is indexed by the lower bits. */
static inline u32 weir_mix_low(u64 sum)
{
	return ror32(weir_mix_high(sum), 16);
}

#endif /* _WEIR_MIX_H */
