// SPDX-License-Identifier: GPL-2.0
/* Netlink requests about sources. */
#include <linux/if_arp.h>
#include <linux/netdevice.h>
#include <linux/slab.h>

#include "agg/format/format.h"
#include "agg/job/job.h"
#include "agg/config/sources.h"
#include "agg/member/straggler.h"
#include "agg/netlink/netlink.h"

/* A source, with its job and its open blocks. */
struct weir_nl_source {
	struct weir_job			*job;
	const struct weir_source	*source;
	u32				id;
	const u32			*missing;	/* open blocks, by id */
};

static int weir_nl_put_who(struct sk_buff *skb,
			   const struct weir_source_config *config)
{
	if (weir_nl_put_addr(skb, WEIR_A_SOURCE_ADDRESS, &config->addr) ||
	    (config->port &&
	     nla_put_u32(skb, WEIR_A_SOURCE_PORT, config->port)) ||
	    (config->ifindex &&
	     nla_put_u32(skb, WEIR_A_SOURCE_IFINDEX, config->ifindex)) ||
	    (config->vlan != WEIR_VLAN_ANY &&
	     nla_put_u32(skb, WEIR_A_SOURCE_VLAN, config->vlan)))
		return -EMSGSIZE;
	return weir_nl_put_rate(skb, WEIR_A_SOURCE_RATE, &config->rate);
}

static void weir_nl_look_missing(struct weir_job *job, u32 slot, u32 *missing)
{
	DECLARE_BITMAP(out, WEIR_SOURCES_MAX);
	struct weir_result res = { };
	unsigned int i;

	if (!weir_block_look(&job->blocks, weir_blocks_slot(&job->blocks, slot), &res))
		return;
	weir_block_missing(&job->blocks, &res, out);
	for_each_set_bit(i, out, job->blocks.sources)
		missing[i]++;
}

/* By source id, the open blocks that it is not in; to be freed. */
static u32 *weir_nl_missing(struct weir_job *job)
{
	u32 *missing = kcalloc(job->blocks.sources, sizeof(*missing),
			       GFP_KERNEL);
	u32 i;

	if (!missing)
		return NULL;
	for (i = 0; i < job->blocks.size; i++) {
		weir_nl_look_missing(job, i, missing);
		cond_resched();
	}
	return missing;
}

