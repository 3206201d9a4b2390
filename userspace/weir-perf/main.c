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

static int run(struct weir *comm, const struct perf_options *options, void *in, void *out)
{
	struct perf_result result;
	uint64_t wrong = 0;

	report_begin(options, comm);
	for (uint64_t bytes = options->min_bytes; bytes <= options->max_bytes;
	     bytes = next_size(options, bytes)) {
		if (measure(comm, options, bytes, in, out, &result))
			return fail(options, weir_error(comm));
		report_result(options, &result);
		wrong += result.wrong;
	}
	report_end(options, comm, wrong);
	if (wrong) {
		fprintf(stderr, "weir-perf: rank %u: %" PRIu64 " elements are wrong\n",
			options->weir.rank, wrong);
		return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct perf_options options;
	struct weir *comm;
	void *in, *out;
	int status;

	args_read(&options, argc, argv);
	in = malloc(options.max_bytes);
	out = malloc(options.max_bytes);
	if (!in || !out) {
		free(in);
		free(out);
		return fail(&options, "no memory for two vectors of --max-bytes");
	}
	status = weir_open(&comm, &options.weir) ? fail(&options, weir_error(NULL)) :
						   run(comm, &options, in, out);
	weir_close(comm);
	free(in);
	free(out);
	return status;
}
