// SPDX-License-Identifier: BSD-2-Clause
#include "error.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "comm.h"
#include "socket.h"

static _Thread_local char open_error[COMM_ERROR];

static void note(struct weir *comm, const char *format, va_list arguments)
{
	vsnprintf(comm->error, sizeof(comm->error), format, arguments);
}

int error_refuse(struct weir *comm, int err, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	note(comm, format, arguments);
	va_end(arguments);
	return err;
}

int error_fail(struct weir *comm, int err, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	note(comm, format, arguments);
	va_end(arguments);
	comm->failed = err;
	return err;
}

void error_keep(const char *sentence)
{
	snprintf(open_error, sizeof(open_error), "%s", sentence);
}

static int refused(struct weir *comm)
{
	const struct config *config = &comm->config;

	return error_fail(comm, -ECONNREFUSED,
			  "%s answers 'port unreachable' for UDP port %u: no job %u has this "
			  "address and port there, or rank %u's packets come in on a device that "
			  "is no weir port. See 'weir job show' and 'weir port show' on the box",
			  config->box_text, address_port(&config->box), config->job,
			  config->rank);
}

int error_path(struct weir *comm, int err)
{
	const struct config *config = &comm->config;

	if (err == ECONNREFUSED)
		return refused(comm);
	if (err == EMSGSIZE)
		return socket_too_long(comm);
	return error_fail(comm, -err, "the socket towards %s failed: %s", config->box_text,
			  strerror(err));
}

int error_stall(struct weir *comm)
{
	const struct config *config = &comm->config;
	double seconds = (double)(comm->now - comm->progress) / (double)NSEC_PER_SEC;
	const struct window_slot *slot = window_slot(&comm->window, comm->window.base);

	if (comm->path_errno)
		return error_fail(comm, -ETIMEDOUT,
				  "nothing came from %s for %.1f s; the last error of the path "
				  "was: %s. Check address, route and firewall between rank %u and "
				  "the box",
				  config->box_text, seconds, strerror(comm->path_errno),
				  config->rank);
	if (comm->window.base == comm->window.next)
		return error_fail(comm, -ETIMEDOUT,
				  "the socket towards %s took no packet for %.1f s: its interface "
				  "is down or stuck",
				  config->box_text, seconds);
	/* Joins are small: that they came through says nothing about blocks. */
	if (!comm->stats.elements)
		return error_fail(comm, -ETIMEDOUT,
				  "the box took rank %u into job %u, but block %" PRIu64 " was not "
				  "answered by %s for %.1f s: another rank has stopped or sums "
				  "another number of elements, or a link on the way does not carry "
				  "packets of %u bytes. 'weir source show job %u' on the box tells "
				  "which rank's contributions are behind",
				  config->rank, config->job, comm->window.base, config->box_text,
				  seconds, socket_packet_size(comm), config->job);
	return error_fail(comm, -ETIMEDOUT,
			  "block %" PRIu64 " of job %u was not answered by %s for %.1f s, and rank "
			  "%u has sent it %u times: another rank has stopped, is slower than the "
			  "timeout, or sums another number of elements. 'weir source show job %u' "
			  "on the box tells which rank is behind",
			  comm->window.base, config->job, config->box_text, seconds, config->rank,
			  slot->tries, config->job);
}

const char *weir_error(const struct weir *comm)
{
	return comm ? comm->error : open_error;
}
