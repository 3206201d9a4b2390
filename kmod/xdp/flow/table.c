// SPDX-License-Identifier: GPL-2.0
/*
 * The table of flows of a device. All memory is allocated with the table. The first packet of a
 * flow takes a record from a bitmap and puts it into its bucket, in softirq; later packets find
 * it under RCU, without a lock. A record is free again a grace period after it was taken from its
 * bucket.
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

/* Number of bits that a packet searches for a free record if the table is nearly full. */
#define WEIR_FLOW_LOOKS		4096

/* Number of records for each cell. */
#define WEIR_FLOW_PER_CELL	4

static void *weir_flow_alloc(struct weir_flow_table *table, size_t count, size_t size)
{
	table->memory += count * size;
	return kvcalloc(count, size, GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
}

/**
 * weir_flow_table_fits() - check the size of a table
 * @flows: number of records
 *
 * Return: true if the table takes a quarter of the machine's memory at most.
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

/* Let each CPU begin its search for free records elsewhere. */
static void weir_flow_table_spread(struct weir_flow_table *table)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu_ptr(table->count, cpu)->cursor =
			(u64)table->capacity * cpu / nr_cpu_ids;
}

/**
 * weir_flow_table_set() - change the settings of a table, except for the number of records
 * @table: the table
 * @config: the settings
 *
 * Called under the namespace's lock, or before anything else sees the table.
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
 * weir_flow_table_make() - allocate a table with all of its records
 * @wn: the namespace
 * @ifindex: index of the device
 * @config: the settings
 *
 * Sleeps.
 *
 * Return: the table, without visits and alarms yet, or NULL.
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

/*
 * Take the first free record from @from on. Return its index, or @end if there is none before
 * that.
 */
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
 * Take a free record. Up to the configured number of records all bits are searched if necessary,
 * so that one is found. Beyond it visits are about to make room, and the search is short.
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
 * weir_flow_table_put() - free a record
 * @table: the table
 * @flow: the record, which no packet sees
 */
void weir_flow_table_put(struct weir_flow_table *table, struct weir_flow *flow)
{
	/* Visits no longer use the record. */
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
 * weir_flow_table_add() - add a record, unless another CPU has just done it
 * @table: the table
 * @key: key of the flow
 * @hash: hash of @key
 * @first: fields of the flow's first packet
 *
 * Called under rcu_read_lock(); the record stays until it is dropped.
 *
 * Return: the record of the flow, or NULL if the table is full.
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
	/*
	 * BPF_PROG_TEST_RUN has bottom halves enabled: a packet in softirq may take the same
	 * lock.
	 */
	spin_lock_bh(lock);
	there = weir_flow_there(bucket, key);
	if (!there) {
		hlist_add_head_rcu(&flow->node, bucket);
		/* Pairs with weir_flow_table_next(), which then finds it initialized. */
		smp_store_release(&flow->state, WEIR_FLOW_LIVE);
	}
	spin_unlock_bh(lock);
	if (!there) {
		this_cpu_inc(table->count->created);
		return flow;
	}
	/* Another CPU has added it meanwhile. */
	weir_flow_table_put(table, flow);
	return there;
}

/**
 * weir_flow_table_unlink() - take a record from its bucket
 * @table: the table
 * @flow: the record; packets that found it before count in it for a grace period
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
 * weir_flow_table_next() - iterate over live records
 * @table: the table
 * @from: index to begin at; becomes the index after the record
 * @end: index to end before
 *
 * Return: a record, or NULL at the end. Outside of visits it may end meanwhile and become another
 * flow's.
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
 * weir_flow_table_miss() - count packets of a flow that no record counts
 * @table: the table
 * @hash: hash of the flow
 * @sum: the packets and their bytes
 */
void weir_flow_table_miss(struct weir_flow_table *table, u32 hash, const struct weir_flow_sum *sum)
{
	struct weir_flow_cell *cell = weir_flow_cell(table, hash);

	if (!READ_ONCE(table->dirty))
		WRITE_ONCE(table->dirty, true);
	/*
	 * Pairs with weir_flow_clear_cell(): if it sees the packets, it sees that it must not
	 * clear them.
	 */
	smp_mb__before_atomic();
	atomic64_add(sum->packets, &cell->packets);
	atomic64_add(sum->bytes, &cell->bytes);
}

/**
 * weir_flow_table_missed() - get an upper bound of a flow's packets that its record does not
 * count
 * @table: the table
 * @flow: the record
 * @missed: filled with the bound
 */
void weir_flow_table_missed(const struct weir_flow_table *table, const struct weir_flow *flow,
			    struct weir_flow_sum *missed)
{
	const struct weir_flow_cell *cell = weir_flow_cell(table, weir_flow_key_hash(&flow->key));

	/* Pairs with weir_flow_settle(). */
	if (smp_load_acquire(&flow->settled)) {
		*missed = flow->missed;
		return;
	}
	missed->packets = atomic64_read(&cell->packets);
	missed->bytes = atomic64_read(&cell->bytes);
}

/**
 * weir_flow_table_count() - sum the counters of all CPUs
 * @table: the table
 * @sum: filled with the sums
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
