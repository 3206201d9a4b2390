// SPDX-License-Identifier: GPL-2.0
/*
 * Trimming policies as requested: which make sense, and the forms in which qdiscs and
 * programs read them.
 */
#include <linux/array_size.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/in.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/string.h>
#include <linux/time64.h>

#include <trim/weir_meter.h>

#include "trim/trim_config.h"

/* The DSCPs of a rule that names none. */
#define WEIR_TRIM_ANY_DSCP	U64_MAX

/* Classes with a DSCP of their own where none was given: a DSCP has three bits for them. */
#define WEIR_TRIM_DSCP_CLASSES	8

/* Percent of the bytes that headers get at most where share is bytes. */
#define WEIR_TRIM_BYTES_DEFAULT	25
#define WEIR_TRIM_BYTES_MAX	99

/* All of the rate, in the parts that shares of it are counted in; and a hundredth */
#define WEIR_TRIM_SHARE_ALL	1000000
#define WEIR_TRIM_SHARE_PERCENT	(WEIR_TRIM_SHARE_ALL / 100)

/* Its cost for 64 KiB just fits into 64 bits. */
#define WEIR_TRIM_COST_MAX	(U64_MAX >> 16)

const char weir_trim_limitless[] =
	"the data band needs a limit of packets, bytes or time, or a dynamic one";

const char weir_trim_childless_time[] =
	"how long packets wait in weir's child is not known: limit packets or bytes";

/**
 * weir_trim_config_init() - the policy where no attribute was given
 * @config: filled
 */
void weir_trim_config_init(struct weir_trim_config *config)
{
	int i;

	memset(config, 0, sizeof(*config));
	config->size = WEIR_TRIM_SIZE_DEFAULT;
	config->length = WEIR_TRIM_LENGTH_UPDATE;
	config->limit = WEIR_TRIM_LIMIT_DEFAULT;
	config->headers = WEIR_TRIM_HEADERS_DEFAULT;
	config->header_time = WEIR_TRIM_HEADER_TIME_DEFAULT;
	config->victim = WEIR_TRIM_VICTIM_ARRIVING;
	config->full = WEIR_TRIM_FULL_DROP;
	config->meter = WEIR_TRIM_METER_SHARED;
	config->t0 = WEIR_TRIM_T0_DEFAULT;
	config->t1 = WEIR_TRIM_T1_DEFAULT;
	for (i = 0; i < WEIR_TRIM_DSCP_CLASSES; i++)
		config->tc_dscp[i] = 8 * i;
	memset(config->dscp_tc, WEIR_TRIM_NO_CLASS, sizeof(config->dscp_tc));
	weir_trim_config_share(config, WEIR_TRIM_SHARE_RATIO);
}

/**
 * weir_trim_config_share() - take another way of sharing, with its default
 * @config: the policy
 * @share: enum weir_trim_share
 */
void weir_trim_config_share(struct weir_trim_config *config, u32 share)
{
	if (config->share == share)
		return;
	config->share = share;
	config->share_value = share == WEIR_TRIM_SHARE_BYTES ?
			      WEIR_TRIM_BYTES_DEFAULT : WEIR_TRIM_RATIO_DEFAULT;
}

/* The DSCP that trimmed packets get. */
static u8 weir_trim_config_dscp(const struct weir_trim_config *config)
{
	return config->has & WEIR_TRIM_HAS_TC ? config->tc_dscp[config->tc] :
						config->dscp;
}

/* The DSCPs of packets that were trimmed, here or elsewhere. */
static u64 weir_trim_trimmed(const struct weir_trim_config *config)
{
	return BIT_ULL(weir_trim_config_dscp(config)) | config->trimmed_dscps;
}

/* The DSCPs that mark trimmed, returned and control packets. */
static u64 weir_trim_marks(const struct weir_trim_config *config)
{
	u64 marks = weir_trim_trimmed(config) | config->control_dscps;

	if (config->has & WEIR_TRIM_HAS_RETURN)
		marks |= BIT_ULL(config->return_dscp);
	return marks;
}

