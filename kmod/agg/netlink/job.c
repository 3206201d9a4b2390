// SPDX-License-Identifier: GPL-2.0
/* Netlink requests about jobs. */
#include <linux/bitmap.h>
#include <linux/log2.h>
#include <net/sock.h>

#include "agg/format/format.h"
#include "agg/config/jobs.h"
#include "agg/kv/engine.h"
#include "agg/tree/level.h"
#include "agg/member/notice.h"
#include "agg/config/sources.h"
#include "agg/netlink/netlink.h"
#include "agg/out/dest.h"
#include "agg/type/reduce.h"

static int weir_nl_job_put_group(struct sk_buff *skb,
				 const struct weir_job *job)
{
	const struct weir_dest *group;

	group = rcu_dereference_protected(job->group,
					  lockdep_is_held(&job->wn->ns.lock));
	return group ? weir_nl_put_addr(skb, WEIR_A_JOB_GROUP, &group->addr) :
		       0;
}

static int weir_nl_job_put_policy(struct sk_buff *skb, const struct weir_job *job)
{
	const struct weir_policy_config *policy = &job->policy;

	return nla_put_u32(skb, WEIR_A_JOB_POLICY, policy->mode) ||
	       nla_put_u32(skb, WEIR_A_JOB_TIMEOUT,
			   div_u64(policy->timeout, NSEC_PER_USEC)) ||
	       nla_put_u32(skb, WEIR_A_JOB_QUORUM, policy->quorum) ||
	       nla_put_u32(skb, WEIR_A_JOB_TIMERS, job->scan.n) ||
	       nla_put_u32(skb, WEIR_A_JOB_DEAD_AFTER,
			   div_u64(weir_policy_dead_after(policy),
				   NSEC_PER_USEC));
}

static int weir_nl_job_put_rate(struct sk_buff *skb, const struct weir_job *job)
{
	const struct weir_rate *rate;

	rate = rcu_dereference_protected(job->rate,
					 lockdep_is_held(&job->wn->ns.lock));
	return rate ? weir_nl_put_rate(skb, WEIR_A_JOB_RATE, &rate->config) : 0;
}

static u32 weir_nl_job_bound(const struct weir_job *job)
{
	unsigned int i, n = 0;

	for (i = 0; i < job->blocks.sources; i++)
		n += !!weir_source_get(job, i);
	return n;
}

static int weir_nl_job_put_ranks(struct sk_buff *skb, int attr, const struct weir_job *job,
				 const unsigned long *ranks)
{
	u32 words[WEIR_RANK_WORDS];
	unsigned int n = job->map->ranks;

	if (bitmap_empty(ranks, n))
		return 0;
	bitmap_to_arr32(words, ranks, n);
	return nla_put(skb, attr, DIV_ROUND_UP(n, 32) * sizeof(words[0]), words);
}

/* Of all boxes, as far as this one has heard. */
static noinline int weir_nl_job_put_gone(struct sk_buff *skb, struct weir_job *job)
{
	DECLARE_BITMAP(dead, WEIR_RANKS_MAX);
	DECLARE_BITMAP(excluded, WEIR_RANKS_MAX);

	weir_notice_gone_ranks(job, dead, excluded);
	return weir_nl_job_put_ranks(skb, WEIR_A_JOB_DEAD_RANKS, job, dead) ?:
	       weir_nl_job_put_ranks(skb, WEIR_A_JOB_EXCLUDED_RANKS, job, excluded);
}

static int weir_nl_job_put_parent(struct sk_buff *skb, const struct weir_parent_config *config)
{
	if (weir_nl_put_addr(skb, WEIR_A_JOB_PARENT, &config->addr) ||
	    nla_put_u32(skb, WEIR_A_JOB_PARENT_SOURCE, config->source) ||
	    nla_put_u32(skb, WEIR_A_JOB_PARENT_PORT, config->port) ||
	    (config->ifindex && nla_put_u32(skb, WEIR_A_JOB_PARENT_IFINDEX, config->ifindex)) ||
	    (config->vlan != WEIR_VLAN_ANY &&
	     nla_put_u32(skb, WEIR_A_JOB_PARENT_VLAN, config->vlan)))
		return -EMSGSIZE;
	return 0;
}

static int weir_nl_job_put_level(struct sk_buff *skb, struct weir_job *job)
{
	const struct weir_parent *parent = job->parent;

	if (job->map->ops->spans && (nla_put_u32(skb, WEIR_A_JOB_RANKS, job->map->ranks) ||
				     weir_nl_job_put_gone(skb, job)))
		return -EMSGSIZE;
	if (parent && READ_ONCE(parent->blocks) &&
	    nla_put_u32(skb, WEIR_A_JOB_PARENT_TIMEOUT,
			div_u64(READ_ONCE(parent->timeout), NSEC_PER_USEC)))
		return -EMSGSIZE;
	return parent ? weir_nl_job_put_parent(skb, &parent->config) : 0;
}

