// SPDX-License-Identifier: GPL-2.0
/*
 * `weir trim queues`: packets that wait and were trimmed in each weir qdisc, and packets that
 * programs have trimmed, by traffic class.
 */
#include <linux/pkt_sched.h>
#include <stdio.h>
#include <weir_trim_nl.h>

#include "base/print.h"
#include "base/tool.h"
#include "grammar/args.h"
#include "grammar/commands.h"
#include "netlink/genl.h"
#include "request/show.h"

static const struct {
	uint32_t attr;
	const char *key;
} counters[] = {
	{ WEIR_A_TRIM_QUEUE_DATA_DEPTH, "data-depth" },
	{ WEIR_A_TRIM_QUEUE_HEADER_DEPTH, "header-depth" },
	{ WEIR_A_TRIM_QUEUE_DATA_MAX, "data-max" },
	{ WEIR_A_TRIM_QUEUE_HEADER_MAX, "header-max" },
	{ WEIR_A_TRIM_QUEUE_DIRECT, "direct" },
	{ WEIR_A_TRIM_QUEUE_TRIM, "trim" },
	{ WEIR_A_TRIM_QUEUE_TX_TRIM, "tx-trim" },
	{ WEIR_A_TRIM_QUEUE_DROPPED_TRIM, "dropped-trim" },
	{ WEIR_A_TRIM_QUEUE_CHILD_DROPPED, "child-dropped" },
	{ WEIR_A_TRIM_QUEUE_OTHER_DEPTH, "other-depth" },
	{ WEIR_A_TRIM_QUEUE_OTHER_MAX, "other-max" },
	{ WEIR_A_TRIM_QUEUE_OTHER_DROPPED, "other-dropped" },
};

/* In tc's notation. */
static void print_class(const char *key, uint32_t class)
{
	char text[16];

	if (TC_H_MIN(class))
		snprintf(text, sizeof(text), "%x:%x", TC_H_MAJ(class) >> 16, TC_H_MIN(class));
	else
		snprintf(text, sizeof(text), "%x:", TC_H_MAJ(class) >> 16);
	print_string(key, class == TC_H_ROOT ? "root" : text);
}

static void queue_print(const struct nlmsghdr *message, bool brief)
{
	const struct nlattr *queue[WEIR_A_TRIM_QUEUE_MAX + 1];
	size_t i;

	(void)brief;
	weir_attributes(message, queue, WEIR_A_TRIM_QUEUE_MAX);
	print_string_as("queue dev", COLOR_NAME, "dev", nl_string(queue[WEIR_A_TRIM_QUEUE_IFNAME]));
	if (opt.json)
		show_number("ifindex", queue[WEIR_A_TRIM_QUEUE_IFINDEX]);
	show_number("traffic-class", queue[WEIR_A_TRIM_QUEUE_TRAFFIC_CLASS]);
	if (queue[WEIR_A_TRIM_QUEUE_HANDLE]) {
		print_class("handle", nl_uint(queue[WEIR_A_TRIM_QUEUE_HANDLE]));
		print_class("parent", nl_uint(queue[WEIR_A_TRIM_QUEUE_PARENT]));
	}
	if (queue[WEIR_A_TRIM_QUEUE_CHILD])
		print_class("child", nl_uint(queue[WEIR_A_TRIM_QUEUE_CHILD]));
	show_number("tx-queue", queue[WEIR_A_TRIM_QUEUE_TX_QUEUE]);
	print_line(4);
	for (i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		show_number(counters[i].key, queue[counters[i].attr]);
}

int trim_queues(const struct args *args)
{
	return show_run(args, false, queue_print);
}
