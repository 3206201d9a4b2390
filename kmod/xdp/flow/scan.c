// SPDX-License-Identifier: GPL-2.0
/*
 * Visits to all records of a table, a share at a time (Trio paper, section 5: timer threads).
 * They end records, report long-lived flows, and make room if the table is full.
 */
#include <linux/in.h>
#include <linux/jiffies.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "core/base/compat.h"
#include "xdp/base/notify.h"
#include "xdp/flow/scan.h"
#include "xdp/flow/table.h"
#include "xdp/flow/watch.h"

/* A visit takes one of so many shares of the table; all are visited once a second. */
#define WEIR_FLOW_SHARES	16

/* Least number of records of a visit if the table is full. */
#define WEIR_FLOW_VISIT_MIN	4096

/* Flags of TCP, one byte of its header. */
#define WEIR_FLOW_TCP_ENDS	0x05	/* FIN, RST */

/**
 * struct weir_flow_visit - a visit to some records
 * @now: jiffies of the visit
 * @idle: ticks without a packet after which a record ends
 * @active: ticks after which a record that has not ended is reported
 * @excess: number of records to end for lack of room
 * @gone: list of records that have ended
 */
struct weir_flow_visit {
	u32			now;
	u32			idle;
	u32			active;
	int			excess;
	struct weir_flow	*gone;
};

/*
 * End a record. If it ends for lack of room, later packets of the flow may get another record,
 * whose bound has to include the packets of this one: they are added to the cell first. Packets
 * that found this record before and still count in it are added by weir_flow_bury(); no other
 * record of the flow is settled until then.
 */
static void weir_flow_end(struct weir_flow_table *table, struct weir_flow *flow, u8 end,
			  struct weir_flow_visit *visit)
{
	flow->end = end;
	if (end == WEIR_XDP_FLOW_END_ROOM) {
		weir_flow_sum_of(flow, &flow->missed);
		weir_flow_table_miss(table, weir_flow_key_hash(&flow->key), &flow->missed);
		visit->excess--;
	}
	weir_flow_table_unlink(table, flow);
	flow->gone = visit->gone;
	visit->gone = flow;
}

/* Fix the bound of a record: no packet counts in an older record of its flow now. */
static void weir_flow_settle(const struct weir_flow_table *table, struct weir_flow *flow)
{
	if (flow->settled)
		return;
	weir_flow_table_missed(table, flow, &flow->missed);
	/* Pairs with weir_flow_table_missed(), which then sees the bound. */
	smp_store_release(&flow->settled, true);
}

/*
 * Report the packets since the last report. @flow has the packets and jiffies of that one until
 * then.
 */
static void weir_flow_report(struct weir_flow_table *table, struct weir_flow *flow, u8 end)
{
	struct weir_flow_sum now, since;

	weir_flow_sum_of(flow, &now);
	since.packets = now.packets - flow->told.packets;
	since.bytes = now.bytes - flow->told.bytes;
	if (since.packets)
		weir_xdp_notify->flow_report(table, flow, &since, end);
	flow->told = now;
}

static bool weir_flow_has_closed(const struct weir_flow *flow)
{
	return flow->key.proto == IPPROTO_TCP && READ_ONCE(flow->tcp_flags) & WEIR_FLOW_TCP_ENDS;
}

static void weir_flow_visit_one(struct weir_flow_table *table, struct weir_flow *flow,
				struct weir_flow_visit *visit)
{
	u32 quiet = visit->now - READ_ONCE(flow->last);

	/* A packet may have been received since the visit began. */
	if ((s32)quiet < 0)
		quiet = 0;
	weir_flow_settle(table, flow);
	/* Pairs with weir_flow_watch_begin(). */
	if (smp_load_acquire(&table->watch))
		weir_flow_watch_record(table, flow, visit->now);
	if (quiet >= visit->idle) {
		weir_flow_end(table, flow, WEIR_XDP_FLOW_END_IDLE, visit);
	} else if (quiet >= HZ && weir_flow_has_closed(flow)) {
		weir_flow_end(table, flow, WEIR_XDP_FLOW_END_CLOSED, visit);
	} else if (visit->excess > 0 && atomic64_read(&flow->packets) <= table->weight) {
		weir_flow_end(table, flow, WEIR_XDP_FLOW_END_ROOM, visit);
	} else if (visit->now - flow->told_at >= visit->active) {
		weir_flow_report(table, flow, WEIR_XDP_FLOW_END_ACTIVE);
		flow->told_at = visit->now;
	}
}

/* Report and free records that have ended, a grace period after they left their buckets. */
static void weir_flow_bury(struct weir_flow_table *table, struct weir_flow *gone)
{
	struct weir_flow *flow;
	struct weir_flow_sum sum;

	while ((flow = gone)) {
		gone = flow->gone;
		if (flow->end == WEIR_XDP_FLOW_END_ROOM) {
			weir_flow_sum_of(flow, &sum);
			sum.packets -= flow->missed.packets;
			sum.bytes -= flow->missed.bytes;
			weir_flow_table_miss(table, weir_flow_key_hash(&flow->key), &sum);
		}
		table->ended[flow->end]++;
		weir_flow_report(table, flow, flow->end);
		weir_flow_table_put(table, flow);
		cond_resched();
	}
}

