/* SPDX-License-Identifier: BSD-2-Clause */
/* A hash with a secret: keys and addresses are other people's. */
#ifndef WEIR_KV_HASH_H
#define WEIR_KV_HASH_H

#include <stddef.h>
#include <stdint.h>

/* struct kv_secret - key of the hash, which no one else knows */
struct kv_secret {
	uint64_t word[2];
};

/* Random bytes of the kernel's. Returns 0 or a negative errno. */
int kv_random(void *bytes, size_t count);

/* SipHash-2-4 (Aumasson and Bernstein). */
uint64_t kv_hash(const struct kv_secret *secret, const void *bytes, size_t count);

#endif
