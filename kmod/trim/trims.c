// SPDX-License-Identifier: GPL-2.0
/* Trimming policies: one an egress port, replaced as a whole when it changes. */
#include <linux/if_arp.h>
#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <linux/random.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "core/base/compat.h"
#include "trim/acl.h"
#include "trim/acls.h"
#include "trim/notify.h"
#include "core/base/virtual.h"
#include "trim/backlog.h"
#include "trim/deflect.h"
#include "trim/drops.h"
#include "trim/edge.h"
#include "trim/hits.h"
#include "trim/overflow.h"
#include "trim/pools.h"
#include "trim/sch_weir.h"
#include "trim/trim_default.h"
#include "trim/trims.h"

/* The policy where no attribute was given. */
static struct weir_trim_config weir_trim_of_nobody __ro_after_init;

static void weir_trim_free(struct weir_trim *trim)
{
	kfree(rcu_dereference_protected(trim->rev, true));
	free_percpu(trim->cpu);
	kfree(trim);
}

static void weir_trim_free_rcu(struct rcu_head *rcu)
{
	weir_trim_free(container_of(rcu, struct weir_trim, rcu));
}

/* Counters that hold a maximum, and no sum. */
static bool weir_trim_is_maximum(enum weir_trim_counter counter)
{
	return counter == WEIR_TRIM_C_DATA_MAX ||
	       counter == WEIR_TRIM_C_HEADER_MAX ||
	       counter == WEIR_TRIM_C_OTHER_MAX ||
	       counter == WEIR_TRIM_C_DEFLECTED_MAX;
}

static u64 weir_trim_dropped(struct net_device *dev)
{
	struct rtnl_link_stats64 stats;

	return dev_get_stats(dev, &stats)->tx_dropped;
}

/* A driver may have reset its counters. */
static u64 weir_trim_device_dropped(const struct weir_trim *trim)
{
	u64 dropped = weir_trim_dropped(trim->dev);

	return dropped < trim->dropped ? dropped : dropped - trim->dropped;
}

/* No counter has the time of a mode that still runs, nor drops that the device counts. */
static u64 weir_trim_running(const struct weir_trim *trim,
			     enum weir_trim_counter counter)
{
	struct weir_mode_time time = weir_overflow_time(weir_trim_rev(trim));

	if (counter == WEIR_TRIM_C_DEVICE_DROPPED)
		return weir_trim_device_dropped(trim);
	return counter == WEIR_TRIM_C_HALF_TIME ? time.half :
	       counter == WEIR_TRIM_C_PESSIMISTIC_TIME ? time.pessimistic : 0;
}

/* A counter, of all CPUs, since the policy came. */
static u64 weir_trim_counted(const struct weir_trim *trim,
			     enum weir_trim_counter counter)
{
	u64 n, total;
	int cpu;

	total = weir_trim_running(trim, counter);
	for_each_possible_cpu(cpu) {
		n = READ_ONCE(per_cpu_ptr(trim->cpu, cpu)->count[counter]);
		if (!weir_trim_is_maximum(counter))
			total += n;
		else if (n > total)
			total = n;
	}
	return total;
}

static u64 weir_trim_since(u64 counted, u64 cleared)
{
	return counted > cleared ? counted - cleared : 0;
}

/**
 * weir_trim_counter() - read a counter, of all CPUs, since it was last set to zero
 * @trim: the policy; RTNL is held
 * @counter: enum weir_trim_counter
 */
u64 weir_trim_counter(const struct weir_trim *trim,
		      enum weir_trim_counter counter)
{
	ASSERT_RTNL();

	/* A packet that its device did not take is subtracted for a moment. */
	return weir_trim_since(weir_trim_counted(trim, counter),
			       trim->cleared[counter]);
}

/**
 * weir_trim_hits() - read the counters of a rule, of all CPUs
 * @trim: the policy; RTNL is held
 * @slot: the rule's
 * @hits: filled
 */
void weir_trim_hits(const struct weir_trim *trim, unsigned int slot,
		    struct weir_trim_hits *hits)
{
	ASSERT_RTNL();

	/* A slot has also counted for rules that had it before. */
	weir_trim_hits_since(&trim->cpu->hits[slot], &trim->hits_cleared[slot], hits);
}

