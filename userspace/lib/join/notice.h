/* SPDX-License-Identifier: BSD-2-Clause */
/* The box's messages without a request: ranks that are dead, excluded or waiting. */
#ifndef WEIR_NOTICE_H
#define WEIR_NOTICE_H

#include <stdbool.h>
#include <stddef.h>

struct weir;
struct wire_header;

/* Return true if a packet of @length bytes is a notice of this job. */
bool notice_is(const struct weir *comm, const struct wire_header *header, size_t length);

/*
 * Takes one. Before this rank has shown that it receives, a box sends it a header alone,
 * without other ranks' state. Returns 0, or fails the communicator.
 */
int notice_take(struct weir *comm, const struct wire_header *header, const void *packet,
		size_t length);

#endif
