// SPDX-License-Identifier: GPL-2.0
/*
 * The way of one contribution: its job, its source, its length and checksum are
 * checked, and then it goes into the sum. A refusal changes no sum.
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
#include <uapi/weir_wire.h>

#include "base/compat.h"
#include "base/link.h"
#include "base/notify.h"
#include "base/payload.h"
#include "format/format.h"
#include "job/contribute.h"
#include "job/job.h"
#include "job/job_trace.h"
#include "job/joining.h"
#include "job/notice.h"
#include "job/port.h"
#include "job/result.h"
#include "job/scan.h"
#include "job/source.h"
#include "job/straggler.h"
#include "type/reduce.h"

/**
 * struct weir_path - the objects found on the way; the rest is NULL
 * @wn: the namespace
 * @port: the device's port
 * @job: the job
 * @source: the sender, after its address was found to be right
 * @before: about how many datagrams of the same packet came before this one
 */
struct weir_path {
	struct weir_net		*wn;
	struct weir_port	*port;
	struct weir_job		*job;
	struct weir_source	*source;
	unsigned int		before;
};

/* Every object on the way counts, and each can be shown by itself. */
static void weir_path_count(const struct weir_path *path, unsigned int counter,
			    u64 n)
{
	weir_count(path->wn->stats, counter, n);
	if (path->port)
		weir_count(path->port->stats, counter, n);
	if (path->job)
		weir_count(path->job->stats, counter, n);
	if (path->source)
		weir_count(path->source->stats, counter, n);
}

/* The counts of a summed contribution: in one go, as most packets take this way. */
static __always_inline void weir_count_summed(struct weir_stats __percpu *stats,
					      const struct weir_contrib *c)
{
	weir_count(stats, WEIR_C_CONTRIBUTIONS, 1);
	weir_count(stats, WEIR_C_GRADIENTS, c->count);
	weir_count(stats, WEIR_C_BYTES, c->udp_len);
}

static void weir_path_count_summed(const struct weir_path *path,
				   const struct weir_contrib *c)
{
	weir_count_summed(path->wn->stats, c);
	weir_count_summed(path->port->stats, c);
	weir_count_summed(path->job->stats, c);
	weir_count_summed(path->source->stats, c);
}

/* Does its sender have the address that is bound to the source's id? */
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

static bool weir_is_to(const struct weir_job *job, const struct weir_contrib *c)
{
	return READ_ONCE(job->local.port) == htons(c->dport) &&
	       ipv6_addr_equal((const struct in6_addr *)c->daddr, &job->local.addr);
}

/* Packets that say no job: its address and port do. */
static struct weir_job *weir_find_unnamed(struct weir_net *wn,
					  const struct weir_contrib *c)
{
	struct weir_job *job;

	hlist_for_each_entry_rcu_bh(job, &wn->unnamed, unnamed)
		if (job->format->id == c->format && job->format->link == weir_contrib_is_link(c) &&
		    weir_is_to(job, c))
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
	return weir_local_has(path->wn->net, (const struct in6_addr *)c->daddr) ?
	       WEIR_REASON_NO_JOB : WEIR_REASON_NOT_LOCAL;
}

/* Joins are of format trio, and find jobs of all formats, which refuse them in words. */
static bool weir_is_join(const struct weir_contrib *c)
{
	return c->format == WEIR_FORMAT_TRIO && c->flags & WEIR_CONTRIB_JOIN &&
	       !(c->flags & WEIR_CONTRIB_UNNAMED);
}

static int weir_find(struct weir_path *path, struct weir_contrib *c)
{
	bool unnamed = c->flags & WEIR_CONTRIB_UNNAMED;
	struct weir_source *source;
	struct weir_job *job;

	if (!path->port)
		return WEIR_REASON_NO_PORT;
	job = unnamed ? weir_find_unnamed(path->wn, c) : weir_job_get(path->wn, c->job);
	if (!job || READ_ONCE(job->local.port) != htons(c->dport) ||
	    (unlikely(job->format->id != c->format || job->format->unnamed != unnamed) &&
	     !weir_is_join(c)))
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
	return 0;
}

/*
 * The source's rate first: packets above it do not count for the job's rate. @packets is 1
 * for a packet that has come, and 0 for a result that it makes the box send.
 */
static int weir_police(const struct weir_path *path, u32 packets, u32 bytes,
		       u64 now)
{
	struct weir_rate *rate = rcu_dereference_bh(path->job->rate);

	if (!weir_rate_take(&path->source->rate, now, packets, bytes))
		return WEIR_REASON_SOURCE_RATE;
	if (rate && !weir_rate_take(rate, now, packets, bytes))
		return WEIR_REASON_JOB_RATE;
	return 0;
}

