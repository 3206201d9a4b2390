// SPDX-License-Identifier: GPL-2.0
/*
 * Output: new UDP packets, sent the way that the host's own are: routed,
 * through netfilter's output hook, resolved by the neighbour table, queued by
 * the device's qdisc.
 */
#include <linux/if_ether.h>
#include <linux/if_vlan.h>
#include <linux/inetdevice.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/skbuff.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/l3mdev.h>
#include <net/route.h>

#include "agg/out/dest.h"
#include "agg/out/merge.h"
#include "agg/out/skb.h"

/**
 * weir_dest_init() - set up a destination
 * @dest: the destination
 * @addr: address, IPv4 as IPv4-mapped
 * @port: UDP port, host byte order; 0 for the one that packets come from
 * @gfp: flags of the allocation
 *
 * Return: 0 or -ENOMEM.
 */
int weir_dest_init(struct weir_dest *dest, const struct in6_addr *addr,
		   u16 port, gfp_t gfp)
{
	dest->addr = *addr;
	dest->port = htons(port);
	return dst_cache_init(&dest->cache, gfp);
}

/**
 * weir_dest_uninit() - let go of the routes
 * @dest: the destination, which no packet can reach
 */
void weir_dest_uninit(struct weir_dest *dest)
{
	dst_cache_destroy(&dest->cache);
}

/**
 * weir_local_has() - test whether an address is one of this machine
 * @net: the namespace
 * @addr: an address, of IPv4 as IPv4-mapped; IPv6 ones are never found
 *
 * Called under RCU.
 */
bool weir_local_has(struct net *net, const struct in6_addr *addr)
{
	return ipv6_addr_v4mapped(addr) && __ip_dev_find(net, addr->s6_addr32[3], false);
}

/* The device that has the link's routes: above the port, its VLAN, its bridge. */
static struct net_device *weir_dest_dev(const struct weir_dest *dest,
					struct net *net)
{
	struct net_device *dev, *upper = NULL;

	dev = dev_get_by_index_rcu(net, dest->ifindex);
	if (!dev)
		return NULL;
	if (dest->vlan)
		upper = __vlan_find_dev_deep_rcu(dev, htons(ETH_P_8021Q),
						 dest->vlan);
	dev = upper ?: dev;
	upper = netdev_master_upper_dev_get_rcu(dev);
	return upper && !netif_is_l3_master(upper) ? upper : dev;
}

static int weir_dest_vrf(const struct weir_dest *dest, struct net *net)
{
	struct net_device *dev = weir_dest_dev(dest, net);

	return dev ? l3mdev_master_ifindex_rcu(dev) : 0;
}

/*
 * The device to send to a group by. The stack takes the one that has the sender's address,
 * whatever the routes. An address on a loopback or dummy device, or on that of a VRF, would keep
 * all packets in this machine: then the route to the group says which device it is.
 *
 * Return: an ifindex, 0 for the stack's choice, or -1 if there is no route.
 */
static int weir_group_oif4(const struct weir_dest *dest, const struct weir_local *from)
{
	struct net_device *own = __ip_dev_find(from->net, from->addr.s6_addr32[3], false);
	struct flowi4 fl4 = {
		.flowi4_oif	= own ? l3mdev_master_ifindex_rcu(own) : 0,
		.daddr		= dest->addr.s6_addr32[3],
		.flowi4_proto	= IPPROTO_UDP,
	};
	struct rtable *rt;
	int oif;

	if (own && own->flags & IFF_MULTICAST && !netif_is_l3_master(own))
		return 0;
	rt = ip_route_output_key(from->net, &fl4);
	if (IS_ERR(rt))
		return -1;
	oif = rt->dst.dev->flags & IFF_LOOPBACK ? -1 : rt->dst.dev->ifindex;
	ip_rt_put(rt);
	return oif;
}

/*
 * The VRF to look a route up in: the receiver's, where its device is set, else the
 * VRF of the sender's own address.
 *
 * Return: as weir_group_oif4(), which it is for a group.
 */
