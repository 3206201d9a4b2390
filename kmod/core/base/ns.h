/* SPDX-License-Identifier: GPL-2.0 */
/* State of a module in a network namespace, the same for each module. */
#ifndef _WEIR_NS_H
#define _WEIR_NS_H

#include <linux/list.h>
#include <linux/log2.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/rtnetlink.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#define WEIR_DEV_BUCKETS	64

/**
 * struct weir_ns - a module's part of a network namespace: what all modules have there
 * @net: the namespace; no reference is held, as this goes with it
 * @lock: serialises every change by request; taken before RTNL, and never inside of it, so that
 *	the device notifier does not take it
 * @seq: goes up with every change, so that a dump can tell that it was disturbed; under @lock,
 *	never 0
 * @endings: objects that have been hidden and have not ended yet; see struct weir_ending
 */
struct weir_ns {
	struct net	*net;
	struct mutex	lock;	/* every change */
	unsigned int	seq;
	atomic_t	endings;
};

/**
 * struct weir_ending - the end of an object that packets and requests no longer find
 * @work: calls @end
 * @ns: the namespace, which waits for it
 * @end: ends and frees the object; sleeps, without a lock
 *
 * All of the host waits for RTNL. So whoever holds it hides an object, and what takes its time,
 * such as reports to userspace and freeing much memory, is left to a worker. A request may have
 * found the object before: it holds the namespace's lock, which @end takes before it frees.
 */
struct weir_ending {
	struct work_struct	work;
	struct weir_ns		*ns;
	void			(*end)(struct weir_ending *ending);
};

extern u64 weir_dev_secret;

/* ns.c */
void weir_ns_init(struct weir_ns *ns, struct net *net);
void weir_ns_end_later(struct weir_ns *ns, struct weir_ending *ending,
		       void (*end)(struct weir_ending *ending));
void weir_ns_endings_wait(struct weir_ns *ns);
int weir_ns_start(void);
void weir_ns_stop(void);

/**
 * weir_dev_bucket() - return a device's bucket of a table hashed by interface index
 * @table: WEIR_DEV_BUCKETS of them
 * @ifindex: the device; a request may name any index, a negative one too
 *
 * Users choose the indices of devices that they make, so that the bucket has to depend on a secret.
 * A product with a random odd number spreads any set of indices (Dietzfelbinger et al., 1997).
 */
static inline struct hlist_head *weir_dev_bucket(struct hlist_head *table, int ifindex)
{
	return &table[((u32)ifindex * weir_dev_secret) >> (64 - ilog2(WEIR_DEV_BUCKETS))];
}

/**
 * weir_dev_find() - find what a device has in such a table
 * @table: the table
 * @_ifindex: the device
 * @type: of its entries, whose members @node and @ifindex say where they are, and whose. The first
 *	member is @node, so that an entry's address is also its node's, NULL too
 *
 * Called under RTNL or rcu_read_lock(), or with bottom halves disabled; the entry lives as long as
 * that is held. Return: it, or NULL.
 */
#define weir_dev_find(table, _ifindex, type) ({					\
	int __ifindex = _ifindex;						\
	type *__entry;								\
	hlist_for_each_entry_rcu(__entry, weir_dev_bucket(table, __ifindex),	\
				 node, lockdep_rtnl_is_held())			\
		if (__entry->ifindex == __ifindex)				\
			break;							\
	__entry;								\
})

#endif /* _WEIR_NS_H */
