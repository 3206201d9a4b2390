// SPDX-License-Identifier: GPL-2.0
#include "metrics/list.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <weir.h>
#include <weir_trim_nl.h>
#include <weir_xdp_nl.h>

#include "grammar/names.h"

const struct scope scopes[SCOPES] = {
	[SCOPE_TOTAL] = { "", WEIR_CMD_STATS_GET, false, WEIR_A_TOTAL_STATS, WEIR_A_TOTAL_MAX, "" },
	[SCOPE_JOB] = { "job_", WEIR_CMD_JOB_GET, true, WEIR_A_JOB_STATS, WEIR_A_JOB_MAX,
			"{{job}} {{tenant}}/{{name}}" },
	[SCOPE_SOURCE] = { "source_", WEIR_CMD_SOURCE_GET, true, WEIR_A_SOURCE_STATS,
			   WEIR_A_SOURCE_MAX, "{{job}}.{{source}}" },
	[SCOPE_PORT] = { "port_", WEIR_CMD_PORT_GET, true, WEIR_A_PORT_STATS, WEIR_A_PORT_MAX,
			 "{{port}}" },
	[SCOPE_CHAIN] = { "chain_", WEIR_XDP_CMD_CHAIN_GET, true, WEIR_A_CHAIN_STATS,
			  WEIR_A_CHAIN_MAX, "{{port}} {{prio}} {{program}}" },
	[SCOPE_FLOW] = { "flow_", WEIR_XDP_CMD_FLOW_GET, true, WEIR_A_FLOW_STATS, WEIR_A_FLOW_MAX,
			 "{{port}}" },
	[SCOPE_FILTER] = { "filter_", WEIR_XDP_CMD_FILTER_GET, true, WEIR_A_FILTER_STATS,
			   WEIR_A_FILTER_MAX, "{{port}} {{prio}} {{action}}" },
	[SCOPE_ORDER] = { "order_", WEIR_XDP_CMD_ORDER_GET, true, WEIR_A_ORDER_STATS,
			  WEIR_A_ORDER_MAX, "{{port}} {{prio}}" },
	[SCOPE_TRIM] = { "trim_", WEIR_CMD_TRIM_GET, true, WEIR_A_TRIM_STATS, WEIR_A_TRIM_MAX,
			 "{{port}}" },
	[SCOPE_TRIM_POOL] = { "trim_pool_", WEIR_CMD_TRIM_POOL_GET, true, 0, WEIR_A_TRIM_POOL_MAX,
			      "{{pool}}" },
	[SCOPE_TRIM_TOTAL] = { "", WEIR_CMD_TRIM_TOTAL_GET, false, 0, WEIR_A_TRIM_TOTAL_MAX, "" },
};

