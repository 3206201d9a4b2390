/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_KV_PAIRS_H
#define _WEIR_KV_PAIRS_H

#include <linux/types.h>
#include <uapi/weir_wire.h>

/* Bytes of a value, and of the longest pair in either form. */
#define WEIR_KV_VALUE		4
#define WEIR_KV_PAIR_MAX	(1 + WEIR_KV_KEY_MAX + WEIR_KV_VALUE)

/* So much may be read behind a key, wherever it lies. */
#define WEIR_KV_SLACK		8

/**
 * struct weir_kv_pairs - the pairs of a packet
 * @at: the first one; they were checked by weir_kv_pairs_check()
 * @n: how many
 * @packed: their form, see struct weir_kv
 */
struct weir_kv_pairs {
	const u8	*at;
	u32		n;
	bool		packed;
};

/**
 * struct weir_kv_spill - pairs that have left the table, packed, on their way out
 * @at: where they are
 * @used: bytes of them
 * @size: bytes that there is room for
 * @pairs: how many
 */
struct weir_kv_spill {
	u8	*at;
	u32	used;
	u32	size;
	u32	pairs;
};

bool weir_kv_pairs_check(const u8 *at, u32 len, u32 pairs, bool packed);
void weir_kv_spill(struct weir_kv_spill *spill, const u8 *key, u32 len, u32 value);
u32 weir_kv_pairs_fit(const u8 *at, u32 len, u32 room, u32 *pairs);

static inline u32 weir_kv_pair_bytes(u32 key)
{
	return 1 + key + WEIR_KV_VALUE;
}

/* Of a key that is filled up with zeroes; 0 where there is nothing else. */
static inline u32 weir_kv_key_len(const u8 *key)
{
	u32 len = WEIR_KV_KEY_MAX;

	while (len && !key[len - 1])
		len--;
	return len;
}

#endif /* _WEIR_KV_PAIRS_H */
