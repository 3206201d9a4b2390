// SPDX-License-Identifier: GPL-2.0
/* Trimming policies: refusals, and the forms for hooks and programs. */
#include <uapi/weir_trim_nl.h>

#include "kernel.h"

#include "trim/mode_time.h"
#include "trim/trim_config.h"
#include "trim/trim_default.h"
#include "unit.h"

static const struct weir_trim_device device = {
	.frame = 1514, .queues = 2, .classes = 3, .cpus = 4, .ethernet = true, .sends = true,
};
static struct weir_trim_config config;
static struct weir_trim_refusal refusal;

static void setup(u32 hook)
{
	weir_trim_config_init(&config);
	config.hook = hook;
	config.dscp = 11;
	config.has = WEIR_TRIM_HAS_DSCP;
	config.rules = 1;
	config.rule[0].dscps = BIT_ULL(10);
	if (hook != WEIR_TRIM_HOOK_QDISC) {
		config.rate = 125000000;
		config.has |= WEIR_TRIM_HAS_RATE;
	}
}

static void say_percent(enum weir_trim_mode mode, u32 percent)
{
	config.percent[mode] = percent;
	config.has |= WEIR_TRIM_HAS_PERCENT(mode);
}

static int check(void)
{
	refusal = (struct weir_trim_refusal) { };
	return weir_trim_config_check(&config, &device, &refusal);
}

/* Refused with this error, at this attribute, in words. */
static bool refuses(int err, int attr)
{
	return check() == err && refusal.err == err && refusal.attr == attr &&
	       refusal.msg && *refusal.msg;
}

static void trim_config_defaults(void)
{
	int hook;

	for (hook = WEIR_TRIM_HOOK_QDISC; hook <= WEIR_TRIM_HOOK_XDP; hook++) {
		setup(hook);
		CHECK_EQ(check(), 0);
	}
	weir_trim_config_init(&config);
	config.hook = WEIR_TRIM_HOOK_NONE;
	CHECK_EQ(check(), 0);
}

/* The defaults of a policy, as in weir-trim(8). */
static void trim_config_initial(void)
{
	int i;

	memset(&config, 0xa5, sizeof(config));
	weir_trim_config_init(&config);
	CHECK_EQ(config.size, 128);
	CHECK_EQ(config.length, WEIR_TRIM_LENGTH_UPDATE);
	CHECK_EQ(config.limit, 12);
	CHECK_EQ(config.limit_bytes, 0);
	CHECK_EQ(config.limit_time, 0);
	CHECK_EQ(config.headers, 1000);
	CHECK_EQ(config.header_time, 10000);
	CHECK_EQ(config.victim, WEIR_TRIM_VICTIM_ARRIVING);
	CHECK_EQ(config.full, WEIR_TRIM_FULL_DROP);
	CHECK_EQ(config.meter, WEIR_TRIM_METER_SHARED);
	CHECK_EQ(config.t0, 6);
	CHECK_EQ(config.t1, 24);
	CHECK_EQ(config.share, WEIR_TRIM_SHARE_RATIO);
	CHECK_EQ(config.share_value, 10);
	CHECK_EQ(config.has, 0);
	CHECK_EQ(config.rules, 0);
	for (i = 0; i < 16; i++)
		CHECK_EQ(config.tc_dscp[i], i < 8 ? 8 * i : 0);
	for (i = 0; i < 64; i++)
		CHECK_EQ(config.dscp_tc[i], WEIR_TRIM_NO_CLASS);
}

static void trim_config_marks(void)
{
	setup(WEIR_TRIM_HOOK_QDISC);
	config.has = 0;
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_DSCP));
	config.has = WEIR_TRIM_HAS_TC;
	config.tc = 1;
	CHECK_EQ(check(), 0);
	config.tc = 7;
	config.tc_dscp[7] = 10;
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_RULE));
	config.tc_dscp[7] = 64;
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_TC_DSCP));
	config.tc_dscp[7] = 56;
	config.tc = 15;
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_TC));
	config.tc_dscp[15] = 11;
	CHECK_EQ(check(), 0);
	setup(WEIR_TRIM_HOOK_QDISC);
	config.has |= WEIR_TRIM_HAS_RETURN;
	config.return_dscp = 11;
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_RETURN_DSCP));
	config.return_dscp = 10;
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_RULE));
	config.rule[0].disable = 1;
	config.rules = 2;
	config.rule[1].dscps = BIT_ULL(9);
	CHECK_EQ(check(), 0);
}

