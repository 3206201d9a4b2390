// SPDX-License-Identifier: GPL-2.0
/*
 * Packets of mappers, and of boxes below: a session is opened, pairs are taken once each, and all
 * are answered with what has come (uapi/weir_wire.h, struct weir_kv). A packet that cannot be
 * taken as a whole is not taken at all.
 */
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/string.h>
#include <linux/udp.h>
#include <uapi/weir.h>
#include <uapi/weir_bpf.h>

#include "core/base/compat.h"
#include "agg/base/payload.h"
#include "agg/format/kv.h"
#include "agg/job/job.h"
#include "agg/kv/engine.h"
#include "agg/job/path.h"
#include "agg/tx/send.h"
#include "agg/job/source.h"
#include "agg/kv/value.h"
#include "agg/type/reduce.h"

/**
 * weir_kv_check_shape() - see weir_engine.check_shape
 * @job: the job
 * @c: the parsed packet, which goes up
 */
int weir_kv_check_shape(const struct weir_job *job, const struct weir_contrib *c)
{
	u32 head = sizeof(struct udphdr) + sizeof(struct weir_kv);

	if (c->payload_off != c->udp_off + head || c->udp_len < head)
		return WEIR_REASON_LENGTH;
	/* Pairs where there are to be some, and nothing else where not. */
	if (c->count ? c->udp_len == head : c->udp_len != head)
		return WEIR_REASON_LENGTH;
	return c->udp_len - head > WEIR_KV_BYTES_MAX ? WEIR_REASON_TOO_LONG : 0;
}

static void weir_kv_answer(struct weir_job *job, u16 id, u16 port, struct weir_kv_words *words)
{
	struct weir_source *source = weir_source_get(job, id);
	struct weir_kv hdr;
	const struct weir_packet pkt = {
		.head		= &hdr,
		.head_len	= sizeof(hdr),
		.dport		= htons(port),
	};

	if (!source)
		return;
	words->kind = WEIR_KV_DOWN;
	words->flags |= WEIR_KV_CPK | (READ_ONCE(job->kv->silent) ? WEIR_KV_SILENT : 0);
	words->op = job->blocks.reduction->op;
	words->dtype = job->blocks.reduction->dtype;
	words->job = job->id;
	words->source = id;
	weir_kv_fill(&hdr, words);
	weir_send(job, &source->dest, source->stats, &pkt, WEIR_C_ANSWERS);
}

/* Packets that the outbox surely has room for, shared by the streams. */
static u32 weir_kv_window(struct weir_kv_job *kv, const struct weir_kv_stream *stream)
{
	u32 room = weir_kv_outbox_room(&kv->out) / max_t(u32, READ_ONCE(kv->opened), 1);

	return min_t(u32, room / max_t(u32, stream->bytes, WEIR_KV_SPARE), WEIR_KV_WINDOW);
}

/*
 * Say how much of a stream has been received. Its last packet counts only when all of the run is at
 * the receiver, so it is not among those that are taken before.
 */
static void weir_kv_stream_says(struct weir_kv_job *kv, struct weir_kv_stream *stream,
				struct weir_kv_words *words)
{
	bool done = stream->run == READ_ONCE(kv->done_run) ||
		    (READ_ONCE(kv->done) && stream->run == READ_ONCE(kv->run));

	lockdep_assert_held(&stream->lock);

	words->session = stream->session;
	words->pairs = WEIR_KV_STATUS_OK;
	words->seq = stream->next;
	words->more = stream->more;
	words->window = done ? WEIR_KV_WINDOW : weir_kv_window(kv, stream);
	stream->starved = !words->window;
	if (!stream->has_last || done)
		return;
	if (stream->ended)
		words->seq = stream->last;
	else
		words->more &= ~(1ULL << (stream->last - stream->next - 1));
}

/**
 * weir_kv_tell() - say without being asked what has come
 * @kv: the job's engine
 * @starved: only to those who wait for room
 *
 * Called under RCU with bottom halves disabled and no lock held. Each of them has opened a
 * session, so it hears; and who waits for room has sent a packet since it was told that there is
 * none.
 */
