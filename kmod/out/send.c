// SPDX-License-Identifier: GPL-2.0
/* One packet of a job, in its format, to one destination, and counted. */
#include <linux/bits.h>
#include <linux/lockdep.h>
#include <linux/string.h>

#include "base/compat.h"
#include "out/send.h"
#include "trace.h"

/**
 * weir_trio_fill() - a header from the box
 * @hdr: filled, as from source 0
 * @job: the job
 * @generation: generation
 * @block: block id
 * @flags: WEIR_TRIO_*
 * @contributors: sources, 1 to 256
 * @count: gradients
 */
void weir_trio_fill(struct weir_trio *hdr, const struct weir_job *job,
		    u16 generation, u32 block, u8 flags, u16 contributors,
		    u16 count)
{
	hdr->job_id = job->id;
	put_unaligned_be32(block, hdr->block_id);
	hdr->flags = flags;
	hdr->src_id = 0;
	hdr->src_cnt = contributors;	/* 256 becomes 0, as documented */
	put_unaligned_be16(generation, hdr->gen_id);
	put_unaligned_be16(count | WEIR_TRIO_DOWN, hdr->grad_cnt);
}

/**
 * weir_bitmap_fill() - a bitmap of sources as on the wire
 * @words: filled
 * @n: how many
 * @bits: bitmap of WEIR_SOURCES_MAX
 */
void weir_bitmap_fill(__be32 *words, unsigned int n, const unsigned long *bits)
{
	unsigned int i;

	BUILD_BUG_ON(BITS_PER_LONG != 64);
	for (i = 0; i < n; i++)
		words[i] = htonl(bits[i / 2] >> (i % 2 * 32));
}

/**
 * weir_send() - send a packet
 * @job: the job
 * @dest: where to
 * @source_stats: the receiver's counters, or NULL
 * @pkt: what; payload's pages are linked, not copied
 * @counter: enum weir_counter for a packet that was handed to the stack
 *
 * Called under RCU with bottom halves disabled and no lock held.
 */
void weir_send(struct weir_job *job, struct weir_dest *dest,
	       struct weir_stats __percpu *source_stats,
	       const struct weir_packet *pkt, unsigned int counter)
{
	int err;

	lockdep_assert(rcu_read_lock_bh_held());

	err = weir_dest_send(dest, job, pkt);
	if (unlikely(err)) {
		trace_weir_send_error(job, &dest->addr, err);
		counter = WEIR_C_RESULT_ERRORS;
	}
	weir_job_count(job, counter, 1);
	if (source_stats)
		weir_count(source_stats, counter, 1);
}