static int weir_trim_refuse(struct weir_trim_refusal *refusal, int err,
			    int attr, const char *msg)
{
	refusal->err = err;
	refusal->attr = attr;
	refusal->msg = msg;
	return err;
}

static int weir_trim_check_classes(const struct weir_trim_config *config,
				   struct weir_trim_refusal *refusal)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(config->dscp_tc); i++)
		if (config->has & WEIR_TRIM_HAS_DSCP_TC &&
		    config->dscp_tc[i] != WEIR_TRIM_NO_CLASS &&
		    config->dscp_tc[i] >= WEIR_TRIM_CLASSES)
			return weir_trim_refuse(refusal, -EINVAL,
						WEIR_A_TRIM_DSCP_TC,
						"a traffic class is 15 at most");

	for (i = 0; i < WEIR_TRIM_CLASSES; i++)
		if (config->tc_dscp[i] > 63)
			return weir_trim_refuse(refusal, -EINVAL,
						WEIR_A_TRIM_TC_DSCP,
						"a DSCP is 63 at most");
	return 0;
}

/* Packets without a mark would all go for trimmed, returned or control ones. */
static int weir_trim_check_zero(const struct weir_trim_config *config,
				struct weir_trim_refusal *refusal)
{
	int attr;

	if (!(weir_trim_marks(config) & 1))
		return 0;
	if (config->has & WEIR_TRIM_HAS_TC && !weir_trim_config_dscp(config))
		return weir_trim_refuse(refusal, -EINVAL, WEIR_A_TRIM_TC,
					"the class has DSCP 0, as packets without a mark: give it one by tc-dscp");
	if (!weir_trim_config_dscp(config))
		attr = WEIR_A_TRIM_DSCP;
	else if (config->trimmed_dscps & 1)
		attr = WEIR_A_TRIM_TRIMMED_DSCPS;
	else if (config->control_dscps & 1)
		attr = WEIR_A_TRIM_CONTROL_DSCPS;
	else
		attr = WEIR_A_TRIM_RETURN_DSCP;
	return weir_trim_refuse(refusal, -EINVAL, attr,
				"DSCP 0 is that of packets without a mark: choose another one");
}

static int weir_trim_check_marks(const struct weir_trim_config *config,
				 struct weir_trim_refusal *refusal)
{
	if (!(config->has & (WEIR_TRIM_HAS_DSCP | WEIR_TRIM_HAS_TC)))
		return weir_trim_refuse(refusal, -EINVAL, WEIR_A_TRIM_DSCP,
					"say which DSCP trimmed packets get: dscp or tc is missing");
	if (weir_trim_trimmed(config) & config->control_dscps)
		return weir_trim_refuse(refusal, -EINVAL,
					WEIR_A_TRIM_CONTROL_DSCPS,
					"a DSCP is that of trimmed packets or of control ones, not of both");
	if (config->has & WEIR_TRIM_HAS_RETURN &&
	    (weir_trim_trimmed(config) | config->control_dscps) >>
	    config->return_dscp & 1)
		return weir_trim_refuse(refusal, -EINVAL,
					WEIR_A_TRIM_RETURN_DSCP,
					"packets that go back need another DSCP than trimmed or control ones");
	return weir_trim_check_zero(config, refusal);
}

/*
 * A rule for all DSCPs is taken to leave the marks out. A rule that names a mark would
 * have trimmed packets trimmed again.
 */
static int weir_trim_check_rule(const struct weir_trim_config *config,
				const struct weir_trim_rule *rule,
				struct weir_trim_refusal *refusal)
{
	if (!weir_trim_rule_has_ports(rule))
		return weir_trim_refuse(refusal, -EINVAL, WEIR_A_TRIM_RULE,
					"only UDP and TCP have ports");
	if (rule->disable || rule->dscps == WEIR_TRIM_ANY_DSCP)
		return 0;
	if (rule->dscps & weir_trim_marks(config))
		return weir_trim_refuse(refusal, -EINVAL, WEIR_A_TRIM_RULE,
					"packets with the DSCP of trimmed, returned or control ones cannot be trimmed");
	return 0;
}

