// SPDX-License-Identifier: GPL-2.0
/*
 * Makes jobs with their sources, many in one go: a process of the command line
 * tool for each would take most of a measurement's time under emulation.
 */
#include <arpa/inet.h>
#include <err.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir.h>

#include "lib/genl.h"

static const char usage[] =
	"usage: bench-setup --address ADDRESS [OPTION...] WORKER...\n"
	"\n"
	"Makes jobs in this network namespace. Source S is bound to WORKER number S\n"
	"modulo their number, the second of a worker to the next address up, and so on.\n"
	"\n"
	"  --address ADDRESS  the jobs' address\n"
	"  --job N            first job's id (0)\n"
	"  --jobs N           how many jobs (1)\n"
	"  --sources N        sources that complete a block (one a WORKER)\n"
	"  --bound N          how many of them are bound (all)\n"
	"  --blocks N         block slots (64)\n"
	"  --grads N          gradients a block (1024)\n"
	"  --dtype N          enum weir_dtype (int32)\n"
	"  --order N          enum weir_order of sums (arrival)\n"
	"  --timeout US       answer blocks so many microseconds after their first packet\n";

/**
 * struct options - the command line, which see
 * @address: network byte order
 * @workers: network byte order
 * @n: how many workers
 */
struct options {
	uint32_t address;
	uint32_t job;
	uint32_t jobs;
	uint32_t sources;
	uint32_t bound;
	uint32_t blocks;
	uint32_t grads;
	uint32_t timeout;
	uint32_t dtype;
	uint32_t order;
	uint32_t workers[256];
	uint32_t n;
};

/* @which: of those that are called @what */
static void ask(struct nlmsghdr *msg, const char *what, uint32_t which)
{
	char text[32];

	snprintf(text, sizeof(text), "%s %u", what, which);
	genl_ask(msg, NULL, NULL, text);
}

static void add_job(const struct options *o, uint32_t id)
{
	char buf[GENL_REQUEST_MAX];
	struct nlmsghdr *msg = genl_begin(buf, WEIR_CMD_JOB_ADD);

	mnl_attr_put_u32(msg, WEIR_A_JOB_ID, id);
	mnl_attr_put_u32(msg, WEIR_A_JOB_SOURCES, o->sources);
	mnl_attr_put_u32(msg, WEIR_A_JOB_BLOCKS, o->blocks);
	mnl_attr_put_u32(msg, WEIR_A_JOB_GRADS, o->grads);
	mnl_attr_put_u32(msg, WEIR_A_JOB_TIMEOUT, o->timeout);
	mnl_attr_put_u32(msg, WEIR_A_JOB_DTYPE, o->dtype);
	mnl_attr_put_u32(msg, WEIR_A_JOB_ORDER, o->order);
	mnl_attr_put(msg, WEIR_A_JOB_ADDRESS, sizeof(o->address), &o->address);
	ask(msg, "job", id);
}

static void add_source(const struct options *o, uint32_t job, uint32_t id)
{
	uint32_t addr = htonl(ntohl(o->workers[id % o->n]) + id / o->n);
	char buf[GENL_REQUEST_MAX];
	struct nlmsghdr *msg = genl_begin(buf, WEIR_CMD_SOURCE_ADD);

	mnl_attr_put_u32(msg, WEIR_A_SOURCE_JOB, job);
	mnl_attr_put_u32(msg, WEIR_A_SOURCE_ID, id);
	mnl_attr_put(msg, WEIR_A_SOURCE_ADDRESS, sizeof(addr), &addr);
	ask(msg, "source", id);
}

static uint32_t address(const char *text)
{
	uint32_t addr;

	if (inet_pton(AF_INET, text, &addr) != 1)
		errx(2, "%s is no IPv4 address", text);
	return addr;
}

static void parse(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "address", 1, NULL, 'a' }, { "job", 1, NULL, 'j' },
		{ "jobs", 1, NULL, 'J' }, { "sources", 1, NULL, 's' },
		{ "bound", 1, NULL, 'b' }, { "blocks", 1, NULL, 'B' },
		{ "grads", 1, NULL, 'g' }, { "timeout", 1, NULL, 't' },
		{ "dtype", 1, NULL, 'd' }, { "order", 1, NULL, 'o' }, { }
	};
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (c) {
		case 'a': o->address = address(optarg); break;
		case 'j': o->job = atoi(optarg); break;
		case 'J': o->jobs = atoi(optarg); break;
		case 's': o->sources = atoi(optarg); break;
		case 'b': o->bound = atoi(optarg); break;
		case 'B': o->blocks = atoi(optarg); break;
		case 'g': o->grads = atoi(optarg); break;
		case 't': o->timeout = atoi(optarg); break;
		case 'd': o->dtype = atoi(optarg); break;
		case 'o': o->order = atoi(optarg); break;
		default:
			fputs(usage, stderr);
			exit(2);
		}
	}
	for (; optind < argc && o->n < 256; optind++)
		o->workers[o->n++] = address(argv[optind]);
	if (!o->address || !o->n) {
		fputs(usage, stderr);
		exit(2);
	}
	if (!o->sources)
		o->sources = o->n;
	if (!o->bound)
		o->bound = o->sources;
}

int main(int argc, char **argv)
{
	static struct options o = {
		.jobs = 1, .blocks = 64, .grads = 1024, .dtype = WEIR_DTYPE_INT32,
		.order = WEIR_ORDER_ARRIVAL,
	};
	uint32_t j, s;

	parse(argc, argv, &o);
	for (j = o.job; j < o.job + o.jobs; j++) {
		add_job(&o, j);
		for (s = 0; s < o.bound; s++)
			add_source(&o, j, s);
	}
	return 0;
}
