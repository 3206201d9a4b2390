// SPDX-License-Identifier: GPL-2.0
#include <time.h>

#include "perf.h"

static double now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

static int allreduce(struct weir *comm, const struct perf_options *options,
		     const struct perf_memory *m, size_t count)
{
	bool is_int32 = options->type == PERF_INT32;

	if (m->residual && is_int32)
		return weir_allreduce_int32_residual(comm, m->in, m->out, m->residual, count);
	if (m->residual)
		return weir_allreduce_float_residual(comm, m->in, m->out, m->residual, count,
						     options->scale);
	if (is_int32)
		return weir_allreduce_int32(comm, m->in, m->out, count);
	return weir_allreduce_float(comm, m->in, m->out, count, options->scale);
}

static void note(struct perf_result *result, double took)
{
	result->mean_us += took;
	if (!result->min_us || took < result->min_us)
		result->min_us = took;
	if (took > result->max_us)
		result->max_us = took;
}

static void check(struct weir *comm, const struct perf_options *options,
		  const struct perf_memory *memory, uint64_t iteration, struct perf_result *result)
{
	struct weir_info info = { .size = sizeof(info) };
	size_t count = result->bytes / PERF_ELEMENT;

	weir_get_info(comm, &info);
	result->degraded_blocks += info.degraded_blocks;
	result->missed_blocks += info.missed_blocks;
	if (!options->verify)
		return;
	result->digest = digest(result->digest, memory->out, count);
	result->wrong += data_wrong(options, memory, count, iteration);
}

int measure(struct weir *comm, const struct perf_options *options, uint64_t bytes,
	    const struct perf_memory *memory, struct perf_result *result)
{
	uint64_t rounds = options->warmup + options->iterations;
	size_t count = bytes / PERF_ELEMENT;

	*result = (struct perf_result) {
		.bytes = count * PERF_ELEMENT, .digest = result->digest,
	};
	for (uint64_t i = 0; i < rounds; i++) {
		double start;
		int err;

		/* Other elements each time, so that an old result cannot pass. */
		if (!i || options->verify)
			data_fill(options, memory->in, count, i);
		start = now_us();
		err = allreduce(comm, options, memory, count);
		if (err)
			return err;
		if (i >= options->warmup)
			note(result, now_us() - start);
		check(comm, options, memory, i, result);
	}
	result->mean_us /= (double)options->iterations;
	return 0;
}
