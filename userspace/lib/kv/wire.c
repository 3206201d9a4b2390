// SPDX-License-Identifier: BSD-2-Clause
#include "kv/wire.h"

#include <arpa/inet.h>
#include <endian.h>
#include <string.h>

bool kv_header_read(struct kv_header *header, const uint8_t *packet, size_t length)
{
	struct weir_kv wire;

	if (length < sizeof(wire))
		return false;
	memcpy(&wire, packet, sizeof(wire));
	*header = (struct kv_header) {
		.kind = wire.kind, .flags = wire.flags, .op = wire.op, .dtype = wire.dtype,
	};
	memcpy(&header->job, wire.job, sizeof(wire.job));
	memcpy(&header->source, wire.source, sizeof(wire.source));
	memcpy(&header->pairs, wire.pairs, sizeof(wire.pairs));
	memcpy(&header->window, wire.window, sizeof(wire.window));
	memcpy(&header->seq, wire.seq, sizeof(wire.seq));
	memcpy(&header->session, wire.session, sizeof(wire.session));
	memcpy(&header->more, wire.more, sizeof(wire.more));
	header->job = ntohs(header->job);
	header->source = ntohs(header->source);
	header->pairs = ntohs(header->pairs);
	header->window = ntohs(header->window);
	header->seq = ntohl(header->seq);
	header->session = ntohl(header->session);
	header->more = be64toh(header->more);
	return true;
}

static void put16(uint8_t at[2], uint16_t number)
{
	number = htons(number);
	memcpy(at, &number, sizeof(number));
}

static void put32(uint8_t at[4], uint32_t number)
{
	number = htonl(number);
	memcpy(at, &number, sizeof(number));
}

void kv_header_write(uint8_t *packet, const struct kv_header *header)
{
	struct weir_kv wire = {
		.kind = header->kind, .flags = header->flags, .op = header->op,
		.dtype = header->dtype,
	};
	uint64_t more = htobe64(header->more);

	put16(wire.job, header->job);
	put16(wire.source, header->source);
	put16(wire.pairs, header->pairs);
	put16(wire.window, header->window);
	put32(wire.seq, header->seq);
	put32(wire.session, header->session);
	memcpy(wire.more, &more, sizeof(more));
	memcpy(packet, &wire, sizeof(wire));
}

struct kv_cursor kv_pairs(const struct kv_header *header, const uint8_t *packet, size_t length)
{
	return (struct kv_cursor) {
		.at = packet + KV_HEADER,
		.left = length - KV_HEADER,
		.packed = header->flags & WEIR_KV_PACKED,
		.width = kv_width(header->dtype),
	};
}

static uint8_t length_without_zeroes(const uint8_t key[WEIR_KV_KEY_MAX])
{
	uint8_t length = WEIR_KV_KEY_MAX;

	while (length && !key[length - 1])
		length--;
	return length;
}

/* Find the pair's key and its length. Return the bytes that the pair takes, with its value. */
static size_t find_key(const struct kv_cursor *cursor, struct kv_pair *pair)
{
	if (cursor->packed) {
		pair->key = cursor->at + 1;
		pair->length = *cursor->at;
		return kv_pair_size(pair->length, cursor->width);
	}
	pair->key = cursor->at;
	if (cursor->left >= WEIR_KV_KEY_MAX)
		pair->length = length_without_zeroes(pair->key);
	return WEIR_KV_KEY_MAX + cursor->width;
}

static uint64_t get_bits(const uint8_t *at, size_t width)
{
	uint64_t bits = 0;

	memcpy((uint8_t *)&bits + sizeof(bits) - width, at, width);
	return be64toh(bits);
}

static void put_bits(uint8_t *at, uint64_t bits, size_t width)
{
	bits = htobe64(bits);
	memcpy(at, (uint8_t *)&bits + sizeof(bits) - width, width);
}

enum kv_fault kv_pair_read(struct kv_cursor *cursor, struct kv_pair *pair)
{
	size_t size = find_key(cursor, pair);

	if (size > cursor->left)
		return KV_BAD_PAIRS;
	if (!pair->length || pair->length > WEIR_KV_KEY_MAX)
		return KV_BAD_KEY;
	pair->bits = get_bits(cursor->at + size - cursor->width, cursor->width);
	cursor->at += size;
	cursor->left -= size;
	return KV_FINE;
}

enum kv_fault kv_pairs_check(struct kv_cursor cursor, unsigned int pairs, size_t *bytes)
{
	struct kv_pair pair = { .length = 0 };
	enum kv_fault fault;

	*bytes = 0;
	if (cursor.left > WEIR_KV_BYTES_MAX)
		return KV_BAD_PAIRS;
	for (; pairs && cursor.left; pairs--) {
		fault = kv_pair_read(&cursor, &pair);
		if (fault)
			return fault;
		*bytes += pair.length;
	}
	return pairs || cursor.left ? KV_BAD_PAIRS : KV_FINE;
}

size_t kv_pair_write(uint8_t *at, const void *key, size_t length, uint64_t bits, size_t width)
{
	at[0] = (uint8_t)length;
	memcpy(at + 1, key, length);
	put_bits(at + 1 + length, bits, width);
	return kv_pair_size(length, width);
}
