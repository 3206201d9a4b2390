/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_PARENT_H
#define _WEIR_PARENT_H

#include <linux/types.h>

#include "job/join.h"
#include "out/dest.h"

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
 * @source: which of its sources this box is
 */
struct weir_parent_config {
	struct in6_addr	addr;
	u16		port;
	u8		source;
};

/**
 * struct weir_parent - a job's way up
 * @config: whom it leads to
 * @dest: likewise
 * @said: what the last join said; guarded by the lock of the job's joins, as are all others below
 * @cookie: the parent's answer to the join before the last one, see struct weir_join
 * @asked: when the last join was sent, ns; 0 for never
 * @waits: @said has not been answered yet
 * @began: when the current generation began, ns
 * @passed: when a notice was passed on last, ns
 * @shown: when weir_parent_show() has sent a question last, ns; guarded by nothing, as one question
 *	more does no harm
 * @blocks: slots of the parent's job; 0 before it has answered
 * @grads: gradients a block that it takes at most; likewise
 * @timeout: after which its blocks are answered without this box, ns; likewise. 0 is never
 * @room: blocks that it has room for, its cwnd_cap; likewise. 0 where it does not mark results
 */
struct weir_parent {
	struct weir_parent_config	config;
	struct weir_dest		dest;
	struct weir_join_words		said;
	u64				cookie;
	u64				asked;
	bool				waits;
	u64				began;
	u64				passed;
	u64				shown;
	u32				blocks;
	u32				grads;
	u64				timeout;
	u16				room;
};

struct weir_parent *weir_parent_new(const struct weir_parent_config *config);
void weir_parent_free(struct weir_parent *parent);
bool weir_parent_is(const struct weir_job *job, const struct weir_contrib *c);
bool weir_parent_may_join(struct weir_job *job, u64 now);
void weir_parent_notice(struct weir_job *job, struct weir_trio *notice, unsigned int len);
void weir_parent_join(struct weir_job *job);
void weir_parent_sum(struct weir_job *job, const struct weir_result *res,
		     struct weir_merged *merged);
void weir_parent_ask(struct weir_job *job, const struct weir_block_key *key, bool who);
void weir_parent_show(struct weir_job *job, const struct weir_contrib *c, u64 now);

#endif /* _WEIR_PARENT_H */
