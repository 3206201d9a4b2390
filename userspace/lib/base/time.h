/* SPDX-License-Identifier: BSD-2-Clause */
/* Points in time, of one clock. */
#ifndef WEIR_TIME_H
#define WEIR_TIME_H

#include <stdint.h>

static inline uint64_t time_earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t time_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

#endif
