// SPDX-License-Identifier: BSD-2-Clause
#include "join/join.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <weir.h>

#include "base/time.h"
#include "comm/comm.h"
#include "comm/error.h"
#include "join/notice.h"
#include "join/said.h"
#include "join/standby.h"
#include "number/convert.h"
#include "number/exponent.h"
#include "number/number.h"
#include "packet/wire.h"
#include "path/absence.h"
#include "path/behind.h"
#include "path/path.h"
#include "path/socket.h"
#include "path/stall.h"

static int say(struct weir *comm)
{
	const struct said said = {
		.first = behind_lacks(comm),
		.nonce = comm->member.nonce,
		.cookie = comm->member.cookie,
	};
	uint8_t packet[WIRE_JOIN];

	said_put(comm, &said, packet);
	if (send(comm->fd, packet, sizeof(packet), 0) >= 0)
		return 0;
	return path_error(comm, errno);
}

/*
 * Return the longest pause between joins. If there are other boxes, it is so short that some answers
 * to joins show that this one is there.
 */
static uint64_t repeat_cap(const struct weir *comm)
{
	uint64_t some = comm->config.failover / 8;

	return comm->standby.count > 1 && some < JOIN_REPEAT_CAP ? some : JOIN_REPEAT_CAP;
}

int join_send(struct weir *comm)
{
	struct membership *member = &comm->member;
	int err;

	if (comm->now < member->again)
		return 0;
	err = say(comm);
	if (err)
		return err;
	member->again = comm->now + member->repeat;
	if (member->repeat < repeat_cap(comm))
		member->repeat *= 2;
	return 1;
}

bool join_cookie(struct weir *comm, const struct wire_header *header,
		 const struct wire_join *answer)
{
	struct membership *member = &comm->member;

	if ((header->flags & WEIR_TRIO_COOKIE) != WEIR_TRIO_COOKIE)
		return false;
	/* If joins were repeated, the same cookie comes again. */
	if (answer->cookie == member->cookie)
		return true;
	member->cookie = answer->cookie;
	member->again = 0;
	return true;
}

static const char *format_name(uint8_t format)
{
	static const char *const names[] = {
		/* generated: formats */
		[WEIR_FORMAT_TRIO] = "trio",
		[WEIR_FORMAT_LAB] = "lab",
		[WEIR_FORMAT_LAB_ETHERNET] = "lab-ethernet",
		[WEIR_FORMAT_SWITCHML] = "switchml",
		[WEIR_FORMAT_PANAMA] = "panama",
		[WEIR_FORMAT_KV] = "kv",
		/* generated: end */
	};
	const char *name = format < sizeof(names) / sizeof(names[0]) ? names[format] : NULL;

	return name ? name : "unknown to this library";
}

/* The job's type and operation, where they are not this rank's, or unknown to the library. */
static int other_numbers(struct weir *comm, const struct wire_join *answer)
{
	const struct config *config = &comm->config;

	if (answer->format != WEIR_FORMAT_TRIO)
		return error_fail(comm, -EPROTO,
				  "job %u on %s takes packets of format %s, and rank %u sends format trio: "
				  "make it anew with 'format trio'",
				  config->job, config->box_text, format_name(answer->format), config->rank);
	if (!number_size(answer->dtype) || !answer->op || answer->op > WEIR_MAX)
		return error_fail(comm, -EPROTO,
				  "job %u on %s has a type or an operation that libweir %s does not know",
				  config->job, config->box_text, weir_version());
	if (config->type && answer->dtype != config->type)
		return error_fail(comm, -EPROTO,
				  "job %u on %s is one of %s, and rank %u was told of %s: change it on every "
				  "worker, or make the job anew with 'dtype %s'",
				  config->job, config->box_text, number_name(answer->dtype), config->rank,
				  number_name(config->type), number_name(config->type));
	if (config->operation && answer->op != config->operation)
		return error_fail(comm, -EPROTO,
				  "job %u on %s has the operation %s, and rank %u was told of %s: change it "
				  "on every worker, or make the job anew with 'op %s'",
				  config->job, config->box_text, operation_name(answer->op), config->rank,
				  operation_name(config->operation), operation_name(config->operation));
	return 0;
}

