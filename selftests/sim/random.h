/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers that are as if drawn by lot, the same for the same seed. */
#ifndef SIM_RANDOM_H
#define SIM_RANDOM_H

#include <math.h>
#include <stdint.h>

/* Mixes a number's bits (SplitMix64). */
static inline uint64_t random_mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

static inline uint64_t random_next(uint64_t *state)
{
	return random_mix((*state)++);
}

/* Below @limit. */
static inline unsigned int random_below(uint64_t *state, unsigned int limit)
{
	return (unsigned int)(random_next(state) % limit);
}

/* Above 0, below 1. */
static inline double random_part(uint64_t *state)
{
	return ((double)(random_next(state) >> 12) + 0.5) / (double)(1ULL << 52);
}

/* From one event of a Poisson process to the next, of that mean. */
static inline double random_wait(uint64_t *state, double mean)
{
	return -mean * log(random_part(state));
}

#endif
