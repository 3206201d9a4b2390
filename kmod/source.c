// SPDX-License-Identifier: GPL-2.0
/* Sources: the workers of a job, each an id bound to an address. */
#include <linux/slab.h>

#include "source.h"

static struct weir_source *weir_source_new(const struct in6_addr *addr,
					   u16 port)
{
	struct weir_source *source = kzalloc(sizeof(*source),
					     GFP_KERNEL_ACCOUNT);

	if (source && weir_dest_init(&source->dest, addr, port,
				     GFP_KERNEL_ACCOUNT)) {
		kfree(source);
		return NULL;
	}
	return source;
}

/**
 * weir_source_free() - free a source that nobody can reach
 * @source: the source, or NULL
 */
void weir_source_free(struct weir_source *source)
{
	if (!source)
		return;
	weir_dest_uninit(&source->dest);
	free_percpu(source->stats);
	kfree(source);
}

/**
 * weir_source_bind() - bind a source id to an address, or to another one
 * @job: the job, its namespace's lock held
 * @id: source id, below the job's sources
 * @addr: address of the job's family, IPv4 as IPv4-mapped
 * @port: UDP port of the worker, 0 for the job's
 *
 * Sleeps until no packet uses the old address. Return: 0 or -ENOMEM.
 */
int weir_source_bind(struct weir_job *job, u32 id, const struct in6_addr *addr,
		     u16 port)
{
	struct weir_source *old = weir_source_get(job, id);
	struct weir_source *source = weir_source_new(addr, port);

	if (!source)
		return -ENOMEM;
	source->stats = old ? old->stats :
			alloc_percpu_gfp(struct weir_stats, GFP_KERNEL_ACCOUNT);
	if (!source->stats) {
		weir_source_free(source);
		return -ENOMEM;
	}
	rcu_assign_pointer(job->source[id], source);
	if (old) {
		synchronize_rcu();
		old->stats = NULL;
		weir_source_free(old);
	}
	return 0;
}

/**
 * weir_source_unbind() - take a source's address away
 * @job: the job, its namespace's lock held
 * @id: a bound source id
 *
 * Sleeps. What the source has contributed to open blocks stays.
 */
void weir_source_unbind(struct weir_job *job, u32 id)
{
	struct weir_source *old = weir_source_get(job, id);

	RCU_INIT_POINTER(job->source[id], NULL);
	synchronize_rcu();
	weir_source_free(old);
}

/**
 * weir_source_flush() - unbind all sources of a job
 * @job: the job, its namespace's lock held
 *
 * Sleeps.
 */
void weir_source_flush(struct weir_job *job)
{
	unsigned int i;

	for (i = 0; i < job->blocks.sources; i++)
		if (weir_source_get(job, i))
			weir_source_unbind(job, i);
}

/**
 * weir_source_taken() - is an address and port another source's already?
 * @job: the job, its namespace's lock held
 * @addr: address, IPv4 as IPv4-mapped
 * @port: UDP port, 0 for the job's
 * @id: the source that is to have it; becomes the one that has it
 *
 * Workers on one host differ in their ports.
 */
bool weir_source_taken(const struct weir_job *job,
		       const struct in6_addr *addr, u16 port, u32 *id)
{
	const struct weir_source *source;
	unsigned int i;

	for (i = 0; i < job->blocks.sources; i++) {
		source = weir_source_get(job, i);
		if (i == *id || !source ||
		    source->dest.port != htons(port) ||
		    !ipv6_addr_equal(&source->dest.addr, addr))
			continue;
		*id = i;
		return true;
	}
	return false;
}
