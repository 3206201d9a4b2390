// SPDX-License-Identifier: GPL-2.0
/* Packets that wait in the weir qdiscs of a device, which may have many. */
#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <linux/netlink.h>
#include <linux/rculist.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/sch_generic.h>

#include "trim/net.h"
#include "trim/backlog.h"
#include "trim/reader.h"
#include "trim/sch_limits.h"

/* A packet's readers look at all qdiscs of a device, and requests under RTNL at a namespace's. */
#define WEIR_BACKLOG_DEV_MAX	4096
#define WEIR_BACKLOG_NET_MAX	16384

static void weir_backlogs_changed(struct weir_trim_net *wn)
{
	ASSERT_RTNL();
	if (!++wn->backlog_seq)
		wn->backlog_seq = 1;
}

static struct weir_trim_net *weir_backlog_net(const struct Qdisc *sch)
{
	return weir_trim_net(dev_net(qdisc_dev(sch)));
}

static struct weir_backlogs *weir_backlogs_find(struct weir_trim_net *wn, int ifindex)
{
	return weir_dev_find(wn->backlog_table, ifindex, struct weir_backlogs);
}

/**
 * weir_backlog_now() - the time in a packet's units, WEIR_BACKLOG_SHIFT
 */
u32 weir_backlog_now(void)
{
	return ktime_get_ns() >> WEIR_BACKLOG_SHIFT;
}

/**
 * weir_backlog_waited() - return how long a packet has waited
 * @since: time at which it was enqueued, as weir_backlog_now()
 * @now: the time, not much before @since
 *
 * Return: nanoseconds.
 */
u64 weir_backlog_waited(u32 since, u32 now)
{
	s32 waited = now - since;

	/* Another CPU's clock may have been a little ahead. */
	return waited < 0 && waited > -1000 ? 0 :
	       (u64)(u32)waited << WEIR_BACKLOG_SHIFT;
}

/*
 * While a qdisc is idle, the stack may hand packets to the device without a call of the
 * qdisc, which saves three quarters of the qdisc's cost. A device that never says stop
 * does not allow it, and a child may not either.
 */
static void weir_backlog_may_bypass(struct weir_backlog *backlog, bool bypass)
{
	struct Qdisc *sch = backlog->sch;

	bypass = bypass && !weir_reader_is(qdisc_dev(sch));
	WRITE_ONCE(backlog->bypass, bypass);
	if (bypass && (!backlog->child ||
		       backlog->child->flags & TCQ_F_CAN_BYPASS))
		sch->flags |= TCQ_F_CAN_BYPASS;
	else
		sch->flags &= ~TCQ_F_CAN_BYPASS;
}

/* For the first qdisc of a device. */
static struct weir_backlogs *weir_backlogs_alloc(struct weir_trim_net *wn, int ifindex)
{
	struct weir_backlogs *port = kzalloc(sizeof(*port), GFP_KERNEL_ACCOUNT);
	int err;

	if (!port)
		return ERR_PTR(-ENOMEM);
	port->ifindex = ifindex;
	INIT_LIST_HEAD(&port->list);
	err = xa_insert(&wn->backlogs, ifindex, port, GFP_KERNEL_ACCOUNT);
	if (err) {
		kfree(port);
		return ERR_PTR(err);
	}
	hlist_add_head_rcu(&port->node, weir_dev_bucket(wn->backlog_table, ifindex));
	return port;
}

/* After the last one. */
static void weir_backlogs_free(struct weir_trim_net *wn, struct weir_backlogs *port)
{
	xa_erase(&wn->backlogs, port->ifindex);
	hlist_del_rcu(&port->node);
	kfree_rcu(port, rcu);
}

