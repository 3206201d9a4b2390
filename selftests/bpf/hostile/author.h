/* SPDX-License-Identifier: GPL-2.0 */
/* Definitions that author.bpf.c and test_author.c share, and the author's knowledge of the module. */
#ifndef AUTHOR_H
#define AUTHOR_H

#include <linux/types.h>

#define AUTHOR_HEADROOM		256	/* of a frame in a test run */
#define AUTHOR_MARKS		8
#define AUTHOR_DEVICES		8

#define AUTHOR_TRIM_MAGIC	0x77656972
#define AUTHOR_ORDER_MAGIC	0x6f726472
#define AUTHOR_DEFLECT_MAGIC	0x6465666c

/* The note of an order lies so many bytes behind that of trimming. */
#define AUTHOR_ORDER_APART	16

/* struct weir_note of kmod/trim/deflect.c */
struct author_note {
	__u32	magic;
	__u32	counter;
	__u32	headroom;
	__u32	len;
};

/* struct weir_order_note of kmod/xdp/order/note.h */
struct author_order_note {
	__u32	magic;
	__u32	flow;
	__u32	generation;
	__u32	cpu;
	__u64	number;
	__u32	out;
	__u32	pad;
	__u64	next;
};

/* The module's part of a packet's control block, and the addresses of the packet and its device. */
struct author_mark {
	__u64	block;
	__u64	packet;
	__u64	device;
};

/* Words of ::ffff:10.99.0.1 and ::ffff:10.99.0.254, network byte order. */
#define AUTHOR_SADDR(i)	((i) == 2 ? 0xffff0000 : (i) == 3 ? 0x0100630a : 0)
#define AUTHOR_DADDR(i)	((i) == 2 ? 0xffff0000 : (i) == 3 ? 0xfe00630a : 0)

#endif /* AUTHOR_H */
