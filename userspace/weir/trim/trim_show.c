// SPDX-License-Identifier: GPL-2.0
/* Trimming policies and what they counted, printed. */
#include <stdio.h>

#include <weir_trim_nl.h>

#include "base/print.h"
#include "base/tool.h"
#include "grammar/args.h"
#include "grammar/commands.h"
#include "grammar/grammar.h"
#include "netlink/genl.h"
#include "request/show.h"
#include "trim/bands.h"

static void show_micros(const char *key, const struct nlattr *attr)
{
	if (attr)
		print_micros(key, nl_uint(attr));
}

static void print_place(const struct nlattr **trim)
{
	print_string_as("trim dev", COLOR_NAME, "dev", nl_string(trim[WEIR_A_TRIM_IFNAME]));
	if (opt.json)
		show_number("ifindex", trim[WEIR_A_TRIM_IFINDEX]);
	show_name("hook", &trim_hook_names, trim[WEIR_A_TRIM_HOOK]);
	show_name("edge", &edge_names, trim[WEIR_A_TRIM_EDGE]);
	if (trim[WEIR_A_TRIM_IDLE] && opt.json)
		print_uint("idle", 1);
	else if (trim[WEIR_A_TRIM_IDLE])
		print_text("(idle: no frame is longer than size)");
}

static void print_queue(const struct nlattr *queue)
{
	if (queue && nl_uint(queue) == WEIR_TRIM_QUEUE_DYNAMIC)
		show_name("queue", &queue_names, queue);
	else
		show_number("queue", queue);
}

static void print_mark(const struct nlattr **trim)
{
	show_number("size", trim[WEIR_A_TRIM_SIZE]);
	show_number("dscp", trim[WEIR_A_TRIM_DSCP]);
	dscp_list_print("trimmed-dscp", trim[WEIR_A_TRIM_TRIMMED_DSCPS]);
	dscp_list_print("control-dscp", trim[WEIR_A_TRIM_CONTROL_DSCPS]);
	show_number("tc", trim[WEIR_A_TRIM_TC]);
	dscp_map_print("tc-dscp", trim[WEIR_A_TRIM_TC_DSCP]);
	class_map_print("dscp-tc", trim[WEIR_A_TRIM_DSCP_TC]);
	show_number("priority", trim[WEIR_A_TRIM_PRIORITY]);
	print_queue(trim[WEIR_A_TRIM_QUEUE]);
	show_name("length", &trim_length_names, trim[WEIR_A_TRIM_LENGTH]);
	show_keys(trim_set_attributes, trim);
}

/* `show` leaves out the device's own length in text, unless it was given; `save` has only what was. */
static void print_other_limit(const struct nlattr **trim)
{
	const struct nlattr *limit = trim[WEIR_A_TRIM_OTHER_LIMIT];

	if (opt.json || nl_uint(limit) || !trim[WEIR_A_TRIM_SAID] ||
	    nl_uint(trim[WEIR_A_TRIM_SAID]) >> WEIR_A_TRIM_OTHER_LIMIT & 1)
		show_number("other-limit", limit);
}

static void print_bands(const struct nlattr **trim)
{
	limits_print(trim);
	port_limit_print(trim[WEIR_A_TRIM_PORT_LIMIT]);
	if (trim[WEIR_A_TRIM_POOL])
		print_string("pool", nl_string(trim[WEIR_A_TRIM_POOL]));
	show_number("headers", trim[WEIR_A_TRIM_HEADERS]);
	show_micros("header-time", trim[WEIR_A_TRIM_HEADER_TIME]);
	print_other_limit(trim);
	share_print(trim);
	show_name("victim", &trim_victim_names, trim[WEIR_A_TRIM_VICTIM]);
	full_print(trim[WEIR_A_TRIM_FULL]);
	show_number("return-dscp", trim[WEIR_A_TRIM_RETURN_DSCP]);
}