static int weir_nl_fill_source(const struct weir_nl_msg *msg, const void *obj)
{
	const struct weir_nl_source *s = obj;
	struct sk_buff *skb = msg->skb;
	void *hdr;

	hdr = weir_nl_begin(msg);
	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_u32(skb, WEIR_A_SOURCE_JOB, s->job->id) ||
	    nla_put_u32(skb, WEIR_A_SOURCE_ID, s->id) ||
	    weir_nl_put_who(skb, &s->source->config) ||
	    nla_put_u32(skb, WEIR_A_SOURCE_STATE,
			weir_straggler_state(s->job, s->id)) ||
	    (s->missing && nla_put_u32(skb, WEIR_A_SOURCE_MISSING,
				       s->missing[s->id])) ||
	    weir_nl_put_lateness(skb, WEIR_A_SOURCE_LATENESS, s->source->lateness) ||
	    weir_stats_put(skb, WEIR_A_SOURCE_STATS, s->source->stats)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

/* The job and source id that a request names; the source may be unbound. */
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
	s->missing = NULL;
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

/**
 * weir_nl_bound_dev() - read the index of a device that something is bound to
 * @info: the request
 * @a: the attribute, which is present; 0 stands for any device
 * @ifindex: filled
 *
 * Return: 0, or -ENODEV if the namespace has no such device.
 */
int weir_nl_bound_dev(struct genl_info *info, int a, int *ifindex)
{
	struct nlattr *attr = info->attrs[a];
	struct net_device *dev;

	*ifindex = nla_get_u32(attr);
	if (!*ifindex)
		return 0;
	dev = dev_get_by_index(genl_info_net(info), *ifindex);
	dev_put(dev);
	if (dev)
		return 0;
	NL_SET_BAD_ATTR(info->extack, attr);
	NL_SET_ERR_MSG_FMT(info->extack,
			   "there is no device with the index %u", *ifindex);
	return -ENODEV;
}

/*
 * Basic packets of format lab-ethernet have no mark of a box. A source with an address of
 * this box would have the box take its own results for contributions.
 */
static int weir_nl_source_link_addr(struct genl_info *info, struct in6_addr *addr)
{
	struct nlattr *attr = info->attrs[WEIR_A_SOURCE_ADDRESS];
	const struct net_device *dev;
	int err;

	err = weir_nl_link_addr(info, WEIR_A_SOURCE_ADDRESS, false, addr);
	if (err)
		return err;
	rcu_read_lock();
	dev = dev_getbyhwaddr_rcu(genl_info_net(info), ARPHRD_ETHER, nla_data(attr));
	if (dev) {
		NL_SET_BAD_ATTR(info->extack, attr);
		NL_SET_ERR_MSG_FMT(info->extack, "device %s of this box has this address",
				   dev->name);
		err = -EADDRINUSE;
	}
	rcu_read_unlock();
	return err;
}

static int weir_nl_source_addr(struct genl_info *info, const struct weir_job *job,
			       struct in6_addr *addr)
{
	if (job->format->link)
		return weir_nl_source_link_addr(info, addr);
	return weir_nl_addr(info, WEIR_A_SOURCE_ADDRESS, weir_nl_family_of(job), false, addr);
}

/* The request's settings; the others in @config stay. */
static int weir_nl_source_config(struct genl_info *info,
				 const struct weir_job *job,
				 struct weir_source_config *config)
{
	struct nlattr **attrs = info->attrs;
	int err = 0;

	if (attrs[WEIR_A_SOURCE_ADDRESS])
		err = weir_nl_source_addr(info, job, &config->addr);
	if (!err && attrs[WEIR_A_SOURCE_IFINDEX])
		err = weir_nl_bound_dev(info, WEIR_A_SOURCE_IFINDEX, &config->ifindex);
	if (!err && attrs[WEIR_A_SOURCE_RATE])
		err = weir_nl_rate(info, WEIR_A_SOURCE_RATE, weir_rate_nl_policy, &config->rate);
	if (!err && job->format->link && attrs[WEIR_A_SOURCE_PORT])
		err = weir_nl_refuse(info, attrs[WEIR_A_SOURCE_PORT], -EINVAL,
				     "frames of the job's format have no UDP port: leave it away");
	if (attrs[WEIR_A_SOURCE_PORT])
		config->port = nla_get_u32(attrs[WEIR_A_SOURCE_PORT]);
	if (attrs[WEIR_A_SOURCE_VLAN])
		config->vlan = nla_get_u32(attrs[WEIR_A_SOURCE_VLAN]);
	return err;
}

/* Refuse an address that is of one link alone without a device. */
static int weir_nl_source_reachable(struct genl_info *info,
				    const struct weir_job *job,
				    const struct weir_source_config *config)
{
	if (config->ifindex || !(weir_is_link_local(&config->addr) ||
				 weir_is_link_local(&job->local.addr)))
		return 0;
	return weir_nl_refuse(info, NULL, -EINVAL, job->format->link ?
			      "an Ethernet address needs the device that the source is behind" :
			      "a link-local address needs the device that the source is behind");
}

static int weir_nl_source_bind(struct genl_info *info,
			       struct weir_nl_source *s,
			       struct weir_source_config *config)
{
	struct weir_job *job = s->job;
	u32 other = s->id;
	int err;

	err = weir_nl_source_config(info, job, config);
	if (!err)
		err = weir_nl_source_reachable(info, job, config);
	if (err)
		return err;
	if (weir_source_is_box(job, config, ntohs(job->local.port))) {
		NL_SET_BAD_ATTR(info->extack, info->attrs[WEIR_A_SOURCE_ADDRESS]);
		NL_SET_ERR_MSG_FMT(info->extack, "job %u itself has this address%s", job->id,
				   job->format->link ? "" : " and port: take another port");
		return -EINVAL;
	}
	if (weir_source_taken(job, config, &other)) {
		NL_SET_ERR_MSG_FMT(info->extack, "source %u of job %u has this address%s already",
				   other, job->id, job->format->link ? "" : " and port");
		return -EEXIST;
	}
	err = weir_source_bind(job, s->id, config);
	if (err)
		return err;
	s->source = weir_source_get(job, s->id);
	weir_nl_changed(&job->wn->ns);
	weir_nl_notify(&weir_nl, &job->wn->ns, WEIR_CMD_SOURCE_NTF, weir_nl_fill_source, s);
	return 0;
}

int weir_nl_source_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_source_config config = { .vlan = WEIR_VLAN_ANY };
	struct weir_nl_source s;
	int err;

	err = weir_nl_source_find(info, &s);
	if (err)
		return err;
	if (s.source) {
		NL_SET_BAD_ATTR(info->extack, info->attrs[WEIR_A_SOURCE_ID]);
		NL_SET_ERR_MSG_FMT(info->extack,
				   "source %u of job %u has an address already: set it or delete it first",
				   s.id, s.job->id);
		return -EEXIST;
	}
	if (!WEIR_NL_REQUIRE(info, WEIR_A_SOURCE_ADDRESS,
			     "say the source's address: nothing else tells who it is"))
		return -EINVAL;
	return weir_nl_source_bind(info, &s, &config);
}

