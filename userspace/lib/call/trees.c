// SPDX-License-Identifier: BSD-2-Clause
#include "call/trees.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <weir.h>

#include "ask/ask.h"
#include "call/driver.h"
#include "call/open.h"
#include "comm/error.h"
#include "comm/guard.h"
#include "path/behind.h"
#include "request/progress.h"
#include "request/request.h"

/* The list of boxes, from the tree's own on, and round. */
static char *rotated(const char *list, unsigned int tree)
{
	char *boxes = malloc(strlen(list) + 2);
	unsigned int count = 1;
	const char *own = list;

	if (!boxes)
		return NULL;
	for (const char *at = list; (at = strchr(at, ',')); at++)
		count++;
	for (unsigned int i = tree % count; i; i--)
		own = strchr(own, ',') + 1;
	strcpy(boxes, own);
	if (own == list)
		return boxes;
	strcat(boxes, ",");
	strncat(boxes, list, (size_t)(own - list) - 1);
	return boxes;
}

/* The daemon that is asked for the tree's job: they take turns. */
static char *asked_box(const char *list, unsigned int tree)
{
	char *boxes = rotated(list, tree);

	if (boxes)
		boxes[strcspn(boxes, ",")] = '\0';
	return boxes;
}

static uint16_t own_port(const struct weir_options *options, unsigned int tree)
{
	unsigned int first = options->bind_port ? options->bind_port : options->port;

	return (uint16_t)((first ? first : WEIR_PORT_DEFAULT) + tree);
}

static int open_one(struct weir *comm, const struct weir_options *options, unsigned int tree)
{
	struct trees *trees = comm->trees;
	struct weir_options own = *options;
	const char *box = ask_box(options);
	char *boxes = box ? asked_box(box, tree) : rotated(options->address, tree);
	int err;

	if (!boxes)
		return error_refuse(comm, -ENOMEM, "no memory for %u trees", trees->count);
	if (box) {
		own.box = boxes;
	} else {
		own.address = boxes;
		own.job = (uint8_t)(options->job + tree);
	}
	if (!box || options->bind_port)
		own.bind_port = own_port(options, tree);
	/* It is called once for all trees, when no part makes progress any longer. */
	own.fallback = NULL;
	err = open_tree(&trees->tree[tree], &own, tree);
	free(boxes);
	return err ? error_refuse(comm, err, "tree %u: %s", tree, weir_error(NULL)) : 0;
}

static int check(struct weir *comm, const struct weir_options *options)
{
	const struct trees *trees = comm->trees;

	if (!options->address && !ask_box(options))
		return error_refuse(comm, -EINVAL, "there are %u trees and no address, nor a box to ask",
				    trees->count);
	if (options->group)
		return error_refuse(comm, -EINVAL,
				    "there are %u trees and group %s: results of trees come to each worker",
				    trees->count, options->group);
	if (options->job + trees->count > 256)
		return error_refuse(comm, -EINVAL,
				    "job is %u and there are %u trees, which have the jobs from it on: it must "
				    "be %u at most",
				    options->job, trees->count, 256 - trees->count);
	if (own_port(options, 0) + trees->count > 65536)
		return error_refuse(comm, -EINVAL,
				    "bind_port is %u and there are %u trees, which have the ports from it on: "
				    "it must be %u at most",
				    own_port(options, 0), trees->count, 65536 - trees->count);
	return 0;
}

int trees_renew(struct weir *comm)
{
	struct trees *trees = comm->trees;
	int err = trees_enter(comm);

	if (err)
		return err;
	for (unsigned int i = 0; i < trees->count && !err; i++)
		err = ask_renew(trees->tree[i]);
	if (err)
		trees_check(comm);
	trees_leave(comm);
	return err;
}

/* Begins it, of one element. Returns NULL without memory. */
static struct weir_request *begin_greeting(struct weir *tree, void *sum)
{
	static const uint32_t zero;
	struct weir_request *request = calloc(1, sizeof(*request));

	if (!request)
		return NULL;
	request->comm = tree;
	request->in = &zero;
	request->out = sum;
	request->count = 1;
	request->type = tree->config.type;
	request->operation = tree->config.operation;
	request->is_greeting = true;
	if (!request_begin(request))
		return request;
	free(request);
	return NULL;
}

/* The first round sends it: before it there was nothing to do. */
static int wait_for(struct weir_request *request)
{
	return progress_once(request->comm) ?: progress_until(request);
}

/* Calls of the caller's are counted from 0, and so are their elements. */
static void forget_greeting(struct weir_request *request)
{
	struct weir *tree = request->comm;

	request_release(request);
	tree->queue.begun = 0;
	tree->stats.elements = 0;
}

/*
 * A rank that has fewer trees does not come to the others' jobs, where they would wait for it. So all
 * say on the first one how many they have, before they go there; one that has no other tree has this
 * block in the place of its first call's.
 */
static int greet(struct weir *comm, struct weir *tree)
{
	struct weir_request *request;
	int err = guard_enter(tree);

	if (err)
		return err;
	request = begin_greeting(tree, &comm->trees->greeting);
	err = request ? wait_for(request) : error_refuse(tree, -ENOMEM, "no memory for a request");
	if (err)
		error_refuse(comm, err, "%s", err == -EINTR ? strerror(EINTR) : tree->error);
	else
		forget_greeting(request);
	driver_leave(tree);
	return err;
}

