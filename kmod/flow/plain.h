/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Nearly all packets are IPv4 or IPv6 with TCP or UDP, without a tag, options or fragments, and of
 * a flow that has a record: what is asked of these is read at fixed places. The key and the hash
 * are the same as the ones that weir_headers_parse() leads to.
 */
#ifndef _WEIR_PLAIN_H
#define _WEIR_PLAIN_H

#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/rculist.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/ip.h>

#include "flow/table.h"

union weir_plain_l4 {
	__be32		ports;
	struct udphdr	udp;
	struct tcphdr	tcp;
};

/* The headers as they follow each other. */
struct weir_plain_ipv4 {
	struct ethhdr		eth;
	struct iphdr		ip;
	union weir_plain_l4	l4;
} __packed __aligned(2);

struct weir_plain_ipv6 {
	struct ethhdr		eth;
	struct ipv6hdr		ip;
	union weir_plain_l4	l4;
} __packed __aligned(2);

/*
 * @len: bytes behind the IP header, as that one says; @there: those in one piece. A length of 0 is
 * that of a jumbogram, or of packets that the stack has merged.
 */
static __always_inline bool weir_plain_has_l4(u8 proto, u32 len, long there)
{
	if (unlikely(proto == IPPROTO_TCP ? there < (long)sizeof(struct tcphdr) :
					    proto != IPPROTO_UDP))
		return false;
	return likely((long)(len - 1) < there);
}

/* @there: bytes of the packet in one piece, those up to UDP's header at least */
static __always_inline bool weir_plain_is_ipv4(const struct weir_plain_ipv4 *plain, long there)
{
	const struct iphdr *ip = &plain->ip;

	return *(const u8 *)ip == 0x45 && !(ip->frag_off & htons(IP_MF | IP_OFFSET)) &&
	       weir_plain_has_l4(ip->protocol, ntohs(ip->tot_len) - sizeof(*ip),
				 there - offsetof(struct weir_plain_ipv4, l4));
}

/* @there: as above */
static __always_inline bool weir_plain_is_ipv6(const struct weir_plain_ipv6 *plain, long there)
{
	const struct ipv6hdr *ip = &plain->ip;

	there -= offsetof(struct weir_plain_ipv6, l4);
	return there >= (long)sizeof(struct udphdr) && *(const u8 *)ip >> 4 == 6 &&
	       weir_plain_has_l4(ip->nexthdr, ntohs(ip->payload_len), there);
}

/* The last word of the key, put together in a register. */
static __always_inline u64 weir_plain_word(const union weir_plain_l4 *l4, u8 proto, u8 ip)
{
	return (__force u32)get_unaligned(&l4->ports) |
	       (u64)proto << 8 * (offsetof(struct weir_flow_key, proto) - 32) |
	       (u64)ip << 8 * (offsetof(struct weir_flow_key, ip) - 32);
}

/* Of IPv4 the key's other words are those of the addresses, and 0. */
static __always_inline struct weir_flow *
weir_plain_find_ipv4(const struct weir_flow_table *table, const struct weir_plain_ipv4 *plain)
{
	u64 pair = get_unaligned((const u64 *)&plain->ip.saddr);
	u64 word = weir_plain_word(&plain->l4, plain->ip.protocol, 4);
	struct weir_flow *flow;
	u32 hash;

	hash = weir_flow_hash_ipv4(pair, word);
	hlist_for_each_entry_rcu(flow, &table->bucket[hash & table->mask], node)
		if (likely(flow->pair == pair && flow->key.word[4] == word))
			return flow;
	return NULL;
}

static __always_inline bool weir_plain_has_addresses(const struct weir_plain_ipv6 *plain,
						     const struct weir_flow_key *key)
{
	const u64 *address = (const u64 *)&plain->ip.saddr;

	return get_unaligned(&address[0]) == key->word[0] &&
	       get_unaligned(&address[1]) == key->word[1] &&
	       get_unaligned(&address[2]) == key->word[2] &&
	       get_unaligned(&address[3]) == key->word[3];
}

static __always_inline struct weir_flow *
weir_plain_find_ipv6(const struct weir_flow_table *table, const struct weir_plain_ipv6 *plain)
{
	u64 word = weir_plain_word(&plain->l4, plain->ip.nexthdr, 6);
	u32 hash = weir_flow_hash_ipv6((const __be32 *)&plain->ip.saddr, word);
	struct weir_flow *flow;

	hlist_for_each_entry_rcu(flow, &table->bucket[hash & table->mask], node)
		if (likely(flow->key.word[4] == word &&
			   weir_plain_has_addresses(plain, &flow->key)))
			return flow;
	return NULL;
}

#endif /* _WEIR_PLAIN_H */
