// SPDX-License-Identifier: GPL-2.0
/*
 * Trees are made one after the other, each the best beside those that are there, and then each once
 * more beside all others, until none gets better. The best is the one with which the slowest link is
 * least used; of these the one that shares fewest links with others, and is shortest; of these the one
 * whose boxes have least to do.
 *
 * For each box as the root a few trees are looked at: those of the ways of enum ways.
 */
#include <stdlib.h>
#include <string.h>

#include "base/tool.h"
#include "plan/trees.h"

/* Rounds in which trees are made once more. */
#define ROUNDS	8

/* Cost of a link that is used, in links that are not. */
#define USED	64

/* Ways to choose: the shortest; over the links that are least used; that whose worst link is least used. */
enum ways { WAYS_SHORT, WAYS_SPREAD, WAYS_WIDE, WAYS };

/**
 * struct cost - how bad a tree is; the members count in this order
 * @slowest: the use of the link that is used most, by its rate
 * @links: the sum of the squares of all links' uses, each by its rate
 * @load: of the boxes that sum, in percent, of all trees
 */
struct cost {
	double slowest;
	double links;
	uint64_t load;
};

/* Not by rounding alone. */
static bool is_less(double a, double b)
{
	return a < b * (1 - 1e-9);
}

static bool is_better(const struct cost *a, const struct cost *b)
{
	if (is_less(a->slowest, b->slowest) || is_less(b->slowest, a->slowest))
		return a->slowest < b->slowest;
	if (is_less(a->links, b->links) || is_less(b->links, a->links))
		return a->links < b->links;
	return a->load < b->load;
}

static void *array(size_t count, size_t size)
{
	void *made = calloc(count ? count : 1, size);

	if (!made)
		abort();
	return made;
}

/* Return true if the node is a box that has the memory for one more tree. */
static bool has_room(const struct plan *plan, unsigned int node)
{
	const struct node *box = &plan->topology->nodes[node];
	uint64_t one = plan_job_memory(&plan->topology->job);

	return box->kind == NODE_BOX && box->memory / one > plan->jobs[node];
}

/* Return the cost of a way that goes on over a link. */
static uint64_t way_over(const struct plan *plan, uint64_t way, unsigned int link, enum ways ways,
			 uint64_t fastest)
{
	uint64_t used = USED * (plan->uses[link] + 1) * (fastest / plan->topology->links[link].rate);

	if (ways == WAYS_SHORT)
		return way + 1;
	if (ways == WAYS_SPREAD)
		return way + 1 + used;
	/* The worst link in the upper half, and the length in the lower one. */
	return ((way >> 32 > used ? way >> 32 : used) << 32) + (uint32_t)way + 1;
}

/* A heap of nodes by their way's cost. */
struct heap {
	unsigned int *nodes;
	uint64_t *costs;
	unsigned int count;
};

static void swap(struct heap *heap, unsigned int a, unsigned int b)
{
	unsigned int node = heap->nodes[a];
	uint64_t cost = heap->costs[a];

	heap->nodes[a] = heap->nodes[b];
	heap->costs[a] = heap->costs[b];
	heap->nodes[b] = node;
	heap->costs[b] = cost;
}

static void heap_put(struct heap *heap, unsigned int node, uint64_t cost)
{
	unsigned int i = heap->count++;

	heap->nodes[i] = node;
	heap->costs[i] = cost;
	for (; i && heap->costs[(i - 1) / 2] > heap->costs[i]; i = (i - 1) / 2)
		swap(heap, i, (i - 1) / 2);
}

static unsigned int heap_take(struct heap *heap, uint64_t *cost)
{
	unsigned int node = heap->nodes[0], i = 0, child;

	*cost = heap->costs[0];
	swap(heap, 0, --heap->count);
	while ((child = 2 * i + 1) < heap->count) {
		if (child + 1 < heap->count && heap->costs[child + 1] < heap->costs[child])
			child++;
		if (heap->costs[i] <= heap->costs[child])
			break;
		swap(heap, i, child);
		i = child;
	}
	return node;
}

