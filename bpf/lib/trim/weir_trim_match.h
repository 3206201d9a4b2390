/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Match packets against a policy's rules. The verifier follows each way through all the
 * branches of all the rules: so a rule is one branch, and a condition that it lacks is a
 * mask of 0. Most policies have no conditions on addresses and ingress devices; these
 * are looked up only where some rule has them.
 *
 * weir_trim_acl() finds the rule of a port's ACL that decides about a packet, and returns what the
 * kfunc weir_trim_acl_xdp() does. A BPF program defines it before it includes this file, as in
 * weir_trim_steps.h; others, which know the ACL by the policy, link it.
 */
#ifndef _WEIR_TRIM_MATCH_H
#define _WEIR_TRIM_MATCH_H

#include "trim/weir_trim_parse.h"
#include <weir_trim.h>

/**
 * struct weir_trim_addrs - the addresses of a packet, in network byte order
 * @src: source address; of IPv4 the rest is 0
 * @dst: destination address; of IPv4 the rest is 0
 */
struct weir_trim_addrs {
	__be32 src[4];
	__be32 dst[4];
};

#ifndef __bpf__
__u32 weir_trim_acl(const struct weir_trim_policy *policy, const struct weir_trim_ends *ends,
		    const void *start, const void *end);
#endif

/*
 * Fields of the value that weir_trim_ruled() returns: mask of the policy rule's slot, shift of the
 * ACL rule's prio.
 */
#define WEIR_TRIM_RULED_SLOT	0xff
#define WEIR_TRIM_RULED_PRIO	8

/* Return true if a rule has the packet trimmed. @ruled: as weir_trim_ruled() */
static __always_inline bool weir_trim_allows(__u32 ruled)
{
	return (ruled & WEIR_TRIM_RULED_SLOT) - 1 < WEIR_TRIM_SLOTS;
}

/* The policy's rule, @ruled, with the ACL's, @listed: as weir_trim_acl() returns it. */
static __always_inline __u32 weir_trim_ruled_listed(__u32 ruled, __u32 listed)
{
	if (listed & WEIR_TRIM_ACL_FORBIDS)
		ruled = 0;
	return ruled | (listed & ~WEIR_TRIM_ACL_FORBIDS) << WEIR_TRIM_RULED_PRIO;
}

