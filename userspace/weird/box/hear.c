// SPDX-License-Identifier: GPL-2.0
#include "box/hear.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>

#include <weir.h>
#include <weir_trim_nl.h>
#include <weir_xdp_nl.h>

#include "base/addr.h"
#include "base/log.h"
#include "base/quote.h"
#include "base/watch.h"
#include "box/box.h"
#include "grammar/names.h"
#include "netlink/genl.h"

#define RECEIVE_SIZE	65536
#define LOOK_MS		1000

static const struct hearer *hearer;
static struct weir weir;
static struct watch watch;

static void put_number(struct json_object *to, const char *name, const struct nlattr *attr)
{
	if (attr)
		json_object_object_add(to, name, json_object_new_int64((int64_t)nl_uint(attr)));
}

/* A device's name may have any bytes, and JSON is UTF-8. */
static void put_text(struct json_object *to, const char *name, const char *text)
{
	char *utf8 = quote_text(text);

	json_object_object_add(to, name, json_object_new_string(utf8));
	free(utf8);
}

static void put_job(struct json_object *to, const struct nlmsghdr *message)
{
	const struct nlattr *table[WEIR_A_JOB_MAX + 1];

	weir_attributes(message, table, WEIR_A_JOB_MAX);
	put_number(to, "job", table[WEIR_A_JOB_ID]);
	put_number(to, "bound", table[WEIR_A_JOB_BOUND]);
	put_number(to, "generation", table[WEIR_A_JOB_GENERATION]);
}

static void put_source(struct json_object *to, const struct nlmsghdr *message)
{
	const struct nlattr *table[WEIR_A_SOURCE_MAX + 1], *address;
	char text[ADDR_TEXT];
	struct addr addr;

	weir_attributes(message, table, WEIR_A_SOURCE_MAX);
	address = table[WEIR_A_SOURCE_ADDRESS];
	put_number(to, "job", table[WEIR_A_SOURCE_JOB]);
	put_number(to, "source", table[WEIR_A_SOURCE_ID]);
	if (address && addr_from(&addr, mnl_attr_get_payload(address),
				 mnl_attr_get_payload_len(address)))
		put_text(to, "address", addr_text(&addr, text));
}

static void put_port(struct json_object *to, const struct nlmsghdr *message)
{
	const struct nlattr *table[WEIR_A_PORT_MAX + 1];

	weir_attributes(message, table, WEIR_A_PORT_MAX);
	put_text(to, "port", nl_string(table[WEIR_A_PORT_IFNAME]));
}

static void put_chain(struct json_object *to, const struct nlmsghdr *message)
{
	const struct nlattr *table[WEIR_A_CHAIN_MAX + 1];

	weir_attributes(message, table, WEIR_A_CHAIN_MAX);
	put_text(to, "port", nl_string(table[WEIR_A_CHAIN_IFNAME]));
	put_number(to, "prio", table[WEIR_A_CHAIN_PRIO]);
	put_text(to, "program", nl_string(table[WEIR_A_CHAIN_NAME]));
}

static void put_flow(struct json_object *to, const struct nlmsghdr *message)
{
	const struct nlattr *table[WEIR_A_FLOW_MAX + 1];

	weir_attributes(message, table, WEIR_A_FLOW_MAX);
	put_text(to, "port", nl_string(table[WEIR_A_FLOW_IFNAME]));
}

static void put_flow_alarm(struct json_object *to, const struct nlmsghdr *message)
{
	const struct nlattr *table[WEIR_A_FLOW_ALARM_MAX + 1];

	weir_attributes(message, table, WEIR_A_FLOW_ALARM_MAX);
	put_text(to, "port", nl_string(table[WEIR_A_FLOW_ALARM_IFNAME]));
	put_text(to, "alarm", names_word(&flow_alarm_names, nl_uint(table[WEIR_A_FLOW_ALARM_ALARM])));
	put_number(to, "value", table[WEIR_A_FLOW_ALARM_VALUE]);
	put_number(to, "threshold", table[WEIR_A_FLOW_ALARM_THRESHOLD]);
}

