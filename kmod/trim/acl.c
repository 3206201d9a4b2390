// SPDX-License-Identifier: GPL-2.0
/* The datapath of an ACL: build its classifier, look a packet up, count it for a rule. */
#include <linux/percpu.h>
#include <trim/weir_trim_match.h>

#include "core/packet/classifier.h"
#include "core/packet/rule_key.h"
#include "trim/acl.h"

/* Return true if a rule has conditions that are not equality of fields. */
static bool weir_trim_acl_has_rest(const struct weir_trim_rule *rule)
{
	return rule->dscps != U64_MAX || rule->from;
}

static int weir_trim_acl_walk(const struct weir_classifier_input *input,
			      struct weir_classifier_builder *builder)
{
	struct xarray *rules = input->rules;
	struct weir_trim_acl_rule *rule;
	unsigned long prio;
	int err;

	xa_for_each(rules, prio, rule) {
		struct weir_classifier_match match = {
			.rest	= weir_trim_acl_has_rest(&rule->rule) ? &rule->rule : NULL,
			.rule	= rule,
			.prio	= prio,
		};

		weir_rule_key(&rule->rule, &match.key, &match.mask);
		err = weir_classifier_add(builder, &match);
		if (err)
			return err;
	}
	return 0;
}

/**
 * weir_trim_acl_classifier() - make the classifier of an ACL
 * @acl: the ACL, whose rules stay until the classifier is freed; under RTNL
 * @except: one of its rules that is left out, or NULL
 *
 * Sleeps. Return: as weir_classifier_build().
 */
struct weir_classifier *weir_trim_acl_classifier(struct weir_trim_acl *acl,
						 const struct weir_trim_acl_rule *except)
{
	const struct weir_classifier_input input = {
		.rules		= &acl->rules,
		.except		= except,
		.walk		= weir_trim_acl_walk,
		.matches	= acl->count - !!except,
		.tuples		= WEIR_TRIM_ACL_TUPLES_MAX,
	};

	return weir_classifier_build(&input);
}

/* The DSCPs and the device. A rule that forbids must match each DSCP that a packet may have had. */
static bool weir_trim_acl_rest(const void *rest, const void *packet)
{
	const struct weir_trim_ends *ends = packet;
	const struct weir_trim_rule *rule = rest;

	if (rule->from && rule->from != ends->from)
		return false;
	return rule->disable ? !(ends->dscps & ~rule->dscps) : ends->dscps & rule->dscps;
}

static void weir_trim_acl_key(struct weir_flow_key *key, struct weir_trim_ends *ends,
			      const void *start, const void *end)
{
	struct weir_trim_addrs addrs = {};

	weir_trim_find_ends(ends, &addrs, (void *)start, (void *)end);
	*key = (struct weir_flow_key) {
		.sport	= htons(ends->what.sport),
		.dport	= htons(ends->what.port),
		.vlan	= ends->what.vlan,
		.proto	= ends->what.proto,
		.ip	= ends->what.ip,
	};
	memcpy(key->src, addrs.src, sizeof(key->src));
	memcpy(key->dst, addrs.dst, sizeof(key->dst));
}

/**
 * weir_trim_acl_find() - find the rule that decides about a packet
 * @acl: the ACL, under RCU or with bottom halves disabled
 * @ends: the packet; its source port is read from it here
 * @start: the packet's Ethernet header
 * @end: behind its last byte that can be read
 *
 * One lookup for each set of fields that the rules compare, up to WEIR_TRIM_ACL_TUPLES_MAX.
 *
 * Return: the rule's prio, with WEIR_TRIM_ACL_FORBIDS if it forbids to trim the packet; 0 if no
 * rule decides.
 */
u32 weir_trim_acl_find(const struct weir_trim_acl *acl, const struct weir_trim_ends *ends,
		       const void *start, const void *end)
{
	const struct weir_trim_acl_rule *rule;
	const struct weir_classifier *classifier;
	struct weir_trim_ends of = *ends;
	struct weir_flow_key key;

	classifier = rcu_dereference_check(acl->classifier, rcu_read_lock_bh_held());
	if (!classifier)
		return 0;
	weir_trim_acl_key(&key, &of, start, end);
	rule = weir_classifier_find(classifier, &key, &of, weir_trim_acl_rest, 0);
	if (!rule)
		return 0;
	return rule->prio | (rule->rule.disable ? WEIR_TRIM_ACL_FORBIDS : 0);
}

/**
 * weir_trim_acl_count() - count packets for a rule
 * @acl: the ACL, under RCU or with bottom halves disabled
 * @prio: the rule's place, without WEIR_TRIM_ACL_FORBIDS
 * @packets: number of packets
 * @bytes: bytes of their frames
 *
 * Return: 0, or -ENOENT if the rule is gone.
 */
int weir_trim_acl_count(struct weir_trim_acl *acl, u32 prio, u32 packets, u32 bytes)
{
	struct weir_trim_acl_rule *rule = xa_load(&acl->rules, prio);

	if (!rule)
		return -ENOENT;
	this_cpu_add(rule->hits->packets, packets);
	this_cpu_add(rule->hits->bytes, bytes);
	return 0;
}