/* The marks that other boxes give, and that of control packets. */
static void trim_config_more_marks(void)
{
	struct weir_trim_port port = { };

	setup(WEIR_TRIM_HOOK_QDISC);
	config.trimmed_dscps = BIT_ULL(13) | BIT_ULL(63);
	config.control_dscps = BIT_ULL(14);
	config.rules = 2;
	config.rule[1].dscps = U64_MAX;
	CHECK_EQ(check(), 0);
	weir_trim_config_port(&config, &device, &port);
	CHECK(port.policy.marks == (BIT_ULL(11) | BIT_ULL(13) | BIT_ULL(63)));
	CHECK(port.policy.controls == BIT_ULL(14));
	CHECK(port.policy.rule[1].dscps ==
	      ~(port.policy.marks | port.policy.controls));
	config.rule[0].dscps = BIT_ULL(13);
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_RULE));
	config.rule[0].dscps = BIT_ULL(14);
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_RULE));
	config.rule[0].dscps = BIT_ULL(10);
	config.control_dscps = BIT_ULL(63);
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_CONTROL_DSCPS));
	config.control_dscps = BIT_ULL(11);
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_CONTROL_DSCPS));
	config.control_dscps = BIT_ULL(14);
	config.has |= WEIR_TRIM_HAS_RETURN;
	config.return_dscp = 13;
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_RETURN_DSCP));
	config.return_dscp = 14;
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_RETURN_DSCP));
}

/* A rule for any DSCP leaves out packets that were trimmed already. */
static void trim_config_any_dscp(void)
{
	struct weir_trim_port port = { };

	setup(WEIR_TRIM_HOOK_QDISC);
	config.rule[0].dscps = U64_MAX;
	config.has |= WEIR_TRIM_HAS_RETURN;
	config.return_dscp = 12;
	config.rules = 2;
	config.rule[1].dscps = U64_MAX;
	config.rule[1].disable = 1;
	CHECK_EQ(check(), 0);
	weir_trim_config_port(&config, &device, &port);
	CHECK(port.policy.dscps == ~(BIT_ULL(11) | BIT_ULL(12)));
	CHECK(port.policy.rule[0].dscps == port.policy.dscps);
	CHECK(port.policy.rule[1].dscps == U64_MAX);
	CHECK_EQ(port.policy.rules, 2);
}

/* Rules that compare the DSCP alone decide once, and others for each packet. */
static void trim_config_ruled(void)
{
	struct weir_trim_port port = { };

	setup(WEIR_TRIM_HOOK_QDISC);
	config.rules = 4;
	config.rule[0].dscps = BIT_ULL(10) | BIT_ULL(12);
	config.rule[0].slot = 3;
	config.rule[1].dscps = BIT_ULL(12) | BIT_ULL(14) | BIT_ULL(15);
	config.rule[1].slot = 4;
	config.rule[2].dscps = BIT_ULL(12);
	config.rule[2].disable = 1;
	config.rule[2].slot = 5;
	config.rule[3].dscps = BIT_ULL(14) | BIT_ULL(16);
	config.rule[3].what.port = 4791;
	config.rule[3].slot = 6;
	CHECK_EQ(check(), 0);
	weir_trim_config_port(&config, &device, &port);
	CHECK_EQ(port.policy.ruled[10], 4);
	CHECK_EQ(port.policy.ruled[12], 6 | WEIR_TRIM_FORBIDS);
	CHECK_EQ(port.policy.ruled[14], 0);
	CHECK_EQ(port.policy.ruled[15], 5);
	CHECK_EQ(port.policy.ruled[16], 0);
	CHECK_EQ(port.policy.ruled[17], 0);
	config.rule[3].what.port = 0;
	config.rule[3].from = 7;
	port = (struct weir_trim_port) { };
	weir_trim_config_port(&config, &device, &port);
	CHECK_EQ(port.policy.ruled[14], 0);
}

static void trim_config_hooks(void)
{
	setup(WEIR_TRIM_HOOK_TC);
	config.full = WEIR_TRIM_FULL_RETURN;
	CHECK(refuses(-EOPNOTSUPP, WEIR_A_TRIM_FULL));
	config.hook = WEIR_TRIM_HOOK_XDP;
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_RETURN_DSCP));
	config.has |= WEIR_TRIM_HAS_RETURN;
	config.return_dscp = 12;
	CHECK_EQ(check(), 0);
	config.victim = WEIR_TRIM_VICTIM_COIN;
	CHECK(refuses(-EOPNOTSUPP, WEIR_A_TRIM_VICTIM));
	/* A program that reads the qdisc's backlog needs no rate. */
	config.meter = WEIR_TRIM_METER_BACKLOG;
	config.has &= ~WEIR_TRIM_HAS_RATE;
	CHECK_EQ(check(), 0);
	setup(WEIR_TRIM_HOOK_TC);
	config.meter = WEIR_TRIM_METER_BACKLOG;
	CHECK(refuses(-EOPNOTSUPP, WEIR_A_TRIM_METER));
}

