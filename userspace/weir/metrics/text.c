// SPDX-License-Identifier: GPL-2.0
/*
 * Each metric's samples together, of all objects of its scope. OpenMetrics is the stricter of
 * the two formats: a counter's family goes without the end of its name, and the text has one.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir.h>
#include <weir_trim_nl.h>
#include <weir_xdp_nl.h>

#include "base/quote.h"
#include "grammar/names.h"
#include "job/lateness.h"
#include "metrics/list.h"
#include "metrics/text.h"
#include "netlink/genl.h"

#define LABELS		256
#define MICRO		1e6

/**
 * struct page - what is written
 * @object: the module's answers, by scope
 */
struct page {
	FILE *to;
	const struct metrics_style *style;
	struct nl_replies object[SCOPES];
};

static void job_labels(const struct page *page, uint32_t id, char labels[static LABELS])
{
	size_t used = snprintf(labels, LABELS, "job=\"%u\"", id);

	if (page->style->labels)
		page->style->labels(page->style->context, id, labels + used, LABELS - used);
}

static void name_label(const char *key, const char *name, char labels[static LABELS])
{
	FILE *file = fmemopen(labels, LABELS, "w");

	if (!file)
		abort();
	fprintf(file, "%s=\"", key);
	quote_label(file, name);
	putc('"', file);
	fclose(file);
}

/* Behind that of the port. */
static void prio_label(uint64_t prio, char labels[static LABELS])
{
	size_t used = strlen(labels);

	snprintf(labels + used, LABELS - used, ",prio=\"%" PRIu64 "\"", prio);
}

/* Behind that of the port. A program's name has letters, digits, dots and underscores. */
static void chain_labels(const struct nlmsghdr *message, char labels[static LABELS])
{
	size_t used = strlen(labels);

	snprintf(labels + used, LABELS - used, ",prio=\"%" PRIu64 "\",program=\"%s\"",
		 nl_uint(weir_attribute(message, WEIR_A_CHAIN_PRIO)),
		 nl_string(weir_attribute(message, WEIR_A_CHAIN_NAME)));
}

/* Likewise. */
static void filter_labels(const struct nlmsghdr *message, char labels[static LABELS])
{
	size_t used = strlen(labels);

	snprintf(labels + used, LABELS - used, ",prio=\"%" PRIu64 "\",action=\"%s\"",
		 nl_uint(weir_attribute(message, WEIR_A_FILTER_PRIO)),
		 names_word(&filter_action_names,
			    nl_uint(weir_attribute(message, WEIR_A_FILTER_ACTION))));
}

static void write_labels(const struct page *page, unsigned int scope,
			 const struct nlmsghdr *message, char labels[static LABELS])
{
	*labels = '\0';
	switch (scope) {
	case SCOPE_JOB:
		job_labels(page, nl_uint(weir_attribute(message, WEIR_A_JOB_ID)), labels);
		break;
	case SCOPE_SOURCE:
		snprintf(labels, LABELS, "job=\"%" PRIu64 "\",source=\"%" PRIu64 "\"",
			 nl_uint(weir_attribute(message, WEIR_A_SOURCE_JOB)),
			 nl_uint(weir_attribute(message, WEIR_A_SOURCE_ID)));
		break;
	case SCOPE_PORT:
		name_label("port", nl_string(weir_attribute(message, WEIR_A_PORT_IFNAME)), labels);
		break;
	case SCOPE_CHAIN:
		name_label("port", nl_string(weir_attribute(message, WEIR_A_CHAIN_IFNAME)), labels);
		chain_labels(message, labels);
		break;
	case SCOPE_FLOW:
		name_label("port", nl_string(weir_attribute(message, WEIR_A_FLOW_IFNAME)), labels);
		break;
	case SCOPE_FILTER:
		name_label("port", nl_string(weir_attribute(message, WEIR_A_FILTER_IFNAME)), labels);
		filter_labels(message, labels);
		break;
	case SCOPE_ORDER:
		name_label("port", nl_string(weir_attribute(message, WEIR_A_ORDER_IFNAME)), labels);
		prio_label(nl_uint(weir_attribute(message, WEIR_A_ORDER_PRIO)), labels);
		break;
	case SCOPE_TRIM:
		name_label("port", nl_string(weir_attribute(message, WEIR_A_TRIM_IFNAME)), labels);
		break;
	case SCOPE_TRIM_POOL:
		name_label("pool", nl_string(weir_attribute(message, WEIR_A_TRIM_POOL_NAME)), labels);
		break;
	}
}

static void sample(const struct page *page, const struct metric *metric, const char *labels,
		   uint64_t value)
{
	fprintf(page->to, *labels ? "%s{%s} %" PRIu64 "\n" : "%s%s %" PRIu64 "\n", metric->name,
		labels, value);
}

