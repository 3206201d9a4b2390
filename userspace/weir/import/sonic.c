// SPDX-License-Identifier: GPL-2.0
/*
 * Trimming in SONiC's config_db.json. The switch has one policy (SWITCH_TRIMMING), which becomes
 * `trim-default`. A port trims if a buffer profile of one of its queues says so: it gets `trim set`.
 * The packets of a queue are defined by maps from DSCPs to traffic classes and from these to queues
 * (PORT_QOS_MAP): these DSCPs become rules.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <weir_trim_nl.h>

#include "base/quote.h"
#include "base/tool.h"
#include "import/import.h"
#include "import/sonic.h"

#define TRIMMING	"SWITCH_TRIMMING"
#define GLOBAL		"GLOBAL"
#define QUEUES		"BUFFER_QUEUE"
#define PORTS		"PORT_QOS_MAP"
#define CLASSES		16
#define DSCPS		64

/**
 * struct sonic - the policy of the switch
 * @from_class: the DSCP of trimmed packets is that of @class
 * @dscp: the DSCP of trimmed packets otherwise
 * @class: their traffic class
 * @queue: the choice of their queue, NULL if there is none
 */
struct sonic {
	bool from_class;
	uint64_t dscp;
	uint64_t class;
	const char *queue;
};

static int read_global(struct import *import, struct sonic *sonic, FILE *line)
{
	struct json_object *entry = import_entry(import, TRIMMING, GLOBAL);
	const char *dscp = import_field(entry, "dscp_value"), *size = import_field(entry, "size");
	uint64_t number;

	if (!entry)
		return refused(0, "%s has no " TRIMMING "|" GLOBAL ": the switch trims nothing",
			       import->file);
	sonic->from_class = dscp && !strcmp(dscp, "from-tc");
	if (!sonic->from_class && !import_number(dscp, DSCPS - 1, &sonic->dscp))
		return refused(0, "%s: dscp_value of " TRIMMING "|" GLOBAL " is %s: it must be 0 to 63 or from-tc",
			       import->file, dscp ?: "missing");
	if (sonic->from_class &&
	    !import_number(import_field(entry, "tc_value"), CLASSES - 1, &sonic->class))
		return refused(0, "%s: dscp_value of " TRIMMING "|" GLOBAL " is from-tc, and tc_value is missing or not 0 to 15",
			       import->file);
	sonic->queue = import_field(entry, "queue_index");
	fputs("trim-default set", line);
	if (import_number(size, UINT32_MAX, &number))
		fprintf(line, " size %u", (uint32_t)number);
	if (sonic->from_class)
		fprintf(line, " dscp from-tc tc %u", (uint32_t)sonic->class);
	else
		fprintf(line, " dscp %u", (uint32_t)sonic->dscp);
	json_object_object_foreach(entry, field, value) {
		(void)value;
		if (!strcmp(field, "queue_index"))
			import_left(import, TRIMMING, GLOBAL, field,
				    "trimmed packets wait in a band of their own; on a device with a transmit queue for them add `queue`");
		else if (!strcmp(field, "tc_value") && !sonic->from_class)
			import_left(import, TRIMMING, GLOBAL, field, "of use with dscp_value from-tc alone");
		else if (strcmp(field, "size") && strcmp(field, "dscp_value") &&
			 strcmp(field, "tc_value"))
			import_left(import, TRIMMING, GLOBAL, field, "not known to weir");
	}
	return WEIR_OK;
}

/* A map of numbers, as of classes to DSCPs; @map keeps what it does not say. */
static void read_map(struct json_object *entry, size_t keys, uint64_t max, uint8_t map[])
{
	uint64_t key, number;

	json_object_object_foreach(entry, word, value) {
		if (import_number(word, keys - 1, &key) &&
		    import_number(json_object_get_string(value), max, &number))
			map[key] = number;
	}
}

/* The DSCP of trimmed packets of a port, and what says it there. */
static uint8_t write_mark(struct import *import, const struct sonic *sonic,
			  struct json_object *maps, FILE *line)
{
	struct json_object *entry = sonic_referred(import, "TC_TO_DSCP_MAP", maps, "tc_to_dscp_map");
	uint8_t dscps[CLASSES] = { 0, 8, 16, 24, 32, 40, 48, 56 };
	int i;

	if (!sonic->from_class)
		return sonic->dscp;
	if (entry) {
		read_map(entry, CLASSES, DSCPS - 1, dscps);
		for (i = 0; i < CLASSES; i++)
			fprintf(line, "%s%d:%u", i ? "," : " tc-dscp ", i, dscps[i]);
	}
	return dscps[sonic->class];
}

/* The DSCPs of packets that the port has in the queues that trim. */
static uint64_t eligible_of(const struct import *import, const struct sonic_port *port,
			    struct json_object *maps)
{
	struct json_object *to_class = sonic_referred(import, "DSCP_TO_TC_MAP", maps, "dscp_to_tc_map");
	struct json_object *to_queue = sonic_referred(import, "TC_TO_QUEUE_MAP", maps, "tc_to_queue_map");
	uint8_t classes[DSCPS] = {}, queues[CLASSES];
	uint64_t dscps = 0;
	int i;

