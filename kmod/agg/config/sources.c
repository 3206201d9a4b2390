// SPDX-License-Identifier: GPL-2.0
/* Sources: bound to addresses and freed under the namespace's lock. */
#include <linux/random.h>
#include <linux/slab.h>

#include "agg/config/sources.h"
#include "agg/member/straggler.h"

static struct weir_source *
weir_source_new(const struct weir_source_config *config)
{
	struct weir_source *source = kzalloc(sizeof(*source),
					     GFP_KERNEL_ACCOUNT);

	if (!source)
		return NULL;
	if (weir_dest_init(&source->dest, &config->addr, config->port,
			   GFP_KERNEL_ACCOUNT)) {
		kfree(source);
		return NULL;
	}
	source->dest.ifindex = config->ifindex;
	source->dest.vlan = config->vlan == WEIR_VLAN_ANY ? 0 : config->vlan;
	source->config = *config;
	weir_rate_init(&source->rate, &config->rate);
	get_random_bytes(&source->secret, sizeof(source->secret));
	return source;
}

/**
 * weir_source_free() - free a source that no packet can reach
 * @source: the source, or NULL
 */
void weir_source_free(struct weir_source *source)
{
	if (!source)
		return;
	weir_dest_uninit(&source->dest);
	free_percpu(source->stats);
	free_percpu(source->lateness);
	kfree(source);
}

static int weir_source_count(struct weir_source *source,
			     const struct weir_source *old)
{
	if (old) {
		source->stats = old->stats;
		source->lateness = old->lateness;
		return 0;
	}
	source->stats = alloc_percpu_gfp(struct weir_stats, GFP_KERNEL_ACCOUNT);
	source->lateness = alloc_percpu_gfp(struct weir_lateness,
					    GFP_KERNEL_ACCOUNT);
	return source->stats && source->lateness ? 0 : -ENOMEM;
}

/* Return true if the address and the port of a source are as they were. */
static bool weir_source_stays(const struct weir_source *source,
			      const struct weir_source *old)
{
	const struct weir_source_config *a = &source->config, *b = &old->config;

	return a->port == b->port && a->ifindex == b->ifindex &&
	       a->vlan == b->vlan && ipv6_addr_equal(&a->addr, &b->addr);
}

/**
 * weir_source_bind() - bind a source id to an address, or to another one
 * @job: the job, its namespace's lock held
 * @id: source id, below the job's sources
 * @config: the address and the rest
 *
 * Sleeps until no packet uses the binding before. Return: 0 or -ENOMEM.
 */
int weir_source_bind(struct weir_job *job, u32 id,
		     const struct weir_source_config *config)
{
	struct weir_source *old, *source;
	bool stays;

	lockdep_assert_held(&job->wn->ns.lock);

	old = weir_source_get(job, id);
	source = weir_source_new(config);
	if (!source)
		return -ENOMEM;
	if (weir_source_count(source, old)) {
		weir_source_free(source);
		return -ENOMEM;
	}
	stays = old && weir_source_stays(source, old);
	if (stays) {
		source->secret = old->secret;
		source->hears = weir_source_hears(old);
	}
	rcu_assign_pointer(job->source[id], source);
	weir_straggler_bound(job, id);
	if (old) {
		synchronize_rcu();
		/* A join may have found the old one meanwhile. */
		if (stays && old->hears)
			WRITE_ONCE(source->hears, true);
		old->stats = NULL;
		old->lateness = NULL;
		weir_source_free(old);
	}
	return 0;
}

/**
 * weir_source_unbind() - take a source's address away
 * @job: the job, its namespace's lock held
 * @id: a bound source id
 *
 * Sleeps. Contributions of the source to open blocks stay.
 */
void weir_source_unbind(struct weir_job *job, u32 id)
{
	struct weir_source *old;

	lockdep_assert_held(&job->wn->ns.lock);

	old = weir_source_get(job, id);
	RCU_INIT_POINTER(job->source[id], NULL);
	weir_straggler_unbound(job, id);
	synchronize_rcu();
	weir_source_free(old);
}

/**
 * weir_source_flush() - unbind all sources of a job, with one grace period
 * @job: the job, its namespace's lock held
 *
 * Sleeps.
 */
void weir_source_flush(struct weir_job *job)
{
	struct weir_source *source, *next;
	LIST_HEAD(gone);
	unsigned int i;

	lockdep_assert_held(&job->wn->ns.lock);

	for (i = 0; i < job->blocks.sources; i++) {
		source = weir_source_get(job, i);
		if (!source)
			continue;
		RCU_INIT_POINTER(job->source[i], NULL);
		weir_straggler_unbound(job, i);
		list_add(&source->gone, &gone);
	}
	if (list_empty(&gone))
		return;
	synchronize_rcu();
	list_for_each_entry_safe(source, next, &gone, gone)
		weir_source_free(source);
}

/**
 * weir_source_taken() - test whether an address and port are those of another source
 * @job: the job, its namespace's lock held
 * @config: the address that a source is to have
 * @id: that source; becomes the one that has it
 *
 * Workers on one host differ in their ports, and link-local addresses are told
 * apart by the device.
 */
bool weir_source_taken(const struct weir_job *job,
		       const struct weir_source_config *config, u32 *id)
{
	const struct weir_source *source;
	unsigned int i;

	lockdep_assert_held(&job->wn->ns.lock);

	for (i = 0; i < job->blocks.sources; i++) {
		source = weir_source_get(job, i);
		if (i == *id || !source ||
		    source->config.port != config->port ||
		    !ipv6_addr_equal(&source->config.addr, &config->addr) ||
		    (weir_is_link_local(&config->addr) &&
		     source->config.ifindex != config->ifindex))
			continue;
		*id = i;
		return true;
	}
	return false;
}

/**
 * weir_source_is_box() - test whether results would go to where the job itself listens
 * @job: the job, its namespace's lock held
 * @config: the address that a source is to have
 * @port: the job's UDP port, host byte order, now or as it is to be
 *
 * Nothing that a box sends is taken by one, but it would be sent for nothing.
 */
bool weir_source_is_box(const struct weir_job *job,
			const struct weir_source_config *config, u16 port)
{
	lockdep_assert_held(&job->wn->ns.lock);

	return (config->port ?: port) == port &&
	       ipv6_addr_equal(&config->addr, &job->local.addr);
}
