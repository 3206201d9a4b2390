/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TYPES64_H
#define _TYPES64_H

#include <stdbool.h>

/**
 * types64() - test int64 and float64
 * @pairs: random pairs a test
 * @vector: also test the loops with vectors
 * @report: called with the result and the name of each test, and with the unit
 */
void types64(unsigned long pairs, bool vector,
	     void (*report)(bool ok, const char *name, const char *unit));

#endif /* _TYPES64_H */
