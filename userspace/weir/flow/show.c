// SPDX-License-Identifier: GPL-2.0
/* Tables and records of flows, printed. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <weir_xdp_nl.h>

#include "base/addr.h"
#include "base/tool.h"
#include "base/units.h"
#include "flow/flow.h"
#include "flow/text.h"
#include "grammar/args.h"
#include "grammar/grammar.h"
#include "netlink/genl.h"
#include "request/show.h"

#define MICROS_A_MILLI 1000

/* Millionths, as percents. */
static void print_share(const char *key, uint64_t share)
{
	char text[32];

	if (opt.json) {
		print_uint(key, share);
		return;
	}
	if (!share)
		return;
	snprintf(text, sizeof(text), "%g%%", share / 10000.0);
	print_string(key, text);
}

static void print_rate(const char *key, uint64_t rate)
{
	char text[UNITS_TEXT];

	if (opt.json)
		print_uint(key, rate);
	else if (rate)
		print_string(key, units_rate(text, rate));
}

static void print_settings(const struct nlattr **table)
{
	print_string("dev", nl_string(table[WEIR_A_FLOW_IFNAME]));
	print_uint("flows", nl_uint(table[WEIR_A_FLOW_FLOWS]));
	print_uint("sample", nl_uint(table[WEIR_A_FLOW_SAMPLE]));
	print_micros("idle", nl_uint(table[WEIR_A_FLOW_IDLE]) * MICROS_A_MILLI);
	print_micros("active", nl_uint(table[WEIR_A_FLOW_ACTIVE]) * MICROS_A_MILLI);
	dscp_list_print("trimmed-dscp", table[WEIR_A_FLOW_TRIMMED]);
	print_rate("rate", nl_uint(table[WEIR_A_FLOW_RATE]));
	print_share("share", nl_uint(table[WEIR_A_FLOW_SHARE]));
	print_share("loss", nl_uint(table[WEIR_A_FLOW_LOSS]));
	print_rate("source", nl_uint(table[WEIR_A_FLOW_SOURCE]));
	show_keys(flow_set_attributes, table);
}

static void print_stats(const struct nlattr *nest)
{
	const struct nlattr *stats[WEIR_A_FLOW_STATS_MAX + 1] = {};
	uint64_t count;
	uint16_t attr;

	nl_nested(nest, stats, WEIR_A_FLOW_STATS_MAX);
	print_line(4);
	for (attr = 1; attr <= WEIR_A_FLOW_STATS_MAX; attr++) {
		count = nl_uint(stats[attr]);
		if (count || opt.json || attr <= WEIR_A_FLOW_STATS_BYTES)
			print_uint(names_word(&flow_counter_names, attr), count);
	}
}

void flow_table_print(const struct nlmsghdr *message, bool brief)
{
	const struct nlattr *table[WEIR_A_FLOW_MAX + 1];

	weir_attributes(message, table, WEIR_A_FLOW_MAX);
	if (!opt.json)
		print_text("flow");
	print_settings(table);
	if (opt.json)
		print_uint("ifindex", nl_uint(table[WEIR_A_FLOW_IFINDEX]));
	print_bytes("memory", nl_uint(table[WEIR_A_FLOW_MEMORY]));
	if (!brief || opt.json)
		print_stats(table[WEIR_A_FLOW_STATS]);
}

void flow_save(const struct nlmsghdr *message, uint32_t mode)
{
	const struct nlattr *table[WEIR_A_FLOW_MAX + 1];

	weir_attributes(message, table, WEIR_A_FLOW_MAX);
	print_text("flow on");
	print_settings(table);
	print_string("mode", names_word(&mode_names, mode));
}

/* Both in one in text; address and port in JSON. */
static void print_end_of(const struct nlattr *const record[], const char *key, uint16_t attr,
			 const char *port_key, uint16_t port_attr)
{
	uint64_t port = nl_uint(record[port_attr]);
	char text[FLOW_END_TEXT];
	struct addr addr;

	if (!nl_addr(record[attr], &addr))
		return;
	if (opt.json) {
		print_string(key, addr_text(&addr, text));
		print_uint(port_key, port);
		return;
	}
	print_string_as(key, COLOR_ADDRESS, key, flow_end_text(&addr, port, text));
}

static void print_proto(uint64_t proto)
{
	char text[FLOW_PROTO_TEXT];

	print_string_as("", COLOR_NAME, "proto", flow_proto_text(proto, text));
}

/* As tcpdump has them. */
static void print_flags(const struct nlattr *attr)
{
	static const char letters[] = "FSRPAUEW";
	uint64_t flags = nl_uint(attr);
	char text[sizeof(letters)];
	size_t i, used = 0;

	if (!attr)
		return;
	for (i = 0; letters[i]; i++) {
		if (flags >> i & 1)
			text[used++] = letters[i];
	}
	text[used] = '\0';
	print_string("flags", used ? text : "none");
}

