// SPDX-License-Identifier: GPL-2.0
/* The data of `weir top`: the kernel's answers, and how two of them differ. */
#include <linux/netlink.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir_trim_nl.h>

#include "watch/top.h"

static void read_counters(struct counters *counters, const struct nlattr *nest)
{
	const struct nlattr *refusal[WEIR_A_REFUSAL_MAX + 1];
	const struct nlattr *attr;

	if (!nest)
		return;
	mnl_attr_for_each_nested(attr, nest) {
		uint16_t type = mnl_attr_get_type(attr);

		if (type == WEIR_A_STATS_REFUSAL) {
			nl_nested(attr, refusal, WEIR_A_REFUSAL_MAX);
			counters->count[type] += nl_uint(refusal[WEIR_A_REFUSAL_PACKETS]);
		} else if (type <= WEIR_A_STATS_MAX) {
			counters->count[type] = nl_uint(attr);
		}
	}
}

/* Counters that went back are those of another object with the same number. */
static void counters_since(struct counters *counters, const struct counters *before)
{
	unsigned int i;

	for (i = 0; i <= WEIR_A_STATS_MAX; i++) {
		if (counters->count[i] < before->count[i])
			return;
	}
	for (i = 0; i <= WEIR_A_STATS_MAX; i++)
		counters->count[i] -= before->count[i];
}

static void read_job(struct top_job *job, const struct nlmsghdr *message)
{
	const struct nlattr *table[WEIR_A_JOB_MAX + 1];

	weir_attributes(message, table, WEIR_A_JOB_MAX);
	job->id = nl_uint(table[WEIR_A_JOB_ID]);
	job->sources = nl_uint(table[WEIR_A_JOB_SOURCES]);
	job->bound = nl_uint(table[WEIR_A_JOB_BOUND]);
	job->policy = nl_uint(table[WEIR_A_JOB_POLICY]);
	job->generation = nl_uint(table[WEIR_A_JOB_GENERATION]);
	job->open = nl_uint(table[WEIR_A_JOB_OPEN]);
	job->memory = nl_uint(table[WEIR_A_JOB_MEMORY]);
	read_counters(&job->counters, table[WEIR_A_JOB_STATS]);
}

static void read_source(struct top_source *source, const struct nlmsghdr *message)
{
	const struct nlattr *table[WEIR_A_SOURCE_MAX + 1];

	weir_attributes(message, table, WEIR_A_SOURCE_MAX);
	source->job = nl_uint(table[WEIR_A_SOURCE_JOB]);
	source->id = nl_uint(table[WEIR_A_SOURCE_ID]);
	source->state = nl_uint(table[WEIR_A_SOURCE_STATE]);
	source->missing = nl_uint(table[WEIR_A_SOURCE_MISSING]);
	nl_addr(table[WEIR_A_SOURCE_ADDRESS], &source->address);
	lateness_read(&source->lateness, message);
	read_counters(&source->counters, table[WEIR_A_SOURCE_STATS]);
}

static void read_trim(struct top_trim *trim, const struct nlmsghdr *message)
{
	const struct nlattr *table[WEIR_A_TRIM_MAX + 1], *stats[WEIR_A_TRIM_STATS_MAX + 1];
	unsigned int i;

	weir_attributes(message, table, WEIR_A_TRIM_MAX);
	trim->ifindex = nl_uint(table[WEIR_A_TRIM_IFINDEX]);
	trim->hook = nl_uint(table[WEIR_A_TRIM_HOOK]);
	trim->data_depth = nl_uint(table[WEIR_A_TRIM_DATA_DEPTH]);
	trim->header_depth = nl_uint(table[WEIR_A_TRIM_HEADER_DEPTH]);
	trim->child_dropped = nl_uint(table[WEIR_A_TRIM_CHILD_DROPPED]);
	snprintf(trim->dev, sizeof(trim->dev), "%s", nl_string(table[WEIR_A_TRIM_IFNAME]));
	if (!table[WEIR_A_TRIM_STATS])
		return;
	nl_nested(table[WEIR_A_TRIM_STATS], stats, WEIR_A_TRIM_STATS_MAX);
	for (i = 1; i <= WEIR_A_TRIM_STATS_MAX; i++)
		trim->counters.count[i] = nl_uint(stats[i]);
}

