/* SPDX-License-Identifier: GPL-2.0 */
/* The mocked kernel's state that tests set and read. */
#ifndef MOCK_H
#define MOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern unsigned long mock_ram_pages;	/* of the machine */
extern uint64_t mock_ns;
extern bool mock_cpu_has_vectors;
extern bool mock_cpu_has_halves;
extern bool mock_fpu_usable;
extern int mock_fpu;			/* the vector unit is ours */
extern int mock_fpu_begins;		/* how often it was taken so far */
extern int mock_locks;			/* spin locks held */
extern int mock_grace_periods;		/* waited for so far */
extern long mock_pages;			/* that have a reference */
extern long mock_memory;		/* allocations that are not freed */

extern uint32_t mock_random;		/* seed of random numbers */

/* The allocation after so many more fails, -1 for none. */
extern long mock_fail_after;

/*
 * Another CPU, which runs whenever this one has just given way: at a barrier,
 * before it exchanges a word, or where a scan's timer has seen its slots. Its function says itself when it is done.
 */
extern void (*mock_meanwhile)(void);

/* Visits of a scan's timers, and the most blocks that one has answered. */
extern unsigned int mock_visits;
extern unsigned int mock_looked;	/* slots, at most by a visit */
extern unsigned int mock_answers;

void mock_visit(unsigned int looked, unsigned int answered);
void mock_other_cpu(void);
void *mock_alloc(size_t size);
void mock_free(const void *p);
void mock_lock(int *held);
void mock_unlock(int *held);
void mock_assert(bool ok, const char *what);

#endif /* MOCK_H */