/* The cheapest ways from a root to all nodes; no way leads through a worker. */
static void find_ways(const struct plan *plan, struct tree *tree, unsigned int root, enum ways ways,
		      uint64_t fastest)
{
	const struct topology *topology = plan->topology;
	uint64_t *costs = array(topology->nodes_count, sizeof(*costs)), cost;
	/* A node is put once for each of its links at most. */
	size_t room = 2 * (size_t)topology->links_count + 1;
	struct heap heap = { array(room, sizeof(*heap.nodes)), array(room, sizeof(*heap.costs)), 0 };

	for (unsigned int i = 0; i < topology->nodes_count; i++) {
		tree->nodes[i] = (struct tree_node) { .up = TREE_NONE };
		costs[i] = UINT64_MAX;
	}
	tree->root = root;
	costs[root] = 0;
	heap_put(&heap, root, 0);
	while (heap.count) {
		unsigned int node = heap_take(&heap, &cost);
		const struct node *here = &topology->nodes[node];

		if (cost > costs[node] || here->kind == NODE_WORKER)
			continue;
		for (unsigned int i = 0; i < here->degree; i++) {
			unsigned int link = here->links[i];
			unsigned int far = link_far(&topology->links[link], node);
			uint64_t way = way_over(plan, cost, link, ways, fastest);

			if (way >= costs[far])
				continue;
			costs[far] = way;
			tree->nodes[far].up = link;
			tree->nodes[far].hops = tree->nodes[node].hops + 1;
			heap_put(&heap, far, way);
		}
	}
	free(heap.nodes);
	free(heap.costs);
	free(costs);
}

static unsigned int above(const struct topology *topology, const struct tree *tree, unsigned int node)
{
	return link_far(&topology->links[tree->nodes[node].up], node);
}

/* Keeps the ways to workers of the job. Returns the first worker that has none, or -1. */
static int keep_workers(const struct topology *topology, struct tree *tree)
{
	for (unsigned int r = 0; r < topology->job.ranks; r++) {
		unsigned int node = topology->job.workers[r];

		if (tree->nodes[node].up == TREE_NONE)
			return (int)node;
		for (; !tree->nodes[node].is_in && node != tree->root; node = above(topology, tree, node))
			tree->nodes[node].is_in = true;
	}
	tree->nodes[tree->root].is_in = true;
	return -1;
}

/* Nodes of a tree, those far from the root first. Returns how many. */
static unsigned int order(const struct topology *topology, const struct tree *tree,
			  unsigned int *nodes)
{
	unsigned int count = 0, most = 0;

	for (unsigned int i = 0; i < topology->nodes_count; i++)
		if (tree->nodes[i].is_in && tree->nodes[i].hops > most)
			most = tree->nodes[i].hops;
	for (unsigned int hops = most + 1; hops-- > 0;)
		for (unsigned int i = 0; i < topology->nodes_count; i++)
			if (tree->nodes[i].is_in && tree->nodes[i].hops == hops)
				nodes[count++] = i;
	return count;
}

/* Sum in each box that several packets come to, if it has room, and always at the root. */
static void place_sums(const struct plan *plan, struct tree *tree, const unsigned int *nodes,
		       unsigned int count)
{
	const struct topology *topology = plan->topology;

	for (unsigned int i = 0; i < count; i++) {
		struct tree_node *node = &tree->nodes[nodes[i]];
		bool is_root = nodes[i] == tree->root;

		node->sums = is_root || (node->below > 1 && node->below <= 256 && has_room(plan, nodes[i]));
		node->sends = topology->nodes[nodes[i]].kind == NODE_WORKER || node->sums ? 1 : node->below;
		if (!is_root)
			tree->nodes[above(topology, tree, nodes[i])].below += node->sends;
	}
}

/*
 * Find the box that each worker and box is a source of, and number the sources of each box: workers first,
 * then boxes.
 */
