// SPDX-License-Identifier: BSD-2-Clause
#include "request/batch.h"

#include <errno.h>

#include "comm/comm.h"
#include "packet/kept.h"
#include "path/path.h"
#include "request/ack.h"
#include "request/question.h"

/**
 * struct outgoing - a batch's packets
 * @box: a vector each run
 * @questions: packets that are not kept
 * @ack: an acknowledgment, if there is one
 */
struct outgoing {
	struct outbox box;
	uint8_t questions[OUTBOX][WIRE_HEADER + WIRE_EXPONENT];
	uint8_t ack[WIRE_HEADER];
};

/* Its room is not worth to be cleared. */
void batch_begin(struct batch *batch, enum window_asked why, bool merge)
{
	batch->why = why;
	batch->merge = merge;
	batch->ack = false;
	batch->blocks = 0;
	batch->runs = 0;
}

/*
 * If packets of @bytes bytes, from @block on, continue the last run, return how many of them it still
 * takes.
 */
static uint32_t last_takes(const struct weir *comm, const struct batch *batch, uint64_t block,
			   uint32_t bytes)
{
	const struct batch_run *last = &batch->run[batch->runs - 1];

	if (!batch->runs || last->bytes != bytes || last->block + last->count != block ||
	    !(block & comm->window.mask))
		return 0;
	return outbox_fit(bytes) - last->count;
}

