/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The case of the paper's figure 9: one job with a worker in each rack, and beside some of them a server
 * that sends long flows.
 */
#ifndef SIM_NOISE_H
#define SIM_NOISE_H

#include "job.h"

/* Prints how long an iteration takes. */
void noise_run(const struct clos *clos, const struct job_config *config, unsigned int senders,
	       uint64_t seed);

#endif
