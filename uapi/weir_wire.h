/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/*
 * Wire formats, shared by the module, the BPF programs, the worker library and
 * the tests. All fields are in network byte order.
 */
#ifndef _UAPI_WEIR_WIRE_H
#define _UAPI_WEIR_WIRE_H

#include <linux/types.h>

/**
 * struct weir_trio - the Trio-ML header (Trio paper, figures 7 and 8)
 * @job_id: the job
 * @block_id: the block; not aligned, as on the wire
 * @flags: age_op (4 bits), final, degraded and, in bits that the paper leaves
 *	unused, overflow and join; see WEIR_TRIO_*
 * @src_id: rank of the sender; 0 in a result to all
 * @src_cnt: sources summed into this packet; 1 from a worker, and in a result
 *	the number of contributors, with 256 written as 0
 * @gen_id: generation of the workers' communicator, serial arithmetic
 * @grad_cnt: number of 32-bit gradients that follow, in the low 12 bits
 *
 * 12 bytes behind a UDP header; @grad_cnt gradients of 4 bytes follow, each a
 * two's complement integer in network byte order. The datagram ends with them.
 */
struct weir_trio {
	__u8	job_id;
	__u8	block_id[4];
	__u8	flags;
	__u8	src_id;
	__u8	src_cnt;
	__u8	gen_id[2];
	__u8	grad_cnt[2];
};

#define WEIR_TRIO_AGE_OP	0xf0	/* result: the block has aged out */
#define WEIR_TRIO_FINAL		0x08	/* the last block of an allreduce */
#define WEIR_TRIO_DEGRADED	0x04	/* result: not all sources are in it */
#define WEIR_TRIO_OVERFLOW	0x02	/* result: a sum has left int32; the
					 * gradients are wrong modulo 2^32
					 */
#define WEIR_TRIO_JOIN		0x01	/* a struct weir_join follows */
#define WEIR_TRIO_GRAD_MASK	0x0fff

/**
 * struct weir_join - how workers agree on a generation
 * @nonce: from a worker, a random number that it keeps for one communicator;
 *	echoed in the answer
 * @ranks: from a worker, how many it expects; in the answer the job's sources
 * @blocks: 0 from a worker; in the answer the job's block slots, of which a
 *	window may fill half
 * @grads: from a worker, the gradients a block that it means to send; in the
 *	answer the most that the job takes
 *
 * Follows a struct weir_trio with WEIR_TRIO_JOIN set, grad_cnt, block_id and
 * gen_id zero. A worker repeats it until it is answered. When every source has
 * sent one with a nonce that is not in the current generation, and has sent it
 * again since the last new nonce was heard from any of them, a new generation
 * begins and each gets an answer that carries it in gen_id; block ids start at
 * 0. A join that is repeated after that is answered again. One whose @ranks or
 * @grads do not fit the job is answered at once with WEIR_TRIO_DEGRADED set and
 * the job's figures, so that the worker can say what is wrong; it does not
 * count.
 */
struct weir_join {
	__u32	nonce;
	__be32	ranks;
	__be32	blocks;
	__be32	grads;
};

#endif /* _UAPI_WEIR_WIRE_H */
