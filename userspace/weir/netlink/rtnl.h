/* SPDX-License-Identifier: GPL-2.0 */
/* The state of the rest of the network stack: links, filters, routes, neighbours. */
#ifndef WEIR_RTNL_H
#define WEIR_RTNL_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/addr.h"
#include "netlink/nl.h"

/**
 * struct drops - packets of a device, and those that it has dropped, since it came
 * @missed: packets of @in that were lost for lack of a buffer
 */
struct drops {
	uint64_t in;
	uint64_t out;
	uint64_t in_dropped;
	uint64_t missed;
	uint64_t out_dropped;
};

/**
 * struct link - a network device
 * @flags: IFF_*
 * @peer: ifindex of the other end, 0 if it has none, or one in another namespace
 * @master: ifindex of the bridge or bond that it belongs to, 0 where to none
 * @kind: of a virtual device, such as "veth"; else empty
 * @driver_id: id of the XDP program in the driver, 0 for none; the other ids are those of other hooks
 */
struct link {
	unsigned int ifindex;
	char name[IF_NAMESIZE];
	char kind[IF_NAMESIZE];
	unsigned int flags;
	uint32_t mtu;
	uint32_t peer;
	uint32_t master;
	uint32_t driver_id;
	uint32_t generic_id;
	uint32_t hardware_id;
	struct drops drops;
};

/* @name: of a bpf filter, its owner's name for it */
struct filter {
	uint32_t handle;
	uint16_t priority;
	uint32_t program_id;
	char name[64];
};

/* @handle: 0 where the kernel has made it itself */
#define QDISC_OPTIONS_MAX	1024

/**
 * struct qdisc - as the kernel describes it
 * @options: TCA_OPTIONS as it is; some kinds can be made again from it
 * @length: bytes of it; more than QDISC_OPTIONS_MAX where they are not all there
 * @type: the attribute's type, with its flags
 */
struct qdisc {
	uint32_t handle;
	uint32_t parent;
	char kind[IF_NAMESIZE];
	uint8_t options[QDISC_OPTIONS_MAX];
	size_t length;
	uint16_t type;
};

/* @type: RTN_*; the rest as far as the route has it */
struct route {
	uint8_t type;
	unsigned int ifindex;
	uint32_t mtu;
	struct addr gateway;
};

/* Return 0, or an exit status with the reason printed. */
int rtnl_open(struct nl *nl);

/* As rtnl_open(), but print nothing and return a negative errno. */
int rtnl_try_open(struct nl *nl);

int rtnl_link(struct nl *nl, unsigned int ifindex, struct link *link);

/* All devices of the namespace; the caller frees @links, also after an error. */
int rtnl_links(struct nl *nl, struct link **links, size_t *count);

/*
 * Counts the filters of clsact at @hook (TC_H_MIN_*), and finds the first with this
 * priority and one of the two handles.
 */
int rtnl_filters(struct nl *nl, unsigned int ifindex, uint32_t hook, uint16_t priority,
		 const uint32_t handles[2], unsigned int *count, struct filter *found);

/*
 * rtnl_qdisc.c: all qdiscs of a device except clsact; the caller frees @qdiscs, also
 * after an error.
 */
int rtnl_qdiscs(struct nl *nl, unsigned int ifindex, struct qdisc **qdiscs, size_t *count);

/* Only where there is none, or one that the kernel has made itself. */
int rtnl_qdisc_add(struct nl *nl, unsigned int ifindex, uint32_t parent, uint32_t handle,
		   const char *kind);

/* Replaces the qdisc there, an administrator's or not, by @qdisc. */
int rtnl_qdisc_replace(struct nl *nl, unsigned int ifindex, const struct qdisc *qdisc);
int rtnl_qdisc_del(struct nl *nl, unsigned int ifindex, uint32_t parent, uint32_t handle);

int rtnl_route(struct nl *nl, const struct addr *to, struct route *route);
/* The way to @to that a packet from @from takes; NULL for any. */
int rtnl_route_from(struct nl *nl, const struct addr *to, const struct addr *from,
		    struct route *route);

/* State NUD_* of a neighbour; -ENOENT where there is no entry. */
int rtnl_neighbour(struct nl *nl, unsigned int ifindex, const struct addr *addr);

#endif