/* The qdisc needs none, so it is not shown there. */
static void print_meter(const struct nlattr **trim)
{
	const struct nlattr *rate = trim[WEIR_A_TRIM_RATE];
	char text[UNITS_TEXT];

	if (nl_uint(trim[WEIR_A_TRIM_HOOK]) == WEIR_TRIM_HOOK_QDISC && !opt.json)
		return;
	show_name("meter", &trim_meter_names, trim[WEIR_A_TRIM_METER]);
	if (rate && opt.json)
		print_uint("rate", nl_uint(rate));
	else if (rate)
		print_string("rate", units_rate(text, nl_uint(rate)));
	show_number("overhead", trim[WEIR_A_TRIM_OVERHEAD]);
	show_number("mpu", trim[WEIR_A_TRIM_MPU]);
	percent_print("optimistic", trim[WEIR_A_TRIM_OPTIMISTIC]);
	percent_print("half", trim[WEIR_A_TRIM_HALF]);
	percent_print("pessimistic", trim[WEIR_A_TRIM_PESSIMISTIC]);
	show_micros("t0", trim[WEIR_A_TRIM_T0]);
	show_micros("t1", trim[WEIR_A_TRIM_T1]);
}

/* Return true if the counter begins another subject: packets that came trimmed, backlogs, the meters. */
static bool begins_line(uint32_t attr)
{
	return attr == WEIR_A_TRIM_STATS_HEADERS || attr == WEIR_A_TRIM_STATS_DATA_MAX ||
	       attr == WEIR_A_TRIM_STATS_OVERFLOWS;
}

static bool is_mode(uint32_t attr)
{
	return attr >= WEIR_A_TRIM_STATS_OPTIMISTIC && attr <= WEIR_A_TRIM_STATS_PESSIMISTIC;
}

static bool is_time(uint32_t attr)
{
	return attr == WEIR_A_TRIM_STATS_HALF_TIME || attr == WEIR_A_TRIM_STATS_PESSIMISTIC_TIME;
}

/* Packets that were metered at any of the three rates. */
static uint64_t metered(const struct nlattr **stats)
{
	uint64_t sum = 0;
	uint32_t attr;

	for (attr = WEIR_A_TRIM_STATS_OPTIMISTIC; is_mode(attr); attr++)
		sum += nl_uint(stats[attr]);
	return sum;
}

/* In text a mode's packets have their share behind them, and times have units. */
static void print_counter(const struct nlattr **stats, const struct name *counter)
{
	uint64_t count = nl_uint(stats[counter->value]), all = metered(stats);
	char text[UNITS_TEXT];

	if (!opt.json && is_time(counter->value))
		print_string(counter->word, units_duration(text, count));
	else
		print_uint(counter->word, count);
	if (all && is_mode(counter->value))
		print_text("(%.1f%%)", 100.0 * count / all);
}

static void print_stats(const struct nlattr *nest)
{
	const struct nlattr *stats[WEIR_A_TRIM_STATS_MAX + 1];
	size_t i;

	nl_nested(nest, stats, WEIR_A_TRIM_STATS_MAX);
	print_object("stats");
	print_line(4);
	for (i = 0; i < trim_counter_names.count; i++) {
		const struct name *counter = &trim_counter_names.name[i];

		if (begins_line(counter->value))
			print_line(4);
		if (stats[counter->value])
			print_counter(stats, counter);
	}
	print_end();
}

/* The fields that a policy inherits from the namespace's default, where there is one. */
static void print_inherited(const struct nlattr **trim)
{
	static const struct name fields[] = {
		{ WEIR_A_TRIM_SIZE, "size", NULL },
		{ WEIR_A_TRIM_DSCP, "dscp", NULL },
		{ WEIR_A_TRIM_TRIMMED_DSCPS, "trimmed-dscp", NULL },
		{ WEIR_A_TRIM_CONTROL_DSCPS, "control-dscp", NULL },
		{ WEIR_A_TRIM_TC_DSCP, "tc-dscp", NULL },
		{ WEIR_A_TRIM_LENGTH, "length", NULL },
		{ WEIR_A_TRIM_RULE, "rule", NULL },
		{ WEIR_A_TRIM_LIMIT, "limit", NULL },
		{ WEIR_A_TRIM_HEADERS, "headers", NULL },
		{ WEIR_A_TRIM_HEADER_TIME, "header-time", NULL },
		{ WEIR_A_TRIM_OTHER_LIMIT, "other-limit", NULL },
	};
	uint64_t said = nl_uint(trim[WEIR_A_TRIM_SAID]);
	size_t i;

	if (said >> WEIR_A_TRIM_TC & 1)
		said |= 1ull << WEIR_A_TRIM_DSCP;
	if (said >> WEIR_A_TRIM_LIMIT_BYTES & 1 || said >> WEIR_A_TRIM_LIMIT_TIME & 1 ||
	    said >> WEIR_A_TRIM_LIMIT_DYNAMIC & 1)
		said |= 1ull << WEIR_A_TRIM_LIMIT;
	print_list("inherits");
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!(said >> fields[i].value & 1))
			print_string(NULL, fields[i].word);
	print_end();
}

