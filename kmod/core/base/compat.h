/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All differences between kernels are here. Code elsewhere is written to the newest
 * interface, and this file supplies the parts that an older kernel lacks. It tests for
 * each interface itself and not for a version, as distributions backport newer interfaces.
 */
#ifndef _WEIR_COMPAT_H
#define _WEIR_COMPAT_H

#include <linux/export.h>
#include <linux/hrtimer.h>
#include <linux/local_lock.h>
#include <linux/module.h>
#include <net/xdp.h>

/* The namespace of a symbol is a string since 6.13. */
#ifndef WEIR_HAVE_NS_STRING
#undef EXPORT_SYMBOL_NS_GPL
#define EXPORT_SYMBOL_NS_GPL(symbol, space)	__EXPORT_SYMBOL(symbol, "GPL", space)
#undef MODULE_IMPORT_NS
#define MODULE_IMPORT_NS(space)			MODULE_INFO(import_ns, space)
#endif

#ifndef CONFIG_64BIT
#error "weir needs a 64-bit kernel: its per-CPU counters are read without a seqcount"
#endif

#ifdef CONFIG_CPU_BIG_ENDIAN
#error "weir is tested on little-endian machines alone, and would sum wrong numbers unnoticed"
#endif

/*
 * Kernels are compiled to zero all variables on the stack. For a large variable that is
 * filled before it is read, that would cost a packet more than the rest of its way through
 * here.
 */
#ifndef __uninitialized
#if __has_attribute(__uninitialized__)
#define __uninitialized __attribute__((__uninitialized__))
#else
#define __uninitialized
#endif
#endif

/*
 * With PREEMPT_RT newer kernels let tasks that have disabled bottom halves preempt each other, and
 * have this lock for what such tasks share on a CPU. Those without it do not. Its header is
 * included here alone: 6.12's needs others before it.
 */
#ifndef local_lock_nested_bh
#define local_lock_nested_bh(lock)	((void)(lock))
#define local_unlock_nested_bh(lock)	((void)(lock))
#endif

/* Where the registers of a task in the kernel go that a softirq uses meanwhile, since 6.19. */
#if defined(CONFIG_ARM64) && !defined(WEIR_HAVE_NEON_STATE)
#include <asm/neon.h>
#define kernel_neon_begin(state)	((void)(state), (kernel_neon_begin)())
#define kernel_neon_end(state)		((void)(state), (kernel_neon_end)())
#endif

/* Until 6.13 a feature bit kept a device in its namespace. */
#ifdef NETIF_F_NETNS_LOCAL
#define weir_compat_stays(dev) ((dev)->features |= NETIF_F_NETNS_LOCAL)
#else
#define weir_compat_stays(dev) ((dev)->netns_immutable = true)
#endif

/* The workqueue of no certain CPU has a new name since 6.17, and 7.3 complains of the old one. */
#ifndef WEIR_HAVE_SYSTEM_DFL_WQ
#define system_dfl_wq	system_unbound_wq
#endif

/* Since 6.13 a timer gets its function where it is set up. */
#ifndef WEIR_HAVE_HRTIMER_SETUP
static inline void
hrtimer_setup(struct hrtimer *timer,
	      enum hrtimer_restart (*function)(struct hrtimer *),
	      clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* Arguments of a probe at kfree_skb: rx_sk is const since 7.2. */
#ifdef WEIR_HAVE_KFREE_SKB_CONST_SK
#define WEIR_KFREE_SKB_PROTO						\
	void *data, struct sk_buff *skb, void *location,		\
	enum skb_drop_reason reason, const struct sock *rx_sk
#else
#define WEIR_KFREE_SKB_PROTO						\
	void *data, struct sk_buff *skb, void *location,		\
	enum skb_drop_reason reason, struct sock *rx_sk
#endif

/* Memory for heads of packets, several at once, cleared. Returns how many there were. */
#ifdef WEIR_HAVE_SKB_CACHE_BULK
#define weir_compat_skb_bulk(skbs, n) napi_skb_cache_get_bulk(skbs, n)
#else
static inline int weir_compat_skb_bulk(void **skbs, int n)
{
	return xdp_alloc_skb_bulk(skbs, n, GFP_ATOMIC | __GFP_ZERO) ? 0 : n;
}
#endif

/* A frame's memory: since 6.14 only its kind. */
#ifdef WEIR_HAVE_FRAME_MEM_TYPE
#define weir_compat_frame_mem(frame) ((struct xdp_mem_info){ .type = (frame)->mem_type })
#else
#define weir_compat_frame_mem(frame) ((frame)->mem)
#endif

#endif /* _WEIR_COMPAT_H */