int weir_nl_source_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr **attrs = info->attrs;
	struct weir_source_config config;
	struct weir_nl_source s;
	int err;

	err = weir_nl_source_find_bound(info, &s);
	if (err)
		return err;
	if (!attrs[WEIR_A_SOURCE_ADDRESS] && !attrs[WEIR_A_SOURCE_PORT] &&
	    !attrs[WEIR_A_SOURCE_IFINDEX] && !attrs[WEIR_A_SOURCE_VLAN] &&
	    !attrs[WEIR_A_SOURCE_RATE]) {
		GENL_SET_ERR_MSG(info,
				 "nothing to change: say address, port, device, VLAN or rate");
		return -EINVAL;
	}
	config = s.source->config;
	return weir_nl_source_bind(info, &s, &config);
}

static void weir_nl_source_gone(struct weir_nl_source *s)
{
	weir_nl_notify(&weir_nl, &s->job->wn->ns, WEIR_CMD_SOURCE_DEL_NTF, weir_nl_fill_source,
		       s);
	weir_nl_changed(&s->job->wn->ns);
}

int weir_nl_source_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_nl_source s;
	int err;

	err = weir_nl_source_find_bound(info, &s);
	if (err)
		return err;
	weir_nl_source_gone(&s);
	weir_source_unbind(s.job, s.id);
	return 0;
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
			weir_nl_source_gone(&s);
	}
	weir_source_flush(job);
	return 0;
}

int weir_nl_source_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_nl_source s;
	int err;

	err = weir_nl_source_find_bound(info, &s);
	if (err)
		return err;
	if (info->user_ptr[0]) {
		s.missing = weir_nl_missing(s.job);
		if (!s.missing)
			return -ENOMEM;
	}
	err = weir_nl_reply(info, WEIR_CMD_SOURCE_GET, weir_nl_fill_source,
			    &s);
	kfree(s.missing);
	return err;
}

/* From source *id of a job on; *id becomes the first that did not fit. */
static int weir_nl_dump_sources(const struct weir_nl_msg *msg,
				struct weir_job *job, unsigned long *id)
{
	struct weir_nl_source s = { .job = job };
	int err = 0;

	if (msg->walks) {
		s.missing = weir_nl_missing(job);
		if (!s.missing)
			return -ENOMEM;
	}
	for (; *id < job->blocks.sources; ++*id) {
		s.id = *id;
		s.source = weir_source_get(job, s.id);
		if (s.source)
			err = weir_nl_fill_source(msg, &s);
		if (err)
			break;
	}
	kfree(s.missing);
	if (!err)
		*id = 0;
	return err;
}

int weir_nl_source_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return weir_nl_dump_jobs(skb, cb, WEIR_CMD_SOURCE_GET,
				 WEIR_A_SOURCE_JOB, weir_nl_dump_sources);
}