static int weir_trim_check_rules(const struct weir_trim_config *config,
				 struct weir_trim_refusal *refusal)
{
	bool trims = false;
	unsigned int i;
	int err;

	for (i = 0; i < config->rules; i++) {
		err = weir_trim_check_rule(config, &config->rule[i], refusal);
		if (err)
			return err;
		trims |= !config->rule[i].disable;
	}
	if (!trims)
		return weir_trim_refuse(refusal, -EINVAL, WEIR_A_TRIM_RULE,
					"say which packets are trimmed: a rule is missing");
	return 0;
}

static int weir_trim_check_limit(const struct weir_trim_config *config,
				 struct weir_trim_refusal *refusal)
{
	if (!config->limit && !config->limit_bytes && !config->limit_time && !config->alpha)
		return weir_trim_refuse(refusal, -EINVAL, WEIR_A_TRIM_LIMIT,
					weir_trim_limitless);
	return 0;
}

/* Of the weir qdiscs of a port that programs meter, nothing is known before the qdisc. */
static int weir_trim_check_pool(const struct weir_trim_config *config,
				struct weir_trim_refusal *refusal)
{
	if (config->hook != WEIR_TRIM_HOOK_QDISC && (config->pool || config->alpha))
		return weir_trim_refuse(refusal, -EOPNOTSUPP,
					config->pool ? WEIR_A_TRIM_POOL :
						       WEIR_A_TRIM_LIMIT_DYNAMIC,
					"only hook qdisc shares a pool of buffer");
	if (config->alpha && !config->pool)
		return weir_trim_refuse(refusal, -EINVAL, WEIR_A_TRIM_POOL,
					"a dynamic limit is a part of what is free in a pool: pool is missing");
	return 0;
}

static int weir_trim_check_bands(const struct weir_trim_config *config,
				 struct weir_trim_refusal *refusal)
{
	if (config->share == WEIR_TRIM_SHARE_BYTES &&
	    config->share_value > WEIR_TRIM_BYTES_MAX)
		return weir_trim_refuse(refusal, -EINVAL,
					WEIR_A_TRIM_SHARE_VALUE,
					"headers get 99 percent of the bytes at most");
	if (weir_trim_has_return(config) &&
	    config->hook == WEIR_TRIM_HOOK_TC)
		return weir_trim_refuse(refusal, -EOPNOTSUPP, WEIR_A_TRIM_FULL,
					"packets cannot go back from the tc hook");
	if (weir_trim_has_return(config) &&
	    !(config->has & WEIR_TRIM_HAS_RETURN))
		return weir_trim_refuse(refusal, -EINVAL,
					WEIR_A_TRIM_RETURN_DSCP,
					"say which DSCP packets get that go back: return-dscp is missing");
	return 0;
}

/* Features that only the qdisc has, or that XDP lacks. */
static int weir_trim_check_hook(const struct weir_trim_config *config,
				const struct weir_trim_device *device,
				struct weir_trim_refusal *refusal)
{
	if (config->hook == WEIR_TRIM_HOOK_QDISC &&
	    (config->overhead || config->mpu))
		return weir_trim_refuse(refusal, -EOPNOTSUPP,
					config->overhead ? WEIR_A_TRIM_OVERHEAD :
							   WEIR_A_TRIM_MPU,
					"the qdisc meters no rate that overhead could count for");
	if (weir_trim_has_bands(config))
		return 0;
	if (config->port_limit)
		return weir_trim_refuse(refusal, -EOPNOTSUPP,
					WEIR_A_TRIM_PORT_LIMIT,
					"only weir qdiscs share a limit: take hook qdisc, or hook xdp with meter backlog");
	if (config->victim != WEIR_TRIM_VICTIM_ARRIVING)
		return weir_trim_refuse(refusal, -EOPNOTSUPP,
					WEIR_A_TRIM_VICTIM,
					"only the qdisc can trim packets that wait");
	/* Only the default was not requested. */
	if (config->share != WEIR_TRIM_SHARE_RATIO ||
	    config->share_value != WEIR_TRIM_RATIO_DEFAULT)
		return weir_trim_refuse(refusal, -EOPNOTSUPP,
					WEIR_A_TRIM_SHARE,
					"only the qdisc has two bands that share the link");
	if (config->hook == WEIR_TRIM_HOOK_TC)
		return 0;
	if (!device->sends)
		return weir_trim_refuse(refusal, -EOPNOTSUPP,
					WEIR_A_TRIM_IFINDEX,
					"the driver cannot send what XDP redirects: take hook qdisc or tc");
	if (config->has & WEIR_TRIM_HAS_PRIORITY)
		return weir_trim_refuse(refusal, -EOPNOTSUPP,
					WEIR_A_TRIM_PRIORITY,
					"packets have no priority at the xdp hook");
	return 0;
}

