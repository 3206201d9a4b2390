// SPDX-License-Identifier: GPL-2.0
/* weir_xdp.ko: what runs around any XDP program. The parts, and what they share in a namespace. */
#include <linux/module.h>
#include <linux/rcupdate.h>

#include "core/base/compat.h"
#include "core/base/module.h"
#include "xdp/base/kfunc.h"
#include "xdp/base/net.h"
#include "xdp/chain/chain.h"
#include "xdp/filter/filter.h"
#include "xdp/flow/flows.h"
#include "xdp/netlink/event.h"
#include "xdp/netlink/netlink.h"
#include "xdp/order/order.h"
#include "xdp/packet/headers.h"

unsigned int weir_xdp_net_id __read_mostly;

static struct weir_ns *weir_xdp_ns(const struct net *net)
{
	return &weir_xdp_net(net)->ns;
}

/* Requests come last and go first: none finds a part missing. */
static const struct weir_part weir_xdp_parts[] = {
	{ "hashes", .init = weir_headers_init },
	/* Much is freed by RCU callbacks, which are code of this module. */
	{ "callbacks", .uninit = rcu_barrier },
	{ "orders", .net_init = weir_order_net_init, .net_flush = weir_order_flush,
	  .net_uninit = weir_order_net_uninit, .dev_event = weir_order_dev_event },
	{ "filters", .net_init = weir_filter_net_init, .net_flush = weir_filter_flush,
	  .net_uninit = weir_filter_net_uninit, .dev_event = weir_filter_dev_event },
	{ "flows", .net_init = weir_flows_net_init, .net_flush = weir_flows_flush,
	  .net_uninit = weir_flows_net_uninit, .dev_event = weir_flows_dev_event },
	{ "chains", .net_init = weir_chain_net_init, .net_flush = weir_chain_flush,
	  .net_uninit = weir_chain_net_uninit, .dev_event = weir_chain_dev_event },
	{ "namespaces", .attach = weir_module_attach_netns, .detach = weir_module_detach_netns },
	{ "devices", .attach = weir_module_attach_devices, .detach = weir_module_detach_devices },
	{ "kfuncs", .init = weir_xdp_kfunc_init },
	{ "events", .init = weir_xdp_event_init },
	{ "requests", .init = weir_xdp_nl_init, .uninit = weir_xdp_nl_uninit },
};

static struct weir_module weir_xdp_module;

static int __net_init weir_xdp_net_begin(struct net *net)
{
	return weir_module_net_init(&weir_xdp_module, net);
}

static void __net_exit weir_xdp_net_flush(struct net *net)
{
	weir_module_net_flush(&weir_xdp_module, net);
}

static void __net_exit weir_xdp_net_end(struct net *net)
{
	weir_module_net_uninit(&weir_xdp_module, net);
}

static struct pernet_operations weir_xdp_net_ops = {
	.init		= weir_xdp_net_begin,
	.pre_exit	= weir_xdp_net_flush,
	.exit		= weir_xdp_net_end,
	.id		= &weir_xdp_net_id,
	.size		= sizeof(struct weir_xdp_net),
};

static struct weir_module weir_xdp_module = {
	.part		= weir_xdp_parts,
	.count		= ARRAY_SIZE(weir_xdp_parts),
	.ns		= weir_xdp_ns,
	.net_ops	= &weir_xdp_net_ops,
};

static int __init weir_xdp_module_init(void)
{
	return weir_module_init(&weir_xdp_module);
}

static void __exit weir_xdp_module_exit(void)
{
	weir_module_uninit(&weir_xdp_module);
}

module_init(weir_xdp_module_init);
module_exit(weir_xdp_module_exit);

MODULE_DESCRIPTION("Chains, filters, flow records and orders around XDP programs");
MODULE_LICENSE("GPL");
MODULE_VERSION(WEIR_VERSION);
MODULE_IMPORT_NS("WEIR");
