// SPDX-License-Identifier: GPL-2.0
#include <math.h>

#include "perf.h"

#define INT32_RANGE 2147483647.0

/* A hash of all that an element depends on. */
static uint32_t noise(uint64_t seed, unsigned int rank, uint64_t iteration, uint64_t index)
{
	uint64_t z = seed + 0x9e3779b97f4a7c15u * (iteration * 256 + rank + 1) +
		     0xd1342543de82ef95u * (index + 1);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return (uint32_t)(z >> 32);
}

static int32_t integer(const struct perf_options *options, unsigned int rank, uint64_t iteration,
		       uint64_t index)
{
	return (int32_t)noise(options->seed, rank, iteration, index) / options->weir.ranks;
}

/* The largest element: 1, or what lets all ranks' sum of scaled ones fit int32. */
static double amplitude(const struct perf_options *options)
{
	double ranks = options->weir.ranks;
	double fits = (INT32_RANGE / ranks - 1) / options->scale;

	return fits < 1 ? fits : 1;
}

static float real(const struct perf_options *options, unsigned int rank, uint64_t iteration,
		  uint64_t index, double largest)
{
	int32_t value = (int32_t)noise(options->seed, rank, iteration, index);

	return (float)(value / (INT32_RANGE + 1) * largest);
}

void data_fill(const struct perf_options *options, void *vector, size_t count, uint64_t iteration)
{
	unsigned int rank = options->weir.rank;
	double largest = amplitude(options);

	for (size_t i = 0; i < count; i++)
		if (options->type == PERF_INT32)
			((int32_t *)vector)[i] = integer(options, rank, iteration, i);
		else
			((float *)vector)[i] = real(options, rank, iteration, i, largest);
}

static bool is_in(const uint64_t contributors[4], unsigned int rank)
{
	return contributors[rank / 64] >> (rank % 64) & 1;
}

/* Has the box said who is in it? */
static bool is_told(const uint64_t contributors[4])
{
	return contributors[0] | contributors[1] | contributors[2] | contributors[3];
}

static int32_t integer_sum(const struct perf_options *options, const uint64_t contributors[4],
			   uint64_t iteration, uint64_t index)
{
	int64_t sum = 0;

	for (unsigned int rank = 0; rank < options->weir.ranks; rank++)
		if (is_in(contributors, rank))
			sum += integer(options, rank, iteration, index);
	return (int32_t)sum;
}

/* By the C library's rounding, not by the library's own. */
static float real_sum(const struct perf_options *options, const uint64_t contributors[4],
		      uint64_t iteration, uint64_t index, double largest)
{
	int64_t sum = 0;

	for (unsigned int rank = 0; rank < options->weir.ranks; rank++)
		if (is_in(contributors, rank))
			sum += llrint((double)real(options, rank, iteration, index, largest) *
				      options->scale);
	return (float)((double)sum / options->scale);
}

/* What this rank has and is not in the sums, bit for bit. */
static uint64_t residual_wrong(const struct perf_options *options,
			       const struct perf_memory *memory, size_t count)
{
	const uint32_t *in = memory->in, *residual = memory->residual;
	uint64_t wrong = 0;

	for (size_t i = 0; i < count && residual; i++) {
		const uint64_t *contributors =
			memory->blocks.contributors[i / memory->blocks.grads];

		if (!is_told(contributors))
			continue;
		wrong += residual[i] != (is_in(contributors, options->weir.rank) ? 0 : in[i]);
	}
	return wrong;
}

uint64_t data_wrong(const struct perf_options *options, const struct perf_memory *memory,
		    size_t count, uint64_t iteration)
{
	double largest = amplitude(options);
	uint64_t wrong = residual_wrong(options, memory, count);

	for (size_t i = 0; i < count; i++) {
		const uint64_t *contributors =
			memory->blocks.contributors[i / memory->blocks.grads];

		/* Of unknown terms any sum may be right. */
		if (!is_told(contributors))
			continue;
		if (options->type == PERF_INT32)
			wrong += ((const int32_t *)memory->out)[i] !=
				 integer_sum(options, contributors, iteration, i);
		else
			wrong += ((const float *)memory->out)[i] !=
				 real_sum(options, contributors, iteration, i, largest);
	}
	return wrong;
}
