/* SPDX-License-Identifier: BSD-2-Clause */
/* Headers of the wire format, to and from the machine's byte order. */
#ifndef WEIR_WIRE_H
#define WEIR_WIRE_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <weir_wire.h>

#include "packet/bitmap.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
	       "libweir is tested on little-endian machines alone");

#define WIRE_HEADER	sizeof(struct weir_trio)
#define WIRE_JOIN	(WIRE_HEADER + sizeof(struct weir_join))
#define WIRE_BEHIND	(WIRE_HEADER + sizeof(struct weir_behind))

/* Bytes that may stand between a header and the gradients. */
#define WIRE_EXPONENT	sizeof(struct weir_trio_exponent)

/* Bytes of the bitmap of contributors that follows the sums of a degraded result. */
#define WIRE_TRAILER(ranks)	(4 * (((size_t)(ranks) + 31) / 32))

/* Bytes of a notice, which has three bitmaps: of 256 ranks, or of all where there are more. */
#define WIRE_NOTICE(ranks)	(WIRE_HEADER + 3 * WIRE_TRAILER((ranks) > 256 ? (ranks) : 256))
#define WIRE_NOTICE_MAX		WIRE_NOTICE(WEIR_RANKS_MAX)

static inline void wire_put16(uint8_t at[2], uint16_t value)
{
	value = htobe16(value);
	memcpy(at, &value, sizeof(value));
}

static inline uint16_t wire_get16(const uint8_t at[2])
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return be16toh(value);
}

static inline void wire_put32(uint8_t at[4], uint32_t value)
{
	value = htobe32(value);
	memcpy(at, &value, sizeof(value));
}

static inline uint32_t wire_get32(const uint8_t at[4])
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return be32toh(value);
}

/**
 * struct wire_header - a struct weir_trio in host byte order
 * @block: its id, 32 bits
 * @generation: of the communicator
 * @grads: gradients that follow
 * @job: the job's id
 * @flags: WEIR_TRIO_*
 * @source: the sender's source id on the box
 * @ranks: number of ranks that are summed, 1 to 256
 * @joined: the generation came from the box
 * @down: it comes from a box
 * @has_exponent: an exponent follows
 * @exponent: the exponent
 */
struct wire_header {
	uint32_t block;
	uint16_t generation;
	uint16_t grads;
	uint8_t job;
	uint8_t flags;
	uint8_t source;
	uint16_t ranks;
	bool joined;
	bool down;
	bool has_exponent;
	int32_t exponent;
};

/* Bytes of a header. */
static inline size_t wire_header_size(const struct wire_header *header)
{
	return WIRE_HEADER + (header->has_exponent ? WIRE_EXPONENT : 0);
}

/* @packet has wire_header_size() bytes. */
static inline void wire_put_header(void *packet, const struct wire_header *header)
{
	struct weir_trio *trio = packet;

	trio->job_id = header->job;
	wire_put32(trio->block_id, header->block);
	trio->flags = header->flags;
	trio->src_id = header->source;
	trio->src_cnt = (uint8_t)header->ranks;
	wire_put16(trio->gen_id, header->generation);
	wire_put16(trio->grad_cnt, (uint16_t)((header->grads & WEIR_TRIO_GRAD_MASK) |
					 (header->joined ? WEIR_TRIO_JOINED : 0) |
					 (header->down ? WEIR_TRIO_DOWN : 0) |
					 (header->has_exponent ? WEIR_TRIO_EXPONENT : 0)));
	if (header->has_exponent)
		wire_put32((uint8_t *)(trio + 1), (uint32_t)header->exponent);
}

