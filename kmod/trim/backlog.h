/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_BACKLOG_H
#define _WEIR_BACKLOG_H

#include <linux/list.h>

#include "trim/bands.h"

struct net;
struct Qdisc;
struct weir_sch_limits;

/*
 * Times in a packet's control block have 32 bits: units of 1024 ns, which last
 * for more than an hour.
 */
#define WEIR_BACKLOG_SHIFT	10

/**
 * struct weir_backlog - the packets of a weir qdisc, for readers outside of it
 * @node: in the table of all
 * @net: the device's namespace
 * @ifindex: the device
 * @sch: the qdisc
 * @child: the one in which its data band waits, or NULL; changes under RTNL
 * @own: limits of the qdisc's own, or NULL; changes under RTNL
 * @bypass: packets that find their port idle need no look
 * @head: when the head of the data band came, as weir_backlog_now()
 * @left: packets that were enqueued here and dequeued, a merged one counted by its
 *	segments
 * @trim: packets that were trimmed
 * @tx_trim: trimmed packets that were sent
 * @dropped_trim: trimmed packets that found the header band full
 * @child_dropped: packets that the child dropped, less those trimmed instead
 * @bands: the bands
 * @max: the most packets that waited, a band
 *
 * From @head on written under the qdisc's lock, read without it.
 *
 * Lies in a qdisc's private memory, which is freed a grace period after the
 * qdisc was destroyed.
 */
struct weir_backlog {
	struct hlist_node	node;
	const struct net	*net;
	struct Qdisc		*sch;
	const struct Qdisc	*child;
	struct weir_sch_limits __rcu *own;
	int			ifindex;
	bool			bypass;
	u32			head;
	u64			left;
	u64			trim;
	u64			tx_trim;
	u64			dropped_trim;
	u64			child_dropped;
	struct weir_bands	bands;
	u32			max[WEIR_BANDS];
};

u32 weir_backlog_now(void);
u64 weir_backlog_waited(u32 since, u32 now);
void weir_backlog_add(struct weir_backlog *backlog, struct Qdisc *sch,
		      bool bypass);
void weir_backlog_del(struct weir_backlog *backlog);
void weir_backlog_set_child(struct weir_backlog *backlog,
			    const struct Qdisc *child);
void weir_backlog_set_own(struct weir_backlog *backlog,
			  struct weir_sch_limits *own);
const struct weir_bands_limits *
weir_backlog_limits(const struct weir_backlog *backlog,
		    const struct weir_bands_limits *limits,
		    struct weir_bands_limits *own);
bool weir_backlog_has_child(const struct net *net, int ifindex);
void weir_backlog_bypass(const struct net *net, bool bypass);
u64 weir_backlog_direct(const struct net *net, int ifindex);
u64 weir_backlog_child_dropped(const struct net *net, int ifindex);
u64 weir_backlog_one_direct(const struct weir_backlog *backlog);
unsigned int weir_backlog_seq(void);
int weir_backlog_dump(const struct net *net, int ifindex, long at[2],
		      int (*dump)(const struct weir_backlog *backlog,
				  void *data),
		      void *data);
void weir_backlog_depth(const struct net *net, int ifindex,
			u32 depth[WEIR_BANDS]);
bool weir_backlog_port_full(const struct net *net, int ifindex,
			    const struct weir_bands_limits *limits, u32 len);
int weir_backlog_full(const struct net *net, int ifindex,
		      const struct weir_bands_limits *limits, u32 len);

#endif /* _WEIR_BACKLOG_H */