static int weir_nl_job_put_engine(const struct weir_nl_msg *msg, struct weir_job *job)
{
	struct sk_buff *skb = msg->skb;

	if (job->kv)
		return nla_put_u32(skb, WEIR_A_JOB_KEYS, job->kv->table.keys_max) ?:
		       nla_put_uint(skb, WEIR_A_JOB_KEY_MEMORY,
				    weir_kv_table_memory(&job->kv->table)) ?:
		       nla_put_u32(skb, WEIR_A_JOB_TIMEOUT,
				   div_u64(job->policy.timeout, NSEC_PER_USEC)) ?:
		       nla_put_u32(skb, WEIR_A_JOB_HELD, weir_kv_held(job->kv));
	return weir_nl_job_put_policy(skb, job) ||
	       nla_put_u32(skb, WEIR_A_JOB_ORDER, job->settings.order) ||
	       nla_put_u32(skb, WEIR_A_JOB_BYTE_ORDER, job->settings.byte_order) ||
	       nla_put_u32(skb, WEIR_A_JOB_REPEAT_AFTER,
			   div_u64(job->blocks.repeat_after, NSEC_PER_USEC)) ||
	       nla_put_u32(skb, WEIR_A_JOB_BLOCKS, job->blocks.open_max) ||
	       (!job->format->slots &&
		nla_put_uint(skb, WEIR_A_JOB_RETAIN, weir_blocks_retain(&job->blocks))) ||
	       nla_put_u32(skb, WEIR_A_JOB_GRADS, job->grads) ||
	       nla_put_u32(skb, WEIR_A_JOB_GENERATION, weir_blocks_generation(&job->blocks)) ||
	       (msg->walks && nla_put_u32(skb, WEIR_A_JOB_OPEN, weir_blocks_open(&job->blocks)));
}

