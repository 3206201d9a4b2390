/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel that the library calls, where it lacks what newer ones have, or refuses messages. The
 * linker puts these calls in the place of the C library's (--wrap).
 */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdbool.h>

/**
 * struct kernel_faults - how it differs from this machine's
 * @no_segment: it has no UDP_SEGMENT
 * @no_gro: it has no UDP_GRO
 * @refusal: the errno that merged messages of the library are refused with; 0 is none
 * @swallows: merged messages are taken and go nowhere instead
 * @after: so many of them are taken before
 * @times: so many of them are refused; 0 is all
 */
struct kernel_faults {
	bool no_segment;
	bool no_gro;
	int refusal;
	bool swallows;
	unsigned int after;
	unsigned int times;
};

/* From now on, in all threads. */
void kernel_set(const struct kernel_faults *faults);

/* Merged messages that were refused or swallowed since. */
unsigned int kernel_refused(void);

/* The most messages that one call of the library has sent since. */
unsigned int kernel_together(void);

#endif
