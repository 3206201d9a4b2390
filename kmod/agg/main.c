// SPDX-License-Identifier: GPL-2.0
/* The module's beginning and end. */
#include <linux/module.h>
#include <linux/rcupdate.h>

#include "core/base/cut.h"
#include "core/base/net.h"
#include "xdp/chain/chain.h"
#include "xdp/flow/flows.h"
#include "xdp/filter/filter.h"
#include "agg/hook/kfunc.h"
#include "agg/job/port.h"
#include "agg/netlink/event.h"
#include "core/netlink/netlink.h"
#include "agg/netns.h"
#include "xdp/order/order.h"
#include "agg/out/room.h"
#include "xdp/packet/headers.h"
#include "agg/slots/pool.h"
#include "trim/bridge_port.h"
#include "trim/fdb.h"
#include "trim/overflow.h"
#include "trim/sch_weir.h"
#include "trim/trims.h"
#include "agg/type/vector.h"

/* Requests come last and go first: none finds a part missing. */
static int __init weir_init(void)
{
	int err;

	weir_vector_init();
	weir_pool_init();
	weir_headers_init();

	err = weir_cut_init();
	if (err)
		return err;
	err = weir_net_endings_init();
	if (err)
		goto cut;
	err = weir_fdb_init();
	if (err)
		goto endings;
	err = weir_netns_init();
	if (err)
		goto fdb;
	err = weir_bridge_port_init();
	if (err)
		goto netns;
	err = weir_port_init();
	if (err)
		goto bridge_port;
	err = weir_chain_init();
	if (err)
		goto port;
	err = weir_flows_init();
	if (err)
		goto chain;
	err = weir_filter_init();
	if (err)
		goto flows;
	err = weir_order_init();
	if (err)
		goto filter;
	err = weir_trim_init();
	if (err)
		goto order;
	err = weir_sch_init();
	if (err)
		goto trim;
	err = weir_kfunc_init();
	if (err)
		goto sch;
	weir_event_init();
	err = weir_nl_init();
	if (err)
		goto sch;
	return 0;

sch:
	weir_sch_uninit();
trim:
	weir_trim_uninit();
order:
	weir_order_uninit();
filter:
	weir_filter_uninit();
flows:
	weir_flows_uninit();
chain:
	weir_chain_uninit();
port:
	weir_port_uninit();
bridge_port:
	weir_bridge_port_uninit();
netns:
	weir_netns_uninit();
	rcu_barrier();
fdb:
	weir_fdb_uninit();
endings:
	weir_net_endings_uninit();
cut:
	weir_cut_uninit();
	return err;
}

static void __exit weir_exit(void)
{
	weir_nl_uninit();
	weir_sch_uninit();
	weir_trim_uninit();
	weir_order_uninit();
	weir_filter_uninit();
	weir_flows_uninit();
	weir_chain_uninit();
	weir_port_uninit();
	weir_bridge_port_uninit();
	weir_netns_uninit();
	weir_net_endings_uninit();
	weir_fdb_uninit();
	weir_overflow_uninit();
	/* Much is freed by RCU callbacks, which are code of this module. */
	rcu_barrier();
	weir_cut_uninit();
	weir_room_uninit();
}

module_init(weir_init);
module_exit(weir_exit);

MODULE_DESCRIPTION("In-network aggregation and packet trimming");
MODULE_LICENSE("GPL");
MODULE_VERSION(WEIR_VERSION);
