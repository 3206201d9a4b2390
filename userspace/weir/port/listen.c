// SPDX-License-Identifier: GPL-2.0
/*
 * The UDP ports and EtherTypes that a program is to listen to, each with the format of its packets:
 * those of the namespace's jobs.
 */
#include <errno.h>
#include <string.h>

#include <weir.h>
#include <weir_wire.h>

#include "base/tool.h"
#include "grammar/commands.h"
#include "port/attach.h"
#include "request/request.h"

static struct weir_format_entry *find(struct format_ports *ports, uint32_t port)
{
	struct weir_format_entry *entry;

	for (entry = ports->entry; entry < ports->entry + WEIR_FORMATS_MAX; entry++) {
		if (!entry->port || entry->port == port)
			return entry;
	}
	return NULL;
}

/* Adds one, unless it is there. */
static int add(struct format_ports *ports, uint32_t port, uint32_t format)
{
	struct weir_format_entry *entry = find(ports, port);

	if (!entry)
		return refused(E2BIG, "a program listens to %d ports at most: name those that come by this device with udp",
			       WEIR_FORMATS_MAX);
	if (entry->port && entry->format != format) {
		return refused(EADDRINUSE, "there are jobs with port %u of the formats %s and %s, and a program takes one of them: give the jobs of one another port",
			       port, names_word(&format_names, entry->format),
			       names_word(&format_names, format));
	}
	entry->port = port;
	entry->format = format;
	return WEIR_OK;
}

/* Return true if the command line names a job's UDP port, or names none. */
static bool is_wanted(const struct args *args, uint32_t port)
{
	size_t i;

	if (!args_get(args, "udp"))
		return true;
	for (i = 0; i < args->count; i++) {
		if (!strcmp(args->value[i].key->name, "udp") && args->value[i].number == port)
			return true;
	}
	return false;
}

static int add_job(const struct args *args, const struct nlmsghdr *message,
		   struct format_ports *ports)
{
	const struct nlattr *job[WEIR_A_JOB_MAX + 1];
	uint32_t port, format;

	weir_attributes(message, job, WEIR_A_JOB_MAX);
	format = nl_uint(job[WEIR_A_JOB_FORMAT]);
	port = nl_uint(job[WEIR_A_JOB_PORT]);
	if (format == WEIR_FORMAT_LAB_ETHERNET)
		return add(ports, WEIR_LAB_ETHERTYPE, format);
	return is_wanted(args, port) ? add(ports, port, format) : WEIR_OK;
}

/* The format whose jobs have a port where they say none. */
static uint32_t format_of(uint32_t port)
{
	switch (port) {
	case WEIR_PORT_LAB:
		return WEIR_FORMAT_LAB;
	case WEIR_PORT_SWITCHML:
		return WEIR_FORMAT_SWITCHML;
	case WEIR_PORT_PANAMA:
		return WEIR_FORMAT_PANAMA;
	case WEIR_PORT_KV:
		return WEIR_FORMAT_KV;
	default:
		return WEIR_FORMAT_TRIO;
	}
}

/* A port that no job has is one for jobs to come. */
static int add_free(struct format_ports *ports, uint32_t port)
{
	const struct weir_format_entry *entry = find(ports, port);

	return entry && entry->port ? WEIR_OK : add(ports, port, format_of(port));
}

static int add_named(const struct args *args, struct format_ports *ports)
{
	int status = WEIR_OK;
	size_t i;

	if (!args_get(args, "udp"))
		return add_free(ports, WEIR_PORT_DEFAULT);
	for (i = 0; !status && i < args->count; i++) {
		if (!strcmp(args->value[i].key->name, "udp"))
			status = add_free(ports, args->value[i].number);
	}
	return status;
}

int listen_ports(struct weir *weir, const struct args *args, struct format_ports *ports)
{
	struct nl_replies replies = {};
	char buffer[NL_REQUEST_SIZE];
	int status;
	size_t i;

	memset(ports, 0, sizeof(*ports));
	weir_begin(weir, buffer, WEIR_CMD_JOB_GET, NLM_F_DUMP);
	status = request_send(weir, buffer, args, &replies);
	for (i = 0; !status && i < replies.count; i++)
		status = add_job(args, replies.message[i], ports);
	nl_replies_free(&replies);
	return status ?: add_named(args, ports);
}
