// SPDX-License-Identifier: GPL-2.0
#include "jobs/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "jobs/journal.h"

#define TICK_MS 1000
#define RESTORE_TRIES 3

/* Two daemons of one journal would take each other's jobs away. */
bool jobs_open(struct jobs *jobs, const char *directory, struct refusal *refusal)
{
	jobs->journal = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (jobs->journal < 0)
		return refuse(refusal, 500, "%s: %s", directory, strerror(errno));
	if (flock(jobs->journal, LOCK_EX | LOCK_NB))
		return refuse(refusal, 500, "%s: another weird has it", directory);
	unlinkat(jobs->journal, FILE_NEW, 0);
	return true;
}

void jobs_lease(struct job *job, uint32_t rank, struct lease *lease)
{
	job->rank[rank].lease = lease;
	job->rank[rank].unseen = false;
	job->leases++;
}

static void look(struct job *job)
{
	struct box_job seen;

	if (!box_job_get(job->box.id, &seen))
		job->activity = seen.activity;
}

void jobs_lost(struct jobs *jobs, struct job *job, uint32_t rank)
{
	job->rank[rank].lease = NULL;
	if (--job->leases)
		return;
	job->alone_since = clock_ms();
	job->grace = jobs->conf->grace * 1000ull;
	look(job);
}

static bool all_left(const struct job *job)
{
	unsigned int i;

	for (i = 0; i < job->asked.ranks; i++) {
		if (job->rank[i].bound && !job->rank[i].left)
			return false;
	}
	return true;
}

bool jobs_leave(struct jobs *jobs, struct job *job, uint32_t rank, struct refusal *refusal)
{
	if (rank >= job->asked.ranks || !job->rank[rank].bound)
		return refuse(refusal, 404, "the job has no rank %u", rank);
	job->rank[rank].left = true;
	if (all_left(job))
		jobs_remove(jobs, job, "all ranks have left");
	return true;
}

static void end_leases(struct jobs *jobs, struct job *job, const char *why)
{
	unsigned int i;

	for (i = 0; i < job->asked.ranks; i++) {
		struct lease *lease = job->rank[i].lease;

		job->rank[i].lease = NULL;
		if (lease)
			jobs->lease_end(lease, why);
	}
}

/* No worker and no request refers to it any longer; the module's job may still exist. */
static void forget(struct jobs *jobs, struct job *job, const char *why)
{
	log_line("job %u (%s/%s) ends: %s", job->box.id, job->tenant, job->name, why);
	jobs->by_id[job->box.id] = NULL;
	end_leases(jobs, job, why);
	free(job);
}

/* If this daemon cannot take the job away, the next one does, as the journal has it as ending. */
void jobs_remove(struct jobs *jobs, struct job *job, const char *why)
{
	int err;

	journal_write(jobs, job, true);
	err = box_job_del(job->box.id);
	if (!err || err == -ENOENT || err == -ENXIO)
		journal_erase(jobs, job);
	else
		log_line("job %u cannot be taken away: %s", job->box.id, box_error());
	forget(jobs, job, why);
}

static bool may_be_there(const struct jobs *jobs, const struct rank *rank)
{
	if (!rank->bound || rank->left)
		return false;
	return rank->unseen || (rank->lease && !jobs->lease_is_cut(rank->lease));
}

bool jobs_is_deserted(const struct jobs *jobs, struct job *job)
{
	uint64_t before = job->activity;
	unsigned int i;

	for (i = 0; i < job->asked.ranks; i++) {
		if (may_be_there(jobs, &job->rank[i]))
			return false;
	}
	/* Packets of a running job have not been looked at while it had connections. */
	if (job->leases)
		return true;
	look(job);
	return job->activity == before;
}

/* Packets keep a job whose workers have lost their connections to a daemon that was there. */
static bool is_over(struct job *job, uint64_t now)
{
	uint64_t before = job->activity;

	if (job->leases || now - job->alone_since < job->grace)
		return false;
	look(job);
	if (job->activity == before)
		return true;
	job->alone_since = now;
	return false;
}

