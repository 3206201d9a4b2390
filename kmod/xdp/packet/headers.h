/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_HEADERS_H
#define _WEIR_HEADERS_H

#include <linux/kernel.h>
#include <linux/types.h>

#include "core/base/compat.h"
#include "xdp/packet/key.h"

struct xdp_buff;

/* flags of a struct weir_headers */
#define WEIR_HEADERS_FRAGMENT	0x1	/* a datagram's fragment, the first one, too */
#define WEIR_HEADERS_OPTIONS	0x2	/* IPv4 with options */
#define WEIR_HEADERS_UNPARSED	0x4	/* the parser did not reach the ports, which may be there */

/**
 * struct weir_headers - a frame's headers
 * @key: its flow
 * @len: bytes of the frame
 * @l3: where its IP header begins, in bytes from the frame's begin
 * @l4: where the header behind begins; 0 where there is none
 * @tos: DSCP and ECN
 * @tcp_flags: the byte of TCP's flags; 0 for others
 * @flags: WEIR_HEADERS_*
 * @first: where the header behind IP begins in a datagram's first fragment, else 0; valid only with
 *	WEIR_HEADERS_FRAGMENT
 */
struct weir_headers {
	struct weir_flow_key	key;
	u32			len;
	u16			l3;
	u16			l4;
	u16			first;
	u8			tos;
	u8			tcp_flags;
	u8			flags;
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

/**
 * struct weir_flow_secret - factors of the hash of flows, at random
 * @begin: is added to all
 * @factor: two for each word of a key
 * @stream_begin: as @begin, of weir_flow_stream_hash()
 * @stream_factor: one for the flow, and one for the stream
 *
 * Flows are chosen by whoever sends packets, who may choose such as collide. So the hash is one
 * of a family that is strongly universal, as that of keys (kv/hash.h).
 */
struct weir_flow_secret {
	u64	begin;
	u64	factor[2 * ARRAY_SIZE(((struct weir_flow_key *)NULL)->word)];
	u64	stream_begin;
	u64	stream_factor[2];
};

extern struct weir_flow_secret weir_flow_secret;

/* @low, @high: halves of word @i */
static inline u64 weir_flow_key_mix(unsigned int i, u32 low, u32 high)
{
	const u64 *factor = &weir_flow_secret.factor[2 * i];

	return (factor[0] + low) * (factor[1] + high);
}

/**
 * weir_flow_pair() - the two addresses of IPv4, as they follow each other in its header
 * @src: source address, network byte order
 * @dst: destination address, network byte order
 */
static inline u64 weir_flow_pair(u32 src, u32 dst)
{
	return src | (u64)dst << 32;
}

/**
 * weir_flow_hash_ipv4() - what weir_flow_key_hash() returns for a key of IPv4
 * @pair: its addresses
 * @rest: the key's last word
 */
static inline u32 weir_flow_hash_ipv4(u64 pair, u64 rest)
{
	return (weir_flow_secret.begin + weir_flow_key_mix(0, pair, pair >> 32) +
		weir_flow_key_mix(4, rest, rest >> 32)) >> 32;
}

/* Word @i of addresses, which are read by halves, as a packet's are compared later. */
static inline u64 weir_flow_address_mix(const __be32 *address, unsigned int i)
{
	return weir_flow_key_mix(i, (__force u32)get_unaligned(&address[2 * i]),
				 (__force u32)get_unaligned(&address[2 * i + 1]));
}

/**
 * weir_flow_hash_ipv6() - what weir_flow_key_hash() returns for a key that is not IPv4's
 * @address: both of its addresses
 * @rest: the key's last word
 */
static inline u32 weir_flow_hash_ipv6(const __be32 *address, u64 rest)
{
	return (weir_flow_secret.begin + weir_flow_address_mix(address, 0) +
		weir_flow_address_mix(address, 1) + weir_flow_address_mix(address, 2) +
		weir_flow_address_mix(address, 3) + weir_flow_key_mix(4, rest, rest >> 32)) >> 32;
}

void weir_headers_parse(struct weir_headers *headers, const struct xdp_buff *xdp);
void weir_headers_first(struct weir_headers *headers, const struct xdp_buff *xdp);
u32 weir_flow_key_hash(const struct weir_flow_key *key);
u32 weir_flow_stream_hash(const struct weir_flow_key *key, u32 stream);
int weir_headers_init(void);

#endif /* _WEIR_HEADERS_H */