/*
 * A CPU's share of the rate in each mode, in millionths. In the paper's switch, of
 * four pipelines, these are all, half and a quarter. Four quarters together do not
 * exceed the port's rate, so a box of N CPUs takes an Nth.
 */
static void weir_trim_shares(const struct weir_trim_config *config, u32 cpus,
			     u32 shares[WEIR_TRIM_MODES])
{
	u64 part = WEIR_TRIM_SHARE_ALL / cpus;
	u64 said[WEIR_TRIM_MODES] = {
		[WEIR_TRIM_OPTIMISTIC]	= WEIR_TRIM_SHARE_ALL,
		[WEIR_TRIM_HALF]	= 2 * part,
		[WEIR_TRIM_PESSIMISTIC]	= part,
	};
	u32 most = WEIR_TRIM_SHARE_ALL;
	int i;

	for (i = 0; i < WEIR_TRIM_MODES; i++) {
		if (config->has & WEIR_TRIM_HAS_PERCENT(i))
			shares[i] = config->percent[i] * WEIR_TRIM_SHARE_PERCENT;
		else
			shares[i] = min_t(u64, said[i], most);
		most = shares[i];
	}
}

/* Ticks a byte, << WEIR_TRIM_COST_SHIFT, at a share of a rate. */
static u64 weir_trim_cost(u64 rate, u32 share)
{
	u64 cost = (u64)NSEC_PER_SEC << (WEIR_TRIM_TICK_SHIFT +
					 WEIR_TRIM_COST_SHIFT);
	u64 own = mul_u64_u32_div(rate, share, WEIR_TRIM_SHARE_ALL);

	/* No port is so fast that a byte costs nothing. */
	return max_t(u64, 1, div64_u64(cost, max_t(u64, 1, own)));
}

static int weir_trim_check_modes(const struct weir_trim_config *config,
				 const u32 shares[WEIR_TRIM_MODES],
				 struct weir_trim_refusal *refusal)
{
	if (shares[WEIR_TRIM_HALF] > shares[WEIR_TRIM_OPTIMISTIC] ||
	    shares[WEIR_TRIM_PESSIMISTIC] > shares[WEIR_TRIM_HALF])
		return weir_trim_refuse(refusal, -EINVAL, WEIR_A_TRIM_HALF,
					"the shares must fall: optimistic, half, pessimistic");
	if (config->t1 < config->t0)
		return weir_trim_refuse(refusal, -EINVAL, WEIR_A_TRIM_T1,
					"t1 cannot be before t0");
	return 0;
}

/* The cost of a byte at the least share must fit its field. */
static int weir_trim_check_cost(const struct weir_trim_config *config,
				const u32 shares[WEIR_TRIM_MODES],
				struct weir_trim_refusal *refusal)
{
	if (config->meter != WEIR_TRIM_METER_PERCPU ||
	    weir_trim_cost(config->rate, shares[WEIR_TRIM_PESSIMISTIC]) <=
	    WEIR_TRIM_COST_MAX)
		return 0;
	return weir_trim_refuse(refusal, -EINVAL,
				config->has & WEIR_TRIM_HAS_PERCENT(WEIR_TRIM_PESSIMISTIC) ?
				WEIR_A_TRIM_PESSIMISTIC : WEIR_A_TRIM_RATE,
				"what a CPU takes of the rate at least is too slow to be metered");
}

