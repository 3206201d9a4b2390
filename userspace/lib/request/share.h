/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reduce-scatter and all-gather. A rank sends the blocks that others need of it, and receives those
 * that it needs of others: in a reduce-scatter it sends all but its share, and adds its own elements to
 * the sums of the others; in an all-gather it sends its share, and receives all but that. In the
 * other blocks it takes part by packets without elements, so that windows, losses and late ranks are
 * as in an allreduce. If a share begins or ends within a block, the elements that are not sent are the
 * neutral element.
 */
#ifndef WEIR_SHARE_H
#define WEIR_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct result;
struct weir_request;

/*
 * Return the place in the vector of the block that is sent as the @block-th of all trees: shares take
 * turns, so that the links of all ranks are in use all the time.
 */
size_t share_place(const struct weir_request *request, size_t block);

/* Return true if a contribution to the block has elements. */
bool share_sends(const struct weir_request *request, uint64_t block);

/* Return true if this rank needs elements of the block's result. */
bool share_needs(const struct weir_request *request, uint64_t block);

/* Return the number of blocks from this one on, @most at most, that are sent and needed as it is. */
uint64_t share_alike(const struct weir_request *request, uint64_t block, uint64_t most);

/* Put a block's elements, @count of them, into its packet. */
void share_to_wire(const struct weir_request *request, uint64_t block, size_t count, uint8_t *wire);

/* Take the result of one block; @sums is its elements, unused if none are needed. */
void share_deliver(struct weir_request *request, uint64_t block, const struct result *result,
		   const uint8_t *sums);

#endif
