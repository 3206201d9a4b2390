/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checksums of ranges that a BPF program cannot see at once: one piece at a time is
 * copied to the stack, from anywhere in the frame. The including file defines
 *
 *	long weir_trim_load(void *ctx, __u32 off, void *to, __u32 len)
 *
 * which copies bytes of a frame and returns 0, or else an error.
 */
#ifndef _WEIR_TRIM_SUM_H
#define _WEIR_TRIM_SUM_H

#include <bpf/bpf_helpers.h>

#include "trim/weir_trim_parse.h"

#define WEIR_TRIM_PIECE		128

/**
 * struct weir_trim_adder - a walk over bytes that are added up
 * @ctx: of the program
 * @off: of the next byte, from the start of the frame
 * @len: bytes that are left
 * @sum: of those before, not folded
 */
struct weir_trim_adder {
	void *ctx;
	__u32 off;
	__u32 len;
	__u32 sum;
};

/*
 * One piece; the last one is filled up with zeroes, which add nothing. The verifier of
 * Linux 6.1 forgets the bounds of a 32-bit number when it is copied, and does not
 * conclude from "not 0" that it is at least 1: so the length has 64 bits and a sign.
 */
static long weir_trim_add(__u32 i, struct weir_trim_adder *a)
{
	__u32 piece[WEIR_TRIM_PIECE / 4] = {};
	__s64 len = a->len;

	barrier_var(len);
	if (len > (__s64)sizeof(piece))
		len = sizeof(piece);
	if (len <= 0 || weir_trim_load(a->ctx, a->off, piece, len))
		return 1;
	a->sum = bpf_csum_diff(NULL, 0, piece, sizeof(piece), a->sum);
	a->off += len;
	a->len -= len;
	return 0;
}

static __always_inline __u32 weir_trim_sum(struct weir_trim_pkt *pkt, __u32 off,
					   __u32 len)
{
	struct weir_trim_adder a = { .ctx = pkt->ctx, .off = off, .len = len };

	bpf_loop((len + WEIR_TRIM_PIECE - 1) / WEIR_TRIM_PIECE, weir_trim_add, &a,
		 0);
	return a.sum;
}

#endif /* _WEIR_TRIM_SUM_H */
