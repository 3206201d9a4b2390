/* SPDX-License-Identifier: GPL-2.0 */
/* Types and functions that the importers of SONiC's config_db.json share. */
#ifndef WEIR_IMPORT_SONIC_H
#define WEIR_IMPORT_SONIC_H

#include <weir_trim_nl.h>

#include "grammar/match.h"
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
 * @limit: limits of these queues
 * @key: the first entry of BUFFER_QUEUE that has it
 * @acl: the ACL that it names, "" for none
 */
struct sonic_port {
	char name[SONIC_NAME];
	uint32_t queues;
	struct sonic_limit limit[SONIC_QUEUES];
	const char *key;
	char acl[WEIR_TRIM_ACL_NAME_MAX + 1];
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

/**
 * struct sonic_rule - a rule of an ACL
 * @match: packets that it matches
 * @disable: they are never trimmed; otherwise later rules do not see them
 */
struct sonic_rule {
	struct match match;
	bool disable;
};

struct sonic_rules {
	size_t count;
	struct sonic_rule *rule;
};

void sonic_rules_add(struct sonic_rules *rules, const struct match *match, bool disable);
void sonic_rules_free(struct sonic_rules *rules);

/*
 * sonic_rule.c: add the matches of a rule of ACL_RULE. Return NULL, or why it is left out; @wrong becomes
 * the field that is the reason, NULL if it is the rule as a whole.
 */
const char *sonic_rule_read(struct json_object *rule, bool disable, struct sonic_rules *rules,
			    const char **wrong);

/* Return true if the field of a rule is an action. */
bool sonic_rule_is_action(const char *field);

/* Set @both to what two matches have in common. Return false if no packet matches both. */
bool sonic_match_meet(const struct match *a, const struct match *b, struct match *both);

/* sonic_acl.c: read ACL_TABLE and ACL_RULE. */
struct sonic_acls;
struct sonic_acls *sonic_acls_read(struct import *import);

/* Add the commands for the ACLs of ports, and note in the ports which one they name. */
void sonic_acls_write(struct sonic_acls *acls, struct sonic_port *ports);

/* Note what is left out of both tables. */
void sonic_acls_rest(struct sonic_acls *acls);
void sonic_acls_free(struct sonic_acls *acls);

#endif
