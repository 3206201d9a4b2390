// SPDX-License-Identifier: GPL-2.0
/* Hashes of flows, whose factors are chosen when the module is loaded. */
#include <linux/cache.h>
#include <linux/export.h>
#include <linux/random.h>

#include "core/packet/hash.h"

struct weir_flow_secret weir_flow_secret __read_mostly;
EXPORT_SYMBOL_NS_GPL(weir_flow_secret, "WEIR");

/**
 * weir_flow_key_hash() - a flow's hash
 * @key: the flow
 *
 * Return: 32 bits, each as good as another; differs from boot to boot.
 */
u32 weir_flow_key_hash(const struct weir_flow_key *key)
{
	if (key->ip == 4)
		return weir_flow_hash_ipv4(weir_flow_pair((__force u32)key->src[0],
							  (__force u32)key->dst[0]),
					   key->word[4]);
	return weir_flow_hash_ipv6(key->src, key->word[4]);
}
EXPORT_SYMBOL_NS_GPL(weir_flow_key_hash, "WEIR");

/**
 * weir_flow_stream_hash() - the hash of one of the streams that share a flow
 * @key: the flow
 * @stream: the stream's number, which its sender has chosen
 *
 * Return: 32 bits, as weir_flow_key_hash() returns them.
 */
u32 weir_flow_stream_hash(const struct weir_flow_key *key, u32 stream)
{
	const struct weir_flow_secret *secret = &weir_flow_secret;
	u64 sum = secret->stream_begin + (secret->stream_factor[0] + weir_flow_key_hash(key)) *
					 (secret->stream_factor[1] + stream);

	return weir_mix_low(sum);
}
EXPORT_SYMBOL_NS_GPL(weir_flow_stream_hash, "WEIR");

/**
 * weir_flow_hash_init() - choose the factors of hashes
 *
 * Return: 0.
 */
int weir_flow_hash_init(void)
{
	get_random_bytes(&weir_flow_secret, sizeof(weir_flow_secret));
	return 0;
}
