// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grammar/near.h"
#include "perf.h"

enum kind { FLAG, TEXT, NUMBER, BYTES, TIME, SCALE, TYPE, OPERATION };
enum width { W8, W16, W32, W64 };

/**
 * struct arg - one option word
 * @name: without the dashes
 * @value: its value's name in help; NULL is none
 * @help: its effect
 * @kind: kind of its value
 * @width: of the number
 * @offset: of the member in struct perf_options
 * @min: of the number
 * @max: of the number
 * @required: it must be given
 */
struct arg {
	const char *name;
	const char *value;
	const char *help;
	enum kind kind;
	enum width width;
	size_t offset;
	uint64_t min;
	uint64_t max;
	bool required;
};

#define AT(member) .offset = offsetof(struct perf_options, member)
#define ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))
#define BYTES_MAX (1ULL << 40)

/* Whoever starts the ranks by hand wants to know soon which is missing. */
#define RANKS_WARNING_MS 3000

static const struct arg args[] = {
	{ "job", "I", "the job's id on the box", NUMBER, W8, AT(weir.job), 0, 255, false },
	{ "address", "A", "the box's address, as the job has it", TEXT, AT(weir.address) },
	{ "box", "URL", "ask there for a job instead: weird://A/NAME", TEXT, AT(weir.box) },
	{ "rank", "R", "this process, from 0: its source id on the box", NUMBER, W16, AT(weir.rank), 0,
	  4095, true },
	{ "source", "S", "its source id there, where the job spans boxes", NUMBER, W32, AT(weir.source), 0,
	  255, false },
	{ "ranks", "N", "how many processes there are", NUMBER, W16, AT(weir.ranks), 1, 4096, true },
	{ "min-bytes", "SIZE", "first size (default 8)", BYTES, W64, AT(min_bytes), 0, BYTES_MAX, false },
	{ "max-bytes", "SIZE", "last size (default 16M)", BYTES, W64, AT(max_bytes), 0, BYTES_MAX, false },
	{ "step-factor", "F", "multiply the size so, each time (default 2)", NUMBER, W64,
	  AT(step_factor), 2, 1 << 20, false },
	{ "step-bytes", "SIZE", "add so much instead", BYTES, W64, AT(step_bytes), 4, BYTES_MAX, false },
	{ "iterations", "K", "measure so many, each size (default 20)", NUMBER, W64, AT(iterations), 1,
	  1000000000, false },
	{ "warmup", "K", "run so many before (default 5)", NUMBER, W64, AT(warmup), 0, 1000000000, false },
	{ "endless", NULL, "of one size, until a rank gets SIGINT or SIGTERM, instead", FLAG, AT(endless) },
	{ "dtype", "T", "of elements: int32, float32, bfloat16, float16, int64 or float64 (default int32)",
	  TYPE, AT(type) },
	{ "op", "O", "sum, min or max, as the job has it (default sum)", OPERATION, AT(operation) },
	{ "scale", "S", "floats in a job of int32 are sent as round(x * S) (default: agreed in band)",
	  SCALE, AT(scale) },
	{ "verify", NULL, "compare every element of every result", FLAG, AT(verify) },
	{ "accept-degraded", NULL, "go on with blocks that lack ranks", FLAG, AT(accept_degraded) },
	{ "unmerged", NULL, "give packets to the kernel one by one", FLAG, AT(unmerged) },
	{ "progress", NULL, "a thread of the library makes progress, too", FLAG, AT(progress) },
	{ "no-ecn", NULL, "have full queues lose packets, and not mark them", FLAG, AT(no_ecn) },
	{ "residual", NULL, "keep what this rank is missing from the sums", FLAG, AT(residual) },
	{ "seed", "S", "of the elements, the same for all ranks (default 1)", NUMBER, W64, AT(seed), 0,
	  UINT64_MAX, false },
	{ "json", NULL, "print JSON", FLAG, AT(json) },
	{ "compare", "NAMES", "measure weir-perf-NAME, too: mpi, gloo, or both with a comma", TEXT,
	  AT(compare) },
	{ "grads", "G", "elements a packet (default 1024)", NUMBER, W16, AT(weir.grads), 1, 2048, false },
	{ "window", "W", "packets under way at most (default 4096)", NUMBER, W32, AT(weir.window), 1,
	  UINT32_MAX, false },
	{ "port", "P", "the job's UDP port (default 12000)", NUMBER, W16, AT(weir.port), 1, 65535, false },
	{ "bind-address", "A", "this process's address (default: as routed)", TEXT,
	  AT(weir.bind_address) },
	{ "bind-port", "P", "this process's UDP port (default: the job's)", NUMBER, W16,
	  AT(weir.bind_port), 1, 65535, false },
	{ "trees", "T", "trees of the job: jobs I to I + T - 1 (default $WEIR_TREES, else 1)", NUMBER, W32,
	  AT(weir.trees), 1, 16, false },
	{ "group", "A", "multicast group that results come to", TEXT, AT(weir.group) },
	{ "interface", "I", "network interface", TEXT, AT(weir.interface) },
	{ "timeout", "TIME", "give up when the box is silent for so long (default 30s)", TIME, W32,
	  AT(weir.timeout_ms), 1, UINT32_MAX, false },
	{ "ranks-timeout", "TIME", "give up when ranks are missing for so long (default: --timeout)", TIME,
	  W32, AT(weir.ranks_timeout_ms), 1, UINT32_MAX, false },
	{ "failover", "TIME", "with several addresses, go to another box after so long (default 1s)", TIME,
	  W32, AT(weir.failover_ms), 300, UINT32_MAX, false },
};

