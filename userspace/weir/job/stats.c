// SPDX-License-Identifier: GPL-2.0
/* Counters, and `weir stats`. */
#include <weir.h>
#include <weir_trim_nl.h>

#include "base/print.h"
#include "base/tool.h"
#include "grammar/commands.h"
#include "request/request.h"
#include "request/show.h"

/* Return true if the counter begins another subject: packets sent, joins, late sources. */
static bool begins_line(uint32_t attr)
{
	return attr == WEIR_A_STATS_RESULTS || attr == WEIR_A_STATS_JOINS ||
	       attr == WEIR_A_STATS_LATE;
}

/* @all: in text those that are zero, too; programs always get them. */
static void print_counters(const struct nlattr *nest, unsigned int indent, bool all)
{
	const struct nlattr *table[WEIR_A_STATS_MAX + 1];
	size_t i;

	nl_nested(nest, table, WEIR_A_STATS_MAX);
	print_line(indent);
	for (i = 0; i < counter_names.count; i++) {
		const struct name *counter = &counter_names.name[i];
		uint64_t count = nl_uint(table[counter->value]);

		if (begins_line(counter->value))
			print_line(indent);
		if (table[counter->value] && (count || all || opt.json))
			print_uint(counter->word, count);
	}
}

/* One refusal of a nest of counters; 0 where the attribute is something else. */
static uint32_t refusal(const struct nlattr *attr, uint64_t *packets)
{
	const struct nlattr *table[WEIR_A_REFUSAL_MAX + 1];

	*packets = 0;
	if (mnl_attr_get_type(attr) != WEIR_A_STATS_REFUSAL)
		return 0;
	nl_nested(attr, table, WEIR_A_REFUSAL_MAX);
	*packets = nl_uint(table[WEIR_A_REFUSAL_PACKETS]);
	return nl_uint(table[WEIR_A_REFUSAL_REASON]);
}

/* The reasons that were found, by name. */
static void print_found(const struct nlattr *nest)
{
	const struct nlattr *attr;
	uint64_t packets;
	bool any = false;

	print_object("refusals");
	mnl_attr_for_each_nested(attr, nest) {
		uint32_t reason = refusal(attr, &packets);

		if (!reason)
			continue;
		if (!any && !opt.json) {
			print_line(4);
			print_text("refused");
		}
		any = true;
		print_uint(names_word(&reason_names, reason), packets);
	}
	print_end();
}

void stats_print(const struct nlattr *nest)
{
	print_object("stats");
	print_counters(nest, 4, opt.stats);
	print_found(nest);
	print_end();
}

static uint64_t count_of(const struct nlattr *nest, uint32_t wanted)
{
	const struct nlattr *attr;
	uint64_t packets;

	mnl_attr_for_each_nested(attr, nest) {
		if (refusal(attr, &packets) == wanted)
			return packets;
	}
	return 0;
}

/* Reasons of a newer module, which have no words here. */
static void print_unknown(const struct nlattr *nest)
{
	const struct nlattr *attr;
	uint64_t packets;

	mnl_attr_for_each_nested(attr, nest) {
		uint32_t reason = refusal(attr, &packets);

		if (reason <= WEIR_REASON_MAX)
			continue;
		print_line(4);
		print_text("%10ju  %-10u  unknown to this version of the tool",
			   (uintmax_t)packets, reason);
		if (opt.json)
			print_uint(names_word(&reason_names, reason), packets);
	}
}

/*
 * The namespace's view: readers get the reasons that occurred, with their words;
 * programs get all of them.
 */
static void print_refusals(const struct nlattr *nest)
{
	size_t i;

	print_object("refusals");
	for (i = 0; i < reason_names.count; i++) {
		const struct name *reason = &reason_names.name[i];
		uint64_t packets = count_of(nest, reason->value);

		if (opt.json)
			print_uint(reason->word, packets);
		if (!packets)
			continue;
		print_line(4);
		print_text("refused %s%ju%s  %s: %s", print_color(COLOR_WARN),
			   (uintmax_t)packets, print_plain(), reason->word,
			   reason->doc ?: "");
	}
	print_unknown(nest);
	print_end();
}

static void print_totals(const struct nlmsghdr *message)
{
	const struct nlattr *total[WEIR_A_TOTAL_MAX + 1];

	weir_attributes(message, total, WEIR_A_TOTAL_MAX);
	print_uint("jobs", nl_uint(total[WEIR_A_TOTAL_JOBS]));
	print_uint("ports", nl_uint(total[WEIR_A_TOTAL_PORTS]));
	print_bytes("memory", nl_uint(total[WEIR_A_TOTAL_MEMORY]));
	print_bytes("memory-used", nl_uint(total[WEIR_A_TOTAL_MEMORY_USED]));
	print_bytes("memory-limit", nl_uint(total[WEIR_A_TOTAL_MEMORY_LIMIT]));
	if (total[WEIR_A_TOTAL_REDUCTION])
		print_string("reduction", nl_string(total[WEIR_A_TOTAL_REDUCTION]));
	if (total[WEIR_A_TOTAL_STATS]) {
		print_object("stats");
		print_counters(total[WEIR_A_TOTAL_STATS], 0, true);
		print_refusals(total[WEIR_A_TOTAL_STATS]);
		print_end();
	}
	print_line(0);
}

static void print_trims(const struct nlmsghdr *message)
{
	const struct nlattr *total[WEIR_A_TRIM_TOTAL_MAX + 1];

	weir_attributes(message, total, WEIR_A_TRIM_TOTAL_MAX);
	print_uint("trim", nl_uint(total[WEIR_A_TRIM_TOTAL_TRIM]));
	print_uint("tx-trim", nl_uint(total[WEIR_A_TRIM_TOTAL_TX_TRIM]));
	print_uint("dropped-trim", nl_uint(total[WEIR_A_TRIM_TOTAL_DROPPED_TRIM]));
}

/* The totals of one module, where it is loaded. */
static int show_totals(struct weir *weir, const struct args *args, uint8_t command,
		       void (*print)(const struct nlmsghdr *message))
{
	struct nl_replies replies = {};
	char buffer[NL_REQUEST_SIZE];
	int status;

	if (!weir_has(weir, command))
		return WEIR_OK;
	weir_begin(weir, buffer, command, 0);
	status = request_send(weir, buffer, args, &replies);
	if (!status && replies.count)
		print(replies.message[0]);
	nl_replies_free(&replies);
	return status;
}

int stats_show(const struct args *args)
{
	struct weir weir;
	int status;

	status = weir_open_any(&weir);
	if (status)
		return status;
	print_object(NULL);
	status = show_totals(&weir, args, WEIR_CMD_STATS_GET, print_totals);
	status = status ?: show_totals(&weir, args, WEIR_CMD_TRIM_TOTAL_GET, print_trims);
	print_end();
	if (!status)
		print_done();
	weir_close(&weir);
	return status;
}
