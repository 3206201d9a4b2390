/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_KV_HASH_H
#define _WEIR_KV_HASH_H

#include <linux/types.h>
#include <linux/unaligned.h>
#include <uapi/weir_wire.h>

#include "core/base/compat.h"
#include "core/base/mix.h"

/**
 * struct weir_kv_secret - of a table, at random
 * @length: for a key's length
 * @word: two for each 8 bytes of a key
 *
 * Keys are other people's, who may choose such as collide. So the hash is one of a family that is
 * strongly universal (Lemire and Kaser, "Strongly universal string hashing is fast", 2014: the
 * multilinear family, with the factors in pairs): for any two different keys, all pairs of the
 * upper 32 bits are equally likely over the secrets. Who does not know the secret cannot do
 * better than chance, and for as short keys it takes a fifth of what SipHash does. Nobody sees a
 * hash but for the order in which keys leave the box, and a key that finds its bucket full costs
 * no more than others. It is mixed (base/mix.h), as keys are often numbers in sequence.
 */
struct weir_kv_secret {
	u64	length;
	u64	word[2 * WEIR_KV_KEY_MAX / 8];
};

static inline u64 weir_kv_hash_word(const u64 *secret, u64 word)
{
	return (secret[0] + (u32)word) * (secret[1] + (word >> 32));
}

/**
 * weir_kv_hash() - the hash of a key
 * @secret: the table's
 * @key: WEIR_KV_SLACK bytes behind it may be read
 * @len: its bytes, 1 to WEIR_KV_KEY_MAX
 */
static inline u32 weir_kv_hash(const struct weir_kv_secret *secret, const u8 *key, u32 len)
{
	const u64 *word = secret->word;
	u64 sum = secret->length * (len + 1);
	u32 left = len;

	for (; left >= 8; left -= 8, key += 8, word += 2)
		sum += weir_kv_hash_word(word, get_unaligned_le64(key));
	if (left)
		sum += weir_kv_hash_word(word, get_unaligned_le64(key) & ~(~0ULL << left * 8));
	return weir_mix_high(sum);
}

#endif /* _WEIR_KV_HASH_H */
