// SPDX-License-Identifier: GPL-2.0
/* Rules of filters: how one comes and goes, what it does with a packet, and its counters. */
#include <linux/bpf.h>
#include <linux/etherdevice.h>
#include <linux/icmpv6.h>
#include <linux/if_ether.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <net/dsfield.h>
#include <net/inet_ecn.h>
#include <net/ndisc.h>
#include <net/psample.h>
#include <net/xdp.h>
#include <uapi/weir_xdp_nl.h>

#include "xdp/base/sample.h"
#include "xdp/filter/filter_rule.h"
#include "xdp/filter/sample.h"
#include "xdp/filter/sources.h"

static void weir_filter_rule_free_rcu(struct rcu_head *rcu)
{
	weir_filter_rule_free(container_of(rcu, struct weir_filter_rule, rcu));
}

/* Return: 0 or -ENOMEM. */
static int weir_filter_rule_police(struct weir_filter_rule *rule)
{
	const struct weir_filter_config *config = &rule->config;

	if (!config->each) {
		weir_rate_init(&rule->rate, &config->rate);
		return 0;
	}
	rule->sources = weir_sources_make(&config->rate, config->sources, config->time);
	return rule->sources ? 0 : -ENOMEM;
}

/* Return: 0 or -ENOMEM. */
static int weir_filter_rule_listeners(struct weir_filter_rule *rule, struct net *net)
{
	if (!rule->config.sample)
		return 0;
	rule->group = psample_group_get(net, rule->config.group);
	return rule->group ? 0 : -ENOMEM;
}

/* Packets that see the rule no longer see the group, or are in a grace period of its own. */
static void weir_filter_rule_no_listeners(struct weir_filter_rule *rule)
{
	struct psample_group *group = xchg(&rule->group, NULL);

	if (group)
		psample_group_put(group);
}

static int weir_filter_rule_set_file(struct weir_filter_rule *rule, const char *file)
{
	rule->config.file = kstrdup(file, GFP_KERNEL_ACCOUNT);
	return file && !rule->config.file ? -ENOMEM : 0;
}

/**
 * weir_filter_rule_alloc() - make a rule, with neither matches nor counters
 * @net: its namespace
 * @config: copied
 *
 * Sleeps. Return: it, its matches to be filled; or NULL.
 */
struct weir_filter_rule *weir_filter_rule_alloc(struct net *net,
						const struct weir_filter_config *config)
{
	struct weir_filter_rule *rule;

	rule = kvzalloc(struct_size(rule, match, config->matches), GFP_KERNEL_ACCOUNT);
	if (!rule)
		return NULL;
	rule->config = *config;
	rule->matches = config->matches;
	if (weir_filter_rule_set_file(rule, config->file) || weir_filter_rule_police(rule) ||
	    weir_filter_rule_listeners(rule, net)) {
		weir_filter_rule_free(rule);
		return NULL;
	}
	return rule;
}

/**
 * weir_filter_rule_counts() - give a rule counters of its own
 * @rule: the rule
 *
 * Sleeps. Return: 0 or -ENOMEM.
 */
int weir_filter_rule_counts(struct weir_filter_rule *rule)
{
	rule->count = alloc_percpu_gfp(struct weir_filter_count, GFP_KERNEL_ACCOUNT);
	return rule->count ? 0 : -ENOMEM;
}

/**
 * weir_filter_rule_asks_vlan() - check whether a rule compares the VLAN of packets
 * @rule: the rule, its matches filled
 */
bool weir_filter_rule_asks_vlan(const struct weir_filter_rule *rule)
{
	u32 i;

	for (i = 0; i < rule->matches; i++)
		if (rule->match[i].rule.what.vlan)
			return true;
	return false;
}

/**
 * weir_filter_rule_free() - free a rule that neither packets nor a timer see
 * @rule: the rule
 *
 * Any context but NMI.
 */
void weir_filter_rule_free(struct weir_filter_rule *rule)
{
	if (!rule->replaced)
		free_percpu(rule->count);
	weir_filter_rule_no_listeners(rule);
	weir_sources_free(rule->sources);
	kfree(rule->config.file);
	kvfree(rule);
}

/**
 * weir_filter_rule_start() - start the timer of a rule that packets may see
 * @rule: the rule
 * @wn: the namespace
 * @ifindex: the filter's device
 */
void weir_filter_rule_start(struct weir_filter_rule *rule, struct weir_xdp_net *wn, int ifindex)
{
	const struct weir_sources_owner owner = { wn, ifindex, rule->config.prio };

	if (rule->sources)
		weir_sources_start(rule->sources, &owner);
}

/**
 * weir_filter_rule_stop() - stop the timer of a rule, and let its listeners go
 * @rule: the rule, which no filter has any longer, and packets may still see
 *
 * Sleeps.
 */
void weir_filter_rule_stop(struct weir_filter_rule *rule)
{
	if (rule->sources)
		weir_sources_stop(rule->sources);
	weir_filter_rule_no_listeners(rule);
}

/**
 * weir_filter_rule_release() - free a rule that packets may still see
 * @rule: the rule, which no filter has any longer
 *
 * Sleeps.
 */
void weir_filter_rule_release(struct weir_filter_rule *rule)
{
	weir_filter_rule_stop(rule);
	call_rcu(&rule->rcu, weir_filter_rule_free_rcu);
}

static int weir_filter_rule_drop(struct weir_filter_rule *rule, u32 bytes)
{
	this_cpu_inc(rule->count->dropped);
	this_cpu_add(rule->count->dropped_bytes, bytes);
	return XDP_DROP;
}

