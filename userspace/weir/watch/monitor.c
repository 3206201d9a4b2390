// SPDX-License-Identifier: GPL-2.0
/* `weir monitor`: changes, as they happen. */
#include <errno.h>
#include <linux/genetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include <weir.h>
#include <weir_trim_nl.h>
#include <weir_xdp_nl.h>

#include "base/print.h"
#include "base/tool.h"
#include "chain/chain.h"
#include "flow/flow.h"
#include "filter/filter.h"
#include "order/order.h"
#include "grammar/args.h"
#include "grammar/commands.h"
#include "grammar/names.h"
#include "netlink/genl.h"
#include "request/show.h"
#include "watch/journal.h"

#define RECEIVE_SIZE 65536

static void print_event(const struct nlmsghdr *message, bool brief)
{
	const struct nlattr *event[WEIR_A_EVENT_MAX + 1];

	(void)brief;
	weir_attributes(message, event, WEIR_A_EVENT_MAX);
	if (event[WEIR_A_EVENT_JOB])
		print_uint_as(NULL, COLOR_NAME, "job", nl_uint(event[WEIR_A_EVENT_JOB]));
	show_number("generation", event[WEIR_A_EVENT_GENERATION]);
	if (event[WEIR_A_EVENT_SOURCE])
		print_uint_as(NULL, COLOR_NAME, "source", nl_uint(event[WEIR_A_EVENT_SOURCE]));
	show_number("straggles", event[WEIR_A_EVENT_STRAGGLES]);
}

static void print_port(const struct nlmsghdr *message, bool brief)
{
	port_print(message);
	if (!brief || opt.json)
		port_print_stats(message);
}

static const struct notification {
	uint8_t command;
	const char *event;
	void (*print)(const struct nlmsghdr *message, bool brief);
} notifications[] = {
	{ WEIR_CMD_JOB_NTF, "job", job_print },
	{ WEIR_CMD_JOB_DEL_NTF, "job-del", job_print },
	{ WEIR_CMD_SOURCE_NTF, "source", source_print },
	{ WEIR_CMD_SOURCE_DEL_NTF, "source-del", source_print },
	{ WEIR_CMD_PORT_NTF, "port", print_port },
	{ WEIR_CMD_PORT_DEL_NTF, "port-del", print_port },
	{ WEIR_XDP_CMD_CHAIN_NTF, "chain", chain_print },
	{ WEIR_XDP_CMD_CHAIN_DEL_NTF, "chain-del", chain_print },
	{ WEIR_XDP_CMD_FLOW_NTF, "flow", flow_table_print },
	{ WEIR_XDP_CMD_FLOW_DEL_NTF, "flow-del", flow_table_print },
	{ WEIR_XDP_CMD_FLOW_ALARM_NTF, "flow-alarm", flow_alarm_print },
	{ WEIR_XDP_CMD_FILTER_NTF, "filter", filter_print },
	{ WEIR_XDP_CMD_FILTER_DEL_NTF, "filter-del", filter_print },
	{ WEIR_XDP_CMD_FILTER_SOURCE_NTF, "filter-source", filter_source_print },
	{ WEIR_XDP_CMD_ORDER_NTF, "order", order_print },
	{ WEIR_XDP_CMD_ORDER_DEL_NTF, "order-del", order_print },
	{ WEIR_CMD_TRIM_NTF, "trim", trim_print },
	{ WEIR_CMD_TRIM_DEL_NTF, "trim-del", trim_print },
	{ WEIR_CMD_EVENT_NTF, NULL, print_event },
};

/* An event of the data path goes by its own name. */
static const char *event_name(const struct notification *notification,
			      const struct nlmsghdr *message)
{
	const struct nlattr *event[WEIR_A_EVENT_MAX + 1];

	if (notification->event)
		return notification->event;
	weir_attributes(message, event, WEIR_A_EVENT_MAX);
	return names_word(&event_names, nl_uint(event[WEIR_A_EVENT_EVENT]));
}

/* Faults stand out. */
static enum color event_color(const struct notification *notification,
			      const struct nlmsghdr *message)
{
	const struct nlattr *event[WEIR_A_EVENT_MAX + 1];

	if (notification->command == WEIR_XDP_CMD_FILTER_SOURCE_NTF)
		return filter_source_color(message);
	if (notification->event)
		return COLOR_GOOD;
	weir_attributes(message, event, WEIR_A_EVENT_MAX);
	switch (nl_uint(event[WEIR_A_EVENT_EVENT])) {
	case WEIR_EVENT_STRAGGLER:
		return COLOR_WARN;
	case WEIR_EVENT_DEAD:
		return COLOR_BAD;
	default:
		return COLOR_GOOD;
	}
}

static void print_time(void)
{
	struct timespec now;
	char text[40];
	struct tm utc;
	size_t used;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &utc);
	used = strftime(text, sizeof(text), "%FT%T", &utc);
	snprintf(text + used, sizeof(text) - used, ".%06ldZ", now.tv_nsec / 1000);
	print_string_as("", COLOR_NONE, "time", text);
}

