// SPDX-License-Identifier: BSD-2-Clause
/* Settings that the environment has. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "settings.h"

#define MIN_BYTES	16384

int settings_number(const char *variable, uint64_t most, uint64_t *value,
		    char fault[FAULT_LENGTH])
{
	const char *text = getenv(variable);
	unsigned long long number;
	char *end;

	if (!text || !*text)
		return 0;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno || *end || *text == '-' || number > most) {
		snprintf(fault, FAULT_LENGTH, "%s is '%s': it must be 0 to %llu", variable, text,
			 (unsigned long long)most);
		return -1;
	}
	*value = number;
	return 0;
}

/* ID or ID:PORT, and what follows it. Returns NULL when it is neither. */
static const char *read_job(const char *text, struct job *job)
{
	unsigned long id, port = 0;
	char *end;

	id = strtoul(text, &end, 10);
	if (end == text || id > UINT8_MAX)
		return NULL;
	if (*end == ':') {
		text = end + 1;
		port = strtoul(text, &end, 10);
		if (end == text || port > UINT16_MAX)
			return NULL;
	}
	job->id = (uint8_t)id;
	job->port = (uint16_t)port;
	return end;
}

static int read_jobs(struct settings *settings, char fault[FAULT_LENGTH])
{
	const char *text = getenv("WEIR_JOB"), *at = text;

	if (!text || !*text) {
		snprintf(fault, FAULT_LENGTH, "WEIR_JOB is not set");
		return -1;
	}
	do {
		at = settings->jobs < SETTINGS_JOBS ?
		     read_job(at, &settings->job[settings->jobs]) : NULL;
		if (!at || (*at && *at != ',')) {
			snprintf(fault, FAULT_LENGTH,
				 "WEIR_JOB is '%s': it must be ID or ID:PORT, %d of them at most, "
				 "with commas between them", text, SETTINGS_JOBS);
			return -1;
		}
		settings->jobs++;
	} while (*at++);
	return 0;
}

static int read_box(struct settings *settings, char fault[FAULT_LENGTH])
{
	const char *box = getenv("WEIR_BOX");

	if (!box) {
		snprintf(fault, FAULT_LENGTH, "WEIR_BOX is not set");
		return -1;
	}
	settings->is_asked = named_is_asked(box);
	if (!settings->is_asked)
		return read_jobs(settings, fault);
	if (!named_run(box, settings->run))
		return 0;
	snprintf(fault, FAULT_LENGTH, "the name of the job is longer than %d bytes",
		 NAMED_LENGTH - 1);
	return -1;
}

static int read_threads(bool needed, bool *threads, char fault[FAULT_LENGTH])
{
	uint64_t value = needed;
	int err = settings_number("WEIR_MPI_THREADS", 1, &value, fault);

	*threads = value;
	return err;
}

/* A value that is none is told of where the settings are read. */
bool settings_threads(bool needed)
{
	char fault[FAULT_LENGTH];
	bool threads;

	return !read_threads(needed, &threads, fault) && threads;
}

int settings_read(struct settings *settings, char fault[FAULT_LENGTH])
{
	uint64_t grads = 0;
	bool threads;

	/* They are compared as memory. */
	memset(settings, 0, sizeof(*settings));
	settings->min_bytes = MIN_BYTES;
	if (read_box(settings, fault) ||
	    settings_number("WEIR_GRADS", UINT16_MAX, &grads, fault) ||
	    settings_number("WEIR_MIN_BYTES", UINT64_MAX, &settings->min_bytes, fault) ||
	    read_threads(false, &threads, fault))
		return -1;
	settings->grads = (uint32_t)grads;
	return 0;
}