/* The counters of a traffic class, of all CPUs, since the policy came. */
static void weir_trim_class_counted(const struct weir_trim *trim,
				    unsigned int class,
				    struct weir_trim_class_count *count)
{
	const struct weir_trim_class_count *one;
	int cpu;

	*count = (struct weir_trim_class_count) {};
	for_each_possible_cpu(cpu) {
		one = &per_cpu_ptr(trim->cpu, cpu)->class[class];
		count->trim += READ_ONCE(one->trim);
		count->tx_trim += READ_ONCE(one->tx_trim);
		count->dropped_trim += READ_ONCE(one->dropped_trim);
	}
}

/**
 * weir_trim_class_count() - read the counters of a traffic class, of all CPUs
 * @trim: the policy; RTNL is held
 * @class: the class
 * @count: filled
 *
 * Return: whether any packet of the class was trimmed since they were set to zero.
 */
bool weir_trim_class_count(const struct weir_trim *trim, unsigned int class,
			   struct weir_trim_class_count *count)
{
	const struct weir_trim_class_count *cleared = &trim->class_cleared[class];

	ASSERT_RTNL();

	/* A packet that its device did not take is subtracted for a moment. */
	weir_trim_class_counted(trim, class, count);
	count->trim = weir_trim_since(count->trim, cleared->trim);
	count->tx_trim = weir_trim_since(count->tx_trim, cleared->tx_trim);
	count->dropped_trim = weir_trim_since(count->dropped_trim,
					      cleared->dropped_trim);
	return count->trim;
}

static void weir_trim_add(struct weir_trim_totals *totals,
			  const struct weir_trim *trim)
{
	totals->trim += weir_trim_counter(trim, WEIR_TRIM_C_TRIM);
	totals->tx_trim += weir_trim_counter(trim, WEIR_TRIM_C_TX_TRIM);
	totals->dropped_trim += weir_trim_counter(trim,
						  WEIR_TRIM_C_DROPPED_TRIM);
}

/**
 * weir_trim_totals() - sum up what the ports of a namespace have trimmed
 * @wn: the namespace; RTNL is held
 * @totals: filled; ports that are gone count, too
 */
void weir_trim_totals(struct weir_trim_net *wn, struct weir_trim_totals *totals)
{
	struct weir_trim *trim;
	unsigned long ifindex;

	ASSERT_RTNL();

	*totals = wn->trim_past;
	xa_for_each(&wn->trims, ifindex, trim)
		weir_trim_add(totals, trim);
}

/*
 * A CPU may add to its counters meanwhile, so they stay as they are, and what they have now is
 * subtracted from now on. A maximum is stored as a whole, and can be set to zero.
 */
static void weir_trim_clear_counters(struct weir_trim *trim)
{
	int i, cpu;

	trim->dropped = weir_trim_dropped(trim->dev);
	for (i = 0; i < WEIR_TRIM_C_MAX; i++) {
		if (!weir_trim_is_maximum(i)) {
			trim->cleared[i] = weir_trim_counted(trim, i);
			continue;
		}
		for_each_possible_cpu(cpu)
			WRITE_ONCE(per_cpu_ptr(trim->cpu, cpu)->count[i], 0);
	}
	for (i = 0; i < WEIR_TRIM_SLOTS; i++)
		weir_trim_hits_sum(&trim->cpu->hits[i], &trim->hits_cleared[i]);
	for (i = 0; i < WEIR_TRIM_CLASSES; i++)
		weir_trim_class_counted(trim, i, &trim->class_cleared[i]);
}

/**
 * weir_trim_clear() - set the counters of a port to zero
 * @wn: the namespace; RTNL is held
 * @trim: the port's policy
 *
 * The counters of the port's weir qdiscs are set to zero, too. The namespace's totals stay.
 */
void weir_trim_clear(struct weir_trim_net *wn, struct weir_trim *trim)
{
	ASSERT_RTNL();

	weir_trim_add(&wn->trim_past, trim);
	weir_trim_clear_counters(trim);
	weir_backlog_clear(wn, trim->ifindex);
}

