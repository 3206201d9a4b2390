/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_DROPS_H
#define _WEIR_DROPS_H

int weir_drops_watch(void);
void weir_drops_unwatch(void);
void weir_drops_uninit(void);

#endif /* _WEIR_DROPS_H */
