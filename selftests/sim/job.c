// SPDX-License-Identifier: GPL-2.0
#include "job.h"

#include "ring.h"

/**
 * struct job_rank - a rank's place in its job
 * @computed: it has the gradients of the next iteration
 * @finished: iterations that it is done with
 */
struct job_rank {
	struct event computed;
	struct job *job;
	unsigned int finished;
};

static uint64_t blocks_of(const struct model *model)
{
	return (model->bytes + GANG_PAYLOAD - 1) / GANG_PAYLOAD;
}

static void computed(struct event *event)
{
	struct job_rank *own = container_of(event, struct job_rank, computed);
	struct job *job = own->job;
	unsigned int rank = (unsigned int)(own - job->rank);

	if (job->ring)
		ring_allow(job->ring, rank, own->finished + 1);
	else
		gang_allow(job->gang, rank, (own->finished + 1) * blocks_of(job->model));
}

static void end(struct job *job)
{
	job->ended = event_now();
	if (job->gang)
		gang_release(job->gang);
	job->ended_call(job);
}

static void reduced(void *owner, unsigned int rank)
{
	struct job *job = owner;
	struct job_rank *own = &job->rank[rank];

	if (++own->finished < job->iterations)
		event_at(&own->computed, event_now() + job->model->compute);
	else if (!--job->left)
		end(job);
}

struct job *job_start(const struct job_config *config, const struct clos *clos,
		      const struct model *model, unsigned int *servers, unsigned int ranks,
		      uint64_t *seed, void (*ended)(struct job *job))
{
	struct job *job = sim_alloc(1, sizeof(*job));

	job->model = model;
	job->ranks = ranks;
	job->servers = servers;
	job->iterations = config->iterations;
	job->started = event_now();
	job->left = ranks;
	job->ended_call = ended;
	job->rank = sim_alloc(ranks, sizeof(*job->rank));
	if (config->is_ring)
		job->ring = ring_new(clos, config->is_deaf, servers, ranks, model->bytes,
				     config->iterations, seed, reduced, job);
	else
		job->gang = gang_new(&config->gang, clos, servers, ranks,
				     config->iterations * blocks_of(model), reduced, job);
	for (unsigned int r = 0; r < ranks; r++) {
		job->rank[r].job = job;
		job->rank[r].computed.run = computed;
		event_at(&job->rank[r].computed, event_now() + model->compute);
	}
	return job;
}
