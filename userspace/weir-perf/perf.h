/* SPDX-License-Identifier: GPL-2.0 */
/* weir-perf from inside: its options and its measurements. */
#ifndef PERF_H
#define PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libweir.h"

/**
 * struct perf_options - the command line
 * @weir: options of the communicator
 * @min_bytes: first size
 * @max_bytes: last size
 * @step_factor: from one size to the next; 0 where @step_bytes is
 * @step_bytes: from one size to the next; 0 where @step_factor is
 * @iterations: measured, each size
 * @warmup: not measured, each size
 * @endless: until a rank is told to end, instead of @iterations
 * @seed: of the elements
 * @scale: of floats in a job of int32; 0 where the ranks agree on exponents
 * @type: of elements
 * @operation: operation that combines them
 * @job_type: of the job on the box, once it is known
 * @verify: compare every element
 * @accept_degraded: blocks may lack ranks
 * @unmerged: packets cross the kernel one by one
 * @progress: the library has a progress thread
 * @no_ecn: packets are not ECN-capable
 * @residual: request residuals, and compare them, too
 * @json: print JSON
 * @compare: names of others to be measured, too, with commas between; NULL is none
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
	enum weir_type type;
	enum weir_operation operation;
	enum weir_type job_type;
	bool verify;
	bool accept_degraded;
	bool unmerged;
	bool progress;
	bool no_ecn;
	bool residual;
	bool json;
	bool endless;
	const char *compare;
};

/**
 * struct perf_blocks - the ranks in each block of the last result
 * @grads: elements a block
 * @words: of a bitmap
 * @contributors: bitmaps of ranks, one a block
 */
struct perf_blocks {
	uint32_t grads;
	uint32_t words;
	uint64_t *contributors;
};

/* Elements of the pattern, and how many in a row a vector has of it. */
#define PERF_PATTERN	8192
#define PERF_RUN	128

/**
 * struct perf_pattern - what vectors are cut from
 * @elements: of the vectors' type
 * @terms: the same as the box sums them: whole numbers
 * @unit: value of a term of 1, without a scale
 */
struct perf_pattern {
	char elements[(PERF_PATTERN + PERF_RUN) * sizeof(float)];
	int32_t terms[PERF_PATTERN + PERF_RUN];
	double unit;
};

/**
 * struct perf_memory - the vectors of an allreduce
 * @in: elements
 * @out: sums
 * @residual: elements that are not in the sums; NULL without --residual
 * @blocks: the ranks in the sums
 * @pattern: of data_prepare()
 */
struct perf_memory {
	void *in;
	void *out;
	void *residual;
	struct perf_blocks blocks;
	struct perf_pattern pattern;
};

/**
 * struct perf_result - one size
 * @bytes: of the vector
 * @iterations: measured
 * @mean_us: of an allreduce
 * @min_us: the fastest
 * @max_us: the slowest
 * @wrong: elements, of all iterations, warm-up included; only with --verify
 * @degraded_blocks: of all iterations, that not all ranks are in
 * @missed_blocks: blocks among them without this rank
 * @digest: of all results; the same on all ranks. Only with --verify
 */
struct perf_result {
	uint64_t bytes;
	uint64_t iterations;
	double mean_us;
	double min_us;
	double max_us;
	uint64_t wrong;
	uint64_t degraded_blocks;
	uint64_t missed_blocks;
	uint64_t digest;
};

/**
 * struct perf_sizes - all sizes
 * @results: of each that was measured
 * @count: number of sizes that were measured
 * @total: number of sizes to measure
 */
struct perf_sizes {
	struct perf_result *results;
	size_t count;
	size_t total;
};

/* Bytes of another library's name. */
#define PERF_NAME	32

/**
 * struct perf_other - another library's times
 * @name: as the command line has it
 * @times: microseconds of an allreduce, one a size
 * @error: the reason if there are none, else empty
 */
struct perf_other {
	char name[PERF_NAME];
	double *times;
	char error[128];
};

/* type.c: types and operations by their names. */
size_t type_size(enum weir_type type);
const char *type_name(enum weir_type type);
const char *operation_name(enum weir_operation operation);

/* 0 where it is none. */
enum weir_type type_find(const char *name);
enum weir_operation operation_find(const char *name);

/* Element @i of a vector, exactly; and as near as the type has it. */
double type_get(const void *vector, enum weir_type type, size_t i);
void type_put(void *vector, enum weir_type type, size_t i, double value);

/* Bits that an integer may have so that the type has it. */
unsigned int type_bits(enum weir_type type);

/* args.c: reads the command line; does not return when it is wrong. */
void args_read(struct perf_options *options, int argc, char **argv);

/* data.c: the pattern, once the job's type is known. */
void data_prepare(const struct perf_options *options, struct perf_pattern *pattern);

/*
 * Elements that any rank can compute for all ranks. They use as much of the range
 * as leaves room for the sum; floats are chosen so that no sum is rounded in any order, and
 * can be compared bit for bit.
 */
void data_fill(const struct perf_options *options, const struct perf_memory *memory, size_t count,
	       uint64_t iteration);

/* Return the number of sums that are not those over the contributors, and of residuals that are wrong. */
uint64_t data_wrong(const struct perf_options *options, const struct perf_memory *memory,
		    size_t count, uint64_t iteration);

/* memory.c: the vectors of the largest size. False without so much memory. */
bool memory_make(struct perf_memory *memory, const struct perf_options *options);
void memory_free(struct perf_memory *memory);

/* Notes the ranks in a block; the library's on_block. */
void memory_note(void *memory, const struct weir_block_info *block);

/* digest.c: one number of many, which differs when any bit of them does. */
#define DIGEST_START	0xcbf29ce484222325u
uint64_t digest(uint64_t from, const void *elements, size_t bytes);

/*
 * measure.c: one size. result->digest continues from its value. Returns 0 or the library's
 * error.
 */
int measure(struct weir *comm, const struct perf_options *options, uint64_t bytes,
	    const struct perf_memory *memory, struct perf_result *result);

/* end.c: from here on SIGINT and SIGTERM tell this rank to end. */
void end_prepare(void);

/* Set @ends if all ranks are to end after @done iterations. Return 0 or the library's error. */
int end_reached(struct weir *comm, const struct perf_options *options, uint64_t done, bool *ends);

/* compare.c: run the same with other libraries, and report it. Return true if all have run. */
bool compare(const struct perf_options *options, const struct perf_sizes *sizes);

/*
 * report.c: output before, for each size, after them, where @all are summed up, for each other
 * library, and at the end.
 */
void report_begin(const struct perf_options *options, struct weir *comm);
void report_result(const struct perf_options *options, const struct perf_result *result);
void report_end(const struct perf_options *options, struct weir *comm,
		const struct perf_result *all);
void report_other(const struct perf_options *options, const struct perf_sizes *sizes,
		  const struct perf_other *other);
void report_close(const struct perf_options *options);
void report_error(const struct perf_options *options, const char *sentence);

#endif
