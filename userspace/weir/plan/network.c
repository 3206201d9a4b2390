// SPDX-License-Identifier: GPL-2.0
/* Print the workers, boxes, switches and links of a file, for programs that place jobs. */
#include "base/print.h"
#include "plan/told.h"

static const char *const kinds[] = {
	[NODE_WORKER] = "worker", [NODE_BOX] = "box", [NODE_SWITCH] = "switch",
};

static void print_node(const struct topology *topology, unsigned int i)
{
	const struct node *node = &topology->nodes[i];

	print_object(NULL);
	print_string_as("", COLOR_NONE, "kind", kinds[node->kind]);
	print_string_as("", COLOR_NAME, "name", node->name);
	if (node->kind != NODE_SWITCH)
		print_string_as("", COLOR_ADDRESS, "address", node->address);
	print_text("has links to");
	print_list("links");
	for (unsigned int l = 0; l < node->degree; l++) {
		const struct link *link = &topology->links[node->links[l]];

		print_string_as("", COLOR_NONE, NULL, topology->nodes[link_far(link, i)].name);
	}
	print_end();
	print_end();
	print_line(0);
}

void told_network(const struct topology *topology)
{
	print_setup();
	print_object(NULL);
	print_list("nodes");
	for (unsigned int i = 0; i < topology->nodes_count; i++)
		print_node(topology, i);
	print_end();
	print_end();
	print_done();
}
