// SPDX-License-Identifier: GPL-2.0
/*
 * The inner loops in plain C. They run where the vector unit is absent or in
 * use, and give the same bits. No kernel headers, see reduce_ops.h.
 */
#include "type/reduce_ops.h"

struct weir_unaligned {
	unsigned int v;
} __attribute__((packed, may_alias));

/* A gradient as it stands in a packet. */
static inline unsigned int weir_load(const void *src, unsigned int i)
{
	unsigned int v = ((const struct weir_unaligned *)src)[i].v;

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	v = __builtin_bswap32(v);
#endif
	return v;
}

static unsigned int scalar_set(int *acc, const void *src, unsigned int n,
			       unsigned int bias)
{
	unsigned int i, v, guard = 0;

	for (i = 0; i < n; i++) {
		v = weir_load(src, i);
		guard |= v + bias;
		acc[i] = v;
	}
	return guard;
}

static unsigned int scalar_add(int *acc, const void *src, unsigned int n,
			       unsigned int bias)
{
	unsigned int i, v, guard = 0;

	for (i = 0; i < n; i++) {
		v = weir_load(src, i);
		guard |= v + bias;
		acc[i] = (unsigned int)acc[i] + v;
	}
	return guard;
}

static unsigned int scalar_check(const int *acc, const void *src,
				 unsigned int n)
{
	unsigned int i, v, sum, bad = 0;

	for (i = 0; i < n; i++) {
		v = weir_load(src, i);
		sum = acc[i];
		/* Both addends have one sign and the sum has the other. */
		bad |= (sum ^ v) & (sum ^ (sum - v));
	}
	return bad >> 31;
}

static void scalar_swap(int *acc, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		acc[i] = weir_load(acc, i);
}

const struct weir_reduce_ops weir_reduce_scalar = {
	.name	= "scalar",
	.set	= scalar_set,
	.add	= scalar_add,
	.check	= scalar_check,
	.to_wire = scalar_swap,
};