/* Settings that make no sense at a hook, and where they do. */
static void trim_config_only_there(void)
{
	setup(WEIR_TRIM_HOOK_TC);
	config.share = WEIR_TRIM_SHARE_STRICT;
	CHECK(refuses(-EOPNOTSUPP, WEIR_A_TRIM_SHARE));
	weir_trim_config_share(&config, WEIR_TRIM_SHARE_RATIO);
	config.share_value = 5;
	CHECK(refuses(-EOPNOTSUPP, WEIR_A_TRIM_SHARE));
	config.hook = WEIR_TRIM_HOOK_XDP;
	CHECK(refuses(-EOPNOTSUPP, WEIR_A_TRIM_SHARE));
	config.meter = WEIR_TRIM_METER_BACKLOG;
	CHECK_EQ(check(), 0);
	setup(WEIR_TRIM_HOOK_XDP);
	config.has |= WEIR_TRIM_HAS_PRIORITY;
	CHECK(refuses(-EOPNOTSUPP, WEIR_A_TRIM_PRIORITY));
	config.has &= ~WEIR_TRIM_HAS_PRIORITY;
	config.has |= WEIR_TRIM_HAS_QUEUE;
	CHECK(refuses(-EOPNOTSUPP, WEIR_A_TRIM_QUEUE));
	config.hook = WEIR_TRIM_HOOK_TC;
	CHECK_EQ(check(), 0);
	config.t1 = config.t0 - 1;
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_T1));
	setup(WEIR_TRIM_HOOK_QDISC);
	config.limit = 0;
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_LIMIT));
	config.limit_time = 1;
	CHECK_EQ(check(), 0);
}

static void trim_config_rule_ports(void)
{
	setup(WEIR_TRIM_HOOK_QDISC);
	config.rule[0].what.port = 80;
	CHECK_EQ(check(), 0);
	config.rule[0].what.proto = IPPROTO_UDP;
	CHECK_EQ(check(), 0);
	config.rule[0].what.proto = IPPROTO_TCP;
	CHECK_EQ(check(), 0);
	config.rule[0].what.proto = IPPROTO_ICMP;
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_RULE));
	config.rule[0].what.port = 0;
	CHECK_EQ(check(), 0);
	config.rules = 0;
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_RULE));
}

/* A policy that trims nothing, or uses the qdisc, has no meters. */
static void trim_config_without_meters(void)
{
	struct weir_trim_port port = { };

	setup(WEIR_TRIM_HOOK_XDP);
	config.hook = WEIR_TRIM_HOOK_NONE;
	weir_trim_config_port(&config, &device, &port);
	CHECK_EQ(port.hook, WEIR_TRIM_HOOK_NONE);
	CHECK_EQ(port.policy.rules, 0);
	config.hook = WEIR_TRIM_HOOK_XDP;
	config.meter = WEIR_TRIM_METER_BACKLOG;
	config.has |= WEIR_TRIM_HAS_QUEUE;
	config.queue = 1;
	weir_trim_config_port(&config, &device, &port);
	CHECK_EQ(port.meters.kind, WEIR_TRIM_METER_BACKLOG);
	CHECK_EQ(port.meters.limit, 0);
	CHECK_EQ(port.meters.cost[WEIR_TRIM_OPTIMISTIC], 0);
	CHECK_EQ(port.policy.flags, WEIR_TRIM_SET_QUEUE);
	CHECK_EQ(port.policy.queue, 1);
}

static void trim_config_rates(void)
{
	setup(WEIR_TRIM_HOOK_XDP);
	config.rate = WEIR_TRIM_RATE_MIN - 1;
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_RATE));
	config.rate = WEIR_TRIM_RATE_MIN;
	CHECK_EQ(check(), 0);
	config.meter = WEIR_TRIM_METER_PERCPU;
	CHECK_EQ(check(), 0);
	say_percent(WEIR_TRIM_PESSIMISTIC, 1);
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_PESSIMISTIC));
	config.rate = U64_MAX;
	CHECK_EQ(check(), 0);
	say_percent(WEIR_TRIM_PESSIMISTIC, 51);
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_HALF));
	setup(WEIR_TRIM_HOOK_XDP);
	config.has &= ~WEIR_TRIM_HAS_RATE;
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_RATE));
}

