/* SPDX-License-Identifier: BSD-2-Clause */
/* How the ranks find each other: by the box. */
#ifndef WEIR_LIB_JOIN_H
#define WEIR_LIB_JOIN_H

struct weir;

/*
 * Tells the box that this rank is there until it answers that all are; learns
 * the generation and the job's figures. Returns 0 or a negative errno.
 */
int join(struct weir *comm);

#endif
