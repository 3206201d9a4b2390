/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_NET_BH_H
#define _WEIR_NET_BH_H

#include "core/base/net.h"

/**
 * weir_net_bh() - what a namespace owns, for packets
 * @net: the namespace
 *
 * Called where bottom halves are disabled or RCU is held: weir_net() takes it once more, which
 * costs a packet as much as finding its flow.
 */
static inline struct weir_net *weir_net_bh(const struct net *net)
{
	return rcu_dereference_check(net->gen, rcu_read_lock_bh_held())->ptr[weir_net_id];
}

#endif /* _WEIR_NET_BH_H */
