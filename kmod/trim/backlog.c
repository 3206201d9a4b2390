// SPDX-License-Identifier: GPL-2.0
/* Packets that wait in the weir qdiscs of a device, which may have many. */
#include <linux/hashtable.h>
#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <linux/rculist.h>
#include <linux/rtnetlink.h>
#include <linux/spinlock.h>
#include <net/sch_generic.h>

#include "trim/backlog.h"
#include "trim/reader.h"
#include "trim/sch_limits.h"

#define WEIR_BACKLOG_BITS	6

static DEFINE_HASHTABLE(weir_backlogs, WEIR_BACKLOG_BITS);
static DEFINE_SPINLOCK(weir_backlogs_lock);
/* Changes with the table, under RTNL; never 0. */
static unsigned int weir_backlogs_seq = 1;

static void weir_backlogs_changed(void)
{
	ASSERT_RTNL();
	if (!++weir_backlogs_seq)
		weir_backlogs_seq = 1;
}

/**
 * weir_backlog_now() - the time in a packet's units, WEIR_BACKLOG_SHIFT
 */
u32 weir_backlog_now(void)
{
	return ktime_get_ns() >> WEIR_BACKLOG_SHIFT;
}

/**
 * weir_backlog_waited() - how long a packet has waited
 * @since: when it came
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

/**
 * weir_backlog_add() - publish a qdisc's backlog
 * @backlog: the qdisc's
 * @sch: the qdisc
 * @bypass: as for weir_backlog_bypass()
 *
 * RTNL is held.
 */
void weir_backlog_add(struct weir_backlog *backlog, struct Qdisc *sch,
		      bool bypass)
{
	const struct net_device *dev = qdisc_dev(sch);

	ASSERT_RTNL();

	backlog->net = dev_net(dev);
	backlog->ifindex = dev->ifindex;
	backlog->sch = sch;
	weir_backlog_may_bypass(backlog, bypass);
	spin_lock(&weir_backlogs_lock);
	/* Dumps list qdiscs in the order in which they came. */
	hlist_add_tail_rcu(&backlog->node,
			   &weir_backlogs[hash_min(backlog->ifindex,
						   WEIR_BACKLOG_BITS)]);
	spin_unlock(&weir_backlogs_lock);
	weir_backlogs_changed();
}

/**
 * weir_backlog_del() - withdraw a qdisc's backlog
 * @backlog: the qdisc's; readers may use it for a grace period yet
 *
 * RTNL is held.
 */
void weir_backlog_del(struct weir_backlog *backlog)
{
	spin_lock(&weir_backlogs_lock);
	hash_del_rcu(&backlog->node);
	spin_unlock(&weir_backlogs_lock);
	weir_backlogs_changed();
}

static bool weir_backlog_is(const struct weir_backlog *backlog,
			    const struct net *net, int ifindex)
{
	return backlog->ifindex == ifindex && net_eq(backlog->net, net);
}

/**
 * weir_backlog_bypass() - may packets pass by qdiscs that are idle?
 * @net: their namespace
 * @bypass: packets that find their port idle need no look
 *
 * RTNL is held. Packets on their way may still follow the old setting.
 */
