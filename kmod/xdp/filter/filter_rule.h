/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_FILTER_RULE_H
#define _WEIR_FILTER_RULE_H

#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <uapi/weir.h>

#include "core/base/rate.h"
#include "xdp/filter/match.h"

struct net;
struct psample_group;
struct weir_headers;
struct weir_xdp_net;
struct weir_sources;
struct xdp_buff;

/**
 * struct weir_filter_count - counters of a rule on one CPU, written with this_cpu_add()
 * @packets: packets that the rule was applied to
 * @bytes: bytes of these packets
 * @dropped: packets that were dropped
 * @dropped_bytes: bytes of the dropped packets
 * @crowded: packets of sources that found no room
 * @blocks: times that a source was blocked
 * @sampled: packets that listeners were told of
 * @skip: packets until the next one of a sample
 */
struct weir_filter_count {
	u64	packets;
	u64	bytes;
	u64	dropped;
	u64	dropped_bytes;
	u64	crowded;
	u64	blocks;
	u64	sampled;
	u32	skip;
};

/* A rule's verdict on a packet that goes on to the next rules; verdicts of XDP are not negative. */
#define WEIR_FILTER_NEXT	(-1)

/**
 * struct weir_filter_config - a rule as an administrator sets it
 * @prio: its place
 * @action: enum weir_xdp_filter_action
 * @dscp: of mark
 * @each: of police and guard: @rate is that of each source
 * @sources: with @each: sources that are known at once
 * @time: of guard: ns that a source is blocked
 * @rate: of police and guard
 * @sample: of sample: one packet in so many
 * @group: of sample: the number of the listeners' group
 * @file: name of the file that the matches came from, for display; NULL if none was given
 * @common: conditions that all matches of the file were given, for show
 * @has_common: there are such
 * @matches: number of matches
 */
struct weir_filter_config {
	u32			prio;
	u32			action;
	u8			dscp;
	bool			each;
	u32			sources;
	u64			time;
	struct weir_rate_config	rate;
	u32			sample;
	u32			group;
	const char		*file;
	struct weir_filter_match common;
	bool			has_common;
	u32			matches;
};

/**
 * struct weir_filter_rule - a rule
 * @rcu: it is freed a grace period after it has left its filter
 * @config: its settings; the file's name is owned
 * @pending: no packet sees it yet; under the namespace's lock
 * @replaced: the rule that has taken its place has its counters, too
 * @count: of its packets
 * @rate: the policer of all its packets; without @config.each
 * @sources: the policers of sources; NULL without @config.each
 * @group: the listeners of sample; NULL once it has left its filter
 * @matches: number of matches
 * @match: packets that it has, those of any of these
 */
struct weir_filter_rule {
	struct rcu_head			rcu;
	struct weir_filter_config	config;
	bool				pending;
	bool				replaced;
	struct weir_filter_count __percpu *count;
	struct weir_rate		rate;
	struct weir_sources		*sources;
	struct psample_group		*group;
	u32				matches;
	struct weir_filter_match	match[];
};

struct weir_filter_rule *weir_filter_rule_alloc(struct net *net,
						const struct weir_filter_config *config);
int weir_filter_rule_counts(struct weir_filter_rule *rule);
bool weir_filter_rule_asks_vlan(const struct weir_filter_rule *rule);
void weir_filter_rule_free(struct weir_filter_rule *rule);
void weir_filter_rule_start(struct weir_filter_rule *rule, struct weir_xdp_net *wn, int ifindex);
void weir_filter_rule_stop(struct weir_filter_rule *rule);
void weir_filter_rule_release(struct weir_filter_rule *rule);
int weir_filter_rule_act(struct weir_filter_rule *rule, struct xdp_buff *xdp,
			 struct weir_headers *headers);
void weir_filter_rule_sum(const struct weir_filter_rule *rule, struct weir_filter_count *sum);

#endif /* _WEIR_FILTER_RULE_H */
