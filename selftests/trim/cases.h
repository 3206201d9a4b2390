/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets, and their expected form after trimming: one table for the code in userspace
 * and for the BPF programs. The code under test does not compute the expected form: a
 * trimmed packet is built anew, with the lengths, the payload and the marks that it
 * must have, and with checksums added up byte by byte.
 */
#ifndef TRIM_CASES_H
#define TRIM_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trim/weir_trim_class.h"

#define TRIM_FRAME_MAX	16384

/* Of all policies of the tests. */
#define TRIM_DSCP	10	/* eligible */
#define TRIM_TRIMMED	11
#define TRIM_RETURN	12
#define TRIM_LASTHOP	13	/* trimmed, by another box */
#define TRIM_CONTROL	14
#define TRIM_OFF_PORT	7777	/* rules with disable: from it, and to it */

/**
 * struct trim_spec - properties of a frame; zero means the usual
 * @vlans: VLAN tags
 * @ethertype: 0 for that of the other members
 * @multicast: to a group, on both layers
 * @ipv6: IPv6 instead of IPv4
 * @options: bytes of IPv4 options, a multiple of 4
 * @exthdrs: IPv6 destination options, 8 bytes each
 * @segments: IPv6 routing header of a segment: 1 more than are left, 0 for none. Where
 *	one is left, the address in it is the receiver's
 * @fragment: 1 the first, 2 a later one, 3 an atomic one (IPv6)
 * @proto: 0 for UDP; 6 TCP, 199 NDP, anything else is opaque
 * @tcp_options: bytes of them, a multiple of 4
 * @dport: 0 for 5000; 666 is NDP over UDP
 * @sport: 0 for 40000
 * @no_csum: a UDP checksum of zero
 * @wrong: error of the UDP or TCP checksum
 * @surplus: bytes of the IP packet behind the UDP datagram
 * @dscp: DSCP, 0 for TRIM_DSCP; -1 for 0
 * @ecn: ECN
 * @ndp: NDP's flags
 * @payload: bytes behind the headers
 * @pad: bytes that the frame has behind the IP packet
 * @lost: bytes of the end that did not come
 * @turned: addresses and ports are swapped
 */
struct trim_spec {
	int vlans;
	int ethertype;
	bool multicast;
	bool ipv6;
	int options;
	int exthdrs;
	int segments;
	int fragment;
	int proto;
	int tcp_options;
	int dport;
	int sport;
	bool no_csum;
	int wrong;
	int surplus;
	int dscp;
	int ecn;
	int ndp;
	int payload;
	int pad;
	int lost;
	bool turned;
};

/**
 * struct trim_case - a packet and its expected treatment
 * @name: of the test
 * @spec: the packet
 * @size: of the policy, 0 for 128
 * @keep: lengths are kept
 * @edge: it comes in by an edge
 * @class: the expected class
 * @left: bytes that trimming must leave of an eligible one; 0 for all
 */
struct trim_case {
	const char *name;
	struct trim_spec spec;
	int size;
	bool keep;
	bool edge;
	enum weir_trim_class class;
	size_t left;
};

extern const struct trim_case trim_cases[];
extern const size_t trim_cases_count;

/* The Ethernet addresses of all frames to a single receiver. */
extern const uint8_t trim_mac_to[6], trim_mac_from[6];

/* Builds a frame of at most TRIM_FRAME_MAX bytes; its length. */
size_t trim_build(const struct trim_spec *spec, uint8_t *frame);

/* The same, trimmed as @c says; @c->left bytes or all are left. */
size_t trim_build_trimmed(const struct trim_case *c, uint8_t *frame);

/* And on its way back; a packet that was not eligible is only turned around. */
size_t trim_build_returned(const struct trim_case *c, uint8_t *frame);

/* A packet that was untrusted, without its mark. */
size_t trim_build_unmarked(const struct trim_case *c, uint8_t *frame);

/* Says on a '#' line where two frames differ. */
bool trim_same(const uint8_t *got, size_t got_len, const uint8_t *want,
	       size_t want_len);

#endif /* TRIM_CASES_H */
