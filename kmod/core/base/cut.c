// SPDX-License-Identifier: GPL-2.0
/*
 * Pages of fragments that were cut off a frame while a program still runs on it. The program may
 * hold pointers to them (bpf_dynptr_slice()): the verifier takes such pointers away when the
 * program itself calls a helper that cuts, but not when it calls a kfunc that does, or that runs
 * other programs on the frame. So such a page stays allocated until the program has returned.
 *
 * Nothing tells when that is. But nothing adds fragments to a frame, so that one run of a program
 * cuts off MAX_SKB_FRAGS pages at most, and programs of one CPU run one after another, or inside
 * of each other on the same frame. A page therefore waits until as many others were cut off on
 * its CPU, or a few more.
 *
 * With PREEMPT_RT a program may be preempted by one that works on another frame, unless the kernel
 * keeps sections with disabled bottom halves apart. There a page waits for a grace period of RCU;
 * if too many wait, no program is run on frames with fragments.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <net/xdp.h>

#include "core/base/compat.h"
#include "core/base/cut.h"

#if defined(CONFIG_PREEMPT_RT) && !defined(CONFIG_PREEMPT_RT_NEEDS_BH_LOCK)
#define WEIR_CUT_PREEMPTED	1
#define WEIR_CUT_KEPT		512
#else
#define WEIR_CUT_PREEMPTED	0
#define WEIR_CUT_KEPT		roundup_pow_of_two(MAX_SKB_FRAGS)
#endif

/* Pages that programs may cut off that preempt each other on one CPU. */
#define WEIR_CUT_ROOM		(8 * MAX_SKB_FRAGS)

/**
 * struct weir_cut_page - a page that a program may still use
 * @page: with a reference, or NULL
 * @gp: the grace period that ends after all such programs
 */
struct weir_cut_page {
	struct page	*page;
	unsigned long	gp;
};

/**
 * struct weir_cut - pages that were cut off on one CPU
 * @next: the entry that has been there for longest, modulo their number, a power of two
 * @kept: a ring
 */
struct weir_cut {
	u32			next;
	struct weir_cut_page	kept[WEIR_CUT_KEPT];
};

/* Not the module's own memory a CPU, of which all modules together have 8 KiB. */
static struct weir_cut __percpu *weir_cut;

/* Return true if pages of one more frame may be cut off on this CPU. */
static bool weir_cut_has_room(void)
{
	const struct weir_cut *cut = this_cpu_ptr(weir_cut);
	const struct weir_cut_page *last;

	if (!WEIR_CUT_PREEMPTED)
		return true;
	last = &cut->kept[(READ_ONCE(cut->next) + WEIR_CUT_ROOM) % WEIR_CUT_KEPT];
	return !READ_ONCE(last->page) || poll_state_synchronize_rcu(READ_ONCE(last->gp));
}

/**
 * weir_cut_keep() - keep a page that has been cut off a frame
 * @page: the page; a reference goes to the callee
 *
 * Called with bottom halves disabled.
 */
void weir_cut_keep(struct page *page)
{
	struct weir_cut_page new = { .page = page }, old;
	struct weir_cut_page *entry;
	struct weir_cut *cut;

	if (WEIR_CUT_PREEMPTED)
		new.gp = start_poll_synchronize_rcu();
	preempt_disable();
	cut = this_cpu_ptr(weir_cut);
	entry = &cut->kept[cut->next++ % WEIR_CUT_KEPT];
	old = *entry;
	*entry = new;
	preempt_enable();
	if (old.page)
		put_page(old.page);
}
EXPORT_SYMBOL_NS_GPL(weir_cut_keep, "WEIR");

/**
 * weir_cut_begin() - other programs are about to run on a program's frame
 * @frags: filled
 * @xdp: the frame
 *
 * Called with bottom halves disabled. weir_cut_end() has to follow on the same CPU.
 *
 * Return: whether they may run; if not, weir_cut_end() must not be called.
 */
bool weir_cut_begin(struct weir_cut_frags *frags, const struct xdp_buff *xdp)
{
	const struct skb_shared_info *sinfo;
	struct page *page;
	u32 i;

	frags->count = 0;
	if (!xdp_buff_has_frags(xdp))
		return true;
	sinfo = xdp_get_shared_info_from_buff(xdp);
	if (!weir_cut_has_room())
		return false;
	for (i = 0; i < sinfo->nr_frags; i++) {
		page = skb_frag_page(&sinfo->frags[i]);
		if (!page)
			continue;
		get_page(page);
		frags->page[frags->count++] = page;
	}
	return true;
}
EXPORT_SYMBOL_NS_GPL(weir_cut_begin, "WEIR");

static bool weir_cut_has_page(const struct xdp_buff *xdp, const struct page *page)
{
	const struct skb_shared_info *sinfo;
	u32 i;

	if (!xdp_buff_has_frags(xdp))
		return false;
	sinfo = xdp_get_shared_info_from_buff(xdp);
	for (i = 0; i < sinfo->nr_frags; i++)
		if (skb_frag_page(&sinfo->frags[i]) == page)
			return true;
	return false;
}

/**
 * weir_cut_end() - other programs have run, and may have cut fragments off
 * @frags: fragments as weir_cut_begin() has noted them
 * @xdp: the frame
 *
 * Called with bottom halves disabled.
 */
void weir_cut_end(const struct weir_cut_frags *frags, const struct xdp_buff *xdp)
{
	u32 i;

	for (i = 0; i < frags->count; i++) {
		if (likely(weir_cut_has_page(xdp, frags->page[i])))
			put_page(frags->page[i]);
		else
			weir_cut_keep(frags->page[i]);
	}
}
EXPORT_SYMBOL_NS_GPL(weir_cut_end, "WEIR");

/**
 * weir_cut_init() - make the rings
 *
 * Return: 0 or -ENOMEM.
 */
int weir_cut_init(void)
{
	weir_cut = alloc_percpu(struct weir_cut);
	return weir_cut ? 0 : -ENOMEM;
}

/**
 * weir_cut_uninit() - let go of all pages
 *
 * No program runs that may use them: those that can call the module hold it.
 */
void weir_cut_uninit(void)
{
	int cpu, i;

	for_each_possible_cpu(cpu)
		for (i = 0; i < WEIR_CUT_KEPT; i++) {
			struct weir_cut_page *entry = &per_cpu_ptr(weir_cut, cpu)->kept[i];

			if (entry->page)
				put_page(entry->page);
		}
	free_percpu(weir_cut);
}
