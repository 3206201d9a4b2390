// SPDX-License-Identifier: BSD-2-Clause
#include "request.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "comm.h"
#include "convert.h"
#include "error.h"
#include "progress.h"

struct weir_request *request_sending(struct weir *comm, uint64_t block)
{
	struct queue *queue = &comm->queue;

	while (queue->sending && block >= queue->sending->first + queue->sending->blocks)
		queue->sending = queue->sending->next;
	return queue->sending;
}

static size_t block_offset(const struct weir_request *request, uint64_t block)
{
	return (size_t)(block - request->first) * request->comm->config.grads;
}

uint16_t request_block_grads(const struct weir_request *request, uint64_t block)
{
	size_t left = request->count - block_offset(request, block);
	uint16_t grads = request->comm->config.grads;

	return left < grads ? (uint16_t)left : grads;
}

int request_is_final(const struct weir_request *request, uint64_t block)
{
	return block == request->first + request->blocks - 1;
}

void request_to_wire(const struct weir_request *request, uint64_t block, uint32_t *wire)
{
	size_t offset = block_offset(request, block);
	size_t count = request_block_grads(request, block);

	if (request->scale)
		convert_float_to_wire(wire, (const float *)request->in + offset, count,
				      request->scale);
	else
		convert_int32_to_wire(wire, (const int32_t *)request->in + offset, count);
}

void request_from_wire(struct weir_request *request, uint64_t block, const uint32_t *wire)
{
	size_t offset = block_offset(request, block);
	size_t count = request_block_grads(request, block);

	if (request->scale)
		convert_wire_to_float((float *)request->out + offset, wire, count, request->scale);
	else
		convert_wire_to_int32((int32_t *)request->out + offset, wire, count);
}

static void append(struct queue *queue, struct weir_request *request)
{
	request->previous = queue->tail;
	if (queue->tail)
		queue->tail->next = request;
	else
		queue->head = request;
	queue->tail = request;
	if (!queue->sending)
		queue->sending = request;
	request->first = queue->end;
	queue->end += request->blocks;
}

static void release(struct weir_request *request)
{
	struct queue *queue = &request->comm->queue;

	if (queue->sending == request)
		queue->sending = request->next;
	if (request->previous)
		request->previous->next = request->next;
	else
		queue->head = request->next;
	if (request->next)
		request->next->previous = request->previous;
	else
		queue->tail = request->previous;
	free(request);
}

void request_free_all(struct queue *queue)
{
	while (queue->head)
		release(queue->head);
}

static int check(struct weir *comm, const void *in, const void *out, size_t count)
{
	uintptr_t from = (uintptr_t)in, to = (uintptr_t)out;
	size_t bytes = count * sizeof(int32_t);

	if (comm->failed)
		return comm->failed;
	if (!count)
		return 0;
	if (!in || !out)
		return error_refuse(comm, -EINVAL, "%s vector is missing", in ? "the output" : "the input");
	if (count > PTRDIFF_MAX / sizeof(int32_t))
		return error_refuse(comm, -EINVAL, "a vector of %zu elements is too long", count);
	if (from % sizeof(int32_t) || to % sizeof(int32_t))
		return error_refuse(comm, -EINVAL, "%s vector is not aligned to 4 bytes",
				    from % sizeof(int32_t) ? "the input" : "the output");
	if (from != to && from < to + bytes && to < from + bytes)
		return error_refuse(comm, -EINVAL,
				    "input and output overlap: they must be the same or apart");
	return 0;
}

static int begin(struct weir *comm, const void *in, void *out, size_t count, double scale,
		 struct weir_request **result)
{
	struct weir_request *request = calloc(1, sizeof(*request));
	uint16_t grads = comm->config.grads;
	int err;

	if (!request)
		return error_refuse(comm, -ENOMEM, "no memory for another request");
	request->comm = comm;
	request->in = in;
	request->out = out;
	request->count = count;
	request->scale = scale;
	request->blocks = count / grads + !!(count % grads);
	request->left = request->blocks;
	append(&comm->queue, request);
	err = progress_once(comm);
	if (err < 0) {
		release(request);
		return err;
	}
	*result = request;
	return 0;
}