static int weir_backlog_check(const struct weir_trim_net *wn, const struct weir_backlogs *port,
			      const struct net_device *dev, struct netlink_ext_ack *extack)
{
	if (port && port->count >= WEIR_BACKLOG_DEV_MAX) {
		NL_SET_ERR_MSG_FMT(extack,
				   "%s: a device has at most %u weir qdiscs: delete some of them",
				   dev->name, WEIR_BACKLOG_DEV_MAX);
		return -ENOSPC;
	}
	if (wn->backlog_count >= WEIR_BACKLOG_NET_MAX) {
		NL_SET_ERR_MSG_FMT(extack,
				   "a network namespace has at most %u weir qdiscs: delete some of them",
				   WEIR_BACKLOG_NET_MAX);
		return -ENOSPC;
	}
	return 0;
}

/**
 * weir_backlog_add() - publish a qdisc's backlog
 * @backlog: the qdisc's, zeroed
 * @sch: the qdisc
 * @bypass: as for weir_backlog_bypass()
 * @extack: gets a sentence where there are too many qdiscs
 *
 * RTNL is held. Sleeps.
 *
 * Return: 0, -ENOMEM or -ENOSPC; weir_backlog_del() is to be called in any case.
 */
int weir_backlog_add(struct weir_backlog *backlog, struct Qdisc *sch,
		     bool bypass, struct netlink_ext_ack *extack)
{
	const struct net_device *dev = qdisc_dev(sch);
	struct weir_trim_net *wn = weir_backlog_net(sch);
	struct weir_backlogs *port;
	int err;

	ASSERT_RTNL();

	port = weir_backlogs_find(wn, dev->ifindex);
	err = weir_backlog_check(wn, port, dev, extack);
	if (err)
		return err;
	if (!port)
		port = weir_backlogs_alloc(wn, dev->ifindex);
	if (IS_ERR(port))
		return PTR_ERR(port);
	backlog->port = port;
	backlog->ifindex = dev->ifindex;
	backlog->sch = sch;
	weir_backlog_may_bypass(backlog, bypass);
	/* Dumps list qdiscs in the order in which they came. */
	list_add_tail_rcu(&backlog->list, &port->list);
	port->count++;
	wn->backlog_count++;
	weir_backlogs_changed(wn);
	return 0;
}

/**
 * weir_backlog_del() - withdraw a qdisc's backlog
 * @backlog: the qdisc's; readers may use it for a grace period yet
 *
 * RTNL is held.
 */
void weir_backlog_del(struct weir_backlog *backlog)
{
	struct weir_backlogs *port = backlog->port;
	struct weir_trim_net *wn;

	if (!port)
		return;
	wn = weir_backlog_net(backlog->sch);
	list_del_rcu(&backlog->list);
	wn->backlog_count--;
	if (!--port->count)
		weir_backlogs_free(wn, port);
	weir_backlogs_changed(wn);
}

/**
 * weir_backlog_bypass() - let packets bypass idle qdiscs, or no longer
 * @wn: their namespace
 * @bypass: packets that find their port idle need no look
 *
 * RTNL is held. Packets on their way may still follow the old setting.
 */
void weir_backlog_bypass(struct weir_trim_net *wn, bool bypass)
{
	struct weir_backlogs *port;
	struct weir_backlog *b;
	unsigned long ifindex;

	ASSERT_RTNL();

	xa_for_each(&wn->backlogs, ifindex, port)
		list_for_each_entry(b, &port->list, list)
			weir_backlog_may_bypass(b, bypass);
}

/**
 * weir_backlog_set_child() - the data band waits in another qdisc from now on
 * @backlog: the qdisc's
 * @child: that qdisc, or NULL where the data band is a FIFO again
 *
 * RTNL is held, and the lock of the qdisc.
 */
void weir_backlog_set_child(struct weir_backlog *backlog,
			    const struct Qdisc *child)
{
	ASSERT_RTNL();

	backlog->child = child;
	weir_backlog_may_bypass(backlog, backlog->bypass);
}

/**
 * weir_backlog_set_own() - a qdisc has limits of its own
 * @backlog: the qdisc's
 * @own: its limits, which the backlog owns from now on, or NULL
 *
 * RTNL is held.
 */
void weir_backlog_set_own(struct weir_backlog *backlog,
			  struct weir_sch_limits *own)
{
	own = rcu_replace_pointer(backlog->own, own, lockdep_rtnl_is_held());
	if (own)
		kfree_rcu(own, rcu);
}

