/* SPDX-License-Identifier: BSD-2-Clause */
/* The contents of joins, and the packets that answer them. */
#ifndef WEIR_SAID_H
#define WEIR_SAID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "packet/wire.h"

struct weir;

/**
 * struct said - what changes from one join to another
 * @first: the first block that this rank lacks
 * @nonce: the number that identifies it
 * @cookie: the box's for @nonce; 0 is none
 */
struct said {
	uint64_t first;
	uint32_t nonce;
	uint64_t cookie;
};

void said_put(const struct weir *comm, const struct said *said, uint8_t packet[WIRE_JOIN]);

/* Return true if a packet of @length bytes is the answer to a join. */
bool said_is_answer(const struct weir *comm, const struct wire_header *header, size_t length);

/* A number that no join has had. Returns 0, or fails the communicator. */
int said_number(struct weir *comm, uint32_t *nonce);

#endif
