// SPDX-License-Identifier: GPL-2.0
/*
 * Vectors are cut from one pattern of noise, a run of elements after another, each from its own
 * place: that is a copy, and to check a sum is one addition a rank. Tests run this on emulated
 * processors, where a hash of each element, or floats, would take longer than the packets.
 */
#include <math.h>
#include <string.h>

#include "perf.h"

#define INT32_RANGE 2147483647.0

static uint64_t hash(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
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

/* A float below 1, small enough that the sum of all ranks' scaled ones fits int32. */
static double scaled(const struct perf_options *options, int32_t noise)
{
	double fits = (INT32_RANGE / options->weir.ranks - 1) / options->scale;

	return (double)(float)(noise / (INT32_RANGE + 1) * (fits < 1 ? fits : 1));
}

void data_prepare(const struct perf_options *options, struct perf_pattern *pattern)
{
	unsigned int bits = exact_bits(options);
	bool is_float = options->type != WEIR_INT32 && options->type != WEIR_INT64;

	pattern->unit = is_float ? ldexp(1, 1 - (int)bits) : 1;
	for (size_t i = 0; i < PERF_PATTERN + PERF_RUN; i++) {
		int32_t noise = (int32_t)hash(options->seed + 0xd1342543de82ef95u * (i + 1));
		int32_t term = is_float ? noise >> (32 - bits) : noise / options->weir.ranks;
		double element = term * pattern->unit;

		if (options->scale) {
			/* As the library rounds it, but by the C library's rounding. */
			element = scaled(options, noise);
			term = (int32_t)lrint(element * options->scale);
		}
		pattern->terms[i] = term;
		type_put(pattern->elements, options->type, i, element);
	}
}

/*
 * Return the index in the pattern of a rank's element @index. The elements after it follow there, as many
 * as are left of PERF_RUN.
 */
static size_t place(const struct perf_options *options, unsigned int rank, uint64_t iteration,
		    uint64_t index)
{
	uint64_t z = options->seed + 0x9e3779b97f4a7c15u * (iteration * 4096 + rank + 1) +
		     0xd1342543de82ef95u * (index / PERF_RUN);

	return hash(z) % PERF_PATTERN + index % PERF_RUN;
}

/* Elements from @index on, and before @end, that are of one run. */
static size_t run_of(size_t index, size_t end)
{
	size_t left = PERF_RUN - index % PERF_RUN;

	return end - index < left ? end - index : left;
}

void data_fill(const struct perf_options *options, const struct perf_memory *memory, size_t count,
	       uint64_t iteration)
{
	size_t size = type_size(options->type), n;

	for (size_t i = 0; i < count; i += n) {
		n = run_of(i, count);
		memcpy((char *)memory->in + i * size,
		       memory->pattern.elements +
			       place(options, options->weir.rank, iteration, i) * size,
		       n * size);
	}
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

/* Return true if the result names the ranks that it is of. */
static bool is_told(const struct perf_blocks *blocks, const uint64_t *contributors)
{
	uint64_t any = 0;

	for (uint32_t i = 0; i < blocks->words; i++)
		any |= contributors[i];
	return any;
}

static void combine(int32_t *all, const int32_t *terms, size_t n, enum weir_operation operation)
{
	if (operation == WEIR_SUM) {
		for (size_t i = 0; i < n; i++)
			all[i] += terms[i];
		return;
	}
	for (size_t i = 0; i < n; i++)
		if ((terms[i] < all[i]) == (operation == WEIR_MIN))
			all[i] = terms[i];
}

/* Compute what the box makes of @n elements of a run from @index on: 0 if no rank contributes. */
static void expect(int32_t *all, const struct perf_options *options,
		   const struct perf_memory *memory, const uint64_t *contributors,
		   uint64_t iteration, uint64_t index, size_t n)
{
	bool first = true;

	memset(all, 0, n * sizeof(*all));
	for (unsigned int rank = 0; rank < options->weir.ranks; rank++) {
		const int32_t *terms = memory->pattern.terms;

		if (!is_in(contributors, rank))
			continue;
		terms += place(options, rank, iteration, index);
		if (first)
			memcpy(all, terms, n * sizeof(*all));
		else
			combine(all, terms, n, options->operation);
		first = false;
	}
}

/* Elements of the result from @index on that are not @all. */
static uint64_t differ(const struct perf_options *options, const struct perf_memory *memory,
		       const int32_t *all, uint64_t index, size_t n)
{
	uint64_t wrong = 0;

	if (options->type == WEIR_INT32 &&
	    !memcmp((const int32_t *)memory->out + index, all, n * sizeof(*all)))
		return 0;
	for (size_t i = 0; i < n; i++) {
		double want = all[i] * memory->pattern.unit;

		if (options->scale)
			want = (double)(float)(all[i] / options->scale);
		wrong += type_get(memory->out, options->type, index + i) != want;
	}
	return wrong;
}

/* Of a block, this rank's elements that are not in the sums, bit for bit. */
static uint64_t residual_wrong(const struct perf_options *options,
			       const struct perf_memory *memory, bool is_summed, size_t first,
			       size_t end)
{
	uint64_t wrong = 0;

	for (size_t i = first; i < end; i++)
		wrong += type_get(memory->residual, options->type, i) !=
			 (is_summed ? 0 : type_get(memory->in, options->type, i));
	return wrong;
}

static uint64_t block_wrong(const struct perf_options *options, const struct perf_memory *memory,
			    uint64_t iteration, size_t first, size_t end)
{
	const uint64_t *contributors = contributors_of(&memory->blocks, first);
	int32_t all[PERF_RUN];
	uint64_t wrong = 0;
	size_t n;

	/* Without the ranks' names any sum may be right. */
	if (!is_told(&memory->blocks, contributors))
		return 0;
	if (memory->residual)
		wrong = residual_wrong(options, memory, is_in(contributors, options->weir.rank), first,
				       end);
	for (size_t i = first; i < end; i += n) {
		n = run_of(i, end);
		expect(all, options, memory, contributors, iteration, i, n);
		wrong += differ(options, memory, all, i, n);
	}
	return wrong;
}

uint64_t data_wrong(const struct perf_options *options, const struct perf_memory *memory,
		    size_t count, uint64_t iteration)
{
	size_t grads = memory->blocks.grads;
	uint64_t wrong = 0;

	for (size_t i = 0; i < count; i += grads)
		wrong += block_wrong(options, memory, iteration, i,
				     count - i < grads ? count : i + grads);
	return wrong;
}