/**
 * weir_backlog_limits() - the limits in force for a qdisc
 * @backlog: the qdisc's
 * @limits: those of its device's policy
 * @own: filled, where the qdisc has limits of its own
 *
 * Called with bottom halves disabled, or in an RCU read section.
 *
 * Return: @limits or @own.
 */
const struct weir_bands_limits *
weir_backlog_limits(const struct weir_backlog *backlog,
		    const struct weir_bands_limits *limits,
		    struct weir_bands_limits *own)
{
	const struct weir_sch_limits *said;

	said = rcu_dereference_bh_check(backlog->own, rcu_read_lock_held());
	if (likely(!said))
		return limits;
	*own = *limits;
	weir_sch_limits_apply(said, own);
	return own;
}

/**
 * weir_backlog_pool() - move the packets that wait in a qdisc to another pool
 * @backlog: the qdisc's
 * @pool: the pool, or NULL for none
 *
 * RTNL is held. For packets that wait already there may be more than the pool has room for.
 */
void weir_backlog_pool(struct weir_backlog *backlog, struct weir_trim_pool *pool)
{
	ASSERT_RTNL();

	if (backlog->pool == pool)
		return;
	sch_tree_lock(backlog->sch);
	if (backlog->pool)
		weir_trim_pool_settle(backlog->pool, &backlog->pooled, 0);
	backlog->pool = pool;
	weir_backlog_settle(backlog);
	sch_tree_unlock(backlog->sch);
}

/**
 * weir_backlog_set_pool() - the weir qdiscs of a device share another pool from now on
 * @wn: the device's namespace
 * @ifindex: the device
 * @pool: the pool, or NULL for none
 *
 * RTNL is held.
 */
void weir_backlog_set_pool(struct weir_trim_net *wn, int ifindex, struct weir_trim_pool *pool)
{
	struct weir_backlogs *port = weir_backlogs_find(wn, ifindex);
	struct weir_backlog *b;

	ASSERT_RTNL();

	if (!port)
		return;
	list_for_each_entry(b, &port->list, list)
		weir_backlog_pool(b, pool);
}

/**
 * weir_backlog_has_child() - test whether one of a device's qdiscs has a child
 * @wn: its namespace
 * @ifindex: the device
 *
 * RTNL is held.
 */
bool weir_backlog_has_child(struct weir_trim_net *wn, int ifindex)
{
	const struct weir_backlogs *port;
	const struct weir_backlog *b;

	ASSERT_RTNL();

	port = weir_backlogs_find(wn, ifindex);
	if (!port)
		return false;
	list_for_each_entry(b, &port->list, list)
		if (b->child)
			return true;
	return false;
}

/**
 * weir_backlog_one_direct() - packets that a qdisc was not asked about
 * @backlog: the qdisc's
 *
 * Any context. No lock is held: packets just on their way may be missing.
 *
 * Return: how many, since the qdisc came.
 */
u64 weir_backlog_one_direct(const struct weir_backlog *backlog)
{
	u64 left = READ_ONCE(backlog->left);

	return u64_stats_read(&backlog->sch->bstats.packets) - left;
}

/**
 * weir_backlog_direct() - packets that the qdiscs of a device were not asked about
 * @wn: its namespace
 * @ifindex: the device
 *
 * Any context.
 *
 * Return: how many, since the qdiscs came.
 */
u64 weir_backlog_direct(struct weir_trim_net *wn, int ifindex)
{
	const struct weir_backlogs *port;
	const struct weir_backlog *b;
	u64 direct = 0;

	rcu_read_lock();
	port = weir_backlogs_find(wn, ifindex);
	if (port)
		list_for_each_entry_rcu(b, &port->list, list)
			direct += weir_backlog_one_direct(b);
	rcu_read_unlock();
	return direct;
}

/**
 * weir_backlog_child_dropped() - packets that children in a device's qdiscs have dropped
 * @wn: its namespace
 * @ifindex: the device
 *
 * Any context.
 *
 * Return: how many, since the qdiscs came.
 */