/* In text rules with counters have lines of their own, and so has what follows them. */
static void print_acl(const struct nlattr *acl, bool counters)
{
	if (!acl)
		return;
	if (counters)
		print_line(4);
	print_string("acl", nl_string(acl));
}

/*
 * An event is a line of its own, without counters. A policy that trims nothing is shown
 * without the rest.
 */
void trim_print(const struct nlmsghdr *message, bool brief)
{
	const struct nlattr *trim[WEIR_A_TRIM_MAX + 1];

	weir_attributes(message, trim, WEIR_A_TRIM_MAX);
	print_place(trim);
	if (nl_uint(trim[WEIR_A_TRIM_HOOK]) == WEIR_TRIM_HOOK_NONE && !opt.json)
		return;
	print_mark(trim);
	if (!brief)
		print_line(4);
	match_print(message, opt.stats && !brief);
	print_acl(trim[WEIR_A_TRIM_ACL], opt.stats && !brief);
	if (!brief)
		print_line(4);
	print_bands(trim);
	if (!brief)
		print_line(4);
	print_meter(trim);
	if (brief && !opt.json)
		return;
	print_line(4);
	show_number("cpus", trim[WEIR_A_TRIM_CPUS]);
	show_number("data-depth", trim[WEIR_A_TRIM_DATA_DEPTH]);
	show_number("header-depth", trim[WEIR_A_TRIM_HEADER_DEPTH]);
	show_number("other-depth", trim[WEIR_A_TRIM_OTHER_DEPTH]);
	show_number("direct", trim[WEIR_A_TRIM_DIRECT]);
	show_number("child-dropped", trim[WEIR_A_TRIM_CHILD_DROPPED]);
	if (opt.json) {
		show_number("sends", trim[WEIR_A_TRIM_SENDS]);
		if (trim[WEIR_A_TRIM_SAID])
			print_inherited(trim);
	}
	if (trim[WEIR_A_TRIM_STATS])
		print_stats(trim[WEIR_A_TRIM_STATS]);
}

/*
 * Print what was given for the policy itself. Lists of DSCPs that were given as empty are not those of
 * the namespace's default, so they are written, too.
 */
static void print_said(const struct nlmsghdr *message, const struct nlattr **trim)
{
	static const struct name lists[] = {
		{ WEIR_A_TRIM_TRIMMED_DSCPS, "trimmed-dscp", NULL },
		{ WEIR_A_TRIM_CONTROL_DSCPS, "control-dscp", NULL },
	};
	size_t i;

	print_mark(trim);
	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		if (trim[lists[i].value] && !nl_uint(trim[lists[i].value]))
			print_string(lists[i].word, "none");
	}
	if (trim[WEIR_A_TRIM_RULE])
		match_print(message, false);
	print_acl(trim[WEIR_A_TRIM_ACL], false);
	print_bands(trim);
	print_meter(trim);
}

