// SPDX-License-Identifier: GPL-2.0
/* Rules of SONiC's ACLs with the action DISABLE_TRIM, as conditions of the key disable-trim. */
#include <stdlib.h>
#include <string.h>

#include "import/import.h"

#define TABLES	"ACL_TABLE"
#define RULES	"ACL_RULE"
#define NAME	256

static const struct {
	const char *field;
	const char *word;
	uint64_t max;		/* of a number; 0 for an address */
} fields[] = {
	{ "SRC_IP", "src", 0 }, { "SRC_IPV6", "src", 0 },
	{ "DST_IP", "dst", 0 }, { "DST_IPV6", "dst", 0 },
	{ "IP_PROTOCOL", "proto", 255 }, { "NEXT_HEADER", "proto", 255 },
	{ "L4_SRC_PORT", "sport", 65535 }, { "L4_DST_PORT", "port", 65535 },
	{ "DSCP", "dscp", 63 }, { "VLAN_ID", "vlan", 4094 },
};

#define FIELDS (sizeof(fields) / sizeof(fields[0]))

static bool disables(struct json_object *rule)
{
	const char *action = import_field(rule, "PACKET_ACTION");

	return action && !strcmp(action, "DISABLE_TRIM");
}

/* Fields that are no conditions. */
static bool is_order(const char *field)
{
	return !strcmp(field, "PACKET_ACTION") || !strcmp(field, "PRIORITY") ||
	       !strcmp(field, "RULE_DESCRIPTION");
}

/* Append a condition; false if the field has no counterpart, or a value that has none. */
static bool add_condition(char match[static NAME], const char *field, const char *value)
{
	size_t used = strlen(match), i;
	uint64_t number;

	for (i = 0; i < FIELDS; i++) {
		if (strcmp(field, fields[i].field))
			continue;
		if (fields[i].max ? !import_number(value, fields[i].max, &number) :
				    strspn(value, "0123456789abcdefABCDEF.:/") != strlen(value))
			return false;
		if (fields[i].max)
			snprintf(match + used, NAME - used, "%s%s=%u", used ? "," : "",
				 fields[i].word, (unsigned int)number);
		else
			snprintf(match + used, NAME - used, "%s%s=%s", used ? "," : "",
				 fields[i].word, value);
		return strlen(match) < NAME - 1;
	}
	return false;
}

/* The conditions of a rule, empty for all packets; NULL, or the first field without a counterpart. */
static const char *conditions(struct json_object *rule, char match[static NAME])
{
	*match = '\0';
	json_object_object_foreach(rule, field, value) {
		const char *text = json_object_get_string(value);

		if (!is_order(field) && (!text || !add_condition(match, field, text)))
			return field;
	}
	return NULL;
}

/* The table that a rule belongs to: its key begins with the table's name. */
static struct json_object *table_of(const struct import *import, const char *key)
{
	char name[NAME];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(key, "|"), key);
	return import_entry(import, TABLES, name);
}

static bool is_ingress(struct json_object *table)
{
	const char *stage = import_field(table, "stage");

	return !stage || strcasecmp(stage, "egress");
}

/* The @n-th port of a table, in a list or in one text with commas; false behind the last. */
static bool port_at(struct json_object *table, size_t n, char port[static NAME])
{
	struct json_object *ports;
	const char *at;

	if (!json_object_object_get_ex(table, "ports", &ports) &&
	    !json_object_object_get_ex(table, "ports@", &ports))
		return false;
	if (json_object_is_type(ports, json_type_array)) {
		if (n >= json_object_array_length(ports))
			return false;
		at = json_object_get_string(json_object_array_get_idx(ports, n));
		snprintf(port, NAME, "%s", at ?: "");
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
	snprintf(port, NAME, "%.*s", (int)strcspn(at, ","), at);
	return *port;
}

static void write_key(FILE *line, const char *match, const char *from)
{
	fprintf(line, " disable-trim %s%s%s", *match || *from ? match : "any",
		*match && *from ? "," : "", *from ? "from=" : "");
	for (; *from; from++) {
		/* A rule separates its conditions by commas. */
		if (*from == ',' || *from == '\\')
			fputs("\\\\", line);
		putc(*from, line);
	}
}

/* A table at ingress is about packets that come in by its ports, one at egress about its own. */
static unsigned int write_rule(struct import *import, const char *port, const char *match,
			       struct json_object *table, unsigned int room, FILE *line)
{
	unsigned int written = 0;
	char bound[NAME];
	size_t n;

	for (n = 0; port_at(table, n, bound); n++) {
		if (!is_ingress(table) && strcmp(bound, port))
			continue;
		if (written < room)
			write_key(line, match, is_ingress(table) ? import_device(import, bound) : "");
		written++;
	}
	return written;
}

unsigned int sonic_acl_write(struct import *import, const char *port, unsigned int room, FILE *line)
{
	struct json_object *rules = import_entry(import, RULES, NULL);
	unsigned int written = 0, more;
	char match[NAME];

	if (!rules)
		return 0;
	json_object_object_foreach(rules, key, rule) {
		if (!disables(rule) || conditions(rule, match))
			continue;
		more = write_rule(import, port, match, table_of(import, key), room - written, line);
		if (more > room - written) {
			import_left(import, RULES, key, NULL,
				    "a port has 16 rules at most: some packets of this one are trimmed");
			more = room - written;
		}
		written += more;
	}
	return written;
}

static bool table_disables(const struct import *import, struct json_object *table)
{
	struct json_object *rules = import_entry(import, RULES, NULL);

	if (!rules)
		return false;
	json_object_object_foreach(rules, key, rule) {
		if (table_of(import, key) == table && disables(rule))
			return true;
	}
	return false;
}

static void rest_of_rule(struct import *import, const char *key, struct json_object *rule)
{
	char match[NAME], port[NAME];
	const char *field;

	if (!disables(rule)) {
		import_left(import, RULES, key, "PACKET_ACTION", "not about trimming");
		return;
	}
	field = conditions(rule, match);
	if (field)
		import_left(import, RULES, key, field,
			    "weir has no such condition, so the rule is left out");
	else if (!table_of(import, key) || !port_at(table_of(import, key), 0, port))
		import_left(import, RULES, key, NULL, "its table is missing, or has no ports");
}

void sonic_acl_rest(struct import *import)
{
	struct json_object *rules = import_entry(import, RULES, NULL);
	struct json_object *tables = import_entry(import, TABLES, NULL);

	if (rules) {
		json_object_object_foreach(rules, key, rule)
			rest_of_rule(import, key, rule);
	}
	if (!tables)
		return;
	json_object_object_foreach(tables, name, table) {
		if (!table_disables(import, table))
			import_left(import, TABLES, name, NULL, "no rule of it disables trimming");
	}
}
