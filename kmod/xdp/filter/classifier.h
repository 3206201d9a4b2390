/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_CLASSIFIER_H
#define _WEIR_CLASSIFIER_H

#include <linux/rcupdate.h>
#include <linux/types.h>
#include <linux/xarray.h>
#include <uapi/weir_xdp_nl.h>

#include "xdp/packet/headers.h"

struct weir_filter_match;
struct weir_filter_rule;

/**
 * struct weir_classifier_node - a match in its table
 * @key: what it compares for equality; all else is 0
 * @rest: its other conditions, NULL where it has none
 * @rule: whose it is
 * @prio: the rule's
 * @next: of the same bucket, whose prio is not less: its index + 1, or 0
 *
 * 64 bytes, so that one that is looked at is one cache line.
 */
struct weir_classifier_node {
	struct weir_flow_key			key;
	const struct weir_filter_match		*rest;
	struct weir_filter_rule			*rule;
	u32					prio;
	u32					next;
};

/**
 * struct weir_tuple - the matches that compare the same bits of the same fields
 * @mask: these bits
 * @first: the least prio of their rules
 * @last: the greatest one
 * @matches: how many there are
 * @buckets: a power of two, less 1
 * @bucket: index + 1 of the first node, or 0
 * @ip: 4 or 6, or 0 for packets of either and of none
 */
struct weir_tuple {
	struct weir_flow_key	mask;
	u32			first;
	u32			last;
	u32			matches;
	u32			buckets;
	u32			*bucket;
	u8			ip;
};

/* Tuples are listed for packets without IP, for IPv4 and for IPv6. */
#define WEIR_CLASSIFIER_KINDS	3

/**
 * struct weir_classifier - the rules of a filter, as packets look them up
 * @rcu: it is freed a grace period after another has taken its place
 * @node: of all tuples
 * @tuple: in the order of their first prio
 * @blind: the first rule that drops packets by ports or flags of TCP, NULL where there is none. It
 *	has unparsed packets that no rule decides about, as they may have these ports
 * @count: of the tuples that a kind of packet is looked up in
 * @list: these tuples, in the same order
 *
 * Never changes; one allocation.
 */
struct weir_classifier {
	struct rcu_head			rcu;
	struct weir_classifier_node	*node;
	struct weir_tuple		*tuple;
	struct weir_filter_rule		*blind;
	u32				count[WEIR_CLASSIFIER_KINDS];
	u16				list[WEIR_CLASSIFIER_KINDS][WEIR_XDP_FILTER_TUPLES_MAX];
};

struct weir_classifier *weir_classifier_build(struct xarray *rules,
					      const struct weir_filter_rule *except, u32 matches);
void weir_classifier_free(struct weir_classifier *classifier);
struct weir_filter_rule *weir_classifier_find(const struct weir_classifier *classifier,
					      const struct weir_headers *headers, u32 after);

#endif /* _WEIR_CLASSIFIER_H */
