/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers that look random, and are the same again from the same seed. */
#ifndef RNG_H
#define RNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rng {
	uint64_t state;
};

/* splitmix64 */
static inline uint64_t rng_next(struct rng *rng)
{
	uint64_t z = rng->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* Below @n; 0 where @n is. */
static inline uint64_t rng_below(struct rng *rng, uint64_t n)
{
	return n ? rng_next(rng) % n : 0;
}

/* From @low to @high, both included. */
static inline uint64_t rng_range(struct rng *rng, uint64_t low, uint64_t high)
{
	uint64_t n = high - low + 1;

	return n ? low + rng_next(rng) % n : rng_next(rng);
}

static inline bool rng_percent(struct rng *rng, unsigned int percent)
{
	return rng_below(rng, 100) < percent;
}

#define RNG_PICK(rng, array) \
	((array)[rng_below(rng, sizeof(array) / sizeof(*(array)))])

#endif
