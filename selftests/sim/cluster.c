// SPDX-License-Identifier: GPL-2.0
#include "cluster.h"

#include <stdio.h>

#include "figures.h"
#include "random.h"

#define LEAST_RANKS	16
#define MOST_RANKS	96

/*
 * The paper's models: parameters of four bytes, and an iteration on a P100. The paper prints no times;
 * these are estimates. With them 0.15 to 0.53 of an iteration is communication at 10 Gbit/s, as the
 * paper's speed-ups of 1.15 to 1.53 for that GPU say (its section 2).
 */
static const struct model models[] = {
	{ "vgg16", 553 * 1000000ULL, 415 * MSEC },
	{ "alexnet", 244 * 1000000ULL, 171 * MSEC },
	{ "resnet152", 241 * 1000000ULL, 697 * MSEC },
	{ "resnet50", 102 * 1000000ULL, 292 * MSEC },
	{ "inception3", 95 * 1000000ULL, 450 * MSEC },
	{ "googlenet", 28 * 1000000ULL, 67 * MSEC },
};

#define MODELS	(sizeof(models) / sizeof(models[0]))

/**
 * struct listed - a job in the list of all
 */
struct listed {
	struct listed *next;
	struct job *job;
};

static struct {
	const struct clos *clos;
	struct cluster_config config;
	struct model models[MODELS];
	struct event arrival;
	uint64_t seed;
	double wait;
	bool is_stopped;
	unsigned int *server_jobs;
	struct listed *jobs;
	unsigned int open;
	unsigned int open_measured;
	unsigned int most;
} cluster;

static bool is_measured(const struct job *job)
{
	return job->started >= cluster.config.from && job->started < cluster.config.until;
}

static void count_ranks(const struct job *job, int by)
{
	for (unsigned int r = 0; r < job->ranks; r++)
		cluster.server_jobs[job->servers[r]] += (unsigned int)by;
}

static void job_ended(struct job *job)
{
	count_ranks(job, -1);
	cluster.open--;
	cluster.open_measured -= is_measured(job);
}

/* Ranks at the servers from that one on. */
static unsigned int crowd(unsigned int first, unsigned int count)
{
	unsigned int sum = 0;

	for (unsigned int i = 0; i < count; i++)
		sum += cluster.server_jobs[(first + i) % cluster.clos->servers];
	return sum;
}

static unsigned int *place(unsigned int ranks)
{
	unsigned int count = cluster.clos->servers, best = 0, least = crowd(0, ranks), sum = least;
	unsigned int *servers = sim_alloc(ranks, sizeof(*servers));

	for (unsigned int first = 1; first < count; first++) {
		sum += cluster.server_jobs[(first + ranks - 1) % count];
		sum -= cluster.server_jobs[first - 1];
		if (sum < least) {
			least = sum;
			best = first;
		}
	}
	for (unsigned int r = 0; r < ranks; r++)
		servers[r] = (best + r) % count;
	return servers;
}

static unsigned int draw_ranks(void)
{
	unsigned int most = MOST_RANKS < cluster.clos->servers ? MOST_RANKS : cluster.clos->servers;
	unsigned int least = LEAST_RANKS < most ? LEAST_RANKS : most;

	if (cluster.config.ranks)
		return cluster.config.ranks < most ? cluster.config.ranks : most;
	return least + random_below(&cluster.seed, most - least + 1);
}

static void begin_job(void)
{
	struct listed *listed = sim_alloc(1, sizeof(*listed));
	unsigned int ranks = draw_ranks();
	const struct model *model = &cluster.models[random_below(&cluster.seed, MODELS)];
	uint64_t seed = random_next(&cluster.seed);

	listed->job = job_start(&cluster.config.job, cluster.clos, model, place(ranks), ranks, &seed,
				job_ended);
	listed->next = cluster.jobs;
	cluster.jobs = listed;
	count_ranks(listed->job, 1);
	cluster.open_measured += is_measured(listed->job);
	if (++cluster.open > cluster.most)
		cluster.most = cluster.open;
}

static void wait_for_next(void)
{
	event_at(&cluster.arrival, event_now() + (uint64_t)random_wait(&cluster.seed, cluster.wait));
}

static void arrive(struct event *event)
{
	(void)event;
	if (cluster.is_stopped)
		return;
	begin_job();
	wait_for_next();
}

/* Bytes that all ranks of a job send round rings, in the mean. */
static double mean_bytes(void)
{
	double sum = 0, ranks = cluster.config.ranks ?: (LEAST_RANKS + MOST_RANKS) / 2.0;

	for (unsigned int i = 0; i < MODELS; i++)
		sum += (double)cluster.models[i].bytes / MODELS;
	/* 2 (N - 1) / N of it a rank: for N ranks 2 (N - 1). */
	return sum * 2 * (ranks - 1) * cluster.config.job.iterations;
}

void cluster_start(const struct clos *clos, const struct cluster_config *config, uint64_t seed)
{
	double rate = config->load * config->mbps / 8000.0 * clos->servers;

	cluster.clos = clos;
	cluster.config = *config;
	cluster.seed = seed;
	cluster.arrival.run = arrive;
	cluster.server_jobs = sim_alloc(clos->servers, sizeof(*cluster.server_jobs));
	for (unsigned int i = 0; i < MODELS; i++) {
		cluster.models[i] = models[i];
		cluster.models[i].bytes /= config->scale;
		cluster.models[i].compute /= config->scale;
	}
	if (config->load <= 0)
		return;
	cluster.wait = mean_bytes() / rate;
	wait_for_next();
}

void cluster_stop(void)
{
	cluster.is_stopped = true;
}

bool cluster_is_measured(void)
{
	return !cluster.open_measured;
}

bool cluster_is_done(void)
{
	return !cluster.open;
}

void cluster_print(void)
{
	struct figures stretches = { 0 }, times = { 0 };

	for (const struct listed *l = cluster.jobs; l; l = l->next) {
		const struct job *job = l->job;
		double took = (double)((job->ended ? job->ended : event_now()) - job->started);
		double alone = (double)job->model->bytes * 8000 / cluster.config.mbps;

		if (!is_measured(job))
			continue;
		figures_add(&times, took / MSEC);
		alone = job->iterations * (alone + (double)job->model->compute);
		figures_add(&stretches, took / alone);
	}
	printf("jobs %zu\n", times.count);
	printf("jobs_not_done %u\n", cluster.open_measured);
	printf("jobs_at_once %u\n", cluster.most);
	printf("training_ms %.3f\n", figures_mean(&times));
	printf("training_stretch %.4f\n", figures_mean(&stretches));
}
