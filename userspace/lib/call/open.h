/* SPDX-License-Identifier: BSD-2-Clause */
/* How a communicator of one tree begins. */
#ifndef WEIR_OPEN_H
#define WEIR_OPEN_H

struct weir;
struct weir_options;

/*
 * weir_open() of the tree with this number, with the options that are its own: @options->trees is how
 * many there are; with one, its number is 0.
 */
int open_tree(struct weir **comm, const struct weir_options *options, unsigned int tree);

#endif
