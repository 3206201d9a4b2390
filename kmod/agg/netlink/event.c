// SPDX-License-Identifier: GPL-2.0
/* Messages to the events group that packets, timers and devices cause. */
#include <net/genetlink.h>

#include "agg/base/notify.h"
#include "agg/job/job.h"
#include "agg/netlink/event.h"
#include "agg/netlink/netlink.h"

/**
 * struct weir_event_what - an event
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

/* Without memory for the message, listeners read that they missed one. */
static void weir_event(const struct weir_job *job, const struct weir_event_what *e)
{
	struct sk_buff *skb;

	if (!weir_nl_heard(&weir_nl, &job->wn->ns))
		return;
	skb = genlmsg_new(NLMSG_DEFAULT_SIZE, GFP_ATOMIC);
	if (!skb || weir_event_fill(skb, job, e)) {
		nlmsg_free(skb);
		weir_nl_lost(&weir_nl, &job->wn->ns);
		return;
	}
	genlmsg_multicast_netns(&weir_nl_family, job->wn->ns.net, skb, 0,
				WEIR_NLGRP_EVENTS, GFP_ATOMIC);
}

static void weir_event_generation(const struct weir_job *job)
{
	weir_event(job, &(struct weir_event_what){ .event = WEIR_EVENT_GENERATION });
}

static void weir_event_source(const struct weir_job *job, u32 event, u32 source,
			      u64 straggles)
{
	weir_event(job, &(struct weir_event_what){
		.event		= event,
		.has_source	= true,
		.source		= source,
		.straggles	= straggles,
	});
}

static void weir_event_port_gone(struct weir_net *wn,
				 const struct weir_port *port)
{
	weir_nl_port_notify(wn, port, WEIR_CMD_PORT_DEL_NTF);
}

static const struct weir_notify weir_event_notify = {
	.port_gone	= weir_event_port_gone,
	.generation	= weir_event_generation,
	.source		= weir_event_source,
};

/**
 * weir_event_init() - send events that no request causes
 *
 * Return: 0.
 */
int weir_event_init(void)
{
	weir_notify = &weir_event_notify;
	return 0;
}
