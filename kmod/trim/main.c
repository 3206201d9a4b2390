// SPDX-License-Identifier: GPL-2.0
/* sch_weir.ko: packet trimming. The parts, and what they share in a namespace. */
#include <linux/module.h>
#include <linux/rcupdate.h>

#include "core/base/compat.h"
#include "core/base/module.h"
#include "trim/acls.h"
#include "trim/backlog.h"
#include "trim/bridge_port.h"
#include "trim/drops.h"
#include "trim/fdb.h"
#include "trim/net.h"
#include "trim/netlink/event.h"
#include "trim/netlink/netlink.h"
#include "trim/pools.h"
#include "trim/sch_weir.h"
#include "trim/trim_kfunc.h"
#include "trim/trims.h"

unsigned int weir_trim_net_id __read_mostly;

static struct weir_ns *weir_trim_ns(const struct net *net)
{
	return &weir_trim_net(net)->ns;
}

/* Requests come last and go first: none finds a part missing. */
static const struct weir_part weir_trim_parts[] = {
	{ "forwarding databases", .init = weir_fdb_init, .uninit = weir_fdb_uninit },
	/* Much is freed by RCU callbacks, which are code of this module. */
	{ "callbacks", .uninit = rcu_barrier },
	{ "drop probes", .uninit = weir_drops_uninit },
	{ "bridge ports", .net_init = weir_bridge_port_net_init,
	  .net_uninit = weir_bridge_port_net_uninit, .dev_event = weir_bridge_port_dev_event },
	{ "pools", .net_init = weir_trim_pools_net_init, .net_uninit = weir_trim_pools_net_uninit },
	{ "acls", .net_init = weir_trim_acls_net_init, .net_uninit = weir_trim_acls_net_uninit },
	{ "backlogs", .net_init = weir_backlog_net_init },
	{ "policies", .init = weir_trim_init, .net_init = weir_trim_net_init,
	  .net_flush = weir_trim_flush, .net_uninit = weir_trim_net_uninit,
	  .dev_event = weir_trim_dev_event },
	{ "namespaces", .attach = weir_module_attach_netns, .detach = weir_module_detach_netns },
	{ "bridge port states", .init = weir_bridge_port_init, .uninit = weir_bridge_port_uninit },
	{ "devices", .attach = weir_module_attach_devices, .detach = weir_module_detach_devices },
	{ "qdisc", .init = weir_sch_init, .uninit = weir_sch_uninit },
	{ "kfuncs", .init = weir_trim_kfunc_init },
	{ "events", .init = weir_trim_event_init },
	{ "requests", .init = weir_trim_nl_init, .uninit = weir_trim_nl_uninit },
};

static struct weir_module weir_trim_module;

static int __net_init weir_trim_net_begin(struct net *net)
{
	return weir_module_net_init(&weir_trim_module, net);
}

static void __net_exit weir_trim_net_flush(struct net *net)
{
	weir_module_net_flush(&weir_trim_module, net);
}

static void __net_exit weir_trim_net_end(struct net *net)
{
	weir_module_net_uninit(&weir_trim_module, net);
}

static struct pernet_operations weir_trim_net_ops = {
	.init		= weir_trim_net_begin,
	.pre_exit	= weir_trim_net_flush,
	.exit		= weir_trim_net_end,
	.id		= &weir_trim_net_id,
	.size		= sizeof(struct weir_trim_net),
};

static struct weir_module weir_trim_module = {
	.part		= weir_trim_parts,
	.count		= ARRAY_SIZE(weir_trim_parts),
	.ns		= weir_trim_ns,
	.net_ops	= &weir_trim_net_ops,
};

static int __init weir_trim_module_init(void)
{
	return weir_module_init(&weir_trim_module);
}

static void __exit weir_trim_module_exit(void)
{
	weir_module_uninit(&weir_trim_module);
}

module_init(weir_trim_module_init);
module_exit(weir_trim_module_exit);

MODULE_DESCRIPTION("Packet trimming");
MODULE_LICENSE("GPL");
MODULE_VERSION(WEIR_VERSION);
MODULE_IMPORT_NS("WEIR");
MODULE_ALIAS("net-sch-weir");
