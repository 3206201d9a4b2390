/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which packets a trimming policy means:
 *
 *	any
 *	dscp=A[-B],proto=udp|tcp|ndp|NUMBER,port=N,vlan=N
 *
 * in any order, each at most once; what is not said matches all.
 */
#ifndef WEIR_MATCH_H
#define WEIR_MATCH_H

#include <libmnl/libmnl.h>
#include <stdbool.h>
#include <stdint.h>

struct syntax;

/**
 * struct match - what a packet must have
 * @dscp: the lowest DSCP; counts where @has_dscp
 * @last: the highest one
 * @proto: IP protocol; 0 for all, as below
 * @port: UDP or TCP destination port
 * @vlan: of the outer tag
 */
struct match {
	bool has_dscp;
	uint32_t dscp;
	uint32_t last;
	uint32_t proto;
	uint32_t port;
	uint32_t vlan;
};

/* Packets that are trimmed, and those that never are. */
extern const struct syntax match_syntax;
extern const struct syntax match_disable_syntax;

/* Prints all rules among the attributes of a policy, as two lists in JSON. */
void match_print(const struct nlmsghdr *message);

/* How many rules there are. */
unsigned int match_count(const struct nlmsghdr *message);

#endif
