/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A job's ranks and boxes: blocks go up the trees, and their sums come down. How many a rank has under
 * way is libweir's own congestion window (userspace/lib/flow/pace.c), and when it repeats one, libweir's
 * own timer (userspace/lib/flow/rtt.c).
 */
#ifndef SIM_GANG_H
#define SIM_GANG_H

#include "forest.h"

/* Bytes of a block's gradients, and those of its packet with what is around it on the wire. */
#define GANG_PAYLOAD	8192
#define GANG_PACKET	(GANG_PAYLOAD + 100)

/**
 * struct gang_config - how blocks are summed
 * @trees: the job's, 1 to 16
 * @only: the tree that takes all blocks, of several that are planned; FOREST_NONE for all
 * @has_rule: the window follows marks and losses; else it is always @window
 * @window: packets of a rank under way at most, in all trees
 * @quorum: the part of the ranks that a block waits for
 * @only_worst: boxes pass on the marks of that source alone which has most of them
 * @fault: boxes sum each contribution of rank 1 twice; so that a test sees it noticed
 */
struct gang_config {
	unsigned int trees;
	unsigned int only;
	bool has_rule;
	unsigned int window;
	double quorum;
	bool only_worst;
	bool fault;
};

/**
 * struct gang_counts - of all jobs
 * @contributed: packets of ranks, and
 * @again: of them those that were not the first of their block
 * @contributed_marked: of them those that were marked on the way to their first box
 * @results: blocks that ranks got, each once
 * @results_marked: of them those with a mark, of any rank's way or its own
 * @wrong: blocks with a wrong sum, a rank that is in it twice, or not the bits of the root
 * @lacking: ranks that lack in them, over all
 * @late: contributions to sums that had been made
 * @timeouts: silences
 */
struct gang_counts {
	uint64_t contributed;
	uint64_t again;
	uint64_t contributed_marked;
	uint64_t results;
	uint64_t results_marked;
	uint64_t wrong;
	uint64_t lacking;
	uint64_t late;
	uint64_t timeouts;
};

extern struct gang_counts gang_counts;

struct gang;

/*
 * Plans the trees and makes ready for so many blocks. @finished is called for each rank when it has as
 * many as it was allowed.
 */
struct gang *gang_new(const struct gang_config *config, const struct clos *clos,
		      const unsigned int *servers, unsigned int ranks, uint64_t blocks,
		      void (*finished)(void *owner, unsigned int rank), void *owner);

/* The rank has gradients of so many blocks, in all, to contribute. */
void gang_allow(struct gang *gang, unsigned int rank, uint64_t blocks);

/* All ranks are done: the boxes are free. */
void gang_release(struct gang *gang);

#endif
