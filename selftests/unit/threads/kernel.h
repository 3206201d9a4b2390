/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The mocked kernel where processors are threads: locks lock, and the kernel's atomic
 * operations are atomic, so that ThreadSanitizer sees the others.
 */
#ifndef THREADS_KERNEL_H
#define THREADS_KERNEL_H

#include <pthread.h>

#define spinlock_t	unit_spinlock_t
#define seqlock_t	unit_seqlock_t
#include "../kernel.h"
#undef spinlock_t
#undef seqlock_t

typedef pthread_mutex_t spinlock_t;
typedef struct { spinlock_t lock; unsigned int seen; } seqlock_t;

#undef spin_lock_init
#undef spin_lock
#undef spin_unlock
#define spin_lock_init(l)	pthread_mutex_init(l, NULL)
#define spin_lock(l)		pthread_mutex_lock(l)
#define spin_unlock(l)		pthread_mutex_unlock(l)

#undef write_seqlock
#undef write_sequnlock
#undef read_seqbegin
#undef read_seqretry
#define THREADS_STEP(l)		((void)__atomic_add_fetch(&(l)->seen, 1, __ATOMIC_SEQ_CST))
#define write_seqlock(l)	(spin_lock(&(l)->lock), THREADS_STEP(l))
#define write_sequnlock(l)	(THREADS_STEP(l), spin_unlock(&(l)->lock))
#define read_seqbegin(l) ({							\
	unsigned int __now;							\
	while ((__now = __atomic_load_n(&(l)->seen, __ATOMIC_SEQ_CST)) & 1)	\
		;								\
	__now; })
#define read_seqretry(l, was)	(__atomic_load_n(&(l)->seen, __ATOMIC_SEQ_CST) != (was))

/* The sanitizer knows better which thread holds a lock. */
#undef lockdep_assert_held
#define lockdep_assert_held(l)	((void)(l))

#undef READ_ONCE
#undef WRITE_ONCE
#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v)	__atomic_store_n(&(x), v, __ATOMIC_RELAXED)

/* Reads that are meant to be without order. */
#ifdef __SANITIZE_THREAD__
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
#undef data_race
#define data_race(x) ({								\
	AnnotateIgnoreReadsBegin(__FILE__, __LINE__);				\
	__typeof__(x) __seen = (x);						\
	AnnotateIgnoreReadsEnd(__FILE__, __LINE__);				\
	__seen; })
#endif

#undef cmpxchg
#define cmpxchg(p, old, new) ({							\
	__typeof__(*(p)) __seen = (old);					\
	__atomic_compare_exchange_n(p, &__seen, new, false, __ATOMIC_SEQ_CST,	\
				    __ATOMIC_SEQ_CST);				\
	__seen; })

#undef set_bit
#undef clear_bit
#undef test_bit
#undef __set_bit
#undef __test_and_set_bit
#undef test_and_set_bit
#undef test_and_clear_bit
#define THREADS_BIT(i)		(1UL << (i) % 64)
#define set_bit(i, p) \
	((void)__atomic_fetch_or(&WEIR_BIT_WORD(p, i), THREADS_BIT(i), __ATOMIC_SEQ_CST))
#define clear_bit(i, p) \
	((void)__atomic_fetch_and(&WEIR_BIT_WORD(p, i), ~THREADS_BIT(i), __ATOMIC_SEQ_CST))
#define test_and_set_bit(i, p) \
	(!!(__atomic_fetch_or(&WEIR_BIT_WORD(p, i), THREADS_BIT(i), __ATOMIC_SEQ_CST) & THREADS_BIT(i)))
#define test_and_clear_bit(i, p) \
	(!!(__atomic_fetch_and(&WEIR_BIT_WORD(p, i), ~THREADS_BIT(i), __ATOMIC_SEQ_CST) & THREADS_BIT(i)))
#define test_bit(i, p)		(!!(READ_ONCE(WEIR_BIT_WORD(p, i)) & THREADS_BIT(i)))
/* Operations that are not atomic in the kernel, on bits under a lock. */
#define __set_bit(i, p)		(WEIR_BIT_WORD(p, i) |= THREADS_BIT(i))
#define __test_and_set_bit(i, p) ({						\
	bool __was = WEIR_BIT_WORD(p, i) & THREADS_BIT(i);			\
	__set_bit(i, p);							\
	__was; })

#undef smp_load_acquire
#undef smp_store_release
#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)

#undef smp_mb
#undef smp_mb__after_atomic
#define smp_mb()		__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_mb__after_atomic()	smp_mb()

#undef atomic_read
#undef atomic_set
#undef atomic_inc
#undef atomic_dec
#undef atomic_or
#undef atomic_andnot
#undef atomic_fetch_or
#define atomic_read(a)		READ_ONCE((a)->v)
#define atomic_set(a, n)	WRITE_ONCE((a)->v, n)
#define atomic_inc(a)		((void)__atomic_fetch_add(&(a)->v, 1, __ATOMIC_SEQ_CST))
#define atomic_dec(a)		((void)__atomic_fetch_sub(&(a)->v, 1, __ATOMIC_SEQ_CST))
#define atomic_or(n, a)		((void)__atomic_fetch_or(&(a)->v, n, __ATOMIC_SEQ_CST))
#define atomic_andnot(n, a)	((void)__atomic_fetch_and(&(a)->v, ~(n), __ATOMIC_SEQ_CST))
#define atomic_fetch_or(n, a)	__atomic_fetch_or(&(a)->v, n, __ATOMIC_SEQ_CST)

#undef atomic64_read
#undef atomic64_add_return
#undef atomic64_sub
#define atomic64_read(a)	READ_ONCE((a)->v)
#define atomic64_add_return(n, a) __atomic_add_fetch(&(a)->v, n, __ATOMIC_SEQ_CST)
#define atomic64_sub(n, a)	((void)__atomic_sub_fetch(&(a)->v, n, __ATOMIC_SEQ_CST))

/* A write to a page depends on the count read, which orders it: an acquire to the sanitizer. */
#undef page_ref_count
#define page_ref_count(p)	__atomic_load_n(&(p)->refs, __ATOMIC_ACQUIRE)

#undef kernel_fpu_begin
#undef kernel_fpu_end
#undef kernel_neon_begin
#undef kernel_neon_end
#define kernel_fpu_begin()	do { } while (0)
#define kernel_fpu_end()	do { } while (0)
#define kernel_neon_begin(state)	((void)(state))
#define kernel_neon_end(state)	((void)(state))

#endif
