/* SPDX-License-Identifier: BSD-2-Clause */
/* Results on their way down. */
#ifndef WEIR_RECEIVE_H
#define WEIR_RECEIVE_H

struct weir;

/*
 * Takes a batch from each socket. Returns how many packets, or a negative errno.
 */
int receive(struct weir *comm);

/*
 * Deliver results of the next blocks that were received before a call was for them. Return 0 or a
 * negative errno.
 */
int receive_early(struct weir *comm);

#endif
