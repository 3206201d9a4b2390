/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which packets a policy's rules match. The verifier follows each way through all the
 * branches of all the rules: so a rule is one branch, and what it leaves out is a mask
 * or a factor of 0. What most policies do not ask for, addresses and where a packet is
 * from, is looked for only where some rule asks.
 */
#ifndef _WEIR_TRIM_MATCH_H
#define _WEIR_TRIM_MATCH_H

#include "weir_trim_parse.h"
#include <weir_trim.h>

/**
 * struct weir_trim_ends - where a packet is from, and goes to
 * @src: source address as the packet has it; of IPv4 the rest is 0
 * @dst: destination address, likewise
 * @sport: UDP or TCP source port, host byte order, else 0
 */
struct weir_trim_ends {
	__be32 src[4];
	__be32 dst[4];
	__u16 sport;
};

static __always_inline void weir_trim_find_ends(const struct weir_trim_pkt *pkt,
						struct weir_trim_ends *ends)
{
	const struct ipv6hdr *ip6h = pkt->l3;
	const struct udphdr *udp = pkt->l4;
	const struct iphdr *iph = pkt->l3;
	const __be32 *src, *dst;
	int i;

	if (pkt->ip == 4 && (void *)(iph + 1) <= pkt->end) {
		ends->src[0] = iph->saddr;
		ends->dst[0] = iph->daddr;
	} else if (pkt->ip == 6 && (void *)(ip6h + 1) <= pkt->end) {
		src = (const void *)&ip6h->saddr;
		dst = (const void *)&ip6h->daddr;
		for (i = 0; i < 4; i++) {
			ends->src[i] = src[i];
			ends->dst[i] = dst[i];
		}
	}
	if ((pkt->proto == IPPROTO_UDP || pkt->proto == IPPROTO_TCP) &&
	    (void *)(udp + 1) <= pkt->end)
		ends->sport = weir_ntohs(udp->source);
}

static __always_inline bool
weir_trim_prefix_differs(const struct weir_trim_prefix *prefix,
			 const __be32 addr[4])
{
	__be32 differs = 0;
	int i;

	for (i = 0; i < 4; i++)
		differs |= (prefix->addr[i] ^ addr[i]) & prefix->mask[i];
	return differs;
}

/* Not 0 where the packet is none of the rule's, whatever its DSCP. */
static __always_inline __u64 weir_trim_differs(const struct weir_trim_rule *rule,
					       const struct weir_trim_pkt *pkt)
{
	__u64 differs = (__u32)rule->proto * (rule->proto ^ pkt->proto);

	differs |= (__u32)rule->port * (rule->port ^ pkt->dport);
	differs |= (__u32)rule->vlan * (rule->vlan ^ pkt->vlan);
	return differs;
}

static __always_inline __u64
weir_trim_ends_differ(const struct weir_trim_rule *rule,
		      const struct weir_trim_pkt *pkt,
		      const struct weir_trim_ends *ends)
{
	__u64 differs = (__u64)rule->from * (rule->from ^ pkt->from);

	differs |= (__u32)rule->ip * (rule->ip ^ pkt->ip);
	differs |= (__u32)rule->sport * (rule->sport ^ ends->sport);
	differs |= weir_trim_prefix_differs(&rule->src, ends->src);
	differs |= weir_trim_prefix_differs(&rule->dst, ends->dst);
	return differs;
}

/* Bit 0 is 0 where the rule has the packet's DSCP. */
static __always_inline __u64
weir_trim_dscp_differs(const struct weir_trim_rule *rule,
		       const struct weir_trim_pkt *pkt)
{
	return ~(rule->dscps >> pkt->dscp) & 1;
}

/* Some rule says so, and none forbids it; no rule asks for the packet's ends. */
static __always_inline bool
weir_trim_near_eligible(const struct weir_trim_policy *policy,
			const struct weir_trim_pkt *pkt)
{
	const struct weir_trim_rule *rule;
	bool eligible = false;
	__u32 i;

	for (i = 0; i < WEIR_TRIM_RULES_MAX; i++) {
		if (i >= policy->rules)
			break;
		rule = &policy->rule[i];
		if (weir_trim_differs(rule, pkt) |
		    weir_trim_dscp_differs(rule, pkt))
			continue;
		if (rule->disable)
			return false;
		eligible = true;
	}
	return eligible;
}

/*
 * The same where rules ask for the ends. @dscps: DSCPs that the packet may have had;
 * a rule that forbids must do so for all of them.
 */
static __always_inline bool
weir_trim_ends_eligible(const struct weir_trim_policy *policy,
			const struct weir_trim_pkt *pkt, __u64 dscps)
{
	struct weir_trim_ends ends = {};
	const struct weir_trim_rule *rule;
	bool eligible = false;
	__u32 i;

	weir_trim_find_ends(pkt, &ends);
	for (i = 0; i < WEIR_TRIM_RULES_MAX; i++) {
		if (i >= policy->rules)
			break;
		rule = &policy->rule[i];
		if (weir_trim_differs(rule, pkt) |
		    weir_trim_ends_differ(rule, pkt, &ends) |
		    ((rule->dscps & dscps) == 0))
			continue;
		if (!rule->disable)
			eligible = true;
		else if (!(dscps & ~rule->dscps))
			return false;
	}
	return eligible;
}

/**
 * weir_trim_eligible() - is a packet one that the rules have trimmed?
 * @policy: the egress port's policy
 * @pkt: the packet, parsed; its DSCP is one of @policy->dscps
 */
static __always_inline bool
weir_trim_eligible(const struct weir_trim_policy *policy,
		   const struct weir_trim_pkt *pkt)
{
	if (policy->flags & WEIR_TRIM_ASKS_ENDS)
		return weir_trim_ends_eligible(policy, pkt, 1ull << pkt->dscp);
	return weir_trim_near_eligible(policy, pkt);
}

/**
 * weir_trim_was_eligible() - may a packet have been one, before it was marked?
 * @policy: the egress port's policy
 * @pkt: the packet, parsed
 *
 * Which DSCP it then had nobody knows. What no rule trims whatever its DSCP has its mark
 * for another reason, as routing protocols do.
 */
static __always_inline bool
weir_trim_was_eligible(const struct weir_trim_policy *policy,
		       const struct weir_trim_pkt *pkt)
{
	return weir_trim_ends_eligible(policy, pkt, policy->dscps);
}

#endif /* _WEIR_TRIM_MATCH_H */
