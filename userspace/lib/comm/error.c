// SPDX-License-Identifier: BSD-2-Clause
#include "comm/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "comm/comm.h"
#include "comm/guard.h"
#include "comm/shared.h"

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
	state_change(comm, RANK_ENDED);
	return err;
}

void error_keep(const char *sentence)
{
	snprintf(open_error, sizeof(open_error), "%s", sentence);
}

const char *weir_error(const struct weir *comm)
{
	const char *refusal;

	if (!comm)
		return open_error;
	refusal = guard_error(comm);
	if (refusal || !guard_begin_read(comm))
		return refusal ? refusal : comm->error;
	memcpy(comm->guard.shared->error, comm->error, sizeof(comm->error));
	guard_end_read(comm);
	return comm->guard.shared->error;
}
