// SPDX-License-Identifier: GPL-2.0
/* Jobs: made, changed and removed under the namespace's lock. */
#include <linux/netlink.h>
#include <linux/slab.h>

#include "core/base/compat.h"
#include "agg/format/format.h"
#include "agg/job/engine.h"
#include "agg/config/jobs.h"
#include "agg/tree/level.h"
#include "agg/engine/scan.h"
#include "agg/config/sources.h"
#include "agg/member/straggler.h"
#include "agg/out/dest.h"

static struct weir_dest *weir_group_new(const struct in6_addr *group)
{
	struct weir_dest *dest = kzalloc(sizeof(*dest), GFP_KERNEL_ACCOUNT);

	if (dest && weir_dest_init(dest, group, 0, GFP_KERNEL_ACCOUNT)) {
		kfree(dest);
		return NULL;
	}
	return dest;
}

static void weir_group_free(struct weir_dest *dest)
{
	if (!dest)
		return;
	weir_dest_uninit(dest);
	kfree(dest);
}

static struct weir_rate *weir_rate_new(const struct weir_rate_config *config)
{
	struct weir_rate *rate = kzalloc(sizeof(*rate), GFP_KERNEL_ACCOUNT);

	if (rate)
		weir_rate_init(rate, config);
	return rate;
}

static bool weir_policy_answers(u8 policy)
{
	return policy != WEIR_POLICY_WAIT;
}

/*
 * When a result may be evicted that a source lacks: if blocks are answered without all sources, no
 * source waits longer than the timeout for another to take a result.
 */
static u64 weir_policy_evict_after(const struct weir_policy_config *policy)
{
	u64 timeout = policy->timeout ?: WEIR_TIMEOUT_DEFAULT * NSEC_PER_USEC;

	return weir_policy_answers(policy->mode) || policy->quorum ? timeout : U64_MAX;
}

static bool weir_policy_excludes(u8 policy)
{
	return policy == WEIR_POLICY_EXCLUDE;
}

static int weir_job_fill_map(struct weir_job *job, const struct weir_job_config *cfg)
{
	job->map = weir_rank_map_new(cfg->blocks.sources, cfg->blocks.ranks);
	return job->map ? 0 : -ENOMEM;
}

static const struct weir_uplink *weir_job_uplink(const struct weir_job_config *cfg)
{
	if (!cfg->has_parent)
		return &weir_uplink_none;
	return cfg->blocks.ranks ? &weir_uplink_ranked : &weir_uplink_plain;
}

static int weir_job_fill_parent(struct weir_job *job, const struct weir_job_config *cfg)
{
	if (!cfg->has_parent)
		return 0;
	job->parent = weir_parent_new(&cfg->parent);
	return job->parent ? 0 : -ENOMEM;
}

static const struct weir_engine *weir_job_engine(const struct weir_job_config *cfg)
{
	if (cfg->format->kv)
		return &weir_engine_kv;
	if (cfg->format->pair)
		return &weir_engine_pairs;
	return cfg->blocks.ranks ? &weir_engine_ranked : &weir_engine_sums;
}

/* The parts of a job that need memory; weir_job_free() undoes any of them. */
static int weir_job_fill(struct weir_job *job,
			 const struct weir_job_config *cfg,
			 const struct weir_engine_config *engine)
{
	const struct weir_policy_config *policy = &cfg->policy;
	struct weir_dest *group;
	struct weir_rate *rate;
	int err;

	job->stats = alloc_percpu_gfp(struct weir_stats, GFP_KERNEL_ACCOUNT);
	if (!job->stats)
		return -ENOMEM;
	err = weir_join_init(&job->join, cfg->blocks.sources) ?:
	      weir_job_fill_map(job, cfg) ?: weir_job_fill_parent(job, cfg);
	if (err)
		return err;
	if (cfg->has_group) {
		group = weir_group_new(&cfg->group);
		if (!group)
			return -ENOMEM;
		rcu_assign_pointer(job->group, group);
	}
	if (weir_rate_is_set(&cfg->rate)) {
		rate = weir_rate_new(&cfg->rate);
		if (!rate)
			return -ENOMEM;
		rcu_assign_pointer(job->rate, rate);
	}
	err = job->engine->init(job, engine);
	if (err)
		return err;
	job->blocks.quorum = policy->quorum;
	job->blocks.retention.evict_after = weir_policy_evict_after(policy);
	job->policy = *policy;
	err = weir_straggler_init(job, weir_policy_dead_after(policy),
				  weir_policy_excludes(policy->mode));
	if (err)
		return err;
	return weir_scan_init(job, cfg->timers, policy->timeout,
			      weir_policy_answers(policy->mode));
}

