/* SPDX-License-Identifier: BSD-2-Clause */
/* A table of keys and their values. It grows, and keeps them in the order in which they came. */
#ifndef WEIR_KV_TABLE_H
#define WEIR_KV_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "kv/hash.h"
#include "kv/value.h"

/**
 * struct kv_entry - a key and its value
 * @hash: of the key
 * @key: offset of its bytes among those of all keys
 * @value: the value; of a sum of integers its lower 64 bits
 * @carry: the part above them, a multiple of 2^64: so the order in which values come does not matter
 * @length: of the key
 */
struct kv_entry {
	uint64_t hash;
	size_t key;
	union kv_value value;
	int32_t carry;
	uint8_t length;
};

/**
 * struct kv_table - the table
 * @secret: key of the hash: no one else can make keys that collide
 * @entries: the keys
 * @count: number of keys
 * @carried: number of keys with a carry
 * @room: number of keys that there is memory for
 * @bytes: of all keys
 * @bytes_used: number of them
 * @bytes_room: number of bytes that there is memory for
 * @slots: an entry's number and 1 where its hash, or the next free place, is; else 0
 * @mask: number of slots, a power of two, less 1
 */
struct kv_table {
	struct kv_secret secret;
	struct kv_entry *entries;
	size_t count;
	size_t carried;
	size_t room;
	uint8_t *bytes;
	size_t bytes_used;
	size_t bytes_room;
	uint32_t *slots;
	size_t mask;
};

/* Returns 0 or a negative errno. */
int kv_table_init(struct kv_table *table);
void kv_table_uninit(struct kv_table *table);

/* Room for so many more keys of so many bytes together. Returns 0, or -ENOMEM with no change. */
int kv_table_reserve(struct kv_table *table, size_t keys, size_t bytes);

/* A key's entry, or NULL. */
struct kv_entry *kv_table_find(const struct kv_table *table, const void *key, size_t length);

/* Takes a pair, for which there must be room. */
void kv_table_take(struct kv_table *table, const struct kv_numbers *numbers, const void *key,
		   size_t length, union kv_value value);

/* Once all have come: the first entry whose sum has no room in 64 bits, or NULL. */
const struct kv_entry *kv_table_overflow(const struct kv_table *table);

/* It keeps its memory. */
void kv_table_clear(struct kv_table *table);

static inline const uint8_t *kv_table_key(const struct kv_table *table,
					  const struct kv_entry *entry)
{
	return table->bytes + entry->key;
}

#endif
