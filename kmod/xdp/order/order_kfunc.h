/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_ORDER_KFUNC_H
#define _WEIR_ORDER_KFUNC_H

#include <linux/types.h>

struct xdp_md;

u64 weir_order_xdp(struct xdp_md *ctx);

#endif /* _WEIR_ORDER_KFUNC_H */
