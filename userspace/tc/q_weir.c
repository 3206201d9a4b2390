// SPDX-License-Identifier: GPL-2.0
/* The weir qdisc for tc(8): its statistics, and what there is to say instead of options. */
#include <stddef.h>
#include <string.h>

#include <weir_tc.h>

#include "plugin.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

extern struct qdisc_util weir_qdisc_util;

struct counter {
	const char *key;
	const char *format;
	size_t at;
	size_t size;
};

#define COUNTER(key, format, member) \
	{ key, format, offsetof(struct weir_tc_stats, member), \
	  sizeof(((struct weir_tc_stats *)0)->member) }

static const struct counter counters[] = {
	COUNTER("trim", "trim %llu", trim),
	COUNTER("tx_trim", " tx-trim %llu", tx_trim),
	COUNTER("dropped_trim", " dropped-trim %llu", dropped_trim),
	COUNTER("direct", " direct %llu", direct),
	COUNTER("child_dropped", " child-dropped %llu", child_dropped),
};

static const struct counter bands[] = {
	COUNTER("data_bytes", "data %llub", data_bytes),
	COUNTER("data_packets", " %llup", data_packets),
	COUNTER("data_max", " max %llup", data_max),
	COUNTER("header_bytes", " header %llub", header_bytes),
	COUNTER("header_packets", " %llup", header_packets),
	COUNTER("header_max", " max %llup", header_max),
};

static uint64_t value_of(const struct weir_tc_stats *stats, const struct counter *counter)
{
	const void *at = (const char *)stats + counter->at;
	uint32_t word;
	uint64_t value;

	if (counter->size == sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		return word;
	}
	memcpy(&value, at, sizeof(value));
	return value;
}

/* A module that is older than this has said less, and a newer one more. */
static void print_line(const struct weir_tc_stats *stats, size_t length,
		       const struct counter *counter, size_t count)
{
	size_t i;

	print_color_string(PRINT_FP, COLOR_NONE, NULL, "%s", "  ");
	for (i = 0; i < count; i++, counter++) {
		if (counter->at + counter->size <= length)
			print_color_u64(PRINT_ANY, COLOR_NONE, counter->key, counter->format,
					value_of(stats, counter));
	}
}

static int print_xstats(struct qdisc_util *util, FILE *file, struct rtattr *attr)
{
	struct weir_tc_stats stats = { 0 };
	size_t length;

	(void)util;
	(void)file;
	if (!attr)
		return 0;
	length = RTA_PAYLOAD(attr);
	memcpy(&stats, RTA_DATA(attr), length < sizeof(stats) ? length : sizeof(stats));
	print_line(&stats, length, counters, COUNT(counters));
	print_nl();
	print_line(&stats, length, bands, COUNT(bands));
	return 0;
}

static int explain(const char *what)
{
	fprintf(stderr, "%s"
		"Usage: ... weir\n"
		"The weir qdisc has no options: what it trims is in the policy of its device,\n"
		"	weir trim set dev DEVICE hook qdisc rule dscp=DSCP dscp DSCP ...\n"
		"A qdisc that stays, for whole packets, is its child: tc qdisc add ... parent HANDLE:1 ...\n"
		"See weir(8).\n", what);
	return -1;
}

static int parse_qopt(struct qdisc_util *util, int argc, char **argv, struct nlmsghdr *message,
		      const char *dev)
{
	(void)util;
	(void)message;
	(void)dev;
	if (!argc)
		return 0;
	if (strcmp(*argv, "help"))
		fprintf(stderr, "weir: what is \"%s\"?\n", *argv);
	return explain("");
}

static int parse_copt(struct qdisc_util *util, int argc, char **argv, struct nlmsghdr *message,
		      const char *dev)
{
	(void)util;
	(void)argc;
	(void)argv;
	(void)message;
	(void)dev;
	return explain("weir: its one class is always there, HANDLE:1.\n");
}

/* The kernel says none. */
static int print_no_options(struct qdisc_util *util, FILE *file, struct rtattr *options)
{
	(void)util;
	(void)file;
	(void)options;
	return 0;
}

struct qdisc_util weir_qdisc_util = {
	.id = "weir",
	.parse_qopt = parse_qopt,
	.print_qopt = print_no_options,
	.print_xstats = print_xstats,
	.parse_copt = parse_copt,
	.print_copt = print_no_options,
};
