// SPDX-License-Identifier: GPL-2.0
/*
 * Alarms about flows. Visits look at what a record has got since the last one; nothing of it is in
 * a packet's way. Each visit and each second have a bound of alarms, as somebody may send what
 * causes them.
 */
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/slab.h>

#include "xdp/base/notify.h"
#include "xdp/flow/table.h"
#include "xdp/flow/watch.h"

/* Alarms a second, of a table. */
#define WEIR_FLOW_ALARMS	16

/* A flow is silent for so long after an alarm. */
#define WEIR_XDP_FLOW_ALARM_AGAIN	(10 * HZ)

/* Of fewer packets a share of losses says nothing. */
#define WEIR_FLOW_LOSS_PACKETS	64

/* Visits that come sooner, as there is no room, see too little. */
#define WEIR_FLOW_LOOK_TICKS	(HZ / 2)

static struct weir_flow_watch *weir_flow_watch_make(const struct weir_flow_table *table)
{
	struct weir_flow_watch *watch = kvzalloc(sizeof(*watch), GFP_KERNEL_ACCOUNT);

	if (!watch)
		return NULL;
	watch->look = kvcalloc(table->capacity, sizeof(*watch->look),
			       GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	if (watch->look) {
		watch->round_at = (u32)jiffies;
		watch->second = watch->round_at;
		return watch;
	}
	kvfree(watch);
	return NULL;
}

/**
 * weir_flow_watch_begin() - allocate what alarms of a table take, if its settings have any
 * @table: the table
 * @config: the settings
 *
 * Process context; nothing else may change the settings meanwhile.
 *
 * Return: 0 or -ENOMEM.
 */
int weir_flow_watch_begin(struct weir_flow_table *table, const struct weir_flow_config *config)
{
	struct weir_flow_watch *watch;

	if (table->watch || (!config->share && !config->loss && !config->source))
		return 0;
	watch = weir_flow_watch_make(table);
	if (!watch)
		return -ENOMEM;
	/* Pairs with the visits', which find it whole. */
	smp_store_release(&table->watch, watch);
	return 0;
}

/**
 * weir_flow_watch_end() - free what alarms of a table take
 * @table: the table, which no visit sees
 */
void weir_flow_watch_end(struct weir_flow_table *table)
{
	struct weir_flow_watch *watch = table->watch;

	if (!watch)
		return;
	table->watch = NULL;
	kvfree(watch->look);
	kvfree(watch);
}

/* Returns whether this second has room for one more. */
static bool weir_flow_may_alarm(struct weir_flow_watch *watch, u32 now)
{
	if (now - watch->second >= HZ) {
		watch->second = now;
		watch->alarms = 0;
	}
	return watch->alarms++ < WEIR_FLOW_ALARMS;
}

static bool weir_flow_alarm(struct weir_flow_table *table, u32 alarm,
			    const struct weir_flow_key *key, u64 value, u64 threshold, u32 now)
{
	const struct weir_flow_notice what = { alarm, key, value, threshold };

	if (!threshold || value < threshold || !weir_flow_may_alarm(table->watch, now))
		return false;
	weir_xdp_notify->flow_alarm(table, &what);
	return true;
}

/* Bytes a second. */
static u64 weir_flow_rate(u64 bytes, u32 ticks)
{
	return div_u64(min(bytes, U64_MAX / HZ) * HZ, max(ticks, 1U));
}

static u64 weir_flow_millionths(u64 part, u64 whole)
{
	part = min(part, U64_MAX / WEIR_XDP_FLOW_MILLIONTHS) * WEIR_XDP_FLOW_MILLIONTHS;
	return whole ? div64_u64(part, whole) : 0;
}

/*
 * Of the sources that share a place the one with more than half of its bytes stays in it, with
 * what it has more than the others (Boyer and Moore's vote). So none is heavier than it says.
 */
static void weir_flow_watch_source(struct weir_flow_watch *watch, const struct weir_flow_key *of,
				   u64 bytes)
{
	struct weir_flow_key key = { .ip = of->ip };
	struct weir_flow_source *source;

	memcpy(key.src, of->src, sizeof(key.src));
	source = &watch->source[weir_flow_key_hash(&key) % WEIR_FLOW_SOURCES];
	if (weir_flow_key_equal(&source->key, &key)) {
		source->bytes += bytes;
	} else if (source->bytes > bytes) {
		source->bytes -= bytes;
	} else {
		source->bytes = bytes - source->bytes;
		source->key = key;
	}
}

/* What a flow has got in some ticks. */
static void weir_flow_watch_flow(struct weir_flow_table *table, const struct weir_flow *flow,
				 struct weir_flow_look *look, const struct weir_flow_sum *got,
				 u32 gaps, u32 now)
{
	const struct weir_flow_config *config = &table->config;
	u64 rate = weir_flow_rate(got->bytes, now - look->at), lost = 0;
	bool said;

	if (look->loud && now - look->said < WEIR_XDP_FLOW_ALARM_AGAIN)
		return;
	if (got->packets >= WEIR_FLOW_LOSS_PACKETS)
		lost = weir_flow_millionths(gaps, got->packets + gaps);
	said = weir_flow_alarm(table, WEIR_XDP_FLOW_ALARM_SHARE, &flow->key,
			       weir_flow_millionths(rate, config->rate), config->share, now);
	said |= weir_flow_alarm(table, WEIR_XDP_FLOW_ALARM_LOSS, &flow->key, lost, config->loss,
				now);
	if (said) {
		look->loud = true;
		look->said = now;
	}
}

/**
 * weir_flow_watch_record() - look at a record
 * @table: the table, which has alarms
 * @flow: the record
 * @now: the tick
 *
 * A visit's.
 */
void weir_flow_watch_record(struct weir_flow_table *table, const struct weir_flow *flow, u32 now)
{
	struct weir_flow_look *look = &table->watch->look[flow - table->flow];
	struct weir_flow_sum sum, got;
	u32 gaps = atomic_read(&flow->gaps);

	if (look->first != flow->first)
		*look = (struct weir_flow_look) { .first = flow->first, .at = flow->told_at };
	if (now - look->at < WEIR_FLOW_LOOK_TICKS)
		return;
	weir_flow_sum_of(flow, &sum);
	got.packets = sum.packets - look->sum.packets;
	got.bytes = sum.bytes - look->sum.bytes;
	if (table->config.source)
		weir_flow_watch_source(table->watch, &flow->key, got.bytes);
	weir_flow_watch_flow(table, flow, look, &got, gaps - look->gaps, now);
	look->sum = sum;
	look->gaps = gaps;
	look->at = now;
}

/**
 * weir_flow_watch_round() - all records have been looked at: which sources are heavy now?
 * @table: the table, which has alarms
 * @now: the tick
 *
 * A source is told of when it was none in the round before.
 */
void weir_flow_watch_round(struct weir_flow_table *table, u32 now)
{
	struct weir_flow_watch *watch = table->watch;
	u64 threshold = table->config.source;
	unsigned int i;

	for (i = 0; threshold && i < WEIR_FLOW_SOURCES; i++) {
		struct weir_flow_source *source = &watch->source[i];
		u64 rate = weir_flow_rate(source->bytes, now - watch->round_at);
		bool heavy = rate >= threshold;

		if (heavy && !(source->heavy && weir_flow_key_equal(&source->key, &source->was)))
			weir_flow_alarm(table, WEIR_XDP_FLOW_ALARM_SOURCE, &source->key, rate,
					threshold, now);
		source->heavy = heavy;
		source->was = source->key;
		source->bytes = 0;
	}
	watch->round_at = now;
}
