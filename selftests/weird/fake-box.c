// SPDX-License-Identifier: GPL-2.0
/*
 * A stand-in for the module in weird's tests: a file a job in $WEIRD_BOX, as JSON, so that what
 * it holds outlives the daemon, and a test reads it and plays the administrator.
 *
 *	job-N		a job and its sources
 *	gone		while it is there, so is no module
 *	upgrade		while it is there, each job and source that is added was added by another
 *			process just before
 *
 * With $WEIRD_KILL_AT the daemon is killed at the so many-th step: before and after each
 * change of the stand-in, and of the journal.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weir.h>

#include "base/file.h"
#include "base/log.h"
#include "box/box.h"
#include "box/hear.h"

#define FILE_SIZE_MAX	(1 << 16)
#define PAGE		4096
#define LOOK_MS		50

int __real_renameat(int from_directory, const char *from, int to_directory, const char *to);
int __real_unlinkat(int directory, const char *path, int flags);
int __wrap_renameat(int from_directory, const char *from, int to_directory, const char *to);
int __wrap_unlinkat(int directory, const char *path, int flags);

static char sentence[128];
static const struct hearer *hearer;
static bool was_there;

static void step(void)
{
	static int steps;
	const char *at = getenv("WEIRD_KILL_AT");

	if (at && ++steps == atoi(at))
		raise(SIGKILL);
}

int __wrap_renameat(int from_directory, const char *from, int to_directory, const char *to)
{
	int status;

	step();
	status = __real_renameat(from_directory, from, to_directory, to);
	step();
	return status;
}

int __wrap_unlinkat(int directory, const char *path, int flags)
{
	int status;

	step();
	status = __real_unlinkat(directory, path, flags);
	step();
	return status;
}

static int directory(void)
{
	static int fd = -1;

	if (fd < 0)
		fd = open(getenv("WEIRD_BOX") ?: "", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		log_die("WEIRD_BOX names no directory");
	return fd;
}

static bool is_there(void)
{
	return faccessat(directory(), "gone", F_OK, 0) != 0;
}

static int fault(int err, const char *text)
{
	snprintf(sentence, sizeof(sentence), "%s", text);
	return err;
}

static int added(const char *text)
{
	return faccessat(directory(), "upgrade", F_OK, 0) ? 0 : fault(-EEXIST, text);
}

const char *box_error(void)
{
	return sentence;
}

void box_forget(void)
{
}

static struct json_object *load(unsigned int id)
{
	struct json_object *object;
	char name[32], *text;
	size_t size;

	snprintf(name, sizeof(name), "job-%u", id);
	text = file_read_at(directory(), name, FILE_SIZE_MAX, &size);
	object = text ? json_tokener_parse(text) : NULL;
	free(text);
	return object;
}

/* Not through the journal's functions, so that their steps are the journal's alone. */
static void store(unsigned int id, struct json_object *object)
{
	char name[32];
	FILE *to;
	int fd;

	step();
	fd = openat(directory(), "new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	to = fdopen(fd, "w");
	fputs(json_object_to_json_string(object), to);
	fclose(to);
	snprintf(name, sizeof(name), "job-%u", id);
	__real_renameat(directory(), "new", directory(), name);
	json_object_put(object);
	step();
}

static int number_of(struct json_object *object, const char *name)
{
	return json_object_get_int(json_object_object_get(object, name));
}

static void read_job(struct box_job *job, unsigned int id, struct json_object *object)
{
	struct refusal refusal = {};
	struct ask ask;

	memset(job, 0, sizeof(*job));
	ask_take(&ask, json_object_object_get(object, "ask"), &refusal);
	job->id = id;
	job->spec = ask.spec;
	addr_parse(&job->address,
		   json_object_get_string(json_object_object_get(object, "address")));
	job->port = number_of(object, "port");
	job->activity = number_of(object, "activity");
	job->memory = job->spec.blocks * (uint64_t)PAGE;
}

static struct json_object *text_of(const struct addr *addr)
{
	char text[ADDR_TEXT];

	return json_object_new_string(addr_text(addr, text));
}

int box_job_add(const struct box_job *job)
{
	struct json_object *object = load(job->id), *ask = json_object_new_object();

	if (object)
		return fault(-EEXIST, "the job exists already");
	if (!is_there())
		return fault(-ENXIO, "the weir module is not loaded on this box");
	json_object_object_add(ask, "name", json_object_new_string("x"));
	json_object_object_add(ask, "rank", json_object_new_int(0));
	spec_write(&job->spec, ask);
	object = json_object_new_object();
	json_object_object_add(object, "ask", ask);
	json_object_object_add(object, "address", text_of(&job->address));
	json_object_object_add(object, "port", json_object_new_int(job->port));
	json_object_object_add(object, "activity", json_object_new_int(0));
	json_object_object_add(object, "sources", json_object_new_object());
	store(job->id, object);
	return added("the job exists already");
}

int box_job_del(uint8_t id)
{
	char name[32];
	int status;

	if (!is_there())
		return fault(-ENXIO, "the weir module is not loaded on this box");
	step();
	snprintf(name, sizeof(name), "job-%u", id);
	status = __real_unlinkat(directory(), name, 0);
	step();
	return status ? fault(-ENOENT, "there is no such job") : 0;
}

int box_job_get(uint8_t id, struct box_job *job)
{
	struct json_object *object = load(id);

	if (!is_there())
		return fault(-ENXIO, "the weir module is not loaded on this box");
	if (!object)
		return fault(-ENOENT, "there is no such job");
	read_job(job, id, object);
	json_object_put(object);
	return 0;
}

int box_jobs(struct box_job **jobs, size_t *count)
{
	unsigned int id;

	*jobs = zalloc((WEIR_JOB_ID_MAX + 1) * sizeof(**jobs));
	*count = 0;
	if (!is_there())
		return fault(-ENXIO, "the weir module is not loaded on this box");
	for (id = 0; id <= WEIR_JOB_ID_MAX; id++)
		*count += !box_job_get(id, &(*jobs)[*count]);
	return 0;
}

/* Of another rank, which has this address and port. */
static bool is_taken(struct json_object *sources, const char *rank, const char *place)
{
	json_object_object_foreach(sources, name, value) {
		if (strcmp(name, rank) && !strcmp(json_object_get_string(value), place))
			return true;
	}
	return false;
}

static int put_source(const struct box_source *source, bool new)
{
	struct json_object *object = load(source->job), *sources;
	char rank[16], place[ADDR_TEXT + 8], text[ADDR_TEXT];

	if (!is_there())
		return fault(-ENXIO, "the weir module is not loaded on this box");
	if (!object)
		return fault(-ENOENT, "there is no such job");
	sources = json_object_object_get(object, "sources");
	snprintf(rank, sizeof(rank), "%u", source->rank);
	snprintf(place, sizeof(place), "%s %u", addr_text(&source->address, text), source->port);
	if (is_taken(sources, rank, place))
		return fault(-EEXIST, "the address is another source's");
	if (new == json_object_object_get_ex(sources, rank, NULL))
		return fault(new ? -EEXIST : -ENOENT, "the source is there, or not");
	json_object_object_add(sources, rank, json_object_new_string(place));
	store(source->job, object);
	return 0;
}

int box_source_add(const struct box_source *source)
{
	return put_source(source, true) ?: added("the source is there");
}

int box_source_set(const struct box_source *source)
{
	return put_source(source, false);
}

static void read_sources(unsigned int id, struct box_source *list, size_t *count)
{
	struct json_object *object = load(id), *sources;
	char text[ADDR_TEXT];

	if (!object)
		return;
	sources = json_object_object_get(object, "sources");
	json_object_object_foreach(sources, name, value) {
		struct box_source *source = &list[(*count)++];
		unsigned int port;

		sscanf(json_object_get_string(value), "%45s %u", text, &port);
		addr_parse(&source->address, text);
		source->port = port;
		source->job = id;
		source->rank = atoi(name);
	}
	json_object_put(object);
}

int box_sources(struct box_source **sources, size_t *count)
{
	unsigned int id;

	*sources = zalloc((WEIR_JOB_ID_MAX + 1) * WEIR_SOURCES_MAX * sizeof(**sources));
	*count = 0;
	if (!is_there())
		return fault(-ENXIO, "the weir module is not loaded on this box");
	for (id = 0; id <= WEIR_JOB_ID_MAX; id++)
		read_sources(id, *sources, count);
	return 0;
}

void hear_open(const struct hearer *mine)
{
	hearer = mine;
	was_there = is_there();
}

/* Jobs that a test has taken away, and the module's going and coming, are found by looking. */
int hear_tick(void)
{
	bool there = is_there();
	unsigned int id;

	if (there && !was_there)
		hearer->again();
	for (id = 0; there && was_there && id <= WEIR_JOB_ID_MAX; id++)
		hearer->removed(id);
	was_there = there;
	return LOOK_MS;
}