/**
 * weir_job_unnamed_at() - the job that packets to an address and port are for
 * @wn: the namespace, its lock held
 * @format: their format; where they say their job, there is none
 * @addr: the address
 * @port: UDP port, host byte order
 * @but: a job that is not looked at, or NULL
 *
 * Return: it, or NULL.
 */
const struct weir_job *weir_job_unnamed_at(const struct weir_net *wn,
					   const struct weir_format_ops *format,
					   const struct in6_addr *addr, u16 port,
					   const struct weir_job *but)
{
	const struct weir_job *job;

	lockdep_assert_held(&wn->ns.lock);

	hlist_for_each_entry(job, &wn->unnamed, unnamed)
		if (job != but && job->format == format && job->local.port == htons(port) &&
		    ipv6_addr_equal(&job->local.addr, addr))
			return job;
	return NULL;
}

/**
 * weir_job_check_place() - check that a job may have this address and port
 * @wn: the namespace, its lock held
 * @format: its format; where packets name their job, it may
 * @addr: the address
 * @port: UDP port, host byte order
 * @but: the job itself, which may be there already, or NULL
 * @extack: gets a sentence where it may not
 *
 * Return: 0 or -EADDRINUSE.
 */
int weir_job_check_place(const struct weir_net *wn, const struct weir_format_ops *format,
			 const struct in6_addr *addr, u16 port, const struct weir_job *but,
			 struct netlink_ext_ack *extack)
{
	const struct weir_job *other = weir_job_unnamed_at(wn, format, addr, port, but);

	if (!other)
		return 0;
	NL_SET_ERR_MSG_FMT(extack,
			   "job %u has this address and port: packets of its format say no job",
			   other->id);
	return -EADDRINUSE;
}

/**
 * weir_job_add() - make a job and let packets find it
 * @wn: the namespace, its lock held
 * @cfg: a configuration that was checked
 * @extack: gets a sentence where it fails
 *
 * Sleeps. Return: the job, or an ERR_PTR: -EEXIST, -EADDRINUSE, -EDQUOT, -ENOMEM.
 */
struct weir_job *weir_job_add(struct weir_net *wn,
			      const struct weir_job_config *cfg,
			      struct netlink_ext_ack *extack)
{
	const struct weir_engine_config config = { .blocks = &cfg->blocks, .kv = &cfg->kv };
	const struct weir_engine *engine = weir_job_engine(cfg);
	u64 bytes = engine->bytes(&config);
	struct weir_job *job;
	int err;

	lockdep_assert_held(&wn->ns.lock);

	if (weir_job_get(wn, cfg->id)) {
		NL_SET_ERR_MSG_FMT(extack,
				   "job %u exists already: delete it first or take another id",
				   cfg->id);
		return ERR_PTR(-EEXIST);
	}
	err = weir_job_check_place(wn, cfg->format, &cfg->address, cfg->port, NULL, extack);
	if (err)
		return ERR_PTR(err);
	if (weir_pool_charge(bytes)) {
		NL_SET_ERR_MSG_FMT(extack,
				   "the job needs %llu MiB, but %llu of %llu are taken: use fewer blocks",
				   bytes >> 20, weir_pool_used() >> 20,
				   weir_pool_limit() >> 20);
		return ERR_PTR(-EDQUOT);
	}
	job = kzalloc(struct_size(job, source, cfg->blocks.sources),
		      GFP_KERNEL_ACCOUNT);
	if (!job) {
		weir_pool_uncharge(bytes);
		NL_SET_ERR_MSG(extack, "no memory for the job");
		return ERR_PTR(-ENOMEM);
	}
	job->wn = wn;
	job->id = cfg->id;
	job->format = cfg->format;
	job->engine = engine;
	job->uplink = weir_job_uplink(cfg);
	job->settings = cfg->settings;
	job->grads = cfg->blocks.grads;
	job->local.net = wn->ns.net;
	job->local.port = htons(cfg->port);
	job->local.addr = cfg->address;
	job->local.foreign = cfg->format->foreign;
	job->memory = bytes;

	err = weir_job_fill(job, cfg, &config);
	if (err) {
		NL_SET_ERR_MSG_FMT(extack,
				   "no memory for %u blocks of %u gradients: use fewer blocks",
				   cfg->blocks.slots, cfg->blocks.grads);
		weir_job_free(job);
		return ERR_PTR(err);
	}
	rcu_assign_pointer(wn->jobs[job->id], job);
	if (job->format->unnamed)
		hlist_add_head_rcu(&job->unnamed, &wn->unnamed);
	return job;
}