/* In the journal it has a time already. */
static void write_entry(int journal, const struct notification *notification,
			const struct nlmsghdr *message)
{
	const struct nlattr *event[WEIR_A_EVENT_MAX + 1];
	enum color color = event_color(notification, message);
	struct entry entry = {
		.event = event_name(notification, message),
		.priority = color == COLOR_BAD ? LOG_ERR :
			    color == COLOR_WARN ? LOG_WARNING : LOG_INFO,
		.job = -1,
		.source = -1,
	};
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		abort();
	print_to(file);
	print_string_as("", COLOR_NONE, "event", entry.event);
	notification->print(message, true);
	print_line(0);
	print_to(NULL);
	fclose(file);
	text[strcspn(text, "\n")] = '\0';
	entry.message = text;
	if (!notification->event) {
		weir_attributes(message, event, WEIR_A_EVENT_MAX);
		if (event[WEIR_A_EVENT_JOB])
			entry.job = nl_uint(event[WEIR_A_EVENT_JOB]);
		if (event[WEIR_A_EVENT_SOURCE])
			entry.source = nl_uint(event[WEIR_A_EVENT_SOURCE]);
	}
	if (journal_send(journal, &entry))
		warning("the journal does not take `%s`: %s", text, strerror(errno));
	free(text);
}

static void print_notification(const struct nlmsghdr *message, int journal)
{
	uint8_t command = weir_command(message);
	size_t i;

	for (i = 0; i < sizeof(notifications) / sizeof(notifications[0]); i++) {
		const struct notification *notification = &notifications[i];

		if (notification->command != command)
			continue;
		if (journal >= 0) {
			write_entry(journal, notification, message);
			return;
		}
		print_object(NULL);
		print_time();
		print_string_as("", event_color(notification, message), "event",
				event_name(notification, message));
		notification->print(message, true);
		print_done();
		return;
	}
}

/* Modules come and go. Without any there is nothing to wait for. */
static int take_control(struct weir *weir, const struct nlmsghdr *message)
{
	enum family_of family;
	int err;

	if (weir_gone(weir, message, &family))
		return weir_has_any(weir) ? WEIR_OK :
		       refused(ENOENT, "the %s module was unloaded, so there is nothing to monitor",
			       weir_module(family));
	err = weir_came(weir, message);
	return err ? refused(err, "cannot listen to the events of a module that was loaded: %s",
			     strerror(-err)) : WEIR_OK;
}

static int handle(struct weir *weir, const char *buffer, ssize_t got, int journal)
{
	const struct nlmsghdr *message = (const void *)buffer;
	int left = got, status = WEIR_OK;

	for (; mnl_nlmsg_ok(message, left); message = mnl_nlmsg_next(message, &left)) {
		if (mnl_nlmsg_get_payload_len(message) < sizeof(struct genlmsghdr))
			continue;
		if (weir_is_event(weir, message))
			print_notification(message, journal);
		else
			status = status ?: take_control(weir, message);
	}
	if (status)
		return status;
	/* The reader of a pipe gets the line at once, and may be gone. */
	return fflush(stdout) ? WEIR_REFUSED : WEIR_OK;
}

static int receive(struct weir *weir, int journal)
{
	static char buffer[RECEIVE_SIZE] __attribute__((aligned(8)));
	int status = WEIR_OK;

	while (!status) {
		ssize_t got = mnl_socket_recvfrom(weir->nl.socket, buffer, sizeof(buffer));

		if (got >= 0)
			status = handle(weir, buffer, got, journal);
		else if (errno == ENOBUFS)
			warning("events came faster than they were read; some are lost");
		else if (errno != EINTR)
			status = refused(errno, "cannot read events: %s", strerror(errno));
	}
	return status;
}

/* @journal: a socket, or negative for standard output */
static int where_to(const struct args *args, int *journal)
{
	*journal = -1;
	if (!args->words)
		return WEIR_OK;
	if (args->words > 1 || strcmp(args->word[0], "--journal"))
		return usage(NULL, "monitor takes --journal, or no words, but not '%s'",
			     args->word[args->words - 1]);
	*journal = journal_open();
	if (*journal >= 0)
		return WEIR_OK;
	return refused(*journal, "cannot write to the journal: %s", strerror(-*journal));
}

int monitor_run(const struct args *args)
{
	int status, err, journal;
	struct weir weir;

	status = where_to(args, &journal);
	status = status ?: weir_open_any(&weir);
	if (status)
		return status;
	err = weir_listen(&weir);
	if (err)
		status = refused(err, "cannot listen to the module's events: %s",
				 strerror(-err));
	else
		status = receive(&weir, journal);
	weir_close(&weir);
	if (journal >= 0)
		close(journal);
	return status;
}
