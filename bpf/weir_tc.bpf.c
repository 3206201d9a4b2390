// SPDX-License-Identifier: GPL-2.0
/*
 * The tc ingress program of a port, for devices without XDP and for traffic
 * that arrives merged: a packet that GRO has merged, or that its sender has not
 * yet cut (UDP_SEGMENT), stands for many datagrams, each of them a
 * contribution, and is handed over whole.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <stdbool.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "lib/format/weir_parse.h"

/* Headers that a contribution has at most: they must lie in the linear part. */
#define WEIR_HEADERS_MAX	160

extern int weir_contribute_skb(struct __sk_buff *ctx,
			       struct weir_contrib *contrib,
			       __u32 contrib__sz) __ksym;
extern int weir_contribute_merged_skb(struct __sk_buff *ctx,
				      struct weir_contrib *contrib,
				      __u32 contrib__sz) __ksym;
extern int weir_refuse_skb(struct __sk_buff *ctx, struct weir_contrib *contrib,
			   __u32 contrib__sz, __u32 reason) __ksym;

extern int weir_arp_skb(struct __sk_buff *ctx, struct weir_contrib *contrib,
			__u32 contrib__sz) __ksym;

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

SEC("tc")
int weir_tc(struct __sk_buff *skb)
{
	struct weir_contrib contrib = {};
	struct weir_cursor c;
	int ret;

	weir_pull_headers(skb);
	weir_cursor_skb(&c, skb);
	ret = weir_parse_headers(&c, &contrib);
	/* A merged packet is longer than each of its datagrams, which the module parses. */
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
		ret = weir_refuse_skb(skb, &contrib, sizeof(contrib), ret);
	else if (skb->gso_size)
		ret = weir_contribute_merged_skb(skb, &contrib, sizeof(contrib));
	else
		ret = weir_contribute_skb(skb, &contrib, sizeof(contrib));
	return weir_refusal_passes(ret, contrib.format) ? TC_ACT_UNSPEC : TC_ACT_SHOT;
}

char _license[] SEC("license") = "GPL";
