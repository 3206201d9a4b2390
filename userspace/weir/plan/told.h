/* SPDX-License-Identifier: GPL-2.0 */
/* Commands of boxes and settings of workers, in each form that `weir plan` prints. */
#ifndef WEIR_TOLD_H
#define WEIR_TOLD_H

#include <stdio.h>

#include "plan/trees.h"

/**
 * struct told - a line to print
 * @to: stream to print it to
 * @before: text to print before it
 */
struct told {
	FILE *to;
	const char *before;
};

/* Return true if any tree sums in the box. */
bool told_is_needed(const struct plan *plan, unsigned int node);

/* The node that is such a source of a box in a tree. */
unsigned int told_source(const struct plan *plan, const struct tree *tree, unsigned int box,
			 unsigned int source);

/*
 * Return the UDP port of a worker that a tree's results come to. If the format has a port for each tree,
 * libweir has a socket for each on the next port.
 */
unsigned int told_port(const struct topology *topology, unsigned int t);

/* The commands of a box, a line each, for all trees. */
void told_box(const struct plan *plan, unsigned int node, const struct told *told);

/*
 * Return true if a worker may have all trees in one communicator of libweir, which goes round a list
 * of different boxes, and is the same source at each.
 */
bool told_is_one(const struct plan *plan, unsigned int worker);

/* That list, with commas between the addresses. */
void told_boxes(const struct plan *plan, unsigned int worker, FILE *to);

/* Print the settings of a worker: a line for each tree, and one for all of several. */
void told_worker(const struct plan *plan, unsigned int node, const struct told *told);

/* Workers, boxes and switches, with whom they have links to. It takes no job. */
void told_network(const struct topology *topology);

int told_ansible(const struct plan *plan);	/* an exit status */
void told_dot(const struct plan *plan);

#endif
