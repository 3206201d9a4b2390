// SPDX-License-Identifier: GPL-2.0
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
	if (has_levels(tree))
		fprintf(told->to, " ranks %u", job->ranks);
	if (node != tree->root)
		fprintf(told->to, " parent %s source %u", topology->nodes[own->parent].address,
			own->source);
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

static void add_sources(const struct plan *plan, unsigned int t, unsigned int box,
			const struct told *told)
{
	const struct tree *tree = &plan->trees[t];
	const struct topology *topology = plan->topology;

	for (unsigned int source = 0; source < tree->nodes[box].sources; source++)
		fprintf(told->to, "%sweir source add job %u id %u address %s\n", told->before,
			topology->job.id + t, source,
			topology->nodes[told_source(plan, tree, box, source)].address);
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

void told_worker(const struct plan *plan, unsigned int node, const struct told *told)
{
	const struct topology *topology = plan->topology;

	for (unsigned int t = 0; t < plan->count; t++) {
		const struct tree_node *own = &plan->trees[t].nodes[node];

		fprintf(told->to, "%stree %u: job %u at %s, rank %d of %u, source %u\n", told->before, t,
			topology->job.id + t, topology->nodes[own->parent].address,
			topology->nodes[node].rank, topology->job.ranks, own->source);
	}
}
