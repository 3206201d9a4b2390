// SPDX-License-Identifier: GPL-2.0
#include <time.h>

#include "perf.h"

static double now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

static int allreduce(struct weir *comm, const struct perf_options *options, const void *in,
		     void *out, size_t count)
{
	if (options->type == PERF_INT32)
		return weir_allreduce_int32(comm, in, out, count);
	return weir_allreduce_float(comm, in, out, count, options->scale);
}

static void note(struct perf_result *result, double took)
{
	result->mean_us += took;
	if (!result->min_us || took < result->min_us)
		result->min_us = took;
	if (took > result->max_us)
		result->max_us = took;
}

int measure(struct weir *comm, const struct perf_options *options, uint64_t bytes, void *in,
	    void *out, struct perf_result *result)
{
	uint64_t rounds = options->warmup + options->iterations;
	size_t count = bytes / PERF_ELEMENT;

	*result = (struct perf_result) { .bytes = count * PERF_ELEMENT };
	for (uint64_t i = 0; i < rounds; i++) {
		double start;
		int err;

		/* Other elements each time, so that an old result cannot pass. */
		if (!i || options->verify)
			data_fill(options, in, count, i);
		start = now_us();
		err = allreduce(comm, options, in, out, count);
		if (err)
			return err;
		if (i >= options->warmup)
			note(result, now_us() - start);
		if (options->verify)
			result->wrong += data_wrong(options, out, count, i);
	}
	result->mean_us /= (double)options->iterations;
	return 0;
}
