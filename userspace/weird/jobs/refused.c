// SPDX-License-Identifier: GPL-2.0
#include "jobs/refused.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"

/* Launchers start ranks within seconds; a run that is restarted after that is another one. */
#define REMEMBER_MS 10000

/*
 * Return true if ranks are missing. If none is, the job has begun: a rank that is refused then is a stranger,
 * or comes late.
 */
static bool gathers(const struct job *job)
{
	unsigned int i;

	for (i = 0; i < job->asked.ranks; i++) {
		if (!job->rank[i].bound)
			return true;
	}
	return false;
}

static bool is_of(const struct refused *refused, const char *tenant, const char *name)
{
	return clock_ms() < refused->until && !strcmp(refused->tenant, tenant) &&
	       !strcmp(refused->name, name);
}

static struct refused *find_rank(struct jobs *jobs, const struct tenant *tenant,
				 const struct ask *ask)
{
	unsigned int i;

	for (i = 0; i < JOBS_REFUSED; i++) {
		struct refused *refused = &jobs->refused[i];

		if (refused->rank == ask->rank && is_of(refused, tenant->name, ask->name))
			return refused;
	}
	return NULL;
}

static void tell_all(struct jobs *jobs, const struct job *job, const struct refused *refused)
{
	unsigned int i;

	for (i = 0; i < job->asked.ranks; i++) {
		if (job->rank[i].lease)
			jobs->lease_tell(job->rank[i].lease, refused->rank, refused->why);
	}
}

/* A rank that is there keeps its place, whoever else asks for it. */
static bool is_there(const struct job *job, uint32_t rank)
{
	return rank < job->asked.ranks && job->rank[rank].lease;
}

void refused_note(struct jobs *jobs, const struct tenant *tenant, const struct ask *ask,
		  const char *why)
{
	const struct job *job = jobs_find(jobs, tenant->name, ask->name);
	struct refused *refused;

	if (job && (is_there(job, ask->rank) || !gathers(job)))
		return;
	refused = find_rank(jobs, tenant, ask);
	if (!refused)
		refused = &jobs->refused[jobs->next_refused++ % JOBS_REFUSED];
	strcpy(refused->tenant, tenant->name);
	strcpy(refused->name, ask->name);
	refused->rank = ask->rank;
	refused->until = clock_ms() + REMEMBER_MS;
	snprintf(refused->why, sizeof(refused->why), "%s", why);
	if (job)
		tell_all(jobs, job, refused);
}

void refused_forget(struct jobs *jobs, const struct tenant *tenant, const struct ask *ask)
{
	struct refused *refused = find_rank(jobs, tenant, ask);

	if (refused)
		refused->until = 0;
}

void refused_tell(struct jobs *jobs, const struct job *job, struct lease *lease)
{
	unsigned int i;

	if (!gathers(job))
		return;
	for (i = 0; i < JOBS_REFUSED; i++) {
		const struct refused *refused = &jobs->refused[i];

		if (is_of(refused, job->tenant, job->name))
			jobs->lease_tell(lease, refused->rank, refused->why);
	}
}
