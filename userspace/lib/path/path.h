/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors that socket calls bring back from the network. */
#ifndef WEIR_PATH_H
#define WEIR_PATH_H

struct weir;

/*
 * Judges an errno value. Those that may pass, like a route that is missing for a
 * moment, are noted and count as a lost packet: returns 0. The others fail the
 * communicator.
 */
int path_error(struct weir *comm, int err);

/* An error that stays: fails the communicator with a sentence about its meaning. */
int path_fail(struct weir *comm, int err);

#endif
