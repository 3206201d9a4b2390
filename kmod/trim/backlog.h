/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_BACKLOG_H
#define _WEIR_BACKLOG_H

#include <linux/list.h>
#include <linux/rcupdate.h>

#include "trim/bands.h"
#include "trim/pool.h"

struct Qdisc;
struct netlink_ext_ack;
struct weir_trim_net;
struct weir_trim_pool;
struct weir_sch_limits;

/*
 * Times in a packet's control block have 32 bits: units of 1024 ns, which last
 * for more than an hour.
 */
#define WEIR_BACKLOG_SHIFT	10

/**
 * struct weir_backlogs - the weir qdiscs of a device
 * @node: in weir_net.backlog_table
 * @rcu: it is freed a grace period after the last qdisc was destroyed
 * @ifindex: the device
 * @count: number of qdiscs; under RTNL
 * @list: their backlogs, in the order in which they came; written under RTNL, read under RCU
 */
struct weir_backlogs {
	struct hlist_node	node;
	struct rcu_head		rcu;
	int			ifindex;
	unsigned int		count;
	struct list_head	list;
};

/**
 * struct weir_backlog - the packets of a weir qdisc, for readers outside of it
 * @list: in the list of its device
 * @port: the device's qdiscs, NULL until it is one of them
 * @ifindex: the device
 * @sch: the qdisc
 * @child: the one in which its data band waits, or NULL; changes under RTNL
 * @own: limits of the qdisc's own, or NULL; changes under RTNL
 * @pool: the pool that its device's policy names, or NULL; changes under RTNL and the qdisc's
 *	lock
 * @pooled: bytes that the qdisc has taken out of @pool; under the qdisc's lock
 * @bypass: packets that find their port idle need no look
 * @head: time at which the head of the data band was enqueued, as weir_backlog_now()
 * @left: packets that were enqueued here and dequeued, a merged one counted by its
 *	segments
 * @trim: packets that were trimmed
 * @tx_trim: trimmed packets that were sent
 * @dropped_trim: trimmed packets that found the header band full
 * @child_dropped: packets that the child dropped, less those trimmed instead
 * @other_dropped: packets that found the other band full
 * @bands: the bands
 * @max: the most packets that waited, a band
 *
 * From @head on written under the qdisc's lock, read without it.
 *
 * Lies in a qdisc's private memory, which is freed a grace period after the
 * qdisc was destroyed.
 */
struct weir_backlog {
	struct list_head	list;
	struct weir_backlogs	*port;
	struct Qdisc		*sch;
	const struct Qdisc	*child;
	struct weir_sch_limits __rcu *own;
	struct weir_trim_pool	*pool;
	u64			pooled;
	int			ifindex;
	bool			bypass;
	u32			head;
	u64			left;
	u64			trim;
	u64			tx_trim;
	u64			dropped_trim;
	u64			child_dropped;
	u64			other_dropped;
	struct weir_bands	bands;
	u32			max[WEIR_BANDS];
};

/**
 * weir_backlog_settle() - make a qdisc's part of its pool what waits in its data band
 * @backlog: the qdisc's, whose lock is held
 */
static inline void weir_backlog_settle(struct weir_backlog *backlog)
{
	if (backlog->pool)
		weir_trim_pool_settle(backlog->pool, &backlog->pooled,
				      backlog->bands.bytes[WEIR_BAND_DATA]);
}

u32 weir_backlog_now(void);
u64 weir_backlog_waited(u32 since, u32 now);
int weir_backlog_add(struct weir_backlog *backlog, struct Qdisc *sch,
		     bool bypass, struct netlink_ext_ack *extack);
void weir_backlog_del(struct weir_backlog *backlog);
void weir_backlog_set_child(struct weir_backlog *backlog,
			    const struct Qdisc *child);
void weir_backlog_set_own(struct weir_backlog *backlog,
			  struct weir_sch_limits *own);
const struct weir_bands_limits *
weir_backlog_limits(const struct weir_backlog *backlog,
		    const struct weir_bands_limits *limits,
		    struct weir_bands_limits *own);
void weir_backlog_pool(struct weir_backlog *backlog, struct weir_trim_pool *pool);
void weir_backlog_set_pool(struct weir_trim_net *wn, int ifindex, struct weir_trim_pool *pool);
bool weir_backlog_has_child(struct weir_trim_net *wn, int ifindex);
void weir_backlog_bypass(struct weir_trim_net *wn, bool bypass);
u64 weir_backlog_direct(struct weir_trim_net *wn, int ifindex);
u64 weir_backlog_child_dropped(struct weir_trim_net *wn, int ifindex);
u64 weir_backlog_one_direct(const struct weir_backlog *backlog);
void weir_backlog_clear(struct weir_trim_net *wn, int ifindex);
unsigned int weir_backlog_seq(const struct weir_trim_net *wn);
int weir_backlog_dump(struct weir_trim_net *wn, int ifindex, long at[2],
		      int (*dump)(const struct weir_backlog *backlog,
				  void *data),
		      void *data);
void weir_backlog_depth(struct weir_trim_net *wn, int ifindex,
			u32 depth[WEIR_BANDS]);
bool weir_backlog_port_full(const struct weir_backlogs *port,
			    const struct weir_bands_limits *limits, u32 len);
int weir_backlog_full(struct weir_trim_net *wn, int ifindex,
		      const struct weir_bands_limits *limits, u32 len);
int weir_backlog_net_init(struct net *net);

#endif /* _WEIR_BACKLOG_H */
