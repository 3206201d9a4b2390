/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_CUT_H
#define _WEIR_CUT_H

#include <linux/skbuff.h>
#include <linux/types.h>

struct page;
struct xdp_buff;

/**
 * struct weir_cut_frags - pages of a frame's fragments while other programs run on the frame
 * @count: number of pages
 * @page: the pages, each with a reference
 */
struct weir_cut_frags {
	u32		count;
	struct page	*page[MAX_SKB_FRAGS];
};

bool weir_cut_begin(struct weir_cut_frags *frags, const struct xdp_buff *xdp);
void weir_cut_end(const struct weir_cut_frags *frags, const struct xdp_buff *xdp);
void weir_cut_keep(struct page *page);
int weir_cut_init(void);
void weir_cut_uninit(void);

#endif /* _WEIR_CUT_H */
