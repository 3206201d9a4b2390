/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The primitives of code that runs in several places: BPF programs, the module,
 * and tests and simulations in userspace. The trimming code (weir_trim*.h,
 * weir_meter.h) is written once against this.
 */
#ifndef _WEIR_ENV_H
#define _WEIR_ENV_H

#ifdef __KERNEL__

#include <asm/byteorder.h>
#include <linux/atomic.h>
#include <linux/types.h>

#define weir_htons(x)		cpu_to_be16(x)
#define weir_ntohs(x)		be16_to_cpu(x)
#define weir_cmpxchg64(p, o, n)	cmpxchg64(p, o, n)
#define weir_add64(p, n)	arch_atomic64_add(n, (atomic64_t *)(p))
#define weir_read64(p)		READ_ONCE(*(p))

#else

#include <linux/types.h>
#include <stdbool.h>
#include <bpf/bpf_endian.h>

#ifndef __force
#define __force
#endif
#ifndef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#endif

#define weir_htons(x)		bpf_htons(x)
#define weir_ntohs(x)		bpf_ntohs(x)
#define weir_cmpxchg64(p, o, n)	__sync_val_compare_and_swap(p, o, n)
#define weir_add64(p, n)	((void)__sync_fetch_and_add(p, n))
#define weir_read64(p)		(*(const volatile __u64 *)(p))

#endif

#endif /* _WEIR_ENV_H */
