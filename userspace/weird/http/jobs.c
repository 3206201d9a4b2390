// SPDX-License-Identifier: GPL-2.0
/* /jobs: a worker asks for its place, a tenant looks, a job or a rank ends. */
#include <stdlib.h>
#include <string.h>

#include "http/lease.h"
#include "http/reply.h"
#include "http/request.h"
#include "http/visitor.h"

enum MHD_Result answer_ask(struct request *request, struct refusal *refusal)
{
	const struct visitor *visitor = visitor_of(request->connection);
	struct jobs *jobs = request->server->jobs;
	enum MHD_Result result;
	struct addr called;
	struct job *job;
	struct ask ask;
	bool made;

	if (!ask_read(&ask, request->body, request->used, refusal))
		return MHD_NO;
	if (!visitor_called(visitor, &called)) {
		refuse(refusal, 500, "the connection has no address");
		return MHD_NO;
	}
	job = jobs_join(jobs, request->tenant, &ask, &visitor->peer, &called, &made, refusal);
	if (!job)
		return MHD_NO;
	request->stream = lease_begin(jobs, job, ask.rank, made, request->connection, &result);
	return result;
}

enum MHD_Result answer_jobs(struct request *request, struct refusal *refusal)
{
	const struct tenant *tenant = request->tenant;
	struct json_object *list = json_object_new_array();
	unsigned int i;

	(void)refusal;
	for (i = 0; i <= WEIR_JOB_ID_MAX; i++) {
		const struct job *job = request->server->jobs->by_id[i];

		if (job && (tenant->operator || !strcmp(job->tenant, tenant->name)))
			json_object_array_add(list, job_write(job));
	}
	return reply_json(request->connection, MHD_HTTP_OK, list);
}

/* "NAME" or "NAME/ranks/R"; false where it is neither. */
static bool split(char *path, const char **rank)
{
	char *slash = strchr(path, '/');

	*rank = NULL;
	if (!slash)
		return true;
	*slash = '\0';
	if (strncmp(slash + 1, "ranks/", 6))
		return false;
	*rank = slash + 7;
	return **rank && strlen(*rank) <= 3 && strspn(*rank, "0123456789") == strlen(*rank);
}

enum MHD_Result answer_delete(struct request *request, struct refusal *refusal)
{
	struct jobs *jobs = request->server->jobs;
	const char *rank;
	struct job *job;

	if (!split(request->path, &rank)) {
		refuse(refusal, 404, "the path must be /jobs/NAME or /jobs/NAME/ranks/RANK");
		return MHD_NO;
	}
	job = jobs_find(jobs, request->tenant->name, request->path);
	if (!job) {
		refuse(refusal, 404, "tenant %s has no job of this name", request->tenant->name);
		return MHD_NO;
	}
	if (!rank)
		jobs_remove(jobs, job, "its tenant has ended it");
	else if (!jobs_leave(jobs, job, strtoul(rank, NULL, 10), refusal))
		return MHD_NO;
	return reply_text(request->connection, MHD_HTTP_NO_CONTENT, "", "");
}
