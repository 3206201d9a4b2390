// SPDX-License-Identifier: GPL-2.0
/*
 * The path of a packet into its job: look up, check, dispatch. A refusal changes no sum.
 *
 *     frame -> hook/ -> weir_contribute(), or weir_pass_take() for a datagram of a merged packet
 *                         weir_path_find()           the port, the job and the source
 *                         weir_path_police()         rates
 *                         weir_engine.check_shape()  lengths
 *                         weir_rx_checksum()
 *                         weir_engine.take()         the sum, the result; or weir_control_take()
 */
#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <linux/string.h>
#include <linux/udp.h>
#include <net/checksum.h>
#include <net/ip6_checksum.h>
#include <net/ipv6.h>
#include <uapi/weir.h>
#include <uapi/weir_bpf.h>

#include "core/base/compat.h"
#include "agg/base/payload.h"
#include "agg/engine/sums.h"
#include "agg/format/format.h"
#include "agg/job/engine.h"
#include "agg/job/job_trace.h"
#include "agg/job/path.h"
#include "agg/job/port.h"
#include "agg/member/straggler.h"
#include "agg/rx/contribute.h"
#include "agg/rx/control.h"
#include "agg/tree/parent.h"
#include "agg/type/vector.h"

static __sum16 weir_rx_pseudo(const struct weir_contrib *c, __wsum csum)
{
	if (ipv6_addr_v4mapped((const struct in6_addr *)c->saddr))
		return csum_tcpudp_magic(c->saddr[3], c->daddr[3], c->udp_len,
					 IPPROTO_UDP, csum);
	return csum_ipv6_magic((const struct in6_addr *)c->saddr,
			       (const struct in6_addr *)c->daddr, c->udp_len,
			       IPPROTO_UDP, csum);
}

/*
 * A driver does not tell XDP whether it has checked the checksum, so it is
 * checked here. A sender on this very machine leaves it to a device that never
 * comes: the field then holds the pseudo header's sum alone, which is taken
 * for what it is. IPv4 allows none at all.
 */
static noinline int weir_rx_check_csum(const struct weir_contrib *c,
				       const struct weir_payload *datagram)
{
	const struct udphdr *uh;
	struct udphdr room;
	__sum16 check;

	uh = weir_payload_peek(datagram, &room, sizeof(room));
	if (!uh)
		return WEIR_REASON_RUNT;
	check = uh->check;
	if (!check)
		return ipv6_addr_v4mapped((const struct in6_addr *)c->saddr) ?
		       0 : WEIR_REASON_CHECKSUM;
	if (check == (__force __sum16)~weir_rx_pseudo(c, 0))
		return 0;
	return weir_rx_pseudo(c, weir_payload_csum(datagram)) ?
	       WEIR_REASON_CHECKSUM : 0;
}

/*
 * A datagram of a merged packet has no UDP header and no checksum of its own: the stack or the
 * device has to have checked it.
 */
static __always_inline int weir_rx_checksum(const struct weir_contrib *c,
					    const struct weir_payload *datagram, u32 header,
					    bool verified)
{
	if (verified)
		return 0;
	return header ? weir_rx_check_csum(c, datagram) : WEIR_REASON_CHECKSUM;
}

static __always_inline int weir_rx_check_shape(const struct weir_job *job,
					       const struct weir_contrib *c)
{
	if (unlikely(c->flags & WEIR_CONTRIB_JOIN))
		return weir_control_check_shape(job, c);
	return likely(job->engine == &weir_engine_sums) ? weir_sums_check(job, c) :
							  job->engine->check_shape(job, c);
}

/*
 * The job and the source are found. @datagram: from its UDP header on, which takes @header bytes,
 * or NULL.
 */
static __always_inline int weir_rx_take(const struct weir_path *path, struct weir_contrib *c,
					struct weir_payload *datagram, u32 header, bool verified,
					u64 now)
{
	struct weir_job *job = path->job;
	int reason;

	reason = weir_path_police(path, 1, c->udp_len, now);
	if (reason)
		return reason;
	if (!datagram)
		return WEIR_REASON_LENGTH;
	reason = weir_rx_check_shape(job, c) ?: weir_rx_checksum(c, datagram, header, verified);
	if (reason)
		return reason;
	weir_straggler_heard(job, c->source);
	weir_payload_pull(datagram,
			  c->payload_off - c->udp_off - sizeof(struct udphdr) + header);
	if (unlikely(c->flags & (WEIR_CONTRIB_JOIN | WEIR_CONTRIB_ACK)))
		return weir_control_take(path, c, datagram, now);
	return likely(job->engine == &weir_engine_sums) ?
	       weir_sums_take(path, c, datagram, now) :
	       job->engine->take(path, c, datagram, now);
}

