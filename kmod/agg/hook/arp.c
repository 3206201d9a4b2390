// SPDX-License-Identifier: GPL-2.0
/*
 * Answers to ARP requests for a job's address that no device has. The port that the request
 * came in by answers with its own, as a switch does that is the aggregator.
 */
#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/if_ether.h>
#include <linux/if_vlan.h>
#include <linux/inetdevice.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <net/arp.h>
#include <net/ip_fib.h>
#include <net/route.h>

#include "agg/base/net.h"
#include "agg/base/payload.h"
#include "agg/format/format.h"
#include "agg/hook/arp.h"
#include "agg/job/job.h"
#include "agg/job/port.h"
#include "agg/job/source.h"

/* ARP for IPv4 over Ethernet (RFC 826). */
struct weir_arp {
	struct arphdr	hdr;
	u8		sha[ETH_ALEN];
	__be32		sip;
	u8		tha[ETH_ALEN];
	__be32		tip;
} __packed;

static_assert(sizeof(struct weir_arp) == WEIR_ARP_LEN);

/*
 * A request for another station's address. A station's announcement of its own (gratuitous
 * ARP) is none.
 */
static bool weir_arp_asks(const struct weir_arp *arp)
{
	return arp->hdr.ar_hrd == htons(ARPHRD_ETHER) &&
	       arp->hdr.ar_pro == htons(ETH_P_IP) && arp->hdr.ar_hln == ETH_ALEN &&
	       arp->hdr.ar_pln == sizeof(arp->tip) &&
	       arp->hdr.ar_op == htons(ARPOP_REQUEST) && is_valid_ether_addr(arp->sha) &&
	       !ipv4_is_multicast(arp->sip) && !ipv4_is_loopback(arp->sip) &&
	       !ipv4_is_lbcast(arp->sip) && arp->sip != arp->tip;
}

/* A walk over up to 256 jobs. */
static bool weir_arp_is_job(const struct weir_net *wn, __be32 addr)
{
	const struct weir_job *job;
	struct in6_addr mapped;

	ipv6_addr_set_v4mapped(addr, &mapped);
	hlist_for_each_entry_rcu_bh(job, &wn->unnamed, unnamed)
		if (job->format->foreign && ipv6_addr_equal(&job->local.addr, &mapped))
			return true;
	return false;
}

static void weir_arp_send(struct net_device *dev, const struct weir_arp *arp, u16 vlan)
{
	struct sk_buff *skb;

	skb = arp_create(ARPOP_REPLY, ETH_P_ARP, arp->sip, dev, arp->tip, arp->sha,
			 dev->dev_addr, arp->sha);
	if (!skb)
		return;
	if (vlan)
		__vlan_hwaccel_put_tag(skb, htons(ETH_P_8021Q), vlan);
	arp_xmit(skb);
}

/**
 * weir_arp_answer() - answer a request for a job's address that no device has
 * @dev: the device that the request came in by
 * @pl: WEIR_ARP_LEN bytes of ARP, as they came
 * @vlan: the VLAN that it came in, 0 for none, or WEIR_VLAN_ANY where it is unknown
 *
 * Called under RCU with bottom halves disabled and no lock held. One request is answered
 * with one packet of the same length. An address of the box is left to the stack.
 *
 * Return: whether it was such a request; it is answered then, as far as there is memory.
 */
bool weir_arp_answer(struct net_device *dev, const struct weir_payload *pl, u16 vlan)
{
	struct net *net = dev_net(dev);
	struct weir_net *wn = weir_net(net);
	struct weir_arp arp;

	lockdep_assert(rcu_read_lock_bh_held());

	weir_payload_copy(pl, &arp, sizeof(arp));
	if (!weir_arp_asks(&arp) || vlan == WEIR_VLAN_ANY || !weir_port_get(wn, dev->ifindex) ||
	    !weir_arp_is_job(wn, arp.tip) ||
	    inet_addr_type_dev_table(net, dev, arp.tip) == RTN_LOCAL)
		return false;
	weir_arp_send(dev, &arp, vlan);
	return true;
}
