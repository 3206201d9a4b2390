// SPDX-License-Identifier: GPL-2.0
#include "jobs/quota.h"

#include <string.h>

#define PAGE 4096

/* Sum up what the tenant has in all of its jobs but @without, which may be NULL. */
static struct quota used(const struct jobs *jobs, const struct tenant *tenant,
			 const struct job *without)
{
	struct quota sum = {};
	unsigned int i;

	for (i = 0; i <= WEIR_JOB_ID_MAX; i++) {
		const struct job *job = jobs->by_id[i];

		if (!job || job == without || strcmp(job->tenant, tenant->name))
			continue;
		sum.jobs++;
		sum.memory += job->box.memory;
		sum.rate += job->box.spec.rate;
	}
	return sum;
}

/* The least that a job takes: its blocks, in whole pages. */
static uint64_t least_memory(const struct spec *spec)
{
	uint64_t bytes = spec->grads * (spec->order == WEIR_ORDER_FIXED ? 16ull : 4ull);

	return spec->blocks * ((bytes + PAGE - 1) / PAGE * PAGE);
}

static bool memory_fits(const struct tenant *tenant, uint64_t has, uint64_t more,
			struct refusal *refusal)
{
	if (has <= tenant->quota.memory && more <= tenant->quota.memory - has)
		return true;
	return refuse(refusal, 429,
		      "the job takes %ju bytes, and of %ju tenant %s has %ju: ask for fewer blocks",
		      (uintmax_t)more, (uintmax_t)tenant->quota.memory, tenant->name,
		      (uintmax_t)has);
}

/* A job that names no rate has as much as each of the jobs that the tenant may have. */
static bool rate_fits(const struct tenant *tenant, uint64_t has, uint64_t *rate,
		      struct refusal *refusal)
{
	uint64_t most = tenant->quota.rate;

	if (!most)
		return true;
	if (!*rate)
		*rate = most / tenant->quota.jobs ?: 1;
	if (has <= most && *rate <= most - has)
		return true;
	return refuse(refusal, 429,
		      "the job takes %ju bytes a second, and of %ju tenant %s has %ju",
		      (uintmax_t)*rate, (uintmax_t)most, tenant->name, (uintmax_t)has);
}

bool quota_allows(const struct jobs *jobs, const struct tenant *tenant, struct box_job *box,
		  struct refusal *refusal)
{
	struct quota has = used(jobs, tenant, NULL);

	if (has.jobs >= tenant->quota.jobs)
		return refuse(refusal, 429, "tenant %s has %ju jobs, and may have %ju",
			      tenant->name, (uintmax_t)has.jobs, (uintmax_t)tenant->quota.jobs);
	return memory_fits(tenant, has.memory, least_memory(&box->spec), refusal) &&
	       rate_fits(tenant, has.rate, &box->spec.rate, refusal);
}

bool quota_holds(const struct jobs *jobs, const struct tenant *tenant, const struct job *made,
		 struct refusal *refusal)
{
	return memory_fits(tenant, used(jobs, tenant, made).memory, made->box.memory, refusal);
}
