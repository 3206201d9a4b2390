// SPDX-License-Identifier: GPL-2.0
/* Packets of a box in the Trio paper's format (figure 4), with weir's additions. */
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "core/base/compat.h"
#include "agg/format/format.h"
#include "agg/format/trio.h"
#include "agg/slots/block.h"
#include "agg/type/reduce.h"

/**
 * weir_trio_fill() - a header from the box
 * @hdr: filled, as from source 0
 * @job: job id
 * @generation: generation
 * @block: block id
 * @flags: WEIR_TRIO_*
 * @contributors: sources, 1 to 256
 * @count: gradients
 */
void weir_trio_fill(struct weir_trio *hdr, u8 job,
		    u16 generation, u32 block, u8 flags, u16 contributors,
		    u16 count)
{
	hdr->job_id = job;
	put_unaligned_be32(block, hdr->block_id);
	hdr->flags = flags;
	hdr->src_id = 0;
	hdr->src_cnt = contributors;	/* 256 becomes 0, as documented */
	put_unaligned_be16(generation, hdr->gen_id);
	put_unaligned_be16(count | WEIR_TRIO_DOWN, hdr->grad_cnt);
}

/**
 * weir_trio_flags() - return the flags of a result, or of a sum for a parent box
 * @res: it
 * @degraded: it lacks some that it might have
 */
u8 weir_trio_flags(const struct weir_result *res, bool degraded)
{
	u8 flags = (res->overflow ? WEIR_TRIO_OVERFLOW : 0) |
		   (res->unlike ? WEIR_TRIO_UNLIKE : 0) |
		   (res->little ? WEIR_TRIO_LITTLE : 0);

	if (!degraded)
		return flags;
	return flags | WEIR_TRIO_DEGRADED | (res->aged ? WEIR_TRIO_AGED : 0);
}

/**
 * weir_trio_has_shares() - test whether contributions and results may lack their gradients
 * @format: a job's
 * @reduction: the job's; the neutral element is that of sums
 */
bool weir_trio_has_shares(const struct weir_format_ops *format,
			  const struct weir_reduction *reduction)
{
	return format->id == WEIR_FORMAT_TRIO && reduction->op == WEIR_OP_SUM;
}

/**
 * weir_trio_brief() - leave the gradients out of a result
 * @head: the bytes before the gradients, as struct weir_format_ops.result has filled them
 */
void weir_trio_brief(void *head)
{
	struct weir_trio *hdr = head;

	hdr->flags |= WEIR_TRIO_EMPTY;
}

static unsigned int weir_trio_result(void *head, u8 job, const struct weir_result *res)
{
	struct weir_trio *hdr = head;
	struct weir_trio_exponent *exponent = (void *)(hdr + 1);

	BUILD_BUG_ON(sizeof(*hdr) + sizeof(*exponent) > WEIR_HEAD_MAX);
	weir_trio_fill(hdr, job, res->generation, res->id,
		       weir_trio_flags(res, res->degraded), res->received, res->count);
	if (!res->has_exponent)
		return sizeof(*hdr);
	hdr->grad_cnt[0] |= WEIR_TRIO_EXPONENT >> 8;
	put_unaligned_be32(res->exponent, exponent);
	return sizeof(*hdr) + sizeof(*exponent);
}

const struct weir_format_ops weir_format_trio = {
	.id	= WEIR_FORMAT_TRIO,
	.joins	= true,
	.ecn	= true,
	.udp	= WEIR_PORT_DEFAULT,
	.result	= weir_trio_result,
};

/**
 * weir_bitmap_fill() - a bitmap of sources or ranks as on the wire
 * @words: filled
 * @n: number of words
 * @bits: bitmap of so many words at least
 */
void weir_bitmap_fill(__be32 *words, unsigned int n, const unsigned long *bits)
{
	unsigned int i;

	BUILD_BUG_ON(BITS_PER_LONG != 64);
	for (i = 0; i < n; i++)
		words[i] = htonl(bits[i / 2] >> (i % 2 * 32));
}

/**
 * weir_bitmap_read() - a bitmap from the wire
 * @bits: filled, in whole longs
 * @words: as on the wire
 * @n: number of words
 */
void weir_bitmap_read(unsigned long *bits, const __be32 *words, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (i % 2)
			bits[i / 2] |= (unsigned long)ntohl(words[i]) << 32;
		else
			bits[i / 2] = ntohl(words[i]);
}