int weir_iallreduce_int32(struct weir *comm, const int32_t *in, int32_t *out, size_t count,
			  struct weir_request **request)
{
	int err;

	*request = NULL;
	err = check(comm, in, out, count);
	return err ?: begin(comm, in, out, count, 0, request);
}

static int check_floats(struct weir *comm, const float *in, size_t count, double scale)
{
	size_t at;
	int err;

	if (!isfinite(scale) || scale <= 0)
		return error_refuse(comm, -EINVAL, "scale is %g: it must be positive and finite", scale);
	err = convert_float_check(in, count, scale, &at);
	if (err == -EDOM)
		return error_refuse(comm, err, "element %zu is %g: only finite numbers can be summed",
				    at, (double)in[at]);
	if (err)
		return error_refuse(comm, err,
				    "element %zu is %g, which times the scale %g does not fit 32 bits: "
				    "use a scale of at most %g",
				    at, (double)in[at], scale, 2147483647.0 / fabs((double)in[at]));
	return 0;
}

int weir_iallreduce_float(struct weir *comm, const float *in, float *out, size_t count,
			  double scale, struct weir_request **request)
{
	int err;

	*request = NULL;
	err = check(comm, in, out, count);
	if (!err)
		err = check_floats(comm, in, count, scale);
	return err ?: begin(comm, in, out, count, scale, request);
}

static int overflow(struct weir *comm, const struct weir_request *request)
{
	return error_refuse(comm, -EOVERFLOW,
			    "%" PRIu64 " of %" PRIu64 " blocks have a sum that does not fit 32 bits: "
			    "%s",
			    request->overflow_blocks, request->blocks,
			    request->scale ? "use a smaller scale" : "sum smaller numbers");
}

static int degraded(struct weir *comm, const struct weir_request *request)
{
	return error_refuse(comm, -ENODATA,
			    "%" PRIu64 " of %" PRIu64 " blocks are summed over %u or more of %u ranks: "
			    "the box did not wait for the others",
			    request->degraded_blocks, request->blocks, request->min_ranks,
			    comm->config.ranks);
}

static int verdict(struct weir *comm, const struct weir_request *request)
{
	uint32_t flags = comm->config.flags;

	if (request->degraded_blocks && !(flags & WEIR_ACCEPT_DEGRADED))
		return degraded(comm, request);
	if (request->overflow_blocks && !(flags & WEIR_ACCEPT_OVERFLOW))
		return overflow(comm, request);
	return 0;
}

/* Reports a request that has finished, or whose communicator has failed. */
static int finish(struct weir_request **handle)
{
	struct weir_request *request = *handle;
	struct weir *comm = request->comm;
	int err = comm->failed;

	if (!request->left) {
		comm->info = (struct weir_info) {
			.blocks = request->blocks,
			.overflow_blocks = request->overflow_blocks,
			.degraded_blocks = request->degraded_blocks,
			.min_ranks = request->min_ranks,
		};
		err = verdict(comm, request);
	}
	release(request);
	*handle = NULL;
	return err;
}

int weir_test(struct weir_request **request)
{
	int err;

	if (!*request)
		return 1;
	if ((*request)->left && progress_once((*request)->comm) >= 0 && (*request)->left)
		return 0;
	err = finish(request);
	return err ?: 1;
}

int weir_wait(struct weir_request **request)
{
	int err;

	if (!*request)
		return 0;
	err = progress_until(*request);
	return err == -EINTR ? err : finish(request);
}

static int wait_to_the_end(struct weir_request **request)
{
	int err;

	do
		err = weir_wait(request);
	while (err == -EINTR);
	return err;
}

int weir_allreduce_int32(struct weir *comm, const int32_t *in, int32_t *out, size_t count)
{
	struct weir_request *request;
	int err = weir_iallreduce_int32(comm, in, out, count, &request);

	return err ?: wait_to_the_end(&request);
}

int weir_allreduce_float(struct weir *comm, const float *in, float *out, size_t count,
			 double scale)
{
	struct weir_request *request;
	int err = weir_iallreduce_float(comm, in, out, count, scale, &request);

	return err ?: wait_to_the_end(&request);
}