static const struct {
	unsigned int scope;
	uint16_t attr;
	const char *name;
	const char *help;
} gauges[] = {
	{ SCOPE_TOTAL, WEIR_A_TOTAL_JOBS, "jobs", "Jobs that there are." },
	{ SCOPE_TOTAL, WEIR_A_TOTAL_PORTS, "ports", "Ports that there are." },
	{ SCOPE_TOTAL, WEIR_A_TOTAL_MEMORY, "memory_bytes",
	  "Aggregation memory of this namespace's jobs." },
	{ SCOPE_TOTAL, WEIR_A_TOTAL_MEMORY_USED, "memory_used_bytes",
	  "Aggregation memory of all jobs of the machine." },
	{ SCOPE_TOTAL, WEIR_A_TOTAL_MEMORY_LIMIT, "memory_limit_bytes",
	  "Aggregation memory that all jobs of the machine may have." },
	{ SCOPE_JOB, WEIR_A_JOB_SOURCES, "sources", "Sources that make a block complete." },
	{ SCOPE_JOB, WEIR_A_JOB_BOUND, "bound", "Sources that have an address." },
	{ SCOPE_JOB, WEIR_A_JOB_OPEN, "open_blocks", "Blocks that are open." },
	{ SCOPE_JOB, WEIR_A_JOB_MEMORY, "memory_bytes", "Aggregation memory that the job holds." },
	{ SCOPE_SOURCE, WEIR_A_SOURCE_STATE, "state",
	  "1 active, 2 straggler, 3 dead, 4 excluded, 5 behind." },
	{ SCOPE_SOURCE, WEIR_A_SOURCE_MISSING, "missing_blocks",
	  "Open blocks that the source is not in." },
	{ SCOPE_FLOW, WEIR_A_FLOW_FLOWS, "flows", "Flows that there is room for." },
	{ SCOPE_FLOW, WEIR_A_FLOW_MEMORY, "memory_bytes", "Memory of the records." },
	{ SCOPE_FILTER, WEIR_A_FILTER_KNOWN, "known_sources",
	  "Sources that a rule for each source knows." },
	{ SCOPE_FILTER, WEIR_A_FILTER_BLOCKED, "blocked_sources",
	  "Sources that a guard blocks." },
	{ SCOPE_TRIM, WEIR_A_TRIM_DATA_DEPTH, "data_depth_packets",
	  "Packets that wait in the data band." },
	{ SCOPE_TRIM, WEIR_A_TRIM_HEADER_DEPTH, "header_depth_packets",
	  "Packets that wait in the header band." },
	{ SCOPE_TRIM_POOL, WEIR_A_TRIM_POOL_SIZE, "size_bytes",
	  "Bytes of whole packets that may wait at the pool's ports." },
	{ SCOPE_TRIM_POOL, WEIR_A_TRIM_POOL_USED, "used_bytes",
	  "Bytes of whole packets that wait at the pool's ports." },
	{ SCOPE_TRIM_POOL, WEIR_A_TRIM_POOL_USED_MAX, "used_max_bytes",
	  "The most bytes that have waited at the pool's ports." },
};

/* Of the namespace; as SAI has them of a switch. */
static const struct {
	uint16_t attr;
	const char *name;
	const char *help;
} sums[] = {
	{ WEIR_A_TRIM_TOTAL_TRIM, "trim_packets_total",
	  "Packets that all ports have trimmed, ports that are gone included." },
	{ WEIR_A_TRIM_TOTAL_TX_TRIM, "tx_trim_packets_total",
	  "Trimmed packets that all ports have sent, ports that are gone included." },
	{ WEIR_A_TRIM_TOTAL_DROPPED_TRIM, "dropped_trim_packets_total",
	  "Trimmed packets that found no room, of all ports, ports that are gone included." },
};

/* As SAI has them: packets, in the plural. */
static const struct { uint16_t attr; const char *name; } sai[] = {
	{ WEIR_A_TRIM_STATS_TRIM, "trim_packets_total" },
	{ WEIR_A_TRIM_STATS_TX_TRIM, "tx_trim_packets_total" },
	{ WEIR_A_TRIM_STATS_DROPPED_TRIM, "dropped_trim_packets_total" },
};

static const char *sai_name(uint16_t attr)
{
	size_t i;

	for (i = 0; i < sizeof(sai) / sizeof(sai[0]); i++) {
		if (sai[i].attr == attr)
			return sai[i].name;
	}
	return NULL;
}

/* The largest that was seen is no counter, and no state of now; nor is what there is now. */
static bool is_no_counter(const char *word)
{
	size_t length = strlen(word);

	return (length > 4 && !strcmp(word + length - 4, "-max")) || !strcmp(word, "records");
}

/* Behind its counters an order's stats have what is true now. */
static bool is_of_now(unsigned int scope, uint16_t attr)
{
	return scope == SCOPE_ORDER && attr > WEIR_A_ORDER_STATS_LOST;
}

