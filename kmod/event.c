// SPDX-License-Identifier: GPL-2.0
/* What the data path tells the events group. */
#include <net/genetlink.h>

#include "event.h"
#include "job.h"
#include "netlink.h"

static int weir_event_fill(struct sk_buff *skb, const struct weir_job *job)
{
	void *hdr = genlmsg_put(skb, 0, 0, &weir_nl_family, 0,
				WEIR_CMD_EVENT_NTF);

	if (!hdr ||
	    nla_put_u32(skb, WEIR_A_EVENT_EVENT, WEIR_EVENT_GENERATION) ||
	    nla_put_u32(skb, WEIR_A_EVENT_JOB, job->id) ||
	    nla_put_u32(skb, WEIR_A_EVENT_GENERATION,
			READ_ONCE(job->generation)))
		return -EMSGSIZE;
	genlmsg_end(skb, hdr);
	return 0;
}

/**
 * weir_event_generation() - tell that a generation begins
 * @job: the job
 *
 * Any context, does not sleep. Where there is no memory nobody is told.
 */
void weir_event_generation(const struct weir_job *job)
{
	struct sk_buff *skb;

	if (!weir_nl_heard(job->wn))
		return;
	skb = genlmsg_new(NLMSG_DEFAULT_SIZE, GFP_ATOMIC);
	if (!skb)
		return;
	if (weir_event_fill(skb, job)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_multicast_netns(&weir_nl_family, job->wn->net, skb, 0,
				WEIR_NLGRP_EVENTS, GFP_ATOMIC);
}
