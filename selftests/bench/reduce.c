// SPDX-License-Identifier: GPL-2.0
/*
 * The module's inner loops beside a plain vector add of the same type, natively.
 *
 * The machine may be shared: the rivals take turns in short batches, and the
 * fastest batch of each counts. Prints "NAME VALUE" a line.
 */
#define _GNU_SOURCE
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <agg/type/reduce_ops.h>
#include "plain.h"

/*
 * Where the gradients of a frame begin: behind Ethernet, IPv4, UDP and the
 * Trio-ML header, so they are not aligned, for any of the rivals.
 */
#define PACKET_OFFSET	(14 + 20 + 8 + 12)
#define PAGE		4096
/* The bias for four workers, as weir_reduce_bias() has it. */
#define BIAS		(1U << 29)
#define BATCH_NS	40000
#define ROUNDS		600
#define ROUNDS_MEMORY	60

enum rival { PLAIN, AVX2, SCALAR, RIVALS };

/**
 * struct type - a type of numbers, and its loops
 * @name: behind the figures' names; none for int32
 * @size: bytes of a number in a packet
 * @stride: bytes that a block's sums take
 * @plain: the most obvious loop
 * @ops: the module's loops, by rival
 */
struct type {
	const char *name;
	unsigned int size;
	unsigned int stride;
	void (*plain)(void *restrict acc, const void *restrict src, unsigned int n);
	const struct weir_reduce_ops *ops[RIVALS];
};

#define OPS(name)	{ NULL, &weir_##name##_avx2, &weir_##name##_scalar }

static const struct type types[] = {
	{ "", 4, PAGE, plain_add_int32, OPS(int32_sum) },
	{ "_float32", 4, PAGE, plain_add_float32, OPS(float32_sum) },
	{ "_bfloat16", 2, PAGE, plain_add_bfloat16, OPS(bfloat16_sum) },
	{ "_float16", 2, PAGE, plain_add_float16, OPS(float16_sum) },
	{ "_int64", 8, 2 * PAGE, plain_add_int64, OPS(int64_sum) },
	{ "_float64", 8, 2 * PAGE, plain_add_float64, OPS(float64_sum) },
	{ "_float32_fixed", 4, 4 * PAGE, plain_add_float32, OPS(float32_binned) },
};

/**
 * struct window - blocks that are worked on in turn
 * @type: of the numbers
 * @blocks: how many
 * @grads: gradients a block
 * @stride: bytes from packet to packet
 * @acc: sums; each block begins a page, as in the module
 * @packets: frames
 */
struct window {
	const struct type *type;
	unsigned int blocks;
	unsigned int grads;
	size_t stride;
	uint8_t *acc;
	uint8_t *packets;
};

static volatile unsigned int sink;

static void *pages(size_t size)
{
	void *p = aligned_alloc(PAGE, (size + PAGE - 1) / PAGE * PAGE);

	if (!p)
		err(1, "memory");
	return memset(p, 1, (size + PAGE - 1) / PAGE * PAGE);
}

static void window_init(struct window *w, const struct type *type,
			unsigned int blocks, unsigned int grads)
{
	w->type = type;
	w->blocks = blocks;
	w->grads = grads;
	w->stride = (PACKET_OFFSET + type->size * grads + 63) / 64 * 64;
	w->acc = pages((size_t)blocks * type->stride);
	w->packets = pages(blocks * w->stride);
}

static void window_uninit(struct window *w)
{
	free(w->acc);
	free(w->packets);
}

/* A page of bins has a quarter of the gradients. */
static unsigned int add_pages(const struct window *w, const struct weir_reduce_ops *ops,
			      uint8_t *acc, const uint8_t *src)
{
	unsigned int grads_a_page = PAGE * PAGE / w->type->stride / 4, i, n, guard = 0;

	for (i = 0; i < w->grads; i += n) {
		n = w->grads - i < grads_a_page ? w->grads - i : grads_a_page;
		guard |= ops->add(acc, src, n, BIAS);
		acc += PAGE;
		src += n * w->type->size;
	}
	return guard;
}