static int weir_check_shape(const struct weir_job *job,
			    const struct weir_contrib *c)
{
	u32 want = c->flags & WEIR_CONTRIB_JOIN ?
		   sizeof(struct weir_join) :
		   weir_reduction_bytes(job->blocks.reduction, c->count);

	if (c->payload_off < c->udp_off + (weir_contrib_is_link(c) ? 0 : sizeof(struct udphdr)) ||
	    c->payload_off - c->udp_off + want != c->udp_len)
		return WEIR_REASON_LENGTH;
	if (c->weight != 1)
		return WEIR_REASON_WEIGHT;
	return c->count > job->grads ? WEIR_REASON_TOO_LONG : 0;
}

static __sum16 weir_pseudo(const struct weir_contrib *c, __wsum csum)
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
static int weir_check_csum(const struct weir_contrib *c,
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
	if (check == (__force __sum16)~weir_pseudo(c, 0))
		return 0;
	return weir_pseudo(c, weir_payload_csum(datagram)) ?
	       WEIR_REASON_CHECKSUM : 0;
}

static int weir_take_join(const struct weir_path *path, const struct weir_contrib *c,
			  const struct weir_payload *pl, u64 now)
{
	int reason = weir_join_take(path->job, path->source, c, pl, now);

	if (!reason)
		weir_path_count(path, WEIR_C_JOINS, 1);
	return reason;
}

/*
 * A source that has joined is told why its packet was refused. A client that has only the
 * paper would take the notice for a result.
 */
static void weir_tell(const struct weir_path *path, const struct weir_contrib *c,
		      bool gone)
{
	if (c->flags & WEIR_CONTRIB_JOINED)
		weir_notice(path->job, c->source, c->block, gone);
}

/*
 * A source that joined before the box was set up anew is told so. A source that has not joined
 * may begin a newer generation by itself, but not end one that the box has given out.
 */
static int weir_check_generation(const struct weir_path *path,
				 const struct weir_contrib *c)
{
	struct weir_job *job = path->job;

	if (READ_ONCE(job->joined))
		return 0;
	if (c->flags & WEIR_CONTRIB_JOINED) {
		weir_tell(path, c, false);
		return WEIR_REASON_GENERATION;
	}
	weir_blocks_advance(&job->blocks, c->generation);
	return 0;
}

static int weir_check_member(const struct weir_path *path,
			     const struct weir_contrib *c)
{
	if (likely(!test_bit(c->source, path->job->blocks.excluded)))
		return weir_check_generation(path, c);
	weir_tell(path, c, false);
	return WEIR_REASON_EXCLUDED;
}

/*
 * A block has refused the packet. Where the generation is another, other sources may go on
 * without this one; where the block's slot has gone on, the source was dead for a while, or
 * the packet is old.
 */
static int weir_block_refused(const struct weir_path *path,
			      const struct weir_contrib *c, int reason,
			      const struct weir_outcome *out)
{
	struct weir_job *job = path->job;

	if (out->retained)
		weir_straggler_retained(job, out->retained_seq);
	if (reason == WEIR_REASON_GENERATION)
		weir_tell(path, c, false);
	if (reason == WEIR_REASON_STALE &&
	    !weir_horizon_has(&job->blocks.horizon, c->source, out->seq))
		weir_tell(path, c, true);
	return reason;
}

/*
 * A question of a few bytes is answered with a whole result, and its sender may have
 * said another's address. Where the source that has it may not hear, it is asked for its
 * contribution, which pays for the result; else the result is charged as well, before it
 * is sent.
 */
static int weir_answer_query(const struct weir_path *path,
			     const struct weir_block_key *key,
			     const struct weir_result *res, u64 now)
{
	int reason;

	if (!weir_source_hears(path->source)) {
		weir_path_count(path, WEIR_C_QUERIES, 1);
		weir_result_reply(path->job, path->source, key, res->received,
				  true);
		return 0;
	}
	reason = weir_police(path, 0, res->len, now);
	if (reason)
		return reason;
	weir_path_count(path, WEIR_C_QUERIES, 1);
	weir_result_repeat(path->job, path->source, key->source, res);
	return 0;
}

