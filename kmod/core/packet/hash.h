/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_PACKET_HASH_H
#define _WEIR_PACKET_HASH_H

#include <linux/kernel.h>
#include <linux/types.h>
#include <linux/unaligned.h>

#include "core/base/compat.h"
#include "core/base/mix.h"
#include "core/packet/key.h"

/**
 * struct weir_flow_secret - factors of the hash of flows, at random
 * @begin: is added to all
 * @factor: two for each word of a key
 * @stream_begin: as @begin, of weir_flow_stream_hash()
 * @stream_factor: one for the flow, and one for the stream
 *
 * Flows are chosen by whoever sends packets, who may choose such as collide. So the hash is one
 * of a family that is strongly universal, as that of keys (kv/hash.h), and mixed (base/mix.h).
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
 * weir_flow_hash_ipv4() - hash a key of IPv4, as weir_flow_key_hash()
 * @pair: its addresses
 * @rest: the key's last word
 */
static inline u32 weir_flow_hash_ipv4(u64 pair, u64 rest)
{
	u64 sum = weir_flow_secret.begin + weir_flow_key_mix(0, pair, pair >> 32) +
		  weir_flow_key_mix(4, rest, rest >> 32);

	return weir_mix_low(sum);
}

/* Word @i of addresses, which are read by halves, as a packet's are compared later. */
static inline u64 weir_flow_address_mix(const __be32 *address, unsigned int i)
{
	return weir_flow_key_mix(i, (__force u32)get_unaligned(&address[2 * i]),
				 (__force u32)get_unaligned(&address[2 * i + 1]));
}

/**
 * weir_flow_hash_ipv6() - hash a key that is not of IPv4, as weir_flow_key_hash()
 * @address: both of its addresses
 * @rest: the key's last word
 */
static inline u32 weir_flow_hash_ipv6(const __be32 *address, u64 rest)
{
	u64 sum = weir_flow_secret.begin + weir_flow_address_mix(address, 0) +
		  weir_flow_address_mix(address, 1) + weir_flow_address_mix(address, 2) +
		  weir_flow_address_mix(address, 3) + weir_flow_key_mix(4, rest, rest >> 32);

	return weir_mix_low(sum);
}

u32 weir_flow_key_hash(const struct weir_flow_key *key);
u32 weir_flow_stream_hash(const struct weir_flow_key *key, u32 stream);
int weir_flow_hash_init(void);

#endif /* _WEIR_PACKET_HASH_H */