static void print_some(const char *key, const struct nlattr *attr)
{
	if (attr && (nl_uint(attr) || opt.json))
		print_uint(key, nl_uint(attr));
}

static void print_time(const char *key, const struct nlattr *attr)
{
	uint64_t millis = nl_uint(attr);
	time_t seconds = millis / 1000;
	char text[40];
	struct tm utc;
	size_t used;

	gmtime_r(&seconds, &utc);
	used = strftime(text, sizeof(text), "%FT%T", &utc);
	snprintf(text + used, sizeof(text) - used, ".%03uZ", (unsigned int)(millis % 1000));
	print_string(key, text);
}

/* Print the fields that are 0 in nearly all records; in text, only those that are not 0. */
static void print_faults(const struct nlattr *const record[])
{
	print_flags(record[WEIR_A_FLOW_RECORD_TCP_FLAGS]);
	print_some("gaps", record[WEIR_A_FLOW_RECORD_GAPS]);
	print_some("gap-bytes", record[WEIR_A_FLOW_RECORD_GAP_BYTES]);
	print_some("reordered", record[WEIR_A_FLOW_RECORD_REORDERED]);
	print_some("repeated", record[WEIR_A_FLOW_RECORD_REPEATED]);
	print_some("trimmed", record[WEIR_A_FLOW_RECORD_TRIMMED]);
	print_some("ce", record[WEIR_A_FLOW_RECORD_CE]);
	print_some("missed-packets", record[WEIR_A_FLOW_RECORD_MISSED_PACKETS]);
	print_some("missed-bytes", record[WEIR_A_FLOW_RECORD_MISSED_BYTES]);
}

void flow_record_print(const struct nlmsghdr *message, bool brief)
{
	const struct nlattr *record[WEIR_A_FLOW_RECORD_MAX + 1];

	(void)brief;
	weir_attributes(message, record, WEIR_A_FLOW_RECORD_MAX);
	print_string("dev", nl_string(record[WEIR_A_FLOW_RECORD_IFNAME]));
	print_proto(nl_uint(record[WEIR_A_FLOW_RECORD_PROTO]));
	print_end_of(record, "src", WEIR_A_FLOW_RECORD_SRC, "sport", WEIR_A_FLOW_RECORD_SPORT);
	print_end_of(record, "dst", WEIR_A_FLOW_RECORD_DST, "dport", WEIR_A_FLOW_RECORD_DPORT);
	show_number("icmp-type", record[WEIR_A_FLOW_RECORD_ICMP_TYPE]);
	show_number("icmp-code", record[WEIR_A_FLOW_RECORD_ICMP_CODE]);
	show_number("vlan", record[WEIR_A_FLOW_RECORD_VLAN]);
	print_uint("packets", nl_uint(record[WEIR_A_FLOW_RECORD_PACKETS]));
	print_uint("bytes", nl_uint(record[WEIR_A_FLOW_RECORD_BYTES]));
	if (opt.json)
		print_uint("tos", nl_uint(record[WEIR_A_FLOW_RECORD_TOS]));
	print_faults(record);
	print_time("first", record[WEIR_A_FLOW_RECORD_FIRST]);
	print_time("last", record[WEIR_A_FLOW_RECORD_LAST]);
	show_name("end", &flow_end_names, record[WEIR_A_FLOW_RECORD_END]);
}

void flow_alarm_print(const struct nlmsghdr *message, bool brief)
{
	const struct nlattr *alarm[WEIR_A_FLOW_ALARM_MAX + 1];
	uint32_t what;

	(void)brief;
	weir_attributes(message, alarm, WEIR_A_FLOW_ALARM_MAX);
	what = nl_uint(alarm[WEIR_A_FLOW_ALARM_ALARM]);
	print_string("dev", nl_string(alarm[WEIR_A_FLOW_ALARM_IFNAME]));
	print_string_as("", COLOR_WARN, "alarm", names_word(&flow_alarm_names, what));
	if (alarm[WEIR_A_FLOW_ALARM_PROTO])
		print_proto(nl_uint(alarm[WEIR_A_FLOW_ALARM_PROTO]));
	print_end_of(alarm, "src", WEIR_A_FLOW_ALARM_SRC, "sport", WEIR_A_FLOW_ALARM_SPORT);
	print_end_of(alarm, "dst", WEIR_A_FLOW_ALARM_DST, "dport", WEIR_A_FLOW_ALARM_DPORT);
	if (what == WEIR_XDP_FLOW_ALARM_SOURCE) {
		print_rate("value", nl_uint(alarm[WEIR_A_FLOW_ALARM_VALUE]));
		print_rate("threshold", nl_uint(alarm[WEIR_A_FLOW_ALARM_THRESHOLD]));
	} else {
		print_share("value", nl_uint(alarm[WEIR_A_FLOW_ALARM_VALUE]));
		print_share("threshold", nl_uint(alarm[WEIR_A_FLOW_ALARM_THRESHOLD]));
	}
}
