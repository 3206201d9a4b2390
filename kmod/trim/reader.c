// SPDX-License-Identifier: GPL-2.0
/*
 * Devices that never say stop. A packet that leaves by a tap goes into a ring,
 * from which the guest takes it at any time. A packet that finds the ring full is
 * dropped, and the stack does not learn of it. So the qdisc itself counts packets
 * that are not taken yet: each packet that it hands out holds a reference to a dst
 * entry of the qdisc's, until it is freed, anywhere and for any reason. All of
 * that is the kernel's own code: no packet calls the module or has it wait.
 *
 * Nor does such a device signal that it has room again. The qdisc looks again
 * after a while, and whenever a packet comes.
 */
#include <linux/minmax.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <net/dst_metadata.h>
#include <net/pkt_sched.h>
#include <net/rtnetlink.h>

#include "core/base/compat.h"
#include "trim/reader.h"

/*
 * Enough that a guest that keeps up finds packets between two looks, and few
 * enough that trimmed packets, which go first in the qdisc, find a short queue in
 * the ring.
 */
#define WEIR_READER_PACKETS	32

/* The first pause between looks, and the longest, as each pause is twice the last. */
#define WEIR_READER_PAUSE_MIN	(20 * NSEC_PER_USEC)
#define WEIR_READER_PAUSE_MAX	(10 * NSEC_PER_MSEC)

/**
 * weir_reader_is() - test whether a device keeps packets until a program reads them
 * @dev: the device
 */
bool weir_reader_is(const struct net_device *dev)
{
	return dev->rtnl_link_ops && !strcmp(dev->rtnl_link_ops->kind, "tun");
}

/**
 * weir_reader_init() - count unread packets of a qdisc's device
 * @reader: zeroed; counts nothing where the device itself says stop
 * @sch: the qdisc
 *
 * Return: 0 or -ENOMEM; weir_reader_destroy() is to be called in any case.
 */
int weir_reader_init(struct weir_reader *reader, struct Qdisc *sch)
{
	struct metadata_dst *md;

	qdisc_watchdog_init(&reader->watchdog, sch);
	if (!weir_reader_is(qdisc_dev(sch)))
		return 0;
	md = metadata_dst_alloc(0, METADATA_HW_PORT_MUX, GFP_KERNEL_ACCOUNT);
	if (!md)
		return -ENOMEM;
	reader->dst = &md->dst;
	return 0;
}

/**
 * weir_reader_reset() - the qdisc is empty, and needs no look again
 * @reader: the reader
 */
void weir_reader_reset(struct weir_reader *reader)
{
	qdisc_watchdog_cancel(&reader->watchdog);
	reader->pause = 0;
}

/**
 * weir_reader_destroy() - count no more
 * @reader: the reader
 *
 * The dst entry goes with the last packet that has a reference to it.
 */
void weir_reader_destroy(struct weir_reader *reader)
{
	qdisc_watchdog_cancel(&reader->watchdog);
	dst_release(reader->dst);
}

/**
 * weir_reader_hand_to() - a packet leaves for a device that never says stop
 * @reader: the reader, which counts
 * @skb: the packet, whose route is no longer needed
 */
void weir_reader_hand_to(const struct weir_reader *reader, struct sk_buff *skb)
{
	skb_dst_drop(skb);
	dst_hold(reader->dst);
	skb_dst_set(skb, reader->dst);
}

/* One of the references is the qdisc's own. */
static u32 weir_reader_unread(const struct weir_reader *reader)
{
	return rcuref_read(&reader->dst->__rcuref) - 1;
}

/* A tap's ring is as long as its queue; a tap without one drops all packets. */
static u32 weir_reader_limit(const struct net_device *dev)
{
	return clamp_t(u32, READ_ONCE(dev->tx_queue_len), 1,
		       WEIR_READER_PACKETS);
}

/* The timer schedules the qdisc again. */
static void weir_reader_later(struct weir_reader *reader)
{
	if (hrtimer_is_queued(&reader->watchdog.timer))
		return;
	reader->pause = reader->pause ? min_t(u64, 2 * reader->pause,
					      WEIR_READER_PAUSE_MAX) :
					WEIR_READER_PAUSE_MIN;
	qdisc_watchdog_schedule_ns(&reader->watchdog,
				   ktime_get_ns() + reader->pause);
}

/**
 * weir_reader_behind() - test whether packets must wait until others are read
 * @reader: the reader, which counts
 * @dev: the qdisc's device
 *
 * Called under the qdisc's lock. Where they must, a timer schedules the qdisc again.
 */
bool weir_reader_behind(struct weir_reader *reader, const struct net_device *dev)
{
	if (weir_reader_unread(reader) < weir_reader_limit(dev)) {
		reader->pause = 0;
		return false;
	}
	weir_reader_later(reader);
	return true;
}
