// SPDX-License-Identifier: BSD-2-Clause
#include "path/stall.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/time.h"
#include "comm/comm.h"
#include "comm/error.h"
#include "packet/wire.h"
#include "path/absence.h"
#include "path/socket.h"

static double stalled(const struct weir *comm)
{
	return (double)(comm->now - comm->progress) / (double)NSEC_PER_SEC;
}

static int refused_for_long(struct weir *comm)
{
	const struct config *config = &comm->config;

	return error_fail(comm, -ECONNREFUSED,
			  "%s answers 'port unreachable' for UDP port %u, and rank %u waits for block "
			  "%" PRIu64 " for %.1f s: no job %u of format trio has this address and port any "
			  "more, or the packets come in on a device that is no weir port. See 'weir job "
			  "show' and 'weir port show' on the box",
			  config->box_text, address_port(&config->box), config->rank,
			  comm->window.base, stalled(comm), config->job);
}

static int not_joined(struct weir *comm)
{
	const struct config *config = &comm->config;
	char words[ABSENCE_WORDS];

	absence_words(comm, "It waits for", words);
	return error_fail(comm, -ETIMEDOUT,
			  "%s has lost its state, and job %u did not begin again for %.1f s: not all "
			  "%u ranks have joined again, or packets do not arrive. %sRank %u waits for "
			  "block %" PRIu64 ". 'weir source show job %u' on the box tells whose joins are "
			  "missing",
			  config->box_text, config->job, stalled(comm), config->ranks, words,
			  config->rank, window_lacks(&comm->window), config->job);
}

static int nowhere(struct weir *comm)
{
	const struct config *config = &comm->config;

	return error_fail(comm, -ETIMEDOUT,
			  "job %u did not begin again for %.1f s on any of its %u boxes, %s the last: they "
			  "are down, or not all %u ranks reach the same one. Rank %u waits for block "
			  "%" PRIu64,
			  config->job, stalled(comm), comm->standby.count, config->box_text,
			  config->ranks, config->rank, window_lacks(&comm->window));
}

static int nothing_sent(struct weir *comm)
{
	return error_fail(comm, -ETIMEDOUT,
			  "the socket of rank %u towards %s took no packet for %.1f s, from block "
			  "%" PRIu64 " on: its interface is down or stuck",
			  comm->config.rank, comm->config.box_text, stalled(comm), comm->window.next);
}

static int box_away(struct weir *comm)
{
	const struct config *config = &comm->config;
	const char *hint = "the box is down, or a link on the way";

	if (comm->path_errno)
		hint = strerror(comm->path_errno);
	return error_fail(comm, -ETIMEDOUT,
			  "nothing comes from %s: rank %u waits for block %" PRIu64 " of job %u for "
			  "%.1f s (%s). Check the box, the route and the firewall between",
			  config->box_text, config->rank, comm->window.base, config->job,
			  stalled(comm), hint);
}

/* The box answers small packets, and replies that it never took the large one. */
static int not_arriving(struct weir *comm)
{
	const struct config *config = &comm->config;

	return error_fail(comm, -ETIMEDOUT,
			  "%s answers, but does not have rank %u's block %" PRIu64 " of job %u, which was "
			  "sent again and again for %.1f s: a link on the way does not carry packets of "
			  "%u bytes, or the box refuses them, for lack of memory, say. 'weir job show id %u' "
			  "on the box has a counter for each reason",
			  config->box_text, config->rank, comm->window.base, config->job,
			  stalled(comm), socket_packet_size(comm), config->job);
}

static int ranks_missing(struct weir *comm, const struct window_slot *slot)
{
	const struct config *config = &comm->config;
	char words[ABSENCE_WORDS];

	absence_words(comm, "It lacks", words);
	return error_fail(comm, -ETIMEDOUT,
			  "%s answers, but block %" PRIu64 " of job %u is not complete, for %.1f s: %u "
			  "of %u ranks are in it, rank %u too. %sAnother rank has stopped, is slower "
			  "than the timeout, or its packets do not arrive. 'weir source show job %u' on "
			  "the box tells which rank is behind",
			  config->box_text, comm->window.base, config->job, stalled(comm),
			  slot->ranks, config->ranks, config->rank, words, config->job);
}

static int followed_missing(struct weir *comm, const struct window_slot *slot)
{
	const struct config *config = &comm->config;
	char words[ABSENCE_WORDS];

	absence_words(comm, "It lacks", words);
	return error_fail(comm, -ETIMEDOUT,
			  "%s answers, but block %" PRIu64 " of job %u, which rank %u only follows, is "
			  "not complete, for %.1f s: %u of %u ranks are in it. %sThe others have "
			  "stopped, or the job's policy is to wait for all",
			  config->box_text, comm->window.base, config->job, config->rank,
			  stalled(comm), slot->ranks, config->ranks, words);
}

static bool is_refused(const struct weir *comm)
{
	return comm->path_errno == ECONNREFUSED;
}

/* Shorter absences are the pace of a caller that tests often, or of a machine. */
#define AWAY	NSEC_PER_MSEC

static uint64_t moved(uint64_t when, uint64_t by, uint64_t end)
{
	return end - when < by ? end : when + by;
}

void stall_excuse(struct weir *comm, uint64_t until)
{
	if (comm->now < until + AWAY)
		return;
	comm->away = true;
	comm->progress = moved(comm->progress, comm->now - until, comm->now);
	comm->life.heard = moved(comm->life.heard, comm->now - until, comm->now);
}

/* The box has all that it needs of this rank, as far as it has said. */
static bool waits_for_ranks(const struct weir *comm)
{
	const struct window *window = &comm->window;
	const struct window_slot *slot = window_slot(window, window->base);

	if (is_refused(comm))
		return false;
	if (state_is_asking(comm->state))
		return true;
	return window->base != window->next && slot->has_reply &&
	       (!slot->is_wanted || slot->is_question);
}

uint64_t stall_due(const struct weir *comm)
{
	uint64_t silent = time_later(comm->life.heard, comm->progress) + comm->config.timeout;
	uint64_t missing = comm->progress + comm->config.ranks_timeout;

	if (!waits_for_ranks(comm))
		return comm->progress + comm->config.timeout;
	return silent < missing ? silent : missing;
}

static int stall_fail(struct weir *comm)
{
	const struct window *window = &comm->window;
	const struct window_slot *slot = window_slot(window, window->base);

	if (state_is_asking(comm->state) && comm->standby.count > 1)
		return nowhere(comm);
	if (is_refused(comm))
		return refused_for_long(comm);
	if (state_is_asking(comm->state))
		return not_joined(comm);
	if (window->base == window->next)
		return nothing_sent(comm);
	/* The timer asks again and again: three times without a reply are a sign, too. */
	if (!slot->has_reply || comm->life.unheard >= 3)
		return box_away(comm);
	if (slot->is_question)
		return followed_missing(comm, slot);
	return slot->is_wanted ? not_arriving(comm) : ranks_missing(comm, slot);
}

void stall_warn(struct weir *comm)
{
	if (waits_for_ranks(comm))
		absence_warn(comm, state_is_asking(comm->state));
	else
		comm->absence.warned = false;
}

int stall_check(struct weir *comm)
{
	if (comm->now >= stall_due(comm))
		return stall_fail(comm);
	stall_warn(comm);
	return 0;
}
