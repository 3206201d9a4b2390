// SPDX-License-Identifier: GPL-2.0
/* Netlink requests about sources. */
#include <net/sock.h>

#include "job.h"
#include "netlink.h"
#include "source.h"

/* A source with what it does not know of itself. */
struct weir_nl_source {
	const struct weir_job		*job;
	const struct weir_source	*source;
	u32				id;
};

static int weir_nl_fill_source(const struct weir_nl_msg *msg, const void *obj)
{
	const struct weir_nl_source *s = obj;
	const struct weir_dest *dest = &s->source->dest;
	struct sk_buff *skb = msg->skb;
	void *hdr;

	hdr = weir_nl_begin(msg);
	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_u32(skb, WEIR_A_SOURCE_JOB, s->job->id) ||
	    nla_put_u32(skb, WEIR_A_SOURCE_ID, s->id) ||
	    weir_nl_put_addr(skb, WEIR_A_SOURCE_ADDRESS, &dest->addr) ||
	    (dest->port && nla_put_u32(skb, WEIR_A_SOURCE_PORT,
				       ntohs(dest->port))) ||
	    weir_stats_put(skb, WEIR_A_SOURCE_STATS, s->source->stats)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

/* The job and source id that a request names; whether bound is for later. */
static int weir_nl_source_find(struct genl_info *info,
			       struct weir_nl_source *s)
{
	struct weir_job *job = weir_nl_job(info, WEIR_A_SOURCE_JOB);

	if (IS_ERR(job))
		return PTR_ERR(job);
	if (!WEIR_NL_REQUIRE(info, WEIR_A_SOURCE_ID,
			     "say which source: its id is missing"))
		return -EINVAL;
	s->job = job;
	s->id = nla_get_u32(info->attrs[WEIR_A_SOURCE_ID]);
	if (s->id >= job->blocks.sources) {
		NL_SET_BAD_ATTR(info->extack, info->attrs[WEIR_A_SOURCE_ID]);
		NL_SET_ERR_MSG_FMT(info->extack,
				   "job %u has %u sources: ids run from 0 to %u",
				   job->id, job->blocks.sources,
				   job->blocks.sources - 1);
		return -ERANGE;
	}
	s->source = weir_source_get(job, s->id);
	return 0;
}

static int weir_nl_source_find_bound(struct genl_info *info,
				     struct weir_nl_source *s)
{
	int err = weir_nl_source_find(info, s);

	if (err || s->source)
		return err;
	NL_SET_BAD_ATTR(info->extack, info->attrs[WEIR_A_SOURCE_ID]);
	NL_SET_ERR_MSG_FMT(info->extack, "source %u of job %u has no address",
			   s->id, s->job->id);
	return -ENOENT;
}

static int weir_nl_source_bind(struct genl_info *info,
			       struct weir_nl_source *s,
			       const struct in6_addr *addr, u16 port)
{
	struct weir_job *job = (struct weir_job *)s->job;
	u32 other = s->id;
	int err;

	if (weir_source_taken(job, addr, port, &other)) {
		NL_SET_ERR_MSG_FMT(info->extack,
				   "source %u of job %u has this address and port already",
				   other, job->id);
		return -EEXIST;
	}
	err = weir_source_bind(job, s->id, addr, port);
	if (err)
		return err;
	s->source = weir_source_get(job, s->id);
	weir_nl_changed(job->wn);
	weir_nl_notify(job->wn, WEIR_CMD_SOURCE_NTF, weir_nl_fill_source, s);
	return 0;
}

int weir_nl_source_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr **attrs = info->attrs;
	struct weir_nl_source s;
	struct in6_addr addr;
	int err;

	err = weir_nl_source_find(info, &s);
	if (err)
		return err;
	if (s.source) {
		NL_SET_BAD_ATTR(info->extack, attrs[WEIR_A_SOURCE_ID]);
		NL_SET_ERR_MSG_FMT(info->extack,
				   "source %u of job %u has an address already: set it or delete it first",
				   s.id, s.job->id);
		return -EEXIST;
	}
	if (!WEIR_NL_REQUIRE(info, WEIR_A_SOURCE_ADDRESS,
			     "say the source's address: nothing else tells who it is"))
		return -EINVAL;
	err = weir_nl_addr(info, WEIR_A_SOURCE_ADDRESS,
			   weir_nl_family_of(s.job), false, &addr);
	if (err)
		return err;
	return weir_nl_source_bind(info, &s, &addr,
				   attrs[WEIR_A_SOURCE_PORT] ?
				   nla_get_u32(attrs[WEIR_A_SOURCE_PORT]) : 0);
}