/* Where each qdisc has a transmit queue of its own there is none to choose. */
static void trim_config_bound(void)
{
	struct weir_trim_device mq = device;

	mq.bound = true;
	setup(WEIR_TRIM_HOOK_QDISC);
	config.has |= WEIR_TRIM_HAS_QUEUE;
	config.queue = 1;
	CHECK_EQ(check(), 0);
	CHECK_EQ(weir_trim_config_check(&config, &mq, &refusal), -EOPNOTSUPP);
	CHECK_EQ(refusal.attr, WEIR_A_TRIM_QUEUE);
	config.hook = WEIR_TRIM_HOOK_TC;
	config.rate = 125000000;
	config.has |= WEIR_TRIM_HAS_RATE;
	CHECK_EQ(weir_trim_config_check(&config, &mq, &refusal), 0);
}

/* A queue of the class that trimmed packets have. */
static void trim_config_class(void)
{
	struct weir_trim_port port = { };

	setup(WEIR_TRIM_HOOK_TC);
	config.has |= WEIR_TRIM_HAS_QUEUE;
	config.queue = WEIR_TRIM_QUEUE_DYNAMIC;
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_TC));
	config.has = (config.has & ~WEIR_TRIM_HAS_DSCP) | WEIR_TRIM_HAS_TC;
	config.tc = 3;
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_TC));
	config.tc = 2;
	CHECK_EQ(check(), 0);
	weir_trim_config_port(&config, &device, &port);
	CHECK_EQ(port.policy.flags, WEIR_TRIM_SET_CLASS);
	CHECK_EQ(port.policy.class[16], 2);
	config.hook = WEIR_TRIM_HOOK_QDISC;
	CHECK_EQ(check(), 0);
	config.hook = WEIR_TRIM_HOOK_XDP;
	CHECK(refuses(-EOPNOTSUPP, WEIR_A_TRIM_QUEUE));
}

/* The class is that of the DSCP that packets have when they are trimmed. */
static void trim_config_dscp_class(void)
{
	struct weir_trim_device plain = device;
	struct weir_trim_port port = { };

	setup(WEIR_TRIM_HOOK_QDISC);
	config.has |= WEIR_TRIM_HAS_QUEUE | WEIR_TRIM_HAS_DSCP_TC;
	config.queue = WEIR_TRIM_QUEUE_DYNAMIC;
	config.trimmed_dscps = 1ull << 13;
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_DSCP_TC));
	config.dscp_tc[config.dscp] = 1;
	CHECK_EQ(check(), 0);
	weir_trim_config_port(&config, &device, &port);
	CHECK_EQ(port.policy.class[config.dscp], 1);
	CHECK_EQ(port.policy.class[13], WEIR_TRIM_NO_CLASS);
	config.dscp_tc[13] = 3;
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_DSCP_TC));
	config.dscp_tc[13] = 16;
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_DSCP_TC));
	/* Without classes each has the queue of its number. */
	plain.classes = 0;
	plain.queues = 4;
	config.dscp_tc[13] = 3;
	CHECK_EQ(weir_trim_config_check(&config, &plain, &refusal), 0);
	plain.queues = 3;
	CHECK_EQ(weir_trim_config_check(&config, &plain, &refusal), -EINVAL);
	config.hook = WEIR_TRIM_HOOK_TC;
	config.rate = 125000000;
	config.has |= WEIR_TRIM_HAS_RATE;
	config.dscp_tc[13] = WEIR_TRIM_NO_CLASS;
	CHECK_EQ(weir_trim_config_check(&config, &plain, &refusal), 0);
}

/* Fields that go together are inherited together, or not at all. */
static void trim_config_inherited(void)
{
	static struct weir_trim_config plain, def;

	weir_trim_config_init(&plain);
	def = config = plain;
	weir_trim_default_own(&def, BIT_ULL(WEIR_A_TRIM_DSCP) |
				    BIT_ULL(WEIR_A_TRIM_LIMIT), &plain);
	def.dscp = 11;
	def.has |= WEIR_TRIM_HAS_DSCP;
	def.limit = 30;
	weir_trim_default_apply(&config, &def);
	CHECK_EQ(config.dscp, 11);
	CHECK_EQ(config.has, WEIR_TRIM_HAS_DSCP);
	CHECK_EQ(config.limit, 30);
	CHECK_EQ(config.said, 0);
	weir_trim_default_own(&config, BIT_ULL(WEIR_A_TRIM_TC) |
				       BIT_ULL(WEIR_A_TRIM_LIMIT_TIME), &plain);
	CHECK_EQ(config.has, 0);
	CHECK_EQ(config.limit, WEIR_TRIM_LIMIT_DEFAULT);
	config.tc = 3;
	config.has |= WEIR_TRIM_HAS_TC;
	config.limit_time = 20;
	def.size = 100;
	weir_trim_default_apply(&config, &def);
	CHECK_EQ(config.has, WEIR_TRIM_HAS_TC);
	CHECK_EQ(config.limit, WEIR_TRIM_LIMIT_DEFAULT);
	CHECK_EQ(config.limit_time, 20);
	CHECK_EQ(config.size, 100);
	weir_trim_default_apply(&config, &plain);
	CHECK_EQ(config.size, WEIR_TRIM_SIZE_DEFAULT);
	CHECK_EQ(config.tc, 3);
	CHECK(!(weir_trim_default_attrs() & BIT_ULL(WEIR_A_TRIM_HOOK)));
	CHECK(weir_trim_default_attrs() & BIT_ULL(WEIR_A_TRIM_LIMIT_BYTES));
}

