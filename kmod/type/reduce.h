/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_REDUCE_H
#define _WEIR_REDUCE_H

#include <linux/types.h>

struct weir_payload;
struct page;

void weir_reduce_init(void);
const char *weir_reduce_unit(void);

u32 weir_reduce_set(struct page **pages, const struct weir_payload *pl,
		    unsigned int count, u32 bias);
u32 weir_reduce_add(struct page **pages, const struct weir_payload *pl,
		    unsigned int count, u32 bias);
u32 weir_reduce_check(struct page **pages, const struct weir_payload *pl,
		      unsigned int count);
void weir_reduce_swap(struct page **pages, unsigned int count);

/**
 * weir_reduce_bias() - what a gradient may be so that no sum can overflow
 * @sources: contributions that are summed, 1 to 256
 *
 * Where each of n numbers lies in [-b, b) with b a power of two and n * b at
 * most 2^31, their sum fits into 32 bits, in whatever order it is made.
 *
 * Return: b.
 */
static inline u32 weir_reduce_bias(unsigned int sources)
{
	u32 bias = 1U << 31;

	while ((u64)bias * sources > 1ULL << 31)
		bias >>= 1;
	return bias;
}

/**
 * weir_reduce_wide() - did a gradient lie outside of [-bias, bias)?
 * @guard: what weir_reduce_set() or weir_reduce_add() returned
 * @bias: from weir_reduce_bias(), as it was handed to them
 *
 * x + bias, taken modulo 2^32, is below 2 * bias just where x lies inside.
 */
static inline bool weir_reduce_wide(u32 guard, u32 bias)
{
	return guard & ~(2 * bias - 1);
}

#endif /* _WEIR_REDUCE_H */