static int weir_take_query(const struct weir_path *path,
			   const struct weir_contrib *c, u64 now)
{
	const struct weir_block_key key = {
		.id		= c->block,
		.generation	= c->generation,
		.source		= c->source,
	};
	struct weir_job *job = path->job;
	struct weir_outcome out __uninitialized;
	int verdict, reason;

	verdict = weir_block_query(&job->blocks, &key, &out);
	/* The source waits for others that are behind; the reply tells it that the box is alive. */
	if (verdict == -WEIR_REASON_BUSY)
		weir_result_reply(job, path->source, &key, 0, false);
	if (verdict < 0)
		return weir_block_refused(path, c, -verdict, &out);
	if (verdict == WEIR_VERDICT_REPEAT) {
		reason = weir_answer_query(path, &key, &out.res, now);
		weir_result_put(&out.res);
		return reason;
	}
	weir_path_count(path, WEIR_C_QUERIES, 1);
	weir_result_reply(job, path->source, &key, out.received,
			  verdict == WEIR_VERDICT_WANTED);
	return 0;
}

/* Counts a contribution that was taken. */
static void weir_contributed(const struct weir_path *path,
			     const struct weir_contrib *c, int verdict,
			     const struct weir_outcome *out)
{
	if (out->abandoned)
		weir_path_count(path, WEIR_C_ABANDONED, 1);
	switch (verdict) {
	case WEIR_VERDICT_LATE:
		weir_path_count(path, WEIR_C_LATE, 1);
		weir_lateness_count(path->source->lateness, out->lateness);
		break;
	case WEIR_VERDICT_SUMMED:
	case WEIR_VERDICT_COMPLETE:
		weir_path_count_summed(path, c);
		weir_lateness_count(path->source->lateness, out->lateness);
		break;
	}
}

/*
 * Packets that the results may take which one packet completes. A packet of 128 datagrams
 * may complete as many blocks, of 256 sources each; the job's timers send the results beyond
 * that, so that other packets do not wait.
 */
#define WEIR_ANSWER_PACKETS	1024

static void weir_answer_block(const struct weir_path *path,
			      const struct weir_outcome *out)
{
	struct weir_job *job = path->job;

	if (likely(path->before * weir_result_receivers(job) <
		   WEIR_ANSWER_PACKETS) ||
	    !weir_block_leave_unsent(&job->blocks, out->seq, &out->res))
		weir_result_answer(job, &out->res);
	else
		weir_scan_unsent(job, weir_block_slot(&job->blocks, out->seq));
}

static int weir_take_key(const struct weir_path *path, const struct weir_contrib *c,
			 const struct weir_block_key *key, const struct weir_payload *pl,
			 u64 now)
{
	struct weir_job *job = path->job;
	struct weir_outcome out __uninitialized;
	int verdict;

	verdict = likely(!job->blocks.paired) ?
		  weir_block_contribute(&job->blocks, key, pl, now, &out) :
		  weir_block_contribute_paired(&job->blocks, key, pl, now, &out);
	if (out.opened && verdict == WEIR_VERDICT_SUMMED)
		weir_scan_opened(job, weir_block_slot(&job->blocks, out.seq));
	if (verdict < 0)
		return weir_block_refused(path, c, -verdict, &out);
	trace_weir_contribution(path->port->ifindex, c, verdict, out.lateness);
	weir_contributed(path, c, verdict, &out);
	if (verdict == WEIR_VERDICT_SUMMED)
		return 0;
	if (verdict == WEIR_VERDICT_COMPLETE)
		weir_answer_block(path, &out);
	else
		weir_result_repeat(job, path->source, c->source, &out.res);
	weir_result_put(&out.res);
	return 0;
}

static int weir_take_gradients(const struct weir_path *path,
			       const struct weir_contrib *c,
			       const struct weir_payload *pl, u64 now)
{
	const struct weir_block_key key = {
		.id		= c->block,
		.generation	= c->generation,
		.source		= c->source,
		.count		= c->count,
		.has_exponent	= c->flags & WEIR_CONTRIB_EXPONENT,
		.exponent	= c->exponent,
		.said		= c,
	};

	return weir_take_key(path, c, &key, pl, now);
}

/*
 * Of a pair that takes turns. A key that is not there leaves it to the one that follows. What
 * has no pairs is not to pay for the room of the keys.
 */
