// SPDX-License-Identifier: GPL-2.0
/*
 * p4lang's SwitchML: the block of a packet, and the head of a result. A packet names its
 * block by slot and set; but a worker that repeats one of the first packets of a tensor
 * numbers it as the packet before it. So the job remembers the first packet of each tensor,
 * which a worker never repeats, and counts all others from there.
 */
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include <uapi/weir.h>
#include <uapi/weir_bpf.h>
#include <uapi/weir_wire.h>

#include "core/base/compat.h"
#include "agg/format/format.h"
#include "agg/slots/block.h"

#define WEIR_SWITCHML_SOURCES	32
#define WEIR_SWITCHML_SLOTS	16384U	/* of one set */
#define WEIR_SWITCHML_THREADS	64	/* of a worker; their UDP ports follow each other */

/**
 * union weir_switchml_thread - the progress of a worker's thread
 * @word: all of it, as it is read and written
 * @known: it has sent a first packet
 * @port: its UDP port, by WEIR_SWITCHML_THREADS; its place in the table is the rest
 * @tensor: the tensor, as packets say it
 * @slot: of the tensor's first packet
 * @second: of the same: it was in the second set
 * @count: tensors that the thread has begun, which wraps much later than the packets' number
 * @far: the largest number of a packet of the tensor that was numbered rightly, as far as
 *	there is room for it: the thread has as many on the way at once at least
 *
 * Each worker counts alike, as each sends something of each tensor, or none.
 */
union weir_switchml_thread {
	u64	word;
	struct {
		u64	known:1;
		u64	port:10;
		u64	tensor:8;
		u64	slot:14;
		u64	second:1;
		u64	count:16;
		u64	far:14;
	};
};

/**
 * struct weir_switchml_state - the memory of a job
 * @window: packets that a thread has under way, alike for all; 0 while it is not known
 * @thread: by source, and by the UDP port modulo WEIR_SWITCHML_THREADS
 */
struct weir_switchml_state {
	u32	window;
	u64	thread[];
};

/**
 * struct weir_switchml_mark - the headers of a block's contributions
 * @kind: kind of job, as in the packets
 * @tensor: tensor id, as in the packets
 * @pool: slot and set, as in the packets, but right
 * @exponent: the largest ones
 * @port: by source, where its copy of the result goes
 */
struct weir_switchml_mark {
	u8	kind;
	u8	tensor;
	u16	pool;
	s8	exponent[2];
	u16	port[WEIR_SWITCHML_SOURCES];
};

static size_t weir_switchml_state(u32 sources, u32 blocks)
{
	struct weir_switchml_state *state;

	BUILD_BUG_ON(sizeof(union weir_switchml_thread) != sizeof(u64));
	return struct_size(state, thread, sources * WEIR_SWITCHML_THREADS);
}

static u32 weir_switchml_slot(u16 pool)
{
	return pool & ~WEIR_SWITCHML_SECOND;
}

static u16 weir_switchml_first(const union weir_switchml_thread *t)
{
	return t->slot | (t->second ? WEIR_SWITCHML_SECOND : 0);
}

/* Slot and set of a packet, where a thread has @window under way, as a worker counts. */
static u16 weir_switchml_at(u16 first, u32 packet, u32 window)
{
	u32 slot = weir_switchml_slot(first), round = 2 * window, i = slot % round;
	u32 at = i + (first & WEIR_SWITCHML_SECOND ? window : 0) + packet % round;

	at %= round;
	return (slot - i + at % window) | (at < window ? 0 : WEIR_SWITCHML_SECOND);
}

/*
 * The window, as far as a packet tells it, else 0. A window of packets later the slot is the
 * same, of the other set, and two windows later of the same set. Of the other set the slots
 * from the first packet's on tell: those before it are filled within the first window, and
 * are not known yet to be numbered rightly. Of the same set the slots before it tell.
 */
static u32 weir_switchml_tells(u16 first, u32 packet, u16 pool)
{
	s64 later = (s64)packet - weir_switchml_slot(pool) + weir_switchml_slot(first);
	bool is_before = weir_switchml_slot(pool) < weir_switchml_slot(first);
	bool is_other = (pool ^ first) & WEIR_SWITCHML_SECOND;

	if (is_before == is_other || (!is_other && later & 1))
		return 0;
	if (!is_other)
		later /= 2;
	return later > 0 && later <= WEIR_SWITCHML_SLOTS / 2 ? later : 0;
}

static u32 weir_switchml_window(struct weir_switchml_state *state, u16 first, u32 packet,
				u16 pool)
{
	u32 window = READ_ONCE(state->window);

	if (unlikely(!window)) {
		window = weir_switchml_tells(first, packet, pool);
		if (window)
			WRITE_ONCE(state->window, window);
	}
	return window;
}

