/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_FILTER_SAMPLE_H
#define _WEIR_FILTER_SAMPLE_H

#include <linux/types.h>

struct psample_group;
struct xdp_buff;

bool weir_filter_sample(struct psample_group *group, const struct xdp_buff *xdp, u32 len,
			u32 sample);

#endif /* _WEIR_FILTER_SAMPLE_H */
