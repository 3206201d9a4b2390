// SPDX-License-Identifier: GPL-2.0
/*
 * The stream that a box of format kv sends: to its parent, another box or the reducer. It speaks
 * as a mapper does (uapi/weir_wire.h, struct weir_kv).
 */
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/random.h>
#include <linux/udp.h>
#include <uapi/weir.h>
#include <uapi/weir_bpf.h>

#include "core/base/compat.h"
#include "agg/format/kv.h"
#include "agg/job/job.h"
#include "agg/kv/engine.h"
#include "agg/tree/parent.h"
#include "agg/tx/send.h"
#include "agg/type/reduce.h"

/* A session is asked for so often, ns, and an open one is shown to be alive. */
#define WEIR_KV_OPEN_EVERY	(100 * NSEC_PER_MSEC)
#define WEIR_KV_SHOW_EVERY	NSEC_PER_SEC

/* Packets that one packet or one visit of the timer may send. */
#define WEIR_KV_BURST		32

/* Of a route that is not there yet, or is very narrow. */
#define WEIR_KV_SIZE_MIN	512

/**
 * weir_kv_above_size() - bytes of pairs that a packet has room for
 * @kv: the job's engine
 *
 * Called under RCU with bottom halves disabled and no lock held.
 */
u32 weir_kv_above_size(struct weir_kv_job *kv)
{
	struct weir_job *job = kv->job;
	u32 room = weir_dest_room(&job->parent->dest, &job->local);

	return max_t(u32, room, WEIR_KV_SIZE_MIN + sizeof(struct weir_kv)) - sizeof(struct weir_kv);
}

static void weir_kv_words_init(struct weir_kv_words *words, const struct weir_job *job, u8 flags)
{
	*words = (struct weir_kv_words) {
		.kind	= WEIR_KV_UP,
		.flags	= flags,
		.op	= job->blocks.reduction->op,
		.dtype	= job->blocks.reduction->dtype,
		.job	= job->id,
		.source	= job->parent->config.source,
	};
}

static void weir_kv_above_out(struct weir_job *job, const struct weir_kv_words *words,
			      struct page *page, u32 len, unsigned int counter)
{
	struct weir_kv hdr;
	const struct weir_packet pkt = {
		.head		= &hdr,
		.head_len	= sizeof(hdr),
		.pages		= &page,
		.len		= len,
	};

	weir_kv_fill(&hdr, words);
	weir_send(job, &job->parent->dest, NULL, &pkt, counter);
}

/*
 * Asks for a session where there is none, as soon as a run has begun: what is wrong with the
 * receiver shows before there is much to send.
 */
static void weir_kv_above_open(struct weir_kv_job *kv, u64 now)
{
	struct weir_kv_above *above = &kv->above;
	struct weir_kv_words words;
	bool asks;

	weir_kv_words_init(&words, kv->job, WEIR_KV_OPEN);
	spin_lock(&kv->lock);
	asks = above->state != WEIR_KV_OPENED && kv->opened &&
	       (!above->said || now >= above->said + WEIR_KV_OPEN_EVERY);
	if (asks && above->state == WEIR_KV_CLOSED) {
		above->state = WEIR_KV_OPENING;
		above->instance = get_random_u32();
		above->cookie = 0;
	}
	if (asks)
		above->said = now;
	words.session = above->instance;
	words.seq = above->session;
	words.more = above->cookie;
	words.window = kv->hops + 1;
	spin_unlock(&kv->lock);
	if (asks)
		weir_kv_above_out(kv->job, &words, NULL, 0, WEIR_C_PARENT_QUERIES);
}

/* Note whether the receiver is silent, for its senders to be told. Caller must hold kv->lock. */
static void weir_kv_above_listen(struct weir_kv_job *kv, u64 now)
{
	struct weir_kv_above *above = &kv->above;

	lockdep_assert_held(&kv->lock);

	if (!above->heard)
		above->heard = now;
	WRITE_ONCE(kv->silent, !kv->done && now >= above->heard + WEIR_KV_SILENCE_NS);
}

