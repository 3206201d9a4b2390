/* SPDX-License-Identifier: GPL-2.0 */
/* The request of a worker: for a job, and for its own place in it. */
#ifndef WEIRD_ASK_H
#define WEIRD_ASK_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/addr.h"
#include "base/refusal.h"

#define JOB_NAME_MAX	64
#define ASK_SIZE_MAX	4096

/**
 * struct spec - what all ranks of a job have to agree on, as the netlink family names it
 * @rate: bytes a second; 0 leaves it to the tenant's quota
 * @group: length 0 where results go to each worker
 */
struct spec {
	uint32_t ranks;
	uint32_t dtype;
	uint32_t op;
	uint32_t order;
	uint32_t policy;
	uint32_t grads;
	uint32_t blocks;
	uint32_t timeout;
	uint32_t quorum;
	uint64_t rate;
	struct addr group;
};

/**
 * struct ask - one worker's request
 * @port: its UDP port; 0 is the job's
 */
struct ask {
	char name[JOB_NAME_MAX + 1];
	uint32_t rank;
	uint32_t port;
	struct spec spec;
};

/* Reads the text of a request; false, and @refusal filled, where it is none. */
bool ask_read(struct ask *ask, const char *text, size_t size, struct refusal *refusal);

/* The same of an object. */
bool ask_take(struct ask *ask, struct json_object *object, struct refusal *refusal);

/* 1 to 64 letters, digits and "._:-", of which the first is a letter or digit. */
bool ask_name_fits(const char *name);

/* False, and @refusal says in what they differ, where two ranks ask for different jobs. */
bool spec_same(const struct spec *job, const struct spec *asked, struct refusal *refusal);

/* As JSON, with the names that a request has. */
void spec_write(const struct spec *spec, struct json_object *to);

#endif