static int weir_trim_check_meter(const struct weir_trim_config *config,
				 const u32 shares[WEIR_TRIM_MODES],
				 struct weir_trim_refusal *refusal)
{
	if (config->meter == WEIR_TRIM_METER_BACKLOG)
		return config->hook == WEIR_TRIM_HOOK_XDP ? 0 :
		       weir_trim_refuse(refusal, -EOPNOTSUPP,
					WEIR_A_TRIM_METER,
					"only the xdp hook can read the backlog of a weir qdisc");
	if (!(config->has & WEIR_TRIM_HAS_RATE))
		return weir_trim_refuse(refusal, -EINVAL, WEIR_A_TRIM_RATE,
					"say how fast the port is: rate is missing");
	if (config->rate < WEIR_TRIM_RATE_MIN)
		return weir_trim_refuse(refusal, -EINVAL, WEIR_A_TRIM_RATE,
					"the rate must be 1000 bytes a second at least");
	return weir_trim_check_cost(config, shares, refusal);
}

/**
 * weir_trim_config_childless() - find a setting of a policy that rules out a child qdisc
 * @config: the policy
 *
 * A child does not show how long its packets have waited, and gives none back.
 *
 * Return: the reason, or NULL.
 */
const char *weir_trim_config_childless(const struct weir_trim_config *config)
{
	if (!weir_trim_has_qdisc(config))
		return NULL;
	if (config->limit_time)
		return weir_trim_childless_time;
	if (config->victim != WEIR_TRIM_VICTIM_ARRIVING)
		return "packets in weir's child cannot be trimmed: the victim must be arriving";
	return NULL;
}

static int weir_trim_check_child(const struct weir_trim_config *config,
				 struct weir_trim_refusal *refusal)
{
	const char *msg = weir_trim_config_childless(config);

	if (!msg)
		return 0;
	return weir_trim_refuse(refusal, -EOPNOTSUPP,
				config->limit_time ? WEIR_A_TRIM_LIMIT_TIME :
						     WEIR_A_TRIM_VICTIM, msg);
}

/* A queue chosen dynamically is one of the trimmed packets' class. */
static bool weir_trim_has_class(const struct weir_trim_config *config)
{
	return config->has & WEIR_TRIM_HAS_QUEUE &&
	       config->queue == WEIR_TRIM_QUEUE_DYNAMIC;
}

/* The traffic class of trimmed packets with a DSCP, or WEIR_TRIM_NO_CLASS. */
static u8 weir_trim_config_class(const struct weir_trim_config *config, u8 dscp)
{
	if (config->has & WEIR_TRIM_HAS_DSCP_TC)
		return config->dscp_tc[dscp];
	return config->has & WEIR_TRIM_HAS_TC ? config->tc : WEIR_TRIM_NO_CLASS;
}

/* The traffic class of packets with a DSCP, for counters. */
static u8 weir_trim_config_tc(const struct weir_trim_config *config, u8 dscp)
{
	u8 class = config->has & WEIR_TRIM_HAS_DSCP_TC ? config->dscp_tc[dscp] :
							 WEIR_TRIM_NO_CLASS;

	return class == WEIR_TRIM_NO_CLASS ? dscp >> 3 : class;
}

/* Return true if a device lacks a class. Without classes, queue n of a device is class n. */
static bool weir_trim_lacks_class(const struct weir_trim_device *device, u8 class)
{
	return class >= (device->classes ?: device->queues);
}

static int weir_trim_check_class(const struct weir_trim_config *config,
				 const struct weir_trim_device *device,
				 struct weir_trim_refusal *refusal)
{
	int attr = config->has & WEIR_TRIM_HAS_DSCP_TC ? WEIR_A_TRIM_DSCP_TC :
							 WEIR_A_TRIM_TC;
	u8 class = weir_trim_config_class(config, weir_trim_config_dscp(config));
	u64 marks = weir_trim_marks(config);
	u8 dscp;

