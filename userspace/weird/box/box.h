/* SPDX-License-Identifier: GPL-2.0 */
/* The module, as the daemon needs it: jobs and their sources, through the netlink family. */
#ifndef WEIRD_BOX_H
#define WEIRD_BOX_H

#include <stddef.h>
#include <stdint.h>

#include "ask/ask.h"
#include "base/addr.h"

/**
 * struct box_job - a job of the module's
 * @spec: as a worker asks for it; its rate is the policer's
 * @memory: bytes that it has taken (read only)
 * @activity: grows with each packet that its workers send (read only)
 */
struct box_job {
	uint8_t id;
	struct addr address;
	uint16_t port;
	struct spec spec;
	uint64_t memory;
	uint64_t activity;
};

/* @port: 0 is the job's */
struct box_source {
	uint8_t job;
	uint32_t rank;
	struct addr address;
	uint16_t port;
};

/*
 * All return 0 or a negative errno, of which -ENXIO is that there is no module, and
 * box_error() then has the sentence. A list is the caller's to free.
 */
int box_job_add(const struct box_job *job);
int box_job_del(uint8_t id);
int box_job_get(uint8_t id, struct box_job *job);
int box_jobs(struct box_job **jobs, size_t *count);
int box_source_add(const struct box_source *source);
int box_source_set(const struct box_source *source);
int box_sources(struct box_source **sources, size_t *count);
const char *box_error(void);

/* Close the connection, so that the next call looks for the module again. */
void box_forget(void);

#endif
