/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_SCH_WEIR_H
#define _WEIR_SCH_WEIR_H

#include <linux/types.h>

struct netdev_queue;

bool weir_sch_bound(const struct netdev_queue *txq);
int weir_sch_init(void);
void weir_sch_uninit(void);

#endif /* _WEIR_SCH_WEIR_H */