static void put_filter(struct json_object *to, const struct nlmsghdr *message)
{
	const struct nlattr *table[WEIR_A_FILTER_MAX + 1];

	weir_attributes(message, table, WEIR_A_FILTER_MAX);
	put_text(to, "port", nl_string(table[WEIR_A_FILTER_IFNAME]));
	put_number(to, "prio", table[WEIR_A_FILTER_PRIO]);
	put_text(to, "action", names_word(&filter_action_names,
					  nl_uint(table[WEIR_A_FILTER_ACTION])));
}

static void put_filter_source(struct json_object *to, const struct nlmsghdr *message)
{
	const struct nlattr *table[WEIR_A_FILTER_SOURCE_MAX + 1];
	const struct nlattr *address;
	char text[ADDR_TEXT];
	struct addr addr;

	weir_attributes(message, table, WEIR_A_FILTER_SOURCE_MAX);
	put_text(to, "port", nl_string(table[WEIR_A_FILTER_SOURCE_IFNAME]));
	put_number(to, "prio", table[WEIR_A_FILTER_SOURCE_PRIO]);
	put_text(to, "state", names_word(&filter_state_names,
					 nl_uint(table[WEIR_A_FILTER_SOURCE_STATE])));
	address = table[WEIR_A_FILTER_SOURCE_ADDRESS];
	if (address && addr_from(&addr, mnl_attr_get_payload(address),
				 mnl_attr_get_payload_len(address)))
		put_text(to, "address", addr_text(&addr, text));
	if (table[WEIR_A_FILTER_SOURCE_OTHERS])
		put_number(to, "others", table[WEIR_A_FILTER_SOURCE_OTHERS]);
}

static void put_order(struct json_object *to, const struct nlmsghdr *message)
{
	const struct nlattr *table[WEIR_A_ORDER_MAX + 1];

	weir_attributes(message, table, WEIR_A_ORDER_MAX);
	put_text(to, "port", nl_string(table[WEIR_A_ORDER_IFNAME]));
	put_number(to, "prio", table[WEIR_A_ORDER_PRIO]);
}

static void put_trim(struct json_object *to, const struct nlmsghdr *message)
{
	const struct nlattr *table[WEIR_A_TRIM_MAX + 1];

	weir_attributes(message, table, WEIR_A_TRIM_MAX);
	put_text(to, "port", nl_string(table[WEIR_A_TRIM_IFNAME]));
}

static void put_event(struct json_object *to, const struct nlmsghdr *message)
{
	const struct nlattr *table[WEIR_A_EVENT_MAX + 1];

	weir_attributes(message, table, WEIR_A_EVENT_MAX);
	put_text(to, "event", names_word(&event_names, nl_uint(table[WEIR_A_EVENT_EVENT])));
	put_number(to, "job", table[WEIR_A_EVENT_JOB]);
	put_number(to, "generation", table[WEIR_A_EVENT_GENERATION]);
	put_number(to, "source", table[WEIR_A_EVENT_SOURCE]);
	put_number(to, "straggles", table[WEIR_A_EVENT_STRAGGLES]);
}

static const struct kind {
	uint8_t command;
	const char *event;
	void (*put)(struct json_object *to, const struct nlmsghdr *message);
} kinds[] = {
	{ WEIR_CMD_JOB_NTF, "job", put_job },
	{ WEIR_CMD_JOB_DEL_NTF, "job-del", put_job },
	{ WEIR_CMD_SOURCE_NTF, "source", put_source },
	{ WEIR_CMD_SOURCE_DEL_NTF, "source-del", put_source },
	{ WEIR_CMD_PORT_NTF, "port", put_port },
	{ WEIR_CMD_PORT_DEL_NTF, "port-del", put_port },
	{ WEIR_XDP_CMD_CHAIN_NTF, "chain", put_chain },
	{ WEIR_XDP_CMD_CHAIN_DEL_NTF, "chain-del", put_chain },
	{ WEIR_XDP_CMD_FLOW_NTF, "flow", put_flow },
	{ WEIR_XDP_CMD_FLOW_DEL_NTF, "flow-del", put_flow },
	{ WEIR_XDP_CMD_FLOW_ALARM_NTF, "flow-alarm", put_flow_alarm },
	{ WEIR_XDP_CMD_FILTER_NTF, "filter", put_filter },
	{ WEIR_XDP_CMD_FILTER_DEL_NTF, "filter-del", put_filter },
	{ WEIR_XDP_CMD_FILTER_SOURCE_NTF, "filter-source", put_filter_source },
	{ WEIR_XDP_CMD_ORDER_NTF, "order", put_order },
	{ WEIR_XDP_CMD_ORDER_DEL_NTF, "order-del", put_order },
	{ WEIR_CMD_TRIM_NTF, "trim", put_trim },
	{ WEIR_CMD_TRIM_DEL_NTF, "trim-del", put_trim },
	{ WEIR_CMD_EVENT_NTF, NULL, put_event },
};

