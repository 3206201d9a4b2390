// SPDX-License-Identifier: GPL-2.0
/* State of a network namespace: made with it, gone with it. */
#include <linux/random.h>

#include "core/base/net.h"
#include "xdp/chain/chain.h"
#include "xdp/flow/flows.h"
#include "xdp/filter/filter.h"
#include "agg/config/jobs.h"
#include "agg/job/port.h"
#include "agg/netns.h"
#include "xdp/order/order.h"
#include "trim/trims.h"

static int __net_init weir_net_init(struct net *net)
{
	struct weir_net *wn = weir_net(net);

	wn->stats = alloc_percpu(struct weir_stats);
	if (!wn->stats)
		return -ENOMEM;
	wn->net = net;
	mutex_init(&wn->lock);
	xa_init(&wn->ports);
	xa_init(&wn->chains);
	xa_init(&wn->flows);
	xa_init(&wn->filters);
	xa_init(&wn->orders);
	xa_init(&wn->trims);
	xa_init(&wn->backlogs);
	xa_init(&wn->bridge_ports);
	wn->returned = cpu_to_be16(get_random_u16() | 1);
	wn->backlog_seq = 1;
	wn->seq = 1;
	return 0;
}

/*
 * Runs before the devices of the namespace go, and when the module goes. BPF
 * programs hold the module, so in the latter case no packet is under way; in
 * the former devices may still deliver some, which the flush waits for.
 */
static void __net_exit weir_net_pre_exit(struct net *net)
{
	struct weir_net *wn = weir_net(net);

	mutex_lock(&wn->lock);
	weir_chain_flush(wn);
	weir_flows_flush(wn);
	weir_filter_flush(wn);
	weir_order_flush(wn);
	weir_port_flush(wn);
	weir_trim_flush(wn);
	weir_job_flush(wn);
	mutex_unlock(&wn->lock);
	weir_net_endings_wait(wn);
}

static void __net_exit weir_net_exit(struct net *net)
{
	struct weir_net *wn = weir_net(net);

	xa_destroy(&wn->bridge_ports);
	xa_destroy(&wn->trims);
	xa_destroy(&wn->flows);
	xa_destroy(&wn->filters);
	xa_destroy(&wn->orders);
	xa_destroy(&wn->chains);
	kfree(wn->trim_default);
	xa_destroy(&wn->ports);
	free_percpu(wn->stats);
}

static struct pernet_operations weir_net_ops = {
	.init		= weir_net_init,
	.pre_exit	= weir_net_pre_exit,
	.exit		= weir_net_exit,
	.id		= &weir_net_id,
	.size		= sizeof(struct weir_net),
};

/**
 * weir_netns_init() - take part in every namespace
 */
int weir_netns_init(void)
{
	weir_dev_secret = get_random_u64() | 1;
	return register_pernet_subsys(&weir_net_ops);
}

/**
 * weir_netns_uninit() - leave every namespace, with all that was made there
 */
void weir_netns_uninit(void)
{
	unregister_pernet_subsys(&weir_net_ops);
}