u64 weir_backlog_child_dropped(struct weir_trim_net *wn, int ifindex)
{
	const struct weir_backlogs *port;
	const struct weir_backlog *b;
	u64 dropped = 0;

	rcu_read_lock();
	port = weir_backlogs_find(wn, ifindex);
	if (port)
		list_for_each_entry_rcu(b, &port->list, list)
			dropped += READ_ONCE(b->child_dropped);
	rcu_read_unlock();
	return dropped;
}

static void weir_backlog_clear_one(struct weir_backlog *backlog)
{
	int i;

	sch_tree_lock(backlog->sch);
	/* Packets that pass directly are the qdisc's own packets but for these. */
	WRITE_ONCE(backlog->left,
		   backlog->left + weir_backlog_one_direct(backlog));
	WRITE_ONCE(backlog->trim, 0);
	WRITE_ONCE(backlog->tx_trim, 0);
	WRITE_ONCE(backlog->dropped_trim, 0);
	WRITE_ONCE(backlog->child_dropped, 0);
	WRITE_ONCE(backlog->other_dropped, 0);
	for (i = 0; i < WEIR_BANDS; i++)
		WRITE_ONCE(backlog->max[i], 0);
	sch_tree_unlock(backlog->sch);
}

/**
 * weir_backlog_clear() - set the counters of weir qdiscs to zero
 * @wn: the namespace; RTNL is held
 * @ifindex: the device whose qdiscs they are, or 0 for all
 */
void weir_backlog_clear(struct weir_trim_net *wn, int ifindex)
{
	struct weir_backlogs *port;
	struct weir_backlog *b;
	unsigned long i;

	ASSERT_RTNL();

	xa_for_each(&wn->backlogs, i, port) {
		if (ifindex && i != ifindex)
			continue;
		list_for_each_entry(b, &port->list, list)
			weir_backlog_clear_one(b);
	}
}

/**
 * weir_backlog_depth() - count the packets that wait in the qdiscs of a device
 * @wn: its namespace
 * @ifindex: the device
 * @depth: filled, a band
 *
 * Any context.
 */
void weir_backlog_depth(struct weir_trim_net *wn, int ifindex,
			u32 depth[WEIR_BANDS])
{
	const struct weir_backlogs *port;
	const struct weir_backlog *b;
	int i;

	for (i = 0; i < WEIR_BANDS; i++)
		depth[i] = 0;
	rcu_read_lock();
	port = weir_backlogs_find(wn, ifindex);
	if (port)
		list_for_each_entry_rcu(b, &port->list, list)
			for (i = 0; i < WEIR_BANDS; i++)
				depth[i] += READ_ONCE(b->bands.packets[i]);
	rcu_read_unlock();
}

/**
 * weir_backlog_port_full() - test whether a device's qdiscs together have no room for a packet
 * @port: the device's, which lives while the caller holds one of its qdiscs or RCU
 * @limits: those of the device's policy
 * @len: bytes of the packet
 *
 * Any context. A device where nothing waits has room for one packet, however long it
 * is. All queues are looked at, for each packet that asks: there is no sum of them,
 * which would be one line of memory that all CPUs write for each packet.
 */
bool weir_backlog_port_full(const struct weir_backlogs *port,
			    const struct weir_bands_limits *limits, u32 len)
{
	const struct weir_backlog *b;
	u64 bytes = 0;

	if (!limits->port_bytes)
		return false;
	rcu_read_lock();
	list_for_each_entry_rcu(b, &port->list, list)
		bytes += READ_ONCE(b->bands.bytes[WEIR_BAND_DATA]);
	rcu_read_unlock();
	return bytes && bytes + len > limits->port_bytes;
}