/**
 * weir_trim_clear_all() - set the trimming counters of a namespace to zero
 * @wn: the namespace; RTNL is held
 *
 * Those of weir qdiscs without a policy, and the namespace's totals, are set to zero, too.
 */
void weir_trim_clear_all(struct weir_trim_net *wn)
{
	struct weir_trim *trim;
	unsigned long ifindex;

	ASSERT_RTNL();

	xa_for_each(&wn->trims, ifindex, trim)
		weir_trim_clear_counters(trim);
	wn->trim_past = (struct weir_trim_totals) {};
	weir_backlog_clear(wn, 0);
	weir_trim_pools_clear(wn);
	weir_trim_acls_clear(wn);
}

static bool weir_trim_is_bound(const struct net_device *dev)
{
	unsigned int i;

	for (i = 0; i < dev->num_tx_queues; i++)
		if (weir_sch_bound(netdev_get_tx_queue(dev, i)))
			return true;
	return false;
}

/**
 * weir_trim_device() - read the properties of a device that a policy depends on
 * @dev: the device; RTNL is held
 * @device: filled
 */
void weir_trim_device(const struct net_device *dev,
		      struct weir_trim_device *device)
{
	ASSERT_RTNL();

	device->ifindex = dev->ifindex;
	device->frame = dev->mtu + dev->hard_header_len;
	device->queues = dev->num_tx_queues;
	device->classes = dev->num_tc;
	device->cpus = num_present_cpus();
	device->bound = weir_trim_is_bound(dev);
	device->child = weir_backlog_has_child(weir_trim_net(dev_net(dev)), dev->ifindex);
	device->sends = dev->netdev_ops->ndo_xdp_xmit;
	device->ethernet = dev->type == ARPHRD_ETHER ||
			   dev->type == ARPHRD_LOOPBACK;
	device->vrf = netif_is_l3_master(dev);
}

/*
 * Some drivers take redirected frames only at times: a veth while its peer polls, others
 * while they have a program of their own. And nothing is redirected to a device that is
 * down.
 */
static u32 weir_trim_sends(const struct weir_trim *trim)
{
	u32 features = READ_ONCE(trim->dev->xdp_features), sends = 0;

	if (trim->deflect && !netif_running(trim->deflect))
		return 0;
	if (features & NETDEV_XDP_ACT_NDO_XMIT)
		sends |= WEIR_TRIM_SENDS;
	if (features & NETDEV_XDP_ACT_NDO_XMIT_SG)
		sends |= WEIR_TRIM_SENDS_FRAGS;
	return sends;
}

static void weir_trim_unwatch(const struct weir_trim_rev *rev)
{
	if (weir_trim_has_modes(&rev->config))
		weir_drops_unwatch();
}

static bool weir_trim_same_rule(const struct weir_trim_rule *a,
				const struct weir_trim_rule *b)
{
	struct weir_trim_rule rule = *a;

	rule.slot = b->slot;
	return !memcmp(&rule, b, sizeof(rule));
}

static u32 weir_trim_slots(const struct weir_trim_config *config)
{
	u32 slots = 0;
	u32 i;

	for (i = 0; i < config->rules; i++)
		slots |= BIT(config->rule[i].slot);
	return slots;
}

/* The slot of an equal rule that no other rule has got yet; or none. */
static bool weir_trim_inherits_slot(struct weir_trim_rule *rule,
				    const struct weir_trim_config *old,
				    u32 got)
{
	u32 i;

	for (i = 0; i < old->rules; i++) {
		if (got & BIT(old->rule[i].slot) ||
		    !weir_trim_same_rule(rule, &old->rule[i]))
			continue;
		rule->slot = old->rule[i].slot;
		return true;
	}
	return false;
}

/* Rules that stay keep their counters. Others get slots that no old rule has. */
static void weir_trim_assign_slots(struct weir_trim_config *config,
				   const struct weir_trim_config *old)
{
	unsigned long used = old ? weir_trim_slots(old) : 0;
	u32 got = 0, i;

	static_assert(WEIR_TRIM_SLOTS == 32);

	for (i = 0; i < config->rules; i++) {
		struct weir_trim_rule *rule = &config->rule[i];

		if (!old || !weir_trim_inherits_slot(rule, old, got)) {
			rule->slot = ffz(used);
			used |= BIT(rule->slot);
		}
		got |= BIT(rule->slot);
	}
}

