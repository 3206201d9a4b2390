// SPDX-License-Identifier: BSD-2-Clause
#include "request.h"

#include <stdlib.h>
#include <string.h>

#include "comm.h"
#include "convert.h"
#include "result.h"

struct weir_request *request_sending(struct weir *comm, uint64_t block)
{
	struct queue *queue = &comm->queue;

	while (queue->sending && block >= queue->sending->first + queue->sending->blocks)
		queue->sending = queue->sending->next;
	return queue->sending;
}

bool request_is_followed(const struct weir_request *request)
{
	return !request->in;
}

bool request_is_done(const struct weir_request *request)
{
	const struct weir *comm = request->comm;

	return !request->left && (comm->failed || comm->window.base >= comm->replay_end);
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

/* What a sum is divided by. */
static double divisor(const struct weir_request *request, const struct result *result)
{
	if (request->comm->config.flags & WEIR_AVERAGE)
		return request->scale * result->header.ranks;
	return request->scale;
}

static void take_sums(const struct weir_request *request, size_t offset,
		      const struct result *result)
{
	size_t count = result->header.grads;

	if (request->scale)
		convert_wire_to_float((float *)request->out + offset, result->sums, count,
				      divisor(request, result));
	else
		convert_wire_to_int32((int32_t *)request->out + offset, result->sums, count);
}

/* Elements have 4 bytes, and zero of either kind has none of them set. */
static void keep_residual(const struct weir_request *request, size_t offset, size_t count,
			  bool missed)
{
	uint32_t *residual = request->residual;
	const uint32_t *in = request->in;

	if (!residual)
		return;
	if (missed)
		memcpy(residual + offset, in + offset, count * sizeof(*in));
	else
		memset(residual + offset, 0, count * sizeof(*in));
}

static void tell(const struct weir_request *request, uint64_t block, const struct result *result)
{
	const struct config *config = &request->comm->config;
	struct weir_block_info info = {
		.size = sizeof(info),
		.sequence = request->sequence,
		.offset = block_offset(request, block),
		.count = result->header.grads,
		.ranks = result->header.ranks,
		.overflow = !!(result->header.flags & WEIR_TRIO_OVERFLOW),
	};

	if (!config->on_block)
		return;
	memcpy(info.contributors, result->contributors, sizeof(info.contributors));
	config->on_block(config->on_block_context, &info);
}

static void count_block(struct weir_request *request, const struct wire_header *header,
			bool missed)
{
	request->overflow_blocks += !!(header->flags & WEIR_TRIO_OVERFLOW);
	request->degraded_blocks += !!(header->flags & WEIR_TRIO_DEGRADED);
	request->missed_blocks += missed;
	if (!request->min_ranks || header->ranks < request->min_ranks)
		request->min_ranks = header->ranks;
	request->left--;
}

/*
 * Is this rank not in it? Where the box has not said who is, what was contributed counts
 * as summed: to lose it does less harm than to have it twice in what goes on from here.
 */
static bool is_missed(const struct weir_request *request, const struct result *result)
{
	if (request_is_followed(request))
		return true;
	return bitmap_count(result->contributors) &&
	       !bitmap_has(result->contributors, request->comm->config.rank);
}

void request_deliver(struct weir_request *request, uint64_t block, const struct result *result)
{
	bool missed = is_missed(request, result);
	size_t offset = block_offset(request, block);

	/* First what is in the input: the sums may go over it. */
	keep_residual(request, offset, result->header.grads, missed);
	take_sums(request, offset, result);
	count_block(request, &result->header, missed);
	tell(request, block, result);
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
}

void request_begin(struct weir_request *request)
{
	struct queue *queue = &request->comm->queue;
	uint16_t grads = request->comm->config.grads;

	request->blocks = request->count / grads + !!(request->count % grads);
	request->left = request->blocks;
	request->sequence = queue->begun++;
	request->first = queue->end;
	queue->end += request->blocks;
	append(queue, request);
}

void request_release(struct weir_request *request)
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
		request_release(queue->head);
}
