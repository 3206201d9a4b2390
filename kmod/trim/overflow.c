// SPDX-License-Identifier: GPL-2.0
/*
 * Overflows of the real queue behind the meters of a port: the paper's
 * deflect-on-drop and NOTIFY packets are a time stamp here, which every CPU reads.
 * The kernel's own tracepoints report drops; they cost nothing while no policy uses
 * them.
 */
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/tracepoint.h>
#include <trace/events/skb.h>
#include <trace/events/xdp.h>

#include "core/base/compat.h"
#include "trim/deflect.h"
#include "trim/overflow.h"
#include "trim/trim.h"

static DEFINE_MUTEX(weir_overflow_lock);	/* the number below */
static unsigned int weir_overflow_users;

/* @last: the stamp before. Another CPU may have set a later one already. */
static bool weir_overflow_stamp(struct weir_trim_rev *rev, u64 now, u64 *last)
{
	*last = READ_ONCE(rev->port.overflow);
	do {
		if ((s64)(now - *last) <= 0)
			return false;
	} while (!try_cmpxchg(&rev->port.overflow, last, now));
	return true;
}

/**
 * weir_overflow_signal() - tell all CPUs that a port had no room
 * @trim: its policy
 * @drops: frames that found none
 *
 * Called under rcu_read_lock(), with bottom halves disabled. Only per-CPU meters
 * use it.
 */
void weir_overflow_signal(const struct weir_trim *trim, unsigned int drops)
{
	struct weir_trim_rev *rev = weir_trim_rev(trim);
	struct weir_mode_time time;
	u64 now, last;

	if (!weir_trim_has_modes(&rev->config))
		return;
	weir_trim_count(trim, WEIR_TRIM_C_OVERFLOWS, drops);
	now = ktime_get_ns();
	if (!weir_overflow_stamp(rev, now, &last) || !last)
		return;
	time = weir_mode_time(now - last, rev->port.meters.t0,
			      rev->port.meters.t1);
	weir_trim_count(trim, WEIR_TRIM_C_PESSIMISTIC_TIME, time.pessimistic);
	weir_trim_count(trim, WEIR_TRIM_C_HALF_TIME, time.half);
}

static void weir_overflow(const struct net_device *dev, unsigned int drops)
{
	const struct weir_trim *trim;

	rcu_read_lock();
	trim = weir_trim_get(weir_trim_net(dev_net(dev)), dev->ifindex);
	if (trim)
		weir_overflow_signal(trim, drops);
	rcu_read_unlock();
}

/* A transmit queue had no room for frames that were redirected. */
static void weir_overflow_xdp(void *data, const struct net_device *from,
			      const struct net_device *to, int sent, int drops,
			      int err)
{
	if (drops > 0)
		weir_overflow(to, drops);
}

static bool weir_overflow_is_qdisc(enum skb_drop_reason reason)
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
	case SKB_DROP_REASON_FQ_BAND_LIMIT:
	case SKB_DROP_REASON_FQ_FLOW_LIMIT:
		return true;
	default:
		return false;
	}
}

/* A qdisc had no room. */
static void weir_overflow_skb(WEIR_KFREE_SKB_PROTO)
{
	if (weir_overflow_is_qdisc(reason) && skb->dev &&
	    !weir_deflect_told(skb->dev))
		weir_overflow(skb->dev, 1);
}

/**
 * struct weir_overflow_probe - a function at a tracepoint
 * @name: of the tracepoint
 * @func: the function
 * @tp: the tracepoint, once it was looked for
 */
struct weir_overflow_probe {
	const char		*name;
	void			*func;
	struct tracepoint	*tp;
};

static struct weir_overflow_probe weir_overflow_probes[] = {
	{ .name = "xdp_devmap_xmit", .func = weir_overflow_xdp },
	{ .name = "kfree_skb", .func = weir_overflow_skb },
};

static void weir_overflow_find(struct tracepoint *tp, void *data)
{
	struct weir_overflow_probe *probe = data;

	if (!strcmp(tp->name, probe->name))
		probe->tp = tp;
}

/* The compiler compares prototypes; tracepoints themselves go by names. */
static int weir_overflow_register(struct weir_overflow_probe *probe)
{
	check_trace_callback_type_xdp_devmap_xmit(weir_overflow_xdp);
	check_trace_callback_type_kfree_skb(weir_overflow_skb);

	if (!probe->tp)
		for_each_kernel_tracepoint(weir_overflow_find, probe);
	if (!probe->tp)
		return -EOPNOTSUPP;
	return tracepoint_probe_register(probe->tp, probe->func, NULL);
}

static void weir_overflow_unregister(unsigned int n)
{
	lockdep_assert_held(&weir_overflow_lock);

	while (n--)
		tracepoint_probe_unregister(weir_overflow_probes[n].tp,
					    weir_overflow_probes[n].func, NULL);
}

static int weir_overflow_register_all(void)
{
	unsigned int i;
	int err;

	lockdep_assert_held(&weir_overflow_lock);

	for (i = 0; i < ARRAY_SIZE(weir_overflow_probes); i++) {
		err = weir_overflow_register(&weir_overflow_probes[i]);
		if (err) {
			weir_overflow_unregister(i);
			return err;
		}
	}
	return 0;
}

/**
 * weir_overflow_watch() - a policy that needs overflows comes
 *
 * Sleeps. Return: 0, -ENOMEM, or -EOPNOTSUPP where the kernel lacks a tracepoint of
 * drops.
 */
int weir_overflow_watch(void)
{
	int err = 0;

	mutex_lock(&weir_overflow_lock);
	if (!weir_overflow_users)
		err = weir_overflow_register_all();
	if (!err)
		weir_overflow_users++;
	mutex_unlock(&weir_overflow_lock);
	return err;
}

/**
 * weir_overflow_unwatch() - one has gone
 *
 * Sleeps. Probes may run for a grace period yet.
 */
void weir_overflow_unwatch(void)
{
	mutex_lock(&weir_overflow_lock);
	if (!--weir_overflow_users)
		weir_overflow_unregister(ARRAY_SIZE(weir_overflow_probes));
	mutex_unlock(&weir_overflow_lock);
}

/**
 * weir_overflow_time() - time in modes since the last overflow of a port
 * @rev: its policy
 *
 * The counters have the time before that.
 */
struct weir_mode_time weir_overflow_time(const struct weir_trim_rev *rev)
{
	u64 now = ktime_get_ns(), last = READ_ONCE(rev->port.overflow);

	if (!last || (s64)(now - last) < 0)
		return (struct weir_mode_time) { };
	return weir_mode_time(now - last, rev->port.meters.t0,
			      rev->port.meters.t1);
}

/**
 * weir_overflow_uninit() - wait for probes that are still running
 */
void weir_overflow_uninit(void)
{
	tracepoint_synchronize_unregister();
}