/* Find the job of a packet that goes down: it has to be from the job's parent box. */
static int weir_rx_find_down(struct weir_path *path, const struct weir_contrib *c)
{
	struct weir_job *job = path->port ? weir_job_get(path->wn, c->job) : NULL;

	if (!job || job->format->id != c->format || !weir_path_is_to(job, c) ||
	    !weir_parent_is(job, c, path->port->ifindex))
		return weir_path_find_none(path, c) ?: WEIR_REASON_DIRECTION;
	path->job = job;
	return 0;
}

/* A packet goes down: it is from the parent box of a job, or it is refused. */
static noinline int weir_rx_down(struct weir_path *path, struct weir_contrib *c,
				 struct weir_payload *datagram, u32 header, bool verified, u64 now)
{
	const struct weir_engine *engine;
	int reason = weir_rx_find_down(path, c);

	if (reason)
		return reason;
	if (!datagram)
		return WEIR_REASON_LENGTH;
	engine = path->job->engine;
	reason = engine->check_down(path->job, c) ?:
		 weir_rx_checksum(c, datagram, header, verified);
	if (reason)
		return reason;
	weir_payload_pull(datagram,
			  c->payload_off - c->udp_off - sizeof(struct udphdr) + header);
	return engine->down(path->job, c, datagram, now, path->merged);
}

static void weir_rx_refused(const struct weir_path *path, int ifindex,
			    const struct weir_contrib *c, u32 reason)
{
	weir_path_count(path, WEIR_C_REFUSED + reason, 1);
	if (reason == WEIR_REASON_JOB_RATE || reason == WEIR_REASON_SOURCE_RATE)
		weir_path_count(path, WEIR_C_POLICED_BYTES, c->udp_len);
	trace_weir_refusal(ifindex, c, reason);
}

/**
 * weir_contribute() - take a contribution or a join
 * @dev: the device that it came in on
 * @c: the parsed packet; gets the fields that the packet leaves to the format
 * @datagram: the UDP datagram, from its header on and c->udp_len long; used
 *	up; NULL where the frame ends before it does
 * @verified: the stack or the device has checked the UDP checksum already
 *
 * Called under RCU with bottom halves disabled, from NAPI or softirq.
 *
 * Return: 0 where it was taken, else an enum weir_reason, counted and traced.
 */
int weir_contribute(struct net_device *dev, struct weir_contrib *c,
		    struct weir_payload *datagram, bool verified)
{
	struct weir_path path = { .wn = weir_net(dev_net(dev)) };
	u64 now = ktime_get_ns();
	int reason;

	lockdep_assert(rcu_read_lock_bh_held());

	path.port = weir_port_get(path.wn, dev->ifindex);
	if (unlikely(c->flags & WEIR_CONTRIB_DOWN))
		reason = weir_rx_down(&path, c, datagram, sizeof(struct udphdr), verified, now);
	else
		reason = weir_path_find(&path, c) ?:
			 weir_rx_take(&path, c, datagram, sizeof(struct udphdr), verified, now);
	if (unlikely(reason))
		weir_rx_refused(&path, dev->ifindex, c, reason);
	return reason;
}

/**
 * weir_refuse() - count a packet that a parser found bad
 * @dev: the device that it came in on
 * @c: the parsed packet, as far as @c->daddr, @c->dport and @c->format
 * @reason: enum weir_reason, valid
 *
 * Context as weir_contribute(). A packet that is sent to no job is other traffic,
 * and not bad at all.
 *
 * Return: @reason, or the reason for which the packet is passed.
 */
int weir_refuse(struct net_device *dev, const struct weir_contrib *c,
		u32 reason)
{
	struct weir_path path = { .wn = weir_net(dev_net(dev)) };

	lockdep_assert(rcu_read_lock_bh_held());

	path.port = weir_port_get(path.wn, dev->ifindex);
	reason = weir_path_find_none(&path, c) ?: reason;
	weir_rx_refused(&path, dev->ifindex, c, reason);
	return reason;
}

/**
 * weir_pass_begin() - datagrams of a merged packet follow
 * @pass: their way; filled
 * @dev: the device that the packet came in on
 *
 * Context as weir_contribute(), until weir_pass_end().
 */
