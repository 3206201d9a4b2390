// SPDX-License-Identifier: GPL-2.0
/*
 * A device's table of flows. All of its memory is taken with it. A record is taken from a bitmap
 * and put into its bucket by the first packet of its flow, in softirq; packets find it without a
 * lock, under RCU, and it is nobody's again a grace period after it has left its bucket.
 */
#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "xdp/flow/table.h"

/*
 * Where there is hardly any room, a packet looks at so many records' bits for a free one: it must
 * not pay for a search through all of them.
 */
#define WEIR_FLOW_LOOKS		4096

/* One cell for so many records. */
#define WEIR_FLOW_PER_CELL	4

static void *weir_flow_alloc(struct weir_flow_table *table, size_t count, size_t size)
{
	table->memory += count * size;
	return kvcalloc(count, size, GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
}

/**
 * weir_flow_table_fits() - may a table be as large?
 * @flows: its records
 *
 * One table takes a quarter of the machine's memory at most.
 */
bool weir_flow_table_fits(u32 flows)
{
	u64 records = (u64)flows * 9 / 8 * sizeof(struct weir_flow);

	return records <= (u64)totalram_pages() << PAGE_SHIFT >> 2;
}

static int weir_flow_table_alloc(struct weir_flow_table *table)
{
	u32 buckets = roundup_pow_of_two(table->config.flows);

	table->capacity = table->config.flows + table->config.flows / 8;
	table->mask = buckets - 1;
	table->cells = buckets / WEIR_FLOW_PER_CELL - 1;
	table->bucket = weir_flow_alloc(table, buckets, sizeof(*table->bucket));
	table->flow = weir_flow_alloc(table, table->capacity, sizeof(*table->flow));
	table->used = weir_flow_alloc(table, BITS_TO_LONGS(table->capacity), sizeof(long));
	table->cell = weir_flow_alloc(table, table->cells + 1, sizeof(*table->cell));
	table->count = alloc_percpu_gfp(struct weir_flow_count, GFP_KERNEL_ACCOUNT);
	return table->bucket && table->flow && table->used && table->cell && table->count ?
	       0 : -ENOMEM;
}

/* Each CPU begins to look for free records somewhere else. */
static void weir_flow_table_spread(struct weir_flow_table *table)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu_ptr(table->count, cpu)->cursor =
			(u64)table->capacity * cpu / nr_cpu_ids;
}

/**
 * weir_flow_table_set() - other settings, but for the number of records
 * @table: the table
 * @config: the settings
 *
 * Called where nobody else changes them.
 */
void weir_flow_table_set(struct weir_flow_table *table, const struct weir_flow_config *config)
{
	int tos;

	for (tos = 0; tos < ARRAY_SIZE(table->mark); tos++)
		WRITE_ONCE(table->mark[tos],
			   ((tos & 3) == 3 ? WEIR_FLOW_MARK_CE : 0) |
			   (config->trimmed >> (tos >> 2) & 1 ? WEIR_FLOW_MARK_TRIMMED : 0));
	WRITE_ONCE(table->sample, config->sample);
	WRITE_ONCE(table->config.sample, config->sample);
	WRITE_ONCE(table->config.idle, config->idle);
	WRITE_ONCE(table->config.active, config->active);
	WRITE_ONCE(table->config.trimmed, config->trimmed);
	WRITE_ONCE(table->config.rate, config->rate);
	WRITE_ONCE(table->config.share, config->share);
	WRITE_ONCE(table->config.loss, config->loss);
	WRITE_ONCE(table->config.source, config->source);
}

/**
 * weir_flow_table_make() - make a table, with room for all of its records
 * @wn: the namespace
 * @ifindex: the device
 * @config: the settings
 *
 * Sleeps. Return: the table, whose visits have not begun, or NULL.
 */