/**
 * enum weir_switchml_number - how a packet is numbered
 * @WEIR_SWITCHML_RIGHT: with its own slot and set
 * @WEIR_SWITCHML_LIKELY: as it seems, with its own slot and set: the window is not known
 * @WEIR_SWITCHML_BEFORE: with those of the packet before it, so it is sent again, or early
 * @WEIR_SWITCHML_EARLY: with those of the packet before it, and it is early: it has wrong
 *	data, in the place of the tensor's first packet, of which the worker lacks the result
 * @WEIR_SWITCHML_WRONG: else
 */
enum weir_switchml_number {
	WEIR_SWITCHML_RIGHT,
	WEIR_SWITCHML_LIKELY,
	WEIR_SWITCHML_BEFORE,
	WEIR_SWITCHML_EARLY,
	WEIR_SWITCHML_WRONG,
};

/* @right becomes where it belongs. */
static enum weir_switchml_number
weir_switchml_look(u16 first, u32 packet, u16 pool, u32 window, u16 *right)
{
	*right = weir_switchml_at(first, packet, window);
	if (likely(pool == *right))
		return WEIR_SWITCHML_RIGHT;
	if (packet > window || pool != weir_switchml_at(first, packet - 1, window))
		return WEIR_SWITCHML_WRONG;
	return packet == window ? WEIR_SWITCHML_EARLY : WEIR_SWITCHML_BEFORE;
}

/* Until a worker has come to a slot's other set, slots follow each other. */
static enum weir_switchml_number
weir_switchml_guess(u16 first, u32 packet, u16 pool, u16 *right)
{
	*right = pool;
	if ((pool ^ first) & WEIR_SWITCHML_SECOND)
		return WEIR_SWITCHML_LIKELY;
	if ((u16)(pool - first) == packet)
		return WEIR_SWITCHML_RIGHT;
	*right = pool + 1;
	return (u16)(*right - first) == packet ? WEIR_SWITCHML_BEFORE : WEIR_SWITCHML_WRONG;
}

/*
 * A tensor's first packet. It is sent once; one that says the same begins another tensor
 * only where the thread has gone on since.
 */
static void weir_switchml_begin(union weir_switchml_thread *t, const struct weir_contrib *c,
				u16 pool, u32 window)
{
	const union weir_switchml_thread old = *t;
	bool same = old.known && old.port == c->sport / WEIR_SWITCHML_THREADS;

	if (same && old.tensor == (u8)c->generation && weir_switchml_first(&old) == pool &&
	    (!window || old.far < window))
		return;
	*t = (union weir_switchml_thread) {
		.known	= 1,
		.port	= c->sport / WEIR_SWITCHML_THREADS,
		.tensor	= (u8)c->generation,
		.slot	= weir_switchml_slot(pool),
		.second	= !!(pool & WEIR_SWITCHML_SECOND),
		.count	= same ? old.count + 1 : 1,
	};
}

static void weir_switchml_key(struct weir_block_key *key, const union weir_switchml_thread *t,
			      u32 packet, u16 pool, enum weir_claim claim)
{
	key->id = packet;
	key->generation = t->count;
	key->pair = weir_switchml_slot(pool);
	key->second = pool & WEIR_SWITCHML_SECOND;
	key->claim = claim;
}

/*
 * One that is numbered as the one before it, and not far ahead of others that are numbered
 * rightly, is sent again. Else it may be early: the first packets of a short tensor are fewer
 * than the window, which no packet says. So it is answered as an early one once. Its sender
 * has the answer then, and if the same comes again, it is not early: it is summed where other
 * workers have sent it, too, and else answered again.
 */
static int weir_switchml_keys(struct weir_block_key *key, const union weir_switchml_thread *t,
			      const struct weir_contrib *c, enum weir_switchml_number number,
			      u16 pool)
{
	u16 first = weir_switchml_first(t);
	bool sure = number != WEIR_SWITCHML_BEFORE || c->block <= t->far;

	if (number == WEIR_SWITCHML_EARLY) {
		weir_switchml_key(&key[0], t, 0, first, WEIR_CLAIM_ASK);
		return 1;
	}
	if (sure) {
		weir_switchml_key(&key[0], t, c->block, pool, WEIR_CLAIM_SUM);
		return 1;
	}
	weir_switchml_key(&key[0], t, 0, first, WEIR_CLAIM_REMIND);
	weir_switchml_key(&key[1], t, c->block, pool, WEIR_CLAIM_JOIN);
	weir_switchml_key(&key[2], t, 0, first, WEIR_CLAIM_ASK);
	return 3;
}

