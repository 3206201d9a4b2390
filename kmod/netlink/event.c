// SPDX-License-Identifier: GPL-2.0
/* What the data path tells the events group. */
#include <net/genetlink.h>

#include "job/job.h"
#include "netlink/event.h"
#include "netlink/netlink.h"

/**
 * struct weir_event_what - what has happened
 * @event: enum weir_event
 * @has_source: it is about one source
 * @source: its id
 * @straggles: blocks that timed out without it in the last period
 */
struct weir_event_what {
	u32	event;
	bool	has_source;
	u32	source;
	u64	straggles;
};

static int weir_event_fill(struct sk_buff *skb, const struct weir_job *job,
			   const struct weir_event_what *e)
{
	void *hdr = genlmsg_put(skb, 0, 0, &weir_nl_family, 0,
				WEIR_CMD_EVENT_NTF);

	if (!hdr ||
	    nla_put_u32(skb, WEIR_A_EVENT_EVENT, e->event) ||
	    nla_put_u32(skb, WEIR_A_EVENT_JOB, job->id) ||
	    nla_put_u32(skb, WEIR_A_EVENT_GENERATION,
			weir_blocks_generation(&job->blocks)) ||
	    (e->has_source &&
	     (nla_put_u32(skb, WEIR_A_EVENT_SOURCE, e->source) ||
	      nla_put_uint(skb, WEIR_A_EVENT_STRAGGLES, e->straggles))))
		return -EMSGSIZE;
	genlmsg_end(skb, hdr);
	return 0;
}

/* Where there is no memory they are told that they have missed something. */
static void weir_event(const struct weir_job *job, const struct weir_event_what *e)
{
	struct sk_buff *skb;

	if (!weir_nl_heard(job->wn))
		return;
	skb = genlmsg_new(NLMSG_DEFAULT_SIZE, GFP_ATOMIC);
	if (!skb || weir_event_fill(skb, job, e)) {
		nlmsg_free(skb);
		weir_nl_lost(job->wn);
		return;
	}
	genlmsg_multicast_netns(&weir_nl_family, job->wn->net, skb, 0,
				WEIR_NLGRP_EVENTS, GFP_ATOMIC);
}

/**
 * weir_event_generation() - tell that a generation begins
 * @job: the job
 *
 * Any context, does not sleep.
 */
void weir_event_generation(const struct weir_job *job)
{
	weir_event(job, &(struct weir_event_what){ .event = WEIR_EVENT_GENERATION });
}

/**
 * weir_event_source() - tell that a source's state has changed
 * @job: the job
 * @event: enum weir_event
 * @source: source id
 * @straggles: blocks that timed out without it in the last period
 *
 * Any context, does not sleep.
 */
void weir_event_source(const struct weir_job *job, u32 event, u32 source,
		       u64 straggles)
{
	weir_event(job, &(struct weir_event_what){
		.event		= event,
		.has_source	= true,
		.source		= source,
		.straggles	= straggles,
	});
}
