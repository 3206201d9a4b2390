/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The jobs that workers have asked for. Each is in memory, in the journal and in the module;
 * what an administrator has added by hand is in the module alone, and is never touched.
 */
#ifndef WEIRD_JOBS_H
#define WEIRD_JOBS_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

#include <weir.h>

#include "ask/ask.h"
#include "box/box.h"
#include "conf/conf.h"

struct lease;

/**
 * struct rank - a worker's place
 * @bound: the module has its address
 * @left: it has said that it goes, and does not come back
 * @unseen: bound before this daemon started, and has not called it since
 * @lease: its connection; NULL while it has none
 */
struct rank {
	bool bound;
	bool left;
	bool unseen;
	struct addr address;
	uint16_t port;
	struct lease *lease;
};

/**
 * struct job - one of the table
 * @box: as the module has it
 * @asked: as its first worker asked for it
 * @leases: ranks that are connected
 * @alone_since: since when none is, in milliseconds
 * @grace: milliseconds that this may last
 * @activity: of the module's, when it was looked at last
 */
struct job {
	char tenant[TENANT_NAME_MAX + 1];
	char name[JOB_NAME_MAX + 1];
	struct box_job box;
	struct spec asked;
	unsigned int leases;
	uint64_t alone_since;
	uint64_t grace;
	uint64_t activity;
	struct rank rank[WEIR_SOURCES_MAX];
};

#define JOBS_REFUSED	64

/**
 * struct refused - a rank that was refused a place in a job
 * @until: time at which that is forgotten
 * @why: in words
 */
struct refused {
	char tenant[TENANT_NAME_MAX + 1];
	char name[JOB_NAME_MAX + 1];
	uint32_t rank;
	uint64_t until;
	char why[REFUSAL_TEXT];
};

/**
 * struct jobs - all of them
 * @next: the id that is tried first
 * @refused: the last ones
 * @next_refused: index of the next one of these
 * @journal: the directory's descriptor
 * @conf: may be another from one call to the next
 * @lease_end: closes a connection, whose worker is told why
 * @lease_tell: tells a worker that another rank was refused, and why
 * @lease_is_cut: the worker has closed the connection, which may not have been noticed yet
 */
struct jobs {
	struct job *by_id[WEIR_JOB_ID_MAX + 1];
	unsigned int next;
	struct refused refused[JOBS_REFUSED];
	unsigned int next_refused;
	int journal;
	const struct conf *conf;
	void (*lease_end)(struct lease *lease, const char *why);
	void (*lease_tell)(struct lease *lease, uint32_t rank, const char *why);
	bool (*lease_is_cut)(const struct lease *lease);
};

/* The journal's directory; what is in it is brought back, see jobs_restore(). */
bool jobs_open(struct jobs *jobs, const char *directory, struct refusal *refusal);

/*
 * Gives a rank its place, and makes the job where there is none. @from: the worker's address;
 * @to: the one that it called. NULL, and @refusal filled, where it is refused.
 */
struct job *jobs_join(struct jobs *jobs, const struct tenant *tenant, const struct ask *ask,
		      const struct addr *from, const struct addr *to, bool *made,
		      struct refusal *refusal);

struct job *jobs_find(struct jobs *jobs, const char *tenant, const char *name);

/* The connection of a rank has been made, or has ended. */
void jobs_lease(struct job *job, uint32_t rank, struct lease *lease);
void jobs_lost(struct jobs *jobs, struct job *job, uint32_t rank);

/* The rank does not come back. The last one to say so takes the job with it. */
bool jobs_leave(struct jobs *jobs, struct job *job, uint32_t rank, struct refusal *refusal);

void jobs_remove(struct jobs *jobs, struct job *job, const char *why);

/*
 * Returns true if no worker of the job is left: all that have called have left or closed their
 * connections, and no packet has come since.
 */
bool jobs_is_deserted(const struct jobs *jobs, struct job *job);

/*
 * Take away the jobs whose workers have gone. Return the milliseconds until the next call, or -1 if there is
 * no job.
 */
int jobs_tick(struct jobs *jobs);

/* Make the module's jobs and the journal agree, after a start of the daemon or the module. */
void jobs_restore(struct jobs *jobs);

/* Somebody may have taken this job out of the module. */
void jobs_check(struct jobs *jobs, uint32_t id);

/* The job as JSON: what its tenant may see. */
struct json_object *job_write(const struct job *job);

#endif
