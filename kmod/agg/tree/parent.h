/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_PARENT_H
#define _WEIR_PARENT_H

#include <linux/types.h>

#include "agg/job/join.h"
#include "agg/out/dest.h"

struct weir_block_key;
struct weir_contrib;
struct weir_job;
struct weir_merged;
struct weir_result;
struct weir_trio;

/**
 * struct weir_parent_config - the box that takes a job's sums, as an administrator names it
 * @addr: its address, of the job's family, IPv4 as IPv4-mapped; all zero for none
 * @port: UDP port of its job, host byte order
 * @ifindex: the device that its packets come in on, 0 for any
 * @vlan: the VLAN that they come in, 0 for none, WEIR_VLAN_ANY for any
 * @source: source id of this box there
 */
struct weir_parent_config {
	struct in6_addr	addr;
	u16		port;
	int		ifindex;
	u16		vlan;
	u8		source;
};

/**
 * struct weir_parent - the parent box of a job
 * @config: its address and this box's place there
 * @dest: destination of packets to it
 * @said: contents of the last join; guarded by the lock of the job's joins, as are all others below
 * @cookie: the parent's answer to the join before the last one, see struct weir_join
 * @asked: time at which a join was last sent for a source, ns; 0 for never
 * @waits: @said has not been answered yet
 * @challenged: a cookie has come for @said already, and was brought back
 * @validated: it has answered a join, and so receives at its address
 * @probing: a question with @probe is on its way, see weir_parent_probe()
 * @probe: number in that question, which only a box at the parent's address can know
 * @probed: time at which that question was last sent, ns
 * @passed: time at which a notice was last passed on, ns
 * @shown: time of the last question of weir_uplink.show, ns; guarded by nothing, as one question
 *	more does no harm
 * @blocks: slots of the parent's job; 0 before it has answered
 * @grads: gradients a block that it takes at most; 0 before it has answered
 * @timeout: ns after which its blocks are answered without this box; 0 is never, or before it has
 *	answered
 * @room: blocks that it has room for, its cwnd_cap; 0 if it does not mark results, or before it has
 *	answered
 */
struct weir_parent {
	struct weir_parent_config	config;
	struct weir_dest		dest;
	struct weir_join_words		said;
	u64				cookie;
	u64				asked;
	bool				waits;
	bool				challenged;
	bool				validated;
	bool				probing;
	u32				probe;
	u64				probed;
	u64				passed;
	u64				shown;
	u32				blocks;
	u32				grads;
	u64				timeout;
	u16				room;
};

/**
 * struct weir_uplink - operations of a job towards its parent box
 * @join: all sources have joined. Returns WEIR_JOIN_START if this box begins the generation; if
 *	the parent does, WEIR_JOIN_ABOVE if weir_parent_join() is to tell it now, else
 *	WEIR_JOIN_WAIT. The lock of the job's joins is held
 * @limit: lower the figures that sources are told to those of the parent: blocks, gradients a
 *	block, and blocks that a source may have outstanding. Any context
 * @sum: send a block's sum; it stays the caller's. @merged: other packets of the pass, to be
 *	merged with, or NULL
 * @ask: ask about a block whose sum is with the parent, for a source, when weir_block_may_ask()
 *	allows it. @who: ask which ranks are in it, too
 * @show: show the parent that this box is there, though it cannot take contribution @c, as results
 *	are retained for a silent source
 * @notice: report which ranks below are gone. @notice: a header, to be filled, with bitmaps behind
 *	it, @len bytes together
 *
 * If not stated otherwise, they are called under RCU with bottom halves disabled and no lock held.
 */
struct weir_uplink {
	enum weir_join_verdict	(*join)(struct weir_job *job, u64 now);
	void	(*limit)(const struct weir_job *job, u32 *blocks, u32 *grads, u16 *room);
	void	(*sum)(struct weir_job *job, const struct weir_result *res,
		       struct weir_merged *merged);
	void	(*ask)(struct weir_job *job, const struct weir_block_key *key, bool who);
	void	(*show)(struct weir_job *job, const struct weir_contrib *c, u64 now);
	void	(*notice)(struct weir_job *job, struct weir_trio *notice, unsigned int len);
};

/* A job without a parent; one whose parent takes sums and sends results; one that spans boxes. */
extern const struct weir_uplink weir_uplink_none;
extern const struct weir_uplink weir_uplink_plain;
extern const struct weir_uplink weir_uplink_ranked;

struct weir_parent *weir_parent_new(const struct weir_parent_config *config);
void weir_parent_free(struct weir_parent *parent);
bool weir_parent_is(const struct weir_job *job, const struct weir_contrib *c, int ifindex);
void weir_parent_join(struct weir_job *job);
bool weir_parent_may_probe(struct weir_parent *parent, u64 now);
void weir_parent_probe(struct weir_job *job);

#endif /* _WEIR_PARENT_H */