static int weir_oif4(const struct weir_dest *dest,
		     const struct weir_local *from)
{
	struct net *net = from->net;
	struct net_device *own;
	int vrf;

	if (ipv4_is_multicast(dest->addr.s6_addr32[3]))
		return weir_group_oif4(dest, from);
	vrf = weir_dest_vrf(dest, net);
	if (vrf)
		return vrf;
	own = __ip_dev_find(net, from->addr.s6_addr32[3], false);
	return own ? l3mdev_master_ifindex_rcu(own) : 0;
}

/* Return true if it is an address of this machine, as seen from a VRF or from none (0). */
static bool weir_is_own6(struct net *net, const struct in6_addr *addr, int vrf)
{
	struct flowi6 fl6 = { .flowi6_oif = vrf, .daddr = *addr };
	struct dst_entry *dst = ip6_route_output(net, NULL, &fl6);
	bool own;

	own = !dst->error && (container_of(dst, struct rt6_info, dst)->rt6i_flags &
			      (RTF_LOCAL | RTF_ANYCAST));
	dst_release(dst);
	return own;
}

/* The VRF that has the address, 0 for none, or -1 where it is nowhere. */
static int weir_vrf6(struct net *net, const struct in6_addr *addr)
{
	struct net_device *dev;

	if (weir_is_own6(net, addr, 0))
		return 0;
	for_each_netdev_rcu(net, dev)
		if (netif_is_l3_master(dev) &&
		    weir_is_own6(net, addr, dev->ifindex))
			return dev->ifindex;
	return -1;
}

/*
 * As weir_oif4(); addresses of one link are looked for there. Unlike IPv4's, this
 * lookup would send from an address that is not ours, and to a group by any VRF.
 *
 * Return: an ifindex, 0 for none, or -1 where nothing can be sent.
 */
static int weir_oif6(const struct weir_dest *dest,
		     const struct weir_local *from)
{
	struct net *net = from->net;
	struct net_device *dev;
	int own;

	if (weir_is_link_local(&dest->addr) || weir_is_link_local(&from->addr)) {
		dev = weir_dest_dev(dest, net);
		return dev ? dev->ifindex : -1;
	}
	own = weir_vrf6(net, &from->addr);
	if (own < 0)
		return -1;
	if (ipv6_addr_is_multicast(&dest->addr))
		return own ? -1 : 0;
	return weir_dest_vrf(dest, net) ?: own;
}

static struct dst_entry *weir_route4(struct weir_dest *dest,
				     const struct weir_local *from,
				     __be16 dport)
{
	struct flowi4 fl4 = {
		.flowi4_oif	= weir_oif4(dest, from),
		.flowi4_flags	= from->foreign ? FLOWI_FLAG_ANYSRC : 0,
		.daddr		= dest->addr.s6_addr32[3],
		.saddr		= from->addr.s6_addr32[3],
		.flowi4_proto	= IPPROTO_UDP,
		.fl4_dport	= dport,
		.fl4_sport	= READ_ONCE(from->port),
	};
	struct rtable *rt;

	if (fl4.flowi4_oif < 0)
		return NULL;
	rt = ip_route_output_key(from->net, &fl4);
	if (IS_ERR(rt))
		return NULL;
	dst_cache_set_ip4(&dest->cache, &rt->dst, fl4.saddr);
	return &rt->dst;
}

static struct dst_entry *weir_route6(struct weir_dest *dest,
				     const struct weir_local *from,
				     __be16 dport)
{
	struct flowi6 fl6 = {
		.flowi6_oif	= weir_oif6(dest, from),
		.daddr		= dest->addr,
		.saddr		= from->addr,
		.flowi6_proto	= IPPROTO_UDP,
		.fl6_dport	= dport,
		.fl6_sport	= READ_ONCE(from->port),
	};
	struct dst_entry *dst;

	if (fl6.flowi6_oif < 0)
		return NULL;
	/* Asks IPsec's policies, as ip_route_output_key() does. */
	dst = ip6_dst_lookup_flow(from->net, NULL, &fl6, NULL);
	if (IS_ERR(dst))
		return NULL;
	dst_cache_set_ip6(&dest->cache, dst, &fl6.saddr);
	return dst;
}

