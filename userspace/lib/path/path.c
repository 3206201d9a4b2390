// SPDX-License-Identifier: BSD-2-Clause
#include "path/path.h"

#include <errno.h>
#include <string.h>

#include "comm/comm.h"
#include "comm/error.h"
#include "path/socket.h"

static int refused(struct weir *comm)
{
	const struct config *config = &comm->config;

	return error_fail(comm, -ECONNREFUSED,
			  "%s answers 'port unreachable' for UDP port %u: no job %u of format trio "
			  "has this address and port there, or rank %u's packets come in on a device that "
			  "is no weir port. See 'weir job show' and 'weir port show' on the box",
			  config->box_text, address_port(&config->box), config->job,
			  config->rank);
}

int path_fail(struct weir *comm, int err)
{
	const struct config *config = &comm->config;

	if (err == ECONNREFUSED)
		return refused(comm);
	if (err == EMSGSIZE)
		return socket_too_long(comm);
	return error_fail(comm, -err, "the socket towards %s failed: %s", config->box_text,
			  strerror(err));
}

int path_error(struct weir *comm, int err)
{
	/* A box that is being set up again has no job for a while, and there may be others that have it. */
	if (err == ECONNREFUSED && (comm->member.blocks || comm->standby.count > 1)) {
		comm->path_errno = err;
		return 0;
	}
	switch (err) {
	case EINTR:
	case EAGAIN:
		return 0;
	case EHOSTUNREACH:
	case ENETUNREACH:
	case EHOSTDOWN:
	case ENETDOWN:
	case ENOBUFS:
	case ENOMEM:
	case EPERM:
	case EACCES:
		comm->path_errno = err;
		return 0;
	default:
		return path_fail(comm, err);
	}
}
