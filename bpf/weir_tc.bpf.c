// SPDX-License-Identifier: GPL-2.0
/*
 * The tc ingress program of a port, for devices without XDP and for traffic
 * that arrives merged: a packet that GRO has merged, or that its sender has not
 * yet cut (UDP_SEGMENT), stands for many datagrams, each of them a
 * contribution.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <stdbool.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "lib/format/weir_parse.h"

/* The largest UDP_MAX_SEGMENTS of any kernel: no packet has more segments. */
#define WEIR_MERGED_MAX		128

/* Headers that a contribution has at most: they must lie in the linear part. */
#define WEIR_HEADERS_MAX	160

extern int weir_contribute_skb(struct __sk_buff *ctx,
			       struct weir_contrib *contrib,
			       __u32 contrib__sz) __ksym;
extern int weir_refuse_skb(struct __sk_buff *ctx, struct weir_contrib *contrib,
			   __u32 contrib__sz, __u32 reason) __ksym;

extern int weir_arp_skb(struct __sk_buff *ctx, struct weir_contrib *contrib,
			__u32 contrib__sz) __ksym;

static __always_inline int weir_refuse(struct __sk_buff *skb,
				       struct weir_contrib *contrib, int reason)
{
	return weir_refuse_skb(skb, contrib, sizeof(*contrib), reason);
}

static __always_inline void weir_cursor_skb(struct weir_cursor *c,
					    struct __sk_buff *skb)
{
	c->start = (void *)(long)skb->data;
	c->pos = c->start;
	c->end = (void *)(long)skb->data_end;
}

/* A header outside of the linear part cannot be seen: bring it there. */
static __always_inline void weir_pull_headers(struct __sk_buff *skb)
{
	__u32 linear = skb->data_end - skb->data;

	if (linear < skb->len && linear < WEIR_HEADERS_MAX)
		bpf_skb_pull_data(skb, skb->len < WEIR_HEADERS_MAX ?
				       skb->len : WEIR_HEADERS_MAX);
}

/**
 * struct weir_merged - a walk over the datagrams of a merged packet
 * @skb: the packet
 * @contrib: fields of the headers, which stand once, before the first datagram
 * @off: where the next datagram's payload begins
 * @end: where the last one's ends
 * @size: bytes of each but the last, which may be shorter
 * @first: result of the first: 0 or an enum weir_reason
 */
struct weir_merged {
	struct __sk_buff *skb;
	struct weir_contrib contrib;
	__u32 off;
	__u32 end;
	__u32 size;
	int first;
};

/*
 * One datagram, @whole bytes. The UDP header stands only before the first; for a
 * later one the 8 bytes before its payload take its place. They are not read:
 * the checksum of merged packets was verified when they were merged, or they
 * never left this machine.
 */
static __always_inline int weir_segment(struct weir_merged *m, __u32 whole)
{
	const __u8 format = m->contrib.format;
	union weir_format_header hdr = {};
	__u32 len = whole;
	int ret;

	/* A datagram may be shorter than the longest header, but not empty. */
	if (len > sizeof(hdr))
		len = sizeof(hdr);
	if (!len || bpf_skb_load_bytes(m->skb, m->off, &hdr, len))
		return weir_refuse(m->skb, &m->contrib, WEIR_REASON_RUNT);
	m->contrib.udp_off = m->off - sizeof(struct udphdr);
	m->contrib.udp_len = whole + sizeof(struct udphdr);
	m->contrib.payload_off = m->off;
	ret = weir_format_parse(&hdr, (void *)&hdr + len, &m->contrib);
	if (ret)
		ret = weir_refuse(m->skb, &m->contrib, ret);
	else
		ret = weir_contribute_skb(m->skb, &m->contrib, sizeof(m->contrib));
	/* A join among datagrams of another format says nothing of those behind it. */
	m->contrib.format = format;
	return ret;
}

/* The first datagram decides where the packet goes; the others are like it. */
static long weir_next_segment(__u32 i, struct weir_merged *m)
{
	__u32 len = m->end - m->off < m->size ? m->end - m->off : m->size;
	int ret = weir_segment(m, len);

	if (!i)
		m->first = ret;
	m->off += len;
	return weir_refusal_passes(m->first, m->contrib.format) || m->off >= m->end;
}

static __always_inline int weir_segments(struct __sk_buff *skb,
					 const struct weir_contrib *contrib)
{
	struct weir_merged m = {
		.skb		= skb,
		.contrib	= *contrib,
		.off		= contrib->udp_off + sizeof(struct udphdr),
		.end		= contrib->udp_off + contrib->udp_len,
		.size		= skb->gso_size,
	};

	if (m.end - m.off > m.size * WEIR_MERGED_MAX)
		return weir_refuse(skb, &m.contrib, WEIR_REASON_MERGED);
	bpf_loop(WEIR_MERGED_MAX, weir_next_segment, &m, 0);
	return m.first;
}

SEC("tc")
int weir_tc(struct __sk_buff *skb)
{
	struct weir_contrib contrib = {};
	struct weir_cursor c;
	int ret;

	weir_pull_headers(skb);
	weir_cursor_skb(&c, skb);
	ret = weir_parse_headers(&c, &contrib);
	/* A merged packet is longer than each of its datagrams, which are parsed one by one. */
	if (!ret && !skb->gso_size)
		ret = weir_parse_datagram(&c, &contrib);
	if (ret == WEIR_PARSE_OTHER)
		return TC_ACT_UNSPEC;
	/* The outer tag is mostly beside the packet, and no longer in it. */
	if (skb->vlan_present)
		contrib.vlan = skb->vlan_tci & WEIR_VLAN_ID;
	if (ret < WEIR_PARSE_OTHER) {
		if (ret == WEIR_PARSE_ARP)
			return weir_arp_skb(skb, &contrib, sizeof(contrib)) ? TC_ACT_UNSPEC :
									      TC_ACT_SHOT;
		ret = weir_parse_frame(&c, &contrib, skb->len);
	}
	if (ret)
		ret = weir_refuse(skb, &contrib, ret);
	else if (skb->gso_size)
		ret = weir_segments(skb, &contrib);
	else
		ret = weir_contribute_skb(skb, &contrib, sizeof(contrib));
	return weir_refusal_passes(ret, contrib.format) ? TC_ACT_UNSPEC : TC_ACT_SHOT;
}

char _license[] SEC("license") = "GPL";
