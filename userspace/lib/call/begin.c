// SPDX-License-Identifier: BSD-2-Clause
#include "call/begin.h"

#include <errno.h>
#include <stdlib.h>

#include "ask/ask.h"
#include "call/dealt.h"
#include "call/trees.h"
#include "comm/comm.h"
#include "comm/error.h"
#include "number/convert.h"
#include "number/number.h"
#include "request/progress.h"

#define FLAGS_KNOWN	(WEIR_ACCEPT_OVERFLOW | WEIR_ACCEPT_DEGRADED | WEIR_AVERAGE | \
			 WEIR_SATURATE)

int begin_check_vector(struct weir *comm, const struct call *call, const void *vector,
		       const char *which)
{
	if (!vector)
		return error_refuse(comm, -EINVAL, "the %s vector is missing", which);
	if ((uintptr_t)vector % number_size(call->type))
		return error_refuse(comm, -EINVAL, "the %s vector is not aligned to %zu bytes", which,
				    number_size(call->type));
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

int begin_check_numbers(struct weir *comm, const struct call *call)
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

int begin_may(struct weir *comm)
{
	if (comm->failed && !comm->config.fallback)
		return comm->failed;
	return state_is_behind(comm->state) ? trees_refuse(comm) : 0;
}

int begin_renew(struct weir *comm)
{
	return comm->trees ? trees_renew(comm) : ask_renew(comm);
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
int begin_request(struct weir *comm, const struct call *call, struct weir_request **result)
{
	struct weir_request *request = calloc(1, sizeof(*request));
	int err = -ENOMEM;

	if (request) {
		request->comm = comm;
		request->in = call->in;
		request->out = call->out;
		request->residual = call->extra.residual;
		request->count = call->count;
		request->share = call->share;
		request->type = call->type;
		request->operation = call->operation;
		request->flags = call->flags | comm->config.flags;
		/* Elements that are missing would pass for zeroes. */
		if (call->share.kind)
			request->flags &= ~(uint32_t)WEIR_ACCEPT_DEGRADED;
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
