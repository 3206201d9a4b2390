// SPDX-License-Identifier: GPL-2.0
/*
 * Alarms about flows. Visits look at how much a record has grown since the last one, so that
 * packets have no part in it. The number of alarms a second is limited, as a sender may cause
 * them at will.
 */
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/slab.h>

#include "xdp/base/notify.h"
#include "xdp/flow/table.h"
#include "xdp/flow/watch.h"

/* Limit of alarms a second and table. */
#define WEIR_FLOW_ALARMS	16

/* Ticks after an alarm about a flow in which no other one is raised about it. */
#define WEIR_XDP_FLOW_ALARM_AGAIN	(10 * HZ)

/* Least number of packets to compute a share of losses from. */
#define WEIR_FLOW_LOSS_PACKETS	64

/* Least ticks between two looks at a record: visits come sooner if the table is full. */
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
	/* Pairs with smp_load_acquire() of visits: they find it initialized. */
	smp_store_release(&table->watch, watch);
	return 0;
}

/**
 * weir_flow_watch_end() - free what alarms of a table take
 * @table: the table, which no visit sees, and which is freed next
 */
void weir_flow_watch_end(struct weir_flow_table *table)
{
	struct weir_flow_watch *watch = table->watch;

	if (!watch)
		return;
	kvfree(watch->look);
	kvfree(watch);
}

/* Count an alarm; return true if the limit of this second allows it. */
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

/* Return bytes a second. */
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
 * Sources whose addresses have the same hash share an entry. It keeps the source that has sent
 * more than half of the bytes, if there is one, and by how much it exceeds the others (the
 * majority vote of Boyer and Moore). So the bytes of an entry never exceed those of its source.
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

/* Raise alarms about a flow, by the packets and gaps since the last look. */
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
 * weir_flow_watch_record() - check a record against the thresholds of alarms
 * @table: the table, which has alarms
 * @flow: the record
 * @now: jiffies
 *
 * Called by visits only.
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
 * weir_flow_watch_round() - raise alarms about sources, after a visit to all records
 * @table: the table, which has alarms
 * @now: jiffies
 *
 * A source that exceeds the threshold is reported once, until it has been below it for a round.
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