static int weir_nl_fill_job(const struct weir_nl_msg *msg, const void *obj)
{
	struct weir_job *job = (struct weir_job *)obj;
	struct sk_buff *skb = msg->skb;
	void *hdr;

	hdr = weir_nl_begin(msg);
	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_u32(skb, WEIR_A_JOB_ID, job->id) ||
	    nla_put_u32(skb, WEIR_A_JOB_FORMAT, job->format->id) ||
	    nla_put_u32(skb, WEIR_A_JOB_OWNER, job->settings.owner) ||
	    nla_put_u32(skb, WEIR_A_JOB_DTYPE, job->blocks.reduction->dtype) ||
	    nla_put_u32(skb, WEIR_A_JOB_OP, job->blocks.reduction->op) ||
	    nla_put_u32(skb, WEIR_A_JOB_SOURCES, job->blocks.sources) ||
	    weir_nl_job_put_engine(msg, job) ||
	    weir_nl_put_addr(skb, WEIR_A_JOB_ADDRESS, &job->local.addr) ||
	    (job->local.port &&
	     nla_put_u32(skb, WEIR_A_JOB_PORT, ntohs(job->local.port))) ||
	    weir_nl_job_put_group(skb, job) ||
	    weir_nl_job_put_rate(skb, job) ||
	    weir_nl_job_put_level(skb, job) ||
	    nla_put_u32(skb, WEIR_A_JOB_BOUND, weir_nl_job_bound(job)) ||
	    nla_put_uint(skb, WEIR_A_JOB_MEMORY, job->memory) ||
	    weir_stats_put(skb, WEIR_A_JOB_STATS, job->stats)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

static u32 weir_nl_u32_or(struct genl_info *info, int attr, u32 otherwise)
{
	return info->attrs[attr] ? nla_get_u32(info->attrs[attr]) : otherwise;
}

/* A job that spans boxes: what is said of it fits together. */
static int weir_nl_job_check_level(struct genl_info *info, const struct weir_job_config *cfg)
{
	struct nlattr **attrs = info->attrs, *ranks = attrs[WEIR_A_JOB_RANKS];

	if (cfg->blocks.ranks && !cfg->format->joins)
		return weir_nl_refuse(info, ranks, -EINVAL,
				      "jobs of this format have one box: leave ranks away");
	if (cfg->blocks.ranks && cfg->blocks.ranks < cfg->blocks.sources) {
		NL_SET_BAD_ATTR(info->extack, ranks);
		NL_SET_ERR_MSG_FMT(info->extack,
				   "%u ranks are fewer than this box's %u sources: say those of all boxes",
				   cfg->blocks.ranks, cfg->blocks.sources);
		return -EINVAL;
	}
	if (attrs[WEIR_A_JOB_PARENT] && !cfg->blocks.ranks && !cfg->format->kv && !cfg->format->up)
		return weir_nl_refuse(info, attrs[WEIR_A_JOB_PARENT], -EINVAL,
				      "say how many ranks the job has in all, over its boxes");
	if (attrs[WEIR_A_JOB_PARENT] && !attrs[WEIR_A_JOB_PARENT_SOURCE])
		return weir_nl_refuse(info, attrs[WEIR_A_JOB_PARENT], -EINVAL,
				      "say which source of the parent's job this box is");
	if (!attrs[WEIR_A_JOB_PARENT] && attrs[WEIR_A_JOB_PARENT_SOURCE])
		return weir_nl_refuse(info, attrs[WEIR_A_JOB_PARENT_SOURCE], -EINVAL,
				      "it is the source of no parent: say its address");
	if (!attrs[WEIR_A_JOB_PARENT] && attrs[WEIR_A_JOB_PARENT_PORT])
		return weir_nl_refuse(info, attrs[WEIR_A_JOB_PARENT_PORT], -EINVAL,
				      "it is the port of no parent: say its address");
	if (!attrs[WEIR_A_JOB_PARENT] && attrs[WEIR_A_JOB_PARENT_IFINDEX])
		return weir_nl_refuse(info, attrs[WEIR_A_JOB_PARENT_IFINDEX], -EINVAL,
				      "it is the device of no parent: say its address");
	if (!attrs[WEIR_A_JOB_PARENT] && attrs[WEIR_A_JOB_PARENT_VLAN])
		return weir_nl_refuse(info, attrs[WEIR_A_JOB_PARENT_VLAN], -EINVAL,
				      "it is the VLAN of no parent: say its address");
	return 0;
}

static int weir_nl_job_check_parent(struct genl_info *info, const struct weir_job_config *cfg)
{
	bool own;

	if (ipv6_addr_equal(&cfg->parent.addr, &cfg->address))
		return weir_nl_refuse(info, info->attrs[WEIR_A_JOB_PARENT], -EINVAL,
				      "a box is not its own parent");
	if (!cfg->parent.ifindex && (weir_is_link_local(&cfg->parent.addr) ||
				     weir_is_link_local(&cfg->address)))
		return weir_nl_refuse(info, info->attrs[WEIR_A_JOB_PARENT], -EINVAL,
				      "a link-local address needs the device that the parent is behind: say parent-dev");
	rcu_read_lock();
	own = weir_local_has(genl_info_net(info), &cfg->parent.addr);
	rcu_read_unlock();
	return own ? weir_nl_refuse(info, info->attrs[WEIR_A_JOB_PARENT], -EINVAL,
				    "the parent's address is one of this box's") : 0;
}

/* The box that takes the job's sums. */
static int weir_nl_job_parent(struct genl_info *info, struct weir_job_config *cfg)
{
	struct nlattr **attrs = info->attrs;
	int err = weir_nl_job_check_level(info, cfg);

	if (err || !attrs[WEIR_A_JOB_PARENT])
		return err;
	err = weir_nl_addr(info, WEIR_A_JOB_PARENT,
			   ipv6_addr_v4mapped(&cfg->address) ? WEIR_FAMILY_4 : WEIR_FAMILY_6, false,
			   &cfg->parent.addr);
	if (err)
		return err;
	cfg->blocks.above = !cfg->format->kv;
	cfg->has_parent = true;
	cfg->parent.source = nla_get_u32(attrs[WEIR_A_JOB_PARENT_SOURCE]);
	cfg->parent.port = weir_nl_u32_or(info, WEIR_A_JOB_PARENT_PORT, cfg->port);
	cfg->parent.vlan = weir_nl_u32_or(info, WEIR_A_JOB_PARENT_VLAN, WEIR_VLAN_ANY);
	if (attrs[WEIR_A_JOB_PARENT_IFINDEX])
		err = weir_nl_bound_dev(info, WEIR_A_JOB_PARENT_IFINDEX, &cfg->parent.ifindex);
	return err ?: weir_nl_job_check_parent(info, cfg);
}

static int weir_nl_job_check_there(struct genl_info *info)
{
	if (!WEIR_NL_REQUIRE(info, WEIR_A_JOB_ID,
			     "say which id the job is to have") ||
	    !WEIR_NL_REQUIRE(info, WEIR_A_JOB_SOURCES,
			     "say how many sources the job has") ||
	    !WEIR_NL_REQUIRE(info, WEIR_A_JOB_ADDRESS,
			     "say which address of this box the workers send to"))
		return -EINVAL;
	return 0;
}

/* Of a job with blocks. */
static int weir_nl_job_check_blocks(struct genl_info *info)
{
	struct nlattr **attrs = info->attrs;

	if (!WEIR_NL_REQUIRE(info, WEIR_A_JOB_BLOCKS,
			     "say how many blocks the job may hold") ||
	    !WEIR_NL_REQUIRE(info, WEIR_A_JOB_GRADS,
			     "say how many gradients a block has at most"))
		return -EINVAL;
	if (attrs[WEIR_A_JOB_KEYS])
		return weir_nl_refuse(info, attrs[WEIR_A_JOB_KEYS], -EINVAL,
				      "jobs of this format have blocks: leave keys away");
	if (attrs[WEIR_A_JOB_KEY_MEMORY])
		return weir_nl_refuse(info, attrs[WEIR_A_JOB_KEY_MEMORY], -EINVAL,
				      "jobs of this format have blocks: leave key-memory away");
	return 0;
}

/*
 * Attributes that only jobs with blocks have. Those of new blocks are of job-add alone: some are
 * above the maxattr of job-set, whose info->attrs ends there.
 */
static const u8 weir_nl_job_of_blocks[] = {
	WEIR_A_JOB_GROUP, WEIR_A_JOB_POLICY, WEIR_A_JOB_QUORUM, WEIR_A_JOB_DEAD_AFTER,
};

static const u8 weir_nl_job_of_new_blocks[] = {
	WEIR_A_JOB_BLOCKS, WEIR_A_JOB_GRADS, WEIR_A_JOB_ORDER, WEIR_A_JOB_TIMERS, WEIR_A_JOB_RANKS,
	WEIR_A_JOB_REPEAT_AFTER, WEIR_A_JOB_RETAIN, WEIR_A_JOB_BYTE_ORDER,
};

static int weir_nl_job_check_none(struct genl_info *info, const u8 *attrs, unsigned int n)
{
	struct nlattr *attr;

	for (; n; n--, attrs++) {
		attr = info->attrs[*attrs];
		if (attr)
			return weir_nl_refuse(info, attr, -EINVAL,
					      "jobs of this format have keys in place of blocks: leave it away");
	}
	return 0;
}

static int weir_nl_job_check_no_blocks(struct genl_info *info)
{
	return weir_nl_job_check_none(info, weir_nl_job_of_blocks,
				      ARRAY_SIZE(weir_nl_job_of_blocks));
}

/* Of a job with keys. */
static int weir_nl_job_check_streams(struct genl_info *info)
{
	int err = weir_nl_job_check_no_blocks(info) ?:
		  weir_nl_job_check_none(info, weir_nl_job_of_new_blocks,
					 ARRAY_SIZE(weir_nl_job_of_new_blocks));

	if (err)
		return err;
	if (!WEIR_NL_REQUIRE(info, WEIR_A_JOB_KEYS, "say how many keys the job may hold") ||
	    !WEIR_NL_REQUIRE(info, WEIR_A_JOB_PARENT,
			     "say where the reducer is, or the box before it"))
		return -EINVAL;
	return 0;
}

/*
 * With shorter times timers and notices would take the CPU from packets, and no network
 * answers so soon.
 */
#define WEIR_TIMEOUT_MIN	(100 * NSEC_PER_USEC)
#define WEIR_DEAD_AFTER_MIN	NSEC_PER_MSEC

static int weir_nl_job_check_policy(struct genl_info *info, u16 sources, bool whole,
				    const struct weir_policy_config *policy)
{
	if (whole && policy->mode != WEIR_POLICY_WAIT)
		return weir_nl_refuse(info, info->attrs[WEIR_A_JOB_POLICY], -EINVAL,
				      "results of this format never lack a source: its jobs have the policy wait");
	if (whole && policy->quorum)
		return weir_nl_refuse(info, info->attrs[WEIR_A_JOB_QUORUM], -EINVAL,
				      "results of this format never lack a source: its jobs have no quorum");
	if (policy->mode != WEIR_POLICY_WAIT && !policy->timeout)
		return weir_nl_refuse(info, info->attrs[WEIR_A_JOB_TIMEOUT], -EINVAL,
				      "blocks that are not to wait need a timeout");
	if (policy->timeout && policy->timeout < WEIR_TIMEOUT_MIN)
		return weir_nl_refuse(info, info->attrs[WEIR_A_JOB_TIMEOUT], -EINVAL,
				      "a timeout is 100 us at least, or 0 for none");
	if (policy->dead_after && policy->dead_after < WEIR_DEAD_AFTER_MIN)
		return weir_nl_refuse(info, info->attrs[WEIR_A_JOB_DEAD_AFTER], -EINVAL,
				      "dead-after is 1 ms at least, or 0 for what follows from the timeout");
	if (weir_policy_dead_after(policy) < policy->timeout)
		return weir_nl_refuse(info, info->attrs[WEIR_A_JOB_DEAD_AFTER], -EINVAL,
				      "dead-after is shorter than the timeout");
	if (policy->quorum > sources) {
		NL_SET_BAD_ATTR(info->extack, info->attrs[WEIR_A_JOB_QUORUM]);
		NL_SET_ERR_MSG_FMT(info->extack,
				   "a quorum of %u is more than the job's %u sources",
				   policy->quorum, sources);
		return -EINVAL;
	}
	return 0;
}

/*
 * The request's settings of stragglers; the others in @policy stay. Without a policy in
 * the request the timeout chooses one, unless all results are to be @whole.
 */
static int weir_nl_job_policy(struct genl_info *info, u16 sources, bool whole,
			      struct weir_policy_config *policy)
{
	struct nlattr **attrs = info->attrs;
	struct nlattr *timeout = attrs[WEIR_A_JOB_TIMEOUT];

	if (timeout)
		policy->timeout = nla_get_u32(timeout) * NSEC_PER_USEC;
	if (attrs[WEIR_A_JOB_POLICY])
		policy->mode = nla_get_u32(attrs[WEIR_A_JOB_POLICY]);
	else if (!policy->mode)
		policy->mode = policy->timeout && !whole ? WEIR_POLICY_PARTIAL :
							   WEIR_POLICY_WAIT;
	if (policy->mode != WEIR_POLICY_WAIT && !timeout && !policy->timeout)
		policy->timeout = WEIR_TIMEOUT_DEFAULT * NSEC_PER_USEC;
	if (attrs[WEIR_A_JOB_QUORUM]) {
		u32 quorum = nla_get_u32(attrs[WEIR_A_JOB_QUORUM]);

		policy->quorum = min_t(u32, quorum, U16_MAX);
	}
	if (attrs[WEIR_A_JOB_DEAD_AFTER])
		policy->dead_after = nla_get_u32(attrs[WEIR_A_JOB_DEAD_AFTER]) *
				   NSEC_PER_USEC;
	return weir_nl_job_check_policy(info, sources, whole, policy);
}

static void weir_nl_job_blocks(struct genl_info *info, struct weir_job_config *cfg)
{
	u32 dtype = weir_nl_u32_or(info, WEIR_A_JOB_DTYPE, cfg->format->dtype ?: WEIR_DTYPE_INT32);
	u32 op = weir_nl_u32_or(info, WEIR_A_JOB_OP, WEIR_OP_SUM);
	u32 repeat = weir_nl_u32_or(info, WEIR_A_JOB_REPEAT_AFTER, cfg->format->repeat_after);

	cfg->blocks = (struct weir_blocks_config) {
		.size		= weir_nl_u32_or(info, WEIR_A_JOB_BLOCKS, 0),
		.sources	= nla_get_u32(info->attrs[WEIR_A_JOB_SOURCES]),
		.ranks		= weir_nl_u32_or(info, WEIR_A_JOB_RANKS, 0),
		.grads		= weir_nl_u32_or(info, WEIR_A_JOB_GRADS, 0),
		.reduction	= weir_reduction_find(dtype, op, cfg->settings.order),
		.marking	= {
			.size	= cfg->format->mark,
			.fold	= cfg->format->fold,
		},
		.paired		= cfg->format->pair,
		.modular	= cfg->format->modular,
		.repeat_after	= repeat * NSEC_PER_USEC,
	};
	cfg->kv = (struct weir_kv_config) {
		.keys	= weir_nl_u32_or(info, WEIR_A_JOB_KEYS, 0),
		.memory	= info->attrs[WEIR_A_JOB_KEY_MEMORY] ?
			  nla_get_uint(info->attrs[WEIR_A_JOB_KEY_MEMORY]) : 0,
		.dtype	= dtype,
		.op	= op,
	};
}

/* Blocks of formats with slots of their own cannot be in other slots. */
static int weir_nl_job_retain(struct genl_info *info, struct weir_job_config *cfg)
{
	struct nlattr *attr = info->attrs[WEIR_A_JOB_RETAIN];

	if (attr && cfg->format->slots)
		return weir_nl_refuse(info, attr, -EINVAL,
				      "results of this format stay in their slots: omit retain");
	cfg->blocks.slots = cfg->blocks.size;
	if (attr)
		cfg->blocks.slots = weir_blocks_slots(&cfg->blocks, nla_get_uint(attr));
	else if (!cfg->format->slots && !cfg->format->kv)
		cfg->blocks.slots = weir_blocks_slots_default(&cfg->blocks);
	return 0;
}

/* Results or frames of such a format have no groups, or frames no ports. */
static int weir_nl_job_check_link(struct genl_info *info,
				  const struct weir_format_ops *format)
{
	struct nlattr **attrs = info->attrs;

	if (format->link && attrs[WEIR_A_JOB_PORT])
		return weir_nl_refuse(info, attrs[WEIR_A_JOB_PORT], -EINVAL,
				      "frames of this format have no UDP port: leave it away");
	if (format->link && attrs[WEIR_A_JOB_GROUP])
		return weir_nl_refuse(info, attrs[WEIR_A_JOB_GROUP], -EINVAL,
				      "results of this format go to all of a link: leave the group away");
	if (format->sums && attrs[WEIR_A_JOB_GROUP])
		return weir_nl_refuse(info, attrs[WEIR_A_JOB_GROUP], -EINVAL,
				      "workers of this format have ports of their own: leave the group away");
	return 0;
}

static int weir_nl_job_check_limits(struct genl_info *info, const struct weir_blocks_config *blocks,
				    const struct weir_format_limits *limits)
{
	struct nlattr **attrs = info->attrs;

	if (blocks->sources > limits->sources) {
		NL_SET_BAD_ATTR(info->extack, attrs[WEIR_A_JOB_SOURCES]);
		NL_SET_ERR_MSG_FMT(info->extack, "jobs of this format have %u sources at most",
				   limits->sources);
		return -EINVAL;
	}
	if (blocks->size > limits->blocks) {
		NL_SET_BAD_ATTR(info->extack, attrs[WEIR_A_JOB_BLOCKS]);
		NL_SET_ERR_MSG_FMT(info->extack, "jobs of this format have %u blocks at most",
				   limits->blocks);
		return -EINVAL;
	}
	if (blocks->grads == limits->grads[0] || blocks->grads == limits->grads[1])
		return 0;
	NL_SET_BAD_ATTR(info->extack, attrs[WEIR_A_JOB_GRADS]);
	NL_SET_ERR_MSG_FMT(info->extack, "packets of this format have %u or %u grads",
			   limits->grads[0], limits->grads[1]);
	return -EINVAL;
}

/* Return the reason for which a format does not take numbers of a type, or NULL. */
static const char *weir_nl_job_unlike(const struct weir_format_ops *format,
				      const struct weir_reduction *reduction)
{
	if (format->kv)
		return reduction->shift >= 2 && reduction->dtype != WEIR_DTYPE_FLOAT64 ? NULL :
		       "values of this format are of type int32, float32 or int64";
	if (format->words && reduction->shift != 2)
		return "numbers of this format have 4 bytes: take int32 or float32";
	return NULL;
}

static int weir_nl_job_check_grads(struct genl_info *info, const struct weir_blocks_config *blocks)
{
	u32 most = weir_reduction_grads_max(blocks->reduction);

	if (blocks->grads <= most)
		return 0;
	NL_SET_BAD_ATTR(info->extack, info->attrs[WEIR_A_JOB_GRADS]);
	NL_SET_ERR_MSG_FMT(info->extack, "packets have %u gradients of this dtype at most", most);
	return -EINVAL;
}

static int weir_nl_job_check_format(struct genl_info *info,
				    const struct weir_job_config *cfg)
{
	const struct weir_format_ops *format = cfg->format;
	const char *unlike = weir_nl_job_unlike(format, cfg->blocks.reduction);
	struct nlattr **attrs = info->attrs;
	int err = 0;

	if (unlike)
		return weir_nl_refuse(info, attrs[WEIR_A_JOB_DTYPE], -EINVAL, unlike);
	if (format->sums && cfg->blocks.reduction->op != WEIR_OP_SUM)
		return weir_nl_refuse(info, attrs[WEIR_A_JOB_OP], -EINVAL,
				      "packets of this format are summed: leave op away");
	if (format->dtype && cfg->blocks.reduction->dtype != format->dtype)
		return weir_nl_refuse(info, attrs[WEIR_A_JOB_DTYPE], -EINVAL,
				      "numbers of this format are of one type: leave dtype away");
	if (!format->joins && cfg->settings.byte_order == WEIR_BYTE_ORDER_WORKERS)
		return weir_nl_refuse(info, attrs[WEIR_A_JOB_BYTE_ORDER], -EINVAL,
				      "packets of this format have network byte order");
	if (cfg->blocks.size < format->slots) {
		NL_SET_BAD_ATTR(info->extack, attrs[WEIR_A_JOB_BLOCKS]);
		NL_SET_ERR_MSG_FMT(info->extack, "jobs of this format have %u blocks at least",
				   format->slots);
		return -EINVAL;
	}
	if (format->limits)
		err = weir_nl_job_check_limits(info, &cfg->blocks, format->limits);
	return err ?: weir_nl_job_check_grads(info, &cfg->blocks) ?:
	       weir_nl_job_check_link(info, format);
}

static int weir_nl_job_address(struct genl_info *info, struct weir_job_config *cfg)
{
	if (cfg->format->link)
		return weir_nl_link_addr(info, WEIR_A_JOB_ADDRESS, true, &cfg->address);
	return weir_nl_addr(info, WEIR_A_JOB_ADDRESS,
			    cfg->format->ipv4 ? WEIR_FAMILY_4 : WEIR_FAMILY_ANY, false,
			    &cfg->address);
}

static void weir_nl_job_settings(struct genl_info *info, const struct weir_format_ops *format,
				 struct weir_job_settings *settings)
{
	settings->order = weir_nl_u32_or(info, WEIR_A_JOB_ORDER, WEIR_ORDER_ARRIVAL);
	settings->owner = weir_nl_u32_or(info, WEIR_A_JOB_OWNER, WEIR_OWNER_ADMIN);
	settings->byte_order = weir_nl_u32_or(info, WEIR_A_JOB_BYTE_ORDER,
					      format->joins ? WEIR_BYTE_ORDER_WORKERS :
							      WEIR_BYTE_ORDER_NETWORK);
}

/* Checks of a new job that need no look at other jobs. */
static int weir_nl_job_config(struct genl_info *info,
			      struct weir_job_config *cfg)
{
	struct nlattr **attrs = info->attrs;
	int err;

	err = weir_nl_job_check_there(info);
	if (err)
		return err;

	cfg->id = nla_get_u32(attrs[WEIR_A_JOB_ID]);
	cfg->format = weir_format_find(weir_nl_u32_or(info, WEIR_A_JOB_FORMAT,
						      WEIR_FORMAT_TRIO));
	weir_nl_job_settings(info, cfg->format, &cfg->settings);
	err = cfg->format->kv ? weir_nl_job_check_streams(info) : weir_nl_job_check_blocks(info);
	if (err)
		return err;
	weir_nl_job_blocks(info, cfg);
	cfg->port = weir_nl_u32_or(info, WEIR_A_JOB_PORT, cfg->format->udp);
	if (!cfg->format->kv && !is_power_of_2(cfg->blocks.size)) {
		NL_SET_BAD_ATTR(info->extack, attrs[WEIR_A_JOB_BLOCKS]);
		NL_SET_ERR_MSG_FMT(info->extack,
				   "blocks must be a power of two: take %lu",
				   roundup_pow_of_two(cfg->blocks.size));
		return -EINVAL;
	}
	cfg->timers = weir_nl_u32_or(info, WEIR_A_JOB_TIMERS, WEIR_TIMERS_DEFAULT);
	err = weir_nl_job_check_format(info, cfg) ?:
	      weir_nl_job_retain(info, cfg) ?:
	      weir_nl_job_policy(info, cfg->blocks.sources, cfg->format->whole, &cfg->policy);
	if (!err && attrs[WEIR_A_JOB_RATE])
		err = weir_nl_rate(info, WEIR_A_JOB_RATE, weir_rate_nl_policy, &cfg->rate);
	if (!err)
		err = weir_nl_job_address(info, cfg) ?: weir_nl_job_parent(info, cfg);
	if (err || !attrs[WEIR_A_JOB_GROUP])
		return err;
	err = weir_nl_addr(info, WEIR_A_JOB_GROUP,
			   ipv6_addr_v4mapped(&cfg->address) ?
			   WEIR_FAMILY_4 : WEIR_FAMILY_6, true, &cfg->group);
	cfg->has_group = !ipv6_addr_any(&cfg->group);
	return err;
}

int weir_nl_job_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_net *wn = weir_nl_net(info);
	struct weir_job_config cfg = {};
	struct weir_job *job;
	int err;

	err = weir_nl_job_config(info, &cfg);
	if (err)
		return err;
	job = weir_job_add(wn, &cfg, info->extack);
	if (IS_ERR(job)) {
		if (PTR_ERR(job) == -EEXIST)
			NL_SET_BAD_ATTR(info->extack,
					info->attrs[WEIR_A_JOB_ID]);
		if (PTR_ERR(job) == -EADDRINUSE)
			NL_SET_BAD_ATTR(info->extack,
					info->attrs[WEIR_A_JOB_ADDRESS]);
		return PTR_ERR(job);
	}
	weir_nl_changed(&wn->ns);
	weir_nl_notify(&weir_nl, &wn->ns, WEIR_CMD_JOB_NTF, weir_nl_fill_job, job);
	return 0;
}

