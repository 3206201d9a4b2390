// SPDX-License-Identifier: BSD-2-Clause
#include "request/share.h"

#include <string.h>

#include "comm/comm.h"
#include "number/convert.h"
#include "number/number.h"
#include "request/request.h"
#include "request/result.h"

/**
 * struct span - elements in a row
 * @begin: the first
 * @end: the one after the last
 */
struct span {
	size_t begin;
	size_t end;
};

/* Blocks of a share that are sent in a row, as one message takes so many. */
#define TURN	16

size_t share_place(const struct weir_request *request, size_t block)
{
	size_t blocks, turns, ranks, turn, rank, longer;

	if (request->share.kind == SHARE_NONE)
		return block;
	blocks = request->count / request->grads + !!(request->count % request->grads);
	turns = blocks / TURN;
	turn = block / TURN;
	/* The last block, which may be shorter, stays the last one. */
	if (turn >= turns)
		return block;
	ranks = request->comm->config.ranks;
	rank = turn % ranks;
	longer = turns % ranks;
	turn = rank * (turns / ranks) + (rank < longer ? rank : longer) + turn / ranks;
	return turn * TURN + block % TURN;
}

static struct span block_span(const struct weir_request *request, uint64_t block)
{
	size_t begin = request_offset(request, request_data_block(request, block));

	return (struct span) { begin, begin + request_block_grads(request, block) };
}

static bool is_within(const struct share *share, const struct span *span)
{
	return span->begin >= share->first && span->end <= share->end;
}

static bool overlaps(const struct share *share, const struct span *span)
{
	return span->begin < share->end && span->end > share->first;
}

/* Return the part of the block that is in the share; one that overlaps it. */
static struct span shared(const struct share *share, const struct span *span)
{
	return (struct span) {
		span->begin > share->first ? span->begin : share->first,
		span->end < share->end ? span->end : share->end,
	};
}

static bool has_others(const struct weir_request *request, uint64_t block)
{
	const struct span span = block_span(request, block);

	return !is_within(&request->share, &span);
}

static bool has_own(const struct weir_request *request, uint64_t block)
{
	const struct span span = block_span(request, block);

	return overlaps(&request->share, &span);
}

bool share_sends(const struct weir_request *request, uint64_t block)
{
	if (request->share.kind == SHARE_NONE)
		return true;
	return request->share.kind == SHARE_OF_SUMS ? has_others(request, block) : has_own(request, block);
}

bool share_needs(const struct weir_request *request, uint64_t block)
{
	if (request->share.kind == SHARE_NONE)
		return true;
	return request->share.kind == SHARE_OF_SUMS ? has_own(request, block) : has_others(request, block);
}

uint64_t share_alike(const struct weir_request *request, uint64_t block, uint64_t most)
{
	bool sends, needs;
	uint64_t count = 1;

	if (request->share.kind == SHARE_NONE || !most)
		return most;
	sends = share_sends(request, block);
	needs = share_needs(request, block);
	while (count < most && share_sends(request, block + count) == sends &&
	       share_needs(request, block + count) == needs)
		count++;
	return count;
}

/* Elements that change no sum to which they are added: 0, and of floats -0.0. */
static void put_neutral(uint8_t *wire, enum weir_type type, size_t count, bool little)
{
	size_t size = number_size(type);

	memset(wire, 0, count * size);
	for (size_t i = little ? size - 1 : 0; number_is_float(type) && i < count * size; i += size)
		wire[i] = 0x80;
}

static void put(const struct weir_request *request, const struct span *span, size_t in_begin,
		uint8_t *wire)
{
	static const struct scaling none = { 0 };
	enum weir_type type = request->type;
	const uint8_t *in = request->in;

	convert_to_wire(wire, type, in + (span->begin - in_begin) * number_size(type), type,
			span->end - span->begin, &none, request->comm->member.little);
}