	if (!to_class)
		return UINT64_MAX;
	for (i = 0; i < CLASSES; i++)
		queues[i] = i;
	read_map(to_class, DSCPS, CLASSES - 1, classes);
	if (to_queue)
		read_map(to_queue, CLASSES, 31, queues);
	for (i = 0; i < DSCPS; i++)
		dscps |= (uint64_t)(port->queues >> queues[classes[i]] & 1) << i;
	return dscps;
}

/* Rules for runs of DSCPs; returns how many, of which @room are written. */
static unsigned int write_rules(uint64_t dscps, unsigned int room, FILE *line)
{
	unsigned int count = 0;
	int first, last;

	for (first = 0; first < DSCPS; first = last + 1) {
		last = first;
		if (!(dscps >> first & 1))
			continue;
		while (last + 1 < DSCPS && dscps >> (last + 1) & 1)
			last++;
		if (count++ >= room)
			continue;
		fprintf(line, first == last ? " rule dscp=%d" : " rule dscp=%d-%d", first, last);
	}
	return count;
}

static void write_port(struct import *import, const struct sonic *sonic, const struct sonic_port *port,
		       FILE *line)
{
	struct json_object *maps = import_entry(import, PORTS, port->name);
	uint64_t dscps = eligible_of(import, port, maps);
	unsigned int rules = 1;
	uint8_t mark;

	fputs("trim set dev ", line);
	quote_word(line, import_device(import, port->name));
	fputs(" hook qdisc", line);
	mark = write_mark(import, sonic, maps, line);
	if (dscps == UINT64_MAX) {
		fputs(" rule any", line);
		if (!sonic_referred(import, "DSCP_TO_TC_MAP", maps, "dscp_to_tc_map"))
			import_left(import, QUEUES, port->key, "profile",
				    "no map says which DSCPs go to these queues: all packets are trimmed");
	} else {
		/* Packets with the mark have been trimmed. */
		rules = write_rules(dscps & ~(1ull << mark), WEIR_TRIM_RULES_MAX, line);
	}
	if (rules > WEIR_TRIM_RULES_MAX)
		import_left(import, QUEUES, port->key, "profile",
			    "a port has 16 rules at most: some DSCPs of these queues are not trimmed");
	if (*port->acl) {
		fputs(" acl ", line);
		quote_word(line, port->acl);
	}
	sonic_buffer_write(import, port, line);
	fputs(" share strict", line);
}

static void rest_of_port(struct import *import, const char *name, struct json_object *maps,
			 const struct sonic *sonic, const struct sonic_port *port)
{
	bool trimming = false;

	for (; port; port = port->next)
		trimming |= !strcmp(port->name, name);
	json_object_object_foreach(maps, field, value) {
		(void)value;
		if (!trimming)
			import_left(import, PORTS, name, field, "the port does not trim");
		else if (!strcmp(field, "tc_to_dscp_map") && !sonic->from_class)
			import_left(import, PORTS, name, field, "of use with dscp_value from-tc alone");
		else if (strcmp(field, "tc_to_dscp_map") && strcmp(field, "dscp_to_tc_map") &&
			 strcmp(field, "tc_to_queue_map"))
			import_left(import, PORTS, name, field, "not about trimming");
	}
}

static void rest_of_ports(struct import *import, const struct sonic *sonic, const struct sonic_port *ports)
{
	struct json_object *entries = import_entry(import, PORTS, NULL);

	if (!entries)
		return;
	json_object_object_foreach(entries, name, maps) {
		if (json_object_is_type(maps, json_type_object))
			rest_of_port(import, name, maps, sonic, ports);
	}
}

/* Begin a command, and add it to the others. */
static FILE *begin(char **text, size_t *size)
{
	FILE *line = open_memstream(text, size);

	if (!line)
		abort();
	return line;
}

static void end(struct import *import, FILE *line, char **text)
{
	fclose(line);
	batch_add(&import->commands, 0, *text);
	free(*text);
}

int sonic_import(struct import *import)
{
	struct sonic_port *ports = NULL, *port;
	struct sonic_acls *acls;
	struct sonic sonic = {};
	size_t size;
	int status;
	char *text;
	FILE *line;

	line = begin(&text, &size);
	status = read_global(import, &sonic, line);
	if (status) {
		fclose(line);
		free(text);
		return status;
	}
	end(import, line, &text);
	sonic_buffer_read(import, &ports);
	sonic_pools_write(import, ports);
	acls = sonic_acls_read(import);
	sonic_acls_write(acls, ports);
	for (port = ports; port; port = port->next) {
		line = begin(&text, &size);
		write_port(import, &sonic, port, line);
		end(import, line, &text);
	}
	rest_of_ports(import, &sonic, ports);
	sonic_acls_rest(acls);
	sonic_acls_free(acls);
	while ((port = ports)) {
		ports = port->next;
		free(port);
	}
	return WEIR_OK;
}
