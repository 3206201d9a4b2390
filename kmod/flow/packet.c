// SPDX-License-Identifier: GPL-2.0
/*
 * A packet counts in its flow's record. Nearly all packets are IPv4 with TCP or UDP, without a tag,
 * options or fragments, and of a flow that has a record: these have a way of their own, which
 * reads what it needs at fixed places. It finds the same key and hash as the other one does.
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
#include <linux/rculist.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/xdp.h>

#include "base/compat.h"
#include "base/net_bh.h"
#include "base/sample.h"
#include "flow/flows.h"
#include "flow/scan.h"

/* TCP's flags, in one byte of its header. */
#define WEIR_FLOW_FIN		0x01
#define WEIR_FLOW_SYN		0x02
#define WEIR_FLOW_TCP_OFFSET	12	/* where that of its payload is */
#define WEIR_FLOW_TCP_FLAGS	13	/* where they are */

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

/* Flags that the record has not seen, and those that take sequence numbers. Returns how many. */
static u32 weir_flow_heed(struct weir_flow *flow, u8 flags)
{
	u8 seen = READ_ONCE(flow->tcp_flags) | flags;

	WRITE_ONCE(flow->tcp_flags, seen);
	WRITE_ONCE(flow->heed, ~seen | WEIR_FLOW_SYN | WEIR_FLOW_FIN);
	return !!(flags & WEIR_FLOW_SYN) + !!(flags & WEIR_FLOW_FIN);
}

/* Bytes of TCP's header, as it says. */
static __always_inline u32 weir_flow_tcp_head(const struct tcphdr *tcp)
{
	return ((const u8 *)tcp)[WEIR_FLOW_TCP_OFFSET] >> 2 & 0x3c;
}

/* Any packet of TCP. @len: bytes from TCP's header on */
static void weir_flow_tcp(struct weir_flow *flow, const struct tcphdr *tcp, u32 len)
{
	u32 head = weir_flow_tcp_head(tcp), numbers = len >= head ? len - head : 0;
	enum weir_flow_order order;

	numbers += weir_flow_heed(flow, ((const u8 *)tcp)[WEIR_FLOW_TCP_FLAGS]);
	order = weir_flow_seq_track(&flow->seq, ntohl(tcp->seq), numbers);
	if (order != WEIR_FLOW_IN_ORDER)
		weir_flow_disorder(flow, order);
}

/* Returns whether it was one as most are, and is taken notice of. */
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

/* Of IP's own length and what there is of the packet the less: a short frame is padded. */
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

/* A jumbogram says 0, and so do packets that the stack has merged beyond 64 KB. */
static u32 weir_flow_len(const struct xdp_buff *xdp, const struct weir_headers *headers)
{
	u32 len = weir_flow_ip_len(xdp, headers);

	if (len < headers->l4 - headers->l3 ||
	    (headers->key.ip == 6 && len == sizeof(struct ipv6hdr)))
		len = headers->len - headers->l3;
	return len;
}

/* TCP's header, where it is there, and in one piece. */
static const struct tcphdr *weir_flow_tcp_of(const struct xdp_buff *xdp,
					     const struct weir_headers *headers)
{
	const void *tcp = xdp->data + headers->l4;

	if (headers->key.proto != IPPROTO_TCP || !headers->l4 ||
	    tcp + sizeof(struct tcphdr) > xdp->data_end)
		return NULL;
	return tcp;
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

/* There is no room for its flow. */
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

/* Any packet. */
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

/* The headers of most packets, as they follow each other. */
struct weir_plain {
	struct ethhdr	eth;
	struct iphdr	ip;
	union {
		struct {
			__be16		sport;
			__be16		dport;
		};
		struct udphdr	udp;
		struct tcphdr	tcp;
	};
} __packed __aligned(2);

static __always_inline bool weir_plain_is(const struct weir_plain *plain, long there)
{
	const struct iphdr *ip = &plain->ip;

	if (unlikely(there < (long)offsetofend(struct weir_plain, udp)))
		return false;
	return plain->eth.h_proto == htons(ETH_P_IP) && *(const u8 *)ip == 0x45 &&
	       !(ip->frag_off & htons(IP_MF | IP_OFFSET));
}

/* The last word of the key, put together in a register. */
static __always_inline u64 weir_plain_word(const struct weir_plain *plain)
{
	return get_unaligned((const u32 *)&plain->udp) |
	       (u64)plain->ip.protocol << 8 * (offsetof(struct weir_flow_key, proto) - 32) |
	       4ULL << 8 * (offsetof(struct weir_flow_key, ip) - 32);
}

/* Of IPv4 the key's other words are those of the addresses, and 0. */
static __always_inline struct weir_flow *weir_plain_find(const struct weir_flow_table *table,
							 const struct weir_plain *plain)
{
	u64 pair = get_unaligned((const u64 *)&plain->ip.saddr), word = weir_plain_word(plain);
	u32 hash = weir_flow_hash_ipv4(pair, word);
	struct weir_flow *flow;

	hlist_for_each_entry_rcu(flow, &table->bucket[hash & table->mask], node)
		if (likely(flow->pair == pair && flow->key.word[4] == word))
			return flow;
	return NULL;
}

/* What few of those packets have. */
static noinline int weir_plain_heed(struct weir_flow *flow, const struct weir_plain *plain, u8 mark)
{
	weir_flow_mark(flow, mark);
	if (plain->ip.protocol == IPPROTO_TCP)
		weir_flow_tcp(flow, &plain->tcp, ntohs(plain->ip.tot_len) - sizeof(plain->ip));
	return 0;
}

/*
 * What is rare is called last, so that a packet without it saves no registers. Return: 0, which
 * other functions return, too.
 */
static __always_inline int weir_plain_count(struct weir_flow_table *table,
					    const struct xdp_buff *xdp)
{
	const struct weir_plain *plain = xdp->data;
	long there = xdp->data_end - xdp->data;
	struct weir_flow *flow;
	bool tcp;
	u32 len;
	u8 mark;

	if (unlikely(!weir_plain_is(plain, there)))
		return weir_flow_any(table, xdp);
	tcp = plain->ip.protocol == IPPROTO_TCP;
	if (unlikely(tcp ? there < (long)sizeof(*plain) : plain->ip.protocol != IPPROTO_UDP))
		return weir_flow_any(table, xdp);
	len = ntohs(plain->ip.tot_len);
	/* It says less than there is of its headers, or more than there is of it in one piece. */
	if (unlikely(len - sizeof(plain->ip) > there - offsetof(struct weir_plain, udp)))
		return weir_flow_any(table, xdp);
	flow = weir_plain_find(table, plain);
	if (unlikely(!flow))
		return weir_flow_any(table, xdp);
	weir_flow_seen(table, len);
	weir_flow_count(flow, len);
	mark = READ_ONCE(table->mark[plain->ip.tos]);
	if (unlikely(mark ||
		     (tcp && !weir_flow_tcp_plain(flow, &plain->tcp, len - sizeof(plain->ip)))))
		return weir_plain_heed(flow, plain, mark);
	return 0;
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
	const struct net_device *dev = xdp->rxq->dev;
	struct weir_flow_table *table = weir_flows_get(weir_net_bh(dev_net(dev)), dev->ifindex);
	u32 sample;

	if (unlikely(!table))
		return -ENOENT;
	sample = READ_ONCE(table->sample);
	if (unlikely(sample > 1))
		return weir_flow_sample(table, xdp, sample);
	return weir_plain_count(table, xdp);
}

__bpf_kfunc_end_defs();
