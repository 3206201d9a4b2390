/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Track the sequence numbers of one direction of a TCP connection between its ends, and find
 * gaps, reordering and repetitions. There is no lock, as the packets of a flow are received by
 * one CPU; if there are two, the order of their packets is undefined anyway.
 */
#ifndef _WEIR_FLOW_SEQ_H
#define _WEIR_FLOW_SEQ_H

#include <linux/compiler.h>
#include <linux/types.h>

/*
 * Largest window of TCP (RFC 7323, section 2.3): a number that is further away restarts the
 * tracking.
 */
#define WEIR_FLOW_SEQ_WINDOW	0x40000000U

/**
 * struct weir_flow_seq - sequence numbers of a connection
 * @next: the expected number
 * @hole: first number of the last gap
 * @hole_end: number after the last gap; @hole if the gap has been filled
 */
struct weir_flow_seq {
	u32	next;
	u32	hole;
	u32	hole_end;
};

/**
 * enum weir_flow_order - a packet's place in the sequence
 * @WEIR_FLOW_IN_ORDER: the expected number, or a packet without data
 * @WEIR_FLOW_GAP: numbers before it are missing
 * @WEIR_FLOW_REORDERED: part of the last gap
 * @WEIR_FLOW_REPEATED: received before, or part of an older gap
 */
enum weir_flow_order {
	WEIR_FLOW_IN_ORDER,
	WEIR_FLOW_GAP,
	WEIR_FLOW_REORDERED,
	WEIR_FLOW_REPEATED,
};

/*
 * A number below the expected one. The last gap shrinks by it; a packet from its middle ends the
 * gap there.
 */
static inline enum weir_flow_order weir_flow_seq_late(struct weir_flow_seq *s, u32 seq, u32 end)
{
	u32 hole = READ_ONCE(s->hole), size = READ_ONCE(s->hole_end) - hole;

	if ((s32)(end - READ_ONCE(s->next)) > 0)
		WRITE_ONCE(s->next, end);
	if (seq - hole >= size)
		return WEIR_FLOW_REPEATED;
	if (seq != hole)
		WRITE_ONCE(s->hole_end, seq);
	else
		WRITE_ONCE(s->hole, hole + min(end - seq, size));
	return WEIR_FLOW_REORDERED;
}

/**
 * weir_flow_seq_track() - track a packet
 * @s: state of the connection
 * @seq: sequence number of the packet
 * @len: numbers that it takes: bytes of the payload, and one each for SYN and FIN
 *
 * Return: the packet's place; after a gap, @hole and @hole_end have the missing numbers.
 */
static inline enum weir_flow_order weir_flow_seq_track(struct weir_flow_seq *s, u32 seq, u32 len)
{
	u32 next = READ_ONCE(s->next);

	if (likely(seq == next) || !len) {
		WRITE_ONCE(s->next, next + len);
		return WEIR_FLOW_IN_ORDER;
	}
	if (seq - next + WEIR_FLOW_SEQ_WINDOW >= 2 * WEIR_FLOW_SEQ_WINDOW) {
		WRITE_ONCE(s->next, seq + len);
		WRITE_ONCE(s->hole, seq);
		WRITE_ONCE(s->hole_end, seq);
		return WEIR_FLOW_IN_ORDER;
	}
	if ((s32)(seq - next) < 0)
		return weir_flow_seq_late(s, seq, seq + len);
	WRITE_ONCE(s->hole, next);
	WRITE_ONCE(s->hole_end, seq);
	WRITE_ONCE(s->next, seq + len);
	return WEIR_FLOW_GAP;
}

#endif /* _WEIR_FLOW_SEQ_H */
