// SPDX-License-Identifier: GPL-2.0
/*
 * Pairs that a box has taken and its table does not hold are here until the receiver has them, so
 * nothing is lost on the way from mapper to reducer. P4COM forwards such pairs once, and trusts TCP
 * between the mapper and the reducer to notice that they are gone (section III-D, fault tolerance).
 */
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "agg/kv/outbox.h"
#include "agg/slots/pool.h"

/* Packets under way at first (RFC 6928), and at least. */
#define WEIR_KV_WINDOW_FIRST	10
#define WEIR_KV_WINDOW_MIN	2

/* Times after which a packet is sent again, ns: before there is a round trip, and bounds. */
#define WEIR_KV_TIMEOUT_FIRST	(100 * NSEC_PER_MSEC)
#define WEIR_KV_TIMEOUT_MIN	(10 * NSEC_PER_MSEC)
#define WEIR_KV_TIMEOUT_MAX	NSEC_PER_SEC

/* Nor is a packet that has just been sent found to be lost again, ns. */
#define WEIR_KV_AGAIN_MIN	(250 * NSEC_PER_USEC)

/* A packet is lost where so many behind it have arrived (RFC 5681). */
#define WEIR_KV_REORDERED	3

static struct weir_kv_parcel *weir_kv_parcel(struct weir_kv_outbox *out, u32 seq)
{
	return &out->parcel[seq % WEIR_KV_PARCELS];
}

/**
 * weir_kv_outbox_bytes() - memory that an outbox takes
 */
u64 weir_kv_outbox_bytes(void)
{
	return WEIR_KV_PARCELS * PAGE_SIZE;
}

/**
 * weir_kv_outbox_init() - make an outbox with all its memory
 * @out: the outbox, zeroed
 * @width: bytes of a value
 *
 * Sleeps. Return: 0 or -ENOMEM; weir_kv_outbox_uninit() follows in either case.
 */
int weir_kv_outbox_init(struct weir_kv_outbox *out, u32 width)
{
	unsigned int i;

	spin_lock_init(&out->lock);
	out->width = width;
	for (i = 0; i < WEIR_KV_PARCELS; i++)
		if (weir_pool_alloc(&out->parcel[i].page, 1))
			return -ENOMEM;
	return 0;
}

/**
 * weir_kv_outbox_uninit() - free an outbox
 * @out: the outbox, which no packet can reach
 */
void weir_kv_outbox_uninit(struct weir_kv_outbox *out)
{
	unsigned int i;

	for (i = 0; i < WEIR_KV_PARCELS; i++)
		if (out->parcel[i].page)
			put_page(out->parcel[i].page);
}

static void weir_kv_parcel_begin(struct weir_kv_outbox *out)
{
	struct weir_kv_parcel *parcel = weir_kv_parcel(out, out->head);

	parcel->len = 0;
	parcel->pairs = 0;
	parcel->fin = false;
	parcel->acked = false;
	parcel->sends = 0;
}

/**
 * weir_kv_outbox_begin() - a run begins; what is left of an older one is thrown away
 * @out: the outbox
 * @run: the run
 * @size: bytes of pairs a packet, WEIR_KV_PAIR_MAX at least
 */
void weir_kv_outbox_begin(struct weir_kv_outbox *out, u32 run, u32 size)
{
	spin_lock(&out->lock);
	out->run = run;
	out->tail = 0;
	out->next = 0;
	out->head = 0;
	out->owed = 0;
	out->size = min_t(u32, size, WEIR_KV_PARCEL_BYTES);
	out->limit = 0;
	out->window = WEIR_KV_WINDOW_FIRST;
	out->gained = 0;
	out->recover = 0;
	out->srtt = 0;
	out->timeout = WEIR_KV_TIMEOUT_FIRST;
	weir_kv_parcel_begin(out);
	spin_unlock(&out->lock);
}

/*
 * Bytes that surely have room: a packet may end short by almost a pair, and each part of what is
 * put in may begin one. The last packet is left for weir_kv_outbox_seal().
 */
static u32 weir_kv_outbox_free(const struct weir_kv_outbox *out)
{
	u32 packets = WEIR_KV_PARCELS - 2 - (out->head - out->tail);
	u32 bytes = (s32)packets > 0 ? packets * (out->size - WEIR_KV_PAIR_MAX + 1) : 0;

	return bytes > out->owed ? bytes - out->owed : 0;
}

