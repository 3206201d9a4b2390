// SPDX-License-Identifier: GPL-2.0
/*
 * SONiC's ACLs with the action DISABLE_TRIM as ACLs of weir, which ports name.
 *
 * In a table the rule with the highest PRIORITY that matches decides, so its rules are written in
 * this order. Those with other actions are needed only if they exempt packets from a later
 * DISABLE_TRIM: they become `pass`. A table at egress is about packets that leave by its ports; one
 * at ingress is about packets that come in by its ports and leave by any, so its rules get `from=`.
 *
 * A switch looks packets up in all tables of a port, and one of them is enough to disable trimming.
 * A port of weir names one ACL. If several tables are about a port, their rules are merged: if a rule
 * of one table passes packets, those of the other tables decide about them.
 */
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include <weir_trim_nl.h>

#include "base/quote.h"
#include "import/sonic.h"

#define TABLES		"ACL_TABLE"
#define RULES		"ACL_RULE"
#define ACTION		"PACKET_ACTION"
#define ACLS_MAX	64
#define PRIO_STEP	10	/* leaves room for rules by hand */

/**
 * struct entry - a rule of the database
 * @key: table and name
 * @priority: the higher, the earlier
 * @disable: its action is DISABLE_TRIM
 * @used: it is part of an ACL
 * @matches: its matches
 * @field: the field without a counterpart, NULL if it is the rule as a whole
 * @why: the reason if it is left out, NULL if it is not
 */
struct entry {
	const char *key;
	uint64_t priority;
	struct json_object *rule;
	bool disable;
	bool used;
	struct sonic_rules matches;
	const char *field;
	const char *why;
};

/**
 * struct table - a table of the database
 * @entry: its rules, in the order in which they decide
 * @rules: the same as they are written, empty if none of them disables trimming
 * @used: an ACL has its rules
 */
struct table {
	const char *name;
	struct json_object *object;
	size_t count;
	struct entry *entry;
	struct sonic_rules rules;
	bool used;
};

/**
 * struct acl - an ACL, made of the tables of a port
 * @of: by number of a table, true if the ACL is made of it
 */
struct acl {
	char name[WEIR_TRIM_ACL_NAME_MAX + 1];
	bool *of;
};

struct sonic_acls {
	struct import *import;
	size_t tables;
	struct table *table;
	size_t acls;
	struct acl acl[ACLS_MAX];
};

static bool is_ingress(const struct table *table)
{
	const char *stage = import_field(table->object, "stage");

	return !stage || strcasecmp(stage, "egress");
}

/* The @n-th port of a table, in a list or in one text with commas; false after the last one. */
static bool port_at(const struct table *table, size_t n, char port[static SONIC_NAME])
{
	struct json_object *ports;
	const char *at;

	if (!json_object_object_get_ex(table->object, "ports", &ports) &&
	    !json_object_object_get_ex(table->object, "ports@", &ports))
		return false;
	if (json_object_is_type(ports, json_type_array)) {
		if (n >= json_object_array_length(ports))
			return false;
		at = json_object_get_string(json_object_array_get_idx(ports, n));
		snprintf(port, SONIC_NAME, "%s", at ?: "");
		return *port;
	}
	at = json_object_get_string(ports);
	if (!at)
		return false;
	for (; n; n--) {
		at += strcspn(at, ",");
		if (!*at)
			return false;
		at++;
	}
	snprintf(port, SONIC_NAME, "%.*s", (int)strcspn(at, ","), at);
	return *port;
}

/* Return true if packets that leave by the port are looked up in the table. */
static bool is_about(const struct table *table, const char *port)
{
	char bound[SONIC_NAME];
	size_t n;

	for (n = 0; port_at(table, n, bound); n++) {
		if (is_ingress(table) || !strcmp(bound, port))
			return true;
	}
	return false;
}

static struct table *table_of(struct sonic_acls *acls, const char *key)
{
	size_t length = strcspn(key, "|"), i;

	for (i = 0; i < acls->tables; i++) {
		const char *name = acls->table[i].name;

		if (strlen(name) == length && !strncmp(name, key, length))
			return &acls->table[i];
	}
	return NULL;
}

static bool disables(struct json_object *rule)
{
	const char *action = import_field(rule, ACTION);

	return action && !strcmp(action, "DISABLE_TRIM");
}

static int compare(const void *a, const void *b)
{
	const struct entry *one = a, *other = b;

	if (one->priority != other->priority)
		return one->priority > other->priority ? -1 : 1;
	return strcmp(one->key, other->key);
}

static void read_tables(struct sonic_acls *acls)
{
	struct json_object *tables = import_entry(acls->import, TABLES, NULL);

	if (!tables)
		return;
	acls->table = calloc(json_object_object_length(tables) + 1, sizeof(*acls->table));
	if (!acls->table)
		abort();
	json_object_object_foreach(tables, name, table) {
		if (json_object_is_type(table, json_type_object))
			acls->table[acls->tables++] = (struct table){ .name = name, .object = table };
	}
}

