/* SPDX-License-Identifier: BSD-2-Clause */
/* A result as the box has sent it. */
#ifndef WEIR_RESULT_H
#define WEIR_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "packet/bitmap.h"
#include "packet/wire.h"

struct weir;

/**
 * struct result - a result
 * @header: its header
 * @sums: gradients, in network byte order
 * @contributors: the ranks that are summed; empty where the result does not name them
 */
struct result {
	struct wire_header header;
	const void *sums;
	uint64_t contributors[BITMAP_WORDS];
};

/*
 * Reads the bytes behind a header in a packet of @length bytes. False when it is no result of
 * this communicator, as far as that can be told without the block.
 */
bool result_read(const struct weir *comm, struct result *result, const void *gradients,
		 size_t length);

#endif
