// SPDX-License-Identifier: BSD-2-Clause
/* Begin allreduces: the calls, and checks of their arguments. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "call/begin.h"
#include "call/dealt.h"
#include "call/driver.h"
#include "call/finish.h"
#include "call/trees.h"
#include "comm/comm.h"
#include "comm/error.h"
#include "comm/guard.h"
#include "number/convert.h"
#include "number/number.h"
#include "request/progress.h"
#include "request/request.h"

/* The size of the first version's structure: no caller has less. */
#define SIZE_MIN	sizeof(struct weir_extra)

static size_t size_of(const struct call *call)
{
	return call->count * number_size(call->type);
}

static bool overlap(const struct call *call, const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;

	return x < y + size_of(call) && y < x + size_of(call);
}

static int check_extra(struct weir *comm, struct weir_extra *mine, const struct weir_extra *extra)
{
	int err;

	memset(mine, 0, sizeof(*mine));
	if (!extra)
		return 0;
	err = sized_in(mine, sizeof(*mine), extra, SIZE_MIN);
	if (err == -E2BIG)
		return error_refuse(comm, err, "extra has members that libweir %s does not know",
				    weir_version());
	if (err)
		return error_refuse(comm, err,
				    "extra's size is %zu: set it to sizeof(struct weir_extra)",
				    extra->size);
	if (mine->reserved)
		return error_refuse(comm, -EINVAL, "extra's reserved member must be zero");
	return 0;
}

static int check_in(struct weir *comm, const struct call *call)
{
	if (call->extra.follow && call->in)
		return error_refuse(comm, -EINVAL, "who follows has no input vector");
	if (call->extra.follow)
		return 0;
	if (call->in && call->in != call->out && overlap(call, call->in, call->out))
		return error_refuse(comm, -EINVAL,
				    "input and output overlap: they must be the same or apart");
	if (call->in == call->out && comm->config.fallback)
		return error_refuse(comm, -EINVAL,
				    "input and output are the same, but the fallback needs an input "
				    "that was not written over: they must be apart");
	return begin_check_vector(comm, call, call->in, "input");
}

static int check_residual(struct weir *comm, const struct call *call)
{
	const void *residual = call->extra.residual;

	if (!residual)
		return 0;
	if (call->extra.follow)
		return error_refuse(comm, -EINVAL, "who follows has no residual");
	if (overlap(call, residual, call->in) || overlap(call, residual, call->out))
		return error_refuse(comm, -EINVAL,
				    "the residual overlaps input or output: it must be apart");
	return begin_check_vector(comm, call, residual, "residual");
}

static int check_vectors(struct weir *comm, const struct call *call)
{
	int err;

	if (!call->count)
		return 0;
	err = begin_check_vector(comm, call, call->out, "output");
	if (!err)
		err = check_in(comm, call);
	return err ?: check_residual(comm, call);
}

static int check_scale(struct weir *comm, const struct call *call)
{
	double scale = call->extra.scale;

	if (!scale)
		return 0;
	if (!number_is_float(call->type) || comm->config.type != WEIR_INT32)
		return error_refuse(comm, -EINVAL,
				    "a scale is for floats in a job of int32: leave it 0 for %s in one "
				    "of %s",
				    number_name(call->type), number_name(comm->config.type));
	if (!isfinite(scale) || scale < 0)
		return error_refuse(comm, -EINVAL, "scale is %g: it must be positive and finite",
				    scale);
	return 0;
}

/* With the communicator entered. */
static int start(struct weir *comm, struct call *call, const struct weir_extra *extra,
		 struct weir_request **request)
{
	int err = begin_may(comm);

	if (!err)
		err = check_extra(comm, &call->extra, extra);
	if (!err)
		err = begin_check_numbers(comm, call);
	if (!err)
		err = check_vectors(comm, call);
	if (!err)
		err = check_scale(comm, call);
	if (!err)
		err = begin_renew(comm);
	return err ?: begin_request(comm, call, request);
}

int weir_iallreduce(struct weir *comm, const void *in, void *out, size_t count,
		    enum weir_type type, enum weir_operation operation, uint32_t flags,
		    const struct weir_extra *extra, struct weir_request **request)
{
	struct call call = {
		.in = in,
		.out = out,
		.count = count,
		.type = type,
		.operation = operation,
		.flags = flags,
	};
	int err = guard_enter(comm);

	*request = NULL;
	if (err)
		return err;
	err = start(comm, &call, extra, request);
	driver_leave(comm);
	return err;
}

static int finish(struct weir_request *request)
{
	int err;

	do
		err = finish_wait(&request);
	while (err == -EINTR);
	return err;
}

int weir_allreduce(struct weir *comm, const void *in, void *out, size_t count,
		   enum weir_type type, enum weir_operation operation, uint32_t flags,
		   const struct weir_extra *extra)
{
	struct call call = {
		.in = in,
		.out = out,
		.count = count,
		.type = type,
		.operation = operation,
		.flags = flags,
	};
	struct weir_request *request;
	int err = guard_enter(comm);

	if (err)
		return err;
	err = start(comm, &call, extra, &request) ?: finish(request);
	driver_leave(comm);
	return err;
}

int64_t weir_behind(struct weir *comm)
{
	int64_t behind = guard_enter(comm);

	if (behind)
		return behind;
	behind = comm->trees ? dealt_behind(comm) : progress_once(comm);
	if (behind >= 0 && state_is_behind(comm->state))
		behind = trees_refuse(comm);
	if (!behind && comm->ahead > comm->queue.end)
		behind = (int64_t)(comm->ahead - comm->queue.end);
	driver_leave(comm);
	return behind;
}
