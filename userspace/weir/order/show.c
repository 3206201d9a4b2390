// SPDX-License-Identifier: GPL-2.0
/* An order, printed. */
#include <inttypes.h>
#include <linux/genetlink.h>
#include <stdio.h>

#include <weir_xdp_nl.h>

#include "base/tool.h"
#include "grammar/cpus.h"
#include "grammar/grammar.h"
#include "grammar/match.h"
#include "job/lateness.h"
#include "netlink/genl.h"
#include "order/order.h"
#include "request/show.h"

static const char *sequence_text(const struct nlattr *const order[], char text[static 32])
{
	uint32_t sequence = nl_uint(order[WEIR_A_ORDER_SEQUENCE]);

	if (sequence == WEIR_XDP_ORDER_SEQUENCE_FIELD)
		snprintf(text, 32, "%u/%u", (uint32_t)nl_uint(order[WEIR_A_ORDER_OFFSET]),
			 (uint32_t)nl_uint(order[WEIR_A_ORDER_WIDTH]));
	else
		snprintf(text, 32, "%s", names_word(&order_sequence_names, sequence));
	return text;
}

static void print_scope(const struct nlattr *const order[])
{
	char text[32];

	if (!order[WEIR_A_ORDER_SCOPE_WIDTH])
		return;
	snprintf(text, sizeof(text), "%u/%u", (uint32_t)nl_uint(order[WEIR_A_ORDER_SCOPE_OFFSET]),
		 (uint32_t)nl_uint(order[WEIR_A_ORDER_SCOPE_WIDTH]));
	print_string("scope", text);
}

static void print_numbers(const char *key, const struct nlmsghdr *message, uint16_t type)
{
	const struct nlattr *attr;

	print_list(key);
	mnl_attr_for_each(attr, message, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == type)
			print_uint(NULL, nl_uint(attr));
	}
	print_end();
}

static void print_cpus(const struct nlmsghdr *message)
{
	char text[CPUS_TEXT];

	if (opt.json) {
		print_numbers("cpus", message, WEIR_A_ORDER_CPU);
		print_numbers("depth", message, WEIR_A_ORDER_DEPTH);
		print_numbers("wait", message, WEIR_A_ORDER_WAIT);
	} else if (*cpus_text(text, message, WEIR_A_ORDER_CPU)) {
		print_string("cpus", text);
	}
}

static void print_stats(const struct nlattr *nest)
{
	const struct nlattr *stats[WEIR_A_ORDER_STATS_MAX + 1] = {};
	uint16_t attr;

	nl_nested(nest, stats, WEIR_A_ORDER_STATS_MAX);
	print_line(4);
	for (attr = 1; attr <= WEIR_A_ORDER_STATS_MAX; attr++) {
		uint64_t count = nl_uint(stats[attr]);

		if (count || attr == WEIR_A_ORDER_STATS_PACKETS || opt.json)
			print_uint(names_word(&order_counter_names, attr), count);
	}
}

static void print_wait(const struct nlmsghdr *message)
{
	struct lateness wait;
	char text[LATENESS_TEXT];

	lateness_read_attr(&wait, message, WEIR_A_ORDER_WAIT);
	if (opt.json)
		lateness_print_list(&wait, "wait", "packets");
	if (opt.json || !wait.total)
		return;
	print_string("wait-p50", lateness_text(text, lateness_quantile(&wait, 500)));
	print_string("wait-p99", lateness_text(text, lateness_quantile(&wait, 990)));
}

static void print_rule(const struct nlattr *const order[])
{
	if (order[WEIR_A_ORDER_RULE])
		match_print_rule("rule", order[WEIR_A_ORDER_RULE]);
}

void order_print(const struct nlmsghdr *message, bool brief)
{
	const struct nlattr *order[WEIR_A_ORDER_MAX + 1];
	char text[32];

	weir_attributes(message, order, WEIR_A_ORDER_MAX);
	print_string_as("order", COLOR_NAME, "dev", nl_string(order[WEIR_A_ORDER_IFNAME]));
	if (opt.json)
		print_uint("ifindex", nl_uint(order[WEIR_A_ORDER_IFINDEX]));
	print_uint("prio", nl_uint(order[WEIR_A_ORDER_PRIO]));
	print_rule(order);
	print_cpus(message);
	print_string("sequence", sequence_text(order, text));
	print_scope(order);
	print_micros("hold", nl_uint(order[WEIR_A_ORDER_HOLD]));
	show_number("packets", order[WEIR_A_ORDER_PACKETS]);
	print_bytes("bytes", nl_uint(order[WEIR_A_ORDER_BYTES]));
	show_number("flows", order[WEIR_A_ORDER_FLOWS]);
	show_keys(order_add_attributes, order);
	print_string("by", nl_string(order[WEIR_A_ORDER_DEVICE]));
	print_bytes("memory", nl_uint(order[WEIR_A_ORDER_MEMORY]));
	if (brief && !opt.json)
		return;
	if (opt.json)
		print_object("stats");
	print_stats(order[WEIR_A_ORDER_STATS]);
	if (opt.json)
		print_end();
	print_wait(message);
}

/* A number with its unit, as one word. */
static void save_with(const char *key, const struct nlattr *attr, const char *unit)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64 "%s", nl_uint(attr), unit);
	print_string(key, text);
}

void order_save(const struct nlmsghdr *message, uint32_t mode)
{
	const struct nlattr *order[WEIR_A_ORDER_MAX + 1];
	char text[CPUS_TEXT];

	weir_attributes(message, order, WEIR_A_ORDER_MAX);
	print_text("order add");
	print_string("dev", nl_string(order[WEIR_A_ORDER_IFNAME]));
	print_uint("prio", nl_uint(order[WEIR_A_ORDER_PRIO]));
	print_rule(order);
	if (*cpus_text(text, message, WEIR_A_ORDER_CPU))
		print_string("cpus", text);
	print_string("sequence", sequence_text(order, text));
	print_scope(order);
	save_with("hold", order[WEIR_A_ORDER_HOLD], "us");
	print_uint("packets", nl_uint(order[WEIR_A_ORDER_PACKETS]));
	save_with("bytes", order[WEIR_A_ORDER_BYTES], "b");
	print_uint("flows", nl_uint(order[WEIR_A_ORDER_FLOWS]));
	show_keys(order_add_attributes, order);
	print_string("mode", names_word(&mode_names, mode));
}
