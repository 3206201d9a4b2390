// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers in SONiC's config_db.json. A profile (BUFFER_PROFILE) says how much a queue keeps: bytes
 * of its own and a fixed threshold, which become a limit in bytes; or a power of two times what is
 * free in the profile's pool (BUFFER_POOL), which becomes a dynamic limit. BUFFER_QUEUE names the
 * queues that have a profile.
 *
 * A port of a Linux box has one queue for packets that are trimmed, with the limit of its first
 * entry, unless its root qdisc has classes: then queue N is class N + 1 of it, as mq, mqprio, prio
 * and ets number them, with a limit of its own.
 */
#include <stdlib.h>
#include <string.h>

#include <weir_trim_nl.h>

#include "base/alpha.h"
#include "base/quote.h"
#include "import/import.h"
#include "import/sonic.h"

#define POOLS		"BUFFER_POOL"
#define PROFILES	"BUFFER_PROFILE"
#define QUEUES		"BUFFER_QUEUE"
#define POWER_MAX	8	/* of dynamic_th, to either side */

/* The name in a reference, which old releases write as [TABLE|NAME]. */
static const char *name_of(const char *reference, char name[static SONIC_NAME])
{
	const char *at = reference && *reference == '[' ? strchr(reference, '|') : NULL;

	if (!reference)
		return NULL;
	snprintf(name, SONIC_NAME, "%s", at ? at + 1 : reference);
	if (at)
		name[strcspn(name, "]")] = '\0';
	return name;
}

struct json_object *sonic_referred(const struct import *import, const char *table,
				   struct json_object *entry, const char *field)
{
	char name[SONIC_NAME];
	const char *key = name_of(import_field(entry, field), name);

	return key ? import_entry(import, table, key) : NULL;
}

static bool trims(struct json_object *profile)
{
	const char *action = import_field(profile, "packet_discard_action");

	return action && !strcmp(action, "trim");
}

/* Return the bytes of a pool that can be one of weir's, or 0, with the reason in @why. */
static uint64_t pool_size(const char *name, struct json_object *pool, const char **why)
{
	const char *type = import_field(pool, "type");
	uint64_t size;

	if (!pool)
		*why = "there is no such pool in " POOLS;
	else if (type && strcmp(type, "egress"))
		*why = "weir has pools of egress alone";
	else if (!import_number(import_field(pool, "size"), WEIR_TRIM_POOL_SIZE_MAX, &size) || !size)
		*why = POOLS " does not have its size: add a pool with `weir trim-pool set`, and `pool` to the ports";
	else if (strlen(name) > WEIR_TRIM_POOL_NAME_MAX || strcspn(name, " \t") != strlen(name))
		*why = "names of pools have 31 visible characters at most";
	else
		return size;
	return 0;
}

/* The name of a profile's pool as the table has it; NULL if it cannot be imported. */
static const char *pool_of(const struct import *import, struct json_object *profile, const char **why)
{
	struct json_object *pools = import_entry(import, POOLS, NULL);
	char name[SONIC_NAME];

	*why = "it is not the name of a pool";
	if (!name_of(import_field(profile, "pool"), name) ||
	    !pool_size(name, import_entry(import, POOLS, name), why))
		return NULL;
	json_object_object_foreach(pools, key, pool) {
		(void)pool;
		if (!strcmp(key, name))
			return key;
	}
	return NULL;
}

/* The power of two of dynamic_th in 256ths; false if it is none that a switch has. */
static bool read_power(const char *text, uint32_t *alpha)
{
	char *end;
	long power;

	if (!text || !*text)
		return false;
	power = strtol(text, &end, 10);
	if (*end || power < -POWER_MAX || power > POWER_MAX)
		return false;
	*alpha = power < 0 ? WEIR_TRIM_ALPHA_ONE >> -power : WEIR_TRIM_ALPHA_ONE << power;
	return true;
}

static struct sonic_limit limit_of(const struct import *import, const char *name,
				   struct json_object *profile)
{
	struct sonic_limit limit = { .profile = name };
	const char *why;
	uint64_t own, more;

