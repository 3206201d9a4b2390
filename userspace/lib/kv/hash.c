// SPDX-License-Identifier: BSD-2-Clause
#include "kv/hash.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/random.h>

int kv_random(void *bytes, size_t count)
{
	ssize_t got;

	/* Up to 256 bytes come whole. */
	do
		got = getrandom(bytes, count, 0);
	while (got < 0 && errno == EINTR);
	return got == (ssize_t)count ? 0 : -EIO;
}

static uint64_t turn(uint64_t word, unsigned int bits)
{
	return word << bits | word >> (64 - bits);
}

static void rounds(uint64_t v[4], unsigned int count)
{
	while (count--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = turn(v[1], 13) ^ v[0];
		v[3] = turn(v[3], 16) ^ v[2];
		v[0] = turn(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = turn(v[1], 17) ^ v[2];
		v[3] = turn(v[3], 21) ^ v[0];
		v[2] = turn(v[2], 32);
	}
}

static void take(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	rounds(v, 2);
	v[0] ^= word;
}

uint64_t kv_hash(const struct kv_secret *secret, const void *bytes, size_t count)
{
	uint64_t v[4] = {
		secret->word[0] ^ 0x736f6d6570736575, secret->word[1] ^ 0x646f72616e646f6d,
		secret->word[0] ^ 0x6c7967656e657261, secret->word[1] ^ 0x7465646279746573,
	};
	const uint8_t *at = bytes;
	uint64_t word, last = (uint64_t)count << 56;

	for (; count >= sizeof(word); count -= sizeof(word), at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		take(v, le64toh(word));
	}
	for (size_t i = 0; i < count; i++)
		last |= (uint64_t)at[i] << 8 * i;
	take(v, last);
	v[2] ^= 0xff;
	rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
