// SPDX-License-Identifier: BSD-2-Clause
#include "request/request.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comm/comm.h"
#include "number/convert.h"
#include "number/exponent.h"
#include "request/digest.h"
#include "request/result.h"
#include "request/share.h"

struct weir_request *request_sending(struct weir *comm, uint64_t block)
{
	struct queue *queue = &comm->queue;

	while (queue->sending && block >= queue->sending->first + queue->sending->blocks)
		queue->sending = queue->sending->next;
	return queue->sending;
}

bool request_has_failed(const struct weir_request *request)
{
	return request->has_failed ||
	       (request->left && request->made < request->comm->behind.failed);
}

bool request_is_done(const struct weir_request *request)
{
	const struct weir *comm = request->comm;

	if (request_has_failed(request))
		return true;
	return !request->left && (comm->failed || comm->window.base >= comm->replay_end);
}

/* The tree's share of those that the vector has. */
static uint64_t vector_blocks(const struct weir_request *request)
{
	const struct config *config = &request->comm->config;
	uint64_t all = request->count / request->grads + !!(request->count % request->grads);

	return all / config->trees + (config->tree < all % config->trees);
}

uint64_t request_data_blocks(const struct weir_request *request)
{
	return request->blocks ? request->blocks - (request->exponents ? 1 : 0) : 0;
}

/* From one of the tree's blocks to its next one, in elements. */
static size_t block_stride(const struct weir_request *request)
{
	return (size_t)request->comm->config.trees * request->grads;
}

size_t request_offset(const struct weir_request *request, uint64_t data_block)
{
	const struct config *config = &request->comm->config;

	return share_place(request, (size_t)data_block * config->trees + config->tree) * request->grads;
}

static size_t block_offset(const struct weir_request *request, uint64_t block)
{
	return request_offset(request, request_data_block(request, block));
}

static const void *input(const struct weir_request *request, size_t offset)
{
	return (const uint8_t *)request->in + offset * number_size(request->type);
}

static void *output(const struct weir_request *request, size_t offset)
{
	return (uint8_t *)request->out + offset * number_size(request->type);
}

static void *residual(const struct weir_request *request, size_t offset)
{
	return (uint8_t *)request->residual + offset * number_size(request->type);
}

bool request_is_ready(const struct weir_request *request, uint64_t block)
{
	return !request->exponents || request_is_prologue(request, block) ||
	       exponents_of(request->exponents, request_data_block(request, block));
}

static bool saturates(const struct weir_request *request)
{
	return request->flags & WEIR_SATURATE;
}

/* Of a block of elements; of none where the vector ends before. */
static int32_t own_exponent(const struct weir_request *request, uint64_t data_block)
{
	size_t offset = request_offset(request, data_block), count = request->grads;

	if (offset >= request->count)
		return EXPONENT_ZERO;
	if (count > request->count - offset)
		count = request->count - offset;
	return exponent_of(input(request, offset), request->type, count, saturates(request));
}

/* The largest of so many blocks, from the first on. */
static int32_t first_exponent(const struct weir_request *request, uint64_t blocks)
{
	int32_t largest = EXPONENT_ZERO;

	for (uint64_t i = 0; i < blocks && request_offset(request, i) < request->count; i++) {
		int32_t exponent = own_exponent(request, i);

		if (exponent > largest)
			largest = exponent;
	}
	return largest;
}

int32_t request_exponent(const struct weir_request *request, uint64_t block)
{
	uint32_t lag;

	/* No block is so late that its exponent would be due there. */
	if (request_is_final(request, block))
		return request->digest;
	lag = request->exponents->lag;
	if (request_is_prologue(request, block))
		return first_exponent(request, lag);
	return own_exponent(request, request_data_block(request, block) + lag);
}

/* Return the scaling of a block's elements. */
static struct scaling block_scaling(const struct weir_request *request, uint64_t block)
{
	unsigned int ranks = request->comm->config.ranks;

	if (!request->exponents)
		return (struct scaling) { request->scale, request->limit };
	return exponent_scaling(exponents_of(request->exponents, request_data_block(request, block)),
				ranks, saturates(request));
}

static bool is_not_finite(const struct weir_request *request, uint64_t block)
{
	return exponents_of(request->exponents, request_data_block(request, block))->exponent ==
	       EXPONENT_NOT_FINITE;
}

