/* SPDX-License-Identifier: GPL-2.0 */
/* What boxes and workers are told, in each form that `weir plan` prints. */
#ifndef WEIR_TOLD_H
#define WEIR_TOLD_H

#include <stdio.h>

#include "plan/trees.h"

/**
 * struct told - a line to print
 * @to: where it goes
 * @before: what stands before it
 */
struct told {
	FILE *to;
	const char *before;
};

/* Does any tree sum in the box? */
bool told_is_needed(const struct plan *plan, unsigned int node);

/* The node that is such a source of a box in a tree. */
unsigned int told_source(const struct plan *plan, const struct tree *tree, unsigned int box,
			 unsigned int source);

/* Where a tree's results come to at a worker: libweir has a socket a tree, on the next port. */
unsigned int told_port(const struct topology *topology, unsigned int t);

/* The commands of a box, a line each, for all trees. */
void told_box(const struct plan *plan, unsigned int node, const struct told *told);

/*
 * May a worker have all trees in one communicator of libweir? That goes round a list of different
 * boxes, and is the same source at each.
 */
bool told_is_one(const struct plan *plan, unsigned int worker);

/* That list, with commas between the addresses. */
void told_boxes(const struct plan *plan, unsigned int worker, FILE *to);

/* How a worker takes part: a line a tree, and one for all of several. */
void told_worker(const struct plan *plan, unsigned int node, const struct told *told);

/* Workers, boxes and switches, with whom they have links to. It takes no job. */
void told_network(const struct topology *topology);

int told_ansible(const struct plan *plan);	/* an exit status */
void told_dot(const struct plan *plan);

#endif
