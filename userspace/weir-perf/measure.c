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
	const struct weir_extra extra = {
		.size = sizeof(extra), .residual = m->residual, .scale = options->scale,
	};

	return weir_allreduce(comm, m->in, m->out, count, options->type, options->operation, 0,
			      &extra);
}

static void note(struct perf_result *result, double took)
{
	result->iterations++;
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
	size_t count = result->bytes / type_size(options->type);

	weir_get_info(comm, &info);
	result->degraded_blocks += info.degraded_blocks;
	result->missed_blocks += info.missed_blocks;
	if (!options->verify)
		return;
	result->digest = digest(result->digest, memory->out, result->bytes);
	result->wrong += data_wrong(options, memory, count, iteration);
}

int measure(struct weir *comm, const struct perf_options *options, uint64_t bytes,
	    const struct perf_memory *memory, struct perf_result *result)
{
	size_t count = bytes / type_size(options->type);
	bool ends = false;

	*result = (struct perf_result) {
		.bytes = count * type_size(options->type), .digest = result->digest,
	};
	for (uint64_t i = 0; !ends; i++) {
		double start;
		int err;

		/* Other elements each time, so that an old result cannot pass. */
		if (!i || options->verify)
			data_fill(options, memory, count, i);
		start = now_us();
		err = allreduce(comm, options, memory, count);
		if (err)
			return err;
		if (i >= options->warmup)
			note(result, now_us() - start);
		check(comm, options, memory, i, result);
		err = end_reached(comm, options, i + 1, &ends);
		if (err)
			return err;
	}
	if (result->iterations)
		result->mean_us /= (double)result->iterations;
	return 0;
}