void weir_backlog_bypass(const struct net *net, bool bypass)
{
	struct weir_backlog *b;
	int i;

	ASSERT_RTNL();

	spin_lock(&weir_backlogs_lock);
	hash_for_each(weir_backlogs, i, b, node)
		if (net_eq(b->net, net))
			weir_backlog_may_bypass(b, bypass);
	spin_unlock(&weir_backlogs_lock);
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
 * weir_backlog_has_child() - has one of a device's qdiscs a child?
 * @net: its namespace
 * @ifindex: the device
 *
 * RTNL is held.
 */
bool weir_backlog_has_child(const struct net *net, int ifindex)
{
	const struct weir_backlog *b;

	ASSERT_RTNL();

	hash_for_each_possible(weir_backlogs, b, node, ifindex)
		if (weir_backlog_is(b, net, ifindex) && b->child)
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
 * @net: its namespace
 * @ifindex: the device
 *
 * Any context.
 *
 * Return: how many, since the qdiscs came.
 */
u64 weir_backlog_direct(const struct net *net, int ifindex)
{
	const struct weir_backlog *b;
	u64 direct = 0;

	rcu_read_lock();
	hash_for_each_possible_rcu(weir_backlogs, b, node, ifindex)
		if (weir_backlog_is(b, net, ifindex))
			direct += weir_backlog_one_direct(b);
	rcu_read_unlock();
	return direct;
}

/**
 * weir_backlog_child_dropped() - packets that children in a device's qdiscs have dropped
 * @net: its namespace
 * @ifindex: the device
 *
 * Any context.
 *
 * Return: how many, since the qdiscs came.
 */
u64 weir_backlog_child_dropped(const struct net *net, int ifindex)
{
	const struct weir_backlog *b;
	u64 dropped = 0;

	rcu_read_lock();
	hash_for_each_possible_rcu(weir_backlogs, b, node, ifindex)
		if (weir_backlog_is(b, net, ifindex))
			dropped += READ_ONCE(b->child_dropped);
	rcu_read_unlock();
	return dropped;
}

/**
 * weir_backlog_depth() - how many packets wait in the qdiscs of a device
 * @net: its namespace
 * @ifindex: the device
 * @depth: filled, a band
 *
 * Any context.
 */
void weir_backlog_depth(const struct net *net, int ifindex,
			u32 depth[WEIR_BANDS])
{
	const struct weir_backlog *b;
	int i;

	for (i = 0; i < WEIR_BANDS; i++)
		depth[i] = 0;
	rcu_read_lock();
	hash_for_each_possible_rcu(weir_backlogs, b, node, ifindex)
		for (i = 0; i < WEIR_BANDS; i++)
			if (weir_backlog_is(b, net, ifindex))
				depth[i] += READ_ONCE(b->bands.packets[i]);
	rcu_read_unlock();
}

/**
 * weir_backlog_port_full() - have a device's qdiscs together no room for a packet?
 * @net: the device's namespace
 * @ifindex: the device
 * @limits: those of the device's policy
 * @len: bytes of the packet
 *
 * Any context. A device where nothing waits has room for one packet, however long it
 * is. All queues are looked at, for each packet that asks: there is no sum of them,
 * which would be one line of memory that all CPUs write for each packet.
 */
bool weir_backlog_port_full(const struct net *net, int ifindex,
			    const struct weir_bands_limits *limits, u32 len)
{
	const struct weir_backlog *b;
	u64 bytes = 0;

	if (!limits->port_bytes)
		return false;
	rcu_read_lock();
	hash_for_each_possible_rcu(weir_backlogs, b, node, ifindex)
		if (weir_backlog_is(b, net, ifindex))
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
 * weir_backlog_full() - has no data band of a device's qdiscs room for a packet?
 * @net: the device's namespace
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
int weir_backlog_full(const struct net *net, int ifindex,
		      const struct weir_bands_limits *limits, u32 len)
{
	const struct weir_backlog *b;
	u32 now = weir_backlog_now();
	int full = -ENOENT;

	rcu_read_lock();
	hash_for_each_possible_rcu(weir_backlogs, b, node, ifindex) {
		if (!weir_backlog_is(b, net, ifindex))
			continue;
		full = weir_backlog_one_full(b, limits, len, now);
		if (!full)
			break;
	}
	rcu_read_unlock();
	return full ?: weir_backlog_port_full(net, ifindex, limits, len);
}

/**
 * weir_backlog_seq() - whether qdiscs came or went
 *
 * RTNL is held.
 *
 * Return: another number, but never 0, after each that did.
 */
unsigned int weir_backlog_seq(void)
{
	ASSERT_RTNL();
	return weir_backlogs_seq;
}

/* The first device with a weir qdisc from an index on, INT_MAX for none. */
static long weir_backlog_next(const struct net *net, long from)
{
	const struct weir_backlog *b;
	long next = INT_MAX;
	int i;

	hash_for_each(weir_backlogs, i, b, node)
		if (net_eq(b->net, net) && b->ifindex >= from &&
		    b->ifindex < next)
			next = b->ifindex;
	return next;
}

/* Those of one device, from the @skip-th on, which is counted on. */
static int weir_backlog_dump_dev(const struct net *net, int ifindex, long *skip,
				 int (*dump)(const struct weir_backlog *backlog,
					     void *data),
				 void *data)
{
	const struct weir_backlog *b;
	long n = 0;
	int err;

	hash_for_each_possible(weir_backlogs, b, node, ifindex) {
		if (!weir_backlog_is(b, net, ifindex) || n++ < *skip)
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
 * @net: the namespace
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
int weir_backlog_dump(const struct net *net, int ifindex, long at[2],
		      int (*dump)(const struct weir_backlog *backlog,
				  void *data),
		      void *data)
{
	long next;
	int err;

	ASSERT_RTNL();

	for (;;) {
		next = weir_backlog_next(net, max_t(long, at[0], ifindex));
		if (next == INT_MAX || (ifindex && next != ifindex))
			return 0;
		if (next != at[0])
			at[1] = 0;
		at[0] = next;
		err = weir_backlog_dump_dev(net, next, &at[1], dump, data);
		if (err)
			return err;
		at[0]++;
		at[1] = 0;
	}
}