static noinline int weir_take_paired(const struct weir_path *path, struct weir_contrib *c,
				     const struct weir_payload *pl, u64 now)
{
	struct weir_block_key key[WEIR_FORMAT_KEYS] = {};
	int i, n, reason = 0;

	if (!c->count)
		return WEIR_REASON_LENGTH;
	for (i = 0; i < ARRAY_SIZE(key); i++) {
		key[i].source = c->source;
		key[i].count = c->count;
		key[i].said = c;
	}
	n = path->job->format->pair(path->job->state, c, key);
	if (n < 0)
		return -n;
	for (i = 0; i < n; i++) {
		reason = weir_take_key(path, c, &key[i], pl, now);
		if (reason != WEIR_REASON_AHEAD)
			break;
	}
	return reason;
}

/* The datagram is whole, and its source is verified. */
static int weir_take_whole(const struct weir_path *path, struct weir_contrib *c,
			   const struct weir_payload *pl, u64 now)
{
	struct weir_job *job = path->job;
	int reason = 0;

	if (c->flags & WEIR_CONTRIB_JOIN)
		return weir_is_join(c) ? weir_take_join(path, c, pl, now) : WEIR_REASON_JOIN;
	if (unlikely(job->blocks.paired))
		return weir_take_paired(path, c, pl, now);
	if (job->format->place)
		reason = job->format->place(job->state, &job->blocks, c, pl);
	reason = reason ?: weir_check_member(path, c);
	if (reason)
		return reason;
	return c->count ? weir_take_gradients(path, c, pl, now) :
			  weir_take_query(path, c, now);
}

static int weir_take(struct weir_path *path, struct weir_contrib *c,
		     struct weir_payload *datagram, bool verified)
{
	u64 now = ktime_get_ns();
	int reason = weir_find(path, c);

	if (!reason)
		reason = weir_police(path, 1, c->udp_len, now);
	if (!reason && !datagram)
		reason = WEIR_REASON_LENGTH;
	if (!reason)
		reason = weir_check_shape(path->job, c);
	if (!reason && !verified)
		reason = weir_check_csum(c, datagram);
	if (reason)
		return reason;

	weir_straggler_heard(path->job, c->source);
	weir_payload_pull(datagram, c->payload_off - c->udp_off);
	return weir_take_whole(path, c, datagram, now);
}

static void weir_refused(const struct weir_path *path, int ifindex,
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
 * @before: about how many datagrams of the same packet came before it
 *
 * Called under RCU with bottom halves disabled, from NAPI or softirq.
 *
 * Return: 0 where it was taken, else an enum weir_reason, counted and traced.
 */
int weir_contribute(struct net_device *dev, struct weir_contrib *c,
		    struct weir_payload *datagram, bool verified,
		    unsigned int before)
{
	struct weir_path path = {
		.wn	= weir_net(dev_net(dev)),
		.before	= before,
	};
	int reason;

	lockdep_assert(rcu_read_lock_bh_held());

	path.port = weir_port_get(path.wn, dev->ifindex);
	reason = weir_take(&path, c, datagram, verified);
	if (unlikely(reason))
		weir_refused(&path, dev->ifindex, c, reason);
	return reason;
}

/*
 * Is a packet sent to a job at all? Only asked about packets that are bad, so
 * that it may take its time.
 */
static bool weir_is_for_a_job(struct weir_net *wn, const struct weir_contrib *c)
{
	const struct weir_job *job;
	unsigned int i;

	for (i = 0; i <= WEIR_JOB_ID_MAX; i++) {
		job = weir_job_get(wn, i);
		if (job && weir_is_to(job, c))
			return true;
	}
	return false;
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
	if (!path.port)
		reason = WEIR_REASON_NO_PORT;
	else if (!weir_is_for_a_job(path.wn, c))
		reason = weir_find_none(&path, c, WEIR_REASON_NOT_LOCAL);
	weir_refused(&path, dev->ifindex, c, reason);
	return reason;
}

static_assert(sizeof_field(struct weir_contrib, reserved) == 2);

static bool weir_contrib_valid(const struct weir_contrib *c)
{
	return !(c->reserved[0] | c->reserved[1]) &&
	       !(c->flags & ~(WEIR_CONTRIB_JOIN | WEIR_CONTRIB_FINAL |
			      WEIR_CONTRIB_JOINED | WEIR_CONTRIB_VLAN |
			      WEIR_CONTRIB_EXPONENT | WEIR_CONTRIB_UNNAMED |
			      WEIR_CONTRIB_LINK));
}

/**
 * weir_contrib_copy() - take a descriptor from a BPF program
 * @c: filled
 * @from: where the program has it, or NULL; another CPU may write there
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
	/* The compiler may take nothing from there any more. */
	barrier();
	return weir_contrib_valid(c);
}
