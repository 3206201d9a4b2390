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

/* Flags of struct weir_flow_table.mark: what a packet's DSCP and ECN mean. */
#define WEIR_FLOW_MARK_CE	0x1
#define WEIR_FLOW_MARK_TRIMMED	0x2

/**
 * struct weir_flow_config - how flows are recorded
 * @flows: number of records that the table holds
 * @sample: one packet in so many is recorded
 * @idle: milliseconds without a packet after which a record ends
 * @active: milliseconds after which a record that has not ended is reported
 * @trimmed: bit i is set if trimmed packets have DSCP i
 * @rate: bytes a second of the link
 * @share: threshold of alarms about a flow's share of @rate, in millionths; 0 for none
 * @loss: threshold of alarms about a flow's gaps, in millionths of its packets; 0 for none
 * @source: threshold of alarms about a source, in bytes a second; 0 for none
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
 * @seen: packets of IP, and their bytes
 * @unrecorded: packets of IP without a record, as the table was full
 * @other: packets without IP
 * @created: number of records that were created
 * @skip: packets until the next one of a sample
 * @cursor: index at which the search for a free record begins
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
 * struct weir_flow_cell - packets of some flows that no record counts
 * @packets: packets of flows that got no record, and of records that ended for lack of room
 * @bytes: bytes of these packets
 */
struct weir_flow_cell {
	atomic64_t	packets;
	atomic64_t	bytes;
};

/* Number of locks, which all buckets share. */
#define WEIR_FLOW_LOCKS		64

/**
 * struct weir_flow_lock - lock of some buckets, in a cache line of its own
 * @lock: taken with bottom halves disabled
 */
struct weir_flow_lock {
	spinlock_t	lock ____cacheline_aligned_in_smp;	/* some buckets */
};

/**
 * struct weir_flow_table - the flows of a device
 * @ifindex: index of the device
 * @mask: number of buckets, a power of two, less 1
 * @bucket: records by their hash; read under RCU
 * @count: counters of each CPU
 * @sample: one packet in so many is recorded
 * @mark: WEIR_FLOW_MARK_* by the byte of DSCP and ECN
 * @capacity: number of records: an eighth more than were asked for, so that there is room
 *	while visits end some
 * @records: number of records in use
 * @used: bitmap of records in use
 * @flow: array of records
 * @cells: number of cells, a power of two, less 1
 * @cell: packets that no record counts, by hash
 * @lock: locks of the buckets, see weir_flow_lock()
 * @wn: namespace of the device
 * @memory: bytes of memory that the table takes
 * @config: settings; written under the namespace's lock
 * @visit: work that visits all records, a share at a time
 * @next: index of the record that the next visit begins with
 * @weight: if the table is full, visits end records of at most so many packets
 * @short_at: jiffies when the table was last full
 * @dirty: at least one cell is not 0
 * @ended: number of records that have ended, by enum weir_xdp_flow_end
 * @lost: number of reports that could not be sent
 * @watch: state of alarms; NULL until a threshold is set
 * @report: message of reports under construction; used by netlink
 * @deaf: the listener did not read the last report in time; used by netlink
 * @ending: work that frees the table without RTNL
 */
struct weir_flow_table {
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
	/* Other bits than the bucket's, so that two flows of one bucket rarely share a cell. */
	return &table->cell[rol32(hash, 16) & table->cells];
}

/* Return the lock of the bucket of a hash. */
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