/* Not every object has every counter. */
static void counter(const struct page *page, const struct metric *metric, const char *labels,
		    const struct nlattr *stats)
{
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, stats) {
		if (mnl_attr_get_type(attr) == metric->attr)
			sample(page, metric, labels, nl_uint(attr));
	}
}

static void refusals(const struct page *page, const struct metric *metric, const char *labels,
		     const struct nlattr *stats)
{
	const struct nlattr *refusal[WEIR_A_REFUSAL_MAX + 1], *attr;
	char more[LABELS + 64];

	mnl_attr_for_each_nested(attr, stats) {
		if (mnl_attr_get_type(attr) != WEIR_A_STATS_REFUSAL)
			continue;
		nl_nested(attr, refusal, WEIR_A_REFUSAL_MAX);
		snprintf(more, sizeof(more), "%s%sreason=\"%s\"", labels, *labels ? "," : "",
			 names_word(&reason_names, nl_uint(refusal[WEIR_A_REFUSAL_REASON])));
		sample(page, metric, more, nl_uint(refusal[WEIR_A_REFUSAL_PACKETS]));
	}
}

/*
 * Buckets of Prometheus' hold all that is less. The module does not add times up, so there is no sum, and in
 * OpenMetrics no count without one; the last bucket has it.
 */
static void lateness(const struct page *page, const struct metric *metric, const char *labels,
		     const struct nlmsghdr *message)
{
	struct lateness seen;
	uint64_t count = 0;
	unsigned int i;

	lateness_read_attr(&seen, message, metric->attr);
	for (i = 0; i < LATENESS_LAST; i++) {
		count += seen.bucket[i];
		fprintf(page->to, "%s_bucket{%s,le=\"%.6f\"} %" PRIu64 "\n", metric->name, labels,
			(double)lateness_below(i) / MICRO, count);
	}
	fprintf(page->to, "%s_bucket{%s,le=\"+Inf\"} %" PRIu64 "\n", metric->name, labels,
		seen.total);
	if (!page->style->open)
		fprintf(page->to, "%s_count{%s} %" PRIu64 "\n", metric->name, labels, seen.total);
}

static void object(const struct page *page, const struct metric *metric,
		   const struct nlmsghdr *message)
{
	const struct nlattr *stats = weir_attribute(message, scopes[metric->scope].stats);
	const struct nlattr *own = weir_attribute(message, metric->attr);
	char labels[LABELS];

	write_labels(page, metric->scope, message, labels);
	if ((metric->kind == METRIC_GAUGE || metric->kind == METRIC_SUM) && own)
		sample(page, metric, labels, nl_uint(own));
	else if ((metric->kind == METRIC_COUNTER || metric->kind == METRIC_NOW) && stats)
		counter(page, metric, labels, stats);
	else if (metric->kind == METRIC_REFUSALS && stats)
		refusals(page, metric, labels, stats);
	else if (metric->kind == METRIC_LATENESS)
		lateness(page, metric, labels, message);
}

static void family(const struct metric *metric, void *context)
{
	static const char *const types[] = {
		[METRIC_COUNTER] = "counter",
		[METRIC_GAUGE] = "gauge",
		[METRIC_NOW] = "gauge",
		[METRIC_SUM] = "counter",
		[METRIC_REFUSALS] = "counter",
		[METRIC_LATENESS] = "histogram",
	};
	const struct page *page = context;
	const struct nl_replies *replies = &page->object[metric->scope];
	int length = strlen(metric->name);
	size_t i;

	if (page->style->open && !strcmp(types[metric->kind], "counter"))
		length -= strlen("_total");
	fprintf(page->to, "# HELP %.*s %s\n# TYPE %.*s %s\n", length, metric->name, metric->help,
		length, metric->name, types[metric->kind]);
	for (i = 0; i < replies->count; i++)
		object(page, metric, replies->message[i]);
}

static int collect(struct page *page, struct weir *weir)
{
	char buffer[NL_REQUEST_SIZE];
	unsigned int i;
	int err = 0;

	for (i = 0; i < SCOPES && !err; i++) {
		if (!weir_has(weir, scopes[i].command))
			continue;
		weir_begin(weir, buffer, scopes[i].command, scopes[i].dump ? NLM_F_DUMP : 0);
		err = nl_talk(&weir->nl, buffer, &page->object[i]);
	}
	return err;
}

int metrics_text(FILE *to, const struct metrics_style *style)
{
	struct page page = { .to = to, .style = style };
	struct weir weir;
	unsigned int i;
	int err;

	err = weir_try_open(&weir);
	if (err)
		return err;
	err = collect(&page, &weir);
	weir_close(&weir);
	if (!err)
		metrics_each(family, &page);
	if (!err && style->open)
		fputs("# EOF\n", to);
	for (i = 0; i < SCOPES; i++)
		nl_replies_free(&page.object[i]);
	return err;
}
