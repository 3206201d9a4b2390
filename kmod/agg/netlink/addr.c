// SPDX-License-Identifier: GPL-2.0
/* Addresses of jobs and sources in netlink messages. */
#include <linux/etherdevice.h>
#include <net/ipv6.h>

#include "agg/base/link.h"
#include "agg/format/format.h"
#include "agg/job/job.h"
#include "agg/netlink/netlink.h"

/**
 * weir_nl_family_of() - the address family that a job's sources must have
 * @job: the job
 */
enum weir_family weir_nl_family_of(const struct weir_job *job)
{
	if (job->format->link)
		return WEIR_FAMILY_LINK;
	return weir_local_is_ipv4(&job->local) ? WEIR_FAMILY_4 :
						 WEIR_FAMILY_6;
}

/**
 * weir_nl_addr() - an address from a request
 * @info: the request
 * @attr: the attribute, which is there
 * @family: the family that it must have
 * @group: it must be a multicast group (all zero is let through), else unicast
 * @addr: filled, IPv4 as IPv4-mapped
 *
 * Return: 0, or -EINVAL with the sentence set.
 */
int weir_nl_addr(struct genl_info *info, int attr, enum weir_family family,
		 bool group, struct in6_addr *addr)
{
	const struct nlattr *nla = info->attrs[attr];
	bool multicast, any, ipv4 = nla_len(nla) == sizeof(struct in_addr);

	if (!ipv4 && nla_len(nla) != sizeof(struct in6_addr))
		return weir_nl_refuse(info, nla, -EINVAL,
				      "an address has 4 bytes (IPv4) or 16 (IPv6)");
	if (family != WEIR_FAMILY_ANY && family != (ipv4 ? WEIR_FAMILY_4 : WEIR_FAMILY_6))
		return weir_nl_refuse(info, nla, -EINVAL,
				      family == WEIR_FAMILY_4 ?
				      "the job's addresses are IPv4" :
				      "the job's addresses are IPv6");
	if (ipv4) {
		__be32 a = nla_get_in_addr(nla);

		any = !a;
		multicast = ipv4_is_multicast(a);
		if (ipv4_is_lbcast(a))
			return weir_nl_refuse(info, nla, -EINVAL,
					      "the broadcast address cannot be used");
		/* None is all zero for either family. */
		if (any)
			memset(addr, 0, sizeof(*addr));
		else
			ipv6_addr_set_v4mapped(a, addr);
	} else {
		nla_memcpy(addr, nla, sizeof(*addr));
		any = ipv6_addr_any(addr);
		multicast = ipv6_addr_is_multicast(addr);
		if (!ipv6_mod_enabled())
			return weir_nl_refuse(info, nla, -EAFNOSUPPORT,
					      "this kernel has no IPv6 (ipv6.disable=1): use IPv4 addresses");
		if (ipv6_addr_v4mapped(addr))
			return weir_nl_refuse(info, nla, -EINVAL,
					      "write an IPv4 address as such, not as IPv4-mapped IPv6");
		if (weir_addr_is_link(addr))
			return weir_nl_refuse(info, nla, -EINVAL,
					      "no host has this address: 0000::/8 is reserved");
	}
	if (group && !multicast && !any)
		return weir_nl_refuse(info, nla, -EINVAL,
				      "the group is no multicast address");
	if (group && ipv6_addr_type(addr) & (IPV6_ADDR_LINKLOCAL |
					     IPV6_ADDR_LOOPBACK))
		return weir_nl_refuse(info, nla, -EINVAL,
				      "a group of one link or host has no route: take one of a wider scope, as ff15::1");
	if (!group && (multicast || any))
		return weir_nl_refuse(info, nla, -EINVAL,
				      "the address must be a unicast address");
	return 0;
}

/**
 * weir_nl_link_addr() - an Ethernet address from a request
 * @info: the request
 * @attr: the attribute, which is there
 * @all: it may be the broadcast address, else a station's
 * @addr: filled
 *
 * Return: 0, or -EINVAL with the sentence set.
 */
int weir_nl_link_addr(struct genl_info *info, int attr, bool all, struct in6_addr *addr)
{
	const struct nlattr *nla = info->attrs[attr];
	const u8 *mac = nla_data(nla);

	if (nla_len(nla) != ETH_ALEN)
		return weir_nl_refuse(info, nla, -EINVAL,
				      "an Ethernet address has 6 bytes");
	if (!is_valid_ether_addr(mac) && !(all && is_broadcast_ether_addr(mac)))
		return weir_nl_refuse(info, nla, -EINVAL, all ?
				      "frames go to one station, or to all: ff:ff:ff:ff:ff:ff" :
				      "the address must be that of one station");
	weir_addr_set_link(addr, mac);
	return 0;
}

/**
 * weir_nl_put_addr() - write an address, in the length of its family
 * @skb: the message
 * @attr: the attribute
 * @addr: IPv4 as IPv4-mapped
 */
int weir_nl_put_addr(struct sk_buff *skb, int attr,
		     const struct in6_addr *addr)
{
	if (ipv6_addr_v4mapped(addr))
		return nla_put_in_addr(skb, attr, addr->s6_addr32[3]);
	if (weir_addr_is_link(addr))
		return nla_put(skb, attr, ETH_ALEN, weir_addr_link(addr));
	return nla_put_in6_addr(skb, attr, addr);
}