/* ARP, and what is addressed to the next bridge alone: STP, LACP, LLDP, 802.1X, PAUSE. */
static bool weir_filter_is_link_control(const struct weir_headers *headers,
					const struct xdp_buff *xdp)
{
	const struct ethhdr *eth = xdp->data;
	const __be16 *proto = xdp->data + headers->l3 - sizeof(*proto);

	return headers->l3 && (is_link_local_ether_addr(eth->h_dest) ||
			       *proto == htons(ETH_P_ARP) || *proto == htons(ETH_P_PAE));
}

/* Types of ICMPv6 for the link: neighbour and router discovery, listeners of groups. */
static bool weir_filter_is_icmpv6_control(u8 type)
{
	return (type >= ICMPV6_MGM_QUERY && type <= NDISC_REDIRECT) || type == ICMPV6_MLD2_REPORT;
}

/* A guard that blocked these would cut a neighbour off, or a whole link. */
static bool weir_filter_is_control(const struct weir_headers *headers, const struct xdp_buff *xdp)
{
	const u8 *type = xdp->data + headers->l4;

	switch (headers->key.ip) {
	case 4:
		return headers->key.proto == IPPROTO_IGMP;
	case 6:
		return headers->key.proto == IPPROTO_ICMPV6 && headers->l4 &&
		       type < (const u8 *)xdp->data_end && weir_filter_is_icmpv6_control(*type);
	default:
		return weir_filter_is_link_control(headers, xdp);
	}
}

/* Return true if a packet is above the rate of all, or of its source. */
static bool weir_filter_rule_is_over(struct weir_filter_rule *rule, const struct xdp_buff *xdp,
				     const struct weir_headers *headers)
{
	u64 now = ktime_get_ns();
	struct weir_source_key key;

	if (!rule->sources)
		return !weir_rate_spend(&rule->rate, now, 1, headers->len);
	if (rule->config.time && unlikely(weir_filter_is_control(headers, xdp)))
		return false;
	weir_source_key(&key, headers, ((const struct ethhdr *)xdp->data)->h_source);
	switch (weir_sources_take(rule->sources, &key, headers->len, now)) {
	case WEIR_SOURCES_PASS:
		return false;
	case WEIR_SOURCES_BLOCK:
		this_cpu_inc(rule->count->blocks);
		return true;
	case WEIR_SOURCES_CROWDED:
		this_cpu_inc(rule->count->crowded);
		return false;
	case WEIR_SOURCES_CROWDED_OVER:
		this_cpu_inc(rule->count->crowded);
		return true;
	default:
		return true;
	}
}

/* The parser has seen the whole IP header in the frame's linear part. */
static void weir_filter_rule_mark(const struct weir_filter_rule *rule, struct xdp_buff *xdp,
				  struct weir_headers *headers)
{
	void *ip = xdp->data + headers->l3;
	u8 bits = rule->config.dscp << 2;

	if (headers->key.ip == 4)
		ipv4_change_dsfield(ip, INET_ECN_MASK, bits);
	else if (headers->key.ip == 6)
		ipv6_change_dsfield(ip, INET_ECN_MASK, bits);
	headers->tos = (headers->tos & INET_ECN_MASK) | bits;
}

static void weir_filter_rule_sample(struct weir_filter_rule *rule, const struct xdp_buff *xdp,
				    u32 len)
{
	struct psample_group *group = READ_ONCE(rule->group);

	if (weir_sample_takes(&rule->count->skip, rule->config.sample) && likely(group) &&
	    weir_filter_sample(group, xdp, len, rule->config.sample))
		this_cpu_inc(rule->count->sampled);
}

/**
 * weir_filter_rule_act() - carry out a rule's action on a packet
 * @rule: the rule, which has the packet
 * @xdp: the packet
 * @headers: of it; follow its changes
 *
 * Called in an RCU read-side section, on one CPU.
 *
 * Return: XDP_PASS, XDP_DROP, or WEIR_FILTER_NEXT.
 */
int weir_filter_rule_act(struct weir_filter_rule *rule, struct xdp_buff *xdp,
			 struct weir_headers *headers)
{
	this_cpu_inc(rule->count->packets);
	this_cpu_add(rule->count->bytes, headers->len);
	switch (rule->config.action) {
	case WEIR_XDP_FILTER_ACTION_PASS:
		return XDP_PASS;
	case WEIR_XDP_FILTER_ACTION_DROP:
		return weir_filter_rule_drop(rule, headers->len);
	case WEIR_XDP_FILTER_ACTION_POLICE:
	case WEIR_XDP_FILTER_ACTION_GUARD:
		if (weir_filter_rule_is_over(rule, xdp, headers))
			return weir_filter_rule_drop(rule, headers->len);
		return WEIR_FILTER_NEXT;
	case WEIR_XDP_FILTER_ACTION_MARK:
		weir_filter_rule_mark(rule, xdp, headers);
		return WEIR_FILTER_NEXT;
	case WEIR_XDP_FILTER_ACTION_SAMPLE:
		weir_filter_rule_sample(rule, xdp, headers->len);
		return WEIR_FILTER_NEXT;
	default:
		return WEIR_FILTER_NEXT;
	}
}

/**
 * weir_filter_rule_sum() - counters of all CPUs
 * @rule: the rule
 * @sum: filled
 */
void weir_filter_rule_sum(const struct weir_filter_rule *rule, struct weir_filter_count *sum)
{
	const struct weir_filter_count *count;
	int cpu;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu) {
		count = per_cpu_ptr(rule->count, cpu);
		sum->packets += READ_ONCE(count->packets);
		sum->bytes += READ_ONCE(count->bytes);
		sum->dropped += READ_ONCE(count->dropped);
		sum->dropped_bytes += READ_ONCE(count->dropped_bytes);
		sum->crowded += READ_ONCE(count->crowded);
		sum->blocks += READ_ONCE(count->blocks);
		sum->sampled += READ_ONCE(count->sampled);
	}
}