void weir_kv_tell(struct weir_kv_job *kv, bool starved)
{
	struct weir_kv_stream *stream;
	struct weir_kv_words words;
	unsigned int i;
	bool tells;
	u16 port;

	for (i = 0; i < kv->job->blocks.sources; i++) {
		stream = &kv->stream[i];
		if (starved && !READ_ONCE(stream->starved))
			continue;
		words = (struct weir_kv_words) { };
		spin_lock(&stream->lock);
		tells = stream->session && stream->run == READ_ONCE(kv->run);
		if (tells)
			weir_kv_stream_says(kv, stream, &words);
		port = stream->port;
		spin_unlock(&stream->lock);
		if (tells && !(starved && !words.window))
			weir_kv_answer(kv->job, i, port, &words);
	}
}

/*
 * Return true if this instance may have the source's number. If the one before it is in the middle
 * of a run, the run is void, unless that instance may still be alive.
 */
static bool weir_kv_may_open(struct weir_kv_job *kv, const struct weir_kv_stream *stream,
			     const struct weir_kv_words *words, u64 now)
{
	return !stream->session || kv->done || stream->run != kv->run ||
	       words->seq == stream->session || now >= stream->heard + WEIR_KV_SILENCE_NS;
}

static void weir_kv_stream_begin(struct weir_kv_job *kv, struct weir_kv_stream *stream,
				 const struct weir_kv_words *words)
{
	stream->run = kv->run;
	stream->instance = words->session;
	stream->session = get_random_u32() ?: 1;
	stream->next = 0;
	stream->more = 0;
	stream->has_last = false;
	stream->ended = false;
	stream->starved = false;
	stream->bytes = 0;
	kv->opened++;
}

/* Both locks are held. Returns enum weir_kv_status. */
static int weir_kv_open_locked(struct weir_kv_job *kv, struct weir_kv_stream *stream,
			       const struct weir_kv_words *words, u32 size, u64 now)
{
	bool runs = stream->session && stream->run == kv->run;

	if (runs && stream->instance == words->session)
		return WEIR_KV_STATUS_OPENED;
	if (!weir_kv_may_open(kv, stream, words, now))
		return WEIR_KV_STATUS_TAKEN;
	if (runs || kv->done)
		weir_kv_begin(kv, size);
	weir_kv_stream_begin(kv, stream, words);
	return WEIR_KV_STATUS_OPENED;
}

/*
 * Boxes that are each other's parents would hand pairs around for ever, or wait for each other's
 * end. What a box sends says how many boxes the pairs in its table may have come by, and boxes
 * below it. A number that grows goes on at once, and in a loop it grows with each round: then the
 * packets of the loop are refused without an answer. So its boxes hear nothing of their receivers,
 * and tell their senders.
 */
static bool weir_kv_may_hop(struct weir_kv_job *kv, u16 hops)
{
	if (likely(hops <= READ_ONCE(kv->hops)))
		return true;
	if (hops > WEIR_KV_HOPS)
		return false;
	spin_lock(&kv->lock);
	if (hops > kv->hops) {
		WRITE_ONCE(kv->hops, hops);
		kv->above.hops_due = true;
	}
	spin_unlock(&kv->lock);
	return true;
}

/* A session is opened for who brings the cookie, and so is where its address says. */
static int weir_kv_open(const struct weir_path *path, const struct weir_contrib *c,
			const struct weir_kv_words *words, u64 now)
{
	u64 cookie = weir_source_cookie(path->source, c->sport, words->session);
	struct weir_kv_job *kv = path->job->kv;
	struct weir_kv_stream *stream = &kv->stream[c->source];
	struct weir_kv_words answer = { .flags = WEIR_KV_OPEN, .session = words->session };
	u32 size;

	if (words->more != cookie) {
		answer.pairs = WEIR_KV_STATUS_COOKIE;
		answer.more = cookie;
		weir_kv_answer(path->job, c->source, c->sport, &answer);
		return 0;
	}
	if (words->window > WEIR_KV_HOPS)
		return WEIR_REASON_LOOP;
	size = weir_kv_above_size(kv);
	spin_lock(&stream->lock);
	spin_lock(&kv->lock);
	answer.pairs = weir_kv_open_locked(kv, stream, words, size, now);
	spin_unlock(&kv->lock);
	if (answer.pairs == WEIR_KV_STATUS_OPENED) {
		stream->heard = now;
		stream->port = c->sport;
		answer.seq = stream->session;
		answer.window = weir_kv_window(kv, stream);
	}
	spin_unlock(&stream->lock);
	if (answer.pairs == WEIR_KV_STATUS_OPENED)
		weir_kv_may_hop(kv, words->window);
	weir_kv_answer(path->job, c->source, c->sport, &answer);
	weir_path_count(path, WEIR_C_JOINS, 1);
	return 0;
}