/*
 * A revision that is not in use yet, but sees overflows where it has modes. @old: the policy's
 * revision now, or NULL
 */
static struct weir_trim_rev *
weir_trim_rev_alloc(const struct net_device *dev,
		    const struct weir_trim_config *config,
		    const struct weir_trim_rev *old)
{
	struct weir_trim_device device;
	struct weir_trim_rev *rev;
	int err;

	rev = kzalloc(sizeof(*rev), GFP_KERNEL_ACCOUNT);
	if (!rev)
		return ERR_PTR(-ENOMEM);
	err = weir_trim_has_modes(config) ? weir_drops_watch() : 0;
	if (err) {
		kfree(rev);
		return ERR_PTR(err);
	}
	rev->config = *config;
	weir_trim_assign_slots(&rev->config, old ? &old->config : NULL);
	weir_trim_device(dev, &device);
	weir_trim_config_port(&rev->config, &device, &rev->port);
	rev->policy = rev->port.policy;
	weir_trim_config_bands(config, &rev->limits);
	rev->idle = weir_trim_config_idle(config, &device);
	return rev;
}

/* Virtual queues are empty from now on. Tick 0 may seem to lie in the future. */
static void weir_trim_begin(struct weir_trim *trim, struct weir_trim_rev *rev)
{
	u64 now = ktime_get_ns() << WEIR_TRIM_TICK_SHIFT;
	int cpu, mode;

	rev->port.queue = now;
	for_each_possible_cpu(cpu)
		for (mode = 0; mode < WEIR_TRIM_MODES; mode++)
			per_cpu_ptr(trim->cpu, cpu)->queue[mode] = now;
}

static struct weir_trim *weir_trim_alloc(struct net_device *dev,
					 struct weir_trim_rev *rev)
{
	struct weir_trim *trim = kzalloc(sizeof(*trim), GFP_KERNEL_ACCOUNT);

	if (!trim)
		return NULL;
	trim->dev = dev;
	trim->dropped = weir_trim_dropped(dev);
	trim->ifindex = dev->ifindex;
	trim->cpu = alloc_percpu_gfp(struct weir_trim_cpu, GFP_KERNEL_ACCOUNT);
	if (!trim->cpu) {
		kfree(trim);
		return NULL;
	}
	weir_trim_begin(trim, rev);
	RCU_INIT_POINTER(trim->rev, rev);
	return trim;
}

/* The device that programs redirect to, and the frames that they may. */
static void weir_trim_redirects(const struct weir_trim *trim,
				struct weir_trim_rev *rev)
{
	if (weir_trim_deflects(&rev->config))
		rev->port.via = trim->deflect->ifindex;
	rev->port.sends = weir_trim_sends(trim);
}

/* The device stays as long as the policy, through all changes. */
static int weir_trim_deflect(struct weir_trim *trim,
			     const struct weir_trim_config *config)
{
	struct net_device *dev;

	if (trim->deflect || !weir_trim_deflects(config))
		return 0;
	dev = weir_deflect_alloc(trim->dev);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	trim->deflect = dev;
	return 0;
}

/* Rules that come begin at zero. */
static void weir_trim_begin_slots(struct weir_trim *trim,
				  const struct weir_trim_rev *old,
				  const struct weir_trim_rev *rev)
{
	unsigned long slots;
	unsigned int slot;

	slots = weir_trim_slots(&rev->config) & ~weir_trim_slots(&old->config);
	for_each_set_bit(slot, &slots, WEIR_TRIM_SLOTS)
		weir_trim_hits_sum(&trim->cpu->hits[slot], &trim->hits_cleared[slot]);
}

/* A policy names a pool and an ACL, or no longer does. */
static void weir_trim_count_names(const struct weir_trim_rev *rev, int n)
{
	if (rev->config.pool)
		rev->config.pool->named.ports += n;
	if (rev->config.acl)
		rev->config.acl->named.ports += n;
}

/*
 * A virtual queue that a CPU lengthens between the copy and the exchange is
 * shorter by a packet then, once a change of the policy.
 */