static int weir_switchml_pair(void *data, struct weir_contrib *c, struct weir_block_key *key)
{
	struct weir_switchml_state *state = data;
	u64 *word = &state->thread[c->source * WEIR_SWITCHML_THREADS +
				   c->sport % WEIR_SWITCHML_THREADS];
	union weir_switchml_thread t = { .word = READ_ONCE(*word) };
	u16 pool = c->said[WEIR_SWITCHML_SAID_POOL], right = pool, first;
	enum weir_switchml_number number = WEIR_SWITCHML_RIGHT;
	u64 old = t.word;
	u32 window;

	if (weir_switchml_slot(pool) >= WEIR_SWITCHML_SLOTS)
		return -WEIR_REASON_AHEAD;
	if (!c->block) {
		weir_switchml_begin(&t, c, pool, READ_ONCE(state->window));
	} else {
		if (!t.known || t.port != c->sport / WEIR_SWITCHML_THREADS ||
		    t.tensor != (u8)c->generation)
			return -WEIR_REASON_STALE;
		first = weir_switchml_first(&t);
		window = weir_switchml_window(state, first, c->block, pool);
		number = window ?
			 weir_switchml_look(first, c->block, pool, window, &right) :
			 weir_switchml_guess(first, c->block, pool, &right);
	}
	if (number == WEIR_SWITCHML_WRONG)
		return -WEIR_REASON_STALE;
	if (number == WEIR_SWITCHML_RIGHT && c->block > t.far)
		t.far = min(c->block, WEIR_SWITCHML_SLOTS - 1);
	if (t.word != old)
		WRITE_ONCE(*word, t.word);
	c->said[WEIR_SWITCHML_SAID_POOL] = right;
	return weir_switchml_keys(key, &t, c, number, right);
}

static void weir_switchml_fold(void *data, const struct weir_contrib *c, bool first)
{
	struct weir_switchml_mark *mark = data;
	u32 said = c->said[WEIR_SWITCHML_SAID_EXPONENT];
	s8 exponent[2] = { said, said >> 8 };
	unsigned int i;

	if (first) {
		memset(mark, 0, sizeof(*mark));
		mark->kind = c->said[WEIR_SWITCHML_SAID_KIND];
		mark->tensor = c->generation;
		mark->pool = c->said[WEIR_SWITCHML_SAID_POOL];
		memcpy(mark->exponent, exponent, sizeof(exponent));
	}
	for (i = 0; i < ARRAY_SIZE(exponent); i++)
		mark->exponent[i] = max(mark->exponent[i], exponent[i]);
	mark->port[c->source] = c->sport;
}

static unsigned int weir_switchml_result(void *head, u8 job, const struct weir_result *res)
{
	const struct weir_switchml_mark *mark = (const void *)res->mark;
	struct weir_switchml *hdr = head;

	BUILD_BUG_ON(sizeof(*mark) > WEIR_MARK_MAX || sizeof(*hdr) > WEIR_HEAD_MAX);
	hdr->kind = mark->kind;
	hdr->job = mark->tensor;
	put_unaligned_le32(res->id, hdr->packet);
	put_unaligned_be16(mark->pool, hdr->pool);
	memcpy(hdr->exponent, mark->exponent, sizeof(hdr->exponent));
	return sizeof(*hdr);
}

static u16 weir_switchml_port(const struct weir_result *res, u16 source)
{
	const struct weir_switchml_mark *mark = (const void *)res->mark;

	return mark->port[source];
}

static const struct weir_format_limits weir_switchml_limits = {
	.sources	= WEIR_SWITCHML_SOURCES,
	.blocks		= 2 * WEIR_SWITCHML_SLOTS,
	.grads		= { 64, 256 },
};

const struct weir_format_ops weir_format_switchml = {
	.id		= WEIR_FORMAT_SWITCHML,
	.unnamed	= true,
	.ipv4		= true,
	.whole		= true,
	.modular	= true,
	.quiet		= true,
	.sums		= true,
	.dtype		= WEIR_DTYPE_INT32,
	.mark		= sizeof(struct weir_switchml_mark),
	.udp		= WEIR_PORT_SWITCHML,
	.slots		= 2,
	.repeat_after	= WEIR_REPEAT_SWITCHML,
	.limits		= &weir_switchml_limits,
	.state		= weir_switchml_state,
	.pair		= weir_switchml_pair,
	.fold		= weir_switchml_fold,
	.result		= weir_switchml_result,
	.port		= weir_switchml_port,
};
