/* SPDX-License-Identifier: GPL-2.0 */
/* The file of `weir plan`: workers, boxes, switches, links between them, and at most one job. */
#ifndef WEIR_TOPOLOGY_H
#define WEIR_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/addr.h"
#include "plan/format.h"

#define PLAN_NAME	64
#define PLAN_NODES	8192
#define PLAN_LINKS	32768
#define PLAN_TREES	16
#define PLAN_WORDS	8448	/* of a line: a job may name all workers */
#define PLAN_JOB_WORDS	48

enum node_kind { NODE_WORKER, NODE_BOX, NODE_SWITCH };

/**
 * struct node - a line of the file that begins with worker, box or switch
 * @name: as the file has it, unique
 * @line: number of the line
 * @address: of a worker or a box
 * @memory: of a box, bytes that jobs may take; UINT64_MAX where the file does not say
 * @load: of a box, how busy it is, in percent
 * @rank: of a worker in the job; -1 is none
 * @links: numbers of the links that end here
 * @degree: number of these links
 */
struct node {
	char name[PLAN_NAME];
	unsigned int line;
	enum node_kind kind;
	char address[ADDR_TEXT];
	uint64_t memory;
	uint32_t load;
	int rank;
	unsigned int *links;
	unsigned int degree;
};

/**
 * struct link - a line that begins with link
 * @ends: two nodes
 * @rate: bytes a second, either way
 */
struct link {
	unsigned int ends[2];
	unsigned int line;
	uint64_t rate;
};

/**
 * struct plan_job - the line that begins with job
 * @line: number of the line; 0 if the file has none
 * @id: of its first tree; each has one more
 * @trees: number of trees that are asked for
 * @blocks: slots, and
 * @grads: gradients a block, of which its memory is made
 * @keys: instead of blocks: keys, and
 * @memory: bytes of their table, 0 for what follows from their number
 * @timeout: microseconds, 0 for none
 * @format: its wire format
 * @reducer: of a job with keys, where the root sends what is reduced; else empty
 * @words: keys and values that each box's `job add` gets as they are
 * @count: number of words
 * @workers: numbers of nodes, by rank
 * @ranks: number of workers
 */
struct plan_job {
	unsigned int line;
	uint32_t id;
	uint32_t trees;
	uint32_t blocks;
	uint32_t grads;
	uint32_t keys;
	uint64_t memory;
	uint64_t timeout;
	const struct plan_format *format;
	char reducer[ADDR_TEXT];
	char *words[PLAN_JOB_WORDS];
	unsigned int count;
	unsigned int *workers;
	unsigned int ranks;
};

/**
 * struct topology - all of a file
 * @text: the file's, cut into words
 */
struct topology {
	const char *file;
	char *text;
	struct node *nodes;
	unsigned int nodes_count;
	struct link *links;
	unsigned int links_count;
	struct plan_job job;
};

/* Each returns an exit status, with the reason printed, in a sentence that names file and line. */
int topology_read(struct topology *topology, const char *file);
int topology_parse(struct topology *topology, const char *file, char *text);	/* takes over the text */
void topology_free(struct topology *topology);

/* The other end of a link. */
static inline unsigned int link_far(const struct link *link, unsigned int node)
{
	return link->ends[link->ends[0] == node];
}

/* Bytes that one tree of the job takes in a box. */
uint64_t plan_job_memory(const struct plan_job *job);

#endif
