// SPDX-License-Identifier: GPL-2.0
/*
 * Count packets in the records of their flows. Most packets take a fast path, which reads headers
 * at fixed places (packet/plain.h) and gets the same key and hash as weir_headers_parse().
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/jiffies.h>
#include <linux/netdevice.h>
#include <linux/tcp.h>
#include <net/dsfield.h>
#include <net/xdp.h>

#include "core/base/compat.h"
#include "core/base/device.h"
#include "xdp/base/net.h"
#include "xdp/base/sample.h"
#include "xdp/flow/flows.h"
#include "xdp/flow/scan.h"
#include "xdp/packet/plain.h"

/* Flags of TCP, one byte of its header. */
#define WEIR_FLOW_FIN		0x01
#define WEIR_FLOW_SYN		0x02
#define WEIR_FLOW_TCP_OFFSET	12	/* offset of the byte with the data offset */
#define WEIR_FLOW_TCP_FLAGS	13	/* offset of the byte with the flags */

static void weir_flow_mark(struct weir_flow *flow, u8 mark)
{
	if (mark & WEIR_FLOW_MARK_CE)
		atomic_inc(&flow->ce);
	if (mark & WEIR_FLOW_MARK_TRIMMED)
		atomic_inc(&flow->trimmed);
}

static void weir_flow_disorder(struct weir_flow *flow, enum weir_flow_order order)
{
	switch (order) {
	case WEIR_FLOW_GAP:
		atomic_inc(&flow->gaps);
		atomic64_add(READ_ONCE(flow->seq.hole_end) - READ_ONCE(flow->seq.hole),
			     &flow->gap_bytes);
		break;
	case WEIR_FLOW_REORDERED:
		atomic_inc(&flow->reordered);
		break;
	case WEIR_FLOW_REPEATED:
		atomic_inc(&flow->repeated);
		break;
	case WEIR_FLOW_IN_ORDER:
		break;
	}
}

/* Note a packet's flags. Return how many sequence numbers SYN and FIN take. */
static u32 weir_flow_heed(struct weir_flow *flow, u8 flags)
{
	u8 seen = READ_ONCE(flow->tcp_flags) | flags;

	WRITE_ONCE(flow->tcp_flags, seen);
	WRITE_ONCE(flow->heed, ~seen | WEIR_FLOW_SYN | WEIR_FLOW_FIN);
	return !!(flags & WEIR_FLOW_SYN) + !!(flags & WEIR_FLOW_FIN);
}

/* Return the length of a TCP header as the header gives it. */
static __always_inline u32 weir_flow_tcp_head(const struct tcphdr *tcp)
{
	return ((const u8 *)tcp)[WEIR_FLOW_TCP_OFFSET] >> 2 & 0x3c;
}

/* Count a packet of TCP. @len: bytes from the TCP header on */
static void weir_flow_tcp(struct weir_flow *flow, const struct tcphdr *tcp, u32 len)
{
	u32 head = weir_flow_tcp_head(tcp), numbers = len >= head ? len - head : 0;
	enum weir_flow_order order;

	numbers += weir_flow_heed(flow, ((const u8 *)tcp)[WEIR_FLOW_TCP_FLAGS]);
	order = weir_flow_seq_track(&flow->seq, ntohl(tcp->seq), numbers);
	if (order != WEIR_FLOW_IN_ORDER)
		weir_flow_disorder(flow, order);
}

/* Count a packet of TCP with the expected number and no new flag; return false for others. */
static __always_inline bool weir_flow_tcp_plain(struct weir_flow *flow, const struct tcphdr *tcp,
						u32 len)
{
	u32 seq = ntohl(tcp->seq), numbers = len - weir_flow_tcp_head(tcp);

	if (unlikely(((const u8 *)tcp)[WEIR_FLOW_TCP_FLAGS] & READ_ONCE(flow->heed) ||
		     (s32)numbers < 0 || seq != READ_ONCE(flow->seq.next)))
		return false;
	WRITE_ONCE(flow->seq.next, seq + numbers);
	return true;
}

static __always_inline void weir_flow_count(struct weir_flow *flow, u32 len)
{
	atomic64_inc(&flow->packets);
	atomic64_add(len, &flow->bytes);
	WRITE_ONCE(flow->last, (u32)jiffies);
}

/* Return the length in the IP header, at most that of the packet: a short frame is padded. */
static u32 weir_flow_ip_len(const struct xdp_buff *xdp, const struct weir_headers *headers)
{
	const void *ip = xdp->data + headers->l3;
	u32 there = headers->len - headers->l3, said;

	if (headers->key.ip == 4)
		said = ntohs(((const struct iphdr *)ip)->tot_len);
	else
		said = sizeof(struct ipv6hdr) + ntohs(((const struct ipv6hdr *)ip)->payload_len);
	return min(said, there);
}