static void read_entry(struct table *table, const char *key, struct json_object *rule)
{
	struct entry *entry;

	table->entry = reallocarray(table->entry, table->count + 1, sizeof(*table->entry));
	if (!table->entry)
		abort();
	entry = &table->entry[table->count++];
	*entry = (struct entry){ .key = key, .rule = rule, .disable = disables(rule) };
	import_number(import_field(rule, "PRIORITY"), UINT32_MAX, &entry->priority);
	entry->why = sonic_rule_read(rule, entry->disable, &entry->matches, &entry->field);
}

static bool overlap(const struct sonic_rules *a, const struct sonic_rules *b)
{
	struct match both;
	size_t i, j;

	for (i = 0; i < a->count; i++) {
		for (j = 0; j < b->count; j++) {
			if (sonic_match_meet(&a->rule[i].match, &b->rule[j].match, &both))
				return true;
		}
	}
	return false;
}

/* Return true if the rule at @at matches packets for which a later rule disables trimming. */
static bool exempts(const struct table *table, size_t at)
{
	size_t i;

	for (i = at + 1; i < table->count; i++) {
		if (table->entry[i].disable &&
		    overlap(&table->entry[at].matches, &table->entry[i].matches))
			return true;
	}
	return false;
}

/* Add a match once for each port that packets come in by. */
static void add_from(struct sonic_acls *acls, struct table *table, const struct sonic_rule *rule)
{
	char port[SONIC_NAME];
	size_t n;

	for (n = 0; port_at(table, n, port); n++) {
		const char *dev = import_device(acls->import, port);
		struct match match = rule->match;

		if (strlen(dev) >= sizeof(match.from))
			continue;
		strcpy(match.from, dev);
		sonic_rules_add(&table->rules, &match, rule->disable);
	}
}

/* Rules of a table in the order in which they decide. */
static void order_table(struct sonic_acls *acls, struct table *table)
{
	size_t i, j;

	if (table->count)
		qsort(table->entry, table->count, sizeof(*table->entry), compare);
	for (i = 0; i < table->count; i++) {
		struct entry *entry = &table->entry[i];

		entry->used = !entry->why && (entry->disable || exempts(table, i));
		for (j = 0; entry->used && j < entry->matches.count; j++) {
			if (is_ingress(table))
				add_from(acls, table, &entry->matches.rule[j]);
			else
				sonic_rules_add(&table->rules, &entry->matches.rule[j].match,
						entry->disable);
		}
	}
}

struct sonic_acls *sonic_acls_read(struct import *import)
{
	struct json_object *rules = import_entry(import, RULES, NULL);
	struct sonic_acls *acls = calloc(1, sizeof(*acls));
	struct table *table;
	size_t i;

	if (!acls)
		abort();
	acls->import = import;
	read_tables(acls);
	if (rules) {
		json_object_object_foreach(rules, key, rule) {
			table = table_of(acls, key);
			if (json_object_is_type(rule, json_type_object) && table)
				read_entry(table, key, rule);
		}
	}
	for (i = 0; i < acls->tables; i++)
		order_table(acls, &acls->table[i]);
	return acls;
}

/* Drop rules that pass packets which no later rule would keep whole. */
static void drop_idle(struct sonic_rules *rules)
{
	struct match both;
	size_t i, j, kept = 0;

	for (i = 0; i < rules->count; i++) {
		bool needed = rules->rule[i].disable;

		for (j = i + 1; !needed && j < rules->count; j++)
			needed = rules->rule[j].disable &&
				 sonic_match_meet(&rules->rule[i].match, &rules->rule[j].match,
						  &both);
		if (needed)
			rules->rule[kept++] = rules->rule[i];
	}
	rules->count = kept;
}

/* Rules by which a packet is kept whole if those of the table or the others do so. */
static void merge(const struct table *table, struct sonic_rules *others)
{
	struct sonic_rules merged = {};
	struct match both;
	size_t i, j;

	for (i = 0; i < table->rules.count; i++) {
		const struct sonic_rule *rule = &table->rules.rule[i];

		for (j = 0; !rule->disable && j < others->count; j++) {
			if (sonic_match_meet(&rule->match, &others->rule[j].match, &both))
				sonic_rules_add(&merged, &both, others->rule[j].disable);
		}
		sonic_rules_add(&merged, &rule->match, rule->disable);
	}
	for (j = 0; j < others->count; j++)
		sonic_rules_add(&merged, &others->rule[j].match, others->rule[j].disable);
	sonic_rules_free(others);
	*others = merged;
}

