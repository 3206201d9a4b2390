// SPDX-License-Identifier: GPL-2.0
/* A worker asks: the job is found or made, and the worker's rank is bound to its address. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "jobs/journal.h"
#include "jobs/jobs.h"
#include "jobs/quota.h"
#include "jobs/refused.h"

#define NO_JOURNAL "the box cannot write its journal: its disk may be full"

/* A fault of the module's, with its own sentence. */
static bool box_refuses(struct refusal *refusal, int err)
{
	int status = err == -ENXIO ? 503 : err == -EDQUOT || err == -ENOMEM ? 507 : 409;

	return refuse(refusal, status, "%s", box_error());
}

struct job *jobs_find(struct jobs *jobs, const char *tenant, const char *name)
{
	unsigned int i;

	for (i = 0; i <= WEIR_JOB_ID_MAX; i++) {
		struct job *job = jobs->by_id[i];

		if (job && !strcmp(job->tenant, tenant) && !strcmp(job->name, name))
			return job;
	}
	return NULL;
}

/*
 * Ids go round, so that packets of a job that was there a moment ago find no other. The module may
 * have jobs that others have added.
 */
static bool pick_id(struct jobs *jobs, struct box_job *box, struct refusal *refusal)
{
	unsigned int first = jobs->conf->first, n = jobs->conf->last - first + 1, i;
	struct box_job seen;

	if (jobs->next < first || jobs->next > jobs->conf->last)
		jobs->next = first;
	for (i = 0; i < n; i++) {
		unsigned int id = first + (jobs->next - first + i) % n;
		int err = jobs->by_id[id] ? 0 : box_job_get(id, &seen);

		if (!err)
			continue;
		if (err != -ENOENT)
			return box_refuses(refusal, err);
		box->id = id;
		jobs->next = id + 1;
		return true;
	}
	return refuse(refusal, 507, "all %u job ids of the box are taken", n);
}

/* In the journal first: a daemon that is killed in between takes it up, or away. */
static bool add(struct jobs *jobs, struct job *job, struct refusal *refusal)
{
	struct box_job seen;
	int err;

	if (journal_write(jobs, job, false))
		return refuse(refusal, 507, NO_JOURNAL);
	err = box_job_add(&job->box);
	if (!err)
		err = box_job_get(job->box.id, &seen);
	if (err) {
		box_refuses(refusal, err);
		journal_erase(jobs, job);
		return false;
	}
	job->box.memory = seen.memory;
	job->activity = seen.activity;
	jobs->by_id[job->box.id] = job;
	return true;
}

static bool may_have_group(const struct tenant *tenant, const struct spec *spec,
			   struct refusal *refusal)
{
	return !spec->group.len || prefixes_have(&tenant->groups, &spec->group) ||
	       refuse(refusal, 403, "tenant %s may not send to this group", tenant->name);
}

static struct job *make(struct jobs *jobs, const struct tenant *tenant, const struct ask *ask,
			const struct addr *to, struct refusal *refusal)
{
	struct job *job = zalloc(sizeof(*job));

	strcpy(job->tenant, tenant->name);
	strcpy(job->name, ask->name);
	job->asked = ask->spec;
	job->box.spec = ask->spec;
	job->box.address = jobs->conf->address.len ? jobs->conf->address : *to;
	job->box.port = jobs->conf->port;
	job->grace = jobs->conf->grace * 1000ull;
	job->alone_since = clock_ms();
	if (!may_have_group(tenant, &ask->spec, refusal) ||
	    !quota_allows(jobs, tenant, &job->box, refusal) ||
	    !pick_id(jobs, &job->box, refusal) || !add(jobs, job, refusal)) {
		free(job);
		return NULL;
	}
	if (!quota_holds(jobs, tenant, job, refusal)) {
		jobs_remove(jobs, job, refusal->text);
		return NULL;
	}
	log_line("job %u is %s/%s of %u ranks", job->box.id, job->tenant, job->name,
		 job->asked.ranks);
	return job;
}

static bool bind_rank(const struct jobs *jobs, struct job *job, uint32_t number,
		      const struct rank *wanted, struct refusal *refusal)
{
	struct rank *rank = &job->rank[number], before = *rank;
	const struct box_source source = {
		.job = job->box.id,
		.rank = number,
		.address = wanted->address,
		.port = wanted->port,
	};
	int err;

	*rank = *wanted;
	if (journal_write(jobs, job, false)) {
		*rank = before;
		return refuse(refusal, 507, NO_JOURNAL);
	}
	err = before.bound ? box_source_set(&source) : box_source_add(&source);
	if (!err)
		return true;
	box_refuses(refusal, err);
	*rank = before;
	journal_write(jobs, job, false);
	return false;
}

static bool place(const struct jobs *jobs, struct job *job, const struct ask *ask,
		  const struct addr *from, struct refusal *refusal)
{
	struct rank *rank = &job->rank[ask->rank];
	struct rank wanted = {
		.bound = true,
		.address = *from,
		.port = ask->port ?: job->box.port,
	};
	char text[ADDR_TEXT];

	if (rank->lease)
		return refuse(refusal, 409, "rank %u is there already, at %s", ask->rank,
			      addr_text(&rank->address, text));
	if (from->len != job->box.address.len)
		return refuse(refusal, 409, "the job's address is of %s, and the worker's of %s",
			      addr_family_word(&job->box.address), addr_family_word(from));
	rank->left = false;
	if (rank->bound && rank->port == wanted.port && addr_equal(&rank->address, from))
		return true;
	return bind_rank(jobs, job, ask->rank, &wanted, refusal);
}

/*
 * A run that was started again may have another size than before, and its name. The job of the run before
 * makes room for it if its workers have gone.
 */
static bool gives_way(struct jobs *jobs, struct job *job, const struct ask *ask,
		      struct refusal *refusal)
{
	if (spec_same(&job->asked, &ask->spec, refusal))
		return false;
	if (!jobs_is_deserted(jobs, job))
		return false;
	*refusal = (struct refusal){};
	jobs_remove(jobs, job, "a run of its name asks for another job, and its workers have gone");
	return true;
}

static struct job *find_place(struct jobs *jobs, const struct tenant *tenant,
			      const struct ask *ask, const struct addr *from,
			      const struct addr *to, bool *made, struct refusal *refusal)
{
	struct job *job = jobs_find(jobs, tenant->name, ask->name);
	char text[ADDR_TEXT];

	if (!prefixes_have(&tenant->prefixes, from)) {
		refuse(refusal, 403, "tenant %s may not bind ranks to %s", tenant->name,
		       addr_text(from, text));
		return NULL;
	}
	if (job && gives_way(jobs, job, ask, refusal))
		job = NULL;
	if (refusal->status)
		return NULL;
	*made = !job;
	if (!job)
		job = make(jobs, tenant, ask, to, refusal);
	if (!job)
		return NULL;
	if (place(jobs, job, ask, from, refusal))
		return job;
	if (*made)
		jobs_remove(jobs, job, refusal->text);
	return NULL;
}

struct job *jobs_join(struct jobs *jobs, const struct tenant *tenant, const struct ask *ask,
		      const struct addr *from, const struct addr *to, bool *made,
		      struct refusal *refusal)
{
	struct job *job = find_place(jobs, tenant, ask, from, to, made, refusal);

	if (job)
		refused_forget(jobs, tenant, ask);
	else
		refused_note(jobs, tenant, ask, refusal->text);
	return job;
}
