/* SPDX-License-Identifier: GPL-2.0 */
/* A builder of frames, for tests. */
#ifndef PACKET_H
#define PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACKET_MAX 16384

/**
 * struct lab_spec - properties of a header of format lab
 * @workers: num_workers, less 1
 * @reliable: it has a struct weir_lab_chunk
 * @scaled: it has an m_val
 * @rank: worker_rank
 * @chunk: chunk_id
 * @total: total_chunks
 * @slot: slot_mod
 * @scale: m_val
 */
struct lab_spec {
	uint32_t workers;
	bool reliable;
	bool scaled;
	uint32_t rank;
	uint32_t chunk;
	uint32_t total;
	int slot;
	int32_t scale;
};

/**
 * struct panama_spec - properties of a header of format panama
 * @dscp: DSCP, less 56
 * @ecn: ECN of the IP header
 * @kind: kind, 0 for WEIR_PANAMA_UP
 * @flags: flags
 * @job: job, less that of the packet's job
 * @tree: tree, likewise
 * @cap: cwnd_cap
 */
struct panama_spec {
	int dscp;
	int ecn;
	int kind;
	int flags;
	int job;
	int tree;
	int cap;
};

/**
 * struct packet_spec - properties of a frame; zero means the usual
 * @frame_to: the frame's receiver: 0 the loopback device, 1 another host, 2 a
 *	multicast group, 3 all
 * @vlans: VLAN tags, the outer one 802.1ad where there are two
 * @ipv6: IPv6 instead of IPv4
 * @options: bytes of IPv4 options, a multiple of 4
 * @ip_csum: of the IPv4 header: 0 right, 1 wrong, 2 none
 * @mapped: of the IPv6 addresses, bit 0 the sender's, bit 1 the receiver's: that of
 *	an IPv4 packet, IPv4-mapped
 * @exthdrs: IPv6 extension headers before UDP (destination options)
 * @fragment: 1 the first fragment, 2 a later one, 3 an IPv6 atomic fragment
 * @protocol: IP protocol, 0 for UDP
 * @ethertype: 0 for that of the other members
 * @no_ip: the UDP datagram's payload stands behind the Ethernet header
 * @host: last byte of the sender's address, 0 for source + 1
 * @to: last byte of the receiver's address, 0 for the box; -1 for another network's
 * @sport: 0 for 12000, of format lab 8000
 * @dport: 0 for 12000, of format lab 8000
 * @csum: 0 right, 1 wrong, 2 none, 3 pseudo header only
 * @job: job id
 * @block: block id
 * @block_more: added to the block id that a case is given
 * @flags: WEIR_TRIO_*
 * @source: source id
 * @weight: src_cnt, 0 for 1; -1 for 0
 * @generation: gen_id
 * @count: gradients
 * @count_says: value of grad_cnt, 0 for @count
 * @has_exponent: an exponent stands before the gradients
 * @exponent: it
 * @lab: the header is of format lab, with these properties; count_says is its
 *	chunk_size, and the sender's Ethernet address ends with that of its IP address
 * @panama: the header is of format panama, with these properties; block is its VID,
 *	generation its round, weight its sources
 * @grads: the gradients, NULL for zeroes
 * @head: bytes in the place of a Trio-ML header
 * @head_len: how many
 * @body: bytes behind the header instead of gradients
 * @body_len: how many
 * @udp_len_more: added to the UDP length field
 * @ip_len_more: added to the IP length field
 * @cut: bytes taken from the end of the frame
 * @pad: bytes added behind it
 * @pad_with: their value, 0 for 0xee; -1 for 0
 */
struct packet_spec {
	int frame_to;
	int vlans;
	bool ipv6;
	int options;
	int ip_csum;
	int mapped;
	int exthdrs;
	int fragment;
	int protocol;
	int ethertype;
	bool no_ip;
	int host;
	int to;
	int sport;
	int dport;
	int csum;
	int job;
	uint32_t block;
	int block_more;
	int flags;
	int source;
	int weight;
	int generation;
	int count;
	int count_says;
	bool has_exponent;
	int32_t exponent;
	const struct lab_spec *lab;
	const struct panama_spec *panama;
	const int32_t *grads;
	const void *head;
	int head_len;
	const void *body;
	int body_len;
	int udp_len_more;
	int ip_len_more;
	int cut;
	int pad;
	int pad_with;
};

size_t packet_build(const struct packet_spec *spec, uint8_t *frame);

#endif /* PACKET_H */
