/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_ARP_H
#define _WEIR_ARP_H

#include <linux/types.h>

struct net_device;
struct weir_payload;

/* Bytes of a packet of ARP for IPv4 over Ethernet (RFC 826). */
#define WEIR_ARP_LEN	28

bool weir_arp_answer(struct net_device *dev, const struct weir_payload *pl, u16 vlan);

#endif /* _WEIR_ARP_H */