/* A reference to the route, from the cache where it still holds. */
static struct dst_entry *weir_route(struct weir_dest *dest,
				    const struct weir_local *from, __be16 dport)
{
	struct dst_entry *dst = dst_cache_get(&dest->cache);

	if (likely(dst))
		return dst;
	return weir_local_is_ipv4(from) ? weir_route4(dest, from, dport) :
				       weir_route6(dest, from, dport);
}

static void weir_push_udp(struct sk_buff *skb, const struct weir_local *from,
			  __be16 dport)
{
	struct udphdr *uh;

	__skb_push(skb, sizeof(*uh));
	skb_reset_transport_header(skb);
	uh = udp_hdr(skb);
	uh->source = READ_ONCE(from->port);
	uh->dest = dport;
	uh->len = htons(skb->len);
	/* The pseudo header; the device or the stack adds the rest. */
	if (weir_local_is_ipv4(from))
		uh->check = 0;
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = skb_transport_header(skb) - skb->head;
	skb->csum_offset = offsetof(struct udphdr, check);
}

static int weir_send4(struct sk_buff *skb, const struct weir_dest *dest,
		      const struct weir_local *from, struct dst_entry *dst, u8 tos)
{
	struct net *net = from->net;
	struct iphdr *iph;

	udp_hdr(skb)->check =
		~csum_tcpudp_magic(from->addr.s6_addr32[3],
				   dest->addr.s6_addr32[3], skb->len,
				   IPPROTO_UDP, 0);
	__skb_push(skb, sizeof(*iph));
	skb_reset_network_header(skb);
	iph = ip_hdr(skb);
	iph->version = 4;
	iph->ihl = sizeof(*iph) / 4;
	iph->tos = tos;
	iph->frag_off = htons(IP_DF);
	iph->ttl = ip4_dst_hoplimit(dst);
	iph->protocol = IPPROTO_UDP;
	iph->saddr = from->addr.s6_addr32[3];
	iph->daddr = dest->addr.s6_addr32[3];
	ip_select_ident(net, skb, NULL);
	skb->protocol = htons(ETH_P_IP);
	return ip_local_out(net, NULL, skb);
}

static int weir_send6(struct sk_buff *skb, const struct weir_dest *dest,
		      const struct weir_local *from, struct dst_entry *dst, u8 tos)
{
	struct net *net = from->net;
	unsigned int len = skb->len;
	struct ipv6hdr *ip6h;

	udp_hdr(skb)->check = ~csum_ipv6_magic(&from->addr, &dest->addr, len,
					       IPPROTO_UDP, 0);
	__skb_push(skb, sizeof(*ip6h));
	skb_reset_network_header(skb);
	ip6h = ipv6_hdr(skb);
	ip6_flow_hdr(ip6h, tos, 0);
	ip6h->payload_len = htons(len);
	ip6h->nexthdr = IPPROTO_UDP;
	ip6h->hop_limit = ip6_dst_hoplimit(dst);
	ip6h->saddr = from->addr;
	ip6h->daddr = dest->addr;
	skb->protocol = htons(ETH_P_IPV6);
	return ip6_local_out(net, NULL, skb);
}

/* Bytes of the headers in front of a packet. */
static unsigned int weir_dest_headers(const struct weir_local *from)
{
	return sizeof(struct udphdr) + (weir_local_is_ipv4(from) ? sizeof(struct iphdr) :
								    sizeof(struct ipv6hdr));
}

/*
 * Adds the headers, and takes over the reference to the route. The packet is none of conntrack's,
 * which has not seen what it answers: a rule that masquerades would give it another source, and
 * workers take results from the job's address alone.
 */
static int weir_dest_output(struct sk_buff *skb, const struct weir_dest *dest,
			    const struct weir_local *from, struct dst_entry *dst,
			    __be16 dport, u8 tos)
{
	int ret;

	skb_dst_set(skb, dst);
	skb_set_nfct(skb, IP_CT_UNTRACKED);
	weir_push_udp(skb, from, dport);
	ret = weir_local_is_ipv4(from) ? weir_send4(skb, dest, from, dst, tos) :
					 weir_send6(skb, dest, from, dst, tos);
	return net_xmit_eval(ret) ? -ENOBUFS : 0;
}

