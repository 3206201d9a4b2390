/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When the box has lost its state, a rank joins again, and sends again the blocks
 * that the box or another rank lacks.
 */
#ifndef WEIR_REJOIN_H
#define WEIR_REJOIN_H

#include <stdint.h>

struct weir;
struct wire_header;

/* The box reports that it has begun no generation. */
void rejoin_begin(struct weir *comm);

/* An answer to a join has come. Returns 0 or a negative errno. */
int rejoin_take(struct weir *comm, const struct wire_header *header, const void *packet);

#endif
