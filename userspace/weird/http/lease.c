// SPDX-License-Identifier: GPL-2.0
#include "http/lease.h"

#include <stdlib.h>

#include "base/log.h"
#include "jobs/refused.h"

struct lease {
	struct jobs *jobs;
	struct job *job;
	uint32_t rank;
	struct stream *stream;
};

static void put_line(struct stream *stream, struct json_object *object)
{
	const int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;

	stream_put(stream, json_object_to_json_string_ext(object, flags));
	stream_put(stream, "\n");
	json_object_put(object);
}

static void gone(void *context)
{
	struct lease *lease = context;

	jobs_lost(lease->jobs, lease->job, lease->rank);
	free(lease);
}

void lease_end(struct lease *lease, const char *why)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "ended", json_object_new_string(why));
	put_line(lease->stream, object);
	stream_end(lease->stream);
	free(lease);
}

void lease_tell(struct lease *lease, uint32_t rank, const char *why)
{
	struct json_object *object = json_object_new_object();
	struct json_object *refused = json_object_new_object();

	json_object_object_add(refused, "rank", json_object_new_int((int)rank));
	json_object_object_add(refused, "error", json_object_new_string(why));
	json_object_object_add(object, "refused", refused);
	put_line(lease->stream, object);
}

bool lease_is_cut(const struct lease *lease)
{
	return stream_is_cut(lease->stream);
}

/* All that libweir needs. */
static struct json_object *answer(const struct job *job, uint32_t rank)
{
	struct json_object *object = json_object_new_object();
	char text[ADDR_TEXT];

	json_object_object_add(object, "job", json_object_new_int(job->box.id));
	json_object_object_add(object, "name", json_object_new_string(job->name));
	json_object_object_add(object, "tenant", json_object_new_string(job->tenant));
	json_object_object_add(object, "address",
			       json_object_new_string(addr_text(&job->box.address, text)));
	json_object_object_add(object, "udp_port", json_object_new_int(job->box.port));
	json_object_object_add(object, "rank", json_object_new_int((int)rank));
	json_object_object_add(object, "bind_address",
			       json_object_new_string(addr_text(&job->rank[rank].address, text)));
	json_object_object_add(object, "bind_port", json_object_new_int(job->rank[rank].port));
	json_object_object_add(object, "window",
			       json_object_new_int((int)(job->box.spec.blocks + 1) / 2));
	spec_write(&job->box.spec, object);
	return object;
}

struct stream *lease_begin(struct jobs *jobs, struct job *job, uint32_t rank, bool made,
			   struct MHD_Connection *connection, enum MHD_Result *result)
{
	struct lease *lease = zalloc(sizeof(*lease));

	lease->jobs = jobs;
	lease->job = job;
	lease->rank = rank;
	lease->stream = stream_new(gone, lease);
	put_line(lease->stream, answer(job, rank));
	refused_tell(jobs, job, lease);
	jobs_lease(job, rank, lease);
	*result = stream_begin(connection, lease->stream,
			       made ? MHD_HTTP_CREATED : MHD_HTTP_OK, "application/x-ndjson");
	return lease->stream;
}
