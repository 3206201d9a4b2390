/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A rank that has fallen behind: it lacks a result that the box has evicted, as the others have not
 * waited. It cannot follow them, as it would compute with another model than they do. All its
 * requests fail with -ESTALE, and so does each call, until weir_resume() continues at a position
 * that another rank is at; the program gets the model at that position from that rank.
 *
 * Meanwhile results are received, the newest are kept, and all are acknowledged.
 */
#ifndef WEIR_LIB_BEHIND_H
#define WEIR_LIB_BEHIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir;
struct wire_header;

/* Return whether a packet is a status message about a block that was evicted. */
bool behind_is(const struct weir *comm, const struct wire_header *header, size_t length);

/* Take a status message. */
void behind_take(struct weir *comm, const struct wire_header *header, const void *packet);

/* Return the first block whose result this rank lacks and needs. */
uint64_t behind_lacks(struct weir *comm);

/*
 * This rank lacks @block, and the box has results from @oldest on, up to @next. All requests that
 * are not done have failed.
 */
void behind_begin(struct weir *comm, uint64_t block, uint64_t oldest, uint64_t next);

/* Note the sentence for weir_error(), and return -ESTALE. */
int behind_refuse(struct weir *comm);

/* Continue with the call that begins with @block and is the @sequence-th. */
void behind_end(struct weir *comm, uint64_t block, uint64_t sequence);

#endif