/* A dynamic limit is a limit, of a port with a pool, and no hook but qdisc has one. */
static void trim_config_pool(void)
{
	static struct weir_trim_pool *const pool = (void *)&device;
	static struct weir_trim_config plain, def;
	struct weir_bands_limits limits;

	setup(WEIR_TRIM_HOOK_QDISC);
	config.limit = 0;
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_LIMIT));
	config.alpha = 128;
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_POOL));
	config.pool = pool;
	CHECK_EQ(check(), 0);
	weir_trim_config_bands(&config, &limits);
	CHECK_EQ(limits.alpha, 128);
	setup(WEIR_TRIM_HOOK_TC);
	config.pool = pool;
	CHECK(refuses(-EOPNOTSUPP, WEIR_A_TRIM_POOL));
	config.pool = NULL;
	config.alpha = 128;
	CHECK(refuses(-EOPNOTSUPP, WEIR_A_TRIM_LIMIT_DYNAMIC));
	setup(WEIR_TRIM_HOOK_XDP);
	config.meter = WEIR_TRIM_METER_BACKLOG;
	config.pool = pool;
	CHECK(refuses(-EOPNOTSUPP, WEIR_A_TRIM_POOL));

	/* A port that is given one inherits no other limit. */
	CHECK(!(weir_trim_default_attrs() & BIT_ULL(WEIR_A_TRIM_LIMIT_DYNAMIC)));
	CHECK(!(weir_trim_default_attrs() & BIT_ULL(WEIR_A_TRIM_POOL)));
	weir_trim_config_init(&plain);
	def = config = plain;
	weir_trim_default_own(&def, BIT_ULL(WEIR_A_TRIM_LIMIT), &plain);
	def.limit = 30;
	weir_trim_default_own(&config, BIT_ULL(WEIR_A_TRIM_LIMIT_DYNAMIC), &plain);
	weir_trim_default_apply(&config, &def);
	CHECK_EQ(config.limit, WEIR_TRIM_LIMIT_DEFAULT);
}

/* Frames that its driver cannot send are not redirected to a device. */
static void trim_config_sends(void)
{
	struct weir_trim_device vlan = device;

	vlan.sends = false;
	setup(WEIR_TRIM_HOOK_XDP);
	CHECK_EQ(weir_trim_config_check(&config, &vlan, &refusal), -EOPNOTSUPP);
	CHECK_EQ(refusal.attr, WEIR_A_TRIM_IFINDEX);
	config.meter = WEIR_TRIM_METER_BACKLOG;
	CHECK_EQ(weir_trim_config_check(&config, &vlan, &refusal), 0);
	setup(WEIR_TRIM_HOOK_TC);
	CHECK_EQ(weir_trim_config_check(&config, &vlan, &refusal), 0);
}

static void trim_config_device(void)
{
	static const struct weir_trim_device tunnel = {
		.frame = 1500, .queues = 1, .cpus = 1,
	};

	setup(WEIR_TRIM_HOOK_QDISC);
	config.has |= WEIR_TRIM_HAS_QUEUE;
	config.queue = 1;
	CHECK_EQ(check(), 0);
	config.queue = 2;
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_QUEUE));
	CHECK_EQ(weir_trim_config_check(&config, &tunnel, &refusal),
		 -EOPNOTSUPP);
}

