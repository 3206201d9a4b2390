/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Block floating point: floats that are summed as integers, scaled by an exponent that all
 * ranks agree on in band.
 *
 * Each block of a vector has an exponent e, the least with |x| < 2^e for all its elements,
 * and is scaled by 2^-e so that the sum of all ranks just fits int32. A rank's packet of
 * block b carries its own exponent of block b + lag; the box answers the largest of all
 * ranks, by which all scale block b + lag. The first lag blocks have no packets before
 * them: a block of one element, sent before all others, carries the largest exponent of
 * them all, which they share. So a vector takes one round trip more.
 *
 * All ranks know the same exponents, as they come with results, which are the same bits for
 * all. If the box has answered without this rank, its own exponent was not among them, and
 * may be larger: its elements are then cut to the agreed one, so that no sum overflows.
 */
#ifndef WEIR_LIB_EXPONENT_H
#define WEIR_LIB_EXPONENT_H

#include <stdbool.h>
#include <stdint.h>

#include "number/convert.h"

/*
 * Blocks between an exponent and the block that it is of, at most; no more than so many can
 * be under way. A window of 256 packets of 4 KiB is the bandwidth-delay product of 100
 * Gbit/s and 80 us. The more, the more blocks share the first exponent.
 */
#define EXPONENT_LAG_MAX	256

/* Of a block whose elements are all zero, and of one with an element that is not finite. */
#define EXPONENT_ZERO		(-200)
#define EXPONENT_NOT_FINITE	200

/**
 * struct agreed - the exponent of a block, as all ranks have it
 * @next: number of the block, and 1; 0 before any is known
 * @without: this rank's was not among them, or that is unknown
 * @exponent: the exponent
 */
struct agreed {
	uint64_t next;
	bool without;
	int32_t exponent;
};

/**
 * struct exponents - those of a vector
 * @lag: blocks between an exponent and the block that it is of
 * @blocks: of the vector, from 0
 * @slots: number of exponents that are remembered
 * @agreed: that of block b in slot b % @slots
 */
struct exponents {
	uint32_t lag;
	uint64_t blocks;
	uint32_t slots;
	struct agreed agreed[];
};

/* Returns NULL without memory. To be freed by free(). */
struct exponents *exponents_new(uint32_t lag, uint64_t blocks);

/* That of block @block; NULL before it has come. */
const struct agreed *exponents_of(const struct exponents *exponents, uint64_t block);

/* The first blocks' has come. */
void exponents_begin(struct exponents *exponents, int32_t exponent, bool without);

/* Block @block is answered, with an exponent: its own is done with. */
void exponents_answered(struct exponents *exponents, uint64_t block, int32_t exponent,
			bool without);

/* The least e with |x| < 2^e for all of these; @saturate: of infinities and NaNs, too. */
int32_t exponent_of(const void *in, enum weir_type type, size_t count, bool saturate);

/*
 * Return the scaling of a block with this exponent if @ranks ranks are summed. @saturate: elements
 * may be larger.
 */
struct scaling exponent_scaling(const struct agreed *agreed, unsigned int ranks, bool saturate);

#endif
