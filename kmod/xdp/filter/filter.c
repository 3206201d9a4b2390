// SPDX-License-Identifier: GPL-2.0
/*
 * Filters: the rules of one device. A change makes a new classifier and publishes it, so a packet
 * meets the rules before or after it, and nothing between; where there is no memory for one, all
 * stays as it was.
 */
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "xdp/base/notify.h"
#include "xdp/filter/classify.h"
#include "xdp/filter/filter.h"

/**
 * weir_filter_rule() - find a rule
 * @filter: the filter
 * @prio: its place
 *
 * Return: it, until the namespace's lock is released, or NULL.
 */
struct weir_filter_rule *weir_filter_rule(struct weir_filter *filter, u32 prio)
{
	return xa_load(&filter->rules, prio);
}

/**
 * weir_filter_next_prio() - a place behind all rules
 * @filter: the filter, or NULL for one that is to be made
 *
 * Return: it, which may be above WEIR_XDP_FILTER_PRIO_MAX.
 */
u32 weir_filter_next_prio(struct weir_filter *filter)
{
	unsigned long bit, prio, last = 0;

	/* The greatest index, bit by bit: the tree tells only the least one from an index on. */
	for (bit = BIT(31); filter && bit; bit >>= 1) {
		prio = last | bit;
		if (xa_find(&filter->rules, &prio, U32_MAX, XA_PRESENT))
			last |= bit;
	}
	return (last / WEIR_XDP_FILTER_PRIO_STEP + 1) * WEIR_XDP_FILTER_PRIO_STEP;
}

static void weir_filter_publish(struct weir_filter *filter, struct weir_classifier *classifier)
{
	struct weir_classifier *old = rtnl_dereference(filter->classifier);

	rcu_assign_pointer(filter->classifier, classifier);
	weir_classifier_free(old);
}

/* From here on packets find the filter, and requests do. */
static int weir_filter_link(struct weir_xdp_net *wn, struct weir_filter *filter)
{
	struct weir_xdp_dev *xd = weir_xdp_dev_make(wn, filter->ifindex);

	if (!xd)
		return -ENOMEM;
	rcu_assign_pointer(xd->filter, filter);
	return 0;
}

/* @classifier: NULL to leave that which packets meet. Return: 0, -ENODEV or -ENOMEM. */
static int weir_filter_show(struct weir_xdp_net *wn, struct weir_filter *filter,
			    struct weir_classifier *classifier)
{
	int err = 0;

	rtnl_lock();
	if (filter->hidden || !__dev_get_by_index(wn->ns.net, filter->ifindex))
		err = -ENODEV;
	else if (!weir_filter_get(wn, filter->ifindex))
		err = weir_filter_link(wn, filter);
	if (!err && classifier)
		weir_filter_publish(filter, classifier);
	rtnl_unlock();
	return err;
}

/* Packets meet all rules that there are but @except, which may be NULL. */
static int weir_filter_rebuild(struct weir_xdp_net *wn, struct weir_filter *filter,
			       const struct weir_filter_rule *except)
{
	struct weir_classifier *classifier;
	struct weir_filter_rule *rule;
	unsigned long prio;
	int err;

	classifier = weir_filter_classifier(&filter->rules, except, filter->matches);
	if (IS_ERR(classifier))
		return PTR_ERR(classifier);
	err = weir_filter_show(wn, filter, classifier);
	if (err) {
		weir_classifier_free(classifier);
		return err;
	}
	xa_for_each(&filter->rules, prio, rule)
		rule->pending = false;
	return 0;
}

static struct weir_filter *weir_filter_make(int ifindex)
{
	struct weir_filter *filter = kzalloc(sizeof(*filter), GFP_KERNEL_ACCOUNT);

	if (!filter)
		return NULL;
	filter->ifindex = ifindex;
	xa_init_flags(&filter->rules, XA_FLAGS_ACCOUNT);
	return filter;
}

/* From here on neither packets nor requests find the filter. RTNL is held. */
static void weir_filter_hide(struct weir_xdp_dev *xd, struct weir_filter *filter)
{
	RCU_INIT_POINTER(xd->filter, NULL);
	weir_filter_publish(filter, NULL);
	filter->hidden = true;
}

static void weir_filter_free(struct weir_filter *filter)
{
	xa_destroy(&filter->rules);
	kfree_rcu(filter, rcu);
}