int weir_nl_source_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr **attrs = info->attrs;
	struct weir_nl_source s;
	struct in6_addr addr;
	int err;

	err = weir_nl_source_find_bound(info, &s);
	if (err)
		return err;
	if (!attrs[WEIR_A_SOURCE_ADDRESS] && !attrs[WEIR_A_SOURCE_PORT]) {
		GENL_SET_ERR_MSG(info,
				 "nothing to change: say address or port");
		return -EINVAL;
	}
	addr = s.source->dest.addr;
	if (attrs[WEIR_A_SOURCE_ADDRESS])
		err = weir_nl_addr(info, WEIR_A_SOURCE_ADDRESS,
				   weir_nl_family_of(s.job), false, &addr);
	if (err)
		return err;
	return weir_nl_source_bind(info, &s, &addr,
				   attrs[WEIR_A_SOURCE_PORT] ?
				   nla_get_u32(attrs[WEIR_A_SOURCE_PORT]) :
				   ntohs(s.source->dest.port));
}

static void weir_nl_source_unbind(struct weir_nl_source *s)
{
	struct weir_job *job = (struct weir_job *)s->job;

	weir_nl_notify(job->wn, WEIR_CMD_SOURCE_DEL_NTF, weir_nl_fill_source,
		       s);
	weir_source_unbind(job, s->id);
	weir_nl_changed(job->wn);
}

int weir_nl_source_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_nl_source s;
	int err;

	err = weir_nl_source_find_bound(info, &s);
	if (!err)
		weir_nl_source_unbind(&s);
	return err;
}

int weir_nl_source_flush_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_job *job = weir_nl_job(info, WEIR_A_SOURCE_JOB);
	struct weir_nl_source s = { .job = job };

	if (IS_ERR(job))
		return PTR_ERR(job);
	for (s.id = 0; s.id < job->blocks.sources; s.id++) {
		s.source = weir_source_get(job, s.id);
		if (s.source)
			weir_nl_source_unbind(&s);
	}
	return 0;
}

int weir_nl_source_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_nl_source s;
	int err;

	err = weir_nl_source_find_bound(info, &s);
	if (err)
		return err;
	return weir_nl_reply(info, WEIR_CMD_SOURCE_GET, weir_nl_fill_source,
			     &s);
}

/* From source @id of a job on; *id becomes the one that did not fit. */
static int weir_nl_dump_sources(const struct weir_nl_msg *msg,
				const struct weir_job *job, unsigned long *id)
{
	struct weir_nl_source s = { .job = job };
	int err;

	for (; *id < job->blocks.sources; ++*id) {
		s.id = *id;
		s.source = weir_source_get(job, s.id);
		if (!s.source)
			continue;
		err = weir_nl_fill_source(msg, &s);
		if (err)
			return err;
	}
	*id = 0;
	return 0;
}

int weir_nl_source_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct nlattr *only = genl_info_dump(cb)->attrs[WEIR_A_SOURCE_JOB];
	struct weir_net *wn = weir_net(sock_net(skb->sk));
	unsigned long last = WEIR_JOB_ID_MAX;
	struct weir_nl_msg msg;
	struct weir_job *job;
	int err = 0;

	mutex_lock(&wn->lock);
	weir_nl_dump_start(wn, cb, &msg, skb, WEIR_CMD_SOURCE_GET);
	if (only) {
		last = nla_get_u32(only);
		if (cb->args[0] < last)
			cb->args[0] = last;
		if (!weir_job_get(wn, last)) {
			NL_SET_ERR_MSG_FMT(cb->extack,
					   "there is no job %lu in this network namespace",
					   last);
			err = -ENOENT;
		}
	}
	for (; !err && cb->args[0] <= last; cb->args[0]++) {
		job = weir_job_get(wn, cb->args[0]);
		if (job)
			err = weir_nl_dump_sources(&msg, job,
						   (unsigned long *)&cb->args[1]);
		if (err)
			break;
	}
	mutex_unlock(&wn->lock);
	return skb->len ?: err;
}