/**
 * weir_job_set() - send results elsewhere, or police otherwise, or both
 * @job: the job, its namespace's lock held
 * @group: another group, all zero for each source; NULL where that stays
 * @config: other rates, none for no policer; NULL where that stays
 *
 * Sleeps until no packet uses the old ones. Return: 0, or -ENOMEM and nothing
 * has changed.
 */
int weir_job_set(struct weir_job *job, const struct in6_addr *group,
		 const struct weir_rate_config *config)
{
	struct weir_dest *dest = NULL, *old_dest = NULL;
	struct weir_rate *rate = NULL, *old_rate = NULL;

	lockdep_assert_held(&job->wn->ns.lock);

	if (group && !ipv6_addr_any(group)) {
		dest = weir_group_new(group);
		if (!dest)
			return -ENOMEM;
	}
	if (config && weir_rate_is_set(config)) {
		rate = weir_rate_new(config);
		if (!rate) {
			weir_group_free(dest);
			return -ENOMEM;
		}
	}
	if (group)
		old_dest = rcu_replace_pointer(job->group, dest,
					       lockdep_is_held(&job->wn->ns.lock));
	if (config)
		old_rate = rcu_replace_pointer(job->rate, rate,
					       lockdep_is_held(&job->wn->ns.lock));
	if (old_dest || old_rate)
		synchronize_rcu();
	weir_group_free(old_dest);
	kfree(old_rate);
	return 0;
}

/**
 * weir_job_set_policy() - treat stragglers otherwise
 * @job: the job, its namespace's lock held
 * @policy: the new policy; applies to open blocks, too
 */
void weir_job_set_policy(struct weir_job *job,
			 const struct weir_policy_config *policy)
{
	lockdep_assert_held(&job->wn->ns.lock);

	job->policy = *policy;
	WRITE_ONCE(job->blocks.quorum, policy->quorum);
	WRITE_ONCE(job->blocks.retention.evict_after, weir_policy_evict_after(policy));
	if (!weir_policy_answers(policy->mode))
		weir_retention_wait_for_all(&job->blocks.retention);
	weir_straggler_set(job, weir_policy_dead_after(policy),
			   weir_policy_excludes(policy->mode));
	weir_scan_set(job, policy->timeout, weir_policy_answers(policy->mode));
}

/**
 * weir_job_unpublish() - let no further packet find a job
 * @job: the job, its namespace's lock held
 *
 * After a grace period weir_job_free() may follow.
 */
void weir_job_unpublish(struct weir_job *job)
{
	lockdep_assert_held(&job->wn->ns.lock);

	RCU_INIT_POINTER(job->wn->jobs[job->id], NULL);
	if (job->format->unnamed)
		hlist_del_rcu(&job->unnamed);
}

/**
 * weir_job_free() - free a job that no packet can reach
 * @job: never published, or unpublished and a grace period ago
 *
 * Sleeps.
 */
void weir_job_free(struct weir_job *job)
{
	u64 bytes = job->memory;
	unsigned int i;

	/* The scan starts the watch, so it ends first. */
	weir_scan_uninit(&job->scan);
	weir_straggler_uninit(&job->watch);
	job->engine->free(job);
	for (i = 0; i < job->blocks.sources; i++)
		weir_source_free(rcu_dereference_protected(job->source[i], 1));
	weir_group_free(rcu_dereference_protected(job->group, 1));
	kfree(rcu_dereference_protected(job->rate, 1));
	weir_join_uninit(&job->join);
	weir_parent_free(job->parent);
	weir_rank_map_free(job->map);
	free_percpu(job->stats);
	kfree(job);
	weir_pool_uncharge(bytes);
}

/**
 * weir_job_flush() - remove all jobs of a namespace, with one grace period
 * @wn: the namespace, its lock held
 *
 * Sleeps.
 */
void weir_job_flush(struct weir_net *wn)
{
	struct weir_job *job, *next;
	LIST_HEAD(gone);
	unsigned int i;

	lockdep_assert_held(&wn->ns.lock);

	for (i = 0; i <= WEIR_JOB_ID_MAX; i++) {
		job = weir_job_get(wn, i);
		if (!job)
			continue;
		weir_job_unpublish(job);
		list_add(&job->gone, &gone);
	}
	if (list_empty(&gone))
		return;
	synchronize_rcu();
	list_for_each_entry_safe(job, next, &gone, gone)
		weir_job_free(job);
}

/* As a part of the module does. */
void weir_job_net_flush(struct net *net)
{
	weir_job_flush(weir_net(net));
}
