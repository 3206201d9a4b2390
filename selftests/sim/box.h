/* SPDX-License-Identifier: GPL-2.0 */
/* A box of one tree of a job. */
#ifndef SIM_BOX_H
#define SIM_BOX_H

#include "block.h"
#include "forest.h"

/**
 * struct box_source - what a box gets contributions from, and sends results to
 */
struct box_source {
	struct endpoint *to;
	const struct path *down;
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
	bool fault;
	unsigned int sources_count;
	struct box_source *sources;
	struct block *blocks;
};

void box_init(struct box *box, unsigned int sources, uint32_t blocks);

#endif
