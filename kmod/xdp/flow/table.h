/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_FLOW_TABLE_H
#define _WEIR_FLOW_TABLE_H

#include <linux/bitops.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <uapi/weir_xdp_nl.h>

#include "xdp/base/net.h"
#include "xdp/flow/flow.h"

struct sk_buff;
struct weir_flow_watch;

/* What a packet's DSCP and ECN tell, in struct weir_flow_table.mark. */
#define WEIR_FLOW_MARK_CE	0x1
#define WEIR_FLOW_MARK_TRIMMED	0x2

/**
 * struct weir_flow_config - how flows are recorded
 * @flows: records at a time
 * @sample: one packet in so many is recorded
 * @idle: milliseconds without a packet after which a record ends
 * @active: milliseconds after which a record that goes on is reported
 * @trimmed: bit i is set where DSCP i is that of trimmed packets
 * @rate: bytes a second of the link
 * @share: millionths of that with which a flow alarms, 0 for none
 * @loss: gaps in millionths of packets with which a flow alarms, 0 for none
 * @source: bytes a second with which a source alarms, 0 for none
 */
struct weir_flow_config {
	u32	flows;
	u32	sample;
	u32	idle;
	u32	active;
	u64	trimmed;
	u64	rate;
	u32	share;
	u32	loss;
	u64	source;
};

/**
 * struct weir_flow_count - counters of one table on one CPU, written with this_cpu_add()
 * @seen: packets that records were looked for, and their bytes
 * @unrecorded: those of them for which there was no room
 * @other: packets without IP
 * @created: records that were made
 * @skip: packets until the next one of a sample
 * @cursor: where free records are looked for
 */
struct weir_flow_count {
	struct weir_flow_sum	seen;
	struct weir_flow_sum	unrecorded;
	u64			other;
	u64			created;
	u32			skip;
	u32			cursor;
};

/**
 * struct weir_flow_cell - packets of some flows that are in no record
 * @packets: of flows for which there was no room, and of records that ended for want of it
 * @bytes: their bytes
 */
struct weir_flow_cell {
	atomic64_t	packets;
	atomic64_t	bytes;
};

/* Locks for all buckets. */
#define WEIR_FLOW_LOCKS		64

/**
 * struct weir_flow_lock - one of them, in a cache line of its own
 * @lock: taken with bottom halves disabled
 */
struct weir_flow_lock {
	spinlock_t	lock ____cacheline_aligned_in_smp;	/* some buckets */
};

/**
 * struct weir_flow_table - the flows of a device
 * @node: in weir_net.flow_table
 * @ifindex: the device
 * @mask: number of buckets, which is a power of two, less 1
 * @bucket: records by their hash; read under RCU
 * @count: counters
 * @sample: see struct weir_flow_config
 * @mark: WEIR_FLOW_MARK_* by the byte of DSCP and ECN
 * @capacity: number of records: those that were asked for, and an eighth, so that there is room
 *	while some are made to go
 * @records: those that are taken
 * @used: a bit for each that is taken
 * @lock: for the buckets, see weir_flow_lock()
 * @flow: the records
 * @cells: number of cells, which is a power of two, less 1
 * @cell: by hash, what is in no record
 * @wn: the namespace
 * @memory: bytes that it takes
 * @config: as it was set; written under the namespace's lock
 * @visit: visits all records, a share at a time
 * @next: the record that the next visit begins with
 * @weight: records of as many packets, or fewer, go first where there is no room
 * @short_at: the tick at which there was no room the last time
 * @dirty: some cell is not 0
 * @ended: records that have ended, by enum weir_xdp_flow_end
 * @lost: reports that could not be sent
 * @watch: of alarms, NULL where there never was a threshold
 * @report: reports that are to be sent; netlink's
 * @deaf: the listener has not taken the last report, however long it was waited for; netlink's
 * @ending: ends the table without RTNL
 */
struct weir_flow_table {
	struct hlist_node		node;
	int				ifindex;
	u32				mask;
	struct hlist_head		*bucket;
	struct weir_flow_count __percpu	*count;
	u32				sample;
	u8				mark[256];

	u32				capacity;
	atomic_t			records ____cacheline_aligned_in_smp;
	unsigned long			*used;
	struct weir_flow		*flow;
	u32				cells;
	struct weir_flow_cell		*cell;
	struct weir_flow_lock		lock[WEIR_FLOW_LOCKS];

	struct weir_xdp_net			*wn ____cacheline_aligned_in_smp;
	u64				memory;
	struct weir_flow_config		config;
	struct delayed_work		visit;
	u32				next;
	u32				weight;
	u32				short_at;
	bool				dirty;
	u64				ended[WEIR_XDP_FLOW_END_ROOM + 1];
	u64				lost;
	struct weir_flow_watch		*watch;
	struct sk_buff			*report;
	bool				deaf;
	struct weir_ending		ending;
};

static inline struct weir_flow_cell *weir_flow_cell(const struct weir_flow_table *table, u32 hash)
{
	/* The bits of the bucket are others, so that two of one bucket rarely share a cell. */
	return &table->cell[rol32(hash, 16) & table->cells];
}

/* The lock of a hash's bucket, and of others. */
static inline spinlock_t *weir_flow_lock(struct weir_flow_table *table, u32 hash)
{
	return &table->lock[hash % WEIR_FLOW_LOCKS].lock;
}

bool weir_flow_table_fits(u32 flows);
struct weir_flow_table *weir_flow_table_make(struct weir_xdp_net *wn, int ifindex,
					     const struct weir_flow_config *config);
void weir_flow_table_set(struct weir_flow_table *table, const struct weir_flow_config *config);
void weir_flow_table_free(struct weir_flow_table *table);
struct weir_flow *weir_flow_table_add(struct weir_flow_table *table,
				      const struct weir_flow_key *key, u32 hash,
				      const struct weir_flow_first *first);
void weir_flow_table_unlink(struct weir_flow_table *table, struct weir_flow *flow);
void weir_flow_table_put(struct weir_flow_table *table, struct weir_flow *flow);
struct weir_flow *weir_flow_table_next(const struct weir_flow_table *table, u32 *from, u32 end);
void weir_flow_table_miss(struct weir_flow_table *table, u32 hash, const struct weir_flow_sum *sum);
void weir_flow_table_missed(const struct weir_flow_table *table, const struct weir_flow *flow,
			    struct weir_flow_sum *missed);
void weir_flow_table_count(const struct weir_flow_table *table, struct weir_flow_count *sum);

#endif /* _WEIR_FLOW_TABLE_H */