static int refusal(struct weir *comm, const struct wire_join *answer)
{
	const struct config *config = &comm->config;
	int err = other_numbers(comm, answer);

	if (err)
		return err;

	if (answer->member)
		return error_fail(comm, -EPROTO,
				  "job %u has rank %u twice: another source of %s, or of a box above or "
				  "below it, has it. Give each worker a rank of its own",
				  config->job, answer->member - 1U, config->box_text);
	if (answer->ranks != config->ranks)
		return error_fail(comm, -EPROTO,
				  "job %u on %s has %u sources, and rank %u was told of %u ranks: set "
				  "ranks to %u on every worker, or make the job anew with 'sources %u'",
				  config->job, config->box_text, answer->ranks, config->rank,
				  config->ranks, answer->ranks, config->ranks);
	if (answer->grads < config->grads)
		return error_fail(comm, -EPROTO,
				  "job %u on %s takes %u gradients a block, and grads is %u: set grads "
				  "to %u or less on every rank, or make the job anew with 'grads %u'",
				  config->job, config->box_text, answer->grads, config->grads,
				  answer->grads, config->grads);
	return error_fail(comm, -EPROTO, "job %u on %s refuses rank %u of %u with %u gradients a block",
			  config->job, config->box_text, config->rank, config->ranks, config->grads);
}

int join_check(struct weir *comm, const struct wire_header *header, const struct wire_join *answer)
{
	const struct config *config = &comm->config;

	if ((header->flags & WEIR_TRIO_DEGRADED) || answer->ranks != config->ranks ||
	    answer->grads < config->grads)
		return refusal(comm, answer);
	if (other_numbers(comm, answer))
		return comm->failed;
	if (answer->blocks < 2)
		return error_fail(comm, -EPROTO,
				  "job %u on %s has %u block slots: make it anew with 'blocks 2' or "
				  "more, twice the window",
				  config->job, config->box_text, answer->blocks);
	return 0;
}

/* Turn a contribution that is kept to be sent again into the other byte order. */
static void turn_kept(const struct weir *comm, uint32_t index)
{
	const struct window_slot *slot = &comm->window.slots[index];
	uint8_t *packet = kept_at(&comm->kept, index, slot->bytes);
	struct wire_header header;

	if (slot->is_question || slot->bytes < WIRE_HEADER ||
	    !wire_get_header(&header, packet, slot->bytes))
		return;
	wire_turn_order(packet);
	if (header.flags & WEIR_TRIO_EMPTY)
		return;
	convert_swap(packet + wire_header_size(&header), number_size(comm->config.type),
		     header.grads);
}

/* Blocks that were sent to another box, or before this one was reloaded, may have to be sent again. */
static void take_byte_order(struct weir *comm, bool little)
{
	if (comm->member.little == little)
		return;
	comm->member.little = little;
	for (uint32_t i = 0; comm->window.slots && i < window_slots(&comm->window); i++)
		turn_kept(comm, i);
}

void join_began(struct weir *comm, const struct wire_header *header,
		const struct wire_join *answer)
{
	struct membership *member = &comm->member;

	member->generation = header->generation;
	member->since = comm->now;
	member->blocks = answer->blocks;
	state_change(comm, RANK_BEGAN);
	member->cwnd_cap = answer->cwnd_cap;
	member->takes_acks = answer->features & WEIR_JOIN_ACKS;
	member->takes_shares = answer->features & WEIR_JOIN_SHARES;
	take_byte_order(comm, answer->features & WEIR_JOIN_LITTLE);
	socket_ecn(comm, answer->cwnd_cap);
	standby_began(comm);
}

uint32_t join_room(const struct weir *comm)
{
	uint32_t cap = comm->member.cwnd_cap, window = comm->config.window;

	return cap && cap < window ? cap : window;
}

static int begin(struct weir *comm, const struct wire_header *header,
		 const struct wire_join *answer)
{
	struct config *config = &comm->config;

	if (header->block)
		return error_fail(comm, -ESTALE,
				  "job %u on %s goes on at block %u, with ranks that were in it "
				  "before: all ranks have to be opened anew",
				  config->job, config->box_text, header->block);
	config->type = answer->dtype;
	config->operation = answer->op;
	comm->member.lag = answer->blocks / 2 < EXPONENT_LAG_MAX ? answer->blocks / 2 :
								    EXPONENT_LAG_MAX;
	join_began(comm, header, answer);
	if (config->window > answer->blocks / 2)
		config->window = answer->blocks / 2;
	return 1;
}

/* A notice names the ranks that wait, as this one does. */
static void take_notice(struct weir *comm, const uint8_t *packet, size_t length)
{
	struct wire_notice notice;

	comm->stats.notices++;
	comm->life.heard = comm->now;
	if (length != WIRE_NOTICE(comm->config.ranks))
		return;
	wire_get_notice(&notice, packet, comm->config.ranks);
	absence_note_joins(comm, &notice);
}

