/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sums of binary64 whose bits do not depend on the order in which they are made: binned.h with
 * bins of 53 bits, each a word of 64 bits, in which the bits of 256 contributions fit. The line
 * begins at 2^-1074.
 *
 * The sum differs from the exact one by less than 2^-106 of the largest contribution for each
 * contribution.
 *
 * A gradient takes four words of 8 bytes, WEIR_BINNED_STRIDE bytes apart. The levels:
 *
 *	0	all contributions were -0
 *	1	all were zeroes
 *	2-40	bins 1 to 39 are the highest
 *	41	there were infinities or NaNs; the highest bin counts them
 */
#ifndef _WEIR_BINNED64_H
#define _WEIR_BINNED64_H

#include "agg/type/binned.h"

#define WEIR_BINNED64_WORDS	(WEIR_BINNED_STRIDE / 8)

#define WEIR_BIN64_BITS		53
#define WEIR_BIN64_MASK		((1ULL << WEIR_BIN64_BITS) - 1)

#define WEIR_LEVEL64_SPECIAL	41

/* n / 53 for n up to 2,045 is n * 19785 / 2^20. */
#define WEIR_BIN64_RECIPROCAL	19785
#define WEIR_BIN64_SHIFT	20

#endif /* _WEIR_BINNED64_H */
