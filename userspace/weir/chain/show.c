// SPDX-License-Identifier: GPL-2.0
/* A program of a chain, printed. */
#include <weir_xdp_nl.h>

#include "base/tool.h"
#include "chain/chain.h"
#include "request/show.h"

static void print_stats(const struct nlattr *nest)
{
	const struct nlattr *stats[WEIR_A_CHAIN_STATS_MAX + 1] = {};
	uint64_t count, packets = 0, timed, time;
	uint16_t attr;

	nl_nested(nest, stats, WEIR_A_CHAIN_STATS_MAX);
	for (attr = 1; attr < WEIR_A_CHAIN_STATS_TIMED; attr++)
		packets += nl_uint(stats[attr]);
	print_line(4);
	print_uint("packets", packets);
	for (attr = 1; attr < WEIR_A_CHAIN_STATS_TIMED; attr++) {
		count = nl_uint(stats[attr]);
		if (count || opt.json)
			print_uint(names_word(&chain_counter_names, attr), count);
	}
	timed = nl_uint(stats[WEIR_A_CHAIN_STATS_TIMED]);
	time = nl_uint(stats[WEIR_A_CHAIN_STATS_TIME]);
	if (opt.json) {
		print_uint("timed", timed);
		print_uint("time-ns", time);
	} else if (timed) {
		print_uint_as("each", COLOR_NONE, "ns", time / timed);
		print_text("ns");
	}
}

void chain_print(const struct nlmsghdr *message, bool brief)
{
	const struct nlattr *place[WEIR_A_CHAIN_MAX + 1];

	weir_attributes(message, place, WEIR_A_CHAIN_MAX);
	print_string_as("chain", COLOR_NAME, "dev", nl_string(place[WEIR_A_CHAIN_IFNAME]));
	if (opt.json)
		print_uint("ifindex", nl_uint(place[WEIR_A_CHAIN_IFINDEX]));
	print_uint("prio", nl_uint(place[WEIR_A_CHAIN_PRIO]));
	show_name("part", &chain_part_names, place[WEIR_A_CHAIN_PART]);
	print_string("name", nl_string(place[WEIR_A_CHAIN_NAME]));
	print_uint("id", nl_uint(place[WEIR_A_CHAIN_PROGRAM]));
	if (place[WEIR_A_CHAIN_FILE]) {
		print_string("file", nl_string(place[WEIR_A_CHAIN_FILE]));
		print_string("section", nl_string(place[WEIR_A_CHAIN_SECTION]));
	}
	if (!place[WEIR_A_CHAIN_FRAGS] || opt.json)
		print_string("frags", place[WEIR_A_CHAIN_FRAGS] ? "yes" : "no");
	if (!brief || opt.json)
		print_stats(place[WEIR_A_CHAIN_STATS]);
}

void chain_save(const struct nlmsghdr *message, uint32_t mode)
{
	const struct nlattr *place[WEIR_A_CHAIN_MAX + 1];

	weir_attributes(message, place, WEIR_A_CHAIN_MAX);
	print_text("chain add");
	print_string("dev", nl_string(place[WEIR_A_CHAIN_IFNAME]));
	print_uint("prio", nl_uint(place[WEIR_A_CHAIN_PRIO]));
	print_string("program", nl_string(place[WEIR_A_CHAIN_FILE]));
	print_string("section", nl_string(place[WEIR_A_CHAIN_SECTION]));
	print_string("mode", names_word(&mode_names, mode));
}
