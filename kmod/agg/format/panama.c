// SPDX-License-Identifier: GPL-2.0
/*
 * PANAMA (uapi/weir_wire.h, struct weir_panama): the least cwnd_cap of contributions, how many
 * workers they are of, and the heads of results and of sums for a parent box. These say what the
 * contributions have said together, and a result of the parent is passed on as it came: so what one
 * of them says of congestion reaches the root, and all workers.
 */
#include <linux/build_bug.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include <uapi/weir.h>
#include <uapi/weir_bpf.h>
#include <uapi/weir_wire.h>

#include "core/base/compat.h"
#include "agg/format/format.h"
#include "agg/slots/block.h"

/**
 * struct weir_panama_mark - the headers of a block's contributions, or that of its result
 * @cap: the least cwnd_cap
 * @workers: number of workers that they are of
 * @fin: all had FIN
 */
struct weir_panama_mark {
	u16	cap;
	u16	workers;
	bool	fin;
};

/*
 * A round begins with VID 0. If the first packet that a job sees is further on than a worker may be
 * ahead, the job was set up again during a round: let the round begin half a table before this
 * packet. As no worker is further behind and lacks results that can still be summed, the packets
 * that workers send again find their places.
 */
static noinline void weir_panama_resume(struct weir_blocks *blocks, const struct weir_contrib *c)
{
	u32 room = weir_blocks_room(blocks);

	if (c->block >= room)
		weir_blocks_resume(blocks, c->generation, c->block - room + 1);
}

/*
 * The packet names its block; here its cwnd_cap is lowered to the box's room. The format has
 * no queries, as which a header without gradients would be taken.
 */
static int weir_panama_place(void *state, struct weir_blocks *blocks, struct weir_contrib *c,
			     const struct weir_payload *pl)
{
	u32 *cap = &c->said[WEIR_PANAMA_SAID_CAP];

	if (!c->count)
		return WEIR_REASON_LENGTH;
	if (unlikely(!weir_blocks_have_begun(blocks)))
		weir_panama_resume(blocks, c);
	*cap = min_not_zero(*cap, (u32)weir_blocks_room(blocks));
	return 0;
}

static void weir_panama_fold(void *all, const struct weir_contrib *c, bool first)
{
	struct weir_panama_mark *mark = all;

	if (first)
		*mark = (struct weir_panama_mark) {
			.cap = U16_MAX, .fin = true,
		};
	mark->cap = min_t(u32, mark->cap, c->said[WEIR_PANAMA_SAID_CAP]);
	mark->workers = min_t(u32, mark->workers + c->weight, U16_MAX);
	mark->fin &= !!(c->flags & WEIR_CONTRIB_FINAL);
}

static unsigned int weir_panama_fill(struct weir_panama *hdr, u8 kind, u8 flags, u8 worker,
				     u8 job, const struct weir_result *res)
{
	const struct weir_panama_mark *mark = (const void *)res->mark;

	BUILD_BUG_ON(sizeof(*hdr) > WEIR_HEAD_MAX);
	hdr->kind = kind;
	hdr->flags = flags | (mark->fin ? WEIR_PANAMA_FIN : 0);
	put_unaligned_be16(job / WEIR_PANAMA_TREES, hdr->job);
	hdr->tree = job % WEIR_PANAMA_TREES;
	hdr->worker = worker;
	put_unaligned_be16(mark->cap, hdr->cwnd_cap);
	put_unaligned_be32(res->id, hdr->vid);
	put_unaligned_be16(res->generation, hdr->round);
	put_unaligned_be16(mark->workers, hdr->sources);
	return sizeof(*hdr);
}

static unsigned int weir_panama_result(void *head, u8 job, const struct weir_result *res)
{
	return weir_panama_fill(head, WEIR_PANAMA_DOWN, 0, 0, job, res);
}

static unsigned int weir_panama_up(void *head, u8 job, u8 source, const struct weir_result *res)
{
	return weir_panama_fill(head, WEIR_PANAMA_UP, WEIR_PANAMA_BOX, source, job, res);
}

/* A result of the parent: it has gradients, and no flags that are not known. */
static int weir_panama_down(const struct weir_contrib *c)
{
	if (c->said[WEIR_PANAMA_SAID_FLAGS] & ~WEIR_PANAMA_FIN)
		return WEIR_REASON_FLAGS;
	if (!c->count)
		return WEIR_REASON_LENGTH;
	return c->weight && c->said[WEIR_PANAMA_SAID_CAP] ? 0 : WEIR_REASON_WEIGHT;
}

const struct weir_format_ops weir_format_panama = {
	.id	= WEIR_FORMAT_PANAMA,
	.ipv4	= true,
	.ecn	= true,
	.dscp	= WEIR_PANAMA_DSCP,
	.dtype	= WEIR_DTYPE_FLOAT32,
	.mark	= sizeof(struct weir_panama_mark),
	.udp	= WEIR_PORT_PANAMA,
	.place	= weir_panama_place,
	.fold	= weir_panama_fold,
	.result	= weir_panama_result,
	.up	= weir_panama_up,
	.down	= weir_panama_down,
};