void weir_pass_begin(struct weir_pass *pass, struct net_device *dev)
{
	lockdep_assert(rcu_read_lock_bh_held());

	*pass = (struct weir_pass) {
		.path = {
			.wn	= weir_net(dev_net(dev)),
			.tally	= &pass->tally,
			.merged	= &pass->merged,
		},
		.ifindex	= dev->ifindex,
		.now		= ktime_get_ns(),
	};
	pass->path.port = weir_port_get(pass->path.wn, dev->ifindex);
	weir_vector_keep();
}

/* Its path is its own: the source of the datagram before it may be that of the next. */
static noinline int weir_pass_take_down(struct weir_pass *pass, struct weir_contrib *c,
					struct weir_payload *payload, bool verified)
{
	struct weir_path path = {
		.wn	= pass->path.wn,
		.port	= pass->path.port,
		.merged	= &pass->merged,
	};
	int reason = weir_rx_down(&path, c, payload, 0, verified, pass->now);

	if (unlikely(reason))
		weir_rx_refused(&path, pass->ifindex, c, reason);
	return reason;
}

/**
 * weir_pass_take() - take a contribution or a join of a merged packet
 * @pass: the packet's
 * @c: the parsed datagram, as of weir_contribute(), as if it began with a UDP header
 * @payload: it, without that header; used up
 * @verified: as of weir_contribute(); if not, the datagram is refused, as it has no checksum
 *	of its own
 *
 * Return: as weir_contribute().
 */
int weir_pass_take(struct weir_pass *pass, struct weir_contrib *c,
		   struct weir_payload *payload, bool verified)
{
	struct weir_path *path = &pass->path;
	int reason;

	if (unlikely(c->flags & WEIR_CONTRIB_DOWN))
		return weir_pass_take_down(pass, c, payload, verified);
	reason = weir_path_find_next(path, c) ?:
		 weir_rx_take(path, c, payload, 0, verified, pass->now);
	if (unlikely(reason))
		weir_rx_refused(path, pass->ifindex, c, reason);
	return reason;
}

/**
 * weir_pass_refuse() - count a datagram of a merged packet that a parser found bad
 * @pass: the packet's
 * @c: as of weir_refuse()
 * @reason: enum weir_reason, valid
 *
 * Return: as weir_refuse().
 */
int weir_pass_refuse(struct weir_pass *pass, const struct weir_contrib *c, u32 reason)
{
	struct weir_path path = { .wn = pass->path.wn, .port = pass->path.port };

	reason = weir_path_find_none(&path, c) ?: reason;
	weir_rx_refused(&path, pass->ifindex, c, reason);
	return reason;
}

/**
 * weir_pass_end() - no datagram of the packet follows
 * @pass: the packet's
 */
void weir_pass_end(struct weir_pass *pass)
{
	weir_path_count_tally(&pass->path);
	weir_vector_drop();
	weir_merged_flush(&pass->merged);
}

static_assert(sizeof_field(struct weir_contrib, reserved) == 2);

static bool weir_contrib_valid(const struct weir_contrib *c)
{
	return !(c->reserved[0] | c->reserved[1]) &&
	       !(c->flags & ~(WEIR_CONTRIB_JOIN | WEIR_CONTRIB_FINAL |
			      WEIR_CONTRIB_JOINED | WEIR_CONTRIB_VLAN |
			      WEIR_CONTRIB_EXPONENT | WEIR_CONTRIB_UNNAMED |
			      WEIR_CONTRIB_LINK | WEIR_CONTRIB_DOWN | WEIR_CONTRIB_UP |
			      WEIR_CONTRIB_ACK | WEIR_CONTRIB_LITTLE |
			      WEIR_CONTRIB_EMPTY | WEIR_CONTRIB_BRIEF));
}

/**
 * weir_contrib_copy() - take a descriptor from a BPF program
 * @c: filled
 * @from: the program's descriptor, or NULL; another CPU may write to it
 * @size: its size there
 *
 * Reads @from once, before anything is checked.
 *
 * Return: whether it is of the form that this module knows.
 */
bool weir_contrib_copy(struct weir_contrib *c, const struct weir_contrib *from,
		       u32 size)
{
	if (!from || size != sizeof(*c))
		return false;
	*c = *from;
	/* The compiler must not read @from again. */
	barrier();
	return weir_contrib_valid(c);
}