/* A child of the qdisc does not show how long packets wait, and gives none back. */
static void trim_config_child(void)
{
	struct weir_trim_device with = device;

	with.child = true;
	setup(WEIR_TRIM_HOOK_QDISC);
	CHECK_EQ(weir_trim_config_check(&config, &with, &refusal), 0);
	config.limit_time = 3;
	CHECK_EQ(weir_trim_config_check(&config, &with, &refusal), -EOPNOTSUPP);
	CHECK_EQ(refusal.attr, WEIR_A_TRIM_LIMIT_TIME);
	config.limit_time = 0;
	config.victim = WEIR_TRIM_VICTIM_COIN;
	CHECK_EQ(weir_trim_config_check(&config, &with, &refusal), -EOPNOTSUPP);
	CHECK_EQ(refusal.attr, WEIR_A_TRIM_VICTIM);
	/* Hook tc has no such queue. */
	setup(WEIR_TRIM_HOOK_TC);
	config.limit_time = 3;
	CHECK_EQ(weir_trim_config_check(&config, &with, &refusal), 0);
}

/* A VRF has no hook tc: its members have. */
static void trim_config_vrf(void)
{
	struct weir_trim_device vrf = device;
	u32 hook;

	vrf.vrf = true;
	for (hook = WEIR_TRIM_HOOK_QDISC; hook <= WEIR_TRIM_HOOK_XDP; hook++) {
		setup(hook);
		CHECK_EQ(weir_trim_config_check(&config, &vrf, &refusal),
			 hook == WEIR_TRIM_HOOK_TC ? -EOPNOTSUPP : 0);
		if (hook == WEIR_TRIM_HOOK_TC)
			CHECK_EQ(refusal.attr, WEIR_A_TRIM_HOOK);
	}
}

/* While no frame is long enough to be trimmed the policy stands, and no packet is eligible. */
static void trim_config_idle(void)
{
	struct weir_trim_port port = { };

	setup(WEIR_TRIM_HOOK_QDISC);
	config.size = 1513;
	CHECK_EQ(check(), 0);
	CHECK(!weir_trim_config_idle(&config, &device));
	weir_trim_config_port(&config, &device, &port);
	CHECK(port.policy.dscps);
	port = (struct weir_trim_port) { };
	config.size = 1514;
	CHECK_EQ(check(), 0);
	CHECK(weir_trim_config_idle(&config, &device));
	weir_trim_config_port(&config, &device, &port);
	CHECK_EQ(port.policy.dscps, 0);
	CHECK(port.policy.marks);
	config.hook = WEIR_TRIM_HOOK_NONE;
	CHECK(!weir_trim_config_idle(&config, &device));
}

/* Packets without a mark are not trimmed, returned or control ones. */
static void trim_config_zero(void)
{
	setup(WEIR_TRIM_HOOK_QDISC);
	config.dscp = 0;
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_DSCP));
	config.has = WEIR_TRIM_HAS_TC;
	config.tc = 0;
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_TC));
	setup(WEIR_TRIM_HOOK_QDISC);
	config.trimmed_dscps = 1;
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_TRIMMED_DSCPS));
	setup(WEIR_TRIM_HOOK_QDISC);
	config.control_dscps = 1;
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_CONTROL_DSCPS));
	setup(WEIR_TRIM_HOOK_QDISC);
	config.has |= WEIR_TRIM_HAS_RETURN;
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_RETURN_DSCP));
}

static void trim_config_share(void)
{
	setup(WEIR_TRIM_HOOK_QDISC);
	config.share_value = 7;
	weir_trim_config_share(&config, WEIR_TRIM_SHARE_RATIO);
	CHECK_EQ(config.share_value, 7);
	weir_trim_config_share(&config, WEIR_TRIM_SHARE_BYTES);
	CHECK_EQ(config.share_value, 25);
	config.share_value = 100;
	CHECK(refuses(-EINVAL, WEIR_A_TRIM_SHARE_VALUE));
	weir_trim_config_share(&config, WEIR_TRIM_SHARE_RATIO);
	CHECK_EQ(config.share_value, 10);
}

static struct weir_trim_meters meters(void)
{
	struct weir_trim_port port = { };

	weir_trim_config_port(&config, &device, &port);
	return port.meters;
}

/* Ticks of @bytes at a cost, as programs work them out. */
static u64 ticks(u64 cost, u64 bytes)
{
	return cost * bytes >> WEIR_TRIM_COST_SHIFT;
}

