// SPDX-License-Identifier: GPL-2.0
#include "gang.h"

#include <math.h>
#include <stdlib.h>

#include "box.h"
#include "lane.h"

/* Memory of a box of the paper for the blocks of all jobs: 64 MB. */
#define BOX_MEMORY	(64 << 20)

struct gang_counts gang_counts;

/**
 * struct gang - a job
 * @lanes: by rank and tree
 * @busy: by rank, lanes that are not done with what is allowed
 * @trees: those that are used; @first is the number of the first
 */
struct gang {
	struct gang_config config;
	struct forest forest;
	unsigned int first;
	unsigned int trees;
	struct lane *lanes;
	unsigned int *busy;
	void (*finished)(void *owner, unsigned int rank);
	void *owner;
};

static struct lane *lane_of(struct gang *gang, unsigned int rank, unsigned int t)
{
	return &gang->lanes[rank * gang->trees + t];
}

/* Of so many blocks of the job, those that go by such a tree: round robin. */
static uint32_t blocks_of(const struct gang *gang, uint64_t blocks, unsigned int t)
{
	return (uint32_t)((blocks + gang->trees - 1 - t) / gang->trees);
}

static void lane_finished(struct lane *lane)
{
	struct gang *gang = lane->owner;

	if (!--gang->busy[lane->rank])
		gang->finished(gang->owner, lane->rank);
}

/*
 * A share of few sources, rounded up, is all of them. So the quorums are given as numbers: those ranks
 * that may be lacking are dealt out to the boxes that have workers alone: another one could do without
 * the sum of a box below, which is that of many ranks. Each keeps one source.
 */
static void deal_quorum(const struct gang *gang, struct box *boxes, const unsigned int *workers,
			unsigned int count)
{
	unsigned int ranks = gang->forest.ranks, dealt = 1;
	unsigned int lacking = ranks - (unsigned int)ceil(gang->config.quorum * ranks - 1e-9);

	while (lacking && dealt) {
		dealt = 0;
		for (unsigned int i = 0; i < count && lacking; i++) {
			if (boxes[i].sources_count != workers[i] || boxes[i].quorum < 2)
				continue;
			boxes[i].quorum--;
			lacking--;
			dealt++;
		}
	}
}

static void connect_rank(struct gang *gang, unsigned int t, const struct forest_node *node,
			 struct box *parent, uint64_t blocks)
{
	struct lane *lane = lane_of(gang, node->rank, t);
	uint32_t memory = BOX_MEMORY / GANG_PAYLOAD / gang->forest.sums;
	uint32_t window = gang->config.window / gang->trees;

	lane->finished = lane_finished;
	lane->owner = gang;
	lane->box = &parent->from_below;
	lane->up = &node->up;
	lane->source = node->source;
	lane->rank = node->rank;
	lane->ranks = gang->forest.ranks;
	lane->tree = gang->first + t;
	lane_init(lane, blocks_of(gang, blocks, t), window < memory ? window : memory,
		  gang->config.has_rule);
	parent->sources[node->source] = (struct box_source) {
		.to = &lane->results, .down = &node->down,
	};
}

static void connect_box(struct box *box, const struct forest_node *node, struct box *parent)
{
	box->parent = parent;
	box->up = &node->up;
	box->source = node->source;
	parent->sources[node->source] = (struct box_source) {
		.to = &box->from_above, .down = &node->down,
	};
}

static void connect_tree(struct gang *gang, unsigned int t, uint64_t blocks)
{
	const struct forest_tree *tree = &gang->forest.trees[gang->first + t];
	unsigned int ranks = gang->forest.ranks, count = tree->count - ranks;
	struct box *boxes = sim_alloc(count, sizeof(*boxes));
	unsigned int *workers = sim_alloc(count, sizeof(*workers));

	for (unsigned int i = 0; i < count; i++) {
		box_init(&boxes[i], tree->nodes[ranks + i].sources, blocks_of(gang, blocks, t));
		boxes[i].tree = gang->first + t;
		boxes[i].only_worst = gang->config.only_worst;
		boxes[i].fault = gang->config.fault;
	}
	for (unsigned int i = 0; i < tree->count; i++) {
		const struct forest_node *node = &tree->nodes[i];

		if (node->parent == FOREST_NONE)
			continue;
		if (node->rank == FOREST_NONE) {
			connect_box(&boxes[i - ranks], node, &boxes[node->parent - ranks]);
			continue;
		}
		connect_rank(gang, t, node, &boxes[node->parent - ranks], blocks);
		workers[node->parent - ranks]++;
	}
	deal_quorum(gang, boxes, workers, count);
	free(workers);
}

struct gang *gang_new(const struct gang_config *config, const struct clos *clos,
		      const unsigned int *servers, unsigned int ranks, uint64_t blocks,
		      void (*finished)(void *owner, unsigned int rank), void *owner)
{
	struct gang *gang = sim_alloc(1, sizeof(*gang));

	gang->config = *config;
	gang->finished = finished;
	gang->owner = owner;
	forest_plan(&gang->forest, clos, servers, ranks, config->trees);
	gang->first = config->only == FOREST_NONE ? 0 : config->only;
	gang->trees = config->only == FOREST_NONE ? gang->forest.count : 1;
	gang->lanes = sim_alloc((size_t)ranks * gang->trees, sizeof(*gang->lanes));
	gang->busy = sim_alloc(ranks, sizeof(*gang->busy));
	for (unsigned int t = 0; t < gang->trees; t++)
		connect_tree(gang, t, blocks);
	return gang;
}

void gang_allow(struct gang *gang, unsigned int rank, uint64_t blocks)
{
	for (unsigned int t = 0; t < gang->trees; t++)
		gang->busy[rank] += blocks_of(gang, blocks, t) > lane_of(gang, rank, t)->answered;
	for (unsigned int t = 0; t < gang->trees; t++)
		lane_allow(lane_of(gang, rank, t), blocks_of(gang, blocks, t));
}

void gang_release(struct gang *gang)
{
	forest_release(&gang->forest);
}