static void read_total(struct top_total *total, const struct nlmsghdr *message)
{
	const struct nlattr *table[WEIR_A_TOTAL_MAX + 1];

	weir_attributes(message, table, WEIR_A_TOTAL_MAX);
	total->jobs = nl_uint(table[WEIR_A_TOTAL_JOBS]);
	total->ports = nl_uint(table[WEIR_A_TOTAL_PORTS]);
	total->memory = nl_uint(table[WEIR_A_TOTAL_MEMORY]);
	total->memory_used = nl_uint(table[WEIR_A_TOTAL_MEMORY_USED]);
	total->memory_limit = nl_uint(table[WEIR_A_TOTAL_MEMORY_LIMIT]);
	snprintf(total->reduction, sizeof(total->reduction), "%s",
		 nl_string(table[WEIR_A_TOTAL_REDUCTION]));
	read_counters(&total->counters, table[WEIR_A_TOTAL_STATS]);
}

static int ask(struct weir *weir, uint8_t command, uint16_t flags, struct nl_replies *replies)
{
	char buffer[NL_REQUEST_SIZE];

	weir_begin(weir, buffer, command, flags);
	return nl_talk(&weir->nl, buffer, replies);
}

static void *zeroed(size_t count, size_t size)
{
	void *array = calloc(count ?: 1, size);

	if (!array)
		abort();
	return array;
}

static int take_total(struct sample *sample, struct weir *weir)
{
	struct nl_replies replies = {};
	int err;

	if (!weir_has(weir, WEIR_CMD_STATS_GET))
		return 0;
	err = ask(weir, WEIR_CMD_STATS_GET, 0, &replies);
	if (!err && replies.count)
		read_total(&sample->total, replies.message[0]);
	nl_replies_free(&replies);
	return err;
}

static int take_jobs(struct sample *sample, struct weir *weir)
{
	struct nl_replies replies = {};
	size_t i;
	int err;

	err = ask(weir, WEIR_CMD_JOB_GET, NLM_F_DUMP, &replies);
	sample->jobs = err ? 0 : replies.count;
	sample->job = zeroed(sample->jobs, sizeof(*sample->job));
	for (i = 0; i < sample->jobs; i++)
		read_job(&sample->job[i], replies.message[i]);
	nl_replies_free(&replies);
	return err;
}

static int take_sources(struct sample *sample, struct weir *weir)
{
	struct nl_replies replies = {};
	size_t i;
	int err;

	err = ask(weir, WEIR_CMD_SOURCE_GET, NLM_F_DUMP, &replies);
	sample->sources = err ? 0 : replies.count;
	sample->source = zeroed(sample->sources, sizeof(*sample->source));
	for (i = 0; i < sample->sources; i++)
		read_source(&sample->source[i], replies.message[i]);
	nl_replies_free(&replies);
	return err;
}

/* A policy that only marks an edge trims nothing. */
static int take_trims(struct sample *sample, struct weir *weir)
{
	struct nl_replies replies = {};
	size_t i;
	int err;

	err = ask(weir, WEIR_CMD_TRIM_GET, NLM_F_DUMP, &replies);
	sample->trim = zeroed(replies.count, sizeof(*sample->trim));
	for (i = 0; !err && i < replies.count; i++) {
		struct top_trim *trim = &sample->trim[sample->trims];

		read_trim(trim, replies.message[i]);
		sample->trims += trim->hook != WEIR_TRIM_HOOK_NONE;
	}
	nl_replies_free(&replies);
	return err;
}

int sample_take(struct sample *sample, struct weir *weir)
{
	int err;

	memset(sample, 0, sizeof(*sample));
	sample->time = screen_clock();
	err = take_total(sample, weir);
	err = err ?: take_jobs(sample, weir);
	err = err ?: take_sources(sample, weir);
	err = err ?: take_trims(sample, weir);
	err = err ?: top_flows_take(sample, weir);
	if (err)
		sample_free(sample);
	return err;
}

