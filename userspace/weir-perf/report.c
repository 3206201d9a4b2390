// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdio.h>

#include "perf.h"

/* Progress of the JSON object: the parts of it that have been printed. */
static bool begun, first = true;
static unsigned int others;

static struct weir_stats stats_of(struct weir *comm)
{
	struct weir_stats stats = { .size = sizeof(stats) };

	weir_get_stats(comm, &stats);
	return stats;
}

/* GB/s */
static double algbw(const struct perf_result *result)
{
	return result->mean_us ? (double)result->bytes / result->mean_us / 1e3 : 0;
}

static double busbw(const struct perf_options *options, const struct perf_result *result)
{
	double ranks = options->weir.ranks;

	return algbw(result) * 2 * (ranks - 1) / ranks;
}

/* The box as the command line has it. */
static const char *place(const struct perf_options *options)
{
	return options->weir.box ? options->weir.box : options->weir.address;
}

static void begin_text(const struct perf_options *options, struct weir *comm)
{
	struct weir_stats stats = stats_of(comm);

	printf("# weir-perf %s: job %u at %s, rank %u of %u, generation %u\n", weir_version(),
	       stats.job, place(options), options->weir.rank, options->weir.ranks,
	       stats.generation);
	printf("# %u elements a packet, %u packets under way at most, %u slots on the box\n",
	       stats.grads, stats.window, stats.blocks);
	printf("# a job of %s\n", type_name(options->job_type));
	printf("# %10s %12s %8s %5s %12s %10s %10s %8s\n", "size", "count", "type", "op", "time",
	       "algbw", "busbw", "wrong");
	printf("# %10s %12s %8s %5s %12s %10s %10s %8s\n", "(B)", "(elements)", "", "", "(us)",
	       "(GB/s)", "(GB/s)", "");
}

static void begin_json(const struct perf_options *options, struct weir *comm)
{
	struct weir_stats stats = stats_of(comm);

	printf("{ \"version\": \"%s\", \"job\": %u, \"address\": \"%s\", \"rank\": %u, "
	       "\"ranks\": %u, \"type\": \"%s\", \"op\": \"%s\", \"job_type\": \"%s\", \"generation\": %u, \"grads\": %u, \"window\": %u, "
	       "\"blocks\": %u, \"iterations\": %" PRIu64 ", \"warmup\": %" PRIu64
	       ", \"verify\": %s,\n  \"results\": [",
	       weir_version(), stats.job, place(options), options->weir.rank,
	       options->weir.ranks, type_name(options->type), operation_name(options->operation),
	       type_name(options->job_type), stats.generation, stats.grads, stats.window,
	       stats.blocks, options->endless ? 0 : options->iterations, options->warmup,
	       options->verify ? "true" : "false");
}

void report_begin(const struct perf_options *options, struct weir *comm)
{
	begun = true;
	if (options->json)
		begin_json(options, comm);
	else
		begin_text(options, comm);
	fflush(stdout);
}

static void result_text(const struct perf_options *options, const struct perf_result *result)
{
	char wrong[24] = "-";

	if (options->verify)
		snprintf(wrong, sizeof(wrong), "%" PRIu64, result->wrong);
	printf("  %10" PRIu64 " %12" PRIu64 " %8s %5s %12.1f %10.4f %10.4f %8s\n", result->bytes,
	       result->bytes / type_size(options->type), type_name(options->type),
	       operation_name(options->operation), result->mean_us, algbw(result),
	       busbw(options, result), wrong);
	fflush(stdout);
}

static void result_json(const struct perf_options *options, const struct perf_result *result)
{
	printf("%s\n    { \"bytes\": %" PRIu64 ", \"count\": %" PRIu64
	       ", \"time_us\": %.3f, \"min_us\": %.3f, \"max_us\": %.3f, \"algbw\": %.6f, "
	       "\"busbw\": %.6f",
	       first ? "" : ",", result->bytes, result->bytes / type_size(options->type),
	       result->mean_us,
	       result->min_us, result->max_us, algbw(result), busbw(options, result));
	if (options->verify)
		printf(", \"wrong\": %" PRIu64, result->wrong);
	printf(", \"iterations\": %" PRIu64 ", \"degraded_blocks\": %" PRIu64
	       ", \"missed_blocks\": %" PRIu64 " }",
	       result->iterations, result->degraded_blocks, result->missed_blocks);
	first = false;
}

void report_result(const struct perf_options *options, const struct perf_result *result)
{
	if (options->json)
		result_json(options, result);
	else
		result_text(options, result);
}