	if (class == WEIR_TRIM_NO_CLASS)
		return weir_trim_refuse(refusal, -EINVAL, attr,
					"say whose queue trimmed packets get: tc or dscp-tc is missing");
	for (dscp = 0; dscp < ARRAY_SIZE(config->dscp_tc); dscp++) {
		class = weir_trim_config_class(config, dscp);
		if (marks >> dscp & 1 && class != WEIR_TRIM_NO_CLASS &&
		    weir_trim_lacks_class(device, class))
			return weir_trim_refuse(refusal, -EINVAL, attr,
						"the device has no such traffic class: mqprio gives it some");
	}
	return 0;
}

static int weir_trim_check_queue(const struct weir_trim_config *config,
				 const struct weir_trim_device *device,
				 struct weir_trim_refusal *refusal)
{
	int err;

	if (!(config->has & WEIR_TRIM_HAS_QUEUE))
		return 0;
	if (config->hook == WEIR_TRIM_HOOK_XDP)
		return weir_trim_refuse(refusal, -EOPNOTSUPP, WEIR_A_TRIM_QUEUE,
					"the xdp hook cannot choose a transmit queue");
	err = weir_trim_has_class(config) ?
	      weir_trim_check_class(config, device, refusal) : 0;
	if (err)
		return err;
	if (!weir_trim_has_class(config) && config->queue >= device->queues)
		return weir_trim_refuse(refusal, -EINVAL, WEIR_A_TRIM_QUEUE,
					"the device does not have as many transmit queues");
	if (weir_trim_has_bands(config) && device->bound)
		return weir_trim_refuse(refusal, -EOPNOTSUPP, WEIR_A_TRIM_QUEUE,
					"below mq the queue is chosen before the qdisc: take hook tc, or a root qdisc");
	return 0;
}

static int weir_trim_check_device(const struct weir_trim_config *config,
				  const struct weir_trim_device *device,
				  struct weir_trim_refusal *refusal)
{
	int err;

	if (!device->ethernet)
		return weir_trim_refuse(refusal, -EOPNOTSUPP,
					WEIR_A_TRIM_IFINDEX,
					"packets of the device have no Ethernet header");
	if (device->vrf && config->hook == WEIR_TRIM_HOOK_TC)
		return weir_trim_refuse(refusal, -EOPNOTSUPP, WEIR_A_TRIM_HOOK,
					"a VRF sends past the hook tc: set the policies of its members");
	err = weir_trim_check_queue(config, device, refusal);
	if (err)
		return err;
	return device->child ? weir_trim_check_child(config, refusal) : 0;
}

/**
 * weir_trim_config_check() - check the settings of a policy
 * @config: the policy
 * @device: its device
 * @refusal: the reason of a refusal
 *
 * Return: 0, or a negative error with @refusal filled.
 */
int weir_trim_config_check(const struct weir_trim_config *config,
			   const struct weir_trim_device *device,
			   struct weir_trim_refusal *refusal)
{
	u32 shares[WEIR_TRIM_MODES];
	int err = 0;

	/* Nothing is trimmed, and no other field is read. */
	if (config->hook == WEIR_TRIM_HOOK_NONE)
		return 0;
	err = err ?: weir_trim_check_device(config, device, refusal);
	err = err ?: weir_trim_check_classes(config, refusal);
	err = err ?: weir_trim_check_marks(config, refusal);
	err = err ?: weir_trim_check_rules(config, refusal);
	err = err ?: weir_trim_check_limit(config, refusal);
	err = err ?: weir_trim_check_pool(config, refusal);
	err = err ?: weir_trim_check_bands(config, refusal);
	err = err ?: weir_trim_check_hook(config, device, refusal);
	if (err || config->hook == WEIR_TRIM_HOOK_QDISC)
		return err;
	weir_trim_shares(config, device->cpus, shares);
	err = weir_trim_check_modes(config, shares, refusal);
	return err ?: weir_trim_check_meter(config, shares, refusal);
}

/**
 * weir_trim_config_check_default() - check the settings of a namespace's default policy
 * @config: the default; each port may give the fields that it lacks
 * @refusal: the reason of a refusal
 *
 * Rules are checked together with marks, and each port may have other marks.
 *
 * Return: 0, or a negative error with @refusal filled.
 */