int jobs_tick(struct jobs *jobs)
{
	uint64_t now = clock_ms();
	bool any = false;
	unsigned int i;

	for (i = 0; i <= WEIR_JOB_ID_MAX; i++) {
		struct job *job = jobs->by_id[i];

		if (job && is_over(job, now))
			jobs_remove(jobs, job, "its workers have gone");
		any |= jobs->by_id[i] != NULL;
	}
	return any ? TICK_MS : -1;
}

/* Return true if this job of the module's is the one that the journal has. */
static bool is_ours(const struct job *job, const struct box_job *seen)
{
	const struct spec *mine = &job->box.spec, *theirs = &seen->spec;

	return addr_equal(&job->box.address, &seen->address) && job->box.port == seen->port &&
	       mine->ranks == theirs->ranks && mine->dtype == theirs->dtype &&
	       mine->op == theirs->op && mine->order == theirs->order &&
	       mine->grads == theirs->grads && mine->blocks == theirs->blocks;
}

void jobs_check(struct jobs *jobs, uint32_t id)
{
	struct job *job = id <= WEIR_JOB_ID_MAX ? jobs->by_id[id] : NULL;
	struct box_job seen;
	int err;

	if (!job)
		return;
	err = box_job_get(id, &seen);
	if (err != -ENOENT && (err || is_ours(job, &seen)))
		return;
	journal_erase(jobs, job);
	forget(jobs, job, "the box's administrator has taken it away");
}

static const struct box_job *find_seen(const struct box_job *list, size_t count, unsigned int id)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (list[i].id == id)
			return &list[i];
	}
	return NULL;
}

/* One rank's source is as the journal has it. */
static int restore_source(const struct job *job, uint32_t number, const struct box_source *seen)
{
	const struct rank *rank = &job->rank[number];
	const struct box_source source = {
		.job = job->box.id,
		.rank = number,
		.address = rank->address,
		.port = rank->port,
	};

	if (!rank->bound)
		return 0;
	if (!seen) {
		int err = box_source_add(&source);

		/* `weir upgrade` may have added it since the list was read. */
		return err == -EEXIST ? box_source_set(&source) : err;
	}
	if (seen->port == rank->port && addr_equal(&seen->address, &rank->address))
		return 0;
	return box_source_set(&source);
}

/* A source of the module's that the journal has not shows that the job is another's. */
static int restore_sources(struct job *job, const struct box_source *list, size_t count)
{
	const struct box_source *there[WEIR_SOURCES_MAX] = {};
	unsigned int i;
	size_t k;
	int err = 0;

	for (k = 0; k < count; k++) {
		if (list[k].job != job->box.id)
			continue;
		if (list[k].rank >= WEIR_SOURCES_MAX || !job->rank[list[k].rank].bound)
			return -EEXIST;
		there[list[k].rank] = &list[k];
	}
	for (i = 0; i < job->asked.ranks && !err; i++)
		err = restore_source(job, i, there[i]);
	return err;
}

/* Returns 0, or a negative errno: -EAGAIN if the list without the job is no longer true. */
static int add_again(struct job *job)
{
	int err = box_job_add(&job->box);

	if (err)
		return err == -EEXIST ? -EAGAIN : err;
	err = restore_sources(job, NULL, 0);
	if (err && err != -ENXIO)
		box_job_del(job->box.id);
	return err;
}

/* Returns 0, or a negative errno where the job is not the daemon's, or cannot be had again. */
static int restore_job(struct job *job, const struct box_job *seen,
		       const struct box_source *sources, size_t count)
{
	struct box_job now;
	int err;

	if (seen && !is_ours(job, seen))
		return -EEXIST;
	err = seen ? restore_sources(job, sources, count) : add_again(job);
	if (!err && !box_job_get(job->box.id, &now)) {
		job->box.memory = now.memory;
		job->activity = now.activity;
	}
	return err;
}

