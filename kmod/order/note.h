/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_ORDER_NOTE_H
#define _WEIR_ORDER_NOTE_H

#include <linux/types.h>
#include <net/xdp.h>

#include "base/virtual.h"

#define WEIR_ORDER_MAGIC	0x6f726472

/**
 * struct weir_order_note - what is to become of a frame, in its headroom
 * @magic: WEIR_ORDER_MAGIC
 * @ndev: the order's device, by number
 * @flow: the flow, by number
 * @generation: of the flow
 * @number: the packet's in its flow
 * @ticket: what the CPU had been given before, where the frame goes to one
 * @cpu: that CPU's place in the order's list
 * @out: the device that the frame leaves by, 0 for the stack
 * @next: the packet behind it, where it is in order and waits for its CPU
 *
 * Programs may write there, and memory is used again, so all of it is checked, and a note is
 * read once.
 */
struct weir_order_note {
	u32	magic;
	u32	ndev;
	u32	flow;
	u32	generation;
	u64	number;
	u32	ticket;
	u32	cpu;
	u32	out;
	void	*next;
};

static inline struct weir_order_note *weir_order_note_at(void *memory)
{
	return memory + WEIR_VIRTUAL_NOTE_ORDER;
}

/* Has a frame room for a note? */
static inline bool weir_order_note_fits(const struct xdp_buff *xdp)
{
	return weir_virtual_fits(xdp, WEIR_VIRTUAL_NOTE_ORDER, sizeof(struct weir_order_note));
}

static inline void weir_order_note_write(struct xdp_buff *xdp, const struct weir_order_note *note)
{
	*weir_order_note_at(xdp->data_hard_start) = *note;
}

/* @memory: where the frame's begins. */
static inline bool weir_order_note_read(void *memory, struct weir_order_note *note)
{
	struct weir_order_note *at = weir_order_note_at(memory);

	*note = *at;
	at->magic = 0;
	return note->magic == WEIR_ORDER_MAGIC;
}

#endif /* _WEIR_ORDER_NOTE_H */
