// SPDX-License-Identifier: BSD-2-Clause
#include "kv/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Room of a table at first, in keys and in bytes. */
#define KEYS_LEAST	64
#define BYTES_LEAST	4096

/* Entries are numbered with 32 bits. */
#define KEYS_MAX	(UINT32_MAX / 2)

int kv_table_init(struct kv_table *table)
{
	memset(table, 0, sizeof(*table));
	return kv_random(&table->secret, sizeof(table->secret));
}

void kv_table_uninit(struct kv_table *table)
{
	free(table->entries);
	free(table->bytes);
	free(table->slots);
}

static size_t doubled(size_t room, size_t least, size_t wanted)
{
	if (room < least)
		room = least;
	while (room < wanted)
		room *= 2;
	return room;
}

static size_t place(const struct kv_table *table, uint64_t hash, const void *key, size_t length)
{
	size_t slot = hash & table->mask;
	const struct kv_entry *entry;

	for (; table->slots[slot]; slot = (slot + 1) & table->mask) {
		entry = &table->entries[table->slots[slot] - 1];
		if (entry->hash == hash && entry->length == length &&
		    !memcmp(kv_table_key(table, entry), key, length))
			break;
	}
	return slot;
}

/* All keys are different: the first free slot of each will do. */
static void fill_slots(struct kv_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		size_t slot = table->entries[i].hash & table->mask;

		while (table->slots[slot])
			slot = (slot + 1) & table->mask;
		table->slots[slot] = (uint32_t)i + 1;
	}
}

/* Twice as many as keys, at least. */
static int reserve_slots(struct kv_table *table, size_t room)
{
	uint32_t *slots = calloc(2 * room, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	free(table->slots);
	table->slots = slots;
	table->mask = 2 * room - 1;
	fill_slots(table);
	return 0;
}

static int reserve_keys(struct kv_table *table, size_t keys)
{
	size_t room = doubled(table->room, KEYS_LEAST, table->count + keys);
	struct kv_entry *entries;

	if (room == table->room)
		return 0;
	if (room > KEYS_MAX)
		return -ENOMEM;
	entries = realloc(table->entries, room * sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	table->entries = entries;
	if (reserve_slots(table, room))
		return -ENOMEM;
	table->room = room;
	return 0;
}

static int reserve_bytes(struct kv_table *table, size_t bytes)
{
	size_t room = doubled(table->bytes_room, BYTES_LEAST, table->bytes_used + bytes);
	uint8_t *more;

	if (room == table->bytes_room)
		return 0;
	more = realloc(table->bytes, room);
	if (!more)
		return -ENOMEM;
	table->bytes = more;
	table->bytes_room = room;
	return 0;
}

int kv_table_reserve(struct kv_table *table, size_t keys, size_t bytes)
{
	return reserve_keys(table, keys) ?: reserve_bytes(table, bytes);
}

struct kv_entry *kv_table_find(const struct kv_table *table, const void *key, size_t length)
{
	uint32_t number;

	if (!table->count)
		return NULL;
	number = table->slots[place(table, kv_hash(&table->secret, key, length), key, length)];
	return number ? &table->entries[number - 1] : NULL;
}

static void combine(struct kv_table *table, const struct kv_numbers *numbers,
		    struct kv_entry *entry, union kv_value value)
{
	if (kv_value_combine(numbers, &entry->value, value))
		return;
	table->carried -= !!entry->carry;
	entry->value.integer = (int64_t)((uint64_t)entry->value.integer + (uint64_t)value.integer);
	entry->carry += value.integer < 0 ? -1 : 1;
	table->carried += !!entry->carry;
}

void kv_table_take(struct kv_table *table, const struct kv_numbers *numbers, const void *key,
		   size_t length, union kv_value value)
{
	uint64_t hash = kv_hash(&table->secret, key, length);
	size_t slot = place(table, hash, key, length);
	struct kv_entry *entry;

	if (table->slots[slot]) {
		combine(table, numbers, &table->entries[table->slots[slot] - 1], value);
		return;
	}
	entry = &table->entries[table->count++];
	*entry = (struct kv_entry) {
		.hash = hash,
		.key = table->bytes_used,
		.value = value,
		.length = (uint8_t)length,
	};
	memcpy(table->bytes + table->bytes_used, key, length);
	table->bytes_used += length;
	table->slots[slot] = (uint32_t)table->count;
}

const struct kv_entry *kv_table_overflow(const struct kv_table *table)
{
	for (size_t i = 0; table->carried && i < table->count; i++)
		if (table->entries[i].carry)
			return &table->entries[i];
	return NULL;
}

void kv_table_clear(struct kv_table *table)
{
	if (table->slots)
		memset(table->slots, 0, (table->mask + 1) * sizeof(*table->slots));
	table->count = 0;
	table->carried = 0;
	table->bytes_used = 0;
}