/* No lock is held: each word is right, though they may be of different moments. */
static bool weir_backlog_one_full(const struct weir_backlog *backlog,
				  const struct weir_bands_limits *limits,
				  u32 len, u32 now)
{
	struct weir_bands_limits own;
	struct weir_bands bands = { };

	limits = weir_backlog_limits(backlog, limits, &own);
	bands.packets[WEIR_BAND_DATA] =
		READ_ONCE(backlog->bands.packets[WEIR_BAND_DATA]);
	bands.bytes[WEIR_BAND_DATA] =
		READ_ONCE(backlog->bands.bytes[WEIR_BAND_DATA]);
	return weir_bands_data_full(&bands, limits, len,
				    weir_backlog_waited(READ_ONCE(backlog->head),
							now));
}

/**
 * weir_backlog_full() - test whether no data band of a device's qdiscs has room for a packet
 * @wn: the device's namespace
 * @ifindex: the device
 * @limits: those of the device's policy
 * @len: bytes of the packet
 *
 * Any context. Which qdisc the packet will come to is not known yet, so that one
 * with room is enough: one without trims it itself.
 *
 * Return: 1 where none of its qdiscs has room, 0 where one has, -ENOENT where it
 * has no qdisc.
 */
int weir_backlog_full(struct weir_trim_net *wn, int ifindex,
		      const struct weir_bands_limits *limits, u32 len)
{
	const struct weir_backlogs *port;
	const struct weir_backlog *b;
	u32 now = weir_backlog_now();
	int full = -ENOENT;

	rcu_read_lock();
	port = weir_backlogs_find(wn, ifindex);
	if (port) {
		list_for_each_entry_rcu(b, &port->list, list) {
			full = weir_backlog_one_full(b, limits, len, now);
			if (!full)
				break;
		}
		full = full ?: weir_backlog_port_full(port, limits, len);
	}
	rcu_read_unlock();
	return full;
}

/**
 * weir_backlog_seq() - return a number that changes with the qdiscs of a namespace
 * @wn: the namespace; RTNL is held
 *
 * Return: the number, never 0. Another one after each that came or went.
 */
unsigned int weir_backlog_seq(const struct weir_trim_net *wn)
{
	ASSERT_RTNL();
	return wn->backlog_seq;
}

/* Those of one device, from the @skip-th on, which is counted on. */
static int weir_backlog_dump_dev(const struct weir_backlogs *port, long *skip,
				 int (*dump)(const struct weir_backlog *backlog,
					     void *data),
				 void *data)
{
	const struct weir_backlog *b;
	long n = 0;
	int err;

	list_for_each_entry(b, &port->list, list) {
		if (n++ < *skip)
			continue;
		err = dump(b, data);
		if (err)
			return err;
		++*skip;
	}
	return 0;
}

/**
 * weir_backlog_dump() - go through the weir qdiscs of a namespace
 * @wn: the namespace
 * @ifindex: of this device alone, or 0
 * @at: the device that it goes on with, and how many of it were dumped; 0 and 0
 *	at first
 * @dump: called for each of the others, until it returns an error
 * @data: for @dump
 *
 * By interface index, then in the order in which they came. RTNL is held, so
 * that none comes or goes meanwhile.
 *
 * Return: the last result of @dump, or 0.
 */
int weir_backlog_dump(struct weir_trim_net *wn, int ifindex, long at[2],
		      int (*dump)(const struct weir_backlog *backlog,
				  void *data),
		      void *data)
{
	unsigned long next = max_t(long, at[0], ifindex);
	const struct weir_backlogs *port;
	int err;

	ASSERT_RTNL();

	for (; (port = xa_find(&wn->backlogs, &next, ifindex ?: INT_MAX, XA_PRESENT)); next++) {
		if (next != (unsigned long)at[0])
			at[1] = 0;
		at[0] = next;
		err = weir_backlog_dump_dev(port, &at[1], dump, data);
		if (err)
			return err;
		at[0]++;
		at[1] = 0;
	}
	return 0;
}

/* Return: 0. */
int weir_backlog_net_init(struct net *net)
{
	struct weir_trim_net *wn = weir_trim_net(net);

	xa_init(&wn->backlogs);
	wn->backlog_seq = 1;
	return 0;
}