static void number_sources(const struct topology *topology, struct tree *tree,
			   const unsigned int *nodes, unsigned int count)
{
	for (unsigned int pass = 0; pass < 2; pass++) {
		for (unsigned int i = 0; i < (pass ? count : topology->job.ranks); i++) {
			unsigned int node = pass ? nodes[i] : topology->job.workers[i], at = node;
			struct tree_node *own = &tree->nodes[node];

			if (node == tree->root || (pass && !own->sums))
				continue;
			do {
				at = above(topology, tree, at);
			} while (!tree->nodes[at].sums);
			own->parent = at;
			own->source = tree->nodes[at].sources++;
			if (pass && tree->nodes[at].height <= own->height)
				tree->nodes[at].height = own->height + 1;
		}
	}
}

static unsigned int first_below(const struct topology *topology, const struct tree *tree)
{
	unsigned int i = 0;

	while (!tree->nodes[i].is_in || i == tree->root || above(topology, tree, i) != tree->root)
		i++;
	return i;
}

/*
 * A root to which one packet comes has nothing to sum: its sender becomes the root. Return false if the root
 * cannot sum, or would have more sources than it may.
 */
static bool lower_root(const struct topology *topology, struct tree *tree)
{
	while (tree->nodes[tree->root].below == 1 && topology->job.ranks > 1) {
		unsigned int below = first_below(topology, tree);

		tree->nodes[tree->root].is_in = false;
		tree->nodes[tree->root].sums = false;
		tree->nodes[below].up = TREE_NONE;
		tree->root = below;
	}
	return tree->nodes[tree->root].sums && tree->nodes[tree->root].below <= 256;
}

/* A tree with that root, if there is one. */
static bool make_tree(const struct plan *plan, struct tree *tree, unsigned int root, enum ways ways,
		      uint64_t fastest)
{
	const struct topology *topology = plan->topology;
	unsigned int *nodes = array(topology->nodes_count, sizeof(*nodes)), count;
	bool made = false;

	find_ways(plan, tree, root, ways, fastest);
	if (keep_workers(topology, tree) < 0) {
		count = order(topology, tree, nodes);
		place_sums(plan, tree, nodes, count);
		made = lower_root(topology, tree);
		count = order(topology, tree, nodes);
		if (made)
			number_sources(topology, tree, nodes, count);
	}
	free(nodes);
	return made;
}

/* Counts a tree in, or out with -1. */
static void count_tree(struct plan *plan, const struct tree *tree, int by)
{
	for (unsigned int i = 0; i < plan->topology->nodes_count; i++) {
		const struct tree_node *node = &tree->nodes[i];

		if (!node->is_in)
			continue;
		if (node->up != TREE_NONE)
			plan->uses[node->up] += (uint32_t)by * node->sends;
		plan->jobs[i] += node->sums ? (uint32_t)by : 0;
	}
}

/* Of the trees that are counted in; sets the slowest link. */
static struct cost cost_of(struct plan *plan)
{
	const struct topology *topology = plan->topology;
	struct cost cost = { 0 };

	for (unsigned int i = 0; i < topology->links_count; i++) {
		double use = (double)plan->uses[i] / (double)topology->links[i].rate;

		cost.links += use * plan->uses[i];
		if (use > cost.slowest) {
			cost.slowest = use;
			plan->slowest = i;
		}
	}
	for (unsigned int i = 0; i < topology->nodes_count; i++)
		if (plan->jobs[i])
			cost.load += plan->jobs[i] * (topology->nodes[i].load + 10 * plan->jobs[i]);
	return cost;
}

static void take(struct plan *plan, struct tree *to, const struct tree *from)
{
	to->root = from->root;
	memcpy(to->nodes, from->nodes, plan->topology->nodes_count * sizeof(*to->nodes));
}

/* The best tree beside those that are counted in. Returns false where there is none. */
static bool best_tree(struct plan *plan, struct tree *best, struct cost *least, uint64_t fastest)
{
	const struct topology *topology = plan->topology;
	struct tree tree = { .nodes = array(topology->nodes_count, sizeof(*tree.nodes)) };
	bool found = false;

	for (unsigned int i = 0; i < WAYS * topology->nodes_count; i++) {
		struct cost cost;

		if (!has_room(plan, i / WAYS) || !make_tree(plan, &tree, i / WAYS, i % WAYS, fastest))
			continue;
		count_tree(plan, &tree, 1);
		cost = cost_of(plan);
		count_tree(plan, &tree, -1);
		if (found && !is_better(&cost, least))
			continue;
		found = true;
		*least = cost;
		take(plan, best, &tree);
	}
	free(tree.nodes);
	return found;
}

