// SPDX-License-Identifier: GPL-2.0
/* A drawing for dot(1): links as they are, and on them the trees, a colour each; the slowest is wide. */
#include <stdio.h>

#include "base/units.h"
#include "plan/told.h"

static const char *const colors[] = {
	"#1b9e77", "#d95f02", "#7570b3", "#e7298a", "#66a61e", "#e6ab02", "#a6761d", "#666666",
};

static void node(const struct plan *plan, unsigned int i)
{
	static const char *const shapes[] = {
		[NODE_WORKER] = "ellipse", [NODE_BOX] = "box", [NODE_SWITCH] = "diamond",
	};
	const struct node *here = &plan->topology->nodes[i];

	printf("\t\"%s\" [shape=%s%s];\n", here->name, shapes[here->kind],
	       plan->jobs[i] ? ", style=filled, fillcolor=lightgrey" : "");
}

/* Away from the root, so that roots are drawn above. */
static void tree_link(const struct plan *plan, unsigned int t, unsigned int i)
{
	const struct topology *topology = plan->topology;
	const struct tree_node *own = &plan->trees[t].nodes[i];

	printf("\t\"%s\" -> \"%s\" [dir=back, color=\"%s\"%s];\n",
	       topology->nodes[link_far(&topology->links[own->up], i)].name, topology->nodes[i].name,
	       colors[t % (sizeof(colors) / sizeof(colors[0]))],
	       own->up == plan->slowest ? ", penwidth=4" : "");
}

static void idle_link(const struct plan *plan, unsigned int i)
{
	const struct topology *topology = plan->topology;
	const struct link *link = &topology->links[i];

	printf("\t\"%s\" -> \"%s\" [dir=none, style=dotted];\n", topology->nodes[link->ends[0]].name,
	       topology->nodes[link->ends[1]].name);
}

void told_dot(const struct plan *plan)
{
	const struct topology *topology = plan->topology;

	puts("digraph plan {");
	for (unsigned int i = 0; i < topology->nodes_count; i++)
		node(plan, i);
	for (unsigned int t = 0; t < plan->count; t++)
		for (unsigned int i = 0; i < topology->nodes_count; i++)
			if (plan->trees[t].nodes[i].is_in && plan->trees[t].nodes[i].up != TREE_NONE)
				tree_link(plan, t, i);
	for (unsigned int i = 0; i < topology->links_count; i++)
		if (!plan->uses[i])
			idle_link(plan, i);
	puts("}");
}