void trim_save(const struct nlmsghdr *message)
{
	const struct nlattr *trim[WEIR_A_TRIM_MAX + 1];
	uint64_t said;
	int i;

	weir_attributes(message, trim, WEIR_A_TRIM_MAX);
	print_text("trim set");
	print_string("dev", nl_string(trim[WEIR_A_TRIM_IFNAME]));
	show_name("hook", &trim_hook_names, trim[WEIR_A_TRIM_HOOK]);
	said = nl_uint(trim[WEIR_A_TRIM_SAID]);
	/* A share is its value, too. */
	if (said >> WEIR_A_TRIM_SHARE & 1)
		said |= 1ull << WEIR_A_TRIM_SHARE_VALUE;
	for (i = 0; i <= WEIR_A_TRIM_MAX; i++) {
		if (!(said >> i & 1) && i != WEIR_A_TRIM_HOOK)
			trim[i] = NULL;
	}
	show_name("edge", &edge_names, trim[WEIR_A_TRIM_EDGE]);
	print_said(message, trim);
}

void trim_default_save(const struct nlmsghdr *message)
{
	const struct nlattr *trim[WEIR_A_TRIM_MAX + 1];

	weir_attributes(message, trim, WEIR_A_TRIM_MAX);
	trim[WEIR_A_TRIM_METER] = trim[WEIR_A_TRIM_HOOK] = NULL;
	print_text("trim-default set");
	print_said(message, trim);
}

void trim_default_print(const struct nlmsghdr *message, bool brief)
{
	const struct nlattr *trim[WEIR_A_TRIM_MAX + 1];

	(void)brief;
	weir_attributes(message, trim, WEIR_A_TRIM_MAX);
	print_text("trim-default");
	print_mark(trim);
	match_print(message, false);
	limits_print(trim);
	show_number("headers", trim[WEIR_A_TRIM_HEADERS]);
	show_micros("header-time", trim[WEIR_A_TRIM_HEADER_TIME]);
	show_number("other-limit", trim[WEIR_A_TRIM_OTHER_LIMIT]);
}

int trim_show(const struct args *args)
{
	return show_run(args, args_get(args, "dev"), trim_print);
}

/* Counters of a port, and what SONiC calls them in `show interfaces counters trim`. */
static const struct {
	uint32_t attr;
	const char *key;
	const char *sonic;
} columns[] = {
	{ WEIR_A_TRIM_STATS_TRIM, "trim", "TRIM_PKTS" },
	{ WEIR_A_TRIM_STATS_TX_TRIM, "tx-trim", "TRIM_TX_PKTS" },
	{ WEIR_A_TRIM_STATS_DROPPED_TRIM, "dropped-trim", "TRIM_DRP_PKTS" },
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static void print_row(const struct nlmsghdr *message, bool brief)
{
	const struct nlattr *trim[WEIR_A_TRIM_MAX + 1], *stats[WEIR_A_TRIM_STATS_MAX + 1] = {};
	char row[32 + 20 * COLUMNS];
	size_t used, i;

	(void)brief;
	weir_attributes(message, trim, WEIR_A_TRIM_MAX);
	if (trim[WEIR_A_TRIM_STATS])
		nl_nested(trim[WEIR_A_TRIM_STATS], stats, WEIR_A_TRIM_STATS_MAX);
	used = snprintf(row, sizeof(row), "%-15s", nl_string(trim[WEIR_A_TRIM_IFNAME]));
	if (opt.json)
		print_string("dev", nl_string(trim[WEIR_A_TRIM_IFNAME]));
	for (i = 0; i < COLUMNS; i++) {
		uint64_t count = nl_uint(stats[columns[i].attr]);

		used += snprintf(row + used, sizeof(row) - used, " %13ju", (uintmax_t)count);
		if (opt.json)
			print_uint(columns[i].sonic, count);
	}
	print_text("%s", row);
}

static void print_head(const char *first, bool sonic)
{
	char row[32 + 20 * COLUMNS];
	size_t used, i;

	used = snprintf(row, sizeof(row), "%-15s", first);
	for (i = 0; i < COLUMNS; i++)
		used += snprintf(row + used, sizeof(row) - used, " %13s",
				 sonic ? columns[i].sonic : columns[i].key);
	print_text("%s", row);
	print_line(0);
}

int trim_counters(const struct args *args)
{
	if (!opt.json) {
		print_head("IFACE", true);
		print_head("dev", false);
	}
	return show_run(args, args_get(args, "dev"), print_row);
}