__attribute__((noreturn, format(printf, 1, 2)))
static void die(const char *format, ...)
{
	va_list arguments;

	fputs("weir-perf: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputs(" (see weir-perf --help)\n", stderr);
	exit(2);
}

static void help(void)
{
	puts("usage: weir-perf --job I --address A --rank R --ranks N [OPTION...]\n"
	     "       weir-perf --box URL --rank R --ranks N [OPTION...]\n"
	     "\n"
	     "Measures allreduce through a box that sums. Start one process a rank, each with\n"
	     "the same options but --rank; they begin when all are there.\n");
	for (size_t i = 0; i < ELEMENTS(args); i++) {
		char word[32];

		snprintf(word, sizeof(word), "%s%s%s", args[i].name, args[i].value ? " " : "",
			 args[i].value ? args[i].value : "");
		printf("  --%-18s %s%s\n", word, args[i].help, args[i].required ? " (required)" : "");
	}
	puts("  --version            the library's version\n"
	     "  --help               this text\n"
	     "\n"
	     "SIZE is in bytes; K, M and G behind it multiply by 1024. TIME is a number and ms, s\n"
	     "or min. algbw is the vector's\n"
	     "bytes by the time, which is also what each worker's link carries, either way;\n"
	     "busbw is algbw * 2 (N - 1) / N, what a ring would have to carry for the same, so\n"
	     "that it can be held beside the figures of ring libraries. GB are 10^9 bytes.\n"
	     "\n"
	     "exit status: 0; 1 when an allreduce failed or an element was wrong; 2 when the\n"
	     "command line is wrong.");
}

static uint64_t read_suffix(const struct arg *arg, const char *text, const char *end)
{
	static const char suffixes[] = "KMG";
	const char *suffix;

	if (!*end)
		return 1;
	suffix = strchr(suffixes, *end);
	if (arg->kind != BYTES || !suffix || end[1])
		die("--%s is '%s': it must be a number%s", arg->name, text,
		    arg->kind == BYTES ? ", with K, M or G behind it perhaps" : "");
	return 1ULL << (10 * (suffix - suffixes + 1));
}

static uint64_t read_number(const struct arg *arg, const char *text)
{
	uint64_t value, unit;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (end == text || *text == '-' || *text == '+' || *text == ' ')
		die("--%s is '%s': it must be a number", arg->name, text);
	unit = read_suffix(arg, text, end);
	if (errno || value > arg->max / unit || value * unit < arg->min)
		die("--%s is '%s': it must be %llu to %llu", arg->name, text,
		    (unsigned long long)arg->min, (unsigned long long)arg->max);
	return value * unit;
}

/* Milliseconds, of a number that has a unit. */
static uint64_t read_time(const struct arg *arg, const char *text)
{
	static const struct { const char *word; uint64_t ms; } units[] = {
		{ "ms", 1 }, { "s", 1000 }, { "min", 60000 },
	};
	size_t i = 0;
	uint64_t value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)*text))
		die("--%s is '%s': it must be a time such as 500ms or 30s", arg->name, text);
	while (i < ELEMENTS(units) && strcmp(end, units[i].word))
		i++;
	if (i == ELEMENTS(units))
		die("--%s is '%s': it must have a unit, one of ms, s and min", arg->name, text);
	if (errno || value > arg->max / units[i].ms || value * units[i].ms < arg->min)
		die("--%s is '%s': it must be %llums to %llus", arg->name, text,
		    (unsigned long long)arg->min, (unsigned long long)arg->max / 1000);
	return value * units[i].ms;
}

static void store(void *member, enum width width, uint64_t value)
{
	switch (width) {
	case W8:
		*(uint8_t *)member = (uint8_t)value;
		break;
	case W16:
		*(uint16_t *)member = (uint16_t)value;
		break;
	case W32:
		*(uint32_t *)member = (uint32_t)value;
		break;
	case W64:
		*(uint64_t *)member = value;
		break;
	}
}

static double read_scale(const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !isfinite(value) || value <= 0)
		die("--scale is '%s': it must be a positive number", text);
	return value;
}

static enum weir_type read_type(const char *text)
{
	enum weir_type type = type_find(text);

	if (!type)
		die("--dtype is '%s': it must be int32, float32, bfloat16, float16, int64 or float64",
		    text);
	return type;
}

static enum weir_operation read_operation(const char *text)
{
	enum weir_operation operation = operation_find(text);

	if (!operation)
		die("--op is '%s': it must be sum, min or max", text);
	return operation;
}

