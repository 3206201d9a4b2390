/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_KV_PAIRS_H
#define _WEIR_KV_PAIRS_H

#include <linux/types.h>
#include <linux/unaligned.h>
#include <uapi/weir_wire.h>

#include "core/base/compat.h"

/* Bytes of the longest pair in either form. */
#define WEIR_KV_PAIR_MAX	(1 + WEIR_KV_KEY_MAX + 8)

/* So much may be read behind a key, wherever it lies. */
#define WEIR_KV_SLACK		8

/**
 * struct weir_kv_pairs - the pairs of a packet
 * @at: the first one; they were checked by weir_kv_pairs_check()
 * @n: number of pairs
 * @packed: their form, see struct weir_kv
 */
struct weir_kv_pairs {
	const u8	*at;
	u32		n;
	bool		packed;
};

/**
 * struct weir_kv_spill - pairs that have left the table, packed, on their way out
 * @at: the memory that they are written to
 * @used: bytes of them
 * @size: bytes that there is room for
 * @pairs: number of pairs
 */
struct weir_kv_spill {
	u8	*at;
	u32	used;
	u32	size;
	u32	pairs;
};

bool weir_kv_pairs_check(const u8 *at, u32 len, u32 pairs, bool packed, u32 width);
void weir_kv_spill(struct weir_kv_spill *spill, const u8 *key, u32 len, u64 value, u32 width);
u32 weir_kv_pairs_fit(const u8 *at, u32 len, u32 room, u32 width, u32 *pairs);

/* Bytes of a packed pair, whose value has @width. */
static inline u32 weir_kv_pair_bytes(u32 key, u32 width)
{
	return 1 + key + width;
}

/* A value in a packet, and back. */
static inline u64 weir_kv_get_value(const u8 *at, u32 width)
{
	return width == 8 ? get_unaligned_be64(at) : get_unaligned_be32(at);
}

static inline void weir_kv_put_value(u64 value, u8 *at, u32 width)
{
	if (width == 8)
		put_unaligned_be64(value, at);
	else
		put_unaligned_be32(value, at);
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
