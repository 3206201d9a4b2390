/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_HOOK_MERGED_H
#define _WEIR_HOOK_MERGED_H

#include <linux/types.h>

struct sk_buff;
struct weir_contrib;

int weir_contribute_merged(struct sk_buff *skb, const struct weir_contrib *c, bool verified);

#endif /* _WEIR_HOOK_MERGED_H */