/* From memory, or from the journal when the daemon has just started. */
static struct job *known(struct jobs *jobs, unsigned int id, bool *ending)
{
	struct job *job = jobs->by_id[id];
	unsigned int i;

	*ending = false;
	if (job)
		return job;
	job = journal_read(jobs, id, ending);
	if (!job)
		return NULL;
	for (i = 0; i < job->asked.ranks; i++)
		job->rank[i].unseen = job->rank[i].bound;
	job->alone_since = clock_ms();
	job->grace = jobs->conf->restart_grace * 1000ull;
	jobs->by_id[id] = job;
	return job;
}

/* The one before had begun to take it away. */
static void end_again(struct jobs *jobs, struct job *job, const struct box_job *there)
{
	if (there && is_ours(job, there))
		box_job_del(job->box.id);
	journal_erase(jobs, job);
	forget(jobs, job, "it was being taken away");
}

/* Returns true if the lists have to be read again: `weir upgrade` makes the same jobs. */
static bool restore_all(struct jobs *jobs, const struct box_job *seen, size_t jobs_seen,
			const struct box_source *sources, size_t sources_seen)
{
	bool again = false;
	unsigned int id;

	for (id = 0; id <= WEIR_JOB_ID_MAX; id++) {
		const struct box_job *there = find_seen(seen, jobs_seen, id);
		bool ending;
		struct job *job = known(jobs, id, &ending);
		int err;

		if (job && ending) {
			end_again(jobs, job, there);
			continue;
		}
		err = job ? restore_job(job, there, sources, sources_seen) : 0;
		again |= err == -EAGAIN;
		if (!err || err == -ENXIO || err == -EAGAIN)
			continue;
		journal_erase(jobs, job);
		forget(jobs, job, err == -EEXIST ? "the box has another job of this number" :
						   box_error());
	}
	return again;
}

static bool restore_from_lists(struct jobs *jobs)
{
	struct box_source *sources = NULL;
	size_t count = 0, source_count = 0;
	struct box_job *seen = NULL;
	bool again = false;
	int err;

	err = box_jobs(&seen, &count) ?: box_sources(&sources, &source_count);
	if (err)
		log_line("jobs are brought back later: %s", box_error());
	else
		again = restore_all(jobs, seen, count, sources, source_count);
	free(seen);
	free(sources);
	return again;
}

void jobs_restore(struct jobs *jobs)
{
	int tries = RESTORE_TRIES;

	while (tries-- && restore_from_lists(jobs))
		;
}

static struct json_object *write_ranks(const struct job *job)
{
	struct json_object *list = json_object_new_array();
	char text[ADDR_TEXT];
	unsigned int i;

	for (i = 0; i < job->asked.ranks; i++) {
		const struct rank *rank = &job->rank[i];
		struct json_object *entry;

		if (!rank->bound)
			continue;
		entry = json_object_new_object();
		json_object_object_add(entry, "rank", json_object_new_int((int)i));
		json_object_object_add(entry, "address",
				       json_object_new_string(addr_text(&rank->address, text)));
		json_object_object_add(entry, "port", json_object_new_int(rank->port));
		json_object_object_add(entry, "connected",
				       json_object_new_boolean(rank->lease != NULL));
		json_object_array_add(list, entry);
	}
	return list;
}

struct json_object *job_write(const struct job *job)
{
	struct json_object *object = json_object_new_object();
	char text[ADDR_TEXT];

	json_object_object_add(object, "tenant", json_object_new_string(job->tenant));
	json_object_object_add(object, "name", json_object_new_string(job->name));
	json_object_object_add(object, "job", json_object_new_int(job->box.id));
	json_object_object_add(object, "address",
			       json_object_new_string(addr_text(&job->box.address, text)));
	json_object_object_add(object, "udp_port", json_object_new_int(job->box.port));
	json_object_object_add(object, "memory",
			       json_object_new_int64((int64_t)job->box.memory));
	spec_write(&job->box.spec, object);
	json_object_object_add(object, "bound", write_ranks(job));
	return object;
}
