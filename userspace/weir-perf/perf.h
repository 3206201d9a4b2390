/* SPDX-License-Identifier: GPL-2.0 */
/* weir-perf from inside: what was asked for, and what was measured. */
#ifndef PERF_H
#define PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libweir.h"

enum perf_type { PERF_INT32, PERF_FLOAT };

/**
 * struct perf_options - the command line
 * @weir: what the communicator is opened with
 * @min_bytes: first size
 * @max_bytes: last size
 * @step_factor: from one size to the next; 0 where @step_bytes is
 * @step_bytes: from one size to the next; 0 where @step_factor is
 * @iterations: measured, each size
 * @warmup: not measured, each size
 * @seed: of the elements
 * @scale: of floats
 * @type: of elements
 * @verify: compare every element
 * @json: print JSON
 */
struct perf_options {
	struct weir_options weir;
	uint64_t min_bytes;
	uint64_t max_bytes;
	uint64_t step_factor;
	uint64_t step_bytes;
	uint64_t iterations;
	uint64_t warmup;
	uint64_t seed;
	double scale;
	enum perf_type type;
	bool verify;
	bool json;
};

/**
 * struct perf_result - one size
 * @bytes: of the vector
 * @mean_us: of an allreduce
 * @min_us: the fastest
 * @max_us: the slowest
 * @wrong: elements, of all iterations, warm-up included; only with --verify
 */
struct perf_result {
	uint64_t bytes;
	double mean_us;
	double min_us;
	double max_us;
	uint64_t wrong;
};

#define PERF_ELEMENT	sizeof(int32_t)

/* args.c: reads the command line; does not return when it is wrong. */
void args_read(struct perf_options *options, int argc, char **argv);

/*
 * data.c: elements that any rank can compute for all ranks. They use as much of
 * the range as leaves room for the sum.
 */
void data_fill(const struct perf_options *options, void *vector, size_t count, uint64_t iteration);
uint64_t data_wrong(const struct perf_options *options, const void *sums, size_t count,
		    uint64_t iteration);

/* measure.c: one size. Returns 0 or the library's error. */
int measure(struct weir *comm, const struct perf_options *options, uint64_t bytes, void *in,
	    void *out, struct perf_result *result);

/* report.c: what is printed, before, for each size, and after. */
void report_begin(const struct perf_options *options, struct weir *comm);
void report_result(const struct perf_options *options, const struct perf_result *result);
void report_end(const struct perf_options *options, struct weir *comm, uint64_t wrong);
void report_error(const struct perf_options *options, const char *sentence);

#endif