	limit.pool = pool_of(import, profile, &why);
	if (limit.pool && read_power(import_field(profile, "dynamic_th"), &limit.alpha))
		return limit;
	if (!import_number(import_field(profile, "static_th"), UINT32_MAX, &more))
		return limit;
	limit.bytes = more + (import_number(import_field(profile, "size"), UINT32_MAX, &own) ? own : 0);
	return limit;
}

static void rest_of_profile(struct import *import, const char *name, struct json_object *profile)
{
	struct sonic_limit limit = limit_of(import, name, profile);
	const char *why;
	uint64_t own;

	if (!trims(profile)) {
		import_left(import, PROFILES, name, NULL, "its packets are not trimmed");
		return;
	}
	pool_of(import, profile, &why);
	json_object_object_foreach(profile, field, value) {
		(void)value;
		if (!strcmp(field, "dynamic_th") && !limit.alpha)
			import_left(import, PROFILES, name, field, limit.pool ?
				    "a switch has -8 to 8: weir keeps 12 packets whole unless `limit` says otherwise" :
				    "a share of a pool without a size: weir keeps 12 packets whole unless `limit` says otherwise");
		else if (!strcmp(field, "size") && limit.alpha &&
			 !(import_number(import_field(profile, field), UINT32_MAX, &own) && !own))
			import_left(import, PROFILES, name, field, "a queue has no bytes of its own besides those of the pool");
		else if (!strcmp(field, "pool") && !limit.pool)
			import_left(import, PROFILES, name, field, why);
		else if (strcmp(field, "packet_discard_action") && strcmp(field, "size") &&
			 strcmp(field, "static_th") && strcmp(field, "dynamic_th") &&
			 strcmp(field, "pool"))
			import_left(import, PROFILES, name, field, "of no use to a queue that trims");
	}
}

static struct sonic_port *port_of(struct sonic_port **ports, const char *name, const char *key)
{
	struct sonic_port *port;

	for (; *ports; ports = &(*ports)->next) {
		if (!strcmp((*ports)->name, name))
			return *ports;
	}
	port = calloc(1, sizeof(*port));
	if (!port)
		abort();
	snprintf(port->name, sizeof(port->name), "%s", name);
	port->key = key;
	*ports = port;
	return port;
}

/* Queues of a port: "3" or "3-4". */
static bool read_queues(const char *text, unsigned int *first, unsigned int *last)
{
	unsigned int used = 0;

	if (sscanf(text, "%2u%n-%2u%n", first, &used, last, &used) < 2)
		*last = *first;
	return used && !text[used] && *first <= *last && *last < SONIC_QUEUES;
}

/* The limit of a port's queue that trims and has the lowest number. */
static const struct sonic_limit *first_limit(const struct sonic_port *port)
{
	unsigned int i;

	for (i = 0; i < SONIC_QUEUES; i++) {
		if (port->limit[i].profile)
			return &port->limit[i];
	}
	return NULL;
}

static bool same_pool(const struct sonic_limit *a, const struct sonic_limit *b)
{
	return a->pool == b->pool || (a->pool && b->pool && !strcmp(a->pool, b->pool));
}

static bool same_limit(const struct sonic_limit *a, const struct sonic_limit *b)
{
	return a->bytes == b->bytes && a->alpha == b->alpha && same_pool(a, b);
}

static void add_queues(struct import *import, const char *key, struct sonic_port *port,
		       unsigned int first, unsigned int last, const struct sonic_limit *limit)
{
	const struct sonic_limit *before = first_limit(port);
	unsigned int i;

	if (before && !same_pool(before, limit))
		import_left(import, QUEUES, key, "profile", "a port has one pool: that of its first queue is taken");
	else if (before && !import->classes && !same_limit(before, limit))
		import_left(import, QUEUES, key, "profile",
			    "a port has one limit: that of its first queue is taken, unless `--classes` says where its classes are");
	for (i = first; i <= last; i++) {
		port->queues |= 1u << i;
		port->limit[i] = *limit;
	}
}

static void read_queue(struct import *import, const char *key, struct json_object *entry,
		       struct sonic_port **ports)
{
	struct json_object *profile = sonic_referred(import, PROFILES, entry, "profile");
	char text[1024], *at = text, *name, *queue;
	unsigned int first, last;
	struct sonic_limit limit;

