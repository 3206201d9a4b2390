// SPDX-License-Identifier: GPL-2.0
/*
 * The planner gets a file as weir(8) does, of the part of the network that the job's servers are in:
 * their racks and pods, and the cores if there are two pods.
 */
#include "forest.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/tool.h"
#include "plan/trees.h"

/* Load that each tree adds to a box, as the planner sees it, in percent. */
#define TREE_LOAD	5

/* The planner's sentences go by the tool's options. */
struct options opt;

/* Trees that sum in each box now. */
static unsigned int *sums;

/**
 * struct drawing - the file as it is written
 * @has: by node of the network, whether it is in it
 */
struct drawing {
	const struct clos *clos;
	FILE *to;
	bool *has;
};

static bool draw_node(struct drawing *drawing, unsigned int node)
{
	unsigned int load = TREE_LOAD * sums[node];
	bool is_box = node >= drawing->clos->servers;

	if (drawing->has[node])
		return false;
	drawing->has[node] = true;
	fprintf(drawing->to, "%s n%u address 10.%u.%u.1", is_box ? "box" : "worker", node, node / 256,
		node % 256);
	if (is_box)
		fprintf(drawing->to, " load %u%%", load < 100 ? load : 100);
	fputc('\n', drawing->to);
	return true;
}

static void draw_link(struct drawing *drawing, unsigned int a, unsigned int b)
{
	fprintf(drawing->to, "link n%u n%u\n", a, b);
}

/* A middle switch, and the cores above it. */
static void draw_middle(struct drawing *drawing, unsigned int pod, unsigned int i, bool has_cores)
{
	const struct clos *clos = drawing->clos;
	unsigned int node = clos_middle(clos, pod, i);

	if (!draw_node(drawing, node) || !has_cores)
		return;
	for (unsigned int c = i * clos->half; c < (i + 1) * clos->half; c++) {
		draw_node(drawing, clos_core(clos, c));
		draw_link(drawing, node, clos_core(clos, c));
	}
}

static void draw_worker(struct drawing *drawing, unsigned int server, bool has_cores)
{
	const struct clos *clos = drawing->clos;
	unsigned int edge = clos_edge(clos, clos_rack(clos, server));

	draw_node(drawing, server);
	if (draw_node(drawing, edge)) {
		for (unsigned int i = 0; i < clos->half; i++) {
			draw_middle(drawing, clos_pod(clos, server), i, has_cores);
			draw_link(drawing, edge, clos_middle(clos, clos_pod(clos, server), i));
		}
	}
	draw_link(drawing, server, edge);
}

static char *draw(const struct clos *clos, const unsigned int *workers, unsigned int ranks,
		  unsigned int trees)
{
	unsigned int pod = clos_pod(clos, workers[0]);
	bool has_cores = false;
	struct drawing drawing = { .clos = clos, .has = sim_alloc(clos_nodes(clos), 1) };
	char *text;
	size_t size;

	drawing.to = open_memstream(&text, &size);
	if (!drawing.to)
		err(1, "open_memstream");
	for (unsigned int r = 0; r < ranks; r++)
		has_cores |= clos_pod(clos, workers[r]) != pod;
	fputs("rate 10gbit\n", drawing.to);
	for (unsigned int r = 0; r < ranks; r++)
		draw_worker(&drawing, workers[r], has_cores);
	fprintf(drawing.to, "job id 1 trees %u blocks 4096 grads 2048 workers", trees);
	for (unsigned int r = 0; r < ranks; r++)
		fprintf(drawing.to, " n%u", workers[r]);
	fputc('\n', drawing.to);
	fclose(drawing.to);
	free(drawing.has);
	return text;
}

/* Return the number of a node in the network, which is in its name. */
static unsigned int node_of(const struct topology *topology, unsigned int node)
{
	return (unsigned int)strtoul(topology->nodes[node].name + 1, NULL, 10);
}

