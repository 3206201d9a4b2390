/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_PATH_H
#define _WEIR_PATH_H

#include <linux/udp.h>
#include <uapi/weir_bpf.h>

#include "agg/base/link.h"
#include "agg/format/format.h"
#include "agg/job/job.h"
#include "agg/job/source.h"

struct weir_merged;
struct weir_net;
struct weir_port;
struct weir_source;

/**
 * struct weir_tally - contributions that were summed, and are not counted yet
 * @contributions: their number
 * @gradients: their gradients
 * @bytes: their bytes, UDP headers included
 */
struct weir_tally {
	u32	contributions;
	u64	gradients;
	u64	bytes;
};

/**
 * struct weir_path - the objects that a datagram belongs to; those not found are NULL
 * @wn: the namespace
 * @port: the device's port
 * @job: the job
 * @source: the sender, after its address was found to be right
 * @source_id: its id
 * @tally: of a datagram of a merged packet, where it is counted with the others; else NULL
 * @merged: of a datagram of a merged packet, packets to send for it and the others; else NULL
 */
struct weir_path {
	struct weir_net		*wn;
	struct weir_port	*port;
	struct weir_job		*job;
	struct weir_source	*source;
	u16			source_id;
	struct weir_tally	*tally;
	struct weir_merged	*merged;
};

/* Return true if a packet is sent to a job's address and port. */
static inline bool weir_path_is_to(const struct weir_job *job, const struct weir_contrib *c)
{
	return READ_ONCE(job->local.port) == htons(c->dport) &&
	       ipv6_addr_equal((const struct in6_addr *)c->daddr, &job->local.addr);
}

/* Joins are of format trio, and find jobs of all formats, which refuse them in words. */
static inline bool weir_path_is_join(const struct weir_contrib *c)
{
	return c->format == WEIR_FORMAT_TRIO && c->flags & WEIR_CONTRIB_JOIN &&
	       !(c->flags & WEIR_CONTRIB_UNNAMED);
}

int weir_path_find(struct weir_path *path, struct weir_contrib *c);
int weir_path_find_other(struct weir_path *path, struct weir_contrib *c);
int weir_path_find_none(const struct weir_path *path, const struct weir_contrib *c);
void weir_path_count(const struct weir_path *path, unsigned int counter, u64 n);
void weir_path_count_sums(const struct weir_path *path, u32 n, u64 gradients, u64 bytes);
void weir_path_count_tally(struct weir_path *path);

/**
 * weir_path_police() - charge a packet to the rates of its source and its job
 * @path: its objects, all of them found
 * @packets: 1 for a packet that has come, 0 for a result that it makes the box send
 * @bytes: its bytes
 * @now: time, ns of the monotonic clock
 *
 * The source's rate is charged first: packets above it do not count for the job's rate.
 *
 * Return: 0 or an enum weir_reason.
 */
static __always_inline int weir_path_police(const struct weir_path *path, u32 packets, u32 bytes,
					    u64 now)
{
	struct weir_rate *rate = rcu_dereference_bh(path->job->rate);

	if (!weir_rate_take(&path->source->rate, now, packets, bytes))
		return WEIR_REASON_SOURCE_RATE;
	if (rate && !weir_rate_take(rate, now, packets, bytes))
		return WEIR_REASON_JOB_RATE;
	return 0;
}

/**
 * weir_path_check_shape() - check that a datagram is as long as its header says
 * @c: the datagram
 * @want: bytes that are to follow the header
 * @grads: most gradients a block
 *
 * Return: 0 or an enum weir_reason.
 */
static __always_inline int weir_path_check_shape(const struct weir_contrib *c, u32 want, u16 grads)
{
	u32 udp = weir_contrib_is_link(c) ? 0 : sizeof(struct udphdr);

	if (c->payload_off < c->udp_off + udp || c->payload_off - c->udp_off + want != c->udp_len)
		return WEIR_REASON_LENGTH;
	return c->count > grads ? WEIR_REASON_TOO_LONG : 0;
}

/* Return true if it is of the same job and source as the datagram before it in its packet. */
static inline bool weir_path_holds(const struct weir_path *path, const struct weir_contrib *c)
{
	if (!path->source || path->job->format->id != c->format)
		return false;
	/* If packets do not name them, their addresses do, which are the packet's. */
	if (c->flags & WEIR_CONTRIB_UNNAMED)
		return path->job->format->unnamed;
	return path->job->id == c->job && path->source_id == c->source;
}

/**
 * weir_path_find_next() - find the job and source of a further datagram of a packet
 * @path: that of the datagram before it, with a tally
 * @c: as of weir_path_find()
 *
 * Called and returns as weir_path_find().
 */
static inline int weir_path_find_next(struct weir_path *path, struct weir_contrib *c)
{
	if (unlikely(!weir_path_holds(path, c)))
		return weir_path_find_other(path, c);
	c->job = path->job->id;
	c->source = path->source_id;
	return 0;
}

/**
 * weir_path_count_summed() - count a contribution that was summed
 * @path: its objects, all of them found
 * @c: the contribution
 *
 * Any context. Of a merged packet it is counted with the others, by weir_path_count_tally().
 */
static inline void weir_path_count_summed(const struct weir_path *path,
					  const struct weir_contrib *c)
{
	struct weir_tally *tally = path->tally;

	if (!tally) {
		weir_path_count_sums(path, 1, c->count, c->udp_len);
		return;
	}
	tally->contributions++;
	tally->gradients += c->count;
	tally->bytes += c->udp_len;
}

#endif /* _WEIR_PATH_H */
