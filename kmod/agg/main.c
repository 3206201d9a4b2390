// SPDX-License-Identifier: GPL-2.0
/* weir.ko: in-network aggregation. The parts, and what they share in a namespace. */
#include <linux/module.h>
#include <linux/rcupdate.h>

#include "agg/base/net.h"
#include "agg/config/jobs.h"
#include "agg/hook/kfunc.h"
#include "agg/job/port.h"
#include "agg/netlink/event.h"
#include "agg/netlink/netlink.h"
#include "agg/out/room.h"
#include "agg/slots/pool.h"
#include "agg/type/vector.h"
#include "core/base/compat.h"
#include "core/base/module.h"

unsigned int weir_net_id __read_mostly;

static struct weir_ns *weir_agg_ns(const struct net *net)
{
	return &weir_net(net)->ns;
}

/* Requests come last and go first: none finds a part missing. */
static const struct weir_part weir_agg_parts[] = {
	{ "vector units", .init = weir_vector_init },
	{ "memory", .init = weir_pool_init },
	{ "rooms", .uninit = weir_room_uninit },
	/* Much is freed by RCU callbacks, which are code of this module. */
	{ "callbacks", .uninit = rcu_barrier },
	{ "totals", .net_init = weir_totals_net_init, .net_uninit = weir_totals_net_uninit },
	{ "jobs", .net_flush = weir_job_net_flush },
	{ "ports", .net_init = weir_port_net_init, .net_flush = weir_port_flush,
	  .net_uninit = weir_port_net_uninit, .dev_event = weir_port_dev_event },
	{ "namespaces", .attach = weir_module_attach_netns, .detach = weir_module_detach_netns },
	{ "devices", .attach = weir_module_attach_devices, .detach = weir_module_detach_devices },
	{ "kfuncs", .init = weir_kfunc_init },
	{ "events", .init = weir_event_init },
	{ "requests", .init = weir_nl_init, .uninit = weir_nl_uninit },
};

static struct weir_module weir_agg_module;

static int __net_init weir_agg_net_begin(struct net *net)
{
	return weir_module_net_init(&weir_agg_module, net);
}

static void __net_exit weir_agg_net_flush(struct net *net)
{
	weir_module_net_flush(&weir_agg_module, net);
}

static void __net_exit weir_agg_net_end(struct net *net)
{
	weir_module_net_uninit(&weir_agg_module, net);
}

static struct pernet_operations weir_agg_net_ops = {
	.init		= weir_agg_net_begin,
	.pre_exit	= weir_agg_net_flush,
	.exit		= weir_agg_net_end,
	.id		= &weir_net_id,
	.size		= sizeof(struct weir_net),
};

static struct weir_module weir_agg_module = {
	.part		= weir_agg_parts,
	.count		= ARRAY_SIZE(weir_agg_parts),
	.ns		= weir_agg_ns,
	.net_ops	= &weir_agg_net_ops,
};

static int __init weir_agg_module_init(void)
{
	return weir_module_init(&weir_agg_module);
}

static void __exit weir_agg_module_exit(void)
{
	weir_module_uninit(&weir_agg_module);
}

module_init(weir_agg_module_init);
module_exit(weir_agg_module_exit);

MODULE_DESCRIPTION("In-network aggregation");
MODULE_LICENSE("GPL");
MODULE_VERSION(WEIR_VERSION);
MODULE_IMPORT_NS("WEIR");
