// SPDX-License-Identifier: GPL-2.0
/* weir-perf: measures allreduce through a box that sums. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "perf.h"

static int fail(const struct perf_options *options, const char *sentence)
{
	report_error(options, sentence);
	return 1;
}

static uint64_t next_size(const struct perf_options *options, uint64_t bytes)
{
	return options->step_factor ? bytes * options->step_factor : bytes + options->step_bytes;
}

static bool sizes_make(struct perf_sizes *sizes, const struct perf_options *options)
{
	*sizes = (struct perf_sizes) { 0 };
	for (uint64_t bytes = options->min_bytes; bytes <= options->max_bytes;
	     bytes = next_size(options, bytes))
		sizes->total++;
	sizes->results = calloc(sizes->total, sizeof(*sizes->results));
	return sizes->results;
}

static void add(struct perf_result *all, const struct perf_result *result)
{
	all->wrong += result->wrong;
	all->degraded_blocks += result->degraded_blocks;
	all->missed_blocks += result->missed_blocks;
	all->digest = result->digest;
}

static int run(struct weir *comm, const struct perf_options *options,
	       const struct perf_memory *memory, struct perf_sizes *sizes)
{
	struct perf_result all = { 0 }, result = { .digest = DIGEST_START };

	report_begin(options, comm);
	for (uint64_t bytes = options->min_bytes; bytes <= options->max_bytes;
	     bytes = next_size(options, bytes)) {
		if (measure(comm, options, bytes, memory, &result))
			return fail(options, weir_error(comm));
		report_result(options, &result);
		add(&all, &result);
		sizes->results[sizes->count++] = result;
	}
	report_end(options, comm, &all);
	if (all.wrong) {
		fprintf(stderr, "weir-perf: rank %u: %" PRIu64 " elements are wrong\n",
			options->weir.rank, all.wrong);
		return 1;
	}
	return 0;
}

static int open_and_run(struct perf_options *options, struct perf_memory *memory,
			struct perf_sizes *sizes)
{
	struct weir_stats stats = { .size = sizeof(stats) };
	struct weir *comm;
	int status;

	if (options->verify) {
		options->weir.on_block = memory_note;
		options->weir.on_block_context = memory;
	}
	if (options->accept_degraded)
		options->weir.flags |= WEIR_ACCEPT_DEGRADED;
	if (options->unmerged)
		options->weir.flags |= WEIR_UNMERGED;
	if (options->progress)
		options->weir.flags |= WEIR_PROGRESS;
	if (options->no_ecn)
		options->weir.flags |= WEIR_NO_ECN;
	options->weir.operation = options->operation;
	if (weir_open(&comm, &options->weir))
		return fail(options, weir_error(NULL));
	weir_get_stats(comm, &stats);
	options->job_type = stats.type;
	data_prepare(options, &memory->pattern);
	if (options->endless)
		end_prepare();
	status = run(comm, options, memory, sizes);
	weir_close(comm);
	return status;
}

/* The others get the links for themselves, where all sizes were measured. */
static int compare_and_close(const struct perf_options *options, const struct perf_sizes *sizes)
{
	bool is_right;

	if (sizes->count != sizes->total)
		return 1;
	is_right = compare(options, sizes);
	report_close(options);
	return is_right ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct perf_options options;
	struct perf_memory memory = { 0 };
	struct perf_sizes sizes;
	int status;

	args_read(&options, argc, argv);
	if (sizes_make(&sizes, &options) && memory_make(&memory, &options))
		status = open_and_run(&options, &memory, &sizes);
	else
		status = fail(&options, "no memory for vectors of --max-bytes");
	memory_free(&memory);
	status |= compare_and_close(&options, &sizes);
	free(sizes.results);
	return status;
}
