/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_KV_OUTBOX_H
#define _WEIR_KV_OUTBOX_H

#include <linux/spinlock.h>
#include <linux/types.h>

#include "agg/kv/pairs.h"

struct page;

/* Packets that are kept, a power of two; and bytes of pairs in each, at most. */
#define WEIR_KV_PARCELS		256
#define WEIR_KV_PARCEL_BYTES	4096

/**
 * struct weir_kv_parcel - a packet of pairs that is kept until it is acknowledged
 * @page: the pairs
 * @len: bytes of them
 * @pairs: number of pairs
 * @fin: it is the last one
 * @acked: the receiver has it
 * @sends: number of times that it was sent
 * @sent: time of the last of them, ns
 */
struct weir_kv_parcel {
	struct page	*page;
	u16		len;
	u16		pairs;
	bool		fin;
	bool		acked;
	u8		sends;
	u64		sent;
};

/**
 * struct weir_kv_outbox - what goes to the receiver, in the order of its numbers
 * @lock: protects all of it; taken with bottom halves disabled, nothing inside
 * @run: that it is of
 * @tail: the first packet that is not acknowledged
 * @next: the first that was never sent
 * @head: the one that is being filled
 * @owed: bytes that were promised by weir_kv_outbox_reserve()
 * @width: bytes of a value
 * @size: bytes of pairs a packet, as the route's MTU has it
 * @limit: behind the last packet that the receiver has room for
 * @window: packets that may be under way, as congestion has it
 * @gained: acknowledged since @window grew last
 * @recover: losses of packets before this one have cut @window already
 * @srtt: round-trip time, smoothed, ns; 0 before the first
 * @timeout: after which a packet is sent again, ns
 * @parcel: by number modulo how many there are
 *
 * A page is written again as soon as its packet is acknowledged, though a copy of that packet may
 * still be on its way: the receiver has it, so it does not look into the copy.
 */
struct weir_kv_outbox {
	spinlock_t		lock;	/* all of it */
	u32			run;
	u32			tail;
	u32			next;
	u32			head;
	u32			owed;
	u32			width;
	u32			size;
	u32			limit;
	u32			window;
	u32			gained;
	u32			recover;
	u64			srtt;
	u64			timeout;
	struct weir_kv_parcel	parcel[WEIR_KV_PARCELS];
};

/**
 * struct weir_kv_due - a packet that is to be sent
 * @seq: its number
 * @page: its pairs
 * @len: bytes of them
 * @pairs: number of pairs
 * @fin: it is the last one
 */
struct weir_kv_due {
	u32		seq;
	struct page	*page;
	u16		len;
	u16		pairs;
	bool		fin;
};

u64 weir_kv_outbox_bytes(void);
int weir_kv_outbox_init(struct weir_kv_outbox *out, u32 width);
void weir_kv_outbox_uninit(struct weir_kv_outbox *out);
void weir_kv_outbox_begin(struct weir_kv_outbox *out, u32 run, u32 size);
bool weir_kv_outbox_reserve(struct weir_kv_outbox *out, u32 bytes);
void weir_kv_outbox_put(struct weir_kv_outbox *out, u32 run, const struct weir_kv_spill *spill,
			u32 reserved);
void weir_kv_outbox_seal(struct weir_kv_outbox *out, u32 run, bool fin);
u32 weir_kv_outbox_room(struct weir_kv_outbox *out);
void weir_kv_outbox_open(struct weir_kv_outbox *out, u32 window);
bool weir_kv_outbox_acked(struct weir_kv_outbox *out, u32 seq, u64 more, u32 window, u64 now);
bool weir_kv_outbox_due(struct weir_kv_outbox *out, u64 now, struct weir_kv_due *due);
bool weir_kv_outbox_empty(struct weir_kv_outbox *out);

#endif /* _WEIR_KV_OUTBOX_H */