static bool weir_nl_job_sets_policy(struct genl_info *info)
{
	return info->attrs[WEIR_A_JOB_POLICY] ||
	       info->attrs[WEIR_A_JOB_TIMEOUT] ||
	       info->attrs[WEIR_A_JOB_QUORUM] ||
	       info->attrs[WEIR_A_JOB_DEAD_AFTER];
}

/**
 * struct weir_nl_job_changes - the changes of a request, checked as a whole
 * @policy: treatment of stragglers
 * @rate: policer
 * @group: multicast group
 */
struct weir_nl_job_changes {
	struct weir_policy_config	policy;
	struct weir_rate_config		rate;
	struct in6_addr			group;
};

static int weir_nl_job_changes(struct genl_info *info,
			       const struct weir_job *job,
			       struct weir_nl_job_changes *changes)
{
	struct nlattr **attrs = info->attrs;
	int err;

	if (!attrs[WEIR_A_JOB_PORT] && !attrs[WEIR_A_JOB_GROUP] &&
	    !attrs[WEIR_A_JOB_RATE] && !weir_nl_job_sets_policy(info)) {
		GENL_SET_ERR_MSG(info,
				 "nothing to change: say port, group, policy, timeout, quorum, dead-after or rate");
		return -EINVAL;
	}
	changes->policy = job->policy;
	err = job->kv ? weir_nl_job_check_no_blocks(info) : 0;
	err = err ?: weir_nl_job_check_link(info, job->format) ?:
	      weir_nl_job_policy(info, job->blocks.sources, job->format->whole,
				 &changes->policy);
	if (!err && attrs[WEIR_A_JOB_RATE])
		err = weir_nl_rate(info, WEIR_A_JOB_RATE, weir_rate_nl_policy, &changes->rate);
	if (!err && attrs[WEIR_A_JOB_GROUP])
		err = weir_nl_addr(info, WEIR_A_JOB_GROUP,
				   weir_nl_family_of(job), true,
				   &changes->group);
	return err;
}

