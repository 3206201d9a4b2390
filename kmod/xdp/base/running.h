/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_RUNNING_H
#define _WEIR_RUNNING_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <net/xdp.h>

/*
 * A program may call the kfunc that runs it, which would have no end. So a packet is marked while
 * programs run for it, in bits of its flags that the kernel does not use. Programs cannot write
 * there. A CPU is no place for the mark: with PREEMPT_RT several tasks may run programs there at
 * once.
 */
#define WEIR_RUNNING_CHAIN	BIT(30)
#define WEIR_RUNNING_ORDER	BIT(31)

static_assert(!((XDP_FLAGS_HAS_FRAGS | XDP_FLAGS_FRAGS_PF_MEMALLOC) &
		(WEIR_RUNNING_CHAIN | WEIR_RUNNING_ORDER)));

static inline bool weir_running(const struct xdp_buff *xdp, u32 what)
{
	return xdp->flags & what;
}

/* Return: what the packet was marked with before, for weir_running_end(). */
static inline u32 weir_running_begin(struct xdp_buff *xdp, u32 what)
{
	u32 was = xdp->flags & what;

	xdp->flags |= what;
	return was;
}

static inline void weir_running_end(struct xdp_buff *xdp, u32 what, u32 was)
{
	xdp->flags &= ~what | was;
}

#endif /* _WEIR_RUNNING_H */
