/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The one place that knows of differences between kernels. Code elsewhere is
 * written to the newest interface; what an older kernel lacks is made up here,
 * behind tests for the thing itself and not for a version, as distributions
 * carry newer interfaces back.
 */
#ifndef _WEIR_COMPAT_H
#define _WEIR_COMPAT_H

#include <linux/btf.h>
#include <linux/hrtimer.h>

#ifndef CONFIG_64BIT
#error "weir needs a 64-bit kernel: its per-CPU counters are read without a seqcount"
#endif

#ifndef __bpf_kfunc_start_defs
#define __bpf_kfunc_start_defs()					\
	__diag_push();							\
	__diag_ignore_all("-Wmissing-declarations", "kfuncs");		\
	__diag_ignore_all("-Wmissing-prototypes", "kfuncs")
#define __bpf_kfunc_end_defs() __diag_pop()
#endif

/* BTF_SET8 was split: sets of kfuncs have a flag of their own since 6.9. */
#ifndef BTF_KFUNCS_START
#define BTF_KFUNCS_START(name)	BTF_SET8_START(name)
#define BTF_KFUNCS_END(name)	BTF_SET8_END(name)
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

/* What a probe at kfree_skb is called with; rx_sk is there since 6.11, const since 7.2. */
#ifdef WEIR_HAVE_KFREE_SKB_CONST_SK
#define WEIR_KFREE_SKB_SK	, const struct sock *rx_sk
#elif defined(WEIR_HAVE_KFREE_SKB_RX_SK)
#define WEIR_KFREE_SKB_SK	, struct sock *rx_sk
#else
#define WEIR_KFREE_SKB_SK
#endif
#define WEIR_KFREE_SKB_PROTO						\
	void *data, struct sk_buff *skb, void *location,		\
	enum skb_drop_reason reason WEIR_KFREE_SKB_SK

#endif /* _WEIR_COMPAT_H */
