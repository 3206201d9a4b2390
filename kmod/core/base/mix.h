/* SPDX-License-Identifier: GPL-2.0 */
/* The last step of hashes that are sums of products. */
#ifndef _WEIR_MIX_H
#define _WEIR_MIX_H

#include <linux/bitops.h>
#include <linux/types.h>

/**
 * weir_mix_high() - spread the hashes of keys that follow each other
 * @hash: a strongly universal hash, as that of flows or keys
 *
 * Consecutive addresses, ports or numbers have hashes at equal distances. For one secret in 20
 * or so such a distance leads back to the same part of a table again and again, and the keys of
 * a scan, or of an array, find a fraction of the room. The squares of what is at equal distances
 * are not. This is a bijection, as in RC6, so the hash is as universal as it was.
 *
 * Return: 32 bits, of which the upper ones choose the place in a table.
 */
static inline u32 weir_mix_high(u32 hash)
{
	return hash * (2 * hash + 1);
}

/* The same for a table whose places are chosen by the lower bits. */
static inline u32 weir_mix_low(u32 hash)
{
	return ror32(weir_mix_high(hash), 16);
}

#endif /* _WEIR_MIX_H */