static void set(struct perf_options *options, const struct arg *arg, const char *value)
{
	void *member = (char *)options + arg->offset;

	switch (arg->kind) {
	case FLAG:
		*(bool *)member = true;
		break;
	case TEXT:
		*(const char **)member = value;
		break;
	case NUMBER:
	case BYTES:
		store(member, arg->width, read_number(arg, value));
		break;
	case TIME:
		store(member, arg->width, read_time(arg, value));
		break;
	case SCALE:
		*(double *)member = read_scale(value);
		break;
	case TYPE:
		*(enum weir_type *)member = read_type(value);
		break;
	case OPERATION:
		*(enum weir_operation *)member = read_operation(value);
		break;
	}
}

/* Words are exact: a prefix of one word today may be one of two tomorrow. */
static const struct arg *find(const char *word)
{
	struct near near;

	if (!strcmp(word, "--help")) {
		help();
		exit(0);
	}
	if (!strcmp(word, "--version")) {
		printf("weir-perf %s\n", weir_version());
		exit(0);
	}
	for (size_t i = 0; i < ELEMENTS(args); i++)
		if (!strncmp(word, "--", 2) && !strcmp(word + 2, args[i].name))
			return &args[i];
	near_begin(&near, word + (strncmp(word, "--", 2) ? 0 : 2));
	for (size_t i = 0; i < ELEMENTS(args); i++)
		near_try(&near, args[i].name);
	if (near.best)
		die("unknown option '%s' (did you mean --%s?)", word, near.best);
	die("unknown option '%s'", word);
}

/* They become programs' names, which are looked for: none is a path. */
static bool are_names(const char *names)
{
	size_t length = 0;

	for (; *names; names++) {
		if (!isalnum((unsigned char)*names) && (*names != ',' || !length))
			return false;
		length = *names == ',' ? 0 : length + 1;
		if (length >= PERF_NAME)
			return false;
	}
	return length;
}

static bool is_given(const bool *given, const char *name)
{
	for (size_t i = 0; i < ELEMENTS(args); i++)
		if (!strcmp(args[i].name, name))
			return given[i];
	return false;
}

static void check_job(const bool *given)
{
	static const char *const names[] = { "job", "address" };

	for (size_t i = 0; i < ELEMENTS(names); i++) {
		if (!is_given(given, "box") && !is_given(given, names[i]))
			die("--%s is missing", names[i]);
		if (is_given(given, "box") && is_given(given, names[i]))
			die("--box and --%s exclude each other", names[i]);
	}
}

static void check_endless(const struct perf_options *options, const bool *given)
{
	if (is_given(given, "iterations"))
		die("--endless and --iterations exclude each other");
	if (options->min_bytes != options->max_bytes)
		die("--endless is for one size: say it as --min-bytes and --max-bytes");
	if (options->compare)
		die("--endless and --compare exclude each other");
}

static void check(const struct perf_options *options, const bool *given)
{
	check_job(given);
	for (size_t i = 0; i < ELEMENTS(args); i++)
		if (args[i].required && !given[i])
			die("--%s is missing", args[i].name);
	if (options->weir.rank >= options->weir.ranks)
		die("--rank is %u: of %u ranks it must be 0 to %u", options->weir.rank,
		    options->weir.ranks, options->weir.ranks - 1);
	if (options->step_factor && options->step_bytes)
		die("--step-factor and --step-bytes exclude each other");
	if (options->min_bytes > options->max_bytes)
		die("--min-bytes is larger than --max-bytes");
	if (options->min_bytes < type_size(options->type))
		die("--min-bytes must be %zu at least, one element", type_size(options->type));
	if (options->compare && !are_names(options->compare))
		die("--compare is '%s': it must be names of letters and digits, with commas between",
		    options->compare);
	if (options->scale && options->type != WEIR_FLOAT32)
		die("--scale is for --dtype float32");
	if (options->endless)
		check_endless(options, given);
}

void args_read(struct perf_options *options, int argc, char **argv)
{
	bool given[ELEMENTS(args)] = { false };

	*options = (struct perf_options) {
		.weir.size = sizeof(options->weir),
		.weir.timeout_ms = 30000,
		.weir.ranks_warning_ms = RANKS_WARNING_MS,
		.min_bytes = 8,
		.max_bytes = 16 << 20,
		.iterations = 20,
		.warmup = 5,
		.seed = 1,
		.type = WEIR_INT32,
		.operation = WEIR_SUM,
	};
	for (int i = 1; i < argc; i++) {
		const struct arg *arg = find(argv[i]);

		if (given[arg - args])
			die("--%s is given twice", arg->name);
		given[arg - args] = true;
		if (arg->kind != FLAG && i + 1 == argc)
			die("--%s takes a value", arg->name);
		set(options, arg, arg->kind == FLAG ? NULL : argv[++i]);
	}
	if (!options->step_bytes && !options->step_factor)
		options->step_factor = 2;
	if (!options->weir.ranks_timeout_ms)
		options->weir.ranks_timeout_ms = options->weir.timeout_ms;
	check(options, given);
	if (is_given(given, "source"))
		options->weir.flags |= WEIR_SOURCE;
	/* The job is made as it is asked for. */
	if (options->weir.box) {
		options->weir.type = options->type;
		options->weir.operation = options->operation;
	}
}
