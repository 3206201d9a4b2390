// SPDX-License-Identifier: GPL-2.0
/* `weir plan FILE`: the trees of a job, made without a box, and what each is told. */
#include <string.h>

#include "base/print.h"
#include "base/tool.h"
#include "base/units.h"
#include "grammar/args.h"
#include "grammar/commands.h"
#include "plan/told.h"

/* A rate as the command line takes it, or nearly: three digits are enough to read. */
static const char *rate_text(char text[static UNITS_TEXT], uint64_t bytes)
{
	uint64_t step = 125;

	while (bytes / step >= 1000)
		step *= 10;
	return units_rate(text, bytes / step * step);
}

static void print_sources(const struct plan *plan, const struct tree *tree, unsigned int box)
{
	const struct topology *topology = plan->topology;

	print_list("sources");
	for (unsigned int source = 0; source < tree->nodes[box].sources; source++)
		print_string_as("", COLOR_NONE, NULL,
				topology->nodes[told_source(plan, tree, box, source)].name);
	print_end();
}

static void print_box(const struct plan *plan, const struct tree *tree, unsigned int box)
{
	const struct node *node = &plan->topology->nodes[box];

	print_line(2);
	print_object(NULL);
	print_string_as("", COLOR_NAME, "box", node->name);
	print_string_as("", COLOR_ADDRESS, "address", node->address);
	if (box != tree->root) {
		print_string("parent", plan->topology->nodes[tree->nodes[box].parent].name);
		print_uint("source", tree->nodes[box].source);
	}
	print_text("sums");
	print_sources(plan, tree, box);
	print_end();
}

/* From the root down. */
static void print_tree(const struct plan *plan, unsigned int t)
{
	const struct topology *topology = plan->topology;
	const struct tree *tree = &plan->trees[t];

	print_object(NULL);
	print_uint_as("tree", COLOR_NONE, "tree", t);
	print_uint("job", topology->job.id + t);
	print_string("root", topology->nodes[tree->root].name);
	print_uint("levels", tree->nodes[tree->root].height + 1);
	print_list("boxes");
	for (unsigned int height = tree->nodes[tree->root].height + 1; height-- > 0;)
		for (unsigned int i = 0; i < topology->nodes_count; i++)
			if (tree->nodes[i].sums && tree->nodes[i].height == height)
				print_box(plan, tree, i);
	print_end();
	print_end();
	print_line(0);
}

static void print_slowest(const struct plan *plan)
{
	const struct topology *topology = plan->topology;
	const struct link *link = &topology->links[plan->slowest];
	const char *from = topology->nodes[link->ends[0]].name, *to = topology->nodes[link->ends[1]].name;
	char rate[UNITS_TEXT], most[UNITS_TEXT];

	print_text("the bottleneck is the link of %s and %s, of %s: it carries %u packet%s where a worker sends %u, so that a worker sends, and receives, %s at most",
		   from, to, rate_text(rate, link->rate), plan->uses[plan->slowest],
		   plan->uses[plan->slowest] == 1 ? "" : "s", plan->count,
		   rate_text(most, plan->rate));
	print_line(0);
	if (!opt.json)
		return;
	print_object("bottleneck");
	print_string("from", from);
	print_string("to", to);
	print_uint("rate", link->rate);
	print_uint("uses", plan->uses[plan->slowest]);
	print_end();
	print_uint("rate", plan->rate);
}

static void print_workers(const struct plan *plan)
{
	const struct topology *topology = plan->topology;
	const struct told told = { stdout, "  " };

	for (unsigned int r = 0; r < topology->job.ranks; r++) {
		printf("%s\n", topology->nodes[topology->job.workers[r]].name);
		told_worker(plan, topology->job.workers[r], &told);
	}
}

static int print_plan(const struct plan *plan)
{
	print_setup();
	print_object(NULL);
	print_list("trees");
	for (unsigned int t = 0; t < plan->count; t++)
		print_tree(plan, t);
	print_end();
	print_slowest(plan);
	print_end();
	print_done();
	if (!opt.json)
		print_workers(plan);
	return WEIR_OK;
}

/* Print the lines of one box or worker. Return an exit status. */
static int print_told(const struct plan *plan, const char *name)
{
	const struct topology *topology = plan->topology;
	const struct told told = { stdout, "" };

	for (unsigned int i = 0; i < topology->nodes_count; i++) {
		if (strcmp(topology->nodes[i].name, name))
			continue;
		if (topology->nodes[i].rank >= 0)
			told_worker(plan, i, &told);
		else
			told_box(plan, i, &told);
		return WEIR_OK;
	}
	return usage(NULL, "%s has no box and no worker '%s'", topology->file, name);
}

static int print_form(const struct plan *plan, int count, char **words)
{
	if (!count)
		return print_plan(plan);
	if (count == 1 && !strcmp(words[0], "ansible"))
		return told_ansible(plan);
	if (count == 1 && !strcmp(words[0], "dot"))
		told_dot(plan);
	else if (count == 2 && !strcmp(words[0], "for"))
		return print_told(plan, words[1]);
	else
		return usage(NULL, "plan does not know '%s' behind its file: it takes ansible, dot, network or for NAME",
			     words[0]);
	return WEIR_OK;
}

/* Some formats have one box; a plan for them may not need another. */
static int check_levels(const struct plan *plan)
{
	const struct topology *topology = plan->topology;
	const struct tree *tree = plan->trees;

	if (topology->job.format->levels || !tree->nodes[tree->root].height)
		return WEIR_OK;
	return usage(NULL, "%s, line %u: a job of format %s has one box, and the plan needs several: leave one box between its workers",
		     topology->file, topology->job.line, topology->job.format->word);
}

static int make_and_print(const struct topology *topology, int count, char **words)
{
	struct plan plan = { 0 };
	int status = plan_make(&plan, topology);

	status = status ?: check_levels(&plan);
	if (!status)
		status = print_form(&plan, count, words);
	plan_free(&plan);
	return status;
}

int plan_run(const struct args *args)
{
	struct topology topology = { 0 };
	int status;

	if (!args->words)
		return usage(NULL, "plan lacks its file: write plan FILE");
	status = topology_read(&topology, args->word[0]);
	if (!status && args->words == 2 && !strcmp(args->word[1], "network"))
		told_network(&topology);
	else if (!status)
		status = make_and_print(&topology, args->words - 1, args->word + 1);
	topology_free(&topology);
	return status;
}