/* Ends the rules of a filter that is hidden. The namespace's lock is held. */
static void weir_filter_finish(struct weir_xdp_net *wn, struct weir_filter *filter)
{
	struct weir_filter_rule *rule;
	unsigned long prio;

	xa_for_each(&filter->rules, prio, rule) {
		weir_xdp_notify->filter_gone(wn, filter, rule);
		weir_filter_rule_stop(rule);
		cond_resched();
	}
	/* RCU would call back for thousands of rules in one softirq. */
	synchronize_rcu();
	xa_for_each(&filter->rules, prio, rule) {
		weir_filter_rule_free(rule);
		cond_resched();
	}
	weir_filter_free(filter);
}

static void weir_filter_ending(struct weir_ending *ending)
{
	struct weir_xdp_net *wn = container_of(ending->ns, struct weir_xdp_net, ns);

	mutex_lock(&wn->ns.lock);
	weir_filter_finish(wn, container_of(ending, struct weir_filter, ending));
	mutex_unlock(&wn->ns.lock);
}

static bool weir_filter_has_room(const struct weir_filter *filter, u32 matches)
{
	return matches <= WEIR_XDP_FILTER_MATCHES_MAX - filter->matches;
}

static void weir_filter_remove(struct weir_filter *filter, const struct weir_filter_rule *rule)
{
	xa_erase(&filter->rules, rule->config.prio);
	filter->count--;
	filter->matches -= rule->matches;
}

static int weir_filter_extend(struct weir_xdp_net *wn, struct weir_filter *filter,
			      struct weir_filter_rule *rule, bool more)
{
	int err;

	if (filter->count == WEIR_XDP_FILTER_RULES_MAX)
		return -E2BIG;
	if (!weir_filter_has_room(filter, rule->matches))
		return -EMSGSIZE;
	rule->pending = more;
	err = xa_insert(&filter->rules, rule->config.prio, rule, GFP_KERNEL_ACCOUNT);
	if (err)
		return err == -EBUSY ? -EEXIST : err;
	filter->count++;
	filter->matches += rule->matches;
	err = more ? weir_filter_show(wn, filter, NULL) : weir_filter_rebuild(wn, filter, NULL);
	if (err)
		weir_filter_remove(filter, rule);
	else
		weir_filter_rule_start(rule, wn, filter->ifindex);
	return err;
}

/**
 * weir_filter_add() - add a rule to a device's filter
 * @wn: the namespace, whose lock is held
 * @ifindex: the device
 * @rule: the rule, with counters; the filter's where this succeeds
 * @more: no packet meets it before the filter's next change
 *
 * Takes RTNL. Return: 0; -ENODEV, where there is no such device; -EEXIST, where the place has a
 * rule; -E2BIG, where there are too many rules; -EMSGSIZE, where they have too many matches;
 * -ENOSPC, where these have too many tuples; -ENOMEM.
 */
int weir_filter_add(struct weir_xdp_net *wn, int ifindex, struct weir_filter_rule *rule, bool more)
{
	struct weir_filter *filter = weir_filter_find(wn, ifindex) ?: weir_filter_make(ifindex);
	int err;

	if (!filter)
		return -ENOMEM;
	err = weir_filter_extend(wn, filter, rule, more);
	/* It was allocated for this rule, and nothing else has seen it. */
	if (!filter->count)
		weir_filter_free(filter);
	return err;
}

/**
 * weir_filter_commit() - let packets meet all rules that there are
 * @wn: the namespace, whose lock is held
 * @filter: the filter
 *
 * Takes RTNL. Return: 0, -ENODEV, -ENOSPC or -ENOMEM.
 */
int weir_filter_commit(struct weir_xdp_net *wn, struct weir_filter *filter)
{
	return weir_filter_rebuild(wn, filter, NULL);
}

/**
 * weir_filter_replace() - put a rule in the place of another one, which it takes the counters of
 * @wn: the namespace, whose lock is held
 * @filter: the filter
 * @rule: the rule, without counters; the filter's where this succeeds
 *
 * Takes RTNL. Return: 0; -ENOENT, where the place has none; else as weir_filter_add().
 */
int weir_filter_replace(struct weir_xdp_net *wn, struct weir_filter *filter,
			struct weir_filter_rule *rule)
{
	struct weir_filter_rule *old = weir_filter_rule(filter, rule->config.prio);
	int err;

