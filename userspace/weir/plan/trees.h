/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The trees of a job's boxes. A tree is a spanning tree of its workers: each node that packets pass on
 * their way up, to the root, has one way up. Boxes where ways come together sum, if they have the
 * memory: one sum goes up from there, for all below it. Others, and switches, pass packets on.
 */
#ifndef WEIR_TREES_H
#define WEIR_TREES_H

#include "plan/topology.h"

#define TREE_NONE	UINT32_MAX

/**
 * struct tree_node - a node's place in a tree
 * @is_in: it has one
 * @up: the link towards the root; TREE_NONE for the root
 * @hops: links from the root
 * @below: sums and contributions that come to it by links from below
 * @sums: it is a box of the tree
 * @sends: packets of a block that go up from it: 1 where it sums or is a worker
 * @parent: the box above that sums; TREE_NONE for the root
 * @source: its number there
 * @sources: of a box that sums, how many it has
 * @height: of a box that sums, levels below it; 0 has workers alone
 */
struct tree_node {
	bool is_in;
	unsigned int up;
	unsigned int hops;
	unsigned int below;
	bool sums;
	unsigned int sends;
	unsigned int parent;
	unsigned int source;
	unsigned int sources;
	unsigned int height;
};

/**
 * struct tree - one of the job's
 * @root: the box
 * @nodes: by node number
 */
struct tree {
	unsigned int root;
	struct tree_node *nodes;
};

/**
 * struct plan - all trees, and what they come to
 * @uses: by link, packets that cross it, each way, for a block of each tree
 * @jobs: by node, how many trees sum there
 * @slowest: the link that holds the job up
 * @rate: bytes a second that a worker sends, and receives, at most
 */
struct plan {
	const struct topology *topology;
	struct tree trees[PLAN_TREES];
	unsigned int count;
	uint32_t *uses;
	uint32_t *jobs;
	unsigned int slowest;
	uint64_t rate;
};

/* Returns an exit status, with the reason printed. */
int plan_make(struct plan *plan, const struct topology *topology);
void plan_free(struct plan *plan);

#endif
