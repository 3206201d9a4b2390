// SPDX-License-Identifier: BSD-2-Clause
/* Begin allreduces: the calls, and checks of their arguments. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ask/ask.h"
#include "base/sized.h"
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

#define FLAGS_KNOWN	(WEIR_ACCEPT_OVERFLOW | WEIR_ACCEPT_DEGRADED | WEIR_AVERAGE | \
			 WEIR_SATURATE)

/* The size of the first version's structure: no caller has less. */
#define SIZE_MIN	sizeof(struct weir_extra)

/**
 * struct call - a caller's arguments
 * @in: elements; NULL where it only follows
 * @out: buffer for the results
 * @count: elements of each
 * @type: type of the elements
 * @operation: operation that combines them
 * @flags: of the call
 * @extra: arguments that few calls have
 */
struct call {
	const void *in;
	void *out;
	size_t count;
	enum weir_type type;
	enum weir_operation operation;
	uint32_t flags;
	struct weir_extra extra;
};

static int missing(struct weir *comm, const char *which)
{
	return error_refuse(comm, -EINVAL, "the %s vector is missing", which);
}

static size_t size_of(const struct call *call)
{
	return call->count * number_size(call->type);
}

static bool overlap(const struct call *call, const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;

	return x < y + size_of(call) && y < x + size_of(call);
}

static int check_aligned(struct weir *comm, const struct call *call, const void *vector,
			 const char *which)
{
	if ((uintptr_t)vector % number_size(call->type))
		return error_refuse(comm, -EINVAL, "the %s vector is not aligned to %zu bytes", which,
				    number_size(call->type));
	return 0;
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

/* A job of floats takes only floats, one of 8 bytes only its own type, and a job has one operation. */
static int check_job(struct weir *comm, const struct call *call)
{
	const struct config *config = &comm->config;

	if (call->operation != config->operation)
		return error_refuse(comm, -EPROTO,
				    "job %u on %s has the operation %s, and this call asks for %s",
				    config->job, config->box_text, operation_name(config->operation),
				    operation_name(call->operation));
	if (call->type != config->type &&
	    (!number_is_float(call->type) || number_is_alone(call->type) ||
	     number_is_alone(config->type)))
		return error_refuse(comm, -EPROTO,
				    "job %u on %s is one of %s, and the vector one of %s", config->job,
				    config->box_text, number_name(config->type),
				    number_name(call->type));
	return 0;
}

static int check_numbers(struct weir *comm, const struct call *call)
{
	if (!number_size(call->type))
		return error_refuse(comm, -EINVAL, "type is %d: it must be an enum weir_type",
				    (int)call->type);
	if (call->operation < WEIR_SUM || call->operation > WEIR_MAX)
		return error_refuse(comm, -EINVAL, "operation is %d: it must be an enum weir_operation",
				    (int)call->operation);
	if (call->flags & ~FLAGS_KNOWN)
		return error_refuse(comm, -EINVAL, "the call has unknown flags 0x%x",
				    call->flags & ~FLAGS_KNOWN);
	if (call->count > PTRDIFF_MAX / number_size(call->type))
		return error_refuse(comm, -EINVAL, "a vector of %zu elements is too long", call->count);
	return check_job(comm, call);
}

static int check_in(struct weir *comm, const struct call *call)
{
	if (call->extra.follow && call->in)
		return error_refuse(comm, -EINVAL, "who follows has no input vector");
	if (call->extra.follow)
		return 0;
	if (!call->in)
		return missing(comm, "input");
	if (call->in != call->out && overlap(call, call->in, call->out))
		return error_refuse(comm, -EINVAL,
				    "input and output overlap: they must be the same or apart");
	if (call->in == call->out && comm->config.fallback)
		return error_refuse(comm, -EINVAL,
				    "input and output are the same, but the fallback needs an input "
				    "that was not written over: they must be apart");
	return check_aligned(comm, call, call->in, "input");
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
	return check_aligned(comm, call, residual, "residual");
}

static int check_vectors(struct weir *comm, const struct call *call)
{
	int err;

	if (!call->count)
		return 0;
	if (!call->out)
		return missing(comm, "output");
	err = check_aligned(comm, call, call->out, "output");
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

/* The other ranks have begun the call, perhaps: they hear of it by this rank's blocks. */
static void check_floats(struct weir_request *request)
{
	if (request->scale > 0 && !request_is_followed(request) &&
	    !(request->flags & WEIR_SATURATE))
		request->bad = convert_check(request->in, request->type, request->count,
					     request->scale, &request->bad_at, &request->bad_value);
}

/* A fallback, where there is one, also serves requests that begin after a failure. */
static int begin(struct weir *comm, const struct call *call, struct weir_request **result)
{
	struct weir_request *request = calloc(1, sizeof(*request));
	int err = -ENOMEM;

	if (request) {
		request->comm = comm;
		request->in = call->in;
		request->out = call->out;
		request->residual = call->extra.residual;
		request->count = call->count;
		request->type = call->type;
		request->operation = call->operation;
		request->flags = call->flags | comm->config.flags;
		request->scale = call->extra.scale;
		check_floats(request);
		err = comm->trees ? dealt_begin(request) : request_begin(request);
	}
	if (err) {
		free(request);
		return err == -ENOMEM ? error_refuse(comm, err, "no memory for another request") : err;
	}
	err = comm->trees ? dealt_progress(comm) : progress_once(comm);
	if (err < 0 && !comm->config.fallback) {
		dealt_release(request);
		return err;
	}
	*result = request;
	return 0;
}

/* With the communicator entered. */
static int start(struct weir *comm, struct call *call, const struct weir_extra *extra,
		 struct weir_request **request)
{
	int err;

	if (comm->failed && !comm->config.fallback)
		return comm->failed;
	if (state_is_behind(comm->state))
		return trees_refuse(comm);
	err = check_extra(comm, &call->extra, extra);
	if (!err)
		err = check_numbers(comm, call);
	if (!err)
		err = check_vectors(comm, call);
	if (!err)
		err = check_scale(comm, call);
	if (!err)
		err = ask_renew(comm);
	return err ?: begin(comm, call, request);
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
