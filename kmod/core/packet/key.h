/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_PACKET_KEY_H
#define _WEIR_PACKET_KEY_H

#include <linux/kernel.h>
#include <linux/types.h>

/**
 * struct weir_flow_key - what the packets of a flow have in common
 * @src: source address, network byte order; of IPv4 the rest is 0
 * @dst: destination address, network byte order; of IPv4 the rest is 0
 * @sport: source port of UDP, TCP or SCTP, network byte order; 0 if there is none: another
 *	protocol, a fragment
 * @dport: destination port, network byte order; 0 if there is none
 * @vlan: id of the outer VLAN tag that is in the frame; 0 where there is none
 * @proto: the protocol behind the IP headers
 * @ip: 4 or 6; 0 for a frame without IP, or with headers that are cut or wrong
 * @word: all of that, to be compared and hashed
 */
struct weir_flow_key {
	union {
		struct {
			__be32	src[4];
			__be32	dst[4];
			__be16	sport;
			__be16	dport;
			u16	vlan;
			u8	proto;
			u8	ip;
		};
		u64	word[5];
	};
};

static inline bool weir_flow_key_equal(const struct weir_flow_key *a,
				       const struct weir_flow_key *b)
{
	u64 differs = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(a->word); i++)
		differs |= a->word[i] ^ b->word[i];
	return !differs;
}

#endif /* _WEIR_PACKET_KEY_H */
