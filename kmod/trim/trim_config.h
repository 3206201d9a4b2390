/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_TRIM_CONFIG_H
#define _WEIR_TRIM_CONFIG_H

#include <linux/in.h>
#include <linux/types.h>
#include <uapi/weir_trim.h>

#include "trim/bands.h"

struct weir_trim_acl;
struct weir_trim_pool;

/* Fields of struct weir_trim_config that were given, where 0 is no default. */
#define WEIR_TRIM_HAS_DSCP	0x1
#define WEIR_TRIM_HAS_TC	0x2
#define WEIR_TRIM_HAS_TC_DSCP	0x4
#define WEIR_TRIM_HAS_PRIORITY	0x8
#define WEIR_TRIM_HAS_QUEUE	0x10
#define WEIR_TRIM_HAS_RETURN	0x20
#define WEIR_TRIM_HAS_RATE	0x40
#define WEIR_TRIM_HAS_PERCENT(mode)	(0x80 << (mode))
#define WEIR_TRIM_HAS_DSCP_TC	(0x80 << WEIR_TRIM_MODES)

/* The refusal of a policy that lets packets of the data band wait without end. */
extern const char weir_trim_limitless[];

/* The refusal of a limit of time where whole packets wait in a child. */
extern const char weir_trim_childless_time[];

/**
 * struct weir_trim_config - an administrator's settings of a port
 * @rate: bytes a second that the port can send
 * @limit_bytes: of the data band, 0 for no limit
 * @port_limit: bytes of the data bands of all qdiscs together, 0 for no limit
 * @pool: the pool in which whole packets of all qdiscs count, or NULL
 * @acl: decides which packets that @rule has trimmed are not, or NULL
 * @trimmed_dscps: DSCPs of packets that were trimmed elsewhere, bit i being DSCP i
 * @control_dscps: DSCPs of control packets, bit i being DSCP i
 * @said: attributes given for the port itself, bit i being WEIR_A_TRIM_i; the others
 *	have the namespace's default where there is one, kmod/trim/trim_default.c
 * @has: WEIR_TRIM_HAS_*
 * @hook: enum weir_trim_hook
 * @size: bytes of a frame that stay
 * @priority: of trimmed packets
 * @queue: transmit queue of trimmed packets, or WEIR_TRIM_QUEUE_DYNAMIC
 * @length: enum weir_trim_length
 * @limit: packets of the data band, 0 for no limit
 * @limit_time: us that the head of the data band may have waited, 0 for no limit
 * @alpha: of the data band, 256ths of what is free in @pool, 0 for no limit
 * @headers: packets of the header band
 * @header_time: us that the head of the header band may have waited, 0 for no
 *	limit
 * @other_limit: packets of the other band, 0 for the device's txqueuelen
 * @share: enum weir_trim_share
 * @share_value: headers a packet, or percent
 * @victim: enum weir_trim_victim
 * @full: enum weir_trim_full
 * @meter: enum weir_trim_meter
 * @overhead: bytes that each frame takes of the rate beyond its own
 * @mpu: bytes that a frame takes of the rate at least
 * @percent: of the rate that a CPU takes for its own, in each mode
 * @t0: us of the pessimistic mode
 * @t1: us at which the half-pessimistic mode ends
 * @rules: number of rules
 * @edge: packets that come in by the port are not trusted to be trimmed
 * @dscp: of trimmed packets
 * @tc: class of trimmed packets
 * @return_dscp: of packets that go back
 * @tc_dscp: DSCP of each class
 * @dscp_tc: class of each DSCP, WEIR_TRIM_NO_CLASS for none
 * @rule: the rules; a rule without a DSCP has all bits of dscps set
 */
struct weir_trim_config {
	u64			rate;
	u64			limit_bytes;
	u64			port_limit;
	struct weir_trim_pool	*pool;
	struct weir_trim_acl	*acl;
	u64			trimmed_dscps;
	u64			control_dscps;
	u64			said;
	u32			has;
	u32			hook;
	u32			size;
	u32			priority;
	u32			queue;
	u32			length;
	u32			limit;
	u32			limit_time;
	u32			alpha;
	u32			headers;
	u32			header_time;
	u32			other_limit;
	u32			share;
	u32			share_value;
	u32			victim;
	u32			full;
	u32			meter;
	u32			overhead;
	u32			mpu;
	u32			percent[WEIR_TRIM_MODES];
	u32			t0;
	u32			t1;
	u32			rules;
	u32			edge;
	u32			dscp;
	u32			tc;
	u32			return_dscp;
	u8			tc_dscp[WEIR_TRIM_CLASSES];
	u8			dscp_tc[64];
	struct weir_trim_rule	rule[WEIR_TRIM_RULES_MAX];
};

