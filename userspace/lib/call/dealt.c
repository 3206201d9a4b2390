// SPDX-License-Identifier: BSD-2-Clause
#include "call/dealt.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "base/time.h"
#include "call/trees.h"
#include "comm/comm.h"
#include "comm/error.h"
#include "request/progress.h"
#include "request/request.h"

/* Of the same vectors; the tree's communicator says which blocks. */
static struct weir_request *make_part(const struct weir_request *request, struct weir *tree)
{
	struct weir_request *part = malloc(sizeof(*part));

	if (!part)
		return NULL;
	*part = *request;
	part->comm = tree;
	part->parts = NULL;
	return part;
}

/* None of them has been sent: the others have no part in them. */
static void withdraw(struct weir_request *request, unsigned int begun)
{
	const struct trees *trees = request->comm->trees;

	for (unsigned int i = 0; i < begun; i++)
		request_withdraw(request->parts[i]);
	for (unsigned int i = begun; i < trees->count; i++)
		free(request->parts[i]);
	free(request->parts);
	request->parts = NULL;
}

static int begin_parts(struct weir_request *request)
{
	struct trees *trees = request->comm->trees;
	unsigned int begun = 0;

	for (unsigned int i = 0; i < trees->count; i++)
		request->parts[i] = make_part(request, trees->tree[i]);
	while (begun < trees->count && request->parts[begun] &&
	       !request_begin(request->parts[begun]))
		begun++;
	if (begun < trees->count) {
		withdraw(request, begun);
		return -ENOMEM;
	}
	for (unsigned int i = 0; i < trees->count; i++)
		request->blocks += request_data_blocks(request->parts[i]);
	request->left = request->blocks;
	request_append(request);
	return 0;
}

int dealt_begin(struct weir_request *request)
{
	struct weir *comm = request->comm;
	int err;

	request->parts = calloc(comm->trees->count, sizeof(*request->parts));
	if (!request->parts)
		return -ENOMEM;
	err = trees_enter(comm);
	if (!err) {
		/* A tree's thread may have found it out since the last call. */
		trees_check(comm);
		err = state_is_behind(comm->state) ? trees_refuse(comm) : begin_parts(request);
		trees_leave(comm);
	}
	if (err) {
		free(request->parts);
		request->parts = NULL;
	}
	return err;
}

/* A round of those that something is to be done on. */
static int go_round(struct weir *comm)
{
	struct trees *trees = comm->trees;

	for (unsigned int i = 0; i < trees->count; i++) {
		if (!trees->is_due[i])
			continue;
		trees->wakes[i] = 0;
		if (progress_once(trees->tree[i]) < 0)
			break;
	}
	return trees_check(comm);
}

static void all_are_due(struct trees *trees)
{
	for (unsigned int i = 0; i < trees->count; i++)
		trees->is_due[i] = true;
}

int dealt_progress(struct weir *comm)
{
	int err = trees_enter(comm);

	if (err)
		return err;
	all_are_due(comm->trees);
	err = go_round(comm);
	trees_leave(comm);
	return err;
}

/* 0 is none yet. */
static uint32_t fewer(uint32_t a, uint32_t b)
{
	return a && a < b ? a : b;
}

static void sum_up(struct weir_request *request)
{
	request->left = 0;
	request->overflow_blocks = 0;
	request->degraded_blocks = 0;
	request->missed_blocks = 0;
	request->cut_blocks = 0;
	request->min_ranks = 0;
	for (unsigned int i = 0; i < request->comm->trees->count; i++) {
		const struct weir_request *part = request->parts[i];

		request->left += part->left;
		request->overflow_blocks += part->overflow_blocks;
		request->degraded_blocks += part->degraded_blocks;
		request->missed_blocks += part->missed_blocks;
		request->cut_blocks += part->cut_blocks;
		request->has_failed |= request_has_failed(part);
		request->not_finite |= part->not_finite;
		request->out_of_range |= part->out_of_range;
		if (part->min_ranks)
			request->min_ranks = fewer(request->min_ranks, part->min_ranks);
	}
}

/* Inside all trees. */
static bool parts_are_done(const struct weir_request *request)
{
	for (unsigned int i = 0; i < request->comm->trees->count; i++)
		if (!request_is_done(request->parts[i]))
			return false;
	return true;
}

