/* SPDX-License-Identifier: GPL-2.0 */
/* A rank's part in one tree: libweir's window and timer, and the blocks that they are about. */
#ifndef SIM_LANE_H
#define SIM_LANE_H

#include "flow/pace.h"
#include "flow/rtt.h"

#include "net.h"

/**
 * struct lane_block - of a rank
 * @sent: when its contribution was sent last
 * @is_answered: the result is there
 * @is_asked: the box was asked about it
 * @is_overtaken: since a later block was answered
 * @is_again: the contribution was sent more than once
 */
struct lane_block {
	uint64_t sent;
	bool is_answered;
	bool is_asked;
	bool is_overtaken;
	bool is_again;
};

/**
 * struct lane - a rank in a tree
 * @results: gets what the box sends
 * @timer: looks for a silence
 * @finished: is called when @answered comes to @allowed
 * @owner: the caller's
 * @box: where contributions go
 * @up: the way there
 * @source: the rank's number in the box
 * @ranks: how many the job has
 * @fixed: the window; 0 where libweir's rule makes it
 * @next: the first block that was never sent
 * @base: the first that is not answered
 * @checked: those before this one were asked about, if they were overtaken
 * @answered: how many are
 * @allowed: there are gradients of so many
 * @flight: sent and not answered
 * @heard: when something was answered last, or sent after nothing was under way
 */
struct lane {
	struct endpoint results;
	struct event timer;
	void (*finished)(struct lane *lane);
	void *owner;
	struct endpoint *box;
	const struct path *up;
	unsigned int source;
	unsigned int rank;
	unsigned int ranks;
	uint32_t tree;
	uint32_t fixed;
	uint32_t next;
	uint32_t base;
	uint32_t checked;
	uint32_t answered;
	uint32_t allowed;
	uint32_t flight;
	uint64_t heard;
	struct pace pace;
	struct rtt rtt;
	struct lane_block *blocks;
};

/* At most @ceiling packets are under way; always as many if there is no rule. */
void lane_init(struct lane *lane, uint32_t blocks, uint32_t ceiling, bool has_rule);

/* There are gradients of so many blocks, in all. */
void lane_allow(struct lane *lane, uint32_t blocks);

#endif
