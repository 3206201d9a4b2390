// SPDX-License-Identifier: GPL-2.0
/* A rule of a filter, printed. */
#include <linux/genetlink.h>
#include <weir_xdp_nl.h>

#include "base/print.h"
#include "base/tool.h"
#include "filter/filter.h"
#include "grammar/grammar.h"
#include "request/show.h"

/* Of a file the conditions that count for all that it has. */
static void print_matches(const struct nlmsghdr *message, uint16_t type)
{
	const struct nlattr *attr;
	struct match match;

	print_list("rule");
	mnl_attr_for_each(attr, message, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) != type)
			continue;
		match_read(&match, attr);
		match_print_one("rule", &match);
	}
	print_end();
}

static void print_conditions(const struct nlmsghdr *message, const struct nlattr *const rule[])
{
	const struct nlattr *file = rule[WEIR_A_FILTER_FILE];

	print_matches(message, file ? WEIR_A_FILTER_COMMON : WEIR_A_FILTER_MATCH);
	if (file)
		print_string("set", nl_string(file));
}

/* Text leaves out what has not happened. */
static void print_counter(const struct nlattr *const stats[], uint16_t attr)
{
	uint64_t count = nl_uint(stats[attr]);

	if (count || opt.json || attr == WEIR_A_FILTER_STATS_PACKETS)
		print_uint(names_word(&filter_counter_names, attr), count);
}

static void print_stats(const struct nlattr *nest)
{
	const struct nlattr *stats[WEIR_A_FILTER_STATS_MAX + 1];
	uint16_t attr;

	nl_nested(nest, stats, WEIR_A_FILTER_STATS_MAX);
	print_line(4);
	print_object("stats");
	for (attr = 1; attr <= WEIR_A_FILTER_STATS_MAX; attr++)
		print_counter(stats, attr);
	print_end();
}

void filter_print(const struct nlmsghdr *message, bool brief)
{
	const struct nlattr *rule[WEIR_A_FILTER_MAX + 1];

	weir_attributes(message, rule, WEIR_A_FILTER_MAX);
	print_string_as("filter", COLOR_NAME, "dev", nl_string(rule[WEIR_A_FILTER_IFNAME]));
	if (opt.json)
		print_uint("ifindex", nl_uint(rule[WEIR_A_FILTER_IFINDEX]));
	print_uint("prio", nl_uint(rule[WEIR_A_FILTER_PRIO]));
	print_conditions(message, rule);
	if (rule[WEIR_A_FILTER_FILE] || opt.json)
		print_uint("matches", nl_uint(rule[WEIR_A_FILTER_MATCHES]));
	action_print(rule);
	show_keys(filter_add_attributes, rule);
	if (rule[WEIR_A_FILTER_PENDING])
		print_string_as(NULL, COLOR_WARN, "pending", "yes");
	show_number("known", rule[WEIR_A_FILTER_KNOWN]);
	show_number("blocked", rule[WEIR_A_FILTER_BLOCKED]);
	if (!brief || opt.json)
		print_stats(rule[WEIR_A_FILTER_STATS]);
}

void filter_source_print(const struct nlmsghdr *message, bool brief)
{
	const struct nlattr *source[WEIR_A_FILTER_SOURCE_MAX + 1];
	const struct nlattr *address;

	weir_attributes(message, source, WEIR_A_FILTER_SOURCE_MAX);
	address = source[WEIR_A_FILTER_SOURCE_ADDRESS];
	if (brief || opt.json) {
		print_string_as("filter", COLOR_NAME, "dev",
				nl_string(source[WEIR_A_FILTER_SOURCE_IFNAME]));
		print_uint("prio", nl_uint(source[WEIR_A_FILTER_SOURCE_PRIO]));
	}
	if (address)
		show_address("source", "address", address);
	show_number("vlan", source[WEIR_A_FILTER_SOURCE_VLAN]);
	show_number("others", source[WEIR_A_FILTER_SOURCE_OTHERS]);
	show_name("state", &filter_state_names, source[WEIR_A_FILTER_SOURCE_STATE]);
	if (source[WEIR_A_FILTER_SOURCE_LEFT])
		print_micros("left", nl_uint(source[WEIR_A_FILTER_SOURCE_LEFT]));
	if (nl_uint(source[WEIR_A_FILTER_SOURCE_DROPPED]) || opt.json)
		print_uint("dropped", nl_uint(source[WEIR_A_FILTER_SOURCE_DROPPED]));
}

enum color filter_source_color(const struct nlmsghdr *message)
{
	const struct nlattr *source[WEIR_A_FILTER_SOURCE_MAX + 1];

	weir_attributes(message, source, WEIR_A_FILTER_SOURCE_MAX);
	return nl_uint(source[WEIR_A_FILTER_SOURCE_STATE]) == WEIR_XDP_FILTER_STATE_BLOCKED ?
	       COLOR_WARN : COLOR_GOOD;
}

void filter_save(const struct nlmsghdr *message, uint32_t mode)
{
	const struct nlattr *rule[WEIR_A_FILTER_MAX + 1];

	weir_attributes(message, rule, WEIR_A_FILTER_MAX);
	print_text("filter add");
	print_string("dev", nl_string(rule[WEIR_A_FILTER_IFNAME]));
	print_uint("prio", nl_uint(rule[WEIR_A_FILTER_PRIO]));
	print_conditions(message, rule);
	action_print(rule);
	show_keys(filter_add_attributes, rule);
	print_string("mode", names_word(&mode_names, mode));
}