/* Makes each tree once more beside the others. Returns whether one is better than before. */
static bool improve(struct plan *plan, struct cost *cost, uint64_t fastest)
{
	struct tree tree = { .nodes = array(plan->topology->nodes_count, sizeof(*tree.nodes)) };
	struct cost other;
	bool better = false;

	for (unsigned int t = 0; t < plan->count; t++) {
		count_tree(plan, &plan->trees[t], -1);
		if (best_tree(plan, &tree, &other, fastest) && is_better(&other, cost)) {
			take(plan, &plan->trees[t], &tree);
			*cost = other;
			better = true;
		}
		count_tree(plan, &plan->trees[t], 1);
	}
	free(tree.nodes);
	return better;
}

/* Report why there is no tree at all. Return WEIR_USAGE. */
static int no_tree(const struct plan *plan)
{
	const struct topology *topology = plan->topology;
	struct tree tree = { .nodes = array(topology->nodes_count, sizeof(*tree.nodes)) };
	unsigned int least = UINT32_MAX, boxes = 0;
	int lost = -1;

	for (unsigned int i = 0; i < topology->nodes_count; i++) {
		unsigned int missing = 0;
		int first = -1;

		if (topology->nodes[i].kind != NODE_BOX)
			continue;
		boxes++;
		find_ways(plan, &tree, i, WAYS_SHORT, 1);
		for (unsigned int r = topology->job.ranks; r-- > 0;)
			if (tree.nodes[topology->job.workers[r]].up == TREE_NONE) {
				missing++;
				first = (int)topology->job.workers[r];
			}
		if (missing < least) {
			least = missing;
			lost = first;
		}
	}
	free(tree.nodes);
	if (!boxes)
		return usage(NULL, "%s has no box: add `box NAME address ADDRESS`", topology->file);
	if (least)
		return usage(NULL, "%s: no links lead from %s to a box that the job's other workers have links to",
			     topology->file, topology->nodes[lost].name);
	return usage(NULL, "%s: no box has the memory and the sources for a tree: it takes %ju bytes a box, and 256 sources at most",
		     topology->file, (uintmax_t)plan_job_memory(&topology->job));
}

static uint64_t fastest_of(const struct topology *topology)
{
	uint64_t fastest = 1;

	for (unsigned int i = 0; i < topology->links_count; i++)
		if (topology->links[i].rate > fastest)
			fastest = topology->links[i].rate;
	return fastest;
}

int plan_make(struct plan *plan, const struct topology *topology)
{
	uint64_t fastest = fastest_of(topology);
	struct cost cost = { 0 };

	if (!topology->job.line)
		return usage(NULL, "%s has no job: add a line `job id NUMBER`", topology->file);
	*plan = (struct plan) {
		.topology = topology,
		.uses = array(topology->links_count, sizeof(*plan->uses)),
		.jobs = array(topology->nodes_count, sizeof(*plan->jobs)),
	};
	while (plan->count < topology->job.trees) {
		struct tree *tree = &plan->trees[plan->count];

		tree->nodes = array(topology->nodes_count, sizeof(*tree->nodes));
		if (!best_tree(plan, tree, &cost, fastest))
			break;
		count_tree(plan, tree, 1);
		plan->count++;
	}
	if (!plan->count)
		return no_tree(plan);
	for (unsigned int i = 0; i < ROUNDS && improve(plan, &cost, fastest); i++)
		;
	cost = cost_of(plan);
	plan->rate = (uint64_t)(plan->count / cost.slowest);
	if (plan->count < topology->job.trees)
		warning("%s: the boxes have memory for %u trees, and %u are asked for", topology->file,
			plan->count, topology->job.trees);
	return WEIR_OK;
}

void plan_free(struct plan *plan)
{
	for (unsigned int i = 0; i < PLAN_TREES; i++)
		free(plan->trees[i].nodes);
	free(plan->uses);
	free(plan->jobs);
}