static int weir_trim_replace(struct weir_trim_net *wn, struct weir_trim *trim,
			     struct weir_trim_rev *rev)
{
	struct weir_trim_rev *old = rtnl_dereference(trim->rev);
	struct weir_trim_pool *pool = weir_trim_pool(&rev->config);
	int err = weir_trim_deflect(trim, &rev->config);

	if (err)
		return err;
	weir_trim_redirects(trim, rev);
	weir_trim_begin_slots(trim, old, rev);
	rev->port.queue = READ_ONCE(old->port.queue);
	rev->port.overflow = READ_ONCE(old->port.overflow);
	/* A qdisc with a dynamic limit has a pool. */
	if (pool)
		weir_backlog_set_pool(wn, trim->ifindex, pool);
	rcu_assign_pointer(trim->rev, rev);
	if (!pool)
		weir_backlog_set_pool(wn, trim->ifindex, NULL);
	weir_trim_count_names(rev, 1);
	weir_trim_count_names(old, -1);
	weir_trim_unwatch(old);
	kfree_rcu(old, rcu);
	return 0;
}

static int weir_trim_insert(struct weir_trim_net *wn, struct net_device *dev,
			    struct weir_trim_rev *rev)
{
	struct weir_trim *trim = weir_trim_alloc(dev, rev);
	int err;

	if (!trim)
		return -ENOMEM;
	err = weir_trim_deflect(trim, &rev->config);
	if (err)
		goto free;
	weir_trim_redirects(trim, rev);
	err = xa_insert(&wn->trims, dev->ifindex, trim, GFP_KERNEL_ACCOUNT);
	if (!err) {
		weir_trim_count_names(rev, 1);
		weir_backlog_set_pool(wn, dev->ifindex, weir_trim_pool(&rev->config));
		hlist_add_head_rcu(&trim->node,
				   weir_dev_bucket(wn->trim_table, dev->ifindex));
		return 0;
	}
	weir_virtual_free(trim->deflect);
free:
	RCU_INIT_POINTER(trim->rev, NULL);
	weir_trim_free(trim);
	return err;
}

static void weir_trim_edges(struct weir_trim_net *wn)
{
	bool any = weir_edge_any(wn);

	WRITE_ONCE(wn->edges, any);
	weir_backlog_bypass(wn, !any);
}

static bool weir_trim_returns_packets(const struct weir_trim_config *config)
{
	return config->hook != WEIR_TRIM_HOOK_NONE &&
	       weir_trim_has_return(config);
}

/**
 * weir_trim_bounces() - test whether two ports would send packets to and fro
 * @wn: the namespace; RTNL is held
 * @ifindex: the port
 * @config: its new policy
 *
 * A packet that went back is recognized by its DSCP: ports with the same return DSCP do
 * not send it back again.
 */
bool weir_trim_bounces(struct weir_trim_net *wn, int ifindex,
		       const struct weir_trim_config *config)
{
	const struct weir_trim_config *other;
	struct weir_trim *trim;
	unsigned long i;

	ASSERT_RTNL();

	if (!weir_trim_returns_packets(config))
		return false;
	xa_for_each(&wn->trims, i, trim) {
		other = &weir_trim_rev(trim)->config;
		if (i != ifindex && weir_trim_returns_packets(other) &&
		    other->return_dscp != config->return_dscp)
			return true;
	}
	return false;
}

/**
 * weir_trim_set() - give a port a policy, or another one
 * @wn: the namespace
 * @dev: the port; RTNL is held, so that it cannot go in between
 * @config: the policy, which makes sense
 *
 * Return: 0, -ENOMEM, or an error of weir_drops_watch(), or of the device that XDP
 * redirects to.
 */
int weir_trim_set(struct weir_trim_net *wn, struct net_device *dev,
		  const struct weir_trim_config *config)
{
	struct weir_trim *trim;
	struct weir_trim_rev *rev;
	int err = 0;

	ASSERT_RTNL();

	trim = weir_trim_get(wn, dev->ifindex);
	rev = weir_trim_rev_alloc(dev, config, trim ? weir_trim_rev(trim) : NULL);
	if (IS_ERR(rev))
		return PTR_ERR(rev);
	if (trim)
		err = weir_trim_replace(wn, trim, rev);
	else
		err = weir_trim_insert(wn, dev, rev);
	weir_trim_edges(wn);
	if (err) {
		weir_trim_unwatch(rev);
		kfree(rev);
	}
	return err;
}

