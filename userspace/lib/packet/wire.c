// SPDX-License-Identifier: BSD-2-Clause
#include "packet/wire.h"

#include <endian.h>
#include <string.h>

_Static_assert(sizeof(struct weir_trio) == 12, "the header has 12 bytes on the wire");
_Static_assert(sizeof(struct weir_join) == 32, "a join has 32 bytes on the wire");
_Static_assert(sizeof(struct weir_notice) == 96, "a notice has 96 bytes on the wire");
_Static_assert(2 * BITMAP_WORDS == WEIR_BITMAP_WORDS, "one bitmap holds what the other does");

static void put16(uint8_t at[2], uint16_t value)
{
	value = htobe16(value);
	memcpy(at, &value, sizeof(value));
}

static uint16_t get16(const uint8_t at[2])
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return be16toh(value);
}

static void put32(uint8_t at[4], uint32_t value)
{
	value = htobe32(value);
	memcpy(at, &value, sizeof(value));
}

static uint32_t get32(const uint8_t at[4])
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return be32toh(value);
}

void wire_put_header(void *packet, const struct wire_header *header)
{
	struct weir_trio *trio = packet;

	trio->job_id = header->job;
	put32(trio->block_id, header->block);
	trio->flags = header->flags;
	trio->src_id = header->rank;
	trio->src_cnt = (uint8_t)header->ranks;
	put16(trio->gen_id, header->generation);
	put16(trio->grad_cnt, (uint16_t)((header->grads & WEIR_TRIO_GRAD_MASK) |
					 (header->joined ? WEIR_TRIO_JOINED : 0) |
					 (header->down ? WEIR_TRIO_DOWN : 0) |
					 (header->has_exponent ? WEIR_TRIO_EXPONENT : 0)));
	if (header->has_exponent)
		put32((uint8_t *)(trio + 1), (uint32_t)header->exponent);
}

void wire_set_generation(void *packet, uint16_t generation)
{
	struct weir_trio *trio = packet;

	put16(trio->gen_id, generation);
}

bool wire_get_header(struct wire_header *header, const void *packet, size_t length)
{
	const struct weir_trio *trio = packet;

	header->job = trio->job_id;
	header->block = get32(trio->block_id);
	header->flags = trio->flags;
	header->rank = trio->src_id;
	header->ranks = trio->src_cnt ? trio->src_cnt : 256;
	header->generation = get16(trio->gen_id);
	header->grads = get16(trio->grad_cnt) & WEIR_TRIO_GRAD_MASK;
	header->joined = get16(trio->grad_cnt) & WEIR_TRIO_JOINED;
	header->down = get16(trio->grad_cnt) & WEIR_TRIO_DOWN;
	header->has_exponent = get16(trio->grad_cnt) & WEIR_TRIO_EXPONENT;
	header->exponent = 0;
	if (!header->has_exponent)
		return true;
	if (length < wire_header_size(header))
		return false;
	header->exponent = (int32_t)get32((const uint8_t *)(trio + 1));
	return true;
}

unsigned int wire_replied(const void *packet)
{
	const struct weir_trio *trio = packet;

	return trio->src_cnt;
}

void wire_put_join(void *packet, const struct wire_join *join)
{
	struct weir_join wire = {
		.nonce = htobe32(join->nonce),
		.ranks = htobe32(join->ranks),
		.blocks = htobe32(join->blocks),
		.grads = htobe32(join->grads),
		.cookie = join->cookie,
		.dtype = join->dtype,
		.op = join->op,
		.format = join->format,
	};

	memcpy((uint8_t *)packet + WIRE_HEADER, &wire, sizeof(wire));
}

void wire_get_join(struct wire_join *join, const void *packet)
{
	struct weir_join wire;

	memcpy(&wire, (const uint8_t *)packet + WIRE_HEADER, sizeof(wire));
	join->nonce = be32toh(wire.nonce);
	join->ranks = be32toh(wire.ranks);
	join->blocks = be32toh(wire.blocks);
	join->grads = be32toh(wire.grads);
	join->cookie = wire.cookie;
	join->dtype = wire.dtype;
	join->op = wire.op;
	join->format = wire.format;
}

void wire_get_bitmap(uint64_t bitmap[BITMAP_WORDS], const void *from, unsigned int ranks)
{
	const uint8_t *at = from;

	memset(bitmap, 0, BITMAP_WORDS * sizeof(*bitmap));
	for (unsigned int i = 0; i < WIRE_TRAILER(ranks) / 4; i++)
		bitmap[i / 2] |= (uint64_t)get32(at + 4 * i) << (32 * (i % 2));
}

void wire_get_notice(struct wire_notice *notice, const void *packet)
{
	const struct weir_notice *wire = (const void *)((const uint8_t *)packet + WIRE_HEADER);

	wire_get_bitmap(notice->dead, wire->dead, 32 * WEIR_BITMAP_WORDS);
	wire_get_bitmap(notice->excluded, wire->excluded, 32 * WEIR_BITMAP_WORDS);
	wire_get_bitmap(notice->waiting, wire->waiting, 32 * WEIR_BITMAP_WORDS);
}
