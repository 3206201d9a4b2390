// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdlib.h>

#include "ask/ask.h"
#include "call/driver.h"
#include "call/open.h"
#include "call/options.h"
#include "call/trees.h"
#include "comm/comm.h"
#include "comm/error.h"
#include "comm/guard.h"
#include "join/join.h"
#include "number/number.h"
#include "packet/wire.h"
#include "path/socket.h"
#include "request/request.h"

/* The longest that the box sends. */
static size_t packet_room(const struct weir *comm)
{
	size_t size = socket_payload(comm);
	size_t notice = WIRE_NOTICE(comm->config.ranks);

	return size > notice ? size : notice;
}

static int make_buffers(struct weir *comm, bool merged)
{
	int err = window_init(&comm->window, comm->config.window, 0);

	if (!err)
		err = inbox_init(&comm->in, packet_room(comm), merged);
	early_init(&comm->early, comm->config.early_bytes,
		   WIRE_HEADER + WIRE_EXPONENT + number_size(comm->config.type) * comm->config.grads +
		   WIRE_TRAILER(comm->config.ranks));
	if (!err)
		err = kept_init(&comm->kept, window_slots(&comm->window),
				number_size(comm->config.type) * comm->config.grads);
	if (err)
		return error_fail(comm, err, "no memory for a window of %u packets",
				  comm->config.window);
	return 0;
}

static int set_up(struct weir *comm, const struct weir_options *options)
{
	int err = options_read(comm, options);

	if (!err)
		err = socket_open(comm);
	if (!err)
		err = join(comm, ask_heed);
	if (!err)
		err = socket_check_size(comm);
	if (err)
		return err;
	socket_buffers(comm);
	pace_init(&comm->pace, join_room(comm), socket_growth(comm));
	comm->now = rtt_now();
	comm->left = comm->now;
	comm->life.heard = comm->now;
	err = make_buffers(comm, socket_merge(comm));
	return err ?: driver_start(comm);
}

static struct weir *make(void)
{
	struct weir *made = calloc(1, sizeof(*made));

	if (!made) {
		error_keep("no memory for a communicator");
		return NULL;
	}
	guard_init(made);
	made->fd = -1;
	made->group_fd = -1;
	made->standby.fd = -1;
	return made;
}

/* Hands over what was made, or says why it was not. */
static int hand_over(struct weir **comm, struct weir *made, int err)
{
	if (err) {
		error_keep(made->error);
		weir_close(made);
		return err;
	}
	*comm = made;
	return 0;
}

int open_tree(struct weir **comm, const struct weir_options *options, unsigned int tree)
{
	struct weir *made = make();

	if (!made)
		return -ENOMEM;
	made->config.tree = (uint8_t)tree;
	return hand_over(comm, made, set_up(made, options));
}

int weir_open(struct weir **comm, const struct weir_options *options)
{
	struct weir *made = make();
	struct weir_options mine;
	int err;

	*comm = NULL;
	if (!made)
		return -ENOMEM;
	err = options_copy(made, &mine, options);
	if (!err)
		err = mine.trees > 1 ? trees_open(made, &mine) : set_up(made, &mine);
	return hand_over(comm, made, err);
}

void weir_close(struct weir *comm)
{
	if (!comm)
		return;
	driver_stop(comm);
	request_free_all(&comm->queue);
	trees_close(comm);
	/* A forked child's close is not the rank's leave. */
	if (!guard_check_owner(comm))
		ask_leave(comm);
	socket_close(comm);
	inbox_uninit(&comm->in);
	kept_uninit(&comm->kept);
	early_uninit(&comm->early);
	window_uninit(&comm->window);
	free(comm);
}
