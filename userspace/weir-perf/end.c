// SPDX-License-Identifier: GPL-2.0
/*
 * End measuring after a number of iterations, or with --endless when one of the ranks is told to end. All
 * must end with the same iteration, so each reports in an extra allreduce whether it was told to.
 */
#include <signal.h>

#include "perf.h"

static volatile sig_atomic_t told;

static void tell(int signal)
{
	(void)signal;
	told = 1;
}

void end_prepare(void)
{
	/* Another signal ends the process at once. */
	struct sigaction action = { .sa_handler = tell, .sa_flags = (int)SA_RESETHAND };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

/* Anything but 0, in each operation and with each scale. */
static double word(const struct perf_options *options)
{
	double one = options->scale ? 1 / options->scale : 1;

	return options->operation == WEIR_MIN ? -one : one;
}

static int agree(struct weir *comm, const struct perf_options *options, bool *ends)
{
	const struct weir_extra extra = { .size = sizeof(extra), .scale = options->scale };
	uint32_t in = 0, out = 0;
	int err;

	type_put(&in, options->type, 0, told ? word(options) : 0);
	err = weir_allreduce(comm, &in, &out, 1, options->type, options->operation, 0, &extra);
	*ends = type_get(&out, options->type, 0) != 0;
	return err;
}

int end_reached(struct weir *comm, const struct perf_options *options, uint64_t done, bool *ends)
{
	*ends = done >= options->warmup + options->iterations;
	if (!options->endless)
		return 0;
	return agree(comm, options, ends);
}
