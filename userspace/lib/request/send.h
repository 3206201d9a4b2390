/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks on their way up. */
#ifndef WEIR_SEND_H
#define WEIR_SEND_H

#include <stdint.h>

struct weir;

/*
 * Sends the packets that are due: lost ones again, then new blocks as far as
 * window and pace allow. Returns how many packets, or a negative errno.
 */
int send_due(struct weir *comm);

/* Return the time when the next packet will be due; UINT64_MAX is never. */
uint64_t send_deadline(const struct weir *comm);

#endif
