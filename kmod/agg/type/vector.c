// SPDX-License-Identifier: GPL-2.0
/*
 * The vector registers belong to a loop, from weir_vector_begin() to weir_vector_end(), or to all
 * the loops that a merged packet makes a CPU run, as a task's registers are saved each time that
 * they change hands.
 */
#ifdef CONFIG_X86_64
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#elif defined(CONFIG_ARM64)
#include <asm/cpufeature.h>
#include <asm/neon.h>
#include <asm/simd.h>
#include <asm/sysreg.h>
#endif

#include "core/base/compat.h"
#include "agg/type/vector.h"

DEFINE_PER_CPU(struct weir_vector, weir_vector);
u8 weir_vector_cpu __read_mostly;

#ifdef CONFIG_X86_64
static u8 weir_vector_look(void)
{
	if (!boot_cpu_has(X86_FEATURE_AVX2) ||
	    !cpu_has_xfeatures(XFEATURE_MASK_SSE | XFEATURE_MASK_YMM, NULL))
		return 0;
	return WEIR_CPU_VECTORS | (boot_cpu_has(X86_FEATURE_F16C) ? WEIR_CPU_HALVES : 0);
}

static bool weir_vector_save(void)
{
	/* A softirq can interrupt a task that uses the registers. */
	if (!irq_fpu_usable())
		return false;
	kernel_fpu_begin();
	return true;
}

void weir_vector_give(void)
{
	kernel_fpu_end();
}
#elif defined(CONFIG_ARM64)
/*
 * Sums are made with bottom halves disabled. With PREEMPT_RT that does not keep another task
 * from this CPU.
 */
static DEFINE_PER_CPU(struct user_fpsimd_state, weir_neon_state);

static u8 weir_vector_look(void)
{
	return system_supports_fpsimd() ? WEIR_CPU_VECTORS | WEIR_CPU_HALVES : 0;
}

static bool weir_vector_save(void)
{
	if (!may_use_simd())
		return false;
	preempt_disable();
	kernel_neon_begin(this_cpu_ptr(&weir_neon_state));
	/* A task's mode is still set: how it rounds, and what it flushes to zero. */
	write_sysreg(0, fpcr);
	return true;
}

void weir_vector_give(void)
{
	kernel_neon_end(this_cpu_ptr(&weir_neon_state));
	preempt_enable();
}
#else
static u8 weir_vector_look(void)
{
	return 0;
}

static bool weir_vector_save(void)
{
	return false;
}

void weir_vector_give(void)
{
}
#endif

/**
 * weir_vector_init() - find the CPU's features
 *
 * Return: 0.
 */
int weir_vector_init(void)
{
	weir_vector_cpu = weir_vector_look();
	return 0;
}

/**
 * weir_vector_take() - as weir_vector_begin(), where the registers are not held
 * @worth: as for weir_vector_begin()
 */
bool weir_vector_take(bool worth)
{
	bool kept = this_cpu_read(weir_vector.kept);

	if ((!worth && !kept) || !weir_vector_save())
		return false;
	this_cpu_write(weir_vector.held, kept);
	return true;
}

/**
 * weir_vector_keep() - from here on loops leave the registers to the loop that follows
 *
 * Called with bottom halves disabled, which stay so until weir_vector_drop(). Locks may be
 * taken meanwhile, but no packet may be sent before weir_vector_yield(): the way of a
 * packet may need the registers, too. Where locks sleep (PREEMPT_RT) each loop saves them.
 */
void weir_vector_keep(void)
{
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		this_cpu_write(weir_vector.kept, true);
}

/**
 * weir_vector_drop() - ends what weir_vector_keep() began
 */
void weir_vector_drop(void)
{
	this_cpu_write(weir_vector.kept, false);
	weir_vector_yield();
}