/* Returns whether a session is open, and its number. */
static bool weir_kv_above_session(struct weir_kv_job *kv, u32 *session, u64 now, bool *show)
{
	struct weir_kv_above *above = &kv->above;
	bool open;

	spin_lock(&kv->lock);
	weir_kv_above_listen(kv, now);
	open = above->state == WEIR_KV_OPENED;
	*session = above->session;
	*show = open && (above->hops_due || now >= above->said + WEIR_KV_SHOW_EVERY);
	if (*show) {
		above->said = now;
		above->hops_due = false;
	}
	spin_unlock(&kv->lock);
	return open;
}

/*
 * A packet of a run that becomes void meanwhile goes out with the session's old number, and is not
 * taken.
 */
static void weir_kv_above_parcels(struct weir_kv_job *kv, u32 session, u64 now)
{
	struct weir_kv_words words;
	struct weir_kv_due due;
	int left = WEIR_KV_BURST;

	while (left-- && weir_kv_outbox_due(&kv->out, now, &due)) {
		weir_kv_words_init(&words, kv->job, WEIR_KV_PACKED | WEIR_KV_CPD |
				   (due.fin ? WEIR_KV_FIN : 0));
		words.session = session;
		words.seq = due.seq;
		words.pairs = due.pairs;
		words.window = READ_ONCE(kv->hops) + 1;
		weir_kv_above_out(kv->job, &words, due.page, due.len, WEIR_C_PARENT_SUMS);
	}
}

/* One that carries nothing: it is answered with what the receiver has. */
static void weir_kv_above_probe(struct weir_kv_job *kv, u32 session, u32 seq)
{
	struct weir_kv_words words;

	weir_kv_words_init(&words, kv->job, 0);
	words.session = session;
	words.seq = seq;
	words.window = READ_ONCE(kv->hops) + 1;
	weir_kv_above_out(kv->job, &words, NULL, 0, WEIR_C_PARENT_QUERIES);
}

/**
 * weir_kv_above_send() - send what is due
 * @kv: the job's engine
 * @now: time, ns of the monotonic clock
 *
 * Context as of weir_kv_pump().
 */
void weir_kv_above_send(struct weir_kv_job *kv, u64 now)
{
	u32 session;
	bool show;

	if (!weir_kv_above_session(kv, &session, now, &show)) {
		weir_kv_above_open(kv, now);
		return;
	}
	weir_kv_above_parcels(kv, session, now);
	if (show)
		weir_kv_above_probe(kv, session, 0);
}

/**
 * weir_kv_check_down() - see weir_engine.check_down
 * @job: the job
 * @c: the parsed packet, which goes down
 */
int weir_kv_check_down(const struct weir_job *job, const struct weir_contrib *c)
{
	u32 head = sizeof(struct udphdr) + sizeof(struct weir_kv);

	return c->payload_off == c->udp_off + head && c->udp_len == head ? 0 : WEIR_REASON_LENGTH;
}

static bool weir_kv_above_is(const struct weir_kv_above *above, enum weir_kv_state state,
			     const struct weir_kv_words *words)
{
	return above->state == state &&
	       words->session == (state == WEIR_KV_OPENING ? above->instance : above->session);
}

static bool weir_kv_above_opened(struct weir_kv_job *kv, const struct weir_kv_words *words)
{
	struct weir_kv_above *above = &kv->above;
	bool is;

	spin_lock(&kv->lock);
	is = weir_kv_above_is(above, WEIR_KV_OPENING, words);
	if (is && words->pairs == WEIR_KV_STATUS_COOKIE && above->cookie != words->more) {
		above->cookie = words->more;
		above->said = 0;
	} else if (is && words->pairs == WEIR_KV_STATUS_OPENED) {
		above->state = WEIR_KV_OPENED;
		above->session = words->seq;
		weir_kv_outbox_open(&kv->out, words->window);
	}
	spin_unlock(&kv->lock);
	return is;
}

