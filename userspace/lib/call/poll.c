// SPDX-License-Identifier: BSD-2-Clause
#include "base/sized.h"
#include "call/driver.h"
#include "call/trees.h"
#include "comm/comm.h"
#include "comm/guard.h"
#include "request/progress.h"

static struct weir_poll sockets(struct weir *comm)
{
	return (struct weir_poll) {
		.fd = comm->fd,
		.group_fd = comm->group_fd,
		.writable = comm->blocked,
		.timeout_us = (progress_pause(comm) + NSEC_PER_USEC - 1) / NSEC_PER_USEC,
	};
}

int weir_get_poll(struct weir *comm, struct weir_poll *poll)
{
	struct weir_poll wanted;
	int err = guard_enter(comm);

	if (err)
		return err;
	if (comm->trees)
		wanted = trees_poll(comm);
	else
		wanted = comm->driver ? driver_poll(comm) : sockets(comm);
	err = sized_out(poll, poll->size, &wanted, sizeof(wanted));
	guard_leave(comm);
	return err;
}