/* The length in the header is 0 for jumbograms, and for GSO packets of more than 64 KB. */
static u32 weir_flow_len(const struct xdp_buff *xdp, const struct weir_headers *headers)
{
	u32 len = weir_flow_ip_len(xdp, headers);

	if (len < headers->l4 - headers->l3 ||
	    (headers->key.ip == 6 && len == sizeof(struct ipv6hdr)))
		len = headers->len - headers->l3;
	return len;
}

/* Return the TCP header, or NULL if there is none, or it is not linear. */
static const struct tcphdr *weir_flow_tcp_of(const struct xdp_buff *xdp,
					     const struct weir_headers *headers)
{
	const void *tcp = xdp->data + headers->l4;

	if (headers->key.proto != IPPROTO_TCP || !headers->l4 ||
	    tcp + sizeof(struct tcphdr) > xdp->data_end)
		return NULL;
	return tcp;
}

/* Put type and code of ICMP into the key: else all ICMP between two hosts would be one flow. */
static void weir_flow_icmp(struct weir_headers *headers, const struct xdp_buff *xdp)
{
	const void *icmp = xdp->data + headers->l4;

	if (headers->l4 && weir_flow_is_icmp(&headers->key) &&
	    icmp + sizeof(headers->key.dport) <= xdp->data_end)
		headers->key.dport = get_unaligned((const __be16 *)icmp);
}

static struct weir_flow *weir_flow_find(const struct weir_flow_table *table,
					const struct weir_flow_key *key, u32 hash)
{
	struct weir_flow *flow;

	hlist_for_each_entry_rcu(flow, &table->bucket[hash & table->mask], node)
		if (weir_flow_key_equal(&flow->key, key))
			return flow;
	return NULL;
}

/* Count a packet that has no record, as the table is full. */
static void weir_flow_lack(struct weir_flow_table *table, u32 hash, u32 len)
{
	const struct weir_flow_sum sum = { 1, len };

	this_cpu_inc(table->count->unrecorded.packets);
	this_cpu_add(table->count->unrecorded.bytes, len);
	weir_flow_table_miss(table, hash, &sum);
	weir_flow_scan_hurry(table);
}

static void weir_flow_seen(struct weir_flow_table *table, u32 len)
{
	struct weir_flow_count __percpu *count = table->count;

	this_cpu_inc(count->seen.packets);
	this_cpu_add(count->seen.bytes, len);
}

/* Count a packet, off the fast path. */
static noinline int weir_flow_any(struct weir_flow_table *table, const struct xdp_buff *xdp)
{
	struct weir_flow_first first = {};
	struct weir_headers headers;
	const struct tcphdr *tcp;
	struct weir_flow *flow;
	u32 len, hash;

	weir_headers_parse(&headers, xdp);
	if (!headers.key.ip) {
		this_cpu_inc(table->count->other);
		return 0;
	}
	len = weir_flow_len(xdp, &headers);
	weir_flow_seen(table, len);
	weir_flow_icmp(&headers, xdp);
	tcp = weir_flow_tcp_of(xdp, &headers);
	first.tos = headers.tos;
	if (tcp)
		first.seq = ntohl(tcp->seq);
	hash = weir_flow_key_hash(&headers.key);
	flow = weir_flow_find(table, &headers.key, hash) ?:
	       weir_flow_table_add(table, &headers.key, hash, &first);
	if (unlikely(!flow)) {
		weir_flow_lack(table, hash, len);
		return 0;
	}
	weir_flow_count(flow, len);
	weir_flow_mark(flow, READ_ONCE(table->mark[headers.tos]));
	if (tcp)
		weir_flow_tcp(flow, tcp, len - min_t(u32, len, headers.l4 - headers.l3));
	return 0;
}

/* Find the record of an IPv4 packet. The addresses and the last word are all of its key. */
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

/*
 * Return true if all bytes after the IP header are linear, and there is one at least: the length
 * is 0 for jumbograms and large GSO packets. @len: bytes after the header as it gives them;
 * @there: linear bytes
 */
static __always_inline bool weir_plain_is_whole(u32 len, long there)
{
	return (long)(len - 1) < there;
}

/**
 * struct weir_plain - fields of a packet on the fast path
 * @l4: header after the IP header
 * @len: bytes from the IP header on
 * @head: bytes of the IP header
 * @proto: protocol of @l4
 * @tos: DSCP and ECN
 */
struct weir_plain {
	const union weir_plain_l4	*l4;
	u32				len;
	u32				head;
	u8				proto;
	u8				tos;
};

