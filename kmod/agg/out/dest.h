/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_DEST_H
#define _WEIR_DEST_H

#include <linux/in6.h>
#include <linux/rcupdate.h>
#include <net/dst_cache.h>
#include <net/ipv6.h>

#include "agg/base/link.h"
#include "agg/out/merge.h"
#include "agg/out/skb.h"

/**
 * struct weir_local - the origin of packets
 * @net: the namespace
 * @addr: an address of it, IPv4 as an IPv4-mapped IPv6 address
 * @port: UDP port, network byte order; may be written while packets are sent, with
 *	WRITE_ONCE
 * @foreign: @addr, where it is IPv4, may be any
 */
struct weir_local {
	struct net	*net;
	struct in6_addr	addr;
	__be16		port;
	bool		foreign;
};

static inline bool weir_local_is_ipv4(const struct weir_local *local)
{
	return ipv6_addr_v4mapped(&local->addr);
}

/**
 * struct weir_dest - where packets are sent to
 * @addr: address, IPv4 as an IPv4-mapped IPv6 address
 * @port: UDP port, 0 for the one that they are sent from
 * @ifindex: the device that it is behind, 0 where it is not set
 * @vlan: its VLAN there, 0 for none or where it is not set
 * @cache: the route, a CPU; found again by itself when routes change
 *
 * Never changed once it can be reached: a new one takes its place.
 */
struct weir_dest {
	struct in6_addr		addr;
	__be16			port;
	int			ifindex;
	u16			vlan;
	struct dst_cache	cache;
};

/* Return true if an address, IPv4 as IPv4-mapped, is of one link alone, as IPv6 has them. */
static inline bool weir_is_link_local(const struct in6_addr *addr)
{
	return ipv6_addr_type(addr) & IPV6_ADDR_LINKLOCAL || weir_addr_is_link(addr);
}

bool weir_local_has(struct net *net, const struct in6_addr *addr);
int weir_dest_init(struct weir_dest *dest, const struct in6_addr *addr,
		   u16 port, gfp_t gfp);
void weir_dest_uninit(struct weir_dest *dest);
int weir_dest_send(struct weir_dest *dest, const struct weir_local *from,
		   const struct weir_packet *pkt);
int weir_dest_send_merged(struct weir_dest *dest, const struct weir_local *from,
			  struct weir_merge *merge, bool last);
u32 weir_dest_room(struct weir_dest *dest, const struct weir_local *from);
bool weir_dest_carries(struct weir_dest *dest, const struct weir_local *from,
		       const struct weir_packet *pkt);

#endif /* _WEIR_DEST_H */
