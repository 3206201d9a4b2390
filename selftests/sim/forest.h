/* SPDX-License-Identifier: GPL-2.0 */
/* The trees of a job in the simulated network, made by the planner of weir(8). */
#ifndef SIM_FOREST_H
#define SIM_FOREST_H

#include "clos.h"

#define FOREST_NONE	UINT32_MAX
#define FOREST_TREES	16

/**
 * struct forest_node - a box or a worker of a tree
 * @node: of the network
 * @rank: of a worker; FOREST_NONE is a box
 * @parent: number of the box above in @nodes of the tree; FOREST_NONE is the root
 * @source: its number there
 * @sources: of a box
 * @up: the way to the parent
 * @down: the way back
 */
struct forest_node {
	unsigned int node;
	unsigned int rank;
	unsigned int parent;
	unsigned int source;
	unsigned int sources;
	struct path up;
	struct path down;
};

/**
 * struct forest_tree - one tree: workers by rank, then boxes
 */
struct forest_tree {
	unsigned int count;
	struct forest_node *nodes;
};

/**
 * struct forest - all trees of a job
 * @sums: trees that sum in the box that does so for most, this job's and others'
 */
struct forest {
	unsigned int count;
	unsigned int ranks;
	unsigned int sums;
	struct forest_tree trees[FOREST_TREES];
};

/* Plans; boxes of other jobs count as load. @workers are servers, by rank. */
void forest_plan(struct forest *forest, const struct clos *clos, const unsigned int *workers,
		 unsigned int ranks, unsigned int trees);

/* The boxes are free for other jobs. The trees stay: packets may still be on their way. */
void forest_release(struct forest *forest);

#endif