static int weir_nl_job_check_others(struct genl_info *info, const struct weir_job *job,
				    const struct nlattr *attr)
{
	int err = attr ? weir_job_check_place(job->wn, job->format, &job->local.addr,
					      nla_get_u32(attr), job, info->extack) : 0;

	if (err)
		NL_SET_BAD_ATTR(info->extack, attr);
	return err;
}

/* A source on this box needs a port other than the job's. */
static int weir_nl_job_check_port(struct genl_info *info,
				  const struct weir_job *job)
{
	struct nlattr *attr = info->attrs[WEIR_A_JOB_PORT];
	const struct weir_source *source;
	unsigned int i;

	for (i = 0; attr && i < job->blocks.sources; i++) {
		source = weir_source_get(job, i);
		if (!source || !weir_source_is_box(job, &source->config,
						   nla_get_u32(attr)))
			continue;
		NL_SET_BAD_ATTR(info->extack, attr);
		NL_SET_ERR_MSG_FMT(info->extack,
				   "source %u is at this address and port: give it another port first",
				   i);
		return -EINVAL;
	}
	return 0;
}

int weir_nl_job_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_job *job = weir_nl_job(info, WEIR_A_JOB_ID);
	struct weir_net *wn = weir_nl_net(info);
	struct weir_nl_job_changes changes;
	struct nlattr **attrs = info->attrs;
	int err;

	if (IS_ERR(job))
		return PTR_ERR(job);
	err = weir_nl_job_changes(info, job, &changes) ?:
	      weir_nl_job_check_port(info, job) ?:
	      weir_nl_job_check_others(info, job, attrs[WEIR_A_JOB_PORT]);
	if (!err)
		err = weir_job_set(job,
				   attrs[WEIR_A_JOB_GROUP] ? &changes.group : NULL,
				   attrs[WEIR_A_JOB_RATE] ? &changes.rate : NULL);
	if (err)
		return err;
	if (weir_nl_job_sets_policy(info))
		weir_job_set_policy(job, &changes.policy);
	if (attrs[WEIR_A_JOB_PORT])
		WRITE_ONCE(job->local.port, htons(nla_get_u32(attrs[WEIR_A_JOB_PORT])));
	weir_nl_changed(&wn->ns);
	weir_nl_notify(&weir_nl, &wn->ns, WEIR_CMD_JOB_NTF, weir_nl_fill_job, job);
	return 0;
}