static void add_hop(const struct clos *clos, struct forest_node *node, unsigned int from,
		    unsigned int to)
{
	if (node->up.count == PATH_MAX_PORTS)
		errx(1, "a tree has a way of more than %d links", PATH_MAX_PORTS);
	node->up.ports[node->up.count++] = clos_port(clos, from, to);
	/* The way down is turned round once it is whole. */
	node->down.ports[node->down.count++] = clos_port(clos, to, from);
}

static void turn_round(struct path *path)
{
	for (unsigned int i = 0; i < path->count / 2; i++) {
		unsigned int port = path->ports[i];

		path->ports[i] = path->ports[path->count - 1 - i];
		path->ports[path->count - 1 - i] = port;
	}
}

/* Link by link to the box that the planner names. */
static void find_way(const struct clos *clos, const struct plan *plan, const struct tree *tree,
		     unsigned int number, struct forest_node *node)
{
	const struct topology *topology = plan->topology;
	unsigned int at = number, next;

	while (at != tree->nodes[number].parent) {
		next = link_far(&topology->links[tree->nodes[at].up], at);
		add_hop(clos, node, node_of(topology, at), node_of(topology, next));
		at = next;
	}
	turn_round(&node->down);
}

static void plant(struct forest *forest, const struct clos *clos, const struct plan *plan,
		  unsigned int t)
{
	const struct topology *topology = plan->topology;
	const struct tree *tree = &plan->trees[t];
	struct forest_tree *made = &forest->trees[t];
	unsigned int *places = sim_alloc(topology->nodes_count, sizeof(*places));

	made->nodes = sim_alloc(topology->nodes_count, sizeof(*made->nodes));
	made->count = forest->ranks;
	for (unsigned int i = 0; i < topology->nodes_count; i++) {
		if (topology->nodes[i].rank >= 0)
			places[i] = (unsigned int)topology->nodes[i].rank;
		else if (tree->nodes[i].sums)
			places[i] = made->count++;
	}
	for (unsigned int i = 0; i < topology->nodes_count; i++) {
		struct forest_node *node = &made->nodes[places[i]];
		bool is_worker = topology->nodes[i].rank >= 0;

		if (!is_worker && !tree->nodes[i].sums)
			continue;
		node->node = node_of(topology, i);
		node->rank = is_worker ? (unsigned int)topology->nodes[i].rank : FOREST_NONE;
		node->parent = i == tree->root ? FOREST_NONE : places[tree->nodes[i].parent];
		node->source = tree->nodes[i].source;
		node->sources = tree->nodes[i].sources;
		if (i != tree->root)
			find_way(clos, plan, tree, i, node);
	}
	free(places);
}

static void count_sums(struct forest *forest, int by)
{
	for (unsigned int t = 0; t < forest->count; t++) {
		const struct forest_tree *tree = &forest->trees[t];

		for (unsigned int i = forest->ranks; i < tree->count; i++) {
			sums[tree->nodes[i].node] += (unsigned int)by;
			if (sums[tree->nodes[i].node] > forest->sums)
				forest->sums = sums[tree->nodes[i].node];
		}
	}
}

void forest_plan(struct forest *forest, const struct clos *clos, const unsigned int *workers,
		 unsigned int ranks, unsigned int trees)
{
	struct topology topology;
	struct plan plan = { 0 };

	if (!sums)
		sums = sim_alloc(clos_nodes(clos), sizeof(*sums));
	*forest = (struct forest) { .ranks = ranks };
	if (topology_parse(&topology, "network", draw(clos, workers, ranks, trees)) ||
	    plan_make(&plan, &topology))
		exit(1);
	forest->count = plan.count;
	for (unsigned int t = 0; t < plan.count; t++)
		plant(forest, clos, &plan, t);
	count_sums(forest, 1);
	plan_free(&plan);
	topology_free(&topology);
}

void forest_release(struct forest *forest)
{
	count_sums(forest, -1);
}