/* 125 MB/s are 8 ns a byte, 512 ticks. */
static void trim_config_costs(void)
{
	struct weir_trim_meters m;

	setup(WEIR_TRIM_HOOK_XDP);
	say_percent(WEIR_TRIM_OPTIMISTIC, 80);
	m = meters();
	CHECK_EQ(ticks(m.cost[WEIR_TRIM_OPTIMISTIC], 1000), 512000);
	CHECK_EQ(ticks(m.cost[WEIR_TRIM_PESSIMISTIC], 1000), 512000);
	config.meter = WEIR_TRIM_METER_PERCPU;
	m = meters();
	CHECK_EQ(ticks(m.cost[WEIR_TRIM_OPTIMISTIC], 1000), 640000);
	CHECK_EQ(ticks(m.cost[WEIR_TRIM_HALF], 1000), 1024000);
	CHECK_EQ(ticks(m.cost[WEIR_TRIM_PESSIMISTIC], 1000), 2048000);
	CHECK_EQ(m.t0, 6000);
	CHECK_EQ(m.t1, 24000);
	CHECK_EQ(m.kind, WEIR_TRIM_METER_PERCPU);
	/* 400 Gbit/s, to a thousandth; and faster than anything. */
	config.rate = 50000000000;
	m = meters();
	CHECK(2560000 - ticks(m.cost[WEIR_TRIM_HALF], 1000000) < 2560);
	config.rate = U64_MAX;
	CHECK_EQ(meters().cost[WEIR_TRIM_OPTIMISTIC], 1);
}

/* Ticks that a CPU of so many needs for a million bytes, at 512 ticks a byte of the rate. */
static u64 own_ticks(u32 cpus, enum weir_trim_mode mode)
{
	struct weir_trim_device box = device;
	struct weir_trim_port port = { };

	box.cpus = cpus;
	CHECK_EQ(weir_trim_config_check(&config, &box, &refusal), 0);
	weir_trim_config_port(&config, &box, &port);
	return ticks(port.meters.cost[mode], 1000000);
}

/* After an overflow all CPUs together send as much as the port can, and hardly less. */
static void trim_config_cpus(void)
{
	static const u32 cpus[] = { 1, 2, 3, 4, 7, 8, 48, 64, 128, 500 };
	u64 all, own;
	int i;

	setup(WEIR_TRIM_HOOK_XDP);
	config.meter = WEIR_TRIM_METER_PERCPU;
	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		all = 512000000ULL * cpus[i];
		own = own_ticks(cpus[i], WEIR_TRIM_PESSIMISTIC);
		CHECK(own >= all && own - all < all / 1000);
		own = own_ticks(cpus[i], WEIR_TRIM_HALF);
		CHECK(cpus[i] == 1 || (2 * own >= all && 2 * own - all < all / 1000));
		own = own_ticks(cpus[i], WEIR_TRIM_OPTIMISTIC);
		CHECK_EQ(own, 512000000);
	}
	/* A given share holds, and bounds those not given. */
	say_percent(WEIR_TRIM_HALF, 5);
	CHECK_EQ(own_ticks(64, WEIR_TRIM_HALF), 20 * 512000000ULL);
	CHECK_EQ(own_ticks(2, WEIR_TRIM_PESSIMISTIC), 20 * 512000000ULL);
	/* So slow that it cannot be shared by so many. */
	config.has &= ~WEIR_TRIM_HAS_PERCENT(WEIR_TRIM_HALF);
	config.rate = WEIR_TRIM_RATE_MIN;
	CHECK_EQ(check(), 0);
	CHECK_EQ(weir_trim_config_check(&config, &(struct weir_trim_device) {
		.frame = 1514, .queues = 1, .cpus = 64, .ethernet = true, .sends = true,
	}, &refusal), -EINVAL);
	CHECK_EQ(refusal.attr, WEIR_A_TRIM_RATE);
	config.meter = WEIR_TRIM_METER_SHARED;
	own_ticks(64, WEIR_TRIM_PESSIMISTIC);
}

/* A frame's overhead on the link. */
static void trim_config_overhead(void)
{
	setup(WEIR_TRIM_HOOK_XDP);
	config.overhead = 24;
	config.mpu = 200;
	CHECK_EQ(meters().overhead, 24);
	CHECK_EQ(meters().mpu, 200);
	CHECK_EQ(meters().limit, 12 * 1538 * 512);
	config.header_time = 0;
	CHECK_EQ(meters().header_limit, 1000 * 200 * 512);
	setup(WEIR_TRIM_HOOK_QDISC);
	config.mpu = 84;
	CHECK(refuses(-EOPNOTSUPP, WEIR_A_TRIM_MPU));
	config.overhead = 24;
	CHECK(refuses(-EOPNOTSUPP, WEIR_A_TRIM_OVERHEAD));
}