static void weir_kv_count(const struct weir_path *path, const struct weir_kv_tally *tally)
{
	weir_path_count(path, WEIR_C_KV_HITS, tally->hits);
	if (tally->misses)
		weir_path_count(path, WEIR_C_KV_MISSES, tally->misses);
	if (tally->evictions)
		weir_path_count(path, WEIR_C_KV_EVICTIONS, tally->evictions);
	if (tally->passed)
		weir_path_count(path, WEIR_C_KV_PASSED, tally->passed);
}

/* The packet's pairs go into the table; what does not stay there, into the outbox. */
static int weir_kv_reduce(const struct weir_path *path, struct weir_kv_stream *stream,
			  const struct weir_kv_words *words, const struct weir_payload *pl, u32 len)
{
	struct weir_kv_job *kv = path->job->kv;
	struct weir_kv_pairs pairs = {
		.at	= stream->in,
		.n	= words->pairs,
		.packed	= words->flags & WEIR_KV_PACKED,
	};
	struct weir_kv_spill spill = { .at = stream->spill };
	struct weir_kv_tally tally = { };
	u32 width = weir_kv_width(kv->table.dtype);
	u32 bytes;

	if (weir_payload_copy(pl, stream->in, len) != len ||
	    !weir_kv_pairs_check(stream->in, len, words->pairs, pairs.packed, width))
		return WEIR_REASON_PAIR;
	bytes = pairs.packed ? len : words->pairs * weir_kv_pair_bytes(WEIR_KV_KEY_MAX, width);
	spill.size = bytes + WEIR_KV_SPARE;
	stream->bytes = spill.size;
	if (!weir_kv_outbox_reserve(&kv->out, spill.size)) {
		stream->starved = true;
		return WEIR_REASON_BUSY;
	}
	weir_kv_table_reduce(&kv->table, stream->run, &pairs, bytes, &spill, &tally);
	weir_kv_outbox_put(&kv->out, stream->run, &spill, spill.size);
	weir_kv_count(path, &tally);
	return 0;
}

static bool weir_kv_has(const struct weir_kv_stream *stream, u32 seq)
{
	u32 ahead = seq - stream->next;

	return (s32)ahead < 0 ||
	       (ahead && ahead <= WEIR_KV_WINDOW && stream->more >> (ahead - 1) & 1);
}

static void weir_kv_taken(struct weir_kv_stream *stream, u32 seq)
{
	u32 ahead = seq - stream->next;
	bool more;

	if (ahead) {
		stream->more |= 1ULL << (ahead - 1);
		return;
	}
	do {
		stream->next++;
		more = stream->more & 1;
		stream->more >>= 1;
	} while (more);
}

/* Do what a packet asks for beside its pairs, once it is taken. */
static void weir_kv_signals(struct weir_kv_job *kv, struct weir_kv_stream *stream,
			    const struct weir_kv_words *words)
{
	if (words->flags & WEIR_KV_COLLECT)
		weir_kv_collect(kv);
	if (words->flags & WEIR_KV_FIN) {
		stream->last = words->seq;
		stream->has_last = true;
	}
	if (!stream->has_last || stream->ended || stream->next != stream->last + 1)
		return;
	stream->ended = true;
	spin_lock(&kv->lock);
	if (kv->run == stream->run)
		weir_kv_end(kv);
	spin_unlock(&kv->lock);
}