	if (!trims(profile)) {
		import_left(import, QUEUES, key, "profile", profile ?
			    "its packets are not trimmed" : "there is no such profile");
		return;
	}
	snprintf(text, sizeof(text), "%s", key);
	queue = strrchr(text, '|');
	if (!queue || !read_queues(queue + 1, &first, &last)) {
		import_left(import, QUEUES, key, "profile", "the key is not ports and queues");
		return;
	}
	*queue = '\0';
	limit = limit_of(import, import_field(entry, "profile"), profile);
	while ((name = strsep(&at, ",")))
		add_queues(import, key, port_of(ports, name, key), first, last, &limit);
}

void sonic_buffer_read(struct import *import, struct sonic_port **ports)
{
	struct json_object *profiles = import_entry(import, PROFILES, NULL);
	struct json_object *queues = import_entry(import, QUEUES, NULL);

	if (profiles) {
		json_object_object_foreach(profiles, name, profile)
			rest_of_profile(import, name, import_entry(import, PROFILES, name) ?: profile);
	}
	if (!queues)
		return;
	json_object_object_foreach(queues, key, entry)
		read_queue(import, key, entry, ports);
}

static void write_classes(const struct import *import, const struct sonic_port *port,
			  const struct sonic_limit *first, FILE *line)
{
	char alpha[UNITS_TEXT];
	unsigned int i;

	for (i = 0; i < SONIC_QUEUES; i++) {
		const struct sonic_limit *limit = &port->limit[i];

		if (!limit->profile)
			continue;
		fprintf(line, " class %s%x", import->classes, i + 1);
		/* A share of the port's pool alone. */
		if (limit->alpha && same_pool(limit, first))
			fprintf(line, ",limit=dynamic:%s", alpha_text(alpha, limit->alpha));
		else if (limit->bytes)
			fprintf(line, ",limit=%llub", (unsigned long long)limit->bytes);
	}
}

void sonic_buffer_write(struct import *import, const struct sonic_port *port, FILE *line)
{
	const struct sonic_limit *first = first_limit(port);
	char alpha[UNITS_TEXT];

	if (import->classes)
		write_classes(import, port, first, line);
	else if (first->alpha)
		fprintf(line, " limit dynamic %s", alpha_text(alpha, first->alpha));
	else if (first->bytes)
		fprintf(line, " limit %llub", (unsigned long long)first->bytes);
	if (first->pool) {
		fputs(" pool ", line);
		quote_word(line, first->pool);
	}
}

static bool is_used(const struct sonic_port *port, const char *pool)
{
	for (; port; port = port->next) {
		const struct sonic_limit *first = first_limit(port);

		if (first->pool && !strcmp(first->pool, pool))
			return true;
	}
	return false;
}

static void write_pool(struct import *import, const char *name, uint64_t size)
{
	char *text;
	size_t length;
	FILE *line = open_memstream(&text, &length);

	if (!line)
		abort();
	fputs("trim-pool set name ", line);
	quote_word(line, name);
	fprintf(line, " size %llub", (unsigned long long)size);
	fclose(line);
	batch_add(&import->commands, 0, text);
	free(text);
}

/* List the fields of a pool that are not imported. */
static void rest_of_pool(struct import *import, const char *name, struct json_object *pool)
{
	json_object_object_foreach(pool, field, value) {
		(void)value;
		if (strcmp(field, "size") && strcmp(field, "type") && strcmp(field, "mode"))
			import_left(import, POOLS, name, field, "not about trimming");
	}
}

void sonic_pools_write(struct import *import, const struct sonic_port *ports)
{
	struct json_object *pools = import_entry(import, POOLS, NULL);
	const char *why;
	uint64_t size;

	if (!pools)
		return;
	json_object_object_foreach(pools, name, pool) {
		size = pool_size(name, import_entry(import, POOLS, name), &why);
		if (!is_used(ports, name)) {
			import_left(import, POOLS, name, NULL, "no port that trims has a profile with it");
			continue;
		}
		write_pool(import, name, size);
		rest_of_pool(import, name, pool);
	}
}
