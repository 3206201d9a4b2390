// SPDX-License-Identifier: GPL-2.0
/*
 * Notices tell the sources of a job which of them are dead, excluded, or wait for the next
 * generation.
 */
#include <linux/bitmap.h>

#include "base/compat.h"
#include "format/trio.h"
#include "job/notice.h"
#include "job/send.h"
#include "job/source.h"

/* A notice as all get it but for its address. */
struct weir_notice_packet {
	struct weir_trio	hdr;
	struct weir_notice	notice;
};

static_assert(sizeof(struct weir_notice_packet) ==
	      sizeof(struct weir_trio) + sizeof(struct weir_notice));

/* @members and @waiting: of WEIR_SOURCES_MAX, filled as weir_join_look() does. */
static void weir_notice_fill(struct weir_notice_packet *p, struct weir_job *job,
			     unsigned long *members, unsigned long *waiting)
{
	DECLARE_BITMAP(dead, WEIR_SOURCES_MAX) = {};
	unsigned int i;

	weir_trio_fill(&p->hdr, job->id, weir_blocks_generation(&job->blocks), 0,
		       WEIR_TRIO_NOTICE |
		       (READ_ONCE(job->joined) ? 0 : WEIR_TRIO_DEGRADED),
		       job->blocks.sources, 0);
	for (i = 0; i < job->blocks.sources; i++)
		if (weir_source_is_gone(READ_ONCE(job->watch.watched[i].state)))
			__set_bit(i, dead);
	weir_bitmap_fill(p->notice.dead, WEIR_BITMAP_WORDS, dead);
	weir_bitmap_fill(p->notice.excluded, WEIR_BITMAP_WORDS,
			 job->blocks.excluded);
	weir_join_look(&job->join, members, waiting);
	weir_bitmap_fill(p->notice.waiting, WEIR_BITMAP_WORDS, waiting);
}

/* A source that may not hear gets the header alone, which is no longer than any packet. */
static void weir_notice_send(struct weir_job *job, struct weir_source *source,
			     unsigned int id, struct weir_notice_packet *p)
{
	struct weir_packet pkt = {
		.head		= p,
		.head_len	= weir_source_hears(source) ? sizeof(*p) :
							      sizeof(p->hdr),
	};

	p->hdr.src_id = id;
	weir_send(job, &source->dest, source->stats, &pkt, WEIR_C_NOTICES);
}

/* To sources that have not asked: none to a source that may not hear it. */
static void weir_notice_send_all(struct weir_job *job, const unsigned long *to,
				 struct weir_notice_packet *p)
{
	struct weir_source *source;
	unsigned int i;

	for_each_set_bit(i, to, job->blocks.sources) {
		source = weir_source_get(job, i);
		if (source && weir_source_hears(source))
			weir_notice_send(job, source, i, p);
	}
}

/**
 * weir_notice() - tell a source why its packet was refused, or for whom its join waits
 * @job: the job
 * @id: the source's id
 * @block: the block that it was about
 * @gone: that block's result is not retained any more, and the source lacks it
 *
 * Called under RCU with bottom halves disabled and no lock held. A block is gone for a source
 * only because the source was dead for a while: the notice says so even where it is alive again.
 */
void weir_notice(struct weir_job *job, unsigned int id, u32 block, bool gone)
{
	struct weir_source *source = weir_source_get(job, id);
	DECLARE_BITMAP(members, WEIR_SOURCES_MAX);
	DECLARE_BITMAP(waiting, WEIR_SOURCES_MAX);
	struct weir_notice_packet p;

	if (!source)
		return;
	weir_notice_fill(&p, job, members, waiting);
	put_unaligned_be32(block, p.hdr.block_id);
	if (gone)
		p.notice.dead[id / 32] |= htonl(1U << id % 32);
	weir_notice_send(job, source, id, &p);
}

/**
 * weir_notice_all() - tell all members which sources are dead and which want to come back
 * @job: the job
 *
 * Called as weir_notice(). A source that has not joined knows nothing of notices.
 */
void weir_notice_all(struct weir_job *job)
{
	DECLARE_BITMAP(members, WEIR_SOURCES_MAX);
	DECLARE_BITMAP(waiting, WEIR_SOURCES_MAX);
	struct weir_notice_packet p;

	weir_notice_fill(&p, job, members, waiting);
	weir_notice_send_all(job, members, &p);
}

/**
 * weir_notice_members() - tell the sources that run a generation which of them wait for the next
 * @job: the job
 *
 * Called as weir_notice(). The sources that wait know it themselves.
 */
void weir_notice_members(struct weir_job *job)
{
	DECLARE_BITMAP(members, WEIR_SOURCES_MAX);
	DECLARE_BITMAP(waiting, WEIR_SOURCES_MAX);
	struct weir_notice_packet p;

	weir_notice_fill(&p, job, members, waiting);
	bitmap_andnot(members, members, waiting, WEIR_SOURCES_MAX);
	weir_notice_send_all(job, members, &p);
}
