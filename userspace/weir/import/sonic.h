/* SPDX-License-Identifier: GPL-2.0 */
/* Types and functions that the importers of SONiC's config_db.json share. */
#ifndef WEIR_IMPORT_SONIC_H
#define WEIR_IMPORT_SONIC_H

#include "import/import.h"

/* A name in the database, and its end. */
#define SONIC_NAME	256
#define SONIC_QUEUES	32

/**
 * struct sonic_limit - what a buffer profile lets a queue keep
 * @profile: the profile's name; NULL if the queue does not trim
 * @bytes: a fixed limit, 0 for none
 * @alpha: 256ths of what is free in @pool, 0 for none
 * @pool: the name of a pool that is imported, or NULL
 */
struct sonic_limit {
	const char *profile;
	uint64_t bytes;
	uint32_t alpha;
	const char *pool;
};

/**
 * struct sonic_port - a port that trims
 * @name: in SONiC
 * @queues: those that trim, bit i being queue i
 * @limit: what they may keep
 * @key: the first entry of BUFFER_QUEUE that has it
 */
struct sonic_port {
	char name[SONIC_NAME];
	uint32_t queues;
	struct sonic_limit limit[SONIC_QUEUES];
	const char *key;
	struct sonic_port *next;
};

/* Return an entry of a table that a field of another entry names; NULL if there is none. */
struct json_object *sonic_referred(const struct import *import, const char *table,
				   struct json_object *entry, const char *field);

/* sonic_buffer.c: read BUFFER_POOL, BUFFER_PROFILE and BUFFER_QUEUE. */
void sonic_buffer_read(struct import *import, struct sonic_port **ports);

/* Write the keys limit, pool and class of a port. */
void sonic_buffer_write(struct import *import, const struct sonic_port *port, FILE *line);

/* Add the commands for the pools that ports name, and note what is left out of BUFFER_POOL. */
void sonic_pools_write(struct import *import, const struct sonic_port *ports);

#endif