/* It has a number: it is taken once. */
static int weir_kv_numbered(const struct weir_path *path, struct weir_kv_stream *stream,
			    const struct weir_kv_words *words, const struct weir_payload *pl,
			    u32 len)
{
	int reason = 0;

	if (weir_kv_has(stream, words->seq))
		return WEIR_REASON_DUPLICATE;
	if (words->seq - stream->next > WEIR_KV_WINDOW ||
	    (stream->has_last && (s32)(words->seq - stream->last) > 0))
		return WEIR_REASON_AHEAD;
	/* Nor may the last one come before others that have been taken. */
	if (words->flags & WEIR_KV_FIN && words->seq - stream->next < WEIR_KV_WINDOW &&
	    stream->more >> (words->seq - stream->next))
		return WEIR_REASON_FLAGS;
	if (words->pairs)
		reason = weir_kv_reduce(path, stream, words, pl, len);
	if (reason)
		return reason;
	weir_kv_taken(stream, words->seq);
	weir_kv_signals(path->job->kv, stream, words);
	return 0;
}

/* Return true if it is a session of this run, or of the last one that is complete. */
static bool weir_kv_knows(const struct weir_kv_job *kv, const struct weir_kv_stream *stream,
			  const struct weir_kv_words *words)
{
	return stream->session && stream->session == words->session &&
	       (stream->run == READ_ONCE(kv->run) ||
		(stream->ended && stream->run == READ_ONCE(kv->done_run)));
}

static int weir_kv_packet(const struct weir_path *path, const struct weir_contrib *c,
			  const struct weir_kv_words *words, const struct weir_payload *pl, u64 now)
{
	struct weir_kv_job *kv = path->job->kv;
	struct weir_kv_stream *stream = &kv->stream[c->source];
	u32 len = c->udp_len - sizeof(struct udphdr) - sizeof(struct weir_kv);
	bool numbered = words->pairs || words->flags & (WEIR_KV_COLLECT | WEIR_KV_FIN);
	struct weir_kv_words answer = { .session = words->session };
	bool confirms = false;
	int reason = 0;

	spin_lock(&stream->lock);
	if (!weir_kv_knows(kv, stream, words)) {
		answer.pairs = WEIR_KV_STATUS_UNKNOWN;
		reason = WEIR_REASON_SESSION;
	} else {
		stream->heard = now;
		stream->port = c->sport;
		if (!weir_kv_may_hop(kv, words->window))
			reason = WEIR_REASON_LOOP;
		else if (numbered)
			reason = weir_kv_numbered(path, stream, words, pl, len);
		weir_kv_stream_says(kv, stream, &answer);
		/* Or each would be answered with the other for ever. */
		confirms = !numbered && stream->ended && words->seq == stream->last + 1;
	}
	spin_unlock(&stream->lock);
	if (!reason && numbered)
		weir_path_count_summed(path, c);
	else if (!reason)
		weir_path_count(path, WEIR_C_QUERIES, 1);
	if (!confirms && reason != WEIR_REASON_LOOP)
		weir_kv_answer(path->job, c->source, c->sport, &answer);
	return reason;
}

/**
 * weir_kv_take() - take a packet of a stream
 * @path: its objects, all of them found
 * @c: the parsed packet, its shape, source, rate and checksum checked
 * @pl: its pairs
 * @now: time, ns of the monotonic clock
 *
 * Called under RCU with bottom halves disabled and no lock held. The answer is as long as a
 * header, and so never longer than the packet. A packet of a loop has none.
 *
 * Return: 0, or the enum weir_reason for which it is refused.
 */
int weir_kv_take(const struct weir_path *path, struct weir_contrib *c,
		 const struct weir_payload *pl, u64 now)
{
	const struct weir_reduction *reduction = path->job->blocks.reduction;
	struct weir_kv_words words;
	int reason = 0;

	weir_kv_read(&words, c);
	if (words.op != reduction->op || words.dtype != reduction->dtype) {
		struct weir_kv_words answer = {
			.flags		= words.flags & WEIR_KV_OPEN,
			.pairs		= WEIR_KV_STATUS_UNLIKE,
			.session	= words.session,
		};

		weir_kv_answer(path->job, c->source, c->sport, &answer);
		return WEIR_REASON_OPERATION;
	}
	if (words.flags & WEIR_KV_OPEN)
		reason = weir_kv_open(path, c, &words, now);
	else
		reason = weir_kv_packet(path, c, &words, pl, now);
	weir_kv_pump(path->job->kv, now);
	return reason;
}