void sample_free(struct sample *sample)
{
	free(sample->job);
	free(sample->source);
	free(sample->trim);
	free(sample->flow);
	memset(sample, 0, sizeof(*sample));
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/*
 * Return the lateness of a source: its bucket plus 1, or 0 if it is unknown because no block
 * waits for the source. A silent source that blocks time out for is later than all.
 */
unsigned int sample_lateness(const struct top_source *source)
{
	int p99 = lateness_quantile(&source->lateness, 990);

	if (p99 < 0 && source->state > WEIR_SOURCE_STATE_ACTIVE)
		return WEIR_LATENESS_BUCKETS + 1;
	return p99 + 1;
}

uint64_t sample_drops(const struct top_trim *trim)
{
	const uint64_t *count = trim->counters.count;

	return count[WEIR_A_TRIM_STATS_DROPPED_TRIM] + count[WEIR_A_TRIM_STATS_HEADERS_DROPPED] +
	       count[WEIR_A_TRIM_STATS_OTHER_DROPPED] + count[WEIR_A_TRIM_STATS_FAILED] +
	       count[WEIR_A_TRIM_STATS_DEVICE_DROPPED] + count[WEIR_A_TRIM_STATS_LOST] +
	       trim->child_dropped;
}

static void source_since(struct top_source *source, const struct top_source *before)
{
	if (!before)
		return;
	counters_since(&source->counters, &before->counters);
	lateness_since(&source->lateness, &before->lateness);
}

/* Maxima are no counters, but no rate of those is shown. */
static void trim_since(struct top_trim *trim, const struct top_trim *before)
{
	uint64_t dropped = before ? before->child_dropped : 0;
	unsigned int i;

	/* Qdiscs come and go at any time, and count from then on. */
	trim->child_dropped = trim->child_dropped > dropped ? trim->child_dropped - dropped : 0;
	for (i = 1; before && i <= WEIR_A_TRIM_STATS_MAX; i++) {
		if (trim->counters.count[i] < before->counters.count[i])
			return;
	}
	for (i = 1; before && i <= WEIR_A_TRIM_STATS_MAX; i++)
		trim->counters.count[i] -= before->counters.count[i];
}

static int order_trims(const void *a, const void *b)
{
	const struct top_trim *one = a, *other = b;

	return compare(one->ifindex, other->ifindex);
}

static int order_jobs(const void *a, const void *b)
{
	return compare(((const struct top_job *)a)->id, ((const struct top_job *)b)->id);
}

static int order_sources(const void *a, const void *b)
{
	const struct top_source *one = a, *other = b;

	return compare(one->job, other->job) ?: compare(one->id, other->id);
}

/* The kernel lists all in the order of their numbers, so they can be looked up. */
static void subtract(struct sample *change, const struct sample *before)
{
	size_t i;

	change->elapsed = change->time - before->time;
	counters_since(&change->total.counters, &before->total.counters);
	for (i = 0; i < change->jobs; i++) {
		const struct top_job *job = bsearch(&change->job[i], before->job, before->jobs,
						    sizeof(*job), order_jobs);

		if (job)
			counters_since(&change->job[i].counters, &job->counters);
	}
	for (i = 0; i < change->sources; i++)
		source_since(&change->source[i],
			     bsearch(&change->source[i], before->source, before->sources,
				     sizeof(*before->source), order_sources));
	for (i = 0; i < change->trims; i++)
		trim_since(&change->trim[i],
			   bsearch(&change->trim[i], before->trim, before->trims,
				   sizeof(*before->trim), order_trims));
	top_flows_since(change, before);
}

static void *copied(const void *rows, size_t count, size_t size)
{
	void *copy = zeroed(count, size);

	if (count)
		memcpy(copy, rows, count * size);
	return copy;
}

void sample_change(struct sample *change, const struct sample *now, const struct sample *before)
{
	*change = *now;
	change->job = copied(now->job, now->jobs, sizeof(*now->job));
	change->source = copied(now->source, now->sources, sizeof(*now->source));
	change->trim = copied(now->trim, now->trims, sizeof(*now->trim));
	change->flow = copied(now->flow, now->flows, sizeof(*now->flow));
	if (before)
		subtract(change, before);
}

double sample_per_second(const struct sample *sample, uint64_t count)
{
	return sample->elapsed ? count * 1e9 / sample->elapsed : NAN;
}

double sample_rate(const struct sample *sample, const struct counters *counters, uint16_t attr)
{
	return sample_per_second(sample, counters->count[attr]);
}

double sample_trim_rate(const struct sample *sample, const struct top_trim *trim,
			uint16_t attr)
{
	return sample_per_second(sample, trim->counters.count[attr]);
}

double sample_trim_drops(const struct sample *sample, const struct top_trim *trim)
{
	return sample_per_second(sample, sample_drops(trim));
}