void share_to_wire(const struct weir_request *request, uint64_t block, size_t count, uint8_t *wire)
{
	const struct share *share = &request->share;
	const struct span span = block_span(request, block);
	size_t size = number_size(request->type);
	bool little = request->comm->member.little;
	struct span mine;

	if (share->kind == SHARE_OF_SUMS)
		put(request, &span, 0, wire);
	else
		put_neutral(wire, request->type, count, little);
	if (!overlaps(share, &span))
		return;
	mine = shared(share, &span);
	wire += (mine.begin - span.begin) * size;
	if (share->kind == SHARE_OF_SUMS)
		put_neutral(wire, request->type, mine.end - mine.begin, little);
	else
		put(request, &mine, share->first, wire);
}

static bool add_int32(int32_t *out, const int32_t *in, size_t count)
{
	bool overflow = false;

	for (size_t i = 0; i < count; i++)
		overflow |= __builtin_add_overflow(out[i], in[i], &out[i]);
	return overflow;
}

static bool add_int64(int64_t *out, const int64_t *in, size_t count)
{
	bool overflow = false;

	for (size_t i = 0; i < count; i++)
		overflow |= __builtin_add_overflow(out[i], in[i], &out[i]);
	return overflow;
}

static void add_float(float *out, const float *in, size_t count, double divisor)
{
	for (size_t i = 0; i < count; i++)
		out[i] = (float)(((double)out[i] + (double)in[i]) / divisor);
}

static void add_double(double *out, const double *in, size_t count, double divisor)
{
	for (size_t i = 0; i < count; i++)
		out[i] = (out[i] + in[i]) / divisor;
}

/* Add elements of this rank to the sums of the others. Return true if an integer has overflowed. */
static bool add(enum weir_type type, void *out, const void *in, size_t count, double divisor)
{
	switch (type) {
	case WEIR_INT32:
		return add_int32(out, in, count);
	case WEIR_INT64:
		return add_int64(out, in, count);
	case WEIR_FLOAT32:
		add_float(out, in, count, divisor);
		return false;
	default:
		add_double(out, in, count, divisor);
		return false;
	}
}

/* Elements that are added at a time: the sums may be written over this rank's own. */
#define ADDED_MAX	256

static void deliver_sums(struct weir_request *request, const struct span *span,
			 const struct result *result, const uint8_t *sums)
{
	const struct span mine = shared(&request->share, span);
	double divisor = request->flags & WEIR_AVERAGE ? result->header.ranks : 1;
	size_t size = number_size(request->type), count;
	_Alignas(8) uint8_t own[ADDED_MAX * 8];
	bool overflow = false;

	for (size_t i = mine.begin; i < mine.end; i += count) {
		uint8_t *out = (uint8_t *)request->out + (i - request->share.first) * size;

		count = mine.end - i < ADDED_MAX ? mine.end - i : ADDED_MAX;
		memcpy(own, (const uint8_t *)request->in + i * size, count * size);
		convert_from_wire(out, request->type, sums + (i - span->begin) * size, request->type,
				  count, 1, result->header.flags & WEIR_TRIO_LITTLE);
		overflow |= add(request->type, out, own, count, divisor);
	}
	if (overflow && !(result->header.flags & WEIR_TRIO_OVERFLOW))
		request->overflow_blocks++;
}

static void deliver_elements(const struct weir_request *request, const struct span *span,
			     const struct result *result, const uint8_t *sums)
{
	const struct share *share = &request->share;
	size_t size = number_size(request->type);
	uint8_t *out = (uint8_t *)request->out + span->begin * size;
	const uint8_t *own;

	if (!is_within(share, span)) {
		convert_from_wire(out, request->type, sums, request->type, span->end - span->begin, 1,
				  result->header.flags & WEIR_TRIO_LITTLE);
		return;
	}
	own = (const uint8_t *)request->in + (span->begin - share->first) * size;
	if (own != out)
		memcpy(out, own, (span->end - span->begin) * size);
}

void share_deliver(struct weir_request *request, uint64_t block, const struct result *result,
		   const uint8_t *sums)
{
	const struct span span = block_span(request, block);

	if (request->share.kind == SHARE_OF_ELEMENTS)
		deliver_elements(request, &span, result, sums);
	else if (overlaps(&request->share, &span))
		deliver_sums(request, &span, result, sums);
}