/* Elements beyond the limit are cut, and the caller may want the parts cut off. */
static void cut(struct weir_request *request, size_t offset, size_t count,
		const struct scaling *scaling)
{
	const void *in = input(request, offset);

	if (request->residual)
		convert_cut_off(residual(request, offset), in, request->type, count, scaling);
	if (!((double)convert_largest(in, request->type, count) * scaling->factor <=
	      scaling->limit - 1))
		request->cut_blocks++;
}

static void exponents_to_wire(struct weir_request *request, uint64_t block, size_t count,
			      void *wire)
{
	struct scaling scaling;
	size_t offset;

	/* No rank uses these elements: all ranks know that some are not finite. */
	if (request_is_prologue(request, block) || is_not_finite(request, block)) {
		memset(wire, 0, count * sizeof(uint32_t));
		return;
	}
	offset = block_offset(request, block);
	scaling = block_scaling(request, block);
	if (scaling.limit)
		cut(request, offset, count, &scaling);
	convert_to_wire(wire, WEIR_INT32, input(request, offset), request->type, count, &scaling,
			request->comm->member.little);
}

void request_to_wire(struct weir_request *request, uint64_t block, uint32_t blocks, size_t count,
		     uint8_t *wire, size_t stride)
{
	enum weir_type type = request->type, wire_type = request->comm->config.type;
	struct scaling scaling;
	size_t offset;

	if (request->exponents) {
		exponents_to_wire(request, block, count, wire);
		return;
	}
	if (request->share.kind) {
		for (uint64_t end = block + blocks; block != end; block++, wire += stride)
			share_to_wire(request, block, count, wire);
		return;
	}
	scaling = block_scaling(request, block);
	offset = block_offset(request, block);
	for (; blocks; blocks--, offset += block_stride(request), wire += stride) {
		if (scaling.limit)
			cut(request, offset, count, &scaling);
		convert_to_wire(wire, wire_type, input(request, offset), type, count, &scaling,
				request->comm->member.little);
	}
}

/* The divisor of a sum: of integers that were scaled, and for the mean. */
static double divisor(const struct weir_request *request, const struct result *result,
		      uint64_t block)
{
	double divisor = 1;

	if (request->comm->config.type == WEIR_INT32 && number_is_float(request->type))
		divisor = block_scaling(request, block).factor;
	if (request->flags & WEIR_AVERAGE && request->operation == WEIR_SUM &&
	    number_is_float(request->type))
		divisor *= result->header.ranks;
	return divisor;
}


/* Zero has no bit set in any type. The parts cut off are there already. */
static void keep_residual(const struct weir_request *request, uint64_t block, size_t count,
			  bool missed)
{
	size_t offset = block_offset(request, block);
	size_t bytes = count * number_size(request->type);
	struct scaling scaling;

	if (missed) {
		memcpy(residual(request, offset), input(request, offset), bytes);
		return;
	}
	scaling = block_scaling(request, block);
	if (!scaling.limit)
		memset(residual(request, offset), 0, bytes);
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
		.all_contributors = result->contributors,
	};

	memcpy(info.contributors, result->contributors, sizeof(info.contributors));
	config->on_block(config->on_block_context, &info);
}

static void count_blocks(struct weir_request *request, const struct result *result, bool missed)
{
	const struct wire_header *header = &result->header;

	if (header->flags & WEIR_TRIO_OVERFLOW)
		request->overflow_blocks += result->blocks;
	if (header->flags & WEIR_TRIO_DEGRADED)
		request->degraded_blocks += result->blocks;
	if (missed)
		request->missed_blocks += result->blocks;
	if (!request->min_ranks || header->ranks < request->min_ranks)
		request->min_ranks = header->ranks;
}

/*
 * Return true if this rank is not in a result. If the result does not name its ranks, the contribution
 * counts as summed: to lose it does less harm than to add it twice.
 */
static bool is_missed(const struct weir_request *request, const struct result *result)
{
	if (request_is_followed(request) || result->unsent)
		return true;
	return !bitmap_has(result->contributors, request->comm->config.rank) &&
	       bitmap_count(result->contributors);
}

