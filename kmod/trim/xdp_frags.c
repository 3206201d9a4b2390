// SPDX-License-Identifier: GPL-2.0
/*
 * The fragments of a frame that an XDP program shortens. Where a frame came as an
 * skb (veth, generic XDP), kernels take fragments from a page pool and say that
 * they are plain pages: those that bpf_xdp_adjust_tail() cuts off are then freed
 * behind the pool's back, and leak ("Bad page state", "page_pool leak"). Here
 * each goes back to its pool. Since 6.18 Linux marks them correctly, and
 * bpf_xdp_adjust_tail() does the work.
 */
#include <linux/mm.h>
#include <linux/skbuff.h>
#include <net/xdp.h>

#include "core/base/compat.h"
#include "core/base/cut.h"
#include "trim/trim_kfunc.h"

#ifdef WEIR_HAVE_PAGE_PP
#include <net/page_pool/helpers.h>

/* The page stays allocated, as the program may hold a pointer to it. */
static void weir_xdp_free_frag(const skb_frag_t *frag)
{
	struct page *page = skb_frag_page(frag);

	get_page(page);
	weir_cut_keep(page);
	if (page_pool_page_is_pp(page))
		page_pool_put_full_page(page->pp, page, false);
	else
		page_frag_free(page_address(page));
}

/* Takes @surplus bytes off the end, or all fragments. */
static void weir_xdp_cut_frags(struct skb_shared_info *sinfo, u32 surplus)
{
	skb_frag_t *frag;
	u32 cut;

	while (surplus && sinfo->nr_frags) {
		frag = &sinfo->frags[sinfo->nr_frags - 1];
		cut = min(surplus, skb_frag_size(frag));
		if (cut < skb_frag_size(frag)) {
			skb_frag_size_sub(frag, cut);
		} else {
			weir_xdp_free_frag(frag);
			sinfo->nr_frags--;
		}
		sinfo->xdp_frags_size -= cut;
		surplus -= cut;
	}
}

static void weir_xdp_shorten(struct xdp_buff *xdp, u32 len)
{
	struct skb_shared_info *sinfo;

	if (!xdp_buff_has_frags(xdp) || xdp_get_buff_len(xdp) <= len ||
	    xdp->rxq->mem.type != MEM_TYPE_PAGE_SHARED)
		return;
	sinfo = xdp_get_shared_info_from_buff(xdp);
	weir_xdp_cut_frags(sinfo, xdp_get_buff_len(xdp) - len);
	if (sinfo->nr_frags)
		return;
	xdp_buff_clear_frags_flag(xdp);
	xdp_buff_clear_frag_pfmemalloc(xdp);
}

#else

static void weir_xdp_shorten(struct xdp_buff *xdp, u32 len)
{
}

#endif

__bpf_kfunc_start_defs();

__bpf_kfunc void weir_trim_frags_xdp(struct xdp_md *ctx, u32 len)
{
	weir_xdp_shorten((struct xdp_buff *)ctx, len);
}

__bpf_kfunc_end_defs();
