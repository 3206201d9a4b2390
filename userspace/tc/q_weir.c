// SPDX-License-Identifier: GPL-2.0
/*
 * The weir qdisc for tc(8): limits of one qdisc, in the words of weir-trim(8), and statistics.
 * All else is in the trimming policy of its device.
 */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include <weir_tc.h>

#include "base/alpha.h"
#include "base/units.h"
#include "plugin.h"

/* Bytes of tc's message; its own has more. */
#define MESSAGE_MAX 1024

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

extern struct qdisc_util weir_qdisc_util __attribute__((visibility("default")));

/**
 * struct option - how an attribute of TCA_OPTIONS is printed
 * @key: in JSON
 * @format: in text, of a string
 * @in_units: writes it, where it is not packets
 * @size: bytes of it
 */
struct option {
	const char *key;
	const char *format;
	const char *(*in_units)(char text[static UNITS_TEXT], uint64_t number);
	size_t size;
};

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

static const struct counter others[] = {
	COUNTER("other_bytes", "other %llub", other_bytes),
	COUNTER("other_packets", " %llup", other_packets),
	COUNTER("other_max", " max %llup", other_max),
	COUNTER("other_dropped", " dropped %llu", other_dropped),
};

static uint64_t read_number(const void *at, size_t size)
{
	uint32_t word;
	uint64_t value;

	if (size == sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		return word;
	}
	memcpy(&value, at, sizeof(value));
	return value;
}

