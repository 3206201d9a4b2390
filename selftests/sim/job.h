/* SPDX-License-Identifier: GPL-2.0 */
/* Training jobs: iterations of computing, and of reducing what came of it. */
#ifndef SIM_JOB_H
#define SIM_JOB_H

#include "gang.h"

/**
 * struct model - what is trained
 * @bytes: of its gradients
 * @compute: ns of an iteration
 */
struct model {
	const char *name;
	uint64_t bytes;
	uint64_t compute;
};

/**
 * struct job_config - how jobs reduce
 * @is_ring: round a ring of TCP; else as @gang says
 * @is_deaf: a ring's TCP does not hear marks
 */
struct job_config {
	bool is_ring;
	bool is_deaf;
	struct gang_config gang;
	unsigned int iterations;
};

/**
 * struct job - one of them
 * @started: when
 * @ended: when its last rank was done; 0 before
 * @ended_call: is called then
 */
struct job {
	const struct model *model;
	unsigned int ranks;
	unsigned int *servers;
	unsigned int iterations;
	uint64_t started;
	uint64_t ended;
	unsigned int left;
	struct job_rank *rank;
	struct gang *gang;
	struct ring *ring;
	void (*ended_call)(struct job *job);
};

/* The job takes over @servers. It starts now. */
struct job *job_start(const struct job_config *config, const struct clos *clos,
		      const struct model *model, unsigned int *servers, unsigned int ranks,
		      uint64_t *seed, void (*ended)(struct job *job));

#endif