struct weir_flow_table *weir_flow_table_make(struct weir_xdp_net *wn, int ifindex,
					     const struct weir_flow_config *config)
{
	struct weir_flow_table *table = kvzalloc(sizeof(*table), GFP_KERNEL_ACCOUNT);
	int i;

	if (!table)
		return NULL;
	table->wn = wn;
	table->ifindex = ifindex;
	table->memory = sizeof(*table);
	table->config.flows = config->flows;
	if (weir_flow_table_alloc(table)) {
		weir_flow_table_free(table);
		return NULL;
	}
	for (i = 0; i < WEIR_FLOW_LOCKS; i++)
		spin_lock_init(&table->lock[i].lock);
	weir_flow_table_spread(table);
	weir_flow_table_set(table, config);
	return table;
}

/**
 * weir_flow_table_free() - free a table that neither packets nor visits see
 * @table: the table, without what alarms take
 *
 * Sleeps.
 */
void weir_flow_table_free(struct weir_flow_table *table)
{
	free_percpu(table->count);
	kvfree(table->cell);
	kvfree(table->used);
	kvfree(table->flow);
	kvfree(table->bucket);
	kvfree(table);
}

/* The first free record from @from on, before @end; @end where there is none. */
static u32 weir_flow_claim(struct weir_flow_table *table, u32 from, u32 end)
{
	while (from < end) {
		from = find_next_zero_bit(table->used, end, from);
		if (from < end && !test_and_set_bit(from, table->used))
			return from;
	}
	return end;
}

/*
 * Up to the number of records that was asked for, all are looked at where need be, so that there
 * is one. Beyond it visits make room, and a packet does not look long.
 */
static struct weir_flow *weir_flow_take(struct weir_flow_table *table)
{
	u32 cursor = this_cpu_read(table->count->cursor), end = table->capacity, i;
	u32 taken = atomic_inc_return(&table->records);

	if (taken > table->capacity)
		goto none;
	if (taken > table->config.flows)
		end = min(cursor + WEIR_FLOW_LOOKS, end);
	i = weir_flow_claim(table, cursor, end);
	if (i == end && taken <= table->config.flows) {
		end = table->capacity;
		i = weir_flow_claim(table, 0, end);
	}
	this_cpu_write(table->count->cursor, i + 1 < table->capacity ? i + 1 : 0);
	if (i < end)
		return &table->flow[i];
none:
	atomic_dec(&table->records);
	return NULL;
}

/**
 * weir_flow_table_put() - a record is nobody's again
 * @table: the table
 * @flow: the record, which no packet sees
 */
void weir_flow_table_put(struct weir_flow_table *table, struct weir_flow *flow)
{
	/* Visits have done with the record. */
	smp_store_release(&flow->state, WEIR_FLOW_FREE);
	clear_bit_unlock(flow - table->flow, table->used);
	atomic_dec(&table->records);
}

static void weir_flow_fill(struct weir_flow *flow, const struct weir_flow_key *key,
			   const struct weir_flow_first *first)
{
	memset(flow, 0, sizeof(*flow));
	flow->key = *key;
	flow->pair = weir_flow_pair((__force u32)key->src[0], (__force u32)key->dst[0]);
	flow->tos = first->tos;
	flow->seq.next = first->seq;
	flow->heed = U8_MAX;
	flow->last = (u32)jiffies;
	flow->told_at = flow->last;
	flow->first = ktime_get_ns();
}

static struct weir_flow *weir_flow_there(struct hlist_head *bucket, const struct weir_flow_key *key)
{
	struct weir_flow *flow;

	hlist_for_each_entry(flow, bucket, node)
		if (weir_flow_key_equal(&flow->key, key))
			return flow;
	return NULL;
}

/**
 * weir_flow_table_add() - the record of a flow, made where there is none
 * @table: the table
 * @key: the flow
 * @hash: its hash
 * @first: what its packet tells
 *
 * Called under RCU, which the record lives as long as.
 *
 * Return: the record, or NULL where there is no room.
 */
