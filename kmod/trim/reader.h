/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_READER_H
#define _WEIR_READER_H

#include <linux/types.h>
#include <net/pkt_sched.h>

struct dst_entry;
struct net_device;
struct sk_buff;

/**
 * struct weir_reader - a qdisc's count of unread packets of its device
 * @dst: unread packets have a reference each; NULL where the device says stop
 * @pause: ns from the last look to the next, 0 where there was room
 * @watchdog: schedules the qdisc again
 */
struct weir_reader {
	struct dst_entry	*dst;
	u64			pause;
	struct qdisc_watchdog	watchdog;
};

bool weir_reader_is(const struct net_device *dev);
int weir_reader_init(struct weir_reader *reader, struct Qdisc *sch);
void weir_reader_reset(struct weir_reader *reader);
void weir_reader_destroy(struct weir_reader *reader);
void weir_reader_hand_to(const struct weir_reader *reader, struct sk_buff *skb);
bool weir_reader_behind(struct weir_reader *reader, const struct net_device *dev);

/* A packet leaves for the device. Most devices say stop, and nothing is counted. */
static inline void weir_reader_hand(const struct weir_reader *reader,
				    struct sk_buff *skb)
{
	if (reader->dst)
		weir_reader_hand_to(reader, skb);
}

/* Return true if packets must wait until others are read. Context: as weir_reader_behind(). */
static inline bool weir_reader_full(struct weir_reader *reader,
				    const struct net_device *dev)
{
	return reader->dst && weir_reader_behind(reader, dev);
}

#endif /* _WEIR_READER_H */