static void put_time(struct json_object *to)
{
	struct timespec now;
	char text[40];
	struct tm utc;
	size_t used;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &utc);
	used = strftime(text, sizeof(text), "%FT%T", &utc);
	snprintf(text + used, sizeof(text) - used, ".%03ldZ", now.tv_nsec / 1000000);
	put_text(to, "time", text);
}

static void tell(const struct kind *kind, const struct nlmsghdr *message)
{
	struct json_object *object = json_object_new_object();

	put_time(object);
	if (kind->event)
		put_text(object, "event", kind->event);
	kind->put(object, message);
	hearer->event(object);
	json_object_put(object);
}

static void take(const struct nlmsghdr *message)
{
	const struct nlattr *table[WEIR_A_JOB_MAX + 1];
	uint8_t command = weir_command(message);
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].command == command)
			tell(&kinds[i], message);
	}
	if (command != WEIR_CMD_JOB_DEL_NTF)
		return;
	weir_attributes(message, table, WEIR_A_JOB_MAX);
	hearer->removed(nl_uint(table[WEIR_A_JOB_ID]));
}

static void module_gone(void)
{
	log_line("the weir module has gone: jobs are brought back with it");
	watch_remove(&watch);
	weir_close(&weir);
	box_forget();
}

/* Any job may be one whose end was not heard. */
static bool some_lost(void)
{
	uint32_t id;

	for (id = 0; id <= WEIR_JOB_ID_MAX; id++)
		hearer->removed(id);
	return true;
}

/* Return false if the module of jobs was unloaded. The others come and go: listen to those that are there. */
static bool take_control(const struct nlmsghdr *message)
{
	enum family_of family;
	int err;

	if (weir_gone(&weir, message, &family))
		return family != FAMILY_WEIR;
	err = weir_came(&weir, message);
	if (err)
		log_line("cannot listen to the events of a module that was loaded: %s", strerror(-err));
	return true;
}

/* Return false if there is nothing left to read. */
static bool read_some(void)
{
	static char buffer[RECEIVE_SIZE] __attribute__((aligned(8)));
	ssize_t got = recv(watch.fd, buffer, sizeof(buffer), MSG_DONTWAIT);
	const struct nlmsghdr *message = (const void *)buffer;
	int left = got;

	if (got < 0 && errno == ENOBUFS)
		return some_lost();
	if (got < 0)
		return errno == EINTR;
	for (; mnl_nlmsg_ok(message, left); message = mnl_nlmsg_next(message, &left)) {
		if (mnl_nlmsg_get_payload_len(message) < sizeof(struct genlmsghdr))
			continue;
		if (weir_is_event(&weir, message)) {
			take(message);
		} else if (!take_control(message)) {
			module_gone();
			return false;
		}
	}
	return true;
}

static void on_ready(struct watch *ready)
{
	(void)ready;
	while (read_some())
		;
}

static bool listen_again(void)
{
	if (weir_try_open(&weir))
		return false;
	if (!weir_has(&weir, WEIR_CMD_JOB_GET) || weir_listen(&weir)) {
		weir_close(&weir);
		return false;
	}
	watch.fd = mnl_socket_get_fd(weir.nl.socket);
	watch.ready = on_ready;
	watch_add(&watch, EPOLLIN);
	return true;
}

void hear_open(const struct hearer *mine)
{
	hearer = mine;
	if (!listen_again())
		log_line("the weir module is not loaded yet");
}

int hear_tick(void)
{
	if (weir.nl.socket)
		return -1;
	if (!listen_again())
		return LOOK_MS;
	hearer->again();
	return -1;
}
