/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks on their way up. */
#ifndef WEIR_SEND_H
#define WEIR_SEND_H

#include <stdint.h>

struct weir;

/*
 * Sends what is due: again what is lost, then new blocks as far as window and
 * pace allow. Returns how many packets, or a negative errno.
 */
int send_due(struct weir *comm);

/* When something will be due that is not now; UINT64_MAX is never. */
uint64_t send_deadline(const struct weir *comm);

#endif