	if (!old)
		return -ENOENT;
	filter->matches -= old->matches;
	if (!weir_filter_has_room(filter, rule->matches)) {
		filter->matches += old->matches;
		return -EMSGSIZE;
	}
	filter->matches += rule->matches;
	rule->count = old->count;
	/* Needs no memory, as the place is there. */
	xa_store(&filter->rules, rule->config.prio, rule, GFP_KERNEL_ACCOUNT);
	err = weir_filter_rebuild(wn, filter, NULL);
	if (err) {
		xa_store(&filter->rules, old->config.prio, old, GFP_KERNEL_ACCOUNT);
		filter->matches += old->matches - rule->matches;
		rule->count = NULL;
		return err;
	}
	weir_filter_rule_start(rule, wn, filter->ifindex);
	old->replaced = true;
	weir_filter_rule_release(old);
	return 0;
}

static int weir_filter_rebuild_without(struct weir_xdp_net *wn, struct weir_filter *filter,
				       const struct weir_filter_rule *rule)
{
	int err;

	filter->matches -= rule->matches;
	err = weir_filter_rebuild(wn, filter, rule);
	filter->matches += rule->matches;
	return err;
}

/**
 * weir_filter_del() - take a rule out of a filter, which ends with its last one
 * @wn: the namespace, whose lock is held
 * @filter: the filter
 * @prio: the rule's place
 *
 * The events group is told. That a rule goes which no packet meets lets no other one have packets.
 * Takes RTNL.
 *
 * Return: 0, -ENOENT, -ENODEV, -ENOSPC or -ENOMEM.
 */
int weir_filter_del(struct weir_xdp_net *wn, struct weir_filter *filter, u32 prio)
{
	struct weir_filter_rule *rule = weir_filter_rule(filter, prio);
	int err;

	if (!rule)
		return -ENOENT;
	if (filter->count == 1) {
		weir_filter_end(wn, filter);
		return 0;
	}
	err = rule->pending ? 0 : weir_filter_rebuild_without(wn, filter, rule);
	if (err)
		return err;
	weir_filter_remove(filter, rule);
	weir_xdp_notify->filter_gone(wn, filter, rule);
	weir_filter_rule_release(rule);
	return 0;
}

/**
 * weir_filter_end() - take a filter away, with all of its rules
 * @wn: the namespace, whose lock is held
 * @filter: the filter
 *
 * The events group is told of each rule. Takes RTNL.
 */
void weir_filter_end(struct weir_xdp_net *wn, struct weir_filter *filter)
{
	struct weir_xdp_dev *xd;
	bool hidden;

	rtnl_lock();
	hidden = filter->hidden;
	if (!hidden) {
		xd = weir_xdp_dev_find(wn, filter->ifindex);
		weir_filter_hide(xd, filter);
		weir_xdp_dev_drop(wn, xd);
	}
	rtnl_unlock();
	/* Else its device has gone, and a worker waits for the lock. */
	if (!hidden)
		weir_filter_finish(wn, filter);
}

/**
 * weir_filter_flush() - take all filters of a namespace away
 * @net: the namespace, whose lock is held
 *
 * Takes RTNL.
 */
void weir_filter_flush(struct net *net)
{
	struct weir_xdp_net *wn = weir_xdp_net(net);
	struct weir_filter *filter;
	struct weir_xdp_dev *xd;
	unsigned long ifindex;

	/* The lock of the namespace keeps filters, not entries of devices. */
	xa_for_each(&wn->devs, ifindex, xd) {
		filter = weir_filter_find(wn, ifindex);
		if (filter)
			weir_filter_end(wn, filter);
	}
}

/**
 * weir_filter_gone() - remove the filter of a device that goes, if there is one
 * @wn: the namespace
 * @xd: the device's entry; RTNL is held
 *
 * Its rules end later, under the namespace's lock. The caller drops the entry.
 */
void weir_filter_gone(struct weir_xdp_net *wn, struct weir_xdp_dev *xd)
{
	struct weir_filter *filter = rtnl_dereference(xd->filter);

	if (!filter)
		return;
	weir_filter_hide(xd, filter);
	weir_ns_end_later(&wn->ns, &filter->ending, weir_filter_ending);
}
