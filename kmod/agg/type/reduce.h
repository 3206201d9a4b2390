/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_REDUCE_H
#define _WEIR_REDUCE_H

#include <linux/types.h>
#include <uapi/weir.h>

struct weir_payload;
struct weir_reduce_ops;
struct page;

/**
 * struct weir_reduction - how the gradients of a job are combined
 * @dtype: enum weir_dtype
 * @op: enum weir_op
 * @order: enum weir_order; 0 where the result is the same in any
 * @shift: a gradient has 2^shift bytes in a packet
 * @page_shift: a page has room for 2^page_shift gradients of an open block
 * @needs: CPU features for @vector, WEIR_CPU_*
 * @least: gradients from which on vectors are worth the saving of the registers
 * @scalar: the inner loops in plain C, for packets in network byte order and in little-endian order
 * @vector: the inner loops with vectors, for both byte orders
 */
struct weir_reduction {
	u8	dtype;
	u8	op;
	u8	order;
	u8	shift;
	u8	page_shift;
	u8	needs;
	u8	least;
	const struct weir_reduce_ops *scalar[2];
	const struct weir_reduce_ops *vector[2];
};

/**
 * weir_reduction_bytes() - bytes of gradients in a packet
 * @reduction: operation that combines gradients
 * @count: gradients
 */
static inline u32 weir_reduction_bytes(const struct weir_reduction *reduction, u32 count)
{
	return count << reduction->shift;
}

const struct weir_reduction *weir_reduction_find(u32 dtype, u32 op, u32 order);
unsigned int weir_reduction_pages(const struct weir_reduction *reduction, u32 count);

const char *weir_reduce_unit(void);

/**
 * weir_reduction_grads_max() - most gradients of a packet, whose bytes WEIR_RESULT_PAGES hold
 * @reduction: operation that combines gradients
 */
static inline u32 weir_reduction_grads_max(const struct weir_reduction *reduction)
{
	return reduction->shift == 3 ? WEIR_GRADS_MAX / 2 : WEIR_GRADS_MAX;
}

u32 weir_reduce_set(const struct weir_reduction *reduction, bool little, struct page **pages,
		    const struct weir_payload *pl, unsigned int count, u32 bias);
u32 weir_reduce_add(const struct weir_reduction *reduction, bool little, struct page **pages,
		    const struct weir_payload *pl, unsigned int count, u32 bias);
u32 weir_reduce_check(const struct weir_reduction *reduction, bool little, struct page **pages,
		      const struct weir_payload *pl, unsigned int count);
void weir_reduce_finish(const struct weir_reduction *reduction, bool little, struct page **pages,
			unsigned int count);
void weir_reduce_neutral(const struct weir_reduction *reduction, bool little, struct page **pages,
			 unsigned int count);

/**
 * weir_reduce_bias() - limit of gradients below which no sum can overflow
 * @sources: contributions that are summed, 1 to 256
 *
 * If each of n numbers lies in [-b, b) with b a power of two and n * b at
 * most 2^31, their sum fits into 32 bits, in whatever order it is made. Of int64 the limit is
 * 2^32 times b.
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
 * weir_reduce_wide() - test whether a gradient lay outside of [-bias, bias)
 * @guard: from weir_reduce_set() or weir_reduce_add()
 * @bias: from weir_reduce_bias(), as given to them
 *
 * x + bias, taken modulo 2^32, is below 2 * bias just where x lies inside.
 */
static inline bool weir_reduce_wide(u32 guard, u32 bias)
{
	return guard & ~(2 * bias - 1);
}

#endif /* _WEIR_REDUCE_H */
