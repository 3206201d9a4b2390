/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sums whose bits do not depend on the order in which they are made.
 *
 * A sum that is rounded after each step depends on the steps. Sums of integers do not, but
 * no integer of a bearable width holds all binary32. So the line of all bits that a
 * binary32 can have, from 2^-149 on, is cut into bins of 23 bits. A number has bits in two
 * neighbouring bins at most. For each gradient three bins are kept: the highest one that
 * any contribution has bits in, and the two below. In each the bits of all contributions
 * are added up as integers, of which 256 fit. Bits further below are left out. When a
 * contribution lies higher, the bins move up, and the lowest are dropped: those are just
 * the bits that would have been left out had it come first. (The idea is that of Demmel
 * and Nguyen's reproducible summation.) So the final bins are a function of the
 * contributions alone, and are rounded once.
 *
 * It differs from the exact sum by less than 2^-46 of the largest contribution for each
 * contribution, where an ordinary sum may be wrong by 2^-24 of the largest sum on its way
 * for each.
 *
 * A gradient takes four words, WEIR_BINNED_STRIDE bytes apart: the highest bin, the middle
 * one, the lowest, and which bin the highest is (its level):
 *
 *	0	all contributions were -0
 *	1	all were zeroes
 *	2-13	bins 1 to 12 are the highest
 *	14	there were infinities or NaNs; the highest bin counts them
 */
#ifndef _WEIR_BINNED_H
#define _WEIR_BINNED_H

#define WEIR_BINNED_STRIDE	1024	/* gradients of a page: 256 */
#define WEIR_BINNED_WORDS	(WEIR_BINNED_STRIDE / 4)

#define WEIR_BIN_BITS		23
#define WEIR_BIN_MASK		((1 << WEIR_BIN_BITS) - 1)

#define WEIR_LEVEL_ZERO		1
#define WEIR_LEVEL_FIRST	2
#define WEIR_LEVEL_SPECIAL	14

/* Counters in the highest bin of WEIR_LEVEL_SPECIAL, up to 256 each. */
#define WEIR_SPECIAL_PLUS	1
#define WEIR_SPECIAL_MINUS	(1 << 10)
#define WEIR_SPECIAL_NAN	(1 << 20)
#define WEIR_SPECIAL_COUNT	0x3ff

/*
 * n / 23 for n up to 255 is n * 2850 / 2^16: vectors take the upper half of a 16-bit
 * product.
 */
#define WEIR_BIN_RECIPROCAL	2850

/*
 * A sum has up to 77 bits: the upper two bins make 54, the lowest 23. Where the upper ones
 * have this many or more, they suffice to round a binary32, and of the lowest only matters
 * whether it is zero.
 */
#define WEIR_BINNED_ENOUGH	29

#endif /* _WEIR_BINNED_H */