static void end_text(const struct perf_options *options, struct weir *comm,
		     const struct perf_result *all)
{
	struct weir_stats stats = stats_of(comm);

	printf("# %" PRIu64 " packets sent, %" PRIu64 " of them again, %" PRIu64 " timeouts; %" PRIu64
	       " received, %" PRIu64 " twice, %" PRIu64 " not ours; round trip %u us\n",
	       stats.packets_sent, stats.retransmits, stats.timeouts, stats.packets_received,
	       stats.duplicates, stats.malformed, stats.rtt_us);
	printf("# %u packets may be under way now; %" PRIu64 " results say that a queue was full\n",
	       stats.flight_limit, stats.marked);
	printf("# %" PRIu64 " sent and %" PRIu64 " received as parts of merged messages\n",
	       stats.merged_sent, stats.merged_received);
	printf("# %" PRIu64 " questions, %" PRIu64 " notices, %" PRIu64 " results before this rank had "
	       "sent; %" PRIu64 " blocks lack ranks, %" PRIu64 " of them this one\n",
	       stats.queries, stats.notices, stats.early, all->degraded_blocks, all->missed_blocks);
	if (stats.trees > 1)
		printf("# by %u trees\n", stats.trees);
	if (stats.moves)
		printf("# went to another box, or came back, %" PRIu64 " times\n", stats.moves);
	if (options->verify)
		printf("# digest of all results: %016" PRIx64 "\n", all->digest);
	if (options->verify && !all->wrong)
		puts("# every element of every result is right");
}

static void end_json(const struct perf_options *options, struct weir *comm,
		     const struct perf_result *all)
{
	struct weir_stats stats = stats_of(comm);

	printf("\n  ],\n  \"packets_sent\": %" PRIu64 ", \"retransmits\": %" PRIu64
	       ", \"timeouts\": %" PRIu64 ", \"packets_received\": %" PRIu64 ", \"duplicates\": %" PRIu64
	       ", \"malformed\": %" PRIu64 ", \"rtt_us\": %u, \"rttvar_us\": %u, \"rtt_min_us\": %u,\n"
	       "  \"queries\": %" PRIu64 ", \"notices\": %" PRIu64 ", \"early\": %" PRIu64
	       ", \"merged_sent\": %" PRIu64 ", \"merged_received\": %" PRIu64
	       ", \"flight_limit\": %u, \"marked\": %" PRIu64 ", \"moves\": %" PRIu64 ", \"trees\": %u"
	       ", \"degraded_blocks\": %" PRIu64 ", \"missed_blocks\": %" PRIu64,
	       stats.packets_sent, stats.retransmits, stats.timeouts, stats.packets_received,
	       stats.duplicates, stats.malformed, stats.rtt_us, stats.rttvar_us, stats.rtt_min_us,
	       stats.queries, stats.notices, stats.early, stats.merged_sent, stats.merged_received,
	       stats.flight_limit, stats.marked, stats.moves, stats.trees, all->degraded_blocks,
	       all->missed_blocks);
	if (options->verify)
		printf(", \"digest\": \"%016" PRIx64 "\"", all->digest);
}

void report_end(const struct perf_options *options, struct weir *comm,
		const struct perf_result *all)
{
	if (options->json)
		end_json(options, comm, all);
	else
		end_text(options, comm, all);
}

static void print_json_string(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (c < ' ')
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
}

/* The first size from which on this library has always been faster; 0 where the last is not. */
static uint64_t faster_from(const struct perf_sizes *sizes, const struct perf_other *other)
{
	uint64_t from = 0;

	for (size_t i = sizes->count; i && sizes->results[i - 1].mean_us < other->times[i - 1]; i--)
		from = sizes->results[i - 1].bytes;
	return from;
}

static void other_text(const struct perf_sizes *sizes, const struct perf_other *other)
{
	uint64_t from = faster_from(sizes, other);

	if (*other->error) {
		printf("# %s: %s\n", other->name, other->error);
		return;
	}
	printf("# %10s %12s %12s %8s\n", "size", "weir", other->name, "ratio");
	printf("# %10s %12s %12s %8s\n", "(B)", "(us)", "(us)", "");
	for (size_t i = 0; i < sizes->count; i++)
		printf("  %10" PRIu64 " %12.1f %12.1f %8.3f\n", sizes->results[i].bytes,
		       sizes->results[i].mean_us, other->times[i],
		       sizes->results[i].mean_us / other->times[i]);
	if (from)
		printf("# weir is faster than %s from %" PRIu64 " bytes on\n", other->name, from);
	else
		printf("# weir is not faster than %s\n", other->name);
}

static void other_json(const struct perf_sizes *sizes, const struct perf_other *other)
{
	printf("%s\n    { \"name\": ", others++ ? "," : ",\n  \"compare\": [");
	print_json_string(other->name);
	if (*other->error) {
		printf(", \"error\": ");
		print_json_string(other->error);
	} else {
		printf(", \"faster_from_bytes\": %" PRIu64 ", \"time_us\": [", faster_from(sizes, other));
		for (size_t i = 0; i < sizes->count; i++)
			printf("%s%.3f", i ? ", " : " ", other->times[i]);
		printf(" ]");
	}
	printf(" }");
}

void report_other(const struct perf_options *options, const struct perf_sizes *sizes,
		  const struct perf_other *other)
{
	if (options->json)
		other_json(sizes, other);
	else
		other_text(sizes, other);
	if (*other->error)
		fprintf(stderr, "weir-perf: rank %u: %s\n", options->weir.rank, other->error);
}

void report_close(const struct perf_options *options)
{
	if (options->json)
		puts(others ? "\n  ] }" : " }");
}

void report_error(const struct perf_options *options, const char *sentence)
{
	if (options->json) {
		printf(begun ? "\n  ],\n  \"error\": " : "{ \"error\": ");
		print_json_string(sentence);
		puts(" }");
	}
	fflush(stdout);
	fprintf(stderr, "weir-perf: rank %u: %s\n", options->weir.rank, sentence);
}