static void pass(const struct window *w, enum rival rival)
{
	const struct weir_reduce_ops *ops = w->type->ops[rival];
	unsigned int i, guard = 0;

	for (i = 0; i < w->blocks; i++) {
		uint8_t *acc = w->acc + (size_t)i * w->type->stride;
		const uint8_t *src = w->packets + i * w->stride + PACKET_OFFSET;

		if (ops)
			guard |= add_pages(w, ops, acc, src);
		else
			w->type->plain(acc, src, w->grads);
	}
	sink = guard;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

/* Nanoseconds a block. */
static double batch(const struct window *w, enum rival rival,
		    unsigned int passes)
{
	double start = now();
	unsigned int i;

	for (i = 0; i < passes; i++)
		pass(w, rival);
	return (now() - start) / passes / w->blocks;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

struct times {
	double least[RIVALS];
	double median[RIVALS];
};

static void measure(const struct type *type, unsigned int blocks,
		    unsigned int grads, struct times *t)
{
	static double samples[RIVALS][ROUNDS];
	unsigned int i, rounds, passes;
	struct window w;
	int r;

	window_init(&w, type, blocks, grads);
	passes = BATCH_NS / (batch(&w, PLAIN, 3) * blocks) + 1;
	rounds = passes > 1 ? ROUNDS : ROUNDS_MEMORY;
	for (i = 0; i < rounds; i++)
		for (r = 0; r < RIVALS; r++)
			samples[r][i] = batch(&w, r, passes);
	for (r = 0; r < RIVALS; r++) {
		qsort(samples[r], rounds, sizeof(double), by_value);
		t->least[r] = samples[r][0];
		t->median[r] = samples[r][rounds / 2];
	}
	window_uninit(&w);
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

static double over_plain(const struct times *t, enum rival rival)
{
	return t->least[PLAIN] / t->least[rival];
}

static void note(const struct type *type, const char *where, unsigned int grads,
		 const struct times *t)
{
	printf("# %s, %4u gradients, %-12s plain %7.1f (median %.1f), avx2 %7.1f (%.1f), scalar %7.1f (%.1f) ns\n",
	       *type->name ? type->name + 1 : "int32", grads, where, t->least[PLAIN],
	       t->median[PLAIN], t->least[AVX2], t->median[AVX2], t->least[SCALAR],
	       t->median[SCALAR]);
}

static void report(const struct type *type, const char *unit, enum rival rival,
		   unsigned int grads, const struct times *hot, const struct times *cache,
		   const struct times *memory)
{
	printf("reduce%s_ns%s_%u %.1f\n", unit, type->name, grads, hot->least[rival]);
	printf("reduce%s_gbps%s_%u %.1f\n", unit, type->name, grads,
	       type->size * grads / hot->least[rival]);
	printf("reduce%s_over_plain%s_%u %.3f\n", unit, type->name, grads,
	       least(over_plain(hot, rival), over_plain(cache, rival)));
	printf("reduce%s_over_plain_memory%s_%u %.3f\n", unit, type->name, grads,
	       over_plain(memory, rival));
}

static void run(const struct type *type, unsigned int grads)
{
	struct times hot, cache, memory;

	measure(type, 1, grads, &hot);
	measure(type, 64, grads, &cache);
	measure(type, 4096, grads, &memory);
	note(type, "1 block", grads, &hot);
	note(type, "64 blocks", grads, &cache);
	note(type, "4,096 blocks", grads, &memory);
	report(type, "", AVX2, grads, &hot, &cache, &memory);
	report(type, "_scalar", SCALAR, grads, &hot, &cache, &memory);
}

int main(void)
{
	unsigned int i;

	if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("f16c")) {
		printf("# this processor has no AVX2 and F16C: the plain add needs them too\n");
		return 0;
	}
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		run(&types[i], 256);
		run(&types[i], 1024);
	}
	return 0;
}
