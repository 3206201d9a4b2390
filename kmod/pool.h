/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_POOL_H
#define _WEIR_POOL_H

#include <linux/types.h>

struct page;

/* Pages that the largest block (WEIR_GRADS_MAX gradients) takes. */
#define WEIR_BLOCK_PAGES	2

void weir_pool_init(void);
u64 weir_pool_limit(void);
u64 weir_pool_used(void);
int weir_pool_charge(u64 bytes);
void weir_pool_uncharge(u64 bytes);
int weir_pool_refresh(struct page **pages, unsigned int n);

#endif /* _WEIR_POOL_H */
