/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_LINK_H
#define _WEIR_LINK_H

#include <linux/if_ether.h>
#include <linux/in6.h>
#include <linux/string.h>
#include <linux/types.h>
#include <uapi/weir_bpf.h>

/* Offset of the 6 bytes of an Ethernet address in the form of all addresses. */
#define WEIR_LINK_AT	(sizeof(struct in6_addr) - ETH_ALEN)

/**
 * weir_addr_is_link() - test for an Ethernet address
 * @addr: in the form of all addresses, see WEIR_LINK_WORD
 */
static inline bool weir_addr_is_link(const struct in6_addr *addr)
{
	return !addr->s6_addr32[0] && !addr->s6_addr32[1] &&
	       addr->s6_addr16[4] == htons(WEIR_LINK_WORD >> 16);
}

/* An Ethernet address in the form of all addresses. */
static inline void weir_addr_set_link(struct in6_addr *addr, const u8 *mac)
{
	memset(addr, 0, sizeof(*addr));
	addr->s6_addr32[2] = htonl(WEIR_LINK_WORD);
	memcpy(&addr->s6_addr[WEIR_LINK_AT], mac, ETH_ALEN);
}

/* The 6 bytes of one that is an Ethernet address. */
static inline const u8 *weir_addr_link(const struct in6_addr *addr)
{
	return &addr->s6_addr[WEIR_LINK_AT];
}

/* Return true if it is a frame without IP, which only packets without a job id can be. */
static inline bool weir_contrib_is_link(const struct weir_contrib *c)
{
	const u16 link = WEIR_CONTRIB_LINK | WEIR_CONTRIB_UNNAMED;

	return (c->flags & link) == link;
}

#endif /* _WEIR_LINK_H */
