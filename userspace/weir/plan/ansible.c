// SPDX-License-Identifier: GPL-2.0
/*
 * An Ansible playbook: the boxes' commands, and for workers a variable. Hosts are called as the file of the
 * plan calls them. Jobs that are there are taken away first, so that it may run again.
 */
#include <stdio.h>
#include <string.h>

#include "base/tool.h"
#include "plan/told.h"

static void box(const struct plan *plan, unsigned int node)
{
	const struct told told = { stdout, "          " };
	const struct plan_job *job = &plan->topology->job;

	printf("- name: boxes of job %u, %s\n  hosts: \"%s\"\n  become: true\n  gather_facts: false\n  tasks:\n",
	       job->id, plan->topology->nodes[node].name, plan->topology->nodes[node].name);
	for (unsigned int t = 0; t < plan->count; t++) {
		if (!plan->trees[t].nodes[node].sums)
			continue;
		printf("    - name: no job %u from before\n      ansible.builtin.command: weir job del id %u\n"
		       "      register: gone\n      changed_when: gone.rc == 0\n      failed_when: false\n",
		       job->id + t, job->id + t);
	}
	printf("    - name: its jobs and their sources\n      ansible.builtin.shell:\n        executable: /bin/sh\n"
	       "        cmd: |\n          set -e\n");
	told_box(plan, node, &told);
}

/* Print what a communicator of libweir takes for all trees, if the worker may have them in one. */
static void all_trees(const struct plan *plan, unsigned int rank)
{
	const struct topology *topology = plan->topology;
	unsigned int node = topology->job.workers[rank];

	if (plan->count == 1 || !told_is_one(plan, node))
		return;
	printf("        weir_trees: { trees: %u, job: %u, address: \"", plan->count,
	       topology->job.id);
	told_boxes(plan, node, stdout);
	printf("\", rank: %u, ranks: %u, source: %u }\n", rank, topology->job.ranks,
	       plan->trees[0].nodes[node].source);
}

static void workers(const struct plan *plan)
{
	const struct topology *topology = plan->topology;

	for (unsigned int r = 0; r < topology->job.ranks; r++) {
		unsigned int node = topology->job.workers[r];

		printf("- name: worker %s\n  hosts: \"%s\"\n  gather_facts: false\n  tasks:\n"
		       "    - name: where it takes part\n      ansible.builtin.set_fact:\n        weir_job:\n",
		       topology->nodes[node].name, topology->nodes[node].name);
		for (unsigned int t = 0; t < plan->count; t++) {
			const struct tree_node *own = &plan->trees[t].nodes[node];

			printf("          - { job: %u, address: \"%s\", rank: %u, ranks: %u, source: %u, port: %u }\n",
			       topology->job.id + t, topology->nodes[own->parent].address, r,
			       topology->job.ranks, own->source, told_port(topology, t));
		}
		all_trees(plan, r);
	}
}

/*
 * In a playbook a name is a pattern of hosts, and text that may have Jinja: only letters, digits, dots,
 * underscores and hyphens are names of hosts and nothing else. The words that stand for groups are not.
 */
static bool is_host(const char *name)
{
	static const char digits[] = "0123456789";
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

	return strspn(name, letters) == strlen(name) && *name != '-' && *name != '.' &&
	       name[strspn(name, digits)] && strcmp(name, "all") && strcmp(name, "ungrouped");
}

static int check_hosts(const struct plan *plan)
{
	const struct topology *topology = plan->topology;

	for (unsigned int i = 0; i < topology->nodes_count; i++) {
		const struct node *node = &topology->nodes[i];

		if ((node->rank >= 0 || told_is_needed(plan, i)) && !is_host(node->name))
			return usage(NULL, "%s, line %u: '%s' is not the name of one host for Ansible: use letters, digits, dots, underscores and hyphens",
				     topology->file, node->line, node->name);
	}
	return WEIR_OK;
}

int told_ansible(const struct plan *plan)
{
	int status = check_hosts(plan);

	if (status)
		return status;
	puts("---");
	/* A box that is a parent is there before its children ask for it. */
	for (unsigned int i = 0; i < plan->topology->nodes_count; i++)
		if (told_is_needed(plan, i))
			box(plan, i);
	workers(plan);
	return WEIR_OK;
}