bool dealt_is_done(struct weir_request *request)
{
	struct weir *comm = request->comm;
	bool is_done;

	if (trees_enter(comm))
		return false;
	is_done = parts_are_done(request);
	sum_up(request);
	trees_leave(comm);
	return is_done;
}

/* Those with something left to do are due at once. Returns whether there are any. */
static bool note_due(struct trees *trees)
{
	bool is_any = false;

	for (unsigned int i = 0; i < trees->count; i++) {
		trees->is_due[i] = !trees->tree[i]->idle;
		is_any |= trees->is_due[i];
	}
	return is_any;
}

/* Set the events and the time that a tree waits for after a round. Return 0 or a negative errno. */
static int fall_asleep(struct trees *trees, unsigned int tree, uint64_t now)
{
	struct weir_poll poll = { .size = sizeof(poll) };
	int err = weir_get_poll(trees->tree[tree], &poll);

	if (err)
		return err;
	trees_watch(trees, tree, &poll);
	trees->wakes[tree] = poll.timeout_us < (UINT64_MAX - now) / NSEC_PER_USEC ?
			     now + poll.timeout_us * NSEC_PER_USEC : UINT64_MAX;
	return 0;
}

/* All trees together have one descriptor: it costs less than that of each. */
static int wait_until(const struct trees *trees, uint64_t when, uint64_t now)
{
	struct timespec timeout = rtt_left(when, now);
	struct pollfd poll = { .fd = trees->epoll, .events = POLLIN };

	return ppoll(&poll, 1, &timeout, NULL) < 0 ? -errno : 0;
}

static void wake_up(struct trees *trees)
{
	struct epoll_event events[TREES_MAX];
	int count = epoll_wait(trees->epoll, events, TREES_MAX, 0);
	uint64_t now = rtt_now();

	for (unsigned int i = 0; i < trees->count; i++)
		trees->is_due[i] = trees->wakes[i] <= now;
	for (int i = 0; i < count; i++)
		trees->is_due[events[i].data.u32] = true;
}

/* Until a tree has packets, or is to do something by itself. Returns 0 or a negative errno. */
static int sleep_until_due(struct trees *trees)
{
	uint64_t now = rtt_now(), least = UINT64_MAX;
	int err;

	for (unsigned int i = 0; i < trees->count; i++) {
		err = trees->wakes[i] ? 0 : fall_asleep(trees, i, now);
		if (err)
			return err;
		least = time_earlier(least, trees->wakes[i]);
	}
	err = wait_until(trees, least, now);
	if (!err)
		wake_up(trees);
	return err;
}

/* Returns 1 when the request is over, 0, or a negative errno. */
static int round_is_last(struct weir_request *request, bool *is_idle)
{
	struct weir *comm = request->comm;
	int err = trees_enter(comm);

	if (err)
		return err;
	err = parts_are_done(request) ? 1 : go_round(comm);
	if (!err && parts_are_done(request))
		err = 1;
	*is_idle = !err && !note_due(comm->trees);
	trees_leave(comm);
	return err;
}

int dealt_until(struct weir_request *request)
{
	struct trees *trees = request->comm->trees;
	bool is_idle;
	int err;

	all_are_due(trees);
	while (!(err = round_is_last(request, &is_idle)))
		if (is_idle) {
			err = sleep_until_due(trees);
			if (err)
				break;
		}
	if (err != -EINTR)
		dealt_is_done(request);
	return err < 0 ? err : 0;
}

void dealt_release(struct weir_request *request)
{
	struct weir *comm = request->comm;

	/* In a callback of a tree's thread they stay until the communicator is closed. */
	if (request->parts && !trees_enter(comm)) {
		for (unsigned int i = 0; i < comm->trees->count; i++)
			request_release(request->parts[i]);
		trees_leave(comm);
	}
	request_release(request);
}

int64_t dealt_behind(struct weir *comm)
{
	struct trees *trees = comm->trees;
	int64_t behind = dealt_progress(comm);

	if (!behind)
		behind = trees_enter(comm);
	if (behind)
		return behind;
	for (unsigned int i = 0; i < trees->count; i++) {
		const struct weir *tree = trees->tree[i];

		if (tree->ahead > tree->queue.end)
			behind += (int64_t)(tree->ahead - tree->queue.end);
	}
	trees_leave(comm);
	return behind;
}