/**
 * weir_kv_outbox_reserve() - make sure of room for pairs that are to come
 * @out: the outbox
 * @bytes: number of bytes
 *
 * Return: whether there is; weir_kv_outbox_put() follows then.
 */
bool weir_kv_outbox_reserve(struct weir_kv_outbox *out, u32 bytes)
{
	bool has;

	spin_lock(&out->lock);
	has = weir_kv_outbox_free(out) >= bytes;
	if (has)
		out->owed += bytes;
	spin_unlock(&out->lock);
	return has;
}

static void weir_kv_outbox_next(struct weir_kv_outbox *out)
{
	out->head++;
	weir_kv_parcel_begin(out);
}

static void weir_kv_outbox_fill(struct weir_kv_outbox *out, const u8 *at, u32 len)
{
	struct weir_kv_parcel *parcel;
	u32 used, pairs;

	for (; len; at += used, len -= used) {
		parcel = weir_kv_parcel(out, out->head);
		used = weir_kv_pairs_fit(at, len, out->size - parcel->len, out->width, &pairs);
		memcpy(page_address(parcel->page) + parcel->len, at, used);
		parcel->len += used;
		parcel->pairs += pairs;
		if (used < len)
			weir_kv_outbox_next(out);
	}
}

/**
 * weir_kv_outbox_put() - pairs that are to go to the receiver
 * @out: the outbox
 * @run: that they are of: those of a void one are dropped
 * @spill: the pairs, of no more bytes than were reserved
 * @reserved: these, which are given back
 */
void weir_kv_outbox_put(struct weir_kv_outbox *out, u32 run, const struct weir_kv_spill *spill,
			u32 reserved)
{
	spin_lock(&out->lock);
	if (out->run == run) {
		out->owed -= reserved;
		weir_kv_outbox_fill(out, spill->at, spill->used);
	}
	spin_unlock(&out->lock);
}

/**
 * weir_kv_outbox_seal() - let the packet that is being filled go
 * @out: the outbox
 * @run: of this run alone
 * @fin: it is the stream's last one, and goes even if it is empty
 */
void weir_kv_outbox_seal(struct weir_kv_outbox *out, u32 run, bool fin)
{
	struct weir_kv_parcel *parcel;

	spin_lock(&out->lock);
	parcel = weir_kv_parcel(out, out->head);
	if (out->run == run && (parcel->len || fin)) {
		parcel->fin = fin;
		weir_kv_outbox_next(out);
	}
	spin_unlock(&out->lock);
}

/**
 * weir_kv_outbox_room() - bytes that could be reserved now
 * @out: the outbox
 */
u32 weir_kv_outbox_room(struct weir_kv_outbox *out)
{
	u32 bytes;

	spin_lock(&out->lock);
	bytes = weir_kv_outbox_free(out);
	spin_unlock(&out->lock);
	return bytes;
}

/**
 * weir_kv_outbox_open() - the receiver has opened the session
 * @out: the outbox
 * @window: packets that it has room for
 */
void weir_kv_outbox_open(struct weir_kv_outbox *out, u32 window)
{
	spin_lock(&out->lock);
	out->limit = out->tail + min_t(u32, window, WEIR_KV_WINDOW);
	spin_unlock(&out->lock);
}

/* Of a packet that was sent once (Karn). */
static void weir_kv_outbox_measure(struct weir_kv_outbox *out, const struct weir_kv_parcel *parcel,
				   u64 now)
{
	u64 rtt = now - parcel->sent;

	if (parcel->sends != 1)
		return;
	out->srtt = out->srtt ? out->srtt - out->srtt / 8 + rtt / 8 : rtt;
	out->timeout = clamp_t(u64, 2 * out->srtt, WEIR_KV_TIMEOUT_MIN, WEIR_KV_TIMEOUT_MAX);
}

static void weir_kv_parcel_acked(struct weir_kv_outbox *out, u32 seq, u64 now)
{
	struct weir_kv_parcel *parcel = weir_kv_parcel(out, seq);

	if (parcel->acked)
		return;
	parcel->acked = true;
	weir_kv_outbox_measure(out, parcel, now);
	if (++out->gained < out->window)
		return;
	out->gained = 0;
	out->window = min_t(u32, out->window + 1, WEIR_KV_WINDOW);
}

