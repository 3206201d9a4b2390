/* SPDX-License-Identifier: GPL-2.0 */

/**
 * struct weir_toy - what a packet of format toy begins with
 * @kind: WEIR_TOY_UP from a worker, WEIR_TOY_DOWN from a box
 * @job: the job
 * @worker: from a worker its rank, the source's id; in a result how many are in it
 * @block: the block
 *
 * Gradients follow, 4 bytes each, up to the datagram's end. All numbers are in network byte
 * order. A result has WEIR_TOY_DSCP in its IP header.
 */
struct weir_toy {
	__u8	kind;
	__u8	job;
	__u8	worker[2];
	__u8	block[4];
};

#define WEIR_TOY_UP	'?'
#define WEIR_TOY_DOWN	'!'
#define WEIR_TOY_DSCP	10		/* af11 */
