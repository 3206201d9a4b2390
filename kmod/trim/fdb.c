// SPDX-License-Identifier: GPL-2.0
/*
 * The forwarding database of a bridge, asked entry by entry. It is the bridge's own
 * and not a copy, so an address that the bridge learns, moves or forgets needs no
 * update here.
 *
 * The bridge answers as to RTM_GETNEIGH, which takes only RCU's lock. Each CPU has a
 * message for the answer, with a lock: with PREEMPT_RT several tasks may ask there at once.
 */
#include <linux/cpumask.h>
#include <linux/neighbour.h>
#include <linux/netdevice.h>
#include <linux/percpu.h>
#include <linux/skbuff.h>
#include <net/netlink.h>

#include "core/base/compat.h"
#include "trim/fdb.h"

/* An entry takes about a hundred bytes. */
#define WEIR_FDB_MESSAGE	512

/**
 * struct weir_fdb_answer - a CPU's room for an answer
 * @lock: of the message
 * @message: the answer
 */
struct weir_fdb_answer {
	local_lock_t	lock;
	struct sk_buff	*message;
};

static DEFINE_PER_CPU(struct weir_fdb_answer, weir_fdb_answer) = {
	.lock = INIT_LOCAL_LOCK(lock),
};

static void weir_fdb_age(const struct nlmsghdr *nlh,
			 struct weir_fdb_entry *entry)
{
	const struct nlattr *attr;

	attr = nlmsg_find_attr(nlh, sizeof(struct ndmsg), NDA_CACHEINFO);
	entry->age = attr ?
		((const struct nda_cacheinfo *)nla_data(attr))->ndm_updated :
		U32_MAX;
}

static void weir_fdb_read(const struct nlmsghdr *nlh,
			  struct weir_fdb_entry *entry)
{
	const struct ndmsg *ndm = nlmsg_data(nlh);
	const struct nlattr *attr;

	entry->ifindex = ndm->ndm_ifindex;
	entry->local = ndm->ndm_state & NUD_PERMANENT;
	entry->ages = !(ndm->ndm_state & NUD_NOARP ||
			ndm->ndm_flags & NTF_EXT_LEARNED);
	attr = nlmsg_find_attr(nlh, sizeof(*ndm), NDA_FLAGS_EXT);
	entry->locked = attr && nla_get_u32(attr) & NTF_EXT_LOCKED;
	weir_fdb_age(nlh, entry);
}

/**
 * weir_fdb_find() - look a station up in a bridge
 * @bridge: the bridge
 * @mac: address of the station
 * @vlan: VLAN that the bridge knows it in, 0 where it does not filter by VLAN
 * @entry: filled where there is one
 *
 * Called under rcu_read_lock() with bottom halves disabled.
 *
 * Return: whether the bridge knows it.
 */
bool weir_fdb_find(struct net_device *bridge, const u8 *mac, u16 vlan,
		   struct weir_fdb_entry *entry)
{
	const struct net_device_ops *ops = bridge->netdev_ops;
	struct sk_buff *skb;
	bool found;

	if (!ops->ndo_fdb_get)
		return false;
	local_lock_nested_bh(&weir_fdb_answer.lock);
	skb = this_cpu_read(weir_fdb_answer.message);
	skb_trim(skb, 0);
	found = !ops->ndo_fdb_get(skb, NULL, bridge, mac, vlan, 0, 0, NULL);
	if (found)
		weir_fdb_read(nlmsg_hdr(skb), entry);
	local_unlock_nested_bh(&weir_fdb_answer.lock);
	return found;
}

static void weir_fdb_free(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		kfree_skb(per_cpu(weir_fdb_answer.message, cpu));
}

/**
 * weir_fdb_init() - have a message for each CPU
 *
 * Return: 0 or -ENOMEM.
 */
int weir_fdb_init(void)
{
	struct sk_buff *skb;
	int cpu;

	for_each_possible_cpu(cpu) {
		skb = nlmsg_new(WEIR_FDB_MESSAGE, GFP_KERNEL);
		per_cpu(weir_fdb_answer.message, cpu) = skb;
		if (!skb) {
			weir_fdb_free();
			return -ENOMEM;
		}
	}
	return 0;
}

/**
 * weir_fdb_uninit() - free the messages
 *
 * No program that looks up stations is running.
 */
void weir_fdb_uninit(void)
{
	weir_fdb_free();
}
