// SPDX-License-Identifier: GPL-2.0
/* The file of `weir plan`: what is read, and that the trees of it hold together. */
#include <string.h>

#include "base/tool.h"
#include "plan/trees.h"

#include "fuzz.h"

struct options opt;

/* Each worker comes to the root by boxes that know it, and each source has a number of its own. */
static void check_tree(const struct topology *topology, const struct tree *tree)
{
	unsigned int *sources = calloc(topology->nodes_count, sizeof(*sources));
	unsigned int hops;

	for (unsigned int i = 0; i < topology->nodes_count; i++) {
		const struct tree_node *node = &tree->nodes[i];
		bool is_worker = topology->nodes[i].rank >= 0;

		HOLDS(!is_worker || node->is_in);
		if (!node->is_in || i == tree->root || !(node->sums || is_worker))
			continue;
		HOLDS(node->parent < topology->nodes_count && tree->nodes[node->parent].sums);
		HOLDS(node->source < tree->nodes[node->parent].sources && node->source < 256);
		sources[node->parent] += node->source + 1;
		hops = 0;
		for (unsigned int at = i; at != tree->root; at = tree->nodes[at].parent)
			HOLDS(++hops <= topology->nodes_count);
	}
	for (unsigned int i = 0; i < topology->nodes_count; i++) {
		unsigned int n = tree->nodes[i].sums ? tree->nodes[i].sources : 0;

		HOLDS(sources[i] == n * (n + 1) / 2);
	}
	free(sources);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct topology topology;
	struct plan plan = { 0 };
	int status;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	status = topology_parse(&topology, "-", text);
	if (!status)
		status = plan_make(&plan, &topology);
	HOLDS(status == WEIR_OK || status == WEIR_USAGE);
	for (unsigned int t = 0; !status && t < plan.count; t++)
		check_tree(&topology, &plan.trees[t]);
	plan_free(&plan);
	topology_free(&topology);
	return 0;
}
