/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_CHILD_H
#define _WEIR_CHILD_H

#include <linux/types.h>

struct Qdisc;
struct sk_buff;
struct weir_backlog;

/**
 * struct weir_child - another qdisc that is a weir qdisc's data band
 * @qdisc: that qdisc, or NULL where there is none; changes under RTNL and the
 *	root's lock
 * @deflected: deflected packets that wait in it, at most
 */
struct weir_child {
	struct Qdisc	*qdisc;
	u32		deflected;
};

int weir_child_give(struct weir_child *child, struct weir_backlog *backlog,
		    struct sk_buff *skb, struct sk_buff **to_free);
bool weir_child_back(struct weir_backlog *backlog, struct sk_buff *skb,
		     struct sk_buff **to_free, int ret);
struct sk_buff *weir_child_take(struct weir_child *child);
void weir_child_sync(struct weir_child *child, struct weir_backlog *backlog);

#endif /* _WEIR_CHILD_H */
