// SPDX-License-Identifier: BSD-2-Clause
/* Finish allreduces: their results and errors for the caller. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "call/dealt.h"
#include "call/driver.h"
#include "call/finish.h"
#include "call/trees.h"
#include "comm/comm.h"
#include "comm/error.h"
#include "comm/guard.h"
#include "number/number.h"
#include "request/progress.h"
#include "request/request.h"

static int overflow(struct weir *comm, const struct weir_request *request)
{
	return error_refuse(comm, -EOVERFLOW,
			    "%" PRIu64 " of %" PRIu64 " blocks have a sum that does not fit %u bits: "
			    "%s",
			    request->overflow_blocks, request_data_blocks(request),
			    request->type == WEIR_INT64 ? 64 : 32,
			    request->scale ? "use a smaller scale" : "sum smaller numbers");
}

static int degraded(struct weir *comm, const struct weir_request *request)
{
	return error_refuse(comm, -ENODATA,
			    "%" PRIu64 " of %" PRIu64 " blocks are summed over %u or more of %u ranks: "
			    "the box did not wait for the others",
			    request->degraded_blocks, request_data_blocks(request), request->min_ranks,
			    comm->config.ranks);
}

/* This rank has the element: its sentence names it. */
static int bad(struct weir *comm, const struct weir_request *request)
{
	if (request->bad == -EDOM)
		return error_refuse(comm, -EDOM,
				    "element %zu is %g: only finite numbers can be scaled. All ranks "
				    "have this error",
				    request->bad_at, request->bad_value);
	return error_refuse(comm, -ERANGE,
			    "element %zu is %g, which times the scale %g does not fit 32 bits: use a "
			    "scale of at most %g, or none. All ranks have this error",
			    request->bad_at, request->bad_value, request->scale,
			    2147483647.0 / fabs(request->bad_value));
}

static int out_of_range(struct weir *comm, const struct weir_request *request)
{
	return error_refuse(comm, -ERANGE,
			    "an element of some rank times the scale %g does not fit 32 bits: use a "
			    "smaller scale, or none. All ranks have this error",
			    request->scale);
}

static int not_finite(struct weir *comm)
{
	return error_refuse(comm, -EDOM,
			    "an element of some rank is not finite: job %u is one of int32, which has "
			    "nothing for it. All ranks have this error",
			    comm->config.job);
}

static int verdict(struct weir *comm, const struct weir_request *request)
{
	uint32_t flags = request->flags;

	if (request->bad == -EDOM || (request->bad && !request->not_finite))
		return bad(comm, request);
	if (request->not_finite)
		return not_finite(comm);
	if (request->out_of_range)
		return out_of_range(comm, request);
	if (request->degraded_blocks && !(flags & WEIR_ACCEPT_DEGRADED))
		return degraded(comm, request);
	if (request->overflow_blocks && !(flags & WEIR_ACCEPT_OVERFLOW))
		return overflow(comm, request);
	return 0;
}

static struct weir_failure describe(const struct weir_request *request)
{
	const struct weir *comm = trees_blamed(request->comm);

	return (struct weir_failure) {
		.size = sizeof(struct weir_failure),
		.error = comm->failed,
		.rank = comm->config.rank,
		.block = window_lacks(&comm->window),
		.silent_ms = (comm->now - comm->life.heard) / NSEC_PER_MSEC,
		.sequence = request->sequence,
		.in = request->in,
		.out = request->out,
		.count = request->count,
		.type = request->type,
		.operation = request->operation,
		.flags = request->flags,
	};
}

/*
 * The box has failed: the caller's fallback sums instead. But ranks that do not agree on a call
 * would not agree in the fallback.
 */
static int fall_back(const struct weir_request *request)
{
	struct weir *comm = request->comm;
	const struct config *config = &comm->config;
	struct weir_failure failure = describe(request);

	if (!config->fallback || comm->failed == -EBADMSG ||
	    config->fallback(config->fallback_context, &failure))
		return comm->failed;
	if (request->residual)
		memset(request->residual, 0, request->count * number_size(request->type));
	comm->info = (struct weir_info) {
		.blocks = request_data_blocks(request),
		.min_ranks = request->blocks ? config->ranks : 0,
	};
	return 0;
}

static int report(const struct weir_request *request)
{
	struct weir *comm = request->comm;

	comm->info = (struct weir_info) {
		.blocks = request_data_blocks(request),
		.overflow_blocks = request->overflow_blocks,
		.degraded_blocks = request->degraded_blocks,
		.missed_blocks = request->missed_blocks,
		.cut_blocks = request->cut_blocks,
		.min_ranks = request->min_ranks,
	};
	return verdict(comm, request);
}

/* Reports a request that has finished, or whose communicator has failed. */
static int finish(struct weir_request **handle)
{
	struct weir_request *request = *handle;
	int err;

	if (request_has_failed(request))
		err = trees_refuse(request->comm);
	else
		err = request->left ? fall_back(request) : report(request);

	dealt_release(request);
	*handle = NULL;
	return err;
}

static bool is_done(struct weir_request *request)
{
	return request->parts ? dealt_is_done(request) : request_is_done(request);
}

static int progress(const struct weir_request *request)
{
	return request->parts ? dealt_progress(request->comm) : progress_once(request->comm);
}

static int test(struct weir_request **request)
{
	int err;

	if (!is_done(*request) && progress(*request) >= 0 && !is_done(*request))
		return 0;
	err = finish(request);
	return err ?: 1;
}

int weir_test(struct weir_request **request)
{
	struct weir *comm;
	int err;

	if (!*request)
		return 1;
	comm = (*request)->comm;
	err = guard_enter(comm);
	if (err)
		return err;
	err = test(request);
	driver_leave(comm);
	return err;
}

int finish_wait(struct weir_request **request)
{
	int err = (*request)->parts ? dealt_until(*request) : progress_until(*request);

	return err == -EINTR ? err : finish(request);
}

int weir_wait(struct weir_request **request)
{
	struct weir *comm;
	int err;

	if (!*request)
		return 0;
	comm = (*request)->comm;
	err = guard_enter(comm);
	if (err)
		return err;
	err = finish_wait(request);
	driver_leave(comm);
	return err;
}
