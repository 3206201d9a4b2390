// SPDX-License-Identifier: GPL-2.0
#include "jobs/journal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fields.h"
#include "base/file.h"
#include "base/log.h"

#define JOURNAL_SIZE_MAX	(1 << 18)
#define FILE_NAME		32

static const char *const members[] = {
	"tenant", "address", "port", "rate", "ending", "ask", "ranks", NULL,
};

static const char *const rank_members[] = { "rank", "address", "port", NULL };

static const char *file_name(char name[static FILE_NAME], unsigned int id)
{
	snprintf(name, FILE_NAME, "job-%u.json", id);
	return name;
}

static void put_text(struct json_object *to, const char *name, const char *text)
{
	json_object_object_add(to, name, json_object_new_string(text));
}

static void put_number(struct json_object *to, const char *name, uint64_t number)
{
	json_object_object_add(to, name, json_object_new_int64((int64_t)number));
}

static struct json_object *write_ask(const struct job *job)
{
	struct json_object *ask = json_object_new_object();

	put_text(ask, "name", job->name);
	put_number(ask, "rank", 0);
	spec_write(&job->asked, ask);
	return ask;
}

static struct json_object *write_ranks(const struct job *job)
{
	struct json_object *list = json_object_new_array();
	char text[ADDR_TEXT];
	unsigned int i;

	for (i = 0; i < job->asked.ranks; i++) {
		struct json_object *entry;

		if (!job->rank[i].bound)
			continue;
		entry = json_object_new_object();
		put_number(entry, "rank", i);
		put_text(entry, "address", addr_text(&job->rank[i].address, text));
		put_number(entry, "port", job->rank[i].port);
		json_object_array_add(list, entry);
	}
	return list;
}

int journal_write(const struct jobs *jobs, const struct job *job, bool ending)
{
	struct json_object *object = json_object_new_object();
	char text[ADDR_TEXT], name[FILE_NAME];
	int err;

	put_text(object, "tenant", job->tenant);
	put_text(object, "address", addr_text(&job->box.address, text));
	put_number(object, "port", job->box.port);
	put_number(object, "rate", job->box.spec.rate);
	json_object_object_add(object, "ending", json_object_new_boolean(ending));
	json_object_object_add(object, "ask", write_ask(job));
	json_object_object_add(object, "ranks", write_ranks(job));
	err = file_replace(jobs->journal, file_name(name, job->box.id),
			   json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN), NULL);
	json_object_put(object);
	if (err)
		log_line("job %u cannot be written to the journal: %s", job->box.id,
			 strerror(-err));
	return err;
}

void journal_erase(const struct jobs *jobs, const struct job *job)
{
	char name[FILE_NAME];

	if (unlinkat(jobs->journal, file_name(name, job->box.id), 0) && errno != ENOENT)
		log_line("job %u cannot be erased from the journal: %s", job->box.id,
			 strerror(errno));
}

static void read_rank(struct job *job, struct json_object *object, struct refusal *refusal)
{
	struct fields fields;
	const char *address;
	struct rank *rank;

	if (!fields_begin(&fields, object, rank_members, refusal))
		return;
	rank = &job->rank[field_number(&fields, "rank", 0, job->asked.ranks - 1, 0)];
	rank->port = field_number(&fields, "port", 1, UINT16_MAX, job->box.port);
	address = field_text(&fields, "address");
	rank->bound = address && addr_parse(&rank->address, address);
}

static void read_job(struct job *job, struct json_object *object, bool *ending,
		     struct refusal *refusal)
{
	const char *tenant, *address;
	struct json_object *ranks;
	struct fields fields;
	struct ask ask;
	size_t i;

	if (!fields_begin(&fields, object, members, refusal) ||
	    !ask_take(&ask, field_object(&fields, "ask"), refusal))
		return;
	tenant = field_text(&fields, "tenant");
	address = field_text(&fields, "address");
	if (!tenant || strlen(tenant) > TENANT_NAME_MAX || !address ||
	    !addr_parse(&job->box.address, address)) {
		refuse(refusal, 400, "it has no tenant or no address");
		return;
	}
	strcpy(job->tenant, tenant);
	strcpy(job->name, ask.name);
	job->asked = ask.spec;
	job->box.spec = ask.spec;
	job->box.spec.rate = field_number(&fields, "rate", 0, INT64_MAX, 0);
	job->box.port = field_number(&fields, "port", 1, UINT16_MAX, WEIR_PORT_DEFAULT);
	*ending = field_flag(&fields, "ending");
	ranks = field_list(&fields, "ranks");
	for (i = 0; ranks && i < json_object_array_length(ranks); i++)
		read_rank(job, json_object_array_get_idx(ranks, i), refusal);
}

struct job *journal_read(const struct jobs *jobs, unsigned int id, bool *ending)
{
	struct refusal refusal = {};
	struct json_object *object;
	char name[FILE_NAME];
	struct job *job;
	size_t size;
	char *text;

	text = file_read_at(jobs->journal, file_name(name, id), JOURNAL_SIZE_MAX, &size);
	if (!text)
		return NULL;
	job = zalloc(sizeof(*job));
	job->box.id = id;
	object = fields_parse(text, size, &refusal);
	free(text);
	if (!refusal.status)
		read_job(job, object, ending, &refusal);
	json_object_put(object);
	if (!refusal.status)
		return job;
	log_line("%s of the journal is left aside: %s", name, refusal.text);
	free(job);
	return NULL;
}
