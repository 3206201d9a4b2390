// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdlib.h>

#include "comm.h"
#include "error.h"
#include "join.h"
#include "options.h"
#include "request.h"
#include "socket.h"
#include "wire.h"

static size_t packet_room(const struct weir *comm)
{
	size_t size = WIRE_SIZE(comm->config.grads);

	/* A join may be answered twice, and the second finds this batch. */
	return size > WIRE_JOIN ? size : WIRE_JOIN;
}

static int make_buffers(struct weir *comm)
{
	int err = window_init(&comm->window, comm->config.window, 0);

	if (!err)
		err = batch_init(&comm->rx, packet_room(comm));
	if (!err)
		err = batch_init(&comm->tx, packet_room(comm));
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
		err = join(comm);
	if (err)
		return err;
	socket_buffers(comm);
	pace_init(&comm->pace, comm->config.window);
	comm->left = rtt_now();
	return make_buffers(comm);
}

int weir_open(struct weir **comm, const struct weir_options *options)
{
	struct weir *made = calloc(1, sizeof(*made));
	int err;

	*comm = NULL;
	if (!made) {
		error_keep("no memory for a communicator");
		return -ENOMEM;
	}
	made->fd = -1;
	made->group_fd = -1;
	err = set_up(made, options);
	if (err) {
		error_keep(made->error);
		weir_close(made);
		return err;
	}
	*comm = made;
	return 0;
}

void weir_close(struct weir *comm)
{
	if (!comm)
		return;
	request_free_all(&comm->queue);
	socket_close(comm);
	batch_uninit(&comm->rx);
	batch_uninit(&comm->tx);
	window_uninit(&comm->window);
	free(comm);
}
