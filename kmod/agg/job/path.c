// SPDX-License-Identifier: GPL-2.0
/* Look up the port, the job and the source of a datagram, and count for each of them. */
#include <linux/netdevice.h>
#include <linux/nospec.h>
#include <linux/string.h>
#include <net/ipv6.h>
#include <uapi/weir.h>
#include <uapi/weir_bpf.h>

#include "agg/base/link.h"
#include "agg/format/format.h"
#include "agg/job/job.h"
#include "agg/job/path.h"
#include "agg/job/port.h"
#include "agg/job/source.h"

/* Return true if its sender has the address that is bound to the source's id. */
static bool weir_is_source(const struct weir_path *path,
			   const struct weir_source *source,
			   const struct weir_contrib *c)
{
	const struct weir_source_config *config = &source->config;

	return ipv6_addr_equal((const struct in6_addr *)c->saddr,
			       &config->addr) &&
	       (!config->port || config->port == c->sport) &&
	       (!config->ifindex || config->ifindex == path->port->ifindex) &&
	       (config->vlan == WEIR_VLAN_ANY || config->vlan == c->vlan);
}

/* Packets that say no job: its address and port do. */
static struct weir_job *weir_find_unnamed(struct weir_net *wn,
					  const struct weir_contrib *c)
{
	struct weir_job *job;

	hlist_for_each_entry_rcu_bh(job, &wn->unnamed, unnamed)
		if (job->format->id == c->format && job->format->link == weir_contrib_is_link(c) &&
		    weir_path_is_to(job, c))
			return job;
	return NULL;
}

/*
 * The source is the one with the sender's address; the caller checks that again. Up to 256
 * are looked at, four instructions each: jobs of formats that name no source have few.
 */
static u16 weir_find_sender(const struct weir_path *path, const struct weir_contrib *c)
{
	const struct weir_source *source;
	unsigned int i;

	for (i = 0; i < path->job->blocks.sources; i++) {
		source = weir_source_get(path->job, i);
		if (source && weir_is_source(path, source, c))
			break;
	}
	return i;
}

/*
 * The reason to refuse a packet that is for no job: @reason, but for a quiet format. A packet
 * of a quiet format to this box must not come to its stack; one to another host may pass.
 */
static int weir_find_none(const struct weir_path *path, const struct weir_contrib *c,
			  int reason)
{
	const struct weir_format_ops *format = weir_format_find(c->format);

	if (!format || !format->quiet)
		return reason;
	return weir_local_has(path->wn->ns.net, (const struct in6_addr *)c->daddr) ?
	       WEIR_REASON_NO_JOB : WEIR_REASON_NOT_LOCAL;
}

/**
 * weir_path_find() - find a datagram's job and source
 * @path: the namespace and the port are set; the job and the source are not
 * @c: the datagram; gets its job's and its source's ids where it does not say them
 *
 * Called under RCU with bottom halves disabled.
 *
 * Return: 0 or an enum weir_reason.
 */
int weir_path_find(struct weir_path *path, struct weir_contrib *c)
{
	bool unnamed = c->flags & WEIR_CONTRIB_UNNAMED;
	struct weir_source *source;
	struct weir_job *job;

	if (!path->port)
		return WEIR_REASON_NO_PORT;
	job = unnamed ? weir_find_unnamed(path->wn, c) : weir_job_get(path->wn, c->job);
	if (!job || READ_ONCE(job->local.port) != htons(c->dport) ||
	    (unlikely(job->format->id != c->format || job->format->unnamed != unnamed) &&
	     !weir_path_is_join(c)))
		return weir_find_none(path, c, WEIR_REASON_NO_JOB);
	if (!ipv6_addr_equal((const struct in6_addr *)c->daddr, &job->local.addr))
		return WEIR_REASON_NOT_LOCAL;
	path->job = job;
	if (unnamed) {
		c->job = job->id;
		c->source = weir_find_sender(path, c);
	}

	source = weir_source_get(job, c->source);
	if (!source)
		return WEIR_REASON_NO_SOURCE;
	if (!weir_is_source(path, source, c))
		return WEIR_REASON_SPOOFED;
	path->source = source;
	/* More arrays are indexed by it from here on. */
	c->source = array_index_nospec(c->source, job->blocks.sources);
	path->source_id = c->source;
	return 0;
}