struct weir_flow *weir_flow_table_add(struct weir_flow_table *table,
				      const struct weir_flow_key *key, u32 hash,
				      const struct weir_flow_first *first)
{
	struct hlist_head *bucket = &table->bucket[hash & table->mask];
	spinlock_t *lock = weir_flow_lock(table, hash);
	struct weir_flow *flow = weir_flow_take(table), *there;

	if (!flow)
		return NULL;
	weir_flow_fill(flow, key, first);
	/* Test runs have bottom halves enabled, and a softirq's packet may want the same bucket. */
	spin_lock_bh(lock);
	there = weir_flow_there(bucket, key);
	if (!there) {
		hlist_add_head_rcu(&flow->node, bucket);
		/* Who walks over records finds this one whole: weir_flow_table_next(). */
		smp_store_release(&flow->state, WEIR_FLOW_LIVE);
	}
	spin_unlock_bh(lock);
	if (!there) {
		this_cpu_inc(table->count->created);
		return flow;
	}
	/* Another CPU was quicker. */
	weir_flow_table_put(table, flow);
	return there;
}

/**
 * weir_flow_table_unlink() - no further packet finds a record
 * @table: the table
 * @flow: the record; packets that have found it count in it for a grace period
 *
 * Process context.
 */
void weir_flow_table_unlink(struct weir_flow_table *table, struct weir_flow *flow)
{
	spinlock_t *lock = weir_flow_lock(table, weir_flow_key_hash(&flow->key));

	WRITE_ONCE(flow->state, WEIR_FLOW_GONE);
	spin_lock_bh(lock);
	hlist_del_rcu(&flow->node);
	spin_unlock_bh(lock);
}

/**
 * weir_flow_table_next() - walk over the records that packets find
 * @table: the table
 * @from: where to look first; becomes that of the next one
 * @end: where to end
 *
 * Return: a record, or NULL. It may leave its bucket meanwhile, and become another flow's.
 */
struct weir_flow *weir_flow_table_next(const struct weir_flow_table *table, u32 *from, u32 end)
{
	struct weir_flow *flow;
	u32 i;

	while (*from < end) {
		i = find_next_bit(table->used, end, *from);
		*from = i + 1;
		if (i >= end)
			break;
		flow = &table->flow[i];
		/* Pairs with weir_flow_table_add(). */
		if (smp_load_acquire(&flow->state) == WEIR_FLOW_LIVE)
			return flow;
	}
	return NULL;
}

/**
 * weir_flow_table_miss() - packets of a flow are in no record
 * @table: the table
 * @hash: of the flow
 * @sum: the packets
 */
void weir_flow_table_miss(struct weir_flow_table *table, u32 hash, const struct weir_flow_sum *sum)
{
	struct weir_flow_cell *cell = weir_flow_cell(table, hash);

	if (!READ_ONCE(table->dirty))
		WRITE_ONCE(table->dirty, true);
	/* Who clears cells sees that it must not, where it sees packets: weir_flow_clear_cell(). */
	smp_mb__before_atomic();
	atomic64_add(sum->packets, &cell->packets);
	atomic64_add(sum->bytes, &cell->bytes);
}

/**
 * weir_flow_table_missed() - what a flow may have had that is not in its record
 * @table: the table
 * @flow: the record
 * @missed: filled: bounds
 */
void weir_flow_table_missed(const struct weir_flow_table *table, const struct weir_flow *flow,
			    struct weir_flow_sum *missed)
{
	const struct weir_flow_cell *cell = weir_flow_cell(table, weir_flow_key_hash(&flow->key));

	/* Pairs with the visit that settles it. */
	if (smp_load_acquire(&flow->settled)) {
		*missed = flow->missed;
		return;
	}
	missed->packets = atomic64_read(&cell->packets);
	missed->bytes = atomic64_read(&cell->bytes);
}

/**
 * weir_flow_table_count() - counters of all CPUs
 * @table: the table
 * @sum: filled
 */
void weir_flow_table_count(const struct weir_flow_table *table, struct weir_flow_count *sum)
{
	const struct weir_flow_count *count;
	int cpu;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu) {
		count = per_cpu_ptr(table->count, cpu);
		sum->seen.packets += READ_ONCE(count->seen.packets);
		sum->seen.bytes += READ_ONCE(count->seen.bytes);
		sum->unrecorded.packets += READ_ONCE(count->unrecorded.packets);
		sum->unrecorded.bytes += READ_ONCE(count->unrecorded.bytes);
		sum->other += READ_ONCE(count->other);
		sum->created += READ_ONCE(count->created);
	}
}
