// SPDX-License-Identifier: GPL-2.0
/*
 * Packets of a source that contribute nothing: joins, acknowledgments, and notices of boxes below.
 */
#include <linux/udp.h>
#include <uapi/weir.h>
#include <uapi/weir_bpf.h>
#include <uapi/weir_wire.h>

#include "agg/format/format.h"
#include "agg/job/engine.h"
#include "agg/job/path.h"
#include "agg/member/joining.h"
#include "agg/member/member.h"
#include "agg/member/notice.h"
#include "agg/rx/control.h"
#include "agg/tree/level.h"

/* Return true if a box that is a source says which ranks behind it are gone. */
static bool weir_control_is_notice(const struct weir_contrib *c)
{
	return c->flags & WEIR_CONTRIB_UP && weir_path_is_join(c) && weir_notice_is(c);
}

/*
 * Control messages of a box to its parent have bitmaps behind them. A join may have one of other
 * numbers of ranks: its answer says so.
 */
static u32 weir_control_bitmap(const struct weir_job *job, const struct weir_contrib *c)
{
	u32 bitmap = c->udp_len - (c->payload_off - c->udp_off) - sizeof(struct weir_join);

	if (!(c->flags & WEIR_CONTRIB_UP) || job->format->up)
		return 0;
	if (weir_control_is_notice(c))
		return weir_notice_bytes(job) - sizeof(struct weir_join);
	return bitmap <= WEIR_RANKS_MAX / 8 ? round_down(bitmap, sizeof(__be32)) : 0;
}

/**
 * weir_control_check_shape() - check the length and weight of a join or a notice against the job
 * @job: the job
 * @c: the packet
 *
 * Return: 0 or an enum weir_reason.
 */
int weir_control_check_shape(const struct weir_job *job, const struct weir_contrib *c)
{
	u32 want = sizeof(struct weir_join) + weir_control_bitmap(job, c);

	return weir_path_check_shape(c, want, job->grads) ?:
	       (c->flags & WEIR_CONTRIB_UP || c->weight == 1 ? 0 : WEIR_REASON_WEIGHT);
}

static int weir_control_join(const struct weir_path *path, const struct weir_contrib *c,
			     const struct weir_payload *pl, u64 now)
{
	int reason = weir_join_take(path->job, path->source, c, pl, now);

	if (!reason)
		weir_path_count(path, WEIR_C_JOINS, 1);
	return reason;
}

/* Of members alone: who has not shown that it hears must not have others get packets. */
static noinline int weir_control_notice(const struct weir_path *path, const struct weir_contrib *c,
					const struct weir_payload *pl, u64 now)
{
	struct weir_job *job = path->job;
	int reason;

	if (!job->map->ops->spans || !weir_source_hears(path->source))
		return WEIR_REASON_JOIN;
	reason = weir_member_check(path, c);
	if (!reason && c->generation != weir_blocks_generation(&job->blocks))
		reason = WEIR_REASON_GENERATION;
	if (!reason)
		weir_notice_below(job, c->source, pl, now);
	return reason;
}

/* The parser takes an acknowledgment only of format trio; a BPF program may make one of any. */
static int weir_control_ack(const struct weir_path *path, const struct weir_contrib *c)
{
	const struct weir_engine *engine = path->job->engine;

	return engine->ack ? engine->ack(path, c) : WEIR_REASON_FLAGS;
}

/**
 * weir_control_take() - take a join, an acknowledgment or a notice of a source
 * @path: its objects, all of them found
 * @c: the packet, its shape and checksum checked
 * @pl: the payload behind its header
 * @now: time, ns of the monotonic clock
 *
 * Context and return as weir_contribute().
 */
int weir_control_take(const struct weir_path *path, const struct weir_contrib *c,
		      const struct weir_payload *pl, u64 now)
{
	if (c->flags & WEIR_CONTRIB_ACK)
		return weir_control_ack(path, c);
	if (weir_control_is_notice(c))
		return weir_control_notice(path, c, pl, now);
	return weir_path_is_join(c) ? weir_control_join(path, c, pl, now) : WEIR_REASON_JOIN;
}