/* Count marks and TCP flags, which few packets have. @len: bytes from the TCP header on */
static noinline int weir_plain_heed(struct weir_flow *flow, u8 proto, const struct tcphdr *tcp,
				    u32 len, u8 mark)
{
	weir_flow_mark(flow, mark);
	if (proto == IPPROTO_TCP)
		weir_flow_tcp(flow, tcp, len);
	return 0;
}

/*
 * Count a packet. The rare case is a tail call, so that the common case saves no registers; for
 * this all functions return 0.
 */
static __always_inline int weir_plain_count(struct weir_flow_table *table, struct weir_flow *flow,
					    const struct weir_plain *plain)
{
	u8 mark = READ_ONCE(table->mark[plain->tos]);
	u32 len = plain->len - plain->head;

	weir_flow_seen(table, plain->len);
	weir_flow_count(flow, plain->len);
	if (unlikely(mark || (plain->proto == IPPROTO_TCP &&
			      !weir_flow_tcp_plain(flow, &plain->l4->tcp, len))))
		return weir_plain_heed(flow, plain->proto, &plain->l4->tcp, len, mark);
	return 0;
}

static __always_inline int weir_plain_ipv4(struct weir_flow_table *table,
					   const struct xdp_buff *xdp, long there)
{
	const struct weir_plain_ipv4 *packet = xdp->data;
	const struct iphdr *ip = &packet->ip;
	u32 len = ntohs(ip->tot_len);
	struct weir_flow *flow;

	if (unlikely(!weir_plain_is_ipv4(packet, there) ||
		     !weir_plain_is_whole(len - sizeof(*ip),
					  there - offsetof(typeof(*packet), l4))))
		return weir_flow_any(table, xdp);
	flow = weir_plain_find_ipv4(table, packet);
	if (unlikely(!flow))
		return weir_flow_any(table, xdp);
	return weir_plain_count(table, flow, &(struct weir_plain){
		.l4 = &packet->l4, .len = len, .head = sizeof(*ip),
		.proto = ip->protocol, .tos = ip->tos });
}

/* noinline, as it saves registers that the path of IPv4 does not. */
static noinline int weir_plain_ipv6(struct weir_flow_table *table, const struct xdp_buff *xdp,
				    long there)
{
	const struct weir_plain_ipv6 *packet = xdp->data;
	const struct ipv6hdr *ip = &packet->ip;
	u32 len = ntohs(ip->payload_len);
	struct weir_flow *flow;

	if (unlikely(!weir_plain_is_ipv6(packet, there) ||
		     !weir_plain_is_whole(len, there - offsetof(typeof(*packet), l4))))
		return weir_flow_any(table, xdp);
	flow = weir_plain_find_ipv6(table, packet);
	if (unlikely(!flow))
		return weir_flow_any(table, xdp);
	return weir_plain_count(table, flow, &(struct weir_plain){
		.l4 = &packet->l4, .len = sizeof(*ip) + len, .head = sizeof(*ip),
		.proto = ip->nexthdr, .tos = ipv6_get_dsfield(ip) });
}

static __always_inline int weir_plain_any(struct weir_flow_table *table, const struct xdp_buff *xdp)
{
	long there = xdp->data_end - xdp->data;
	const struct ethhdr *eth = xdp->data;

	if (unlikely(there < (long)offsetofend(struct weir_plain_ipv4, l4.udp)))
		return weir_flow_any(table, xdp);
	if (eth->h_proto == htons(ETH_P_IP))
		return weir_plain_ipv4(table, xdp, there);
	if (eth->h_proto == htons(ETH_P_IPV6))
		return weir_plain_ipv6(table, xdp, there);
	return weir_flow_any(table, xdp);
}

static noinline int weir_flow_sample(struct weir_flow_table *table, const struct xdp_buff *xdp,
				     u32 sample)
{
	return weir_sample_takes(&table->count->skip, sample) ? weir_flow_any(table, xdp) : 0;
}

__bpf_kfunc_start_defs();

__bpf_kfunc int weir_flow_xdp(struct xdp_md *ctx)
{
	const struct xdp_buff *xdp = (const struct xdp_buff *)ctx;
	const struct net_device *dev = weir_xdp_dev(xdp);
	struct weir_flow_table *table = weir_flows_get(weir_xdp_net_bh(dev_net(dev)), dev->ifindex);
	u32 sample;

	if (unlikely(!table))
		return -ENOENT;
	sample = READ_ONCE(table->sample);
	if (unlikely(sample > 1))
		return weir_flow_sample(table, xdp, sample);
	return weir_plain_any(table, xdp);
}

__bpf_kfunc_end_defs();
