// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include <weir.h>

#include "base/units.h"
#include "plan/told.h"

bool told_is_needed(const struct plan *plan, unsigned int node)
{
	return plan->jobs[node];
}

/*
 * A box waits for its sources less long than its parent for it: else the parent would give up before
 * the box has said anything.
 */
static uint64_t timeout_of(const struct plan *plan, const struct tree *tree, unsigned int node)
{
	return plan->topology->job.timeout * (tree->nodes[node].height + 1) /
	       (tree->nodes[tree->root].height + 1);
}

static bool has_levels(const struct tree *tree)
{
	return tree->nodes[tree->root].height;
}

static void add_job(const struct plan *plan, unsigned int t, unsigned int node,
		    const struct told *told)
{
	const struct tree *tree = &plan->trees[t];
	const struct tree_node *own = &tree->nodes[node];
	const struct topology *topology = plan->topology;
	const struct plan_job *job = &topology->job;
	char timeout[UNITS_TEXT];

	fprintf(told->to, "%sweir job add id %u sources %u address %s", told->before, job->id + t,
		own->sources, topology->nodes[node].address);
	for (unsigned int i = 0; i < job->count; i += 2)
		fprintf(told->to, " %s %s", job->words[i], job->words[i + 1]);
	if (job->timeout)
		fprintf(told->to, " timeout %s", units_micros(timeout, timeout_of(plan, tree, node)));
	if (has_levels(tree) && job->format->ranks)
		fprintf(told->to, " ranks %u", job->ranks);
	if (node != tree->root)
		fprintf(told->to, " parent %s source %u", topology->nodes[own->parent].address,
			own->source);
	else if (*job->reducer)
		fprintf(told->to, " parent %s source 0", job->reducer);
	fputc('\n', told->to);
}

static bool is_source(const struct plan *plan, const struct tree *tree, unsigned int node,
		      unsigned int box)
{
	const struct tree_node *own = &tree->nodes[node];

	return own->is_in && node != tree->root && own->parent == box &&
	       (own->sums || plan->topology->nodes[node].kind == NODE_WORKER);
}

unsigned int told_source(const struct plan *plan, const struct tree *tree, unsigned int box,
			 unsigned int source)
{
	unsigned int i = 0;

	while (!is_source(plan, tree, i, box) || tree->nodes[i].source != source)
		i++;
	return i;
}

unsigned int told_port(const struct topology *topology, unsigned int t)
{
	const struct plan_job *job = &topology->job;

	unsigned int port = job->format->port;

	for (unsigned int i = 0; i < job->count; i += 2)
		if (!strcmp(job->words[i], "port"))
			port = (unsigned int)strtoul(job->words[i + 1], NULL, 10);
	return job->format->ports ? port + t : port;
}

static void add_source(const struct plan *plan, unsigned int t, unsigned int source,
		       unsigned int node, const struct told *told)
{
	const struct topology *topology = plan->topology;

	fprintf(told->to, "%sweir source add job %u id %u address %s", told->before,
		topology->job.id + t, source, topology->nodes[node].address);
	if (t && topology->job.format->ports && topology->nodes[node].kind == NODE_WORKER)
		fprintf(told->to, " port %u", told_port(topology, t));
	fputc('\n', told->to);
}

static void add_sources(const struct plan *plan, unsigned int t, unsigned int box,
			const struct told *told)
{
	const struct tree *tree = &plan->trees[t];

	for (unsigned int source = 0; source < tree->nodes[box].sources; source++)
		add_source(plan, t, source, told_source(plan, tree, box, source), told);
}

void told_box(const struct plan *plan, unsigned int node, const struct told *told)
{
	for (unsigned int t = 0; t < plan->count; t++) {
		if (!plan->trees[t].nodes[node].sums)
			continue;
		add_job(plan, t, node, told);
		add_sources(plan, t, node, told);
	}
}

/* A worker's box in a tree. */
static unsigned int box_of(const struct plan *plan, unsigned int t, unsigned int worker)
{
	return plan->trees[t].nodes[worker].parent;
}

/* Return the number of trees after which its boxes repeat, as libweir goes round the list of them. */
static unsigned int round_of(const struct plan *plan, unsigned int worker)
{
	unsigned int round = 1;

	for (unsigned int t = 1; t < plan->count; t++)
		if (box_of(plan, t, worker) != box_of(plan, t % round, worker))
			round = t + 1;
	return round;
}

static bool has_box_twice(const struct plan *plan, unsigned int worker)
{
	unsigned int round = round_of(plan, worker);

	for (unsigned int t = 1; t < round; t++)
		for (unsigned int before = 0; before < t; before++)
			if (box_of(plan, t, worker) == box_of(plan, before, worker))
				return true;
	return false;
}

static bool has_other_source(const struct plan *plan, unsigned int worker)
{
	for (unsigned int t = 1; t < plan->count; t++)
		if (plan->trees[t].nodes[worker].source != plan->trees[0].nodes[worker].source)
			return true;
	return false;
}

bool told_is_one(const struct plan *plan, unsigned int worker)
{
	return !has_box_twice(plan, worker) && !has_other_source(plan, worker);
}

void told_boxes(const struct plan *plan, unsigned int worker, FILE *to)
{
	for (unsigned int t = 0; t < round_of(plan, worker); t++)
		fprintf(to, "%s%s", t ? "," : "",
			plan->topology->nodes[box_of(plan, t, worker)].address);
}

/* All trees as one communicator. */
static void told_options(const struct plan *plan, unsigned int worker, const struct told *told)
{
	const struct topology *topology = plan->topology;

	if (plan->count == 1 || !topology->job.format->ports)
		return;
	if (!told_is_one(plan, worker)) {
		fprintf(told->to, "%slibweir: a communicator a tree\n", told->before);
		return;
	}
	fprintf(told->to, "%slibweir: trees %u, job %u, address ", told->before, plan->count,
		topology->job.id);
	told_boxes(plan, worker, told->to);
	fprintf(told->to, ", rank %d, ranks %u, source %u\n", topology->nodes[worker].rank,
		topology->job.ranks, plan->trees[0].nodes[worker].source);
}

void told_worker(const struct plan *plan, unsigned int node, const struct told *told)
{
	const struct topology *topology = plan->topology;

	for (unsigned int t = 0; t < plan->count; t++) {
		const struct tree_node *own = &plan->trees[t].nodes[node];

		fprintf(told->to, "%stree %u: job %u at %s, rank %d of %u, source %u", told->before, t,
			topology->job.id + t, topology->nodes[own->parent].address,
			topology->nodes[node].rank, topology->job.ranks, own->source);
		if (told_port(topology, t) != WEIR_PORT_DEFAULT || plan->count > 1)
			fprintf(told->to, ", port %u", told_port(topology, t));
		fputc('\n', told->to);
	}
	told_options(plan, node, told);
}
