// SPDX-License-Identifier: GPL-2.0
/* Headers of format kv (uapi/weir_wire.h, struct weir_kv). */
#include <linux/string.h>
#include <linux/unaligned.h>
#include <uapi/weir.h>
#include <uapi/weir_bpf.h>

#include "core/base/compat.h"
#include "agg/format/format.h"
#include "agg/format/kv.h"

/**
 * weir_kv_fill() - a header as on the wire
 * @hdr: filled
 * @words: the values of its fields
 */
void weir_kv_fill(struct weir_kv *hdr, const struct weir_kv_words *words)
{
	hdr->kind = words->kind;
	hdr->flags = words->flags | WEIR_KV_CPA;
	hdr->op = words->op;
	hdr->dtype = words->dtype;
	put_unaligned_be16(words->job, hdr->job);
	put_unaligned_be16(words->source, hdr->source);
	put_unaligned_be16(words->pairs, hdr->pairs);
	put_unaligned_be16(words->window, hdr->window);
	put_unaligned_be32(words->seq, hdr->seq);
	put_unaligned_be32(words->session, hdr->session);
	put_unaligned_be64(words->more, hdr->more);
}

/**
 * weir_kv_read() - read a header of key-value streams
 * @words: filled
 * @c: as bpf/lib/format/weir_kv.h has parsed it
 */
void weir_kv_read(struct weir_kv_words *words, const struct weir_contrib *c)
{
	const u32 *said = c->said;

	*words = (struct weir_kv_words) {
		.kind		= c->flags & WEIR_CONTRIB_DOWN ? WEIR_KV_DOWN : WEIR_KV_UP,
		.flags		= said[WEIR_KV_SAID_FLAGS],
		.op		= said[WEIR_KV_SAID_FLAGS] >> 8,
		.dtype		= said[WEIR_KV_SAID_FLAGS] >> 16,
		.job		= c->job,
		.source		= c->source,
		.pairs		= c->count,
		.window		= c->generation,
		.seq		= c->block,
		.session	= said[WEIR_KV_SAID_SESSION],
		.more		= (u64)said[WEIR_KV_SAID_MORE] << 32 | said[WEIR_KV_SAID_MORE + 1],
	};
}

const struct weir_format_ops weir_format_kv = {
	.id	= WEIR_FORMAT_KV,
	.whole	= true,
	.words	= true,
	.kv	= true,
	.udp	= WEIR_PORT_KV,
};
