/* SPDX-License-Identifier: BSD-2-Clause */
/* The caller's options. */
#ifndef WEIR_OPTIONS_H
#define WEIR_OPTIONS_H

struct weir;
struct weir_options;

/* Checks the options and fills comm->config. Returns 0 or a negative errno. */
int options_read(struct weir *comm, const struct weir_options *options);

#endif
