// SPDX-License-Identifier: BSD-2-Clause
#include "request/digest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "comm/comm.h"
#include "comm/error.h"
#include "number/exponent.h"
#include "number/number.h"
#include "request/request.h"
#include "request/result.h"

/*
 * Parts of a digest. Type, operation and mode stand by themselves, so that the other ranks
 * can name them; the lower bits are a hash of all other arguments.
 */
#define MARK		(1u << 30)
#define TYPE_SHIFT	27
#define TYPE_MASK	7u
#define OPERATION_SHIFT	25
#define OPERATION_MASK	3u
#define MEAN		(1u << 24)
#define SCALED		(1u << 23)
#define HASH_MASK	(SCALED - 1)

/* No type, and larger than all that is said of a call, so that each rank gets it: trees follow. */
#define GREETING	(MARK | TYPE_MASK << TYPE_SHIFT)
#define TREES_MASK	31u

/* Room for the words about a call. */
#define WORDS		160

/* Each bit of @value changes about half of those of the result (the finalizer of MurmurHash3). */
static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash ^= value;
	hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdULL;
	hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53ULL;
	return hash ^ hash >> 33;
}

static uint32_t hash_of(const struct weir_request *request)
{
	/* Of one tree, it is what it was before there were several. */
	uint64_t trees = request->comm->config.trees - 1, scale;

	memcpy(&scale, &request->scale, sizeof(scale));
	return (uint32_t)mix(mix(mix(0, request->count), scale),
			     request->grads | trees << 16 | (uint64_t)request->share.kind << 32) &
	       HASH_MASK;
}

int32_t digest_of(const struct weir_request *request)
{
	bool is_scaled = request->exponents || request->scale > 0;

	if (request->is_greeting)
		return (int32_t)(GREETING | request->comm->config.trees);
	if (request->bad)
		return request->bad == -EDOM ? DIGEST_NOT_FINITE : DIGEST_OUT_OF_RANGE;
	return (int32_t)(MARK | (uint32_t)request->type << TYPE_SHIFT |
			 (uint32_t)request->operation << OPERATION_SHIFT |
			 (request->flags & WEIR_AVERAGE ? MEAN : 0) | (is_scaled ? SCALED : 0) |
			 hash_of(request));
}

static bool has_other_form(const struct weir_request *request, uint64_t block,
			   const struct wire_header *header)
{
	return header->grads != request_block_grads(request, block) ||
	       header->has_exponent != request_has_exponent(request, block);
}

/* It names its ranks, and this one is not among them. */
static bool is_of_others(const struct weir_request *request, const struct result *result)
{
	return bitmap_count(result->contributors) &&
	       !bitmap_has(result->contributors, request->comm->config.rank);
}

bool digest_is_unlike(const struct weir_request *request, uint64_t block,
		      const struct result *result)
{
	const struct wire_header *header = &result->header;
	bool is_told = header->flags & WEIR_TRIO_UNLIKE;

	if (has_other_form(request, block, header))
		return is_told || is_of_others(request, result);
	if (request_is_final(request, block))
		return !digest_is_bad(header->exponent) &&
		       (is_told || header->exponent != request->digest);
	/* Exponents of numbers may differ. */
	return request->exponents ? header->exponent > EXPONENT_NOT_FINITE : is_told;
}

/* Names the type and operation of a digest. Returns false where it is none. */
static bool name_digest(char words[WORDS], int32_t digest)
{
	uint32_t bits = (uint32_t)digest;
	enum weir_type type = bits >> TYPE_SHIFT & TYPE_MASK;
	enum weir_operation operation = bits >> OPERATION_SHIFT & OPERATION_MASK;

	if (digest < (int32_t)MARK || !number_size(type))
		return false;
	snprintf(words, WORDS, "the %s%s of %s%s", operation_name(operation),
		 bits & MEAN ? " (mean)" : "", number_name(type), bits & SCALED ? ", scaled" : "");
	return true;
}

static void name_own(char words[WORDS], const struct weir_request *request)
{
	static const char *const collectives[] = {
		[SHARE_NONE] = "",
		[SHARE_OF_SUMS] = ", reduce-scatter",
		[SHARE_OF_ELEMENTS] = ", all-gather",
	};
	char scale[32] = "";

	name_digest(words, request->digest);
	if (request->scale > 0)
		snprintf(scale, sizeof(scale), " by %g", request->scale);
	snprintf(words + strlen(words), WORDS - strlen(words), "%s, %zu elements%s", scale,
		 request->count, collectives[request->share.kind]);
}

/* As far as a block's result tells. */
static void name_other(char words[WORDS], const struct weir_request *request, uint64_t block,
		       const struct wire_header *header)
{
	if (header->has_exponent && header->exponent != request->digest &&
	    name_digest(words, header->exponent))
		snprintf(words + strlen(words), WORDS - strlen(words),
			 (header->exponent ^ request->digest) & (int32_t)~HASH_MASK ?
			 "" : ", with another collective, number of elements, scale, grads or trees");
	else if (header->grads != request_block_grads(request, block))
		snprintf(words, WORDS, "%u elements in that block", header->grads);
	else
		snprintf(words, WORDS, "something else");
}

static bool is_greeting(const struct wire_header *header)
{
	return header->has_exponent && ((uint32_t)header->exponent & ~TREES_MASK) == GREETING;
}

/* The largest number of trees prevails; a rank that has it learns only that another rank's differs. */
static int other_trees(const struct weir_request *request, const struct wire_header *header)
{
	const struct config *config = &request->comm->config;
	unsigned int trees = is_greeting(header) ? (uint32_t)header->exponent & TREES_MASK : 0;
	char other[16] = "another number";

	if (trees && trees != config->trees)
		snprintf(other, sizeof(other), "%u", trees);
	return error_fail(request->comm, -EBADMSG,
			  "the ranks of job %u do not have the same number of trees: rank %u was told of "
			  "%u, and another rank of %s. All ranks have this error: set trees to the same "
			  "number on every worker",
			  config->job, config->rank, config->trees, other);
}

int digest_fail(const struct weir_request *request, uint64_t block, const struct result *result)
{
	struct weir *comm = request->comm;
	char own[WORDS], other[WORDS];

	if (request->is_greeting || is_greeting(&result->header))
		return other_trees(request, &result->header);
	name_own(own, request);
	name_other(other, request, block, &result->header);
	return error_fail(comm, -EBADMSG,
			  "the ranks of job %u do not call for the same: call %" PRIu64 " of rank %u, "
			  "counted from 0, is for %s, and another rank is for %s at its block %" PRIu64
			  ". All ranks have this error; their programs have to agree on order, sizes, types "
			  "and scales%s",
			  comm->config.job, request->sequence, comm->config.rank, own, other,
			  block - request->first, block ? "" : ", and on the number of trees");
}
