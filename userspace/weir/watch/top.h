/* SPDX-License-Identifier: GPL-2.0 */
/* `weir top`: the kernel's counters, their changes, and how they are drawn. */
#ifndef WEIR_TOP_H
#define WEIR_TOP_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir.h>
#include <weir_trim_nl.h>

#include "base/addr.h"
#include "job/lateness.h"
#include "netlink/genl.h"
#include "watch/screen.h"

/* By attribute; that of refusals is the sum over the reasons. */
struct counters {
	uint64_t count[WEIR_A_STATS_MAX + 1];
};

struct top_job {
	uint32_t id;
	uint32_t sources;
	uint32_t bound;
	uint32_t policy;
	uint32_t generation;
	uint32_t open;
	uint64_t memory;
	struct counters counters;
};

struct top_source {
	uint32_t job;
	uint32_t id;
	struct addr address;
	uint32_t state;
	uint32_t missing;
	struct lateness lateness;
	struct counters counters;
};

/* Counters of a device's hooks, by attribute. */
struct trim_counters {
	uint64_t count[WEIR_A_TRIM_STATS_MAX + 1];
};

struct top_trim {
	unsigned int ifindex;
	char dev[IF_NAMESIZE];
	uint32_t hook;
	uint32_t data_depth;
	uint32_t header_depth;
	uint64_t child_dropped;
	struct trim_counters counters;
};

/**
 * struct top_flow - a flow that was recorded on a device
 * @name: a number that no other one has
 * @packets: since the last look, as @bytes
 * @total: bytes since it began
 * @gaps: since then, as all that follows
 */
struct top_flow {
	uint64_t name;
	unsigned int ifindex;
	char dev[IF_NAMESIZE];
	struct addr src;
	struct addr dst;
	uint32_t proto;
	uint32_t sport;
	uint32_t dport;
	uint32_t vlan;
	uint64_t packets;
	uint64_t bytes;
	uint64_t total;
	uint64_t gaps;
	uint64_t reordered;
	uint64_t trimmed;
};

struct top_total {
	uint32_t jobs;
	uint32_t ports;
	uint64_t memory;
	uint64_t memory_used;
	uint64_t memory_limit;
	char reduction[16];
	struct counters counters;
};

/**
 * struct sample - one look at all there is
 * @time: of CLOCK_MONOTONIC, in nanoseconds
 * @elapsed: nanoseconds over which counters were taken; 0 where they are those since the start
 */
struct sample {
	uint64_t time;
	uint64_t elapsed;
	struct top_total total;
	size_t jobs;
	struct top_job *job;
	size_t sources;
	struct top_source *source;
	size_t trims;
	struct top_trim *trim;
	size_t flows;
	struct top_flow *flow;
};

/* Returns 0 or a negative errno, with weir->nl.error filled. */
int sample_take(struct sample *sample, struct weir *weir);
void sample_free(struct sample *sample);

/*
 * A copy whose counters and histograms are the difference to an earlier look, or count from
 * the start where there is none.
 */
void sample_change(struct sample *change, const struct sample *now, const struct sample *before);

/* So many a second; NaN where no time has passed. */
double sample_per_second(const struct sample *sample, uint64_t count);

/* The rate of a counter. */
double sample_rate(const struct sample *sample, const struct counters *counters, uint16_t attr);

/* Likewise; packets that were dropped under any name count together. */
double sample_trim_rate(const struct sample *sample, const struct top_trim *trim,
			uint16_t attr);
double sample_trim_drops(const struct sample *sample, const struct top_trim *trim);
uint64_t sample_drops(const struct top_trim *trim);

/* top_flow.c */
int top_flows_take(struct sample *sample, struct weir *weir);
void top_flows_since(struct sample *change, const struct sample *before);
bool top_flow_has(const struct top_flow *flow, const char *text);

/* Return the lateness of a source by its bucket; a source that is silent is later than all. */
unsigned int sample_lateness(const struct top_source *source);

/* @status: at the end of a live page's first line */
void top_draw(struct screen *screen, const struct sample *sample, const char *status);
void top_print_json(const struct sample *sample);

#endif