static bool is_name(const char *name)
{
	const char *at;

	for (at = name; *at > ' ' && *at < 0x7f; at++)
		;
	return *name && !*at && strlen(name) <= WEIR_TRIM_ACL_NAME_MAX && strcmp(name, "none");
}

static bool is_taken(struct sonic_acls *acls, const char *name)
{
	size_t i;

	for (i = 0; i < acls->acls; i++) {
		if (!strcmp(acls->acl[i].name, name))
			return true;
	}
	return table_of(acls, name);
}

/* That of the table, those of several with a plus between them, or a number if that cannot be. */
static void choose_name(struct sonic_acls *acls, struct acl *acl)
{
	char name[2 * SONIC_NAME] = "";
	unsigned int count = 0;
	size_t used = 0, i;

	for (i = 0; i < acls->tables; i++) {
		if (!acl->of[i])
			continue;
		if (used < sizeof(name))
			used += snprintf(name + used, sizeof(name) - used, "%s%s", count ? "+" : "",
					 acls->table[i].name);
		count++;
	}
	if (!is_name(name) || (count > 1 && is_taken(acls, name))) {
		i = 0;
		do
			snprintf(name, sizeof(name), "acl%zu", ++i);
		while (is_taken(acls, name));
	}
	snprintf(acl->name, sizeof(acl->name), "%.*s", WEIR_TRIM_ACL_NAME_MAX, name);
}

static void write_rule(struct sonic_acls *acls, const struct acl *acl, size_t place,
		       struct sonic_rule *rule)
{
	char match[MATCH_TEXT], *text;
	size_t size;
	FILE *line = open_memstream(&text, &size);

	if (!line)
		abort();
	fputs("trim-acl set name ", line);
	quote_word(line, acl->name);
	fprintf(line, " prio %zu %s ", (place + 1) * PRIO_STEP, rule->disable ? "disable-trim" : "pass");
	match_text(&rule->match, match);
	quote_word(line, match);
	fclose(line);
	batch_add(&acls->import->commands, 0, text);
	free(text);
}

/* Return true if both matches compare the same fields, and addresses of one family by as many bits. */
static bool is_alike(const struct match *a, const struct match *b)
{
	return !a->proto == !b->proto && !a->port == !b->port && !a->sport == !b->sport &&
	       !a->vlan == !b->vlan && a->src.bits == b->src.bits &&
	       a->src.addr.len == b->src.addr.len && a->dst.bits == b->dst.bits &&
	       a->dst.addr.len == b->dst.addr.len;
}

/* Drop rules that would make an ACL compare more sets of fields than it can. */
static bool drop_unlike(struct sonic_rules *rules)
{
	const struct match *known[WEIR_TRIM_ACL_TUPLES_MAX];
	size_t count = 0, kept = 0, i, j;

	for (i = 0; i < rules->count; i++) {
		for (j = 0; j < count && !is_alike(known[j], &rules->rule[i].match); j++)
			;
		if (j == WEIR_TRIM_ACL_TUPLES_MAX)
			continue;
		rules->rule[kept] = rules->rule[i];
		if (j == count)
			known[count++] = &rules->rule[kept].match;
		kept++;
	}
	count = rules->count;
	rules->count = kept;
	return kept < count;
}

static void left_tables(struct sonic_acls *acls, const bool *of, const char *why)
{
	size_t i;

	for (i = 0; i < acls->tables; i++) {
		if (of[i])
			import_left(acls->import, TABLES, acls->table[i].name, NULL, why);
	}
}

static void write_acl(struct sonic_acls *acls, const struct acl *acl)
{
	struct sonic_rules rules = {};
	size_t i;

	for (i = acls->tables; i--;) {
		if (acl->of[i])
			merge(&acls->table[i], &rules);
	}
	drop_idle(&rules);
	if (drop_unlike(&rules))
		left_tables(acls, acl->of,
			    "an ACL compares 64 sets of fields and prefix lengths at most: rules with others are left out");
	for (i = 0; i < rules.count && i < WEIR_TRIM_ACL_RULES_MAX; i++)
		write_rule(acls, acl, i, &rules.rule[i]);
	if (rules.count > WEIR_TRIM_ACL_RULES_MAX)
		left_tables(acls, acl->of,
			    "an ACL has 1024 rules at most: the last ones are left out, and their packets trimmed");
	sonic_rules_free(&rules);
}

/* The tables that are about a port; NULL if none of them disables trimming. */
static bool *tables_of(struct sonic_acls *acls, const struct sonic_port *port)
{
	bool *of = calloc(acls->tables + 1, sizeof(*of)), any = false;
	size_t i;

	if (!of)
		abort();
	for (i = 0; i < acls->tables; i++) {
		of[i] = acls->table[i].rules.count && is_about(&acls->table[i], port->name);
		acls->table[i].used |= of[i];
		any |= of[i];
	}
	if (any)
		return of;
	free(of);
	return NULL;
}