/* Another box has this one's number there; it answers the question for a session. */
static bool weir_kv_above_is_taken(struct weir_kv_job *kv, const struct weir_kv_words *words)
{
	bool is;

	spin_lock(&kv->lock);
	is = weir_kv_above_is(&kv->above, WEIR_KV_OPENING, words);
	spin_unlock(&kv->lock);
	return is;
}

/* The receiver does not know the session, so it is unknown what it has of the run. */
static bool weir_kv_above_void(struct weir_kv_job *kv, const struct weir_kv_words *words)
{
	u32 size = weir_kv_above_size(kv);
	bool is;

	spin_lock(&kv->lock);
	is = weir_kv_above_is(&kv->above, WEIR_KV_OPENED, words);
	if (is && !kv->done)
		weir_kv_begin(kv, size);
	spin_unlock(&kv->lock);
	return is;
}

/* All is at the receiver: it may go, and so may those who have sent it. */
static void weir_kv_above_done(struct weir_kv_job *kv, u32 session, u32 seq)
{
	bool first;

	spin_lock(&kv->lock);
	first = !kv->done;
	WRITE_ONCE(kv->done, true);
	WRITE_ONCE(kv->silent, false);
	spin_unlock(&kv->lock);
	if (first)
		weir_kv_tell(kv, false);
	weir_kv_above_probe(kv, session, seq);
}

static bool weir_kv_above_acked(struct weir_kv_job *kv, const struct weir_kv_words *words, u64 now)
{
	bool is, all, news = false;

	spin_lock(&kv->lock);
	is = weir_kv_above_is(&kv->above, WEIR_KV_OPENED, words);
	if (is)
		news = weir_kv_outbox_acked(&kv->out, words->seq, words->more, words->window, now);
	all = is && kv->sealed && weir_kv_outbox_empty(&kv->out);
	spin_unlock(&kv->lock);
	if (all)
		weir_kv_above_done(kv, words->session, words->seq);
	else if (news)
		weir_kv_tell(kv, true);
	return is;
}

/* It lives, and has not said that it hears nothing itself. */
static void weir_kv_above_heard(struct weir_kv_job *kv, const struct weir_kv_words *words, u64 now)
{
	if (words->flags & WEIR_KV_SILENT)
		return;
	spin_lock(&kv->lock);
	kv->above.heard = now;
	spin_unlock(&kv->lock);
}

/**
 * weir_kv_down() - see weir_engine.down: a packet of the receiver has come
 * @job: the job
 * @c: the parsed packet, its shape checked
 * @pl: nothing
 * @now: time, ns of the monotonic clock
 * @merged: not used: what the packet makes the box send goes by itself
 */
int weir_kv_down(struct weir_job *job, const struct weir_contrib *c, struct weir_payload *pl,
		 u64 now, struct weir_merged *merged)
{
	struct weir_kv_job *kv = job->kv;
	struct weir_kv_words words;
	bool is = true;

	weir_kv_read(&words, c);
	if (words.source != job->parent->config.source)
		return WEIR_REASON_NO_SOURCE;
	switch (words.pairs) {
	case WEIR_KV_STATUS_OK:
		is = weir_kv_above_acked(kv, &words, now);
		break;
	case WEIR_KV_STATUS_COOKIE:
	case WEIR_KV_STATUS_OPENED:
		is = weir_kv_above_opened(kv, &words);
		break;
	case WEIR_KV_STATUS_UNKNOWN:
		is = weir_kv_above_void(kv, &words);
		break;
	case WEIR_KV_STATUS_UNLIKE:
		return WEIR_REASON_OPERATION;
	case WEIR_KV_STATUS_TAKEN:
		is = weir_kv_above_is_taken(kv, &words);
		break;
	default:
		return WEIR_REASON_FLAGS;
	}
	if (!is)
		return WEIR_REASON_SESSION;
	weir_kv_above_heard(kv, &words, now);
	weir_job_count(job, WEIR_C_PARENT_RESULTS, 1);
	weir_kv_pump(kv, now);
	return 0;
}
