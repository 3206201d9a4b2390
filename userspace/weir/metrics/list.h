/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The list of metrics, with their objects and the attributes that they are read from. Prometheus'
 * text and Grafana's dashboard are both made from it. Counters are those of the spec, by its
 * names; trimming's have the names that SAI gives them.
 */
#ifndef WEIR_METRICS_LIST_H
#define WEIR_METRICS_LIST_H

#include <stdbool.h>
#include <stdint.h>

/*
 * METRIC_NOW is a gauge that stands among the counters, METRIC_SUM a counter that stands beside
 * them.
 */
enum metric_kind {
	METRIC_COUNTER, METRIC_GAUGE, METRIC_NOW, METRIC_SUM, METRIC_REFUSALS, METRIC_LATENESS,
};

/**
 * struct scope - a kind of object of a netlink family
 * @name: in metrics; empty for the namespace's totals
 * @command: that lists them
 * @dump: it takes NLM_F_DUMP
 * @stats: attribute of the nest of counters, 0 where it has none
 * @max: the last of the object's attributes
 * @labels: of its metrics, for a dashboard's legend
 */
struct scope {
	const char *name;
	uint8_t command;
	bool dump;
	uint16_t stats;
	uint16_t max;
	const char *labels;
};

enum {
	SCOPE_TOTAL, SCOPE_JOB, SCOPE_SOURCE, SCOPE_PORT, SCOPE_CHAIN, SCOPE_FILTER, SCOPE_FLOW,
	SCOPE_ORDER, SCOPE_TRIM, SCOPE_TRIM_TOTAL, SCOPE_TRIM_POOL,
	SCOPES
};

extern const struct scope scopes[SCOPES];

#define METRIC_NAME 64

/**
 * struct metric - one of them
 * @attr: of the nest of counters; of gauges, sums and lateness, of the object
 */
struct metric {
	char name[METRIC_NAME];
	const char *help;
	enum metric_kind kind;
	unsigned int scope;
	uint16_t attr;
};

typedef void metric_fn(const struct metric *metric, void *context);

void metrics_each(metric_fn *each, void *context);

#endif
