// SPDX-License-Identifier: GPL-2.0
/* Netlink dumps of open blocks. */
#include <linux/ktime.h>

#include "agg/job/job.h"
#include "agg/netlink/netlink.h"

static int weir_nl_put_missing(struct sk_buff *skb, const struct weir_job *job,
			       const struct weir_result *res)
{
	DECLARE_BITMAP(missing, WEIR_SOURCES_MAX);
	unsigned int i;

	weir_block_missing(&job->blocks, res, missing);
	for_each_set_bit(i, missing, job->blocks.sources)
		if (nla_put_u32(skb, WEIR_A_BLOCK_MISSING, i))
			return -EMSGSIZE;
	return 0;
}

static int weir_nl_fill_block(const struct weir_nl_msg *msg,
			      const struct weir_job *job,
			      const struct weir_result *res)
{
	struct sk_buff *skb = msg->skb;
	u64 now = ktime_get_ns();
	void *hdr;

	hdr = weir_nl_begin(msg);
	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_u32(skb, WEIR_A_BLOCK_JOB, job->id) ||
	    nla_put_u32(skb, WEIR_A_BLOCK_ID, res->id) ||
	    nla_put_u32(skb, WEIR_A_BLOCK_GENERATION, res->generation) ||
	    nla_put_u32(skb, WEIR_A_BLOCK_GRADS, res->count) ||
	    nla_put_u32(skb, WEIR_A_BLOCK_RECEIVED, res->received) ||
	    nla_put_uint(skb, WEIR_A_BLOCK_AGE,
			 now > res->start ? now - res->start : 0) ||
	    weir_nl_put_missing(skb, job, res)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

/* From slot *at of a job on; *at becomes the first that did not fit. */
static int weir_nl_dump_blocks(const struct weir_nl_msg *msg,
			       struct weir_job *job, unsigned long *at)
{
	struct weir_result res = { };
	int err;

	for (; *at < job->blocks.size; ++*at) {
		cond_resched();
		if (!weir_block_look(&job->blocks, weir_blocks_slot(&job->blocks, *at), &res))
			continue;
		err = weir_nl_fill_block(msg, job, &res);
		if (err)
			return err;
	}
	*at = 0;
	return 0;
}

int weir_nl_block_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return weir_nl_dump_jobs(skb, cb, WEIR_CMD_BLOCK_GET, WEIR_A_BLOCK_JOB,
				 weir_nl_dump_blocks);
}
