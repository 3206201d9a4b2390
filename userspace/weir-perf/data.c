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

/* Below 1, and with a scale small enough that the sum of all ranks' scaled ones fits int32. */
static double scaled_element(const struct perf_options *options, unsigned int rank,
			     uint64_t iteration, uint64_t index)
{
	double fits = (INT32_RANGE / options->weir.ranks - 1) / options->scale;
	int32_t value = (int32_t)noise(options->seed, rank, iteration, index);

	return (double)(float)(value / (INT32_RANGE + 1) * (fits < 1 ? fits : 1));
}

/* Bits of an element, so few that the sum of all ranks is exact in each type on the way. */
static unsigned int exact_bits(const struct perf_options *options)
{
	unsigned int bits = type_bits(options->type), job = type_bits(options->job_type);
	unsigned int ranks = 1;

	bits = job < bits ? job : bits;
	for (; ranks < options->weir.ranks && bits > 1; ranks *= 2)
		bits--;
	return bits;
}

static double exact_element(const struct perf_options *options, unsigned int rank,
			    uint64_t iteration, uint64_t index)
{
	unsigned int bits = exact_bits(options);
	int32_t value = (int32_t)noise(options->seed, rank, iteration, index);

	return ldexp(value >> (32 - bits), 1 - (int)bits);
}

static double element(const struct perf_options *options, unsigned int rank, uint64_t iteration,
		      uint64_t index)
{
	if (options->type == WEIR_INT32)
		return integer(options, rank, iteration, index);
	return options->scale ? scaled_element(options, rank, iteration, index) :
				exact_element(options, rank, iteration, index);
}

void data_fill(const struct perf_options *options, void *vector, size_t count, uint64_t iteration)
{
	for (size_t i = 0; i < count; i++)
		type_put(vector, options->type, i,
			 element(options, options->weir.rank, iteration, i));
}

/* The ranks that are in an element's block. */
static const uint64_t *contributors_of(const struct perf_blocks *blocks, size_t element)
{
	return blocks->contributors + element / blocks->grads * blocks->words;
}

static bool is_in(const uint64_t *contributors, unsigned int rank)
{
	return contributors[rank / 64] >> (rank % 64) & 1;
}

/* Does the result name its ranks? */
static bool is_told(const struct perf_blocks *blocks, const uint64_t *contributors)
{
	uint64_t any = 0;

	for (uint32_t i = 0; i < blocks->words; i++)
		any |= contributors[i];
	return any;
}

/* With a scale, as the library rounds it, but by the C library's rounding. */
static double term(const struct perf_options *options, unsigned int rank, uint64_t iteration,
		   uint64_t index)
{
	double x = element(options, rank, iteration, index);

	return options->scale ? (double)llrint(x * options->scale) : x;
}

static double combine(double a, double b, enum weir_operation operation)
{
	if (operation == WEIR_SUM)
		return a + b;
	return (a < b) == (operation == WEIR_MIN) ? a : b;
}

static double expected(const struct perf_options *options, const uint64_t *contributors,
		       uint64_t iteration, uint64_t index)
{
	bool first = true;
	double all = 0;

	for (unsigned int rank = 0; rank < options->weir.ranks; rank++) {
		double x;

		if (!is_in(contributors, rank))
			continue;
		x = term(options, rank, iteration, index);
		all = first ? x : combine(all, x, options->operation);
		first = false;
	}
	return options->scale ? (double)(float)(all / options->scale) : all;
}

/* This rank's elements that are not in the sums, bit for bit. */
static uint64_t residual_wrong(const struct perf_options *options,
			       const struct perf_memory *memory, size_t count)
{
	uint64_t wrong = 0;

	for (size_t i = 0; i < count && memory->residual; i++) {
		const uint64_t *contributors = contributors_of(&memory->blocks, i);
		double in = type_get(memory->in, options->type, i);

		if (!is_told(&memory->blocks, contributors))
			continue;
		wrong += type_get(memory->residual, options->type, i) !=
			 (is_in(contributors, options->weir.rank) ? 0 : in);
	}
	return wrong;
}

uint64_t data_wrong(const struct perf_options *options, const struct perf_memory *memory,
		    size_t count, uint64_t iteration)
{
	uint64_t wrong = residual_wrong(options, memory, count);

	for (size_t i = 0; i < count; i++) {
		const uint64_t *contributors = contributors_of(&memory->blocks, i);

		/* Without the ranks' names any sum may be right. */
		if (is_told(&memory->blocks, contributors))
			wrong += type_get(memory->out, options->type, i) !=
				 expected(options, contributors, iteration, i);
	}
	return wrong;
}
