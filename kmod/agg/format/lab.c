// SPDX-License-Identifier: GPL-2.0
/*
 * SwitchML as students build it (uapi/weir_wire.h, struct weir_lab): the checks of its packets,
 * and the head of its results.
 */
#include <linux/build_bug.h>
#include <linux/udp.h>
#include <uapi/weir.h>
#include <uapi/weir_bpf.h>
#include <uapi/weir_wire.h>

#include "core/base/compat.h"
#include "agg/base/payload.h"
#include "agg/format/format.h"
#include "agg/format/lab_place.h"
#include "agg/slots/block.h"

/* Words of weir_contrib.said, which programs fill; see uapi/weir_bpf.h. */
enum { WEIR_LAB_WORKERS, WEIR_LAB_RANK, WEIR_LAB_CHUNK, WEIR_LAB_TOTAL };

/* Bytes before the values. */
static unsigned int weir_lab_head(const struct weir_contrib *c)
{
	unsigned int off = c->udp_off;

	if (!(c->flags & WEIR_CONTRIB_LINK))
		off += sizeof(struct udphdr);
	return c->payload_off - off;
}

static bool weir_lab_has_chunk(const struct weir_contrib *c)
{
	return weir_lab_head(c) >= sizeof(struct weir_lab) + sizeof(struct weir_lab_chunk);
}

static int weir_lab_check(const struct weir_blocks *blocks, const struct weir_contrib *c)
{
	u32 chunk = c->said[WEIR_LAB_CHUNK];

	if (!c->count)
		return WEIR_REASON_LENGTH;
	if (c->said[WEIR_LAB_WORKERS] != blocks->sources)
		return WEIR_REASON_WORKERS;
	if (!weir_lab_has_chunk(c))
		return 0;
	if (c->said[WEIR_LAB_RANK] != c->source)
		return WEIR_REASON_SPOOFED;
	return !chunk || chunk > c->said[WEIR_LAB_TOTAL] || c->generation != (chunk & 1) ?
	       WEIR_REASON_CHUNK : 0;
}

/* Of the basic variants neither field is there. */
static struct weir_lab_name weir_lab_name(const struct weir_contrib *c)
{
	struct weir_lab_name name = {};

	if (weir_lab_has_chunk(c)) {
		name.chunk = c->said[WEIR_LAB_CHUNK];
		name.total = c->said[WEIR_LAB_TOTAL];
	}
	return name;
}

static int weir_lab_place(void *state, struct weir_blocks *blocks, struct weir_contrib *c,
			  const struct weir_payload *pl)
{
	struct weir_lab_name name = weir_lab_name(c);
	int reason = weir_lab_check(blocks, c);
	u64 bytes = 0;

	if (reason)
		return reason;
	if (weir_lab_tells(&name))
		bytes = weir_payload_hash(pl, c->exponent);
	return weir_lab_find(state, blocks, c, &name, bytes);
}

/* All contributions to a block have one name for it. */
static void weir_lab_fold(void *mark, const struct weir_contrib *c, bool first)
{
	struct weir_lab_name *name = mark;

	*name = weir_lab_name(c);
}

static u8 *weir_lab_put_chunk(u8 *at, const struct weir_lab_name *name)
{
	struct weir_lab_chunk *chunk = (void *)at;

	put_unaligned_be32(WEIR_LAB_DOWN, chunk->worker_rank);
	put_unaligned_be32(name->chunk, chunk->chunk_id);
	put_unaligned_be32(name->total, chunk->total_chunks);
	chunk->slot_mod = name->chunk & 1;
	return at + sizeof(*chunk);
}

static unsigned int weir_lab_result(void *head, u8 job, const struct weir_result *res)
{
	const struct weir_lab_name *name = (const void *)res->mark;
	struct weir_lab *lab = head;
	u8 *at = (u8 *)(lab + 1);

	BUILD_BUG_ON(sizeof(*lab) + sizeof(struct weir_lab_chunk) + sizeof(__be32) >
		     WEIR_HEAD_MAX);
	put_unaligned_be32(res->received, lab->num_workers);
	put_unaligned_be32(res->count, lab->chunk_size);
	if (name->chunk)
		at = weir_lab_put_chunk(at, name);
	if (res->has_exponent) {
		put_unaligned_be32(res->exponent, at);
		at += sizeof(__be32);
	}
	return at - (u8 *)head;
}

#define WEIR_LAB_OPS						\
	.unnamed = true,					\
	.whole	= true,						\
	.words	= true,						\
	.mark	= sizeof(struct weir_lab_name),			\
	.slots	= 2,						\
	.state	= weir_lab_bytes,				\
	.init	= weir_lab_init,				\
	.place	= weir_lab_place,				\
	.fold	= weir_lab_fold,				\
	.result	= weir_lab_result

const struct weir_format_ops weir_format_lab = {
	WEIR_LAB_OPS,
	.id	= WEIR_FORMAT_LAB,
	.foreign = true,
	.udp	= WEIR_PORT_LAB,
};

const struct weir_format_ops weir_format_lab_ethernet = {
	WEIR_LAB_OPS,
	.id	= WEIR_FORMAT_LAB_ETHERNET,
	.link	= true,
};