/* @packet has @length bytes, WIRE_HEADER at least. False when the header is cut off. */
static inline bool wire_get_header(struct wire_header *header, const void *packet, size_t length)
{
	const struct weir_trio *trio = packet;

	header->job = trio->job_id;
	header->block = wire_get32(trio->block_id);
	header->flags = trio->flags;
	header->source = trio->src_id;
	header->ranks = trio->src_cnt ? trio->src_cnt : 256;
	header->generation = wire_get16(trio->gen_id);
	header->grads = wire_get16(trio->grad_cnt) & WEIR_TRIO_GRAD_MASK;
	header->joined = wire_get16(trio->grad_cnt) & WEIR_TRIO_JOINED;
	header->down = wire_get16(trio->grad_cnt) & WEIR_TRIO_DOWN;
	header->has_exponent = wire_get16(trio->grad_cnt) & WEIR_TRIO_EXPONENT;
	header->exponent = 0;
	if (!header->has_exponent)
		return true;
	if (length < wire_header_size(header))
		return false;
	header->exponent = (int32_t)wire_get32((const uint8_t *)(trio + 1));
	return true;
}

/* Return true if a header has this number of ranks. It counts them modulo 256. */
static inline bool wire_counts(const struct wire_header *header, unsigned int ranks)
{
	return (uint8_t)header->ranks == (uint8_t)ranks;
}

/* Return the number of ranks that have contributed, as in a reply: it may be 0, but never 256. */
unsigned int wire_replied(const void *packet);

/**
 * struct wire_join - a struct weir_join in host byte order; see there
 */
struct wire_join {
	uint32_t nonce;
	uint32_t ranks;
	uint32_t blocks;
	uint32_t grads;
	uint64_t cookie;
	uint8_t dtype;
	uint8_t op;
	uint8_t format;
	uint8_t features;
	uint16_t member;
	uint16_t cwnd_cap;
};

/* @packet has WIRE_JOIN bytes, its header before. */
void wire_put_join(void *packet, const struct wire_join *join);
void wire_get_join(struct wire_join *join, const void *packet);

/**
 * struct wire_notice - a struct weir_notice as bitmaps of ranks; see there
 */
struct wire_notice {
	uint64_t dead[BITMAP_WORDS];
	uint64_t excluded[BITMAP_WORDS];
	uint64_t waiting[BITMAP_WORDS];
};

/* @packet has WIRE_NOTICE(@ranks) bytes. */
void wire_get_notice(struct wire_notice *notice, const void *packet, unsigned int ranks);

/**
 * struct wire_behind - a struct weir_behind in host byte order; see there
 */
struct wire_behind {
	uint32_t oldest;
	uint32_t next;
};

/* Read a status message from @packet, which has WIRE_BEHIND bytes. */
void wire_get_behind(struct wire_behind *behind, const void *packet);

/* Reads a bitmap of @ranks bits, of WIRE_TRAILER(@ranks) bytes. */
void wire_get_bitmap(uint64_t bitmap[BITMAP_WORDS], const void *from, unsigned int ranks);

/*
 * Return true if @packet has the header of @previous, but for the next block. Never true if the wire's
 * number of the block wraps.
 */
static inline bool wire_is_next(const void *packet, const void *previous)
{
	const struct weir_trio *trio = packet, *before = previous;
	uint64_t head, head_before;

	memcpy(&head, trio, sizeof(head));
	memcpy(&head_before, before, sizeof(head_before));
	return trio->job_id == before->job_id &&
	       be64toh(head) - be64toh(head_before) == 1 << 24 &&
	       !memcmp(trio->gen_id, before->gen_id, WIRE_HEADER - sizeof(head));
}

/* Writes the same header, without an exponent, for another block. */
static inline void wire_put_like(void *packet, const void *like, uint64_t block)
{
	struct weir_trio *trio = packet;

	memcpy(packet, like, WIRE_HEADER);
	wire_put32(trio->block_id, (uint32_t)block);
}

/* Give a packet the other byte order of elements; the caller swaps them. */
static inline void wire_turn_order(void *packet)
{
	struct weir_trio *trio = packet;

	trio->flags ^= WEIR_TRIO_LITTLE;
}

/* Gives a packet that is written already another generation. */
static inline void wire_set_generation(void *packet, uint16_t generation)
{
	struct weir_trio *trio = packet;

	wire_put16(trio->gen_id, generation);
}

#endif