int weir_trim_config_check_default(const struct weir_trim_config *config,
				   struct weir_trim_refusal *refusal)
{
	int err = weir_trim_check_classes(config, refusal);

	return err ?: weir_trim_check_limit(config, refusal);
}

/*
 * Return true if a rule has conditions on addresses, source ports or ingress devices, as few have.
 */
static bool weir_trim_asks_ends(const struct weir_trim_config *config)
{
	unsigned int i;

	if (config->acl)
		return true;
	for (i = 0; i < config->rules; i++)
		if (config->rule[i].what.ip || config->rule[i].what.sport ||
		    config->rule[i].from)
			return true;
	return false;
}

/**
 * weir_trim_config_idle() - test whether a device's frames are too short to be trimmed
 * @config: the policy
 * @device: its device
 *
 * This is no mistake of the policy's: a device may get its MTU after its policy.
 */
bool weir_trim_config_idle(const struct weir_trim_config *config,
			   const struct weir_trim_device *device)
{
	return config->hook != WEIR_TRIM_HOOK_NONE &&
	       config->size >= device->frame;
}

/* The rule that decides about all packets with a DSCP, as struct weir_trim_policy has it. */
static u8 weir_trim_config_ruled(const struct weir_trim_policy *policy,
				 unsigned int dscp)
{
	const struct weir_trim_rule *rule;
	u8 ruled = 0;
	u32 i;

	for (i = 0; i < policy->rules; i++) {
		rule = &policy->rule[i];
		if (!(rule->dscps & BIT_ULL(dscp)))
			continue;
		if (rule->mask || rule->from)
			return 0;
		if (rule->disable)
			return (rule->slot + 1) | WEIR_TRIM_FORBIDS;
		ruled = ruled ?: rule->slot + 1;
	}
	return policy->flags & WEIR_TRIM_ASKS_ACL ? 0 : ruled;
}

/* No packet is eligible while no frame is long enough: else all would only be marked. */
static void weir_trim_config_policy(const struct weir_trim_config *config,
				    const struct weir_trim_device *device,
				    struct weir_trim_policy *policy)
{
	bool idle = weir_trim_config_idle(config, device);
	u64 marks = weir_trim_marks(config);
	unsigned int i;

	policy->ifindex = device->ifindex;
	policy->size = config->size;
	policy->priority = config->priority;
	policy->queue = config->queue;
	for (i = 0; i < ARRAY_SIZE(policy->class); i++)
		policy->class[i] = weir_trim_config_class(config, i);
	for (i = 0; i < ARRAY_SIZE(policy->tc); i++)
		policy->tc[i] = weir_trim_config_tc(config, i);
	policy->dscp = weir_trim_config_dscp(config);
	policy->marks = weir_trim_trimmed(config);
	policy->controls = config->control_dscps;
	policy->return_dscp = config->return_dscp;
	if (config->length == WEIR_TRIM_LENGTH_KEEP)
		policy->flags |= WEIR_TRIM_KEEP_LENGTH;
	if (weir_trim_has_return(config))
		policy->flags |= WEIR_TRIM_RETURN;
	if (config->full == WEIR_TRIM_FULL_RETURN_ALWAYS)
		policy->flags |= WEIR_TRIM_RETURN_ALWAYS;
	if (config->has & WEIR_TRIM_HAS_PRIORITY)
		policy->flags |= WEIR_TRIM_SET_PRIORITY;
	if (weir_trim_has_class(config))
		policy->flags |= WEIR_TRIM_SET_CLASS;
	else if (config->has & WEIR_TRIM_HAS_QUEUE)
		policy->flags |= WEIR_TRIM_SET_QUEUE;

	policy->rules = config->rules;
	if (weir_trim_asks_ends(config))
		policy->flags |= WEIR_TRIM_ASKS_ENDS;
	if (config->acl)
		policy->flags |= WEIR_TRIM_ASKS_ACL;
	for (i = 0; i < config->rules; i++) {
		policy->rule[i] = config->rule[i];
		weir_trim_rule_mask(&policy->rule[i]);
		if (policy->rule[i].disable || idle)
			continue;
		policy->rule[i].dscps &= ~marks;
		policy->dscps |= policy->rule[i].dscps;
	}
	for (i = 0; i < ARRAY_SIZE(policy->ruled); i++)
		policy->ruled[i] = weir_trim_config_ruled(policy, i);
}