/* An older module writes fewer members, and a newer one more. */
static void print_line(const struct weir_tc_stats *stats, size_t length,
		       const struct counter *counter, size_t count)
{
	size_t i;

	print_color_string(PRINT_FP, COLOR_NONE, NULL, "%s", "  ");
	for (i = 0; i < count; i++, counter++) {
		if (counter->at + counter->size <= length)
			print_color_u64(PRINT_ANY, COLOR_NONE, counter->key, counter->format,
					read_number((const char *)stats + counter->at, counter->size));
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
	if (length < sizeof(stats))
		return 0;
	print_nl();
	print_line(&stats, length, others, COUNT(others));
	return 0;
}

static int explain(void)
{
	fprintf(stderr,
		"Usage: ... weir [ limit NUMBER|SIZE|TIME|dynamic ALPHA ] [ headers NUMBER ] [ header-time TIME ]\n"
		"	[ other-limit NUMBER ]\n"
		"These are limits of one qdisc. Those that are not said are in the policy of its device, as all else is,\n"
		"	weir trim set dev DEVICE hook qdisc rule dscp=DSCP dscp DSCP ...\n"
		"A qdisc that stays, for whole packets, is its child: tc qdisc add ... parent HANDLE:1 ...\n"
		"See weir-trim(8).\n");
	return -1;
}

static int wrong(const char *key, const char *word, const char *takes)
{
	fprintf(stderr, "weir: %s takes %s, not \"%s\"\n", key, takes, word);
	return -1;
}

/* The word behind the digits: "" for packets, or a unit. */
static bool parse_number(const char *word, const struct units *units, uint64_t *number)
{
	const struct unit *unit;
	char *end;

	if (!units_digits(word, &end, number))
		return false;
	if (!units)
		return !*end && *number <= UINT32_MAX;
	unit = units_find(units, end);
	return unit && units_scale(unit, *number, number) &&
	       (units != &time_units || *number <= UINT32_MAX);
}

/* Each of the three words that a limit is has an attribute of its own. */
static int put_limit(struct nlmsghdr *message, const char *word)
{
	uint64_t number;

	if (parse_number(word, NULL, &number))
		return addattr32(message, MESSAGE_MAX, WEIR_TC_LIMIT, number);
	if (parse_number(word, &size_units, &number))
		return addattr64(message, MESSAGE_MAX, WEIR_TC_LIMIT_BYTES, number);
	if (parse_number(word, &time_units, &number))
		return addattr32(message, MESSAGE_MAX, WEIR_TC_LIMIT_TIME, number);
	return wrong("limit", word, "packets, a size, a time or dynamic ALPHA, such as 12, 18kb, 20us or dynamic 1/2");
}

static int put_option(struct nlmsghdr *message, const char *key, const char *word)
{
	uint64_t number;

	if (!strcmp(key, "limit"))
		return put_limit(message, word);
	if (!strcmp(key, "headers"))
		return parse_number(word, NULL, &number) ?
		       addattr32(message, MESSAGE_MAX, WEIR_TC_HEADERS, number) :
		       wrong(key, word, "packets, such as 1000");
	if (!strcmp(key, "header-time"))
		return parse_number(word, &time_units, &number) ?
		       addattr32(message, MESSAGE_MAX, WEIR_TC_HEADER_TIME, number) :
		       wrong(key, word, "a time, such as 10ms");
	if (!strcmp(key, "other-limit"))
		return parse_number(word, NULL, &number) ?
		       addattr32(message, MESSAGE_MAX, WEIR_TC_OTHER_LIMIT, number) :
		       wrong(key, word, "packets, such as 1000");
	fprintf(stderr, "weir: what is \"%s\"?\n", key);
	return explain();
}

static int put_dynamic(struct nlmsghdr *message, const char *word)
{
	uint32_t alpha;

	return alpha_read(word, &alpha) ?
	       addattr32(message, MESSAGE_MAX, WEIR_TC_LIMIT_DYNAMIC, alpha) :
	       wrong("limit dynamic", word, ALPHA_TAKES);
}

/* The nest is always there, as a change without limits removes those given before. */
static int parse_qopt(struct qdisc_util *util, int argc, char **argv, struct nlmsghdr *message,
		      const char *dev)
{
	struct rtattr *options;

	(void)util;
	(void)dev;
	if (argc && !strcmp(*argv, "help"))
		return explain();
	options = addattr_nest(message, MESSAGE_MAX, TCA_OPTIONS | NLA_F_NESTED);
	for (; argc > 0; argc -= 2, argv += 2) {
		if (argc == 1) {
			fprintf(stderr, "weir: \"%s\" is not known, or its value is missing\n", *argv);
			return explain();
		}
		if (argc > 2 && !strcmp(argv[0], "limit") && !strcmp(argv[1], "dynamic")) {
			if (put_dynamic(message, argv[2]))
				return -1;
			argc--;
			argv++;
		} else if (put_option(message, argv[0], argv[1])) {
			return -1;
		}
	}
	addattr_nest_end(message, options);
	return 0;
}

static int parse_copt(struct qdisc_util *util, int argc, char **argv, struct nlmsghdr *message,
		      const char *dev)
{
	(void)util;
	(void)argc;
	(void)argv;
	(void)message;
	(void)dev;
	fprintf(stderr, "weir: its one class is always there, HANDLE:1.\n");
	return explain();
}

static const char *write_alpha(char text[static UNITS_TEXT], uint64_t alpha)
{
	return alpha_text(text, alpha);
}

static const struct option options[] = {
	[WEIR_TC_LIMIT] = { "limit", "limit %s ", NULL, sizeof(uint32_t) },
	[WEIR_TC_LIMIT_BYTES] = { "limit-bytes", "limit %s ", units_size, sizeof(uint64_t) },
	[WEIR_TC_LIMIT_TIME] = { "limit-time", "limit %s ", units_micros, sizeof(uint32_t) },
	[WEIR_TC_LIMIT_DYNAMIC] = { "limit-dynamic", "limit dynamic %s ", write_alpha, sizeof(uint32_t) },
	[WEIR_TC_HEADERS] = { "headers", "headers %s ", NULL, sizeof(uint32_t) },
	[WEIR_TC_HEADER_TIME] = { "header-time", "header-time %s ", units_micros, sizeof(uint32_t) },
	[WEIR_TC_OTHER_LIMIT] = { "other-limit", "other-limit %s ", NULL, sizeof(uint32_t) },
};

/* A newer module may write more. */
static void print_option(const struct rtattr *attr)
{
	uint16_t type = attr->rta_type & NLA_TYPE_MASK;
	const struct option *option = options + type;
	char text[UNITS_TEXT];
	uint64_t number;

	if (type >= COUNT(options) || !option->key || RTA_PAYLOAD(attr) < option->size)
		return;
	number = read_number(RTA_DATA(attr), option->size);
	if (option->in_units)
		option->in_units(text, number);
	else
		snprintf(text, sizeof(text), "%" PRIu64, number);
	print_color_u64(PRINT_JSON, COLOR_NONE, option->key, NULL, number);
	print_color_string(PRINT_FP, COLOR_NONE, NULL, option->format, text);
}

static int print_qopt(struct qdisc_util *util, FILE *file, struct rtattr *options)
{
	const struct rtattr *attr;
	int left;

	(void)util;
	(void)file;
	if (!options)
		return 0;
	left = RTA_PAYLOAD(options);
	for (attr = RTA_DATA(options); RTA_OK(attr, left); attr = RTA_NEXT(attr, left))
		print_option(attr);
	return 0;
}

/* The kernel writes none. */
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
	.print_qopt = print_qopt,
	.print_xstats = print_xstats,
	.parse_copt = parse_copt,
	.print_copt = print_no_options,
};