/* Once for all that were under way. */
static void weir_kv_outbox_lost(struct weir_kv_outbox *out, u32 seq)
{
	if ((s32)(seq - out->recover) < 0)
		return;
	out->recover = out->next;
	out->window = max_t(u32, out->window / 2, WEIR_KV_WINDOW_MIN);
	out->gained = 0;
}

/**
 * weir_kv_outbox_acked() - the receiver says what it has
 * @out: the outbox
 * @seq: all packets before this one
 * @more: and of those behind it, by bits
 * @window: packets from @seq on that it has room for
 * @now: time, ns
 *
 * Return: whether there is more room than before.
 */
bool weir_kv_outbox_acked(struct weir_kv_outbox *out, u32 seq, u64 more, u32 window, u64 now)
{
	bool news = false;
	u32 i;

	spin_lock(&out->lock);
	/* No receiver has what was never sent, and an older answer says less. */
	if (seq - out->tail > out->next - out->tail)
		goto out;
	for (; out->tail != seq; out->tail++) {
		weir_kv_parcel_acked(out, out->tail, now);
		news = true;
	}
	for (i = 0; more && i < WEIR_KV_WINDOW; i++, more >>= 1)
		if (more & 1 && (s32)(out->next - (seq + 1 + i)) > 0)
			weir_kv_parcel_acked(out, seq + 1 + i, now);
	out->limit = seq + min_t(u32, window, WEIR_KV_WINDOW);
out:
	spin_unlock(&out->lock);
	return news;
}

/* Return true if a packet is to be sent again. @behind: packets behind it that were acknowledged */
static bool weir_kv_parcel_again(const struct weir_kv_outbox *out,
				 const struct weir_kv_parcel *parcel, u32 behind, u64 now)
{
	u64 since = now - parcel->sent;

	if (behind >= WEIR_KV_REORDERED && since >= max_t(u64, out->srtt, WEIR_KV_AGAIN_MIN))
		return true;
	return since >= min_t(u64, out->timeout << min_t(u32, parcel->sends - 1, 6),
			      WEIR_KV_TIMEOUT_MAX);
}

static bool weir_kv_outbox_again(struct weir_kv_outbox *out, u64 now, u32 *seq)
{
	u32 n = out->next, behind = 0, oldest = n;
	struct weir_kv_parcel *parcel;

	while (n != out->tail) {
		parcel = weir_kv_parcel(out, --n);
		if (parcel->acked)
			behind++;
		else if (weir_kv_parcel_again(out, parcel, behind, now))
			oldest = n;
	}
	if (oldest == out->next)
		return false;
	weir_kv_outbox_lost(out, oldest);
	*seq = oldest;
	return true;
}

/* One that was never sent, where congestion and the receiver leave room for it. */
static bool weir_kv_outbox_new(struct weir_kv_outbox *out, u32 *seq)
{
	if (out->next == out->head || (s32)(out->limit - out->next) <= 0 ||
	    out->next - out->tail >= out->window)
		return false;
	*seq = out->next++;
	return true;
}

/**
 * weir_kv_outbox_due() - the packet that is to be sent next
 * @out: the outbox
 * @now: time, ns
 * @due: filled; it counts as sent then
 *
 * Return: whether there is one.
 */
bool weir_kv_outbox_due(struct weir_kv_outbox *out, u64 now, struct weir_kv_due *due)
{
	struct weir_kv_parcel *parcel;
	bool is = false;
	u32 seq;

	spin_lock(&out->lock);
	if (!weir_kv_outbox_again(out, now, &seq) && !weir_kv_outbox_new(out, &seq))
		goto out;
	is = true;
	parcel = weir_kv_parcel(out, seq);
	parcel->sent = now;
	parcel->sends += parcel->sends < U8_MAX;
	due->seq = seq;
	due->page = parcel->page;
	due->len = parcel->len;
	due->pairs = parcel->pairs;
	due->fin = parcel->fin;
out:
	spin_unlock(&out->lock);
	return is;
}

/**
 * weir_kv_outbox_empty() - test whether all that may be sent is acknowledged
 * @out: the outbox
 */
bool weir_kv_outbox_empty(struct weir_kv_outbox *out)
{
	bool empty;

	spin_lock(&out->lock);
	empty = out->tail == out->head;
	spin_unlock(&out->lock);
	return empty;
}