static void set_name(struct metric *metric, const char *word)
{
	const char *own = metric->scope == SCOPE_TRIM ? sai_name(metric->attr) : NULL;
	const char *end = metric->kind == METRIC_COUNTER ? "_total" : "";
	char *at;

	if (own)
		snprintf(metric->name, METRIC_NAME, "weir_port_%s", own);
	else
		snprintf(metric->name, METRIC_NAME, "weir_%s%s%s", scopes[metric->scope].name,
			 word, end);
	for (at = metric->name; *at; at++) {
		if (*at == '-')
			*at = '_';
	}
}

static void each_counter(unsigned int scope, const struct names *names, metric_fn *each,
			 void *context)
{
	size_t i;

	for (i = 0; i < names->count; i++) {
		const char *word = names->name[i].word;
		struct metric metric = {
			.help = "The counter of this name in weir(8).",
			.kind = METRIC_COUNTER,
			.scope = scope,
			.attr = names->name[i].value,
		};

		if (is_no_counter(word))
			continue;
		if (is_of_now(scope, metric.attr)) {
			metric.kind = METRIC_NOW;
			metric.help = "The number of this name in weir(8), now.";
		}
		set_name(&metric, word);
		each(&metric, context);
	}
}

static void each_gauge(unsigned int scope, metric_fn *each, void *context)
{
	size_t i;

	for (i = 0; i < sizeof(gauges) / sizeof(gauges[0]); i++) {
		struct metric metric = {
			.help = gauges[i].help,
			.kind = METRIC_GAUGE,
			.scope = scope,
			.attr = gauges[i].attr,
		};

		if (gauges[i].scope != scope)
			continue;
		set_name(&metric, gauges[i].name);
		each(&metric, context);
	}
}

static void each_sum(unsigned int scope, metric_fn *each, void *context)
{
	size_t i;

	if (scope != SCOPE_TRIM_TOTAL)
		return;
	for (i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
		struct metric metric = {
			.help = sums[i].help,
			.kind = METRIC_SUM,
			.scope = scope,
			.attr = sums[i].attr,
		};

		set_name(&metric, sums[i].name);
		each(&metric, context);
	}
}

static void special(unsigned int scope, enum metric_kind kind, uint16_t attr, const char *word,
		    const char *help, metric_fn *each, void *context)
{
	struct metric metric = { .help = help, .kind = kind, .scope = scope, .attr = attr };

	set_name(&metric, word);
	each(&metric, context);
}

/* Of trimming, chains, filters, flows and orders no packet is refused. */
static bool refuses(unsigned int scope)
{
	return scope != SCOPE_TRIM && scope != SCOPE_TRIM_TOTAL && scope != SCOPE_TRIM_POOL &&
	       scope != SCOPE_CHAIN && scope != SCOPE_FILTER && scope != SCOPE_FLOW && scope != SCOPE_ORDER;
}

static const struct names *counters_of(unsigned int scope)
{
	switch (scope) {
	case SCOPE_TRIM:
		return &trim_counter_names;
	case SCOPE_CHAIN:
		return &chain_counter_names;
	case SCOPE_FLOW:
		return &flow_counter_names;
	case SCOPE_FILTER:
		return &filter_counter_names;
	case SCOPE_ORDER:
		return &order_counter_names;
	default:
		return &counter_names;
	}
}

void metrics_each(metric_fn *each, void *context)
{
	unsigned int scope;

	for (scope = 0; scope < SCOPES; scope++) {
		each_gauge(scope, each, context);
		each_sum(scope, each, context);
		if (scopes[scope].stats)
			each_counter(scope, counters_of(scope), each, context);
		if (refuses(scope))
			special(scope, METRIC_REFUSALS, 0, "refused_packets_total",
				"Packets that were refused, by reason.", each, context);
		if (scope == SCOPE_SOURCE)
			special(scope, METRIC_LATENESS, WEIR_A_SOURCE_LATENESS, "lateness_seconds",
				"How long after their block's first one its contributions came.",
				each, context);
		if (scope == SCOPE_ORDER)
			special(scope, METRIC_LATENESS, WEIR_A_ORDER_WAIT, "wait_seconds",
				"How long packets waited for earlier ones of their flow.", each,
				context);
	}
}
