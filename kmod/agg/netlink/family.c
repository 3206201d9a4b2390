// SPDX-License-Identifier: GPL-2.0
/*
 * The netlink family of aggregation: what its requests share, and the namespace's totals. Objects
 * have a file each.
 */
#include <linux/rtnetlink.h>
#include <net/sock.h>

#include "agg/base/stats.h"
#include "agg/job/job.h"
#include "agg/netlink/netlink.h"
#include "agg/slots/pool.h"
#include "agg/type/reduce.h"

static_assert(WEIR_NLGRP_EVENTS == WEIR_NL_EVENTS);

struct weir_nl weir_nl = { .family = &weir_nl_family };

int weir_nl_pre_doit(const struct genl_split_ops *ops, struct sk_buff *skb,
		     struct genl_info *info)
{
	weir_nl_lock(&weir_nl_net(info)->ns, skb, info);
	return 0;
}

void weir_nl_post_doit(const struct genl_split_ops *ops, struct sk_buff *skb,
		       struct genl_info *info)
{
	mutex_unlock(&weir_nl_net(info)->ns.lock);
}

/**
 * weir_nl_job() - the job that a request names
 * @info: the request
 * @attr: the attribute that holds the job's id
 *
 * Return: the job, or an ERR_PTR with the sentence set.
 */
struct weir_job *weir_nl_job(struct genl_info *info, int attr)
{
	struct weir_job *job;

	if (!WEIR_NL_REQUIRE(info, attr, "say which job: its id is missing"))
		return ERR_PTR(-EINVAL);
	job = weir_job_get(weir_nl_net(info), nla_get_u32(info->attrs[attr]));
	if (job)
		return job;
	NL_SET_BAD_ATTR(info->extack, info->attrs[attr]);
	NL_SET_ERR_MSG_FMT(info->extack,
			   "there is no job %u in this network namespace",
			   nla_get_u32(info->attrs[attr]));
	return ERR_PTR(-ENOENT);
}

/* The jobs that a dump goes through: from args[0] to @last. */
static int weir_nl_dump_range(struct netlink_callback *cb, struct weir_net *wn,
			      const struct nlattr *only, unsigned long *last)
{
	*last = WEIR_JOB_ID_MAX;
	if (!only)
		return 0;
	*last = nla_get_u32(only);
	if (cb->args[0] < *last)
		cb->args[0] = *last;
	if (weir_job_get(wn, *last))
		return 0;
	NL_SET_ERR_MSG_FMT(cb->extack,
			   "there is no job %lu in this network namespace",
			   *last);
	return -ENOENT;
}

/**
 * weir_nl_dump_jobs() - dump objects of jobs
 * @skb: the message that is written
 * @cb: the dump; args[0] and args[1] are where it continues
 * @cmd: WEIR_CMD_*
 * @attr: attribute with a job's id, for a dump of one job
 * @dump: writes a job's objects from *@at on, which becomes the first that did not
 *	fit, or 0 where all did
 *
 * Sleeps. Return: as a dump does; -ENOENT, with the sentence set, where there is no
 * such job.
 */
int weir_nl_dump_jobs(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd,
		      int attr,
		      int (*dump)(const struct weir_nl_msg *msg,
				  struct weir_job *job, unsigned long *at))
{
	const struct nlattr *only = genl_info_dump(cb)->attrs[attr];
	struct weir_net *wn = weir_net(sock_net(skb->sk));
	struct weir_nl_msg msg;
	struct weir_job *job;
	unsigned long last;
	int err;

	mutex_lock(&wn->ns.lock);
	weir_nl_dump_start(&wn->ns, cb, &msg, skb, cmd);
	err = weir_nl_dump_range(cb, wn, only, &last);
	for (; !err && cb->args[0] <= last; cb->args[0]++) {
		job = weir_job_get(wn, cb->args[0]);
		if (job)
			err = dump(&msg, job, (unsigned long *)&cb->args[1]);
		if (err)
			break;
	}
	mutex_unlock(&wn->ns.lock);
	return skb->len ?: err;
}

static void weir_nl_totals(struct weir_net *wn, u32 *jobs, u32 *ports,
			   u64 *memory)
{
	unsigned long ifindex;
	unsigned int i;
	void *port;

	*jobs = 0;
	*ports = 0;
	*memory = 0;
	for (i = 0; i <= WEIR_JOB_ID_MAX; i++) {
		struct weir_job *job = weir_job_get(wn, i);

		if (!job)
			continue;
		(*jobs)++;
		*memory += job->memory;
	}
	xa_for_each(&wn->ports, ifindex, port)
		(*ports)++;
}

static int weir_nl_fill_total(const struct weir_nl_msg *msg, const void *obj)
{
	struct weir_net *wn = (struct weir_net *)obj;
	struct sk_buff *skb = msg->skb;
	u32 jobs, ports;
	u64 memory;
	void *hdr;

	hdr = weir_nl_begin(msg);
	if (!hdr)
		return -EMSGSIZE;
	weir_nl_totals(wn, &jobs, &ports, &memory);
	if (nla_put_u32(skb, WEIR_A_TOTAL_JOBS, jobs) ||
	    nla_put_u32(skb, WEIR_A_TOTAL_PORTS, ports) ||
	    nla_put_uint(skb, WEIR_A_TOTAL_MEMORY, memory) ||
	    nla_put_uint(skb, WEIR_A_TOTAL_MEMORY_LIMIT, weir_pool_limit()) ||
	    nla_put_uint(skb, WEIR_A_TOTAL_MEMORY_USED, weir_pool_used()) ||
	    nla_put_string(skb, WEIR_A_TOTAL_REDUCTION, weir_reduce_unit()) ||
	    weir_stats_put(skb, WEIR_A_TOTAL_STATS, wn->stats)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

int weir_nl_stats_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	int err;

	rtnl_lock();
	err = weir_nl_reply(info, WEIR_CMD_STATS_GET, weir_nl_fill_total,
			    weir_nl_net(info));
	rtnl_unlock();
	return err;
}

int weir_nl_device_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return weir_nl_device(info, WEIR_CMD_DEVICE_GET);
}

/**
 * weir_nl_init() - accept requests
 */
int weir_nl_init(void)
{
	return weir_nl_start(&weir_nl);
}

/**
 * weir_nl_uninit() - accept no request; requests under way have ended
 */
void weir_nl_uninit(void)
{
	weir_nl_stop(&weir_nl);
}
