// SPDX-License-Identifier: BSD-2-Clause
#include "packet/wire.h"

#include <string.h>

_Static_assert(sizeof(struct weir_trio) == 12, "the header has 12 bytes on the wire");
_Static_assert(offsetof(struct weir_trio, gen_id) == sizeof(uint64_t), "a word is before it");
_Static_assert(sizeof(struct weir_join) == 32, "a join has 32 bytes on the wire");
_Static_assert(sizeof(struct weir_behind) == 8, "a status message has 8 bytes on the wire");
_Static_assert(sizeof(struct weir_notice) == 96, "a notice has 96 bytes on the wire");
_Static_assert(64 * BITMAP_WORDS == WEIR_RANKS_MAX, "a bitmap has room for all ranks");
_Static_assert(WIRE_NOTICE(1) == WIRE_HEADER + sizeof(struct weir_notice), "as it is described");

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
		.features = join->features,
		.member = htobe16(join->member),
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
	join->features = wire.features;
	join->member = be16toh(wire.member);
	join->cwnd_cap = be16toh(wire.cwnd_cap);
}

void wire_get_behind(struct wire_behind *behind, const void *packet)
{
	const uint8_t *at = (const uint8_t *)packet + WIRE_HEADER;

	behind->oldest = wire_get32(at);
	behind->next = wire_get32(at + sizeof(uint32_t));
}

void wire_get_bitmap(uint64_t bitmap[BITMAP_WORDS], const void *from, unsigned int ranks)
{
	const uint8_t *at = from;

	memset(bitmap, 0, BITMAP_WORDS * sizeof(*bitmap));
	for (unsigned int i = 0; i < WIRE_TRAILER(ranks) / 4; i++)
		bitmap[i / 2] |= (uint64_t)wire_get32(at + 4 * i) << (32 * (i % 2));
}

void wire_get_notice(struct wire_notice *notice, const void *packet, unsigned int ranks)
{
	const uint8_t *at = (const uint8_t *)packet + WIRE_HEADER;
	unsigned int bits = ranks > 256 ? ranks : 256;

	wire_get_bitmap(notice->dead, at, bits);
	wire_get_bitmap(notice->excluded, at + WIRE_TRAILER(bits), bits);
	wire_get_bitmap(notice->waiting, at + 2 * WIRE_TRAILER(bits), bits);
}
