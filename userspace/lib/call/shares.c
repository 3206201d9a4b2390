// SPDX-License-Identifier: BSD-2-Clause
/* Begin reduce-scatters and all-gathers: the calls, and checks of their arguments. */
#include <errno.h>
#include <stdint.h>

#include "call/begin.h"
#include "call/driver.h"
#include "call/trees.h"
#include "comm/comm.h"
#include "comm/error.h"
#include "comm/guard.h"
#include "number/number.h"

static const char *name(const struct call *call)
{
	return call->share.kind == SHARE_OF_SUMS ? "a reduce-scatter" : "an all-gather";
}

static size_t share_count(const struct call *call)
{
	return call->share.end - call->share.first;
}

static bool takes_shares(const struct weir *comm)
{
	for (unsigned int i = 0; comm->trees && i < comm->trees->count; i++)
		if (!comm->trees->tree[i]->member.takes_shares)
			return false;
	return comm->trees || comm->member.takes_shares;
}

/* All ranks have the same box, so they find alike that it does not take the call. */
static int check_box(struct weir *comm, const struct call *call)
{
	const struct config *config = &comm->config;

	if (config->fallback)
		return error_refuse(comm, -EOPNOTSUPP,
				    "%s cannot have a fallback, which is for "
				    "allreduces: open the communicator without one", name(call));
	if (call->type != config->type || number_size(call->type) < sizeof(int32_t))
		return error_refuse(comm, -EOPNOTSUPP,
				    "%s is of elements of the job's own type, int32, int64, float32 or "
				    "float64: job %u on %s is one of %s, and the vector one of %s",
				    name(call), config->job, config->box_text,
				    number_name(config->type), number_name(call->type));
	if (!takes_shares(comm))
		return error_refuse(comm, -EOPNOTSUPP,
				    "job %u on %s does not take %s: it needs the operation sum, and a box "
				    "that announces them", config->job, config->box_text, name(call));
	return 0;
}

static int check_share(struct weir *comm, const struct call *call, const struct weir_share *share)
{
	if (share->count > call->count || share->first > call->count - share->count)
		return error_refuse(comm, -EINVAL,
				    "a share of %zu elements from element %zu on is not in a vector of %zu",
				    share->count, share->first, call->count);
	if (call->flags & (WEIR_ACCEPT_DEGRADED | WEIR_SATURATE))
		return error_refuse(comm, -EINVAL,
				    "%s takes neither WEIR_ACCEPT_DEGRADED nor WEIR_SATURATE",
				    name(call));
	return 0;
}

/* Return true if two vectors have memory in common, and not just the share's place in the longer one. */
static bool collide(const struct call *call)
{
	bool sums = call->share.kind == SHARE_OF_SUMS;
	size_t size = number_size(call->type);
	uintptr_t whole = (uintptr_t)(sums ? call->in : call->out);
	uintptr_t share = (uintptr_t)(sums ? call->out : call->in);

	return share != whole + call->share.first * size && share < whole + call->count * size &&
	       whole < share + share_count(call) * size;
}

/* A rank without a share has no vector for it. */
static int check_vectors(struct weir *comm, struct call *call)
{
	bool sums = call->share.kind == SHARE_OF_SUMS;
	int err;

	if (!share_count(call) && sums)
		call->out = (void *)call->in;
	else if (!share_count(call))
		call->in = call->out;
	if (!call->count)
		return 0;
	err = begin_check_vector(comm, call, call->in, "input") ?:
	      begin_check_vector(comm, call, call->out, "output");
	if (!err && share_count(call) && collide(call))
		err = error_refuse(comm, -EINVAL,
				   "input and output overlap: the share must be in its place in the whole "
				   "vector, or apart from it");
	return err;
}

/* With the communicator entered. */
static int start(struct weir *comm, struct call *call, const struct weir_share *share,
		 struct weir_request **request)
{
	int err = begin_may(comm);

	if (!err)
		err = check_share(comm, call, share);
	call->share.first = share->first;
	call->share.end = share->first + share->count;
	if (!err)
		err = begin_check_numbers(comm, call);
	if (!err)
		err = check_box(comm, call);
	if (!err)
		err = check_vectors(comm, call);
	if (!err)
		err = begin_renew(comm);
	return err ?: begin_request(comm, call, request);
}

static int enter(struct weir *comm, struct call *call, const struct weir_share *share,
		 struct weir_request **request)
{
	int err = guard_enter(comm);

	*request = NULL;
	if (err)
		return err;
	err = start(comm, call, share, request);
	driver_leave(comm);
	return err;
}

int weir_ireduce_scatter(struct weir *comm, const void *in, void *out, size_t count,
			 const struct weir_share *share, enum weir_type type, uint32_t flags,
			 struct weir_request **request)
{
	struct call call = {
		.in = in,
		.out = out,
		.count = count,
		.share.kind = SHARE_OF_SUMS,
		.type = type,
		.operation = WEIR_SUM,
		.flags = flags,
	};

	return enter(comm, &call, share, request);
}

int weir_iallgather(struct weir *comm, const void *in, void *out, size_t count,
		    const struct weir_share *share, enum weir_type type,
		    struct weir_request **request)
{
	struct call call = {
		.in = in,
		.out = out,
		.count = count,
		.share.kind = SHARE_OF_ELEMENTS,
		.type = type,
		.operation = WEIR_SUM,
	};

	return enter(comm, &call, share, request);
}