/*
 * Ticks that bytes take. A product beyond 64 bits lasts four minutes at least after the
 * shift. A band with so much room has no limit in practice.
 */
static u64 weir_trim_ticks(u64 bytes, u64 cost)
{
	u64 ticks;

	if (check_mul_overflow(bytes, cost, &ticks))
		ticks = U64_MAX;
	return ticks >> WEIR_TRIM_COST_SHIFT;
}

static u64 weir_trim_us_ticks(u32 us)
{
	return (u64)us * NSEC_PER_USEC << WEIR_TRIM_TICK_SHIFT;
}

/* The smallest of the limits that are given. */
static u64 weir_trim_limit(const struct weir_trim_config *config, u32 frame,
			   u64 cost)
{
	u64 limit = U64_MAX;

	if (config->limit)
		limit = weir_trim_ticks((u64)config->limit * frame, cost);
	if (config->limit_bytes)
		limit = min(limit, weir_trim_ticks(config->limit_bytes, cost));
	if (config->limit_time)
		limit = min(limit, weir_trim_us_ticks(config->limit_time));
	return limit;
}

static void weir_trim_config_meters(const struct weir_trim_config *config,
				    const struct weir_trim_device *device,
				    struct weir_trim_meters *meters)
{
	u64 cost = weir_trim_cost(config->rate, WEIR_TRIM_SHARE_ALL);
	u32 shares[WEIR_TRIM_MODES];
	int i;

	meters->kind = config->meter;
	meters->overhead = config->overhead;
	meters->mpu = config->mpu;
	meters->t0 = config->t0 * NSEC_PER_USEC;
	meters->t1 = config->t1 * NSEC_PER_USEC;
	if (config->meter == WEIR_TRIM_METER_BACKLOG)
		return;
	weir_trim_shares(config, device->cpus, shares);
	for (i = 0; i < WEIR_TRIM_MODES; i++)
		meters->cost[i] = config->meter == WEIR_TRIM_METER_SHARED ?
				  cost : weir_trim_cost(config->rate, shares[i]);
	meters->limit = weir_trim_limit(config,
					weir_meter_line(meters, device->frame),
					cost);
	meters->header_limit = config->header_time ?
			       weir_trim_us_ticks(config->header_time) :
			       weir_trim_ticks((u64)config->headers *
					       weir_meter_line(meters, config->size),
					       cost);
}

/**
 * weir_trim_config_port() - make the form that hooks and programs read
 * @config: the policy, which makes sense
 * @device: its device
 * @port: filled, but for its stamps; was zero
 */
void weir_trim_config_port(const struct weir_trim_config *config,
			   const struct weir_trim_device *device,
			   struct weir_trim_port *port)
{
	port->hook = config->hook;
	if (config->hook == WEIR_TRIM_HOOK_NONE)
		return;
	weir_trim_config_policy(config, device, &port->policy);
	if (config->hook != WEIR_TRIM_HOOK_QDISC)
		weir_trim_config_meters(config, device, &port->meters);
}

/**
 * weir_trim_config_bands() - make the limits of the bands of the port's qdiscs
 * @config: the policy, which makes sense
 * @limits: filled
 */
void weir_trim_config_bands(const struct weir_trim_config *config,
			    struct weir_bands_limits *limits)
{
	*limits = (struct weir_bands_limits) {
		.bytes		= config->limit_bytes,
		.port_bytes	= config->port_limit,
		.time		= config->limit_time * NSEC_PER_USEC,
		.header_time	= config->header_time * NSEC_PER_USEC,
		.packets	= config->limit,
		.headers	= config->headers,
		.others		= config->other_limit,
		.share		= config->share,
		.share_value	= config->share_value,
		.victim		= config->victim,
		.alpha		= config->alpha,
	};
}