int weir_nl_job_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_job *job = weir_nl_job(info, WEIR_A_JOB_ID);
	struct weir_net *wn = weir_nl_net(info);

	if (IS_ERR(job))
		return PTR_ERR(job);
	weir_job_unpublish(job);
	synchronize_rcu();
	weir_nl_changed(&wn->ns);
	weir_nl_notify(&weir_nl, &wn->ns, WEIR_CMD_JOB_DEL_NTF, weir_nl_fill_job, job);
	weir_job_free(job);
	return 0;
}

int weir_nl_job_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_job *job = weir_nl_job(info, WEIR_A_JOB_ID);

	if (IS_ERR(job))
		return PTR_ERR(job);
	return weir_nl_reply(info, WEIR_CMD_JOB_GET, weir_nl_fill_job, job);
}

int weir_nl_job_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct weir_net *wn = weir_net(sock_net(skb->sk));
	unsigned long id = cb->args[0];
	struct weir_nl_msg msg;
	struct weir_job *job;
	int err = 0;

	mutex_lock(&wn->ns.lock);
	weir_nl_dump_start(&wn->ns, cb, &msg, skb, WEIR_CMD_JOB_GET);
	for (; id <= WEIR_JOB_ID_MAX; id++) {
		job = weir_job_get(wn, id);
		if (!job)
			continue;
		err = weir_nl_fill_job(&msg, job);
		if (err)
			break;
	}
	mutex_unlock(&wn->ns.lock);
	cb->args[0] = id;
	/* A message that did not fit comes first in the next round. */
	return skb->len ?: err;
}

int weir_nl_job_collect_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_job *job = weir_nl_job(info, WEIR_A_JOB_ID);

	if (IS_ERR(job))
		return PTR_ERR(job);
	if (!job->kv) {
		NL_SET_ERR_MSG(info->extack,
			       "jobs of this format have blocks: there are no keys to go on");
		return -EOPNOTSUPP;
	}
	local_bh_disable();
	rcu_read_lock();
	weir_kv_collect(job->kv);
	weir_kv_pump(job->kv, ktime_get_ns());
	rcu_read_unlock();
	local_bh_enable();
	return 0;
}

int weir_nl_job_flush_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_net *wn = weir_nl_net(info);
	struct weir_job *job;
	unsigned int i;

	for (i = 0; i <= WEIR_JOB_ID_MAX; i++) {
		job = weir_job_get(wn, i);
		if (job)
			weir_nl_notify(&weir_nl, &wn->ns, WEIR_CMD_JOB_DEL_NTF,
				       weir_nl_fill_job, job);
	}
	weir_job_flush(wn);
	weir_nl_changed(&wn->ns);
	return 0;
}
