/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_PATH_H
#define _WEIR_PATH_H

#include <uapi/weir_bpf.h>

#include "format/format.h"
#include "job/job.h"
#include "job/merged.h"

struct weir_net;
struct weir_pass;
struct weir_port;
struct weir_source;

/**
 * struct weir_path - the objects that a datagram is of; those not found are NULL
 * @wn: the namespace
 * @port: the device's port
 * @job: the job
 * @source: the sender, after its address was found to be right
 * @source_id: its id
 * @pass: of a datagram of a merged packet; else NULL
 */
struct weir_path {
	struct weir_net		*wn;
	struct weir_port	*port;
	struct weir_job		*job;
	struct weir_source	*source;
	u16			source_id;
	struct weir_pass	*pass;
};

/**
 * struct weir_pass - the way of the datagrams of a merged packet, one after the other
 * @path: of the last one
 * @ifindex: the device that the packet came in on
 * @now: when, ns of the monotonic clock
 * @merged: packets to send for them
 * @contributions: summed since @path's source was found, and not counted yet
 * @gradients: theirs
 * @bytes: theirs
 */
struct weir_pass {
	struct weir_path	path;
	int			ifindex;
	u64			now;
	struct weir_merged	merged;
	u32			contributions;
	u64			gradients;
	u64			bytes;
};

/* Where packets to send for a datagram are merged, or NULL. */
static inline struct weir_merged *weir_path_merged(const struct weir_path *path)
{
	return path->pass ? &path->pass->merged : NULL;
}

/* Joins are of format trio, and find jobs of all formats, which refuse them in words. */
static inline bool weir_path_is_join(const struct weir_contrib *c)
{
	return c->format == WEIR_FORMAT_TRIO && c->flags & WEIR_CONTRIB_JOIN &&
	       !(c->flags & WEIR_CONTRIB_UNNAMED);
}

int weir_path_find(struct weir_path *path, struct weir_contrib *c);
int weir_path_find_other(struct weir_path *path, struct weir_contrib *c);
int weir_path_find_down(struct weir_path *path, const struct weir_contrib *c);
int weir_path_find_none(const struct weir_path *path, const struct weir_contrib *c);
void weir_path_count(const struct weir_path *path, unsigned int counter, u64 n);
void weir_path_count_sums(const struct weir_path *path, u32 n, u64 gradients, u64 bytes);
void weir_path_count_pass(struct weir_path *path);

/* Is it of the same job and source as the datagram before it in its packet? */
static inline bool weir_path_holds(const struct weir_path *path, const struct weir_contrib *c)
{
	if (!path->source || path->job->format->id != c->format)
		return false;
	/* Where packets do not say them, their addresses do, which are the packet's. */
	if (c->flags & WEIR_CONTRIB_UNNAMED)
		return path->job->format->unnamed;
	return path->job->id == c->job && path->source_id == c->source;
}

/**
 * weir_path_find_next() - find the job and source of a further datagram of a packet
 * @path: that of the datagram before it, with a pass
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
 * Any context. Of a merged packet it is counted with the others, by weir_path_count_pass().
 */
static inline void weir_path_count_summed(const struct weir_path *path,
					  const struct weir_contrib *c)
{
	struct weir_pass *pass = path->pass;

	if (!pass) {
		weir_path_count_sums(path, 1, c->count, c->udp_len);
		return;
	}
	pass->contributions++;
	pass->gradients += c->count;
	pass->bytes += c->udp_len;
}

#endif /* _WEIR_PATH_H */