static void add_run(struct batch *batch, uint64_t block, uint32_t count, uint32_t bytes)
{
	batch->run[batch->runs++] = (struct batch_run) { block, count, bytes };
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Add blocks whose packets lie together: a run for each message. */
static void add_dense(const struct weir *comm, struct batch *batch, uint64_t block, uint32_t count,
		      uint32_t bytes)
{
	uint32_t some = least(last_takes(comm, batch, block, bytes), count);

	if (some)
		batch->run[batch->runs - 1].count += some;
	while (some < count) {
		uint32_t more = least(outbox_fit(bytes), count - some);

		add_run(batch, block + some, more, bytes);
		some += more;
	}
}

void batch_add(const struct weir *comm, struct batch *batch, uint64_t block, uint32_t count)
{
	bool asks = batch->why != WINDOW_NOT_ASKED;
	uint32_t bytes = asks ? question_bytes(comm, batch->why) :
				window_slot(&comm->window, block)->bytes;

	batch->blocks += count;
	if (batch->merge && kept_is_dense(&comm->kept, bytes) &&
	    !window_slot(&comm->window, block)->is_question) {
		add_dense(comm, batch, block, count, bytes);
		return;
	}
	while (count--)
		add_run(batch, block++, 1, bytes);
}

/* Make one run a block of those from the @first on. Blocks that do not fit are left to the next batch. */
static void split(struct batch *batch, unsigned int first)
{
	const struct batch whole = *batch;

	batch->merge = false;
	batch->runs = first;
	for (unsigned int i = first; i < whole.runs; i++) {
		batch->blocks -= whole.run[i].count;
		for (uint32_t j = 0; j < whole.run[i].count && batch_room(batch); j++) {
			add_run(batch, whole.run[i].block + j, 1, whole.run[i].bytes);
			batch->blocks++;
		}
	}
}

static void *packet_of(const struct weir *comm, const struct batch *batch, unsigned int run,
		       struct outgoing *out)
{
	uint64_t block = batch->run[run].block;
	struct wire_header question;

	if (batch->why == WINDOW_NOT_ASKED)
		return kept_at(&comm->kept, block & comm->window.mask, batch->run[run].bytes);
	question = question_header(comm, block);
	question.has_exponent = batch->run[run].bytes > WIRE_HEADER;
	wire_put_header(out->questions[run], &question);
	return out->questions[run];
}

static void write_packets(const struct weir *comm, const struct batch *batch, unsigned int first,
			  struct outgoing *out)
{
	for (unsigned int i = first; i < batch->runs; i++)
		outbox_put(&out->box, i, packet_of(comm, batch, i, out), batch->run[i].count,
			   batch->run[i].bytes);
}

/* Return the number of a run's blocks that were sent before, now or to another box. */
static uint32_t count_again(const struct weir *comm, const struct batch_run *run)
{
	uint64_t end = comm->window.next;

	if (end < comm->replay_end)
		end = comm->replay_end;
	if (run->block >= end)
		return 0;
	return end - run->block < run->count ? (uint32_t)(end - run->block) : run->count;
}

/* Contributions, or the questions of a rank that only follows. */
static void note_contributions(struct weir *comm, const struct batch_run *run, bool merged)
{
	if (window_slot(&comm->window, run->block)->is_question) {
		comm->stats.queries += run->count;
	} else {
		comm->stats.packets_sent += run->count;
		comm->stats.retransmits += count_again(comm, run);
	}
	if (run->block == comm->window.next)
		window_sent(&comm->window, run->count, comm->now, merged);
	else
		window_sent_again(&comm->window, run->block, comm->now);
}

static void note_run(struct weir *comm, const struct batch *batch, const struct batch_run *run,
		     bool merged)
{
	if (batch->why == WINDOW_NOT_ASKED) {
		note_contributions(comm, run, merged);
		return;
	}
	comm->stats.queries++;
	window_asked(&comm->window, run->block, comm->now, batch->why);
}

/*
 * The packets of so many runs, from the @first on, were sent as one message, perhaps with an
 * acknowledgment behind them. Returns how many.
 */
static unsigned int note_message(struct weir *comm, const struct batch *batch, unsigned int first,
				 unsigned int runs, bool has_ack)
{
	const struct batch_run *run = &batch->run[first];
	bool merged = runs > 1 || run->count > 1 || has_ack;
	unsigned int packets = 0;

	for (; runs; runs--, run++) {
		note_run(comm, batch, run, merged);
		packets += run->count;
	}
	comm->stats.merged_sent += merged ? packets : 0;
	return packets;
}

static void note_spoke(struct weir *comm)
{
	if (!comm->window.flight)
		recovery_restart(&comm->recovery, comm->now);
	comm->life.spoke = true;
}

/*
 * The first @messages were sent. Returns how many packets they have; *@first is the first run of
 * the others.
 */
static unsigned int note_sent(struct weir *comm, const struct batch *batch,
			      const struct outbox *box, unsigned int *first, unsigned int messages)
{
	unsigned int packets = 0;

	note_spoke(comm);
	for (unsigned int i = 0; i < messages; i++) {
		packets += note_message(comm, batch, *first, outbox_vectors(box, i),
					box->appended == i + 1);
		*first += outbox_vectors(box, i);
	}
	return packets;
}

/*
 * Return true if a merged message was refused: the path has IPsec, a packet is longer than the path
 * carries, or the device takes none. Faults of the packets themselves show when they are sent one by
 * one.
 */
static bool is_too_much(const struct outbox *box)
{
	if (!outbox_is_merged(box, 0))
		return false;
	return errno == EINVAL || errno == EIO || errno == EMSGSIZE || errno == EOPNOTSUPP;
}

/* Sends all messages from a run on, or one. Returns how many, or -1 and errno. */
static int send_messages(struct weir *comm, struct batch *batch, struct outgoing *out,
			 unsigned int first, bool together)
{
	struct outbox *box = &out->box;
	unsigned int messages = outbox_fill(box, first, batch->runs - first, batch->merge);
	int sent;

	if (batch->ack && batch->merge && outbox_append(box, messages, out->ack, WIRE_HEADER))
		ack_write(comm, out->ack);
	sent = outbox_send(box, comm->fd, together ? messages : 1);
	if (box->appended && sent == (int)messages) {
		batch->ack = false;
		ack_sent(comm, out->ack);
	}
	return sent;
}

static int send_some(struct weir *comm, struct batch *batch, struct outgoing *out,
		     unsigned int first, bool together)
{
	int sent = send_messages(comm, batch, out, first, together);

	if (sent >= 0 || !is_too_much(&out->box))
		return sent;
	comm->merging.is_possible = false;
	split(batch, first);
	comm->more = true;
	write_packets(comm, batch, first, out);
	return send_messages(comm, batch, out, first, together);
}

/* Returns whether a packet is lost by an error of the path, or a negative errno. */
static int take_error(struct weir *comm)
{
	int err;

	comm->blocked = errno == EAGAIN;
	if (comm->blocked || errno == EINTR)
		return 0;
	err = path_error(comm, errno);
	return err ?: 1;
}

/* A run's first packet is lost before it left: the timer will ask about it. */
static void lose_first(struct weir *comm, struct batch *batch, struct outgoing *out,
		       unsigned int *first)
{
	struct batch_run *run = &batch->run[*first];
	const struct batch_run lost = { run->block, 1, run->bytes };

	note_spoke(comm);
	note_run(comm, batch, &lost, false);
	run->block++;
	if (--run->count)
		outbox_put(&out->box, *first, packet_of(comm, batch, *first, out), run->count,
			   run->bytes);
	else
		++*first;
}

/*
 * An error behind a call's first message is lost in the kernel. A refusal comes back that fast
 * where the box is near, and it comes seldom, as it is limited in rate. So after a call that
 * was cut short the rest goes message by message, and so do the timer's packets.
 */
int batch_send(struct weir *comm, struct batch *batch, bool together)
{
	unsigned int done = 0, first = 0;
	struct outgoing out;

	write_packets(comm, batch, 0, &out);
	while (done < batch->blocks) {
		int sent = send_some(comm, batch, &out, first, together);

		if (sent > 0) {
			done += note_sent(comm, batch, &out.box, &first, (unsigned int)sent);
		} else {
			sent = take_error(comm);
			if (sent <= 0)
				return sent < 0 ? sent : (int)done;
			lose_first(comm, batch, &out, &first);
			done++;
		}
		together = false;
	}
	return (int)done;
}