/* This rank's exponent was not among those agreed on, or may not have been. */
static bool is_without(const struct weir_request *request, const struct result *result)
{
	return !request_is_followed(request) &&
	       (result->unsent ||
		!bitmap_has(result->contributors, request->comm->config.rank));
}

static void take_exponent(struct weir_request *request, uint64_t block,
			  const struct result *result)
{
	int32_t exponent = result->header.exponent;
	bool without = is_without(request, result);

	if (request_is_prologue(request, block))
		exponents_begin(request->exponents, exponent, without);
	else
		exponents_answered(request->exponents, request_data_block(request, block), exponent,
				   without);
	request->not_finite |= exponent == EXPONENT_NOT_FINITE;
}

/* The request's last block may say that there is no result. */
static void take_bad(struct weir_request *request, int32_t digest)
{
	request->not_finite |= digest == DIGEST_NOT_FINITE;
	request->out_of_range |= digest == DIGEST_OUT_OF_RANGE;
}

static void deliver_shares(struct weir_request *request, uint64_t block,
			   const struct result *result)
{
	const uint8_t *sums = result->sums;

	for (unsigned int i = 0; i < result->blocks; i++, sums += result->bytes) {
		share_deliver(request, block + i, result, sums);
		if (request->comm->config.on_block)
			tell(request, block + i, result);
	}
	count_blocks(request, result, is_missed(request, result));
}

static void deliver_elements(struct weir_request *request, uint64_t block,
			     const struct result *result)
{
	const struct config *config = &request->comm->config;
	double by = divisor(request, result, block);
	bool missed = is_missed(request, result);
	size_t grads = result->header.grads;
	uint8_t *out = output(request, block_offset(request, block));
	const uint8_t *sums = result->sums;
	bool little = result->header.flags & WEIR_TRIO_LITTLE;

	for (uint64_t end = block + result->blocks; block != end; block++) {
		/* The input first: the sums may overwrite it. */
		if (request->residual)
			keep_residual(request, block, grads, missed);
		convert_from_wire(out, request->type, sums, config->type, grads, by, little);
		if (config->on_block && !request->is_greeting)
			tell(request, block, result);
		out += block_stride(request) * number_size(request->type);
		sums += result->bytes;
	}
	count_blocks(request, result, missed);
}

void request_deliver(struct weir_request *request, uint64_t block, const struct result *result)
{
	if (request->share.kind)
		deliver_shares(request, block, result);
	else if (!request_is_prologue(request, block))
		deliver_elements(request, block, result);
	if (request_is_final(request, block))
		take_bad(request, result->header.exponent);
	else if (request->exponents)
		take_exponent(request, block, result);
	request->left -= result->blocks;
}

void request_append(struct weir_request *request)
{
	struct queue *queue = &request->comm->queue;

	request->sequence = queue->begun++;
	request->made = queue->made++;
	request->previous = queue->tail;
	if (queue->tail)
		queue->tail->next = request;
	else
		queue->head = request;
	queue->tail = request;
	if (!queue->sending)
		queue->sending = request;
}

static bool needs_exponents(const struct weir_request *request)
{
	return request->comm->config.type == WEIR_INT32 && number_is_float(request->type) &&
	       !request->scale && request->blocks;
}

int request_begin(struct weir_request *request)
{
	struct weir *comm = request->comm;
	struct queue *queue = &comm->queue;

	request->grads = comm->config.grads;
	request->blocks = vector_blocks(request);
	if (needs_exponents(request)) {
		request->exponents = exponents_new(comm->member.lag, request->blocks);
		if (!request->exponents)
			return -ENOMEM;
		request->blocks++;
	}
	/* The sum of what is left fits. */
	if (request->scale > 0 && saturates(request))
		request->limit = floor((double)(1U << 31) / comm->config.ranks);
	request->digest = digest_of(request);
	request->left = request->blocks;
	request->first = queue->end;
	queue->end += request->blocks;
	request_append(request);
	return 0;
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
	free(request->exponents);
	free(request->parts);
	free(request);
}

void request_withdraw(struct weir_request *request)
{
	struct queue *queue = &request->comm->queue;

	queue->end = request->first;
	queue->begun--;
	request_release(request);
}

void request_free_all(struct queue *queue)
{
	while (queue->head)
		request_release(queue->head);
}
