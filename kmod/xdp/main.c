// SPDX-License-Identifier: GPL-2.0
/* weir_xdp.ko: what runs around any XDP program. The parts, and what they share in a namespace. */
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/rcupdate.h>

#include "core/base/compat.h"
#include "core/base/module.h"
#include "xdp/base/dev.h"
#include "xdp/base/kfunc.h"
#include "xdp/base/net.h"
#include "xdp/chain/chain.h"
#include "xdp/filter/filter.h"
#include "xdp/flow/flows.h"
#include "xdp/netlink/event.h"
#include "xdp/netlink/netlink.h"
#include "xdp/order/order.h"

unsigned int weir_xdp_net_id __read_mostly;

static struct weir_ns *weir_xdp_ns(const struct net *net)
{
	return &weir_xdp_net(net)->ns;
}

/* A device that is unregistered or moved to another namespace loses all that it has. */
static int weir_xdp_dev_event(struct net_device *dev, unsigned long event, void *info)
{
	struct weir_xdp_net *wn = weir_xdp_net(dev_net(dev));
	struct weir_xdp_dev *xd;

	if (event != NETDEV_GOING_DOWN && event != NETDEV_UNREGISTER)
		return 0;
	xd = weir_xdp_dev_find(wn, dev->ifindex);
	if (!xd)
		return 0;
	if (event == NETDEV_GOING_DOWN) {
		weir_orders_down(xd);
		return 0;
	}
	weir_orders_gone(wn, xd);
	weir_filter_gone(wn, xd);
	weir_flows_gone(wn, xd);
	weir_chain_gone(wn, xd);
	weir_xdp_dev_drop(wn, xd);
	return 0;
}

/* Requests come last and go first: none finds a part missing. */
static const struct weir_part weir_xdp_parts[] = {
	/* Much is freed by RCU callbacks, which are code of this module. */
	{ "callbacks", .uninit = rcu_barrier },
	{ "entries of devices", .net_init = weir_xdp_dev_net_init,
	  .net_uninit = weir_xdp_dev_net_uninit, .dev_event = weir_xdp_dev_event },
	{ "orders", .net_flush = weir_order_flush },
	{ "filters", .net_flush = weir_filter_flush },
	{ "flows", .net_flush = weir_flows_flush },
	{ "chains", .net_flush = weir_chain_flush },
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
