/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets of key-value streams, byte for byte; weir_wire.h says what they mean. */
#ifndef WEIR_KV_WIRE_H
#define WEIR_KV_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir.h>
#include <weir_wire.h>

#define KV_HEADER	sizeof(struct weir_kv)

/* The longest packet, and how many pairs one has at most: of keys of one byte and short values. */
#define KV_PACKET_MAX	(KV_HEADER + WEIR_KV_BYTES_MAX)
#define KV_PAIRS_MAX	(WEIR_KV_BYTES_MAX / (1 + 1 + 4))

/* Reasons for which a packet was not taken. */
enum kv_fault {
	KV_FINE,
	KV_BAD_HEADER,
	KV_BAD_KEY,
	KV_BAD_PAIRS,
	KV_BAD_NUMBERS,
	KV_BAD_SOURCE,
	KV_BAD_SESSION,
	KV_BAD_SEQUENCE,
	KV_FAULTS
};

/* struct kv_header - struct weir_kv in the machine's byte order */
struct kv_header {
	uint8_t kind;
	uint8_t flags;
	uint8_t op;
	uint8_t dtype;
	uint16_t job;
	uint16_t source;
	uint16_t pairs;
	uint16_t window;
	uint32_t seq;
	uint32_t session;
	uint64_t more;
};

/**
 * struct kv_pair - a pair in a packet
 * @key: its bytes there
 * @length: number of bytes
 * @bits: the value's
 */
struct kv_pair {
	const uint8_t *key;
	uint8_t length;
	uint64_t bits;
};

/**
 * struct kv_cursor - what of a packet's pairs is still to be read
 * @at: the next pair
 * @left: bytes from there
 * @packed: the form
 * @width: bytes of a value
 */
struct kv_cursor {
	const uint8_t *at;
	size_t left;
	bool packed;
	size_t width;
};

/* False: it is too short. */
bool kv_header_read(struct kv_header *header, const uint8_t *packet, size_t length);
void kv_header_write(uint8_t *packet, const struct kv_header *header);

/* Bytes of a value of an enum weir_dtype. */
static inline size_t kv_width(uint8_t dtype)
{
	return dtype == WEIR_DTYPE_INT64 ? 8 : 4;
}

/* The pairs of a packet that has a whole header. */
struct kv_cursor kv_pairs(const struct kv_header *header, const uint8_t *packet, size_t length);

/* Reads a pair, where @left is not 0. */
enum kv_fault kv_pair_read(struct kv_cursor *cursor, struct kv_pair *pair);

/* Looks at all of them, without taking one. @bytes: of all keys. */
enum kv_fault kv_pairs_check(struct kv_cursor cursor, unsigned int pairs, size_t *bytes);

/* Bytes of a packed pair, and writes one; returns these bytes. */
static inline size_t kv_pair_size(size_t length, size_t width)
{
	return 1 + length + width;
}
size_t kv_pair_write(uint8_t *at, const void *key, size_t length, uint64_t bits, size_t width);

/* Return true if packet @a comes before packet @b. Numbers of packets wrap around. */
static inline bool kv_before(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

/* Return true if @number is before @base, or among those after it in @more, as in struct weir_kv. */
static inline bool kv_has(uint32_t base, uint64_t more, uint32_t number)
{
	uint32_t behind = number - base - 1;

	return kv_before(number, base) || (number != base && behind < 64 && more >> behind & 1);
}

#endif
