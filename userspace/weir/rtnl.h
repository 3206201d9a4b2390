/* SPDX-License-Identifier: GPL-2.0 */
/* What the rest of the network stack says: links, filters, routes, neighbours. */
#ifndef WEIR_RTNL_H
#define WEIR_RTNL_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include "addr.h"
#include "nl.h"

/**
 * struct link - a network device
 * @flags: IFF_*
 * @peer: ifindex of the other end, 0 where it has none
 * @kind: of a virtual device, such as "veth"; else empty
 * @driver_id: XDP program in the driver, 0 for none; likewise the others
 */
struct link {
	unsigned int ifindex;
	char name[IF_NAMESIZE];
	char kind[IF_NAMESIZE];
	unsigned int flags;
	uint32_t mtu;
	uint32_t peer;
	uint32_t driver_id;
	uint32_t generic_id;
	uint32_t hardware_id;
};

/* @name: of a bpf filter, what its owner called it */
struct filter {
	uint32_t handle;
	uint16_t priority;
	uint32_t program_id;
	char name[64];
};

/* @type: RTN_*; the rest as far as the route has it */
struct route {
	uint8_t type;
	unsigned int ifindex;
	uint32_t mtu;
	struct addr gateway;
};

int rtnl_open(struct nl *nl);
int rtnl_link(struct nl *nl, unsigned int ifindex, struct link *link);

/*
 * Counts the filters of clsact at both its hooks, and finds the first at ingress
 * with this priority and one of the two handles.
 */
int rtnl_filters(struct nl *nl, unsigned int ifindex, uint16_t priority,
		 const uint32_t handles[2], unsigned int *count, struct filter *found);

int rtnl_route(struct nl *nl, const struct addr *to, struct route *route);

/* State NUD_* of a neighbour; -ENOENT where it is not known. */
int rtnl_neighbour(struct nl *nl, unsigned int ifindex, const struct addr *addr);

#endif