/* The fields that lie in the packet, between @start and @end. */
static __always_inline void weir_trim_find_ends(struct weir_trim_ends *ends,
						struct weir_trim_addrs *addrs,
						void *start, void *end)
{
	const void *l3 = start + (ends->l3 & WEIR_TRIM_OFFSET);
	const void *l4 = start + (ends->l4 & WEIR_TRIM_OFFSET);
	const struct ipv6hdr *ip6h = l3;
	const struct udphdr *udp = l4;
	const struct iphdr *iph = l3;
	const __be32 *src, *dst;
	int i;

	if (ends->what.ip == 4 && (void *)(iph + 1) <= end) {
		addrs->src[0] = iph->saddr;
		addrs->dst[0] = iph->daddr;
	} else if (ends->what.ip == 6 && (void *)(ip6h + 1) <= end) {
		src = (const void *)&ip6h->saddr;
		dst = (const void *)&ip6h->daddr;
		for (i = 0; i < 4; i++) {
			addrs->src[i] = src[i];
			addrs->dst[i] = dst[i];
		}
	}
	if ((ends->what.proto == IPPROTO_UDP || ends->what.proto == IPPROTO_TCP) &&
	    (void *)(udp + 1) <= end)
		ends->what.sport = weir_ntohs(udp->source);
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

/* Not 0 where the packet differs from the rule in a field that most rules have. */
static __always_inline __u64 weir_trim_differs(const struct weir_trim_rule *rule,
					       const struct weir_trim_ends *ends)
{
	__u64 differs = (rule->dscps & ends->dscps) == 0;

	return differs | ((rule->what.all ^ ends->what.all) & rule->mask);
}

/* The same of fields that few rules have. */
static __always_inline __u64
weir_trim_ends_differ(const struct weir_trim_rule *rule,
		      const struct weir_trim_ends *ends,
		      const struct weir_trim_addrs *addrs)
{
	__u64 differs = (__u64)rule->from * (rule->from ^ ends->from);

	differs |= weir_trim_prefix_differs(&rule->src, addrs->src);
	differs |= weir_trim_prefix_differs(&rule->dst, addrs->dst);
	return differs;
}

/*
 * Find the rule that decides about a packet: the first that forbids trimming it, else the first
 * that matches. A rule that forbids must match all DSCPs that the packet may have had. @addrs:
 * NULL where no rule has addresses. The result is the rule's slot, counted from 1 on, with
 * WEIR_TRIM_FORBIDS if it forbids that; 0 if no rule matches.
 */
static __always_inline int
weir_trim_ask_rules(const struct weir_trim_policy *policy,
		    const struct weir_trim_ends *ends,
		    const struct weir_trim_addrs *addrs)
{
	const struct weir_trim_rule *rule;
	__u64 differs;
	int ruled = 0;
	__u32 i;

	for (i = 0; i < WEIR_TRIM_RULES_MAX; i++) {
		if (i >= policy->rules)
			break;
		rule = &policy->rule[i];
		differs = weir_trim_differs(rule, ends);
		if (addrs)
			differs |= weir_trim_ends_differ(rule, ends, addrs);
		if (differs)
			continue;
		if (!rule->disable)
			ruled = ruled ?: rule->slot + 1;
		else if (!(ends->dscps & ~rule->dscps))
			return (rule->slot + 1) | WEIR_TRIM_FORBIDS;
	}
	return ruled;
}

/*
 * Ask all rules, and the port's ACL about a packet that they would trim. @ctx: of a BPF program.
 * Return as weir_trim_ruled().
 */
static __always_inline int
weir_trim_judge_ends(void *ctx, const struct weir_trim_policy *policy,
		     struct weir_trim_ends *ends, void *start, void *end)
{
	struct weir_trim_addrs addrs = {};
	__u32 ruled;

	weir_trim_find_ends(ends, &addrs, start, end);
	ruled = weir_trim_ask_rules(policy, ends, &addrs);
	if (!(policy->flags & WEIR_TRIM_ASKS_ACL) || !weir_trim_allows(ruled))
		return ruled;
#ifdef __bpf__
	return weir_trim_ruled_listed(ruled, weir_trim_acl(ctx, policy->ifindex, ends,
							   sizeof(*ends)));
#else
	(void)ctx;
	return weir_trim_ruled_listed(ruled, weir_trim_acl(policy, ends, start, end));
#endif
}

/* Without the fields that few rules have: most packets need only this. */
static __always_inline int
weir_trim_judge_near(const struct weir_trim_policy *policy, __u64 dscps,
		     __u64 what)
{
	const struct weir_trim_ends ends = { .dscps = dscps, .what.all = what };

	return weir_trim_ask_rules(policy, &ends, NULL);
}

/**
 * weir_trim_near_ruled() - find the rule without addresses that decides about a packet
 * @policy: the egress port's policy
 * @dscps: DSCPs that it may have had
 * @what: @all of its union weir_trim_what
 *
 * A global function as the next one, and without memory, as it is for each packet.
 *
 * Return: as weir_trim_ask_rules().
 */
#ifdef __bpf__
__noinline int weir_trim_near_ruled(struct weir_trim_policy *policy,
				    __u64 dscps, __u64 what)
{
	return policy ? weir_trim_judge_near(policy, dscps, what) : 0;
}
#else
#define weir_trim_near_ruled weir_trim_judge_near
#endif

/**
 * weir_trim_ends_ruled() - find the rules that decide about a packet, if some have addresses
 * @ctx: of the program
 * @policy: the egress port's policy
 * @ends: the packet; the fields that lie in it are filled
 *
 * A global function in BPF programs, as the steps of weir_trim_steps.h are: else the
 * verifier would follow each form of the headers through all of this.
 *
 * Return: as weir_trim_ruled().
 */
#ifdef __bpf__
__noinline int weir_trim_ends_ruled(WEIR_TRIM_CTX *ctx,
				    struct weir_trim_policy *policy,
				    struct weir_trim_ends *ends)
{
	if (!policy || !ends)
		return 0;
	return weir_trim_judge_ends(ctx, policy, ends, (void *)(long)ctx->data,
				    (void *)(long)ctx->data_end);
}
#endif

/* Fields that need no other look into the packet. */
static __always_inline union weir_trim_what
weir_trim_what_of(const struct weir_trim_pkt *pkt)
{
	const union weir_trim_what what = {
		.port	= pkt->dport,
		.vlan	= pkt->vlan,
		.proto	= pkt->proto,
		.ip	= pkt->ip,
	};

	return what;
}

static __always_inline int
weir_trim_ask_far(const struct weir_trim_policy *policy,
		  const struct weir_trim_pkt *pkt, __u64 dscps)
{
	struct weir_trim_ends ends = {
		.dscps	= dscps,
		.what	= weir_trim_what_of(pkt),
		.from	= pkt->from,
		.l3	= pkt->l3_off,
		.l4	= pkt->l4_off,
	};

#ifdef __bpf__
	return weir_trim_ends_ruled(pkt->ctx, (void *)policy, &ends);
#else
	return weir_trim_judge_ends(NULL, policy, &ends, pkt->start, pkt->end);
#endif
}

static __always_inline int
weir_trim_ask_near(const struct weir_trim_policy *policy,
		   const struct weir_trim_pkt *pkt, __u64 dscps)
{
	return weir_trim_near_ruled((void *)policy, dscps,
				    weir_trim_what_of(pkt).all);
}

/**
 * weir_trim_ruled() - find the rules that decide about a packet
 * @policy: the egress port's policy
 * @pkt: the packet, parsed; its DSCP is one of @policy->dscps
 *
 * Return: in WEIR_TRIM_RULED_SLOT the slot of the policy's rule, counted from 1 on, with
 * WEIR_TRIM_FORBIDS if it forbids to trim the packet; 0 if there is none, or a rule of the
 * port's ACL forbids that. From WEIR_TRIM_RULED_PRIO on the prio of the ACL's rule; 0 if the ACL
 * was not asked, or none of its rules matches.
 */
static __always_inline int
weir_trim_ruled(const struct weir_trim_policy *policy,
		const struct weir_trim_pkt *pkt)
{
	__u8 ruled = policy->ruled[pkt->dscp & (sizeof(policy->ruled) - 1)];

	/* The rules of most policies compare the DSCP alone: no walk over them. */
	if (ruled)
		return ruled;
	return policy->flags & WEIR_TRIM_ASKS_ENDS ?
	       weir_trim_ask_far(policy, pkt, 1ull << pkt->dscp) :
	       weir_trim_ask_near(policy, pkt, 1ull << pkt->dscp);
}

/**
 * weir_trim_was_eligible() - test whether a packet may have been trimmed before it was marked
 * @policy: the egress port's policy
 * @pkt: the packet, parsed
 *
 * Its DSCP before is unknown. A packet that no rule trims with any DSCP has its mark for
 * another reason, as routing protocols do.
 */
static __always_inline bool
weir_trim_was_eligible(const struct weir_trim_policy *policy,
		       const struct weir_trim_pkt *pkt)
{
	return weir_trim_allows(weir_trim_ask_far(policy, pkt, policy->dscps));
}

#endif /* _WEIR_TRIM_MATCH_H */
