/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The inner loops over gradients that lie together. Free of kernel headers, so
 * that the vector unit's files and the benchmarks can include it.
 *
 * acc:  an open block's words of each gradient, in the reduction's form;
 *	 aligned to 4 bytes, and to 8 if a gradient has 8
 * src:  a packet's gradients, any alignment
 * wire: the block's gradients as its result has them; may be the memory of acc, from its
 *	 beginning on
 * n:    gradients
 *
 * The gradients of packets and results are in network byte order, or little-endian: each file of
 * loops is compiled a second time with WEIR_LITTLE (little_*.c).
 */
#ifndef _WEIR_REDUCE_OPS_H
#define _WEIR_REDUCE_OPS_H

typedef unsigned int (*weir_reduce_fn)(void *acc, const void *src, unsigned int n,
				       unsigned int bias);

/**
 * struct weir_reduce_ops - one implementation of the inner loops
 * @set: acc becomes src in the reduction's form; returns a guard
 * @add: src is combined with acc; returns a guard
 * @check: with acc as @add left it, returns nonzero where an addition of src left the range of the
 *	type; NULL where there is nothing to guard against. Ignores its bias
 * @to_wire: makes the result from acc
 *
 * A guard is the OR of all src + bias, modulo 2^32, for sums of integers, of whose 64 bits the
 * upper 32 are taken, and 0 for all else; see weir_reduce_wide().
 */
struct weir_reduce_ops {
	weir_reduce_fn	set;
	weir_reduce_fn	add;
	weir_reduce_fn	check;
	void		(*to_wire)(void *wire, const void *acc, unsigned int n);
};

#define WEIR_DECLARE_UNIT(type, unit)						\
	extern const struct weir_reduce_ops weir_##type##_sum_##unit;		\
	extern const struct weir_reduce_ops weir_##type##_binned_##unit;	\
	extern const struct weir_reduce_ops weir_##type##_min_##unit;		\
	extern const struct weir_reduce_ops weir_##type##_max_##unit

#define WEIR_DECLARE_OPS(type, unit)						\
	WEIR_DECLARE_UNIT(type, unit);						\
	WEIR_DECLARE_UNIT(type, unit##_little)

/* Integers have no binned sums: their sums are the same in any order. */
WEIR_DECLARE_OPS(int32, scalar);
WEIR_DECLARE_OPS(int32, avx2);
WEIR_DECLARE_OPS(int32, neon);
WEIR_DECLARE_OPS(int64, scalar);
WEIR_DECLARE_OPS(int64, avx2);
WEIR_DECLARE_OPS(int64, neon);
WEIR_DECLARE_OPS(float32, scalar);
WEIR_DECLARE_OPS(float32, avx2);
WEIR_DECLARE_OPS(float32, neon);
WEIR_DECLARE_OPS(float64, scalar);
WEIR_DECLARE_OPS(float64, avx2);
WEIR_DECLARE_OPS(float64, neon);
WEIR_DECLARE_OPS(float16, scalar);
WEIR_DECLARE_OPS(float16, avx2);
WEIR_DECLARE_OPS(float16, neon);
WEIR_DECLARE_OPS(bfloat16, scalar);
WEIR_DECLARE_OPS(bfloat16, avx2);
WEIR_DECLARE_OPS(bfloat16, neon);

/* The table of a type's operation in the byte order that a file is compiled for. */
#ifdef WEIR_LITTLE
#define WEIR_OPS(type, op, unit)	weir_##type##_##op##_##unit##_little
#else
#define WEIR_OPS(type, op, unit)	weir_##type##_##op##_##unit
#endif

/* The tables of integers, of functions that each unit has by these names. */
#define WEIR_INT_OPS(type, unit)						\
	const struct weir_reduce_ops WEIR_OPS(type, sum, unit) = {		\
		.set = type##_sum_set, .add = type##_sum_add,			\
		.check = type##_sum_check, .to_wire = type##_to_wire,		\
	};									\
	const struct weir_reduce_ops WEIR_OPS(type, min, unit) = {		\
		.set = type##_set, .add = type##_min_add, .to_wire = type##_to_wire, \
	};									\
	const struct weir_reduce_ops WEIR_OPS(type, max, unit) = {		\
		.set = type##_set, .add = type##_max_add, .to_wire = type##_to_wire, \
	}

/*
 * The tables of a type of floats, of the functions that float_loops.h and float_avx2.h define, and
 * the files of float64.
 */
#define WEIR_FLOAT_OPS(type, unit)						\
	const struct weir_reduce_ops WEIR_OPS(type, sum, unit) = {		\
		.set = sum_set, .add = sum_add, .to_wire = sum_to_wire,		\
	};									\
	const struct weir_reduce_ops WEIR_OPS(type, binned, unit) = {		\
		.set = binned_set, .add = binned_add, .to_wire = binned_to_wire, \
	};									\
	const struct weir_reduce_ops WEIR_OPS(type, min, unit) = {		\
		.set = min_set, .add = min_add, .to_wire = key_to_wire,		\
	};									\
	const struct weir_reduce_ops WEIR_OPS(type, max, unit) = {		\
		.set = max_set, .add = max_add, .to_wire = key_to_wire,		\
	}

#endif /* _WEIR_REDUCE_OPS_H */
