// SPDX-License-Identifier: BSD-2-Clause
#include "path.h"

#include <errno.h>

#include "comm.h"
#include "error.h"

int path_error(struct weir *comm, int err)
{
	/* A box that is set up anew has no job for a while. */
	if (err == ECONNREFUSED && comm->member.blocks) {
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
		return error_path(comm, err);
	}
}
