/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A slow parser: written from the standards and not from bpf/lib, byte by byte, each read
 * checked. The fast parsers must find the same.
 */
#ifndef SLOW_H
#define SLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct slow_packet - a parsed frame
 * @vlans: VLAN tags, at most two
 * @vlan: id of the outer one
 * @type: EtherType behind the tags, -1 where the frame ends before it
 * @ip: 4, 6, or 0 for something else, or cut off, or malformed
 * @ip_off: where the IP header begins
 * @ip_len: bytes that it states, itself included
 * @dscp: DSCP
 * @src: source address, IPv4 mapped
 * @dst: destination address, likewise
 * @more: a fragment, others follow
 * @offset: a fragment that is not the first
 * @chain: the extension headers could be followed
 * @extensions: how many there are
 * @proto: the protocol behind them
 * @l4_off: where
 */
struct slow_packet {
	int vlans;
	uint16_t vlan;
	int64_t type;
	int ip;
	size_t ip_off;
	size_t ip_len;
	uint8_t dscp;
	uint8_t src[16];
	uint8_t dst[16];
	bool more;
	bool offset;
	bool chain;
	int extensions;
	int proto;
	size_t l4_off;
};

void slow_parse(struct slow_packet *p, const uint8_t *data, size_t size);

/* Return true if the frame has @bytes at @off. */
bool slow_has(size_t size, size_t off, size_t bytes);

/* @bytes, at most 4, in network byte order at @off, or -1 where the frame does not reach. */
int64_t slow_read(const uint8_t *data, size_t size, size_t off, int bytes);

/* The one's complement checksum over a range: 0 where a sum in it is good. */
uint16_t slow_checksum(const uint8_t *data, size_t size, uint32_t start);

#endif
