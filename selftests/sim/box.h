/* SPDX-License-Identifier: GPL-2.0 */
/* A box of one tree of a job. */
#ifndef SIM_BOX_H
#define SIM_BOX_H

#include "block.h"
#include "forest.h"

/* All of a source's contributions. */
#define BOX_SHARE_ALL	65536u

/**
 * struct box_source - what a box gets contributions from, and sends results to
 * @share: the moving average of marks on its contributions, in parts of BOX_SHARE_ALL
 */
struct box_source {
	struct endpoint *to;
	const struct path *down;
	uint32_t share;
};

/**
 * struct box - a node of a tree that sums
 * @from_below: gets contributions and questions of its sources
 * @from_above: gets what the parent sends
 * @parent: NULL is the root
 * @up: the way there
 * @source: the number there
 * @tree: the tree's number
 * @quorum: sources that a block waits for
 * @only_worst: a mark counts only if it is of the source that has most of them
 * @worst: that source
 * @fault: what source 1 sends is summed twice
 * @blocks: those of the tree
 */
struct box {
	struct endpoint from_below;
	struct endpoint from_above;
	struct box *parent;
	const struct path *up;
	unsigned int source;
	uint32_t tree;
	unsigned int quorum;
	bool only_worst;
	unsigned int worst;
	bool fault;
	unsigned int sources_count;
	struct box_source *sources;
	struct block *blocks;
};

void box_init(struct box *box, unsigned int sources, uint32_t blocks);

#endif
