// SPDX-License-Identifier: BSD-2-Clause
#include "number/exponent.h"

#include <math.h>
#include <stdlib.h>

struct exponents *exponents_new(uint32_t lag, uint64_t blocks)
{
	uint32_t slots = blocks < lag ? (uint32_t)blocks : lag;
	struct exponents *exponents;

	exponents = calloc(1, sizeof(*exponents) + slots * sizeof(exponents->agreed[0]));
	if (!exponents)
		return NULL;
	exponents->lag = lag;
	exponents->blocks = blocks;
	exponents->slots = slots;
	return exponents;
}

const struct agreed *exponents_of(const struct exponents *exponents, uint64_t block)
{
	const struct agreed *agreed = &exponents->agreed[block % exponents->slots];

	return agreed->next == block + 1 ? agreed : NULL;
}

void exponents_begin(struct exponents *exponents, int32_t exponent, bool without)
{
	for (uint32_t i = 0; i < exponents->slots; i++)
		exponents->agreed[i] = (struct agreed) { i + 1, without, exponent };
}

/* The slot of a block is that of the block a lag later, too. */
void exponents_answered(struct exponents *exponents, uint64_t block, int32_t exponent,
			bool without)
{
	uint64_t later = block + exponents->lag;

	if (later < exponents->blocks)
		exponents->agreed[later % exponents->slots] =
			(struct agreed) { later + 1, without, exponent };
}

int32_t exponent_of(const void *in, enum weir_type type, size_t count, bool saturate)
{
	float largest = saturate ? convert_largest_saturated(in, type, count) :
				   convert_largest(in, type, count);
	int exponent;

	if (!isfinite(largest))
		return EXPONENT_NOT_FINITE;
	if (largest == 0)
		return EXPONENT_ZERO;
	frexpf(largest, &exponent);
	return exponent;
}

/*
 * The largest power of two of which as many as there are ranks fit into 31 bits. The element
 * that is nearest to 2^e has 24 bits: where no more are left, it could be rounded up to 2^e, so
 * one bit is left away.
 */
static int bits(unsigned int ranks)
{
	int n = 31;

	while ((uint64_t)ranks << n > 1ULL << 31)
		n--;
	return n > 23 ? n : n - 1;
}

/* An infinity is cut to the largest finite number, which has 24 bits: not to one that rounds up. */
static double limit_of(int n, bool saturate)
{
	return ldexp(1, n) - (saturate ? ldexp(1, n - 24) - 1 : 0);
}

struct scaling exponent_scaling(const struct agreed *agreed, unsigned int ranks, bool saturate)
{
	int n = bits(ranks);

	return (struct scaling) {
		.factor = ldexp(1, n - agreed->exponent),
		.limit = agreed->without || saturate ? limit_of(n, saturate) : 0,
	};
}
