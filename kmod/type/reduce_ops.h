/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The inner loops over gradients that lie together. Free of kernel headers, so
 * that the vector unit's file and the benchmarks can include it.
 *
 * acc: sums, host byte order, aligned to 4 bytes
 * src: a packet's gradients, network byte order, any alignment
 * n:   gradients
 */
#ifndef _WEIR_REDUCE_OPS_H
#define _WEIR_REDUCE_OPS_H

/**
 * struct weir_reduce_ops - one implementation of the inner loops
 * @name: what it is called in weir stats
 * @set: acc = src; returns the OR of all src + bias
 * @add: acc += src modulo 2^32; returns the OR of all src + bias
 * @check: with acc as @add left it, returns nonzero where an addition of src
 *	left the range of int32
 * @to_wire: acc from host to network byte order
 */
struct weir_reduce_ops {
	const char *name;
	unsigned int (*set)(int *acc, const void *src, unsigned int n,
			    unsigned int bias);
	unsigned int (*add)(int *acc, const void *src, unsigned int n,
			    unsigned int bias);
	unsigned int (*check)(const int *acc, const void *src, unsigned int n);
	void (*to_wire)(int *acc, unsigned int n);
};

extern const struct weir_reduce_ops weir_reduce_scalar;
extern const struct weir_reduce_ops weir_reduce_avx2;

#endif /* _WEIR_REDUCE_OPS_H */
