/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_ORDER_NOTE_H
#define _WEIR_ORDER_NOTE_H

#include <linux/llist.h>
#include <linux/types.h>
#include <net/xdp.h>

#include "core/base/virtual.h"

#define WEIR_ORDER_MAGIC	0x6f726472

/**
 * struct weir_order_note - what is to become of a frame, in its headroom
 * @magic: WEIR_ORDER_MAGIC
 * @flow: the flow, by number
 * @generation: of the flow
 * @cpu: the place in the order's list, from 1 on, of the CPU that is to run the rest of the chain;
 *	0 where that has been done
 * @number: the packet's in its flow
 * @out: the device that the frame leaves by, 0 for the stack
 * @next: the packet behind it, where it is in order and waits for its CPU
 * @node: in the list of the CPU that is to run the rest of the chain
 *
 * Programs may write there, and memory is used again, so all of it is checked, and a note is
 * read once.
 */
struct weir_order_note {
	u32	magic;
	u32	flow;
	u32	generation;
	u32	cpu;
	u64	number;
	u32	out;
	union {
		void			*next;
		struct llist_node	node;
	};
};

static inline struct weir_order_note *weir_order_note_at(void *memory)
{
	return memory + WEIR_VIRTUAL_NOTE_ORDER;
}

/* The frame whose note's @node this is. */
static inline struct xdp_frame *weir_order_node_frame(struct llist_node *node)
{
	return (void *)llist_entry(node, struct weir_order_note, node) - WEIR_VIRTUAL_NOTE_ORDER;
}

/* Return true if a frame has room for a note. */
static inline bool weir_order_note_fits(const struct xdp_buff *xdp)
{
	return weir_virtual_fits(xdp, WEIR_VIRTUAL_NOTE_ORDER, sizeof(struct weir_order_note));
}

static inline void weir_order_note_write(struct xdp_buff *xdp, const struct weir_order_note *note)
{
	*weir_order_note_at(xdp->data_hard_start) = *note;
}

/* @memory: where that of a frame begins which has room for a note. */
static inline bool weir_order_note_read(void *memory, struct weir_order_note *note)
{
	struct weir_order_note *at = weir_order_note_at(memory);

	*note = *at;
	at->magic = 0;
	return note->magic == WEIR_ORDER_MAGIC;
}

static inline bool weir_order_note_read_frame(struct xdp_frame *frame, struct weir_order_note *note)
{
	return weir_virtual_frame_fits(frame, WEIR_VIRTUAL_NOTE_ORDER, sizeof(*note)) &&
	       weir_order_note_read(frame, note);
}

#endif /* _WEIR_ORDER_NOTE_H */