/**
 * struct weir_trim_device - properties of the device that a policy depends on
 * @ifindex: its index
 * @frame: bytes of the longest frame, from the Ethernet header on
 * @queues: transmit queues
 * @classes: traffic classes, each with some of them; 0 where it has none
 * @cpus: CPUs that the box has, one at least
 * @bound: its qdiscs have a transmit queue each, and no other
 * @child: one of its weir qdiscs has a child
 * @sends: its driver can send frames that XDP redirects
 * @ethernet: its frames begin with an Ethernet header
 * @vrf: it is a VRF
 */
struct weir_trim_device {
	u32	ifindex;
	u32	frame;
	u32	queues;
	u32	classes;
	u32	cpus;
	bool	bound;
	bool	child;
	bool	sends;
	bool	ethernet;
	bool	vrf;
};

/**
 * struct weir_trim_refusal - why a policy is refused
 * @err: negative error
 * @attr: WEIR_A_TRIM_*
 * @msg: a sentence
 */
struct weir_trim_refusal {
	int		err;
	int		attr;
	const char	*msg;
};

/**
 * weir_trim_rule_has_ports() - test whether a rule has no ports, or a protocol that has them
 * @rule: the rule
 */
static inline bool weir_trim_rule_has_ports(const struct weir_trim_rule *rule)
{
	return !(rule->what.port || rule->what.sport) || !rule->what.proto ||
	       rule->what.proto == IPPROTO_UDP || rule->what.proto == IPPROTO_TCP;
}

/**
 * weir_trim_has_bands() - test whether weir qdiscs carry a policy out
 * @config: the policy
 *
 * A program that reads a qdisc's backlog trims the packets that the qdisc would
 * trim.
 */
static inline bool weir_trim_has_bands(const struct weir_trim_config *config)
{
	return config->hook == WEIR_TRIM_HOOK_QDISC ||
	       (config->hook == WEIR_TRIM_HOOK_XDP &&
		config->meter == WEIR_TRIM_METER_BACKLOG);
}

/**
 * weir_trim_has_qdisc() - test whether a policy applies to the device's weir qdiscs
 * @config: the policy
 *
 * They also get the redirected frames that the device does not take.
 */
static inline bool weir_trim_has_qdisc(const struct weir_trim_config *config)
{
	return config->hook == WEIR_TRIM_HOOK_QDISC ||
	       config->hook == WEIR_TRIM_HOOK_XDP;
}

/**
 * weir_trim_deflects() - test whether XDP redirects frames that may come back
 * @config: the policy
 */
static inline bool weir_trim_deflects(const struct weir_trim_config *config)
{
	return config->hook == WEIR_TRIM_HOOK_XDP &&
	       config->meter != WEIR_TRIM_METER_BACKLOG;
}

/**
 * weir_trim_has_modes() - test whether overflows matter to a policy
 * @config: the policy
 */
static inline bool weir_trim_has_modes(const struct weir_trim_config *config)
{
	return (config->hook == WEIR_TRIM_HOOK_TC ||
		config->hook == WEIR_TRIM_HOOK_XDP) &&
	       config->meter == WEIR_TRIM_METER_PERCPU;
}

/**
 * weir_trim_has_return() - test whether packets may go back to their senders
 * @config: the policy
 */
static inline bool weir_trim_has_return(const struct weir_trim_config *config)
{
	return config->full == WEIR_TRIM_FULL_RETURN ||
	       config->full == WEIR_TRIM_FULL_RETURN_ALWAYS;
}

/**
 * weir_trim_pool() - the pool that whole packets of a port's qdiscs count in
 * @config: the policy
 *
 * Return: the pool; NULL without one, or while the policy trims nothing.
 */
static inline struct weir_trim_pool *weir_trim_pool(const struct weir_trim_config *config)
{
	return config->hook == WEIR_TRIM_HOOK_QDISC ? config->pool : NULL;
}

void weir_trim_config_init(struct weir_trim_config *config);
void weir_trim_config_share(struct weir_trim_config *config, u32 share);
const char *weir_trim_config_childless(const struct weir_trim_config *config);
int weir_trim_config_check(const struct weir_trim_config *config,
			   const struct weir_trim_device *device,
			   struct weir_trim_refusal *refusal);
int weir_trim_config_check_default(const struct weir_trim_config *config,
				   struct weir_trim_refusal *refusal);
bool weir_trim_config_idle(const struct weir_trim_config *config,
			   const struct weir_trim_device *device);
void weir_trim_config_port(const struct weir_trim_config *config,
			   const struct weir_trim_device *device,
			   struct weir_trim_port *port);
void weir_trim_config_bands(const struct weir_trim_config *config,
			    struct weir_bands_limits *limits);

#endif /* _WEIR_TRIM_CONFIG_H */