int trees_open(struct weir *comm, const struct weir_options *options)
{
	struct trees *trees = calloc(1, sizeof(*trees));
	int err;

	if (!trees)
		return error_refuse(comm, -ENOMEM, "no memory for %u trees", options->trees);
	comm->trees = trees;
	trees->count = options->trees;
	trees->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (trees->epoll < 0)
		return error_refuse(comm, -errno, "no epoll for %u trees: %s", trees->count,
				    strerror(errno));
	err = check(comm, options);
	for (unsigned int i = 0; i < trees->count && !err; i++)
		err = open_one(comm, options, i) ?: (i ? 0 : greet(comm, trees->tree[0]));
	if (err)
		return err;
	comm->config = trees->tree[0]->config;
	state_change(comm, RANK_BEGAN);
	comm->config.fallback = options->fallback;
	/* The request that the caller has is of the whole vector. */
	comm->config.trees = 1;
	return 0;
}

void trees_close(struct weir *comm)
{
	struct trees *trees = comm->trees;

	if (!trees)
		return;
	for (unsigned int i = 0; i < trees->count; i++)
		weir_close(trees->tree[i]);
	if (trees->epoll >= 0)
		close(trees->epoll);
	free(trees);
	comm->trees = NULL;
}

static void leave_first(struct trees *trees, unsigned int count)
{
	while (count)
		driver_leave(trees->tree[--count]);
}

int trees_enter(struct weir *comm)
{
	struct trees *trees = comm->trees;

	for (unsigned int i = 0; i < trees->count; i++) {
		int err = guard_enter(trees->tree[i]);

		if (!err)
			continue;
		leave_first(trees, i);
		return error_refuse(comm, err, "tree %u: %s", i, weir_error(trees->tree[i]));
	}
	return 0;
}

void trees_leave(struct weir *comm)
{
	leave_first(comm->trees, comm->trees->count);
}

/* The other trees have no result that is not this rank's in part: their results are of no use. */
static void check_behind(struct weir *comm)
{
	struct trees *trees = comm->trees;
	unsigned int i = 0;

	while (i < trees->count && !state_is_behind(trees->tree[i]->state))
		i++;
	if (i == trees->count || state_is_behind(comm->state))
		return;
	trees->behind = i;
	state_change(comm, RANK_OVERTAKEN);
	for (i = 0; i < trees->count; i++) {
		struct weir *tree = trees->tree[i];

		if (!state_is_behind(tree->state))
			behind_begin(tree, tree->window.base, tree->window.base, tree->window.next);
	}
}

int trees_refuse(struct weir *comm)
{
	struct weir *tree;

	if (!comm->trees)
		return behind_refuse(comm);
	tree = comm->trees->tree[comm->trees->behind];
	behind_refuse(tree);
	return error_refuse(comm, -ESTALE, "tree %u: %s", comm->trees->behind, tree->error);
}

int trees_check(struct weir *comm)
{
	struct trees *trees = comm->trees;
	unsigned int i = 0;

	if (comm->failed)
		return comm->failed;
	check_behind(comm);
	while (i < trees->count && !trees->tree[i]->failed)
		i++;
	if (i == trees->count)
		return 0;
	trees->failed = i;
	error_fail(comm, trees->tree[i]->failed, "tree %u: %s", i, trees->tree[i]->error);
	for (i = 0; i < trees->count; i++)
		if (!trees->tree[i]->failed)
			error_fail(trees->tree[i], comm->failed, "tree %u has failed", trees->failed);
	return comm->failed;
}

const struct weir *trees_blamed(const struct weir *comm)
{
	return comm->trees ? comm->trees->tree[comm->trees->failed] : comm;
}

/* For packets, and for room where the tree waits for it. A tree's descriptor is always the same. */
void trees_watch(struct trees *trees, unsigned int tree, const struct weir_poll *poll)
{
	struct epoll_event event = {
		.events = EPOLLIN | (poll->writable ? EPOLLOUT : 0),
		.data.u32 = tree,
	};
	int op = trees->is_watched[tree] ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;

	if (trees->is_watched[tree] && trees->for_room[tree] == poll->writable)
		return;
	trees->is_watched[tree] = !epoll_ctl(trees->epoll, op, poll->fd, &event);
	trees->for_room[tree] = poll->writable;
}

struct weir_poll trees_poll(struct weir *comm)
{
	struct trees *trees = comm->trees;
	struct weir_poll all = { .fd = trees->epoll, .group_fd = -1, .timeout_us = UINT64_MAX };

	for (unsigned int i = 0; i < trees->count; i++) {
		struct weir_poll one = { .size = sizeof(one) };

		if (weir_get_poll(trees->tree[i], &one)) {
			all.timeout_us = 0;
			continue;
		}
		trees_watch(trees, i, &one);
		if (one.timeout_us < all.timeout_us)
			all.timeout_us = one.timeout_us;
	}
	if (comm->failed)
		all.timeout_us = 0;
	return all;
}
