// SPDX-License-Identifier: GPL-2.0
/* Keys and values as they are on the wire (P4COM paper, figure 4; uapi/weir_wire.h). */
#include <linux/string.h>

#include "agg/kv/pairs.h"

static bool weir_kv_packed_check(const u8 *at, u32 len, u32 pairs, u32 width)
{
	u32 size;

	for (; pairs; pairs--, at += size, len -= size) {
		if (!len || *at - 1U >= WEIR_KV_KEY_MAX)
			return false;
		size = weir_kv_pair_bytes(*at, width);
		if (size > len)
			return false;
	}
	return !len;
}

static bool weir_kv_fixed_check(const u8 *at, u32 len, u32 pairs, u32 width)
{
	const u32 size = WEIR_KV_KEY_MAX + width;

	if ((u64)pairs * size != len)
		return false;
	for (; pairs; pairs--, at += size)
		if (!weir_kv_key_len(at))
			return false;
	return true;
}

/**
 * weir_kv_pairs_check() - check that a packet has as many pairs as it says
 * @at: the bytes
 * @len: number of bytes
 * @pairs: number of pairs that they have to be
 * @packed: their form
 * @width: bytes of a value
 *
 * Return: whether each has a key of 1 to WEIR_KV_KEY_MAX bytes and a value, and nothing is left.
 */
bool weir_kv_pairs_check(const u8 *at, u32 len, u32 pairs, bool packed, u32 width)
{
	return packed ? weir_kv_packed_check(at, len, pairs, width) :
			weir_kv_fixed_check(at, len, pairs, width);
}

/**
 * weir_kv_spill() - add a pair to those on their way out
 * @spill: has room for it
 * @key: the key
 * @len: its bytes
 * @value: the value
 * @width: its bytes
 */
void weir_kv_spill(struct weir_kv_spill *spill, const u8 *key, u32 len, u64 value, u32 width)
{
	u8 *to = spill->at + spill->used;

	*to++ = len;
	memcpy(to, key, len);
	weir_kv_put_value(value, to + len, width);
	spill->used += weir_kv_pair_bytes(len, width);
	spill->pairs++;
}

/**
 * weir_kv_pairs_fit() - return how much of packed pairs fits into a packet
 * @at: the pairs
 * @len: their bytes
 * @room: bytes that there is room for
 * @width: bytes of a value
 * @pairs: gets how many pairs these are
 *
 * Return: bytes of whole pairs.
 */
u32 weir_kv_pairs_fit(const u8 *at, u32 len, u32 room, u32 width, u32 *pairs)
{
	u32 used = 0, size;

	for (*pairs = 0; used < len; ++*pairs, used += size) {
		size = weir_kv_pair_bytes(at[used], width);
		if (used + size > room)
			break;
	}
	return used;
}
