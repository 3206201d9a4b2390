/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Jobs of all: they arrive as a Poisson process, have 16 to 96 ranks, and lie side
 * by side where there are fewest others.
 */
#ifndef SIM_CLUSTER_H
#define SIM_CLUSTER_H

#include "job.h"

/**
 * struct cluster_config - how many jobs
 * @ranks: of each job; 0 is drawn by lot
 * @load: of each server's link, if all jobs went round rings
 * @scale: bytes of gradients, and times of computing, are divided by it
 * @from: jobs that arrive at this time or later,
 * @until: and before this one, are measured
 * @mbps: of a port
 */
struct cluster_config {
	struct job_config job;
	unsigned int ranks;
	double load;
	unsigned int scale;
	uint64_t from;
	uint64_t until;
	uint32_t mbps;
};

void cluster_start(const struct clos *clos, const struct cluster_config *config, uint64_t seed);

/* No job arrives any more. */
void cluster_stop(void);

/* Return true if all jobs that are measured are done. */
bool cluster_is_measured(void);

/* Return true if all jobs are done. */
bool cluster_is_done(void);

/*
 * Prints how many jobs were measured, and how long they took by what they would take with links of their
 * own and sums in the network. One that is not done counts as if it were done now.
 */
void cluster_print(void);

#endif
