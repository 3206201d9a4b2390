// SPDX-License-Identifier: GPL-2.0
/*
 * The module's inner loops beside a plain vector add, natively.
 *
 * The machine may be shared: the rivals take turns in short batches, and the
 * fastest batch of each counts. Prints "NAME VALUE" a line.
 */
#define _GNU_SOURCE
#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <type/reduce_ops.h>
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
 * struct window - blocks that are worked on in turn
 * @blocks: how many
 * @grads: gradients a block
 * @stride: bytes from packet to packet
 * @acc: sums; each block begins a page, as in the module
 * @packets: frames
 */
struct window {
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

static void window_init(struct window *w, unsigned int blocks,
			unsigned int grads)
{
	w->blocks = blocks;
	w->grads = grads;
	w->stride = (PACKET_OFFSET + 4 * grads + 63) / 64 * 64;
	w->acc = pages((size_t)blocks * PAGE);
	w->packets = pages(blocks * w->stride);
}

static void window_uninit(struct window *w)
{
	free(w->acc);
	free(w->packets);
}

/* The rivals' loops are alike, so that what surrounds the sum costs the same. */
static void pass(const struct window *w, enum rival rival)
{
	unsigned int i, guard = 0;

	for (i = 0; i < w->blocks; i++) {
		int *acc = (int *)(w->acc + (size_t)i * PAGE);
		const uint8_t *packet = w->packets + i * w->stride;

		switch (rival) {
		case PLAIN:
			plain_add(acc, (const void *)(packet + PACKET_OFFSET),
				  w->grads);
			break;
		case AVX2:
			guard |= weir_reduce_avx2.add(acc,
						      packet + PACKET_OFFSET,
						      w->grads, BIAS);
			break;
		default:
			guard |= weir_reduce_scalar.add(acc,
							packet + PACKET_OFFSET,
							w->grads, BIAS);
		}
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

static void measure(unsigned int blocks, unsigned int grads, bool vector,
		    struct times *t)
{
	static double samples[RIVALS][ROUNDS];
	unsigned int i, rounds, passes;
	struct window w;
	int r;

	window_init(&w, blocks, grads);
	passes = BATCH_NS / (batch(&w, PLAIN, 3) * blocks) + 1;
	rounds = passes > 1 ? ROUNDS : ROUNDS_MEMORY;
	for (i = 0; i < rounds; i++)
		for (r = 0; r < RIVALS; r++)
			if (r != AVX2 || vector)
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

static void note(const char *where, unsigned int grads, const struct times *t,
		 bool vector)
{
	printf("# %4u gradients, %-16s plain %7.1f (median %.1f), ", grads,
	       where, t->least[PLAIN], t->median[PLAIN]);
	if (vector)
		printf("avx2 %7.1f (%.1f), ", t->least[AVX2], t->median[AVX2]);
	printf("scalar %7.1f (%.1f) ns\n", t->least[SCALAR], t->median[SCALAR]);
}

static void report(const char *unit, enum rival rival, unsigned int grads,
		   const struct times *hot, const struct times *cache,
		   const struct times *memory)
{
	printf("reduce%s_ns_%u %.1f\n", unit, grads, hot->least[rival]);
	printf("reduce%s_gbps_%u %.1f\n", unit, grads,
	       4 * grads / hot->least[rival]);
	printf("reduce%s_over_plain_%u %.3f\n", unit, grads,
	       least(over_plain(hot, rival), over_plain(cache, rival)));
	printf("reduce%s_over_plain_memory_%u %.3f\n", unit, grads,
	       over_plain(memory, rival));
}

int main(void)
{
	static const unsigned int sizes[] = { 256, 1024 };
	bool vector = __builtin_cpu_supports("avx2");
	struct times hot, cache, memory;
	unsigned int i;

	if (!vector)
		printf("# this processor has no AVX2: the plain add needs it too\n");
	for (i = 0; vector && i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		unsigned int grads = sizes[i];

		measure(1, grads, vector, &hot);
		measure(64, grads, vector, &cache);
		measure(4096, grads, vector, &memory);
		note("1 block", grads, &hot, vector);
		note("64 blocks", grads, &cache, vector);
		note("4,096 blocks", grads, &memory, vector);
		report("", AVX2, grads, &hot, &cache, &memory);
		report("_scalar", SCALAR, grads, &hot, &cache, &memory);
	}
	return 0;
}
