/* SPDX-License-Identifier: BSD-2-Clause */
/* Results on their way down. */
#ifndef WEIR_RECEIVE_H
#define WEIR_RECEIVE_H

struct weir;

/*
 * Takes a batch from each socket. Returns how many packets, or a negative errno.
 */
int receive(struct weir *comm);

#endif
