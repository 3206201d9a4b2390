// SPDX-License-Identifier: BSD-2-Clause
#include "request/progress.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "base/time.h"
#include "comm/comm.h"
#include "comm/error.h"
#include "join/standby.h"
#include "path/path.h"
#include "path/stall.h"
#include "request/receive.h"
#include "request/request.h"
#include "request/send.h"

static void enter(struct weir *comm)
{
	comm->now = rtt_now();
	/* With no block under way, there was nothing to wait for. */
	if (!comm->window.flight)
		comm->progress = comm->now;
	stall_excuse(comm, comm->left);
}

/* Until then it is the library that waits, in weir_wait() or the caller's event loop. */
static void leave(struct weir *comm)
{
	comm->left = comm->now;
}

/*
 * Return true if nothing can have come yet: no block is under way, and the box answers the next ones only with
 * this rank's contributions. To look for packets would be a wasted system call, and add to the latency of a
 * short call.
 */
static bool is_at_begin(const struct weir *comm)
{
	const struct weir_request *sending = comm->queue.sending;

	return comm->state == RANK_RUNNING && !comm->window.flight && sending &&
	       !request_is_followed(sending) && !(comm->config.flags & WEIR_ACCEPT_DEGRADED);
}

/*
 * Make one round as of @comm->now. Return 0 or a negative errno. Set @comm->idle if nothing is left to
 * do before a packet comes or is due: to look for one right away would be a wasted system call.
 */
static int go_round(struct weir *comm)
{
	bool at_begin = is_at_begin(comm);
	int got, sent;

	got = at_begin ? 0 : receive(comm);
	if (got < 0)
		return got;
	sent = standby_check(comm);
	if (sent < 0)
		return sent;
	sent = send_due(comm);
	if (sent < 0)
		return sent;
	/* The socket may be full, or new blocks wait for another box: packets that come are not to be left there. */
	if (at_begin && !sent) {
		got = receive(comm);
		if (got < 0)
			return got;
	}
	if (!got && !sent && stall_check(comm))
		return comm->failed;
	/* Replies that nothing is new may come in each round. */
	if (comm->absence.warned || comm->now - comm->progress >= comm->config.ranks_warning)
		stall_warn(comm);
	comm->idle = (comm->drained || at_begin) && (comm->blocked || !comm->more);
	return 0;
}

static uint64_t deadline(const struct weir *comm)
{
	uint64_t due = time_earlier(stall_due(comm), send_deadline(comm));

	return time_earlier(due, standby_due(comm));
}

/* @comm->now is the time then. Returns 0, -EINTR or another negative errno. */
static int sleep_until_due(struct weir *comm)
{
	uint64_t until = time_later(deadline(comm), comm->now);
	struct timespec timeout = rtt_left(until, comm->now);
	struct pollfd polls[] = {
		{ .fd = comm->fd, .events = (short)(POLLIN | (comm->blocked ? POLLOUT : 0)) },
		{ .fd = comm->group_fd, .events = POLLIN },
	};

	if (ppoll(polls, comm->group_fd < 0 ? 1 : 2, &timeout, NULL) < 0)
		return errno == EINTR ? -EINTR : path_fail(comm, errno);
	comm->now = rtt_now();
	stall_excuse(comm, until);
	return 0;
}

int progress_once(struct weir *comm)
{
	int err;

	if (comm->failed)
		return comm->failed;
	enter(comm);
	err = go_round(comm);
	leave(comm);
	return err;
}

uint64_t progress_pause(struct weir *comm)
{
	uint64_t now = rtt_now(), until = comm->failed ? now : deadline(comm);

	/* Time spent waiting is not time spent elsewhere. */
	comm->left = until > now ? until : now;
	return comm->left - now;
}

static int run_until(struct weir_request *request)
{
	struct weir *comm = request->comm;

	while (!request_is_done(request)) {
		int err = comm->idle ? sleep_until_due(comm) : 0;

		if (!err)
			err = go_round(comm);
		if (err < 0)
			return err;
		if (!comm->idle)
			comm->now = rtt_now();
	}
	return 0;
}

int progress_until(struct weir_request *request)
{
	struct weir *comm = request->comm;
	int err;

	if (request_is_done(request))
		return 0;
	if (comm->failed)
		return comm->failed;
	enter(comm);
	err = run_until(request);
	leave(comm);
	return err;
}