static int weir_flow_excess(const struct weir_flow_table *table)
{
	return atomic_read(&table->records) - (int)table->config.flows;
}

/*
 * After a visit to all: adapt the number of packets up to which a record ends for lack of room.
 */
static void weir_flow_weigh(struct weir_flow_table *table, const struct weir_flow_visit *visit)
{
	if (visit->excess > 0)
		table->weight = min(table->weight * 2, 1U << 30);
	else if (table->weight > 1 && weir_flow_excess(table) <= 0)
		table->weight /= 2;
}

/*
 * Returns whether packets have begun to be missed again, which they say before they are counted.
 */
static bool weir_flow_clear_cell(const struct weir_flow_table *table, struct weir_flow_cell *cell)
{
	s64 packets = atomic64_read(&cell->packets), bytes = atomic64_read(&cell->bytes);

	/* Pairs with the barrier in weir_flow_table_miss(). */
	smp_rmb();
	if (READ_ONCE(table->dirty))
		return true;
	atomic64_sub(packets, &cell->packets);
	atomic64_sub(bytes, &cell->bytes);
	return false;
}

/*
 * Clear the cells. If there has been room for longer than the idle time, each flow that is still
 * active has a record with its bound, and the cells count packets of ended flows alone.
 */
static void weir_flow_clear(struct weir_flow_table *table, const struct weir_flow_visit *visit)
{
	u32 i;

	if (!table->dirty || visit->now - READ_ONCE(table->short_at) < visit->idle + 2 * HZ)
		return;
	WRITE_ONCE(table->dirty, false);
	for (i = 0; i <= table->cells && !weir_flow_clear_cell(table, &table->cell[i]); i++)
		cond_resched();
}

static void weir_flow_visit_some(struct weir_flow_table *table, struct weir_flow_visit *visit)
{
	u32 share = DIV_ROUND_UP(table->capacity, WEIR_FLOW_SHARES), end;
	struct weir_flow *flow;

	if (visit->excess > 0)
		share = max(share, WEIR_FLOW_VISIT_MIN);
	end = min(table->next + share, table->capacity);
	while ((flow = weir_flow_table_next(table, &table->next, end))) {
		weir_flow_visit_one(table, flow, visit);
		cond_resched();
	}
	table->next = end < table->capacity ? end : 0;
	if (!table->next) {
		/* Pairs with weir_flow_watch_begin(). */
		if (smp_load_acquire(&table->watch))
			weir_flow_watch_round(table, visit->now);
		weir_flow_weigh(table, visit);
		weir_flow_clear(table, visit);
	}
}

static void weir_flow_visit_work(struct work_struct *work)
{
	struct weir_flow_table *table = container_of(to_delayed_work(work),
						     struct weir_flow_table, visit);
	struct weir_flow_visit visit = {
		.now	= (u32)jiffies,
		.idle	= msecs_to_jiffies(READ_ONCE(table->config.idle)),
		.active	= msecs_to_jiffies(READ_ONCE(table->config.active)),
		.excess	= weir_flow_excess(table),
	};

	if (visit.excess > 0)
		WRITE_ONCE(table->short_at, visit.now);
	weir_flow_visit_some(table, &visit);
	if (visit.gone) {
		synchronize_rcu();
		weir_flow_bury(table, visit.gone);
	}
	weir_xdp_notify->flow_reported(table);
	queue_delayed_work(system_dfl_wq, &table->visit,
			   weir_flow_excess(table) > 0 ? 1 : HZ / WEIR_FLOW_SHARES);
}

/**
 * weir_flow_scan_start() - begin to visit the records of a table
 * @table: the table
 */
void weir_flow_scan_start(struct weir_flow_table *table)
{
	table->weight = 1;
	INIT_DELAYED_WORK(&table->visit, weir_flow_visit_work);
	queue_delayed_work(system_dfl_wq, &table->visit, HZ / WEIR_FLOW_SHARES);
}

/**
 * weir_flow_scan_hurry() - visit a table at once, as it is full
 * @table: the table
 */
void weir_flow_scan_hurry(struct weir_flow_table *table)
{
	u32 now = (u32)jiffies;

	/* Packets without a record may be many, and a visit may be under way. */
	if (READ_ONCE(table->short_at) == now)
		return;
	WRITE_ONCE(table->short_at, now);
	mod_delayed_work(system_dfl_wq, &table->visit, 0);
}

/**
 * weir_flow_scan_end() - stop the visits, and end all records
 * @table: the table, which no packet finds any longer
 *
 * Sleeps.
 */
void weir_flow_scan_end(struct weir_flow_table *table)
{
	struct weir_flow_visit visit = {};
	struct weir_flow *flow;
	u32 i = 0;

	cancel_delayed_work_sync(&table->visit);
	while ((flow = weir_flow_table_next(table, &i, table->capacity))) {
		weir_flow_end(table, flow, WEIR_XDP_FLOW_END_FORCED, &visit);
		cond_resched();
	}
	weir_flow_bury(table, visit.gone);
	weir_xdp_notify->flow_reported(table);
}