static __be16 weir_dest_port(const struct weir_dest *dest, const struct weir_local *from)
{
	return dest->port ?: READ_ONCE(from->port);
}

/**
 * weir_dest_send() - send one packet
 * @dest: the destination; reached under RCU
 * @from: the address and port that it comes from
 * @pkt: the packet
 *
 * Called with bottom halves disabled and no lock held: the stack may send
 * through any device, filter or qdisc from here. @pkt's tail is left out where the
 * route's MTU is too small with it, and not without.
 *
 * Return: 0 where the packet was handed over; -EHOSTUNREACH without a route,
 * -EMSGSIZE where the route's MTU is too small, -ENOMEM, or -ENOBUFS where the
 * stack dropped it.
 */
int weir_dest_send(struct weir_dest *dest, const struct weir_local *from,
		   const struct weir_packet *pkt)
{
	__be16 dport = pkt->dport ?: weir_dest_port(dest, from);
	unsigned int len = pkt->head_len + pkt->len + weir_dest_headers(from), mtu;
	struct dst_entry *dst;
	struct sk_buff *skb;

	dst = weir_route(dest, from, dport);
	if (unlikely(!dst))
		return -EHOSTUNREACH;
	mtu = dst_mtu(dst);
	if (unlikely(len > mtu)) {
		dst_release(dst);
		return -EMSGSIZE;
	}
	skb = weir_skb(pkt, pkt->tail_len && len + pkt->tail_len <= mtu);
	if (unlikely(!skb)) {
		dst_release(dst);
		return -ENOMEM;
	}
	return weir_dest_output(skb, dest, from, dst, dport, pkt->tos);
}

/**
 * weir_dest_send_merged() - send packets as one
 * @dest: the destination; reached under RCU
 * @from: the address and port that they come from
 * @merge: the packets, one at least
 * @last: no other receiver gets them
 *
 * Called as weir_dest_send(), and returns as it: for all of them. With @last, and without an
 * error, none are left in @merge.
 */
int weir_dest_send_merged(struct weir_dest *dest, const struct weir_local *from,
			  struct weir_merge *merge, bool last)
{
	__be16 dport = weir_dest_port(dest, from);
	struct dst_entry *dst;
	struct sk_buff *skb;
	u8 tos = merge->tos;

	dst = weir_route(dest, from, dport);
	if (unlikely(!dst))
		return -EHOSTUNREACH;
	if (unlikely(merge->size + weir_dest_headers(from) > dst_mtu(dst))) {
		dst_release(dst);
		return -EMSGSIZE;
	}
	skb = last ? weir_merge_end(merge) : weir_merge_copy(merge);
	if (unlikely(!skb)) {
		dst_release(dst);
		return -ENOMEM;
	}
	return weir_dest_output(skb, dest, from, dst, dport, tos);
}

/**
 * weir_dest_room() - return how long a packet to a destination may be
 * @dest: the destination; reached under RCU
 * @from: the address and port that packets come from
 *
 * Called as weir_dest_send(). Return: bytes behind its UDP header, 0 where there is no route.
 */
u32 weir_dest_room(struct weir_dest *dest, const struct weir_local *from)
{
	struct dst_entry *dst = weir_route(dest, from, weir_dest_port(dest, from));
	u32 headers = weir_dest_headers(from), mtu = dst ? dst_mtu(dst) : 0;

	dst_release(dst);
	return mtu > headers ? mtu - headers : 0;
}

/**
 * weir_dest_carries() - test whether the path to a destination carries a packet with its tail
 * @dest: the destination; reached under RCU
 * @from: the address and port that packets come from
 * @pkt: the packet
 *
 * Called as weir_dest_send(). Return: true if the packet fits the MTU of the route; false if there
 * is no route.
 */
bool weir_dest_carries(struct weir_dest *dest, const struct weir_local *from,
		       const struct weir_packet *pkt)
{
	return weir_packet_bytes(pkt) <= weir_dest_room(dest, from);
}