/* The ACL of these tables, written when the first port has it; NULL if there is no room. */
static const struct acl *acl_of(struct sonic_acls *acls, const bool *of)
{
	size_t size = acls->tables * sizeof(*of), i;
	struct acl *acl;

	for (i = 0; i < acls->acls; i++) {
		if (!memcmp(acls->acl[i].of, of, size))
			return &acls->acl[i];
	}
	if (acls->acls == ACLS_MAX)
		return NULL;
	acl = &acls->acl[acls->acls];
	acl->of = malloc(size);
	if (!acl->of)
		abort();
	memcpy(acl->of, of, size);
	choose_name(acls, acl);
	acls->acls++;
	write_acl(acls, acl);
	return acl;
}

void sonic_acls_write(struct sonic_acls *acls, struct sonic_port *ports)
{
	struct sonic_port *port;

	for (port = ports; port; port = port->next) {
		bool *of = tables_of(acls, port);
		const struct acl *acl = of ? acl_of(acls, of) : NULL;

		if (acl)
			snprintf(port->acl, sizeof(port->acl), "%s", acl->name);
		else if (of)
			left_tables(acls, of,
				    "a network namespace has 64 ACLs at most: some ports are left without");
		free(of);
	}
}

/* Return true if a rule of the table, from place @at on, disables trimming. */
static bool disables_from(const struct table *table, size_t at)
{
	size_t i;

	for (i = at; i < table->count; i++) {
		if (table->entry[i].disable)
			return true;
	}
	return false;
}

/* Actions besides that of the packet, such as mirroring it. */
static void rest_of_actions(struct import *import, const struct entry *entry)
{
	json_object_object_foreach(entry->rule, field, value) {
		(void)value;
		if (sonic_rule_is_action(field) && strcmp(field, ACTION))
			import_left(import, RULES, entry->key, field, "not about trimming");
	}
}

static void rest_of_entry(struct import *import, const struct table *table, size_t at)
{
	const struct entry *entry = &table->entry[at];
	const char *action = import_field(entry->rule, ACTION);
	char port[SONIC_NAME];

	if (entry->disable && entry->why)
		import_left(import, RULES, entry->key, entry->field, entry->why);
	else if (entry->why && disables_from(table, at + 1))
		import_left(import, RULES, entry->key, entry->field,
			    "weir does not compare this: later rules of the table may keep packets whole that this one exempts");
	else if (entry->disable && !port_at(table, 0, port))
		import_left(import, RULES, entry->key, NULL, "its table has no ports");
	else if (!entry->used)
		import_left(import, RULES, entry->key, ACTION, "not about trimming");
	else if (!entry->disable && action && strcmp(action, "FORWARD") && strcmp(action, "ACCEPT"))
		import_left(import, RULES, entry->key, ACTION,
			    "not about trimming: here it does no more than exempt its packets from later rules");
	rest_of_actions(import, entry);
}

static void rest_of_table(struct import *import, const struct table *table)
{
	char port[SONIC_NAME];
	size_t n;

	if (!disables_from(table, 0)) {
		import_left(import, TABLES, table->name, NULL, "no rule of it disables trimming");
		return;
	}
	if (table->rules.count && !table->used)
		import_left(import, TABLES, table->name, NULL, "none of its ports trims");
	for (n = 0; is_ingress(table) && port_at(table, n, port); n++) {
		if (strlen(import_device(import, port)) >= IF_NAMESIZE)
			import_left(import, TABLES, table->name, NULL,
				    "no device has so long a name as one of its ports: give that another one by --map");
	}
}

void sonic_acls_rest(struct sonic_acls *acls)
{
	struct json_object *rules = import_entry(acls->import, RULES, NULL);
	size_t i, j;

	if (rules) {
		json_object_object_foreach(rules, key, rule) {
			(void)rule;
			if (!table_of(acls, key))
				import_left(acls->import, RULES, key, NULL, "its table is missing");
		}
	}
	for (i = 0; i < acls->tables; i++) {
		for (j = 0; j < acls->table[i].count; j++)
			rest_of_entry(acls->import, &acls->table[i], j);
		rest_of_table(acls->import, &acls->table[i]);
	}
}

void sonic_acls_free(struct sonic_acls *acls)
{
	size_t i, j;

	for (i = 0; i < acls->tables; i++) {
		for (j = 0; j < acls->table[i].count; j++)
			sonic_rules_free(&acls->table[i].entry[j].matches);
		sonic_rules_free(&acls->table[i].rules);
		free(acls->table[i].entry);
	}
	for (i = 0; i < acls->acls; i++)
		free(acls->acl[i].of);
	free(acls->table);
	free(acls);
}
