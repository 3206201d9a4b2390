/* SPDX-License-Identifier: BSD-2-Clause */
/* Open a communicator of one tree. */
#ifndef WEIR_OPEN_H
#define WEIR_OPEN_H

struct weir;
struct weir_options;

/*
 * Open the tree with this number as weir_open() does, with the options that are its own.
 * @options->trees is the number of trees; a single tree has the number 0.
 */
int open_tree(struct weir **comm, const struct weir_options *options, unsigned int tree);

#endif
