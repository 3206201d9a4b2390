// SPDX-License-Identifier: GPL-2.0
/* What a box says in the Trio paper's format (figure 4), with weir's additions. */
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/string.h>

#include "base/compat.h"
#include "format/trio.h"

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