/**
 * weir_trim_untold() - a policy without any attribute given
 *
 * Any context.
 */
const struct weir_trim_config *weir_trim_untold(void)
{
	return &weir_trim_of_nobody;
}

/**
 * weir_trim_default() - the default that policies of a namespace inherit
 * @wn: the namespace; RTNL is held
 */
const struct weir_trim_config *weir_trim_default(const struct weir_trim_net *wn)
{
	ASSERT_RTNL();
	return wn->trim_default ?: weir_trim_untold();
}

/*
 * A policy's revision under another default. @config: room for a policy; @why: the reason of a
 * refusal
 */
static struct weir_trim_rev *
weir_trim_inherit(const struct weir_trim *trim,
		  const struct weir_trim_config *def,
		  struct weir_trim_config *config, const char **why)
{
	struct weir_trim_refusal refusal;
	struct weir_trim_device device;
	int err;

	*config = weir_trim_rev(trim)->config;
	weir_trim_default_apply(config, def);
	weir_trim_device(trim->dev, &device);
	err = weir_trim_config_check(config, &device, &refusal);
	if (err) {
		*why = refusal.msg;
		return ERR_PTR(err);
	}
	return weir_trim_rev_alloc(trim->dev, config, weir_trim_rev(trim));
}

/* All or none of the namespace's policies have a next revision. */
static int weir_trim_prepare(struct weir_trim_net *wn,
			     const struct weir_trim_config *def, int *at,
			     const char **why)
{
	struct weir_trim_config *config = kmalloc(sizeof(*config), GFP_KERNEL);
	struct weir_trim *trim;
	unsigned long ifindex;

	if (!config)
		return -ENOMEM;
	xa_for_each(&wn->trims, ifindex, trim) {
		trim->next = weir_trim_inherit(trim, def, config, why);
		if (IS_ERR(trim->next))
			break;
	}
	kfree(config);
	if (!trim)
		return 0;
	*at = ifindex;
	return PTR_ERR(trim->next);
}

static void weir_trim_forget_next(struct weir_trim_net *wn)
{
	struct weir_trim *trim;
	unsigned long ifindex;

	xa_for_each(&wn->trims, ifindex, trim) {
		if (!IS_ERR_OR_NULL(trim->next)) {
			weir_trim_unwatch(trim->next);
			kfree(trim->next);
		}
		trim->next = NULL;
	}
}

/* The hook does not change, so each policy has the device that it redirects to. */
static void weir_trim_take_next(struct weir_trim_net *wn)
{
	struct weir_trim *trim;
	unsigned long ifindex;

	xa_for_each(&wn->trims, ifindex, trim) {
		WARN_ON_ONCE(weir_trim_replace(wn, trim, trim->next));
		trim->next = NULL;
		weir_trim_notify->changed(wn, trim);
	}
}

/**
 * weir_trim_set_default() - change the default that policies of a namespace inherit
 * @wn: the namespace; RTNL is held
 * @def: the default; NULL for weir's own
 * @ifindex: set to the device whose policy would not make sense with it
 * @why: set to the reason, where there is one
 *
 * Packets may still see the old policies for a grace period. The events group gets each
 * policy.
 *
 * Return: 0, -ENOMEM, or another error with @ifindex set; then nothing has changed.
 */
int weir_trim_set_default(struct weir_trim_net *wn,
			  const struct weir_trim_config *def, int *ifindex,
			  const char **why)
{
	struct weir_trim_config *own = NULL;
	int err;

	ASSERT_RTNL();

	if (def)
		own = kmemdup(def, sizeof(*def), GFP_KERNEL_ACCOUNT);
	if (def && !own)
		return -ENOMEM;
	err = weir_trim_prepare(wn, def ?: weir_trim_untold(), ifindex, why);
	if (err) {
		weir_trim_forget_next(wn);
		kfree(own);
		return err;
	}
	kfree(wn->trim_default);
	wn->trim_default = own;
	weir_trim_take_next(wn);
	return 0;
}

