/* SPDX-License-Identifier: GPL-2.0 */
/* Wire formats in plans: the keys that their jobs take, and the differences of their trees. */
#ifndef WEIR_PLAN_FORMAT_H
#define WEIR_PLAN_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct plan_format - how jobs of a wire format are planned
 * @word: its name
 * @port: UDP port of a job that names none
 * @levels: boxes may have parents
 * @ranks: boxes of several levels need the number of all workers
 * @keys: jobs have keys instead of blocks, and the root has a parent, the reducer
 * @ports: a worker has a port of its own for each tree, one after the other
 * @trees: ids that the trees of one job can have: a multiple of this and those behind it; 0 if any
 *	id will do
 */
struct plan_format {
	const char *word;
	uint16_t port;
	bool levels;
	bool ranks;
	bool keys;
	bool ports;
	unsigned int trees;
};

/* The format with a name, trio for NULL; NULL if there is none. */
const struct plan_format *plan_format_named(const char *word);

#endif
