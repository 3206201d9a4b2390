/* SPDX-License-Identifier: BSD-2-Clause */
/* The caller's options. */
#ifndef WEIR_OPTIONS_H
#define WEIR_OPTIONS_H

struct weir;
struct weir_options;

/*
 * Copies a caller's options, whose size says what it knows of, with the number of trees filled in.
 * Returns 0 or a negative errno.
 */
int options_copy(struct weir *comm, struct weir_options *mine, const struct weir_options *options);

/* Checks options that were copied so, and fills comm->config. Returns 0 or a negative errno. */
int options_read(struct weir *comm, const struct weir_options *options);

#endif