/**
 * weir_trim_del() - take a port's policy away
 * @wn: the namespace
 * @ifindex: the device
 *
 * RTNL is held. The events group gets the deletion.
 *
 * Return: whether it was there.
 */
bool weir_trim_del(struct weir_trim_net *wn, int ifindex)
{
	struct weir_trim *trim;

	ASSERT_RTNL();

	trim = xa_erase(&wn->trims, ifindex);
	if (!trim)
		return false;
	hlist_del_rcu(&trim->node);
	weir_backlog_set_pool(wn, ifindex, NULL);
	weir_trim_count_names(rtnl_dereference(trim->rev), -1);
	weir_trim_add(&wn->trim_past, trim);
	weir_trim_notify->gone(wn, trim);
	weir_trim_edges(wn);
	weir_virtual_free(trim->deflect);
	weir_trim_unwatch(rtnl_dereference(trim->rev));
	call_rcu(&trim->rcu, weir_trim_free_rcu);
	return true;
}

/**
 * weir_trim_flush() - take all policies of a namespace away
 * @net: the namespace, whose lock is held
 *
 * Takes RTNL.
 */
void weir_trim_flush(struct net *net)
{
	struct weir_trim_net *wn = weir_trim_net(net);
	unsigned long ifindex;
	struct weir_trim *trim;

	rtnl_lock();
	xa_for_each(&wn->trims, ifindex, trim)
		weir_trim_del(wn, ifindex);
	rtnl_unlock();
}

/*
 * Limits in packets are limits of time to a meter, by the longest frame. And frames may have
 * become too short to be trimmed, or long enough: the events group gets that.
 */
static int weir_trim_change_mtu(struct weir_trim_net *wn, struct net_device *dev)
{
	struct weir_trim *trim = weir_trim_get(wn, dev->ifindex);
	bool idle;
	int err;

	if (!trim)
		return 0;
	idle = weir_trim_rev(trim)->idle;
	err = weir_trim_set(wn, dev, &rtnl_dereference(trim->rev)->config);
	if (!err && weir_trim_rev(trim)->idle != idle)
		weir_trim_notify->changed(wn, trim);
	return err;
}

static void weir_trim_change_sends(struct weir_trim_net *wn,
				   const struct net_device *dev, bool any)
{
	struct weir_trim *trim = weir_trim_get(wn, dev->ifindex);

	if (trim)
		WRITE_ONCE(weir_trim_rev(trim)->port.sends,
			   any ? weir_trim_sends(trim) : 0);
}

/*
 * The device before a port is set down or up by hand. Programs that redirect to it yet
 * are over before it is down.
 */
static void weir_trim_change_before(struct weir_trim_net *wn, unsigned long event,
				    const struct net_device *dev)
{
	const struct net_device *port = weir_deflect_before(dev);

	if (port && (event == NETDEV_GOING_DOWN || event == NETDEV_UP))
		weir_trim_change_sends(wn, port, event == NETDEV_UP);
}

/* A device that goes, or moves to another namespace, loses its policy. */
int weir_trim_dev_event(struct net_device *dev, unsigned long event, void *info)
{
	struct weir_trim_net *wn = weir_trim_net(dev_net(dev));

	if (event == NETDEV_UNREGISTER)
		weir_trim_del(wn, dev->ifindex);
	if (event == NETDEV_XDP_FEAT_CHANGE)
		weir_trim_change_sends(wn, dev, true);
	weir_trim_change_before(wn, event, dev);
	if (event == NETDEV_CHANGEMTU)
		return weir_trim_change_mtu(wn, dev);
	return 0;
}

/* Return: 0. */
int weir_trim_net_init(struct net *net)
{
	struct weir_trim_net *wn = weir_trim_net(net);

	xa_init(&wn->trims);
	wn->returned = cpu_to_be16(get_random_u16() | 1);
	return 0;
}

void weir_trim_net_uninit(struct net *net)
{
	struct weir_trim_net *wn = weir_trim_net(net);

	xa_destroy(&wn->trims);
	kfree(wn->trim_default);
}

/**
 * weir_trim_init() - know what a policy is of which nothing was said
 *
 * Return: 0.
 */
int __init weir_trim_init(void)
{
	weir_trim_config_init(&weir_trim_of_nobody);
	return 0;
}