/* Returns 1 when the generation has begun. */
static int take(struct weir *comm, const uint8_t *packet, size_t length)
{
	struct wire_header header;
	struct wire_join answer;

	comm->stats.packets_received++;
	if (length >= WIRE_HEADER) {
		if (!wire_get_header(&header, packet, length))
			header.down = false;
		if (header.down && notice_is(comm, &header, length)) {
			take_notice(comm, packet, length);
			return 0;
		}
		if (header.down && said_is_answer(comm, &header, length)) {
			wire_get_join(&answer, packet);
			comm->life.heard = comm->now;
			if (answer.nonce == comm->member.nonce)
				return join_cookie(comm, &header, &answer) ? 0 :
				       join_check(comm, &header, &answer) ?:
				       begin(comm, &header, &answer);
		}
	}
	comm->stats.malformed++;
	return 0;
}

/* Returns 1 when the answer was there, 0 when the socket is empty. */
static int read_answers(struct weir *comm)
{
	uint8_t packet[WIRE_NOTICE_MAX];
	ssize_t length;
	int verdict;

	for (;;) {
		length = recv(comm->fd, packet, sizeof(packet), MSG_TRUNC);
		if (length < 0 && errno == EAGAIN)
			return 0;
		if (length < 0)
			verdict = path_error(comm, errno);
		else
			verdict = take(comm, packet, (size_t)length);
		if (verdict)
			return verdict;
	}
}

static int late(struct weir *comm)
{
	const struct config *config = &comm->config;
	double seconds = (double)(comm->now - comm->progress) / (double)NSEC_PER_SEC;
	char local[ADDRESS_TEXT], words[ABSENCE_WORDS];

	if (comm->path_errno)
		return error_fail(comm, -ETIMEDOUT,
				  "%s did not answer for %.1f s; the last error of the path was: %s. "
				  "Check address, route and firewall between rank %u and the box",
				  config->box_text, seconds, strerror(comm->path_errno),
				  config->rank);
	socket_local(comm, local);
	absence_words(comm, "It waits for", words);
	return error_fail(comm, -ETIMEDOUT,
			  "job %u on %s did not begin for %.1f s: not all %u ranks have come, or the "
			  "box does not have source %u at this worker's address, %s, or packets do "
			  "not arrive. %s'weir source show job %u' on the box tells: the addresses, "
			  "and whose joins are missing",
			  config->job, config->box_text, seconds, config->ranks, config->rank, local,
			  words, config->job);
}

static bool is_heard(const struct weir *comm)
{
	return comm->life.heard > comm->progress;
}

/* Return the time when the wait is too long: for the box or, if it was heard, for the ranks. */
static uint64_t end_of_wait(const struct weir *comm)
{
	const struct config *config = &comm->config;
	uint64_t silent = comm->life.heard + config->timeout;
	uint64_t missing = comm->progress + config->ranks_timeout;

	return is_heard(comm) ? time_earlier(silent, missing) : silent;
}

static int sleep_until(struct weir *comm, uint64_t deadline)
{
	uint64_t until = time_later(deadline, comm->now);
	struct timespec timeout = rtt_left(until, comm->now);
	/* ppoll() skips negative descriptors. */
	struct pollfd polls[] = {
		{ .fd = comm->fd, .events = POLLIN },
		{ .fd = comm->config.cancel_fd, .events = POLLIN },
	};

	if (ppoll(polls, sizeof(polls) / sizeof(polls[0]), &timeout, NULL) < 0)
		return error_fail(comm, -errno, "the wait for the other ranks was interrupted: %s",
				  strerror(errno));
	if (polls[1].revents)
		return error_fail(comm, -ECANCELED, "the wait for the other ranks was cancelled");
	comm->now = rtt_now();
	stall_excuse(comm, until);
	return 0;
}

/* Sends what is due, and looks for a better box. Returns 0 or a negative errno. */
static int join_round(struct weir *comm)
{
	int err = standby_check(comm);

	if (err >= 0)
		err = join_send(comm);
	if (err < 0)
		return err;
	if (is_heard(comm))
		absence_warn(comm, true);
	return 0;
}

static uint64_t deadline(const struct weir *comm)
{
	return time_earlier(time_earlier(comm->member.again, standby_due(comm)), end_of_wait(comm));
}

static int begin_asking(struct weir *comm)
{
	struct membership *member = &comm->member;

	comm->now = rtt_now();
	comm->progress = comm->now;
	comm->life.heard = comm->now;
	comm->standby.since = comm->now;
	member->repeat = JOIN_REPEAT_FIRST;
	return said_number(comm, &member->nonce) ?: said_number(comm, &comm->standby.nonce);
}

int join(struct weir *comm, int (*heed)(struct weir *comm))
{
	int err = begin_asking(comm);

	while (!err) {
		comm->now = rtt_now();
		if (comm->now >= end_of_wait(comm))
			return late(comm);
		err = join_round(comm) ?: heed(comm);
		if (!err)
			err = sleep_until(comm, deadline(comm));
		if (!err)
			err = read_answers(comm);
	}
	return err < 0 ? err : 0;
}
