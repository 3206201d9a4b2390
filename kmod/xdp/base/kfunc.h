/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_XDP_KFUNC_H
#define _WEIR_XDP_KFUNC_H

int weir_xdp_kfunc_init(void);

#endif /* _WEIR_XDP_KFUNC_H */