static void trim_config_limits(void)
{
	setup(WEIR_TRIM_HOOK_XDP);
	CHECK_EQ(meters().limit, 12 * 1514 * 512);
	CHECK_EQ(meters().header_limit, 10000ULL * 1000 * 64);
	config.limit_bytes = 10000;
	CHECK_EQ(meters().limit, 10000 * 512);
	config.limit_time = 7;
	CHECK_EQ(meters().limit, 7 * 1000 * 64);
	config.limit = 0;
	config.limit_bytes = 0;
	CHECK_EQ(meters().limit, 7 * 1000 * 64);
	config.header_time = 0;
	CHECK_EQ(meters().header_limit, 1000 * 128 * 512);
	/* A product beyond 64 bits is a long time. */
	config.limit_time = 0;
	config.limit_bytes = U64_MAX;
	CHECK_EQ(meters().limit, U64_MAX >> WEIR_TRIM_COST_SHIFT);
	/* Both together cannot run over. */
	CHECK(meters().limit + meters().header_limit > meters().limit);
}

static void trim_config_policy(void)
{
	struct weir_trim_port port = { };
	struct weir_bands_limits limits;

	setup(WEIR_TRIM_HOOK_QDISC);
	config.has |= WEIR_TRIM_HAS_PRIORITY | WEIR_TRIM_HAS_TC |
		      WEIR_TRIM_HAS_RETURN;
	config.priority = 5;
	config.tc = 3;
	config.return_dscp = 1;
	config.length = WEIR_TRIM_LENGTH_KEEP;
	config.full = WEIR_TRIM_FULL_RETURN;
	config.limit_time = 3;
	CHECK_EQ(check(), 0);
	weir_trim_config_port(&config, &device, &port);
	CHECK_EQ(port.policy.flags, WEIR_TRIM_KEEP_LENGTH | WEIR_TRIM_RETURN |
				    WEIR_TRIM_SET_PRIORITY);
	CHECK_EQ(port.policy.dscp, 24);
	CHECK_EQ(port.policy.return_dscp, 1);
	CHECK_EQ(port.policy.priority, 5);
	CHECK_EQ(port.policy.size, 128);
	CHECK_EQ(port.hook, WEIR_TRIM_HOOK_QDISC);
	weir_trim_config_bands(&config, &limits);
	CHECK_EQ(limits.packets, 12);
	CHECK_EQ(limits.time, 3000);
	CHECK_EQ(limits.headers, 1000);
	CHECK_EQ(limits.header_time, 10000000);
	CHECK_EQ(limits.share, WEIR_TRIM_SHARE_RATIO);
	CHECK_EQ(limits.victim, WEIR_TRIM_VICTIM_ARRIVING);
}

static void modes(u64 since, u64 t0, u64 t1, u64 pessimistic, u64 half)
{
	struct weir_mode_time time = weir_mode_time(since, t0, t1);

	CHECK_EQ(time.pessimistic, pessimistic);
	CHECK_EQ(time.half, half);
}

static void trim_mode_times(void)
{
	modes(0, 6, 24, 0, 0);
	modes(5, 6, 24, 5, 0);
	modes(6, 6, 24, 6, 0);
	modes(7, 6, 24, 6, 1);
	modes(24, 6, 24, 6, 18);
	modes(1000, 6, 24, 6, 18);
	modes(1000, 6, 6, 6, 0);
	modes(1000, 0, 0, 0, 0);
	modes(1000, 0, 24, 0, 24);
}

const struct ktap_test trim_config_tests[] = {
	KTAP_TEST(trim_config_defaults),
	KTAP_TEST(trim_config_initial),
	KTAP_TEST(trim_config_marks),
	KTAP_TEST(trim_config_more_marks),
	KTAP_TEST(trim_config_any_dscp),
	KTAP_TEST(trim_config_ruled),
	KTAP_TEST(trim_config_hooks),
	KTAP_TEST(trim_config_only_there),
	KTAP_TEST(trim_config_rule_ports),
	KTAP_TEST(trim_config_without_meters),
	KTAP_TEST(trim_config_rates),
	KTAP_TEST(trim_config_bound),
	KTAP_TEST(trim_config_class),
	KTAP_TEST(trim_config_dscp_class),
	KTAP_TEST(trim_config_inherited),
	KTAP_TEST(trim_config_pool),
	KTAP_TEST(trim_config_sends),
	KTAP_TEST(trim_config_device),
	KTAP_TEST(trim_config_child),
	KTAP_TEST(trim_config_vrf),
	KTAP_TEST(trim_config_idle),
	KTAP_TEST(trim_config_zero),
	KTAP_TEST(trim_config_share),
	KTAP_TEST(trim_config_costs),
	KTAP_TEST(trim_config_cpus),
	KTAP_TEST(trim_config_overhead),
	KTAP_TEST(trim_config_limits),
	KTAP_TEST(trim_config_policy),
	KTAP_TEST(trim_mode_times),
};
SUITE_END(trim_config);
