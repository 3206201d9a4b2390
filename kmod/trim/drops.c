// SPDX-License-Identifier: GPL-2.0
/*
 * Drops of the kernel, which are overflows of the ports behind whose meters they happen. Its own
 * tracepoints report them; they cost nothing while no policy uses them.
 */
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/tracepoint.h>
#include <trace/events/skb.h>
#include <trace/events/xdp.h>

#include "core/base/compat.h"
#include "trim/deflect.h"
#include "trim/drops.h"
#include "trim/overflow.h"
#include "trim/trim.h"

static DEFINE_MUTEX(weir_drops_lock);	/* the number below */
static unsigned int weir_drops_users;

static void weir_drops_signal(const struct net_device *dev, unsigned int drops)
{
	const struct weir_trim *trim;

	rcu_read_lock();
	trim = weir_trim_get(weir_trim_net(dev_net(dev)), dev->ifindex);
	if (trim)
		weir_overflow_signal(trim, drops);
	rcu_read_unlock();
}

/* A transmit queue had no room for frames that were redirected. */
static void weir_drops_xdp(void *data, const struct net_device *from,
			   const struct net_device *to, int sent, int drops, int err)
{
	if (drops > 0)
		weir_drops_signal(to, drops);
}

static bool weir_drops_is_qdisc(enum skb_drop_reason reason)
{
	switch (reason) {
	case SKB_DROP_REASON_QDISC_DROP:
#ifdef WEIR_HAVE_QDISC_OVERLIMIT
	case SKB_DROP_REASON_QDISC_OVERLIMIT:
#endif
#ifdef WEIR_HAVE_QDISC_BURST_DROP
	/* More CPUs than it has room for wait to give it packets. */
	case SKB_DROP_REASON_QDISC_BURST_DROP:
#endif
#ifdef WEIR_HAVE_FQ_LIMIT
	/* Since 7.3 every qdisc's drop has the first reason above. */
	case SKB_DROP_REASON_FQ_BAND_LIMIT:
	case SKB_DROP_REASON_FQ_FLOW_LIMIT:
#endif
		return true;
	default:
		return false;
	}
}

/* A qdisc had no room. */
static void weir_drops_skb(WEIR_KFREE_SKB_PROTO)
{
	if (weir_drops_is_qdisc(reason) && skb->dev &&
	    !weir_deflect_told(skb->dev))
		weir_drops_signal(skb->dev, 1);
}

/**
 * struct weir_drops_probe - a function at a tracepoint
 * @name: of the tracepoint
 * @func: the function
 * @tp: the tracepoint, once it was looked for
 */
struct weir_drops_probe {
	const char		*name;
	void			*func;
	struct tracepoint	*tp;
};

static struct weir_drops_probe weir_drops_probes[] = {
	{ .name = "xdp_devmap_xmit", .func = weir_drops_xdp },
	{ .name = "kfree_skb", .func = weir_drops_skb },
};

static void weir_drops_find(struct tracepoint *tp, void *data)
{
	struct weir_drops_probe *probe = data;

	if (!strcmp(tp->name, probe->name))
		probe->tp = tp;
}

/* The compiler compares prototypes; tracepoints themselves go by names. */
static int weir_drops_register(struct weir_drops_probe *probe)
{
	check_trace_callback_type_xdp_devmap_xmit(weir_drops_xdp);
	check_trace_callback_type_kfree_skb(weir_drops_skb);

	if (!probe->tp)
		for_each_kernel_tracepoint(weir_drops_find, probe);
	if (!probe->tp)
		return -EOPNOTSUPP;
	return tracepoint_probe_register(probe->tp, probe->func, NULL);
}

static void weir_drops_unregister(unsigned int n)
{
	lockdep_assert_held(&weir_drops_lock);

	while (n--)
		tracepoint_probe_unregister(weir_drops_probes[n].tp,
					    weir_drops_probes[n].func, NULL);
}

static int weir_drops_register_all(void)
{
	unsigned int i;
	int err;

	lockdep_assert_held(&weir_drops_lock);

	for (i = 0; i < ARRAY_SIZE(weir_drops_probes); i++) {
		err = weir_drops_register(&weir_drops_probes[i]);
		if (err) {
			weir_drops_unregister(i);
			return err;
		}
	}
	return 0;
}

/**
 * weir_drops_watch() - report drops as overflows: a policy that needs them was set
 *
 * Sleeps. Return: 0, -ENOMEM, or -EOPNOTSUPP where the kernel lacks a tracepoint of
 * drops.
 */
int weir_drops_watch(void)
{
	int err = 0;

	mutex_lock(&weir_drops_lock);
	if (!weir_drops_users)
		err = weir_drops_register_all();
	if (!err)
		weir_drops_users++;
	mutex_unlock(&weir_drops_lock);
	return err;
}

/**
 * weir_drops_unwatch() - a policy that needs drops was removed
 *
 * Sleeps. Probes may run for a grace period yet.
 */
void weir_drops_unwatch(void)
{
	mutex_lock(&weir_drops_lock);
	if (!--weir_drops_users)
		weir_drops_unregister(ARRAY_SIZE(weir_drops_probes));
	mutex_unlock(&weir_drops_lock);
}

/**
 * weir_drops_uninit() - wait for probes that are still running
 */
void weir_drops_uninit(void)
{
	tracepoint_synchronize_unregister();
}
