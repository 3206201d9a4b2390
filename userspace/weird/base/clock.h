/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WEIRD_CLOCK_H
#define WEIRD_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Milliseconds of a clock that cannot be set. */
static inline uint64_t clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec * 1000ull + now.tv_nsec / 1000000;
}

#endif
