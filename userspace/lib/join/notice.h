/* SPDX-License-Identifier: BSD-2-Clause */
/* What the box tells unasked: who is in the job, and who is not any more. */
#ifndef WEIR_NOTICE_H
#define WEIR_NOTICE_H

#include <stdbool.h>
#include <stddef.h>

struct weir;
struct wire_header;

/* Is a packet of so many bytes a notice of this job? */
bool notice_is(const struct weir *comm, const struct wire_header *header, size_t length);

/*
 * Takes one. Of a box that this rank has not shown to that it hears it is a header alone,
 * which says nothing of other ranks. Returns 0, or fails the communicator.
 */
int notice_take(struct weir *comm, const struct wire_header *header, const void *packet,
		size_t length);

#endif
