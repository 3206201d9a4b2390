/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sequence numbers of one direction of a TCP connection, as somebody in between sees them:
 * what is missing, what comes late, what comes again. A packet is looked at without a lock, as
 * the packets of a flow come by one CPU: where two have them, their order is nobody's.
 */
#ifndef _WEIR_FLOW_SEQ_H
#define _WEIR_FLOW_SEQ_H

#include <linux/compiler.h>
#include <linux/types.h>

/* No window of TCP is wider (RFC 7323, section 2.3): what is further away begins anew. */
#define WEIR_FLOW_SEQ_WINDOW	0x40000000U

/**
 * struct weir_flow_seq - what is known of a connection's sequence numbers
 * @next: the number that is expected
 * @hole: the last gap that was seen begins here
 * @hole_end: and ends before this; where it is @hole, all of it has come
 */
struct weir_flow_seq {
	u32	next;
	u32	hole;
	u32	hole_end;
};

/**
 * enum weir_flow_order - what a packet's sequence number tells
 * @WEIR_FLOW_IN_ORDER: it is the expected one, or there is nothing to tell
 * @WEIR_FLOW_GAP: some before it are missing
 * @WEIR_FLOW_REORDERED: it belongs to the last gap
 * @WEIR_FLOW_REPEATED: it has been here, or belongs to an older gap
 */
enum weir_flow_order {
	WEIR_FLOW_IN_ORDER,
	WEIR_FLOW_GAP,
	WEIR_FLOW_REORDERED,
	WEIR_FLOW_REPEATED,
};

/* What has come of the last gap is no part of it any more; of its middle, what follows neither. */
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
 * weir_flow_seq_track() - take notice of a packet
 * @s: what is known
 * @seq: the packet's sequence number
 * @len: how many numbers it takes: bytes of its payload, and SYN and FIN one each
 *
 * Of a gap, @hole and @hole_end tell what is missing.
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