/**
 * weir_path_find_other() - find the job and source of a datagram that is not of those before it
 * @path: that of the datagram before it, with a tally
 * @c: as of weir_path_find()
 *
 * Called and returns as weir_path_find().
 */
int weir_path_find_other(struct weir_path *path, struct weir_contrib *c)
{
	weir_path_count_tally(path);
	path->job = NULL;
	path->source = NULL;
	return weir_path_find(path, c);
}

/* A walk over all jobs: only bad packets have their address looked for. */
static bool weir_path_is_for_a_job(const struct weir_path *path, const struct weir_contrib *c)
{
	const struct weir_job *job;
	unsigned int i;

	for (i = 0; i <= WEIR_JOB_ID_MAX; i++) {
		job = weir_job_get(path->wn, i);
		if (job && weir_path_is_to(job, c))
			return true;
	}
	return false;
}

/**
 * weir_path_find_none() - test whether a packet that a parser refused may be other traffic
 * @path: the namespace and the port are set
 * @c: the packet, as far as @c->daddr, @c->dport and @c->format
 *
 * Called as weir_path_find().
 *
 * Return: an enum weir_reason where it may, as it came by no port or is sent to no job; else 0.
 */
int weir_path_find_none(const struct weir_path *path, const struct weir_contrib *c)
{
	if (!path->port)
		return WEIR_REASON_NO_PORT;
	return weir_path_is_for_a_job(path, c) ? 0 :
						 weir_find_none(path, c, WEIR_REASON_NOT_LOCAL);
}

/**
 * weir_path_count() - count for every object on the way, as each can be shown by itself
 * @path: the objects
 * @counter: enum weir_counter
 * @n: value to add
 *
 * Any context.
 */
void weir_path_count(const struct weir_path *path, unsigned int counter, u64 n)
{
	weir_count(path->wn->stats, counter, n);
	if (path->port)
		weir_count(path->port->stats, counter, n);
	if (path->job)
		weir_count(path->job->stats, counter, n);
	if (path->source)
		weir_count(path->source->stats, counter, n);
}

/* In one go, as most packets take this way. */
static __always_inline void weir_count_summed(struct weir_stats __percpu *stats, u32 n,
					      u64 gradients, u64 bytes)
{
	weir_count(stats, WEIR_C_CONTRIBUTIONS, n);
	weir_count(stats, WEIR_C_GRADIENTS, gradients);
	weir_count(stats, WEIR_C_BYTES, bytes);
}

/**
 * weir_path_count_sums() - count contributions that were summed
 * @path: their objects, all of them found
 * @n: number of contributions
 * @gradients: their gradients
 * @bytes: their bytes
 *
 * Any context.
 */
void weir_path_count_sums(const struct weir_path *path, u32 n, u64 gradients, u64 bytes)
{
	weir_count_summed(path->wn->stats, n, gradients, bytes);
	weir_count_summed(path->port->stats, n, gradients, bytes);
	weir_count_summed(path->job->stats, n, gradients, bytes);
	weir_count_summed(path->source->stats, n, gradients, bytes);
}

/**
 * weir_path_count_tally() - count a source's contributions of a merged packet
 * @path: their objects, with a tally, which is empty then
 *
 * Any context.
 */
void weir_path_count_tally(struct weir_path *path)
{
	struct weir_tally *tally = path->tally;

	if (!tally->contributions)
		return;
	weir_path_count_sums(path, tally->contributions, tally->gradients, tally->bytes);
	*tally = (struct weir_tally){};
}
