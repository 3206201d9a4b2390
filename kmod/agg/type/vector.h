/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_VECTOR_H
#define _WEIR_VECTOR_H

#include <linux/percpu.h>
#include <linux/types.h>

/* CPU features that loops need. */
#define WEIR_CPU_VECTORS	0x1	/* those of WEIR_VECTOR_UNIT */
#define WEIR_CPU_HALVES		0x2	/* and they convert binary16: F16C, or NEON */

#ifdef CONFIG_X86_64
#define WEIR_VECTOR_UNIT	"avx2"
#elif defined(CONFIG_ARM64)
#define WEIR_VECTOR_UNIT	"neon"
#else
#define WEIR_VECTOR_UNIT	"none"
#endif

/**
 * struct weir_vector - the registers of a CPU
 * @kept: the loop that begins next has them until weir_vector_yield()
 * @held: they are ours
 *
 * Written by the CPU itself, with bottom halves disabled.
 */
struct weir_vector {
	bool kept;
	bool held;
};

DECLARE_PER_CPU(struct weir_vector, weir_vector);
extern u8 weir_vector_cpu;	/* WEIR_CPU_* that the processor has */

int weir_vector_init(void);
bool weir_vector_take(bool worth);
void weir_vector_give(void);
void weir_vector_keep(void);
void weir_vector_drop(void);

/**
 * weir_vector_has() - test whether the CPU has these features
 * @needs: WEIR_CPU_*
 */
static inline bool weir_vector_has(u8 needs)
{
	return !(needs & ~weir_vector_cpu);
}

/**
 * weir_vector_begin() - begin to use the vector registers, if a loop may
 * @needs: WEIR_CPU_* that it needs
 * @worth: it is worth saving them
 *
 * Any context in which a sum may be made. Return: whether it may; weir_vector_end() follows
 * then.
 */
static inline bool weir_vector_begin(u8 needs, bool worth)
{
	return weir_vector_has(needs) &&
	       (this_cpu_read(weir_vector.held) || weir_vector_take(worth));
}

/**
 * weir_vector_end() - a loop has ended
 */
static inline void weir_vector_end(void)
{
	if (!this_cpu_read(weir_vector.held))
		weir_vector_give();
}

/**
 * weir_vector_yield() - give the registers back, until the next loop
 *
 * Called with bottom halves disabled. Nothing happens where none are held.
 */
static inline void weir_vector_yield(void)
{
	if (likely(!this_cpu_read(weir_vector.held)))
		return;
	this_cpu_write(weir_vector.held, false);
	weir_vector_give();
}

#endif /* _WEIR_VECTOR_H */
