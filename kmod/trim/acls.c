// SPDX-License-Identifier: GPL-2.0
/*
 * The ACLs of a network namespace, by their names. A change makes a new classifier and publishes
 * it, so a packet meets the rules before or after it; if there is no memory for one, all stays as
 * it was.
 */
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core/packet/classifier.h"
#include "trim/acl.h"
#include "trim/acls.h"
#include "trim/hits.h"
#include "trim/named.h"
#include "trim/net.h"

/**
 * weir_trim_acls_find() - find an ACL
 * @wn: the namespace; RTNL is held
 * @name: its name
 *
 * Return: the ACL, or NULL.
 */
struct weir_trim_acl *weir_trim_acls_find(struct weir_trim_net *wn, const char *name)
{
	struct weir_trim_named *named;

	ASSERT_RTNL();

	named = weir_trim_named_find(&wn->acls, name);
	return named ? container_of(named, struct weir_trim_acl, named) : NULL;
}

static void weir_trim_acl_rule_free(struct weir_trim_acl_rule *rule)
{
	free_percpu(rule->hits);
	kfree(rule);
}

static void weir_trim_acl_rule_free_rcu(struct rcu_head *rcu)
{
	weir_trim_acl_rule_free(container_of(rcu, struct weir_trim_acl_rule, rcu));
}

static struct weir_trim_acl_rule *weir_trim_acl_rule_alloc(u32 prio,
							   const struct weir_trim_rule *of)
{
	struct weir_trim_acl_rule *rule = kzalloc(sizeof(*rule), GFP_KERNEL_ACCOUNT);

	if (!rule)
		return NULL;
	rule->rule = *of;
	rule->prio = prio;
	rule->hits = alloc_percpu_gfp(struct weir_trim_hits, GFP_KERNEL_ACCOUNT);
	if (rule->hits)
		return rule;
	kfree(rule);
	return NULL;
}

/*
 * Publish a classifier of all rules but @except, which may be NULL. Return: 0, -ENOMEM, or -E2BIG
 * if there are too many tuples.
 */
static int weir_trim_acl_publish(struct weir_trim_acl *acl,
				 const struct weir_trim_acl_rule *except)
{
	struct weir_classifier *classifier = weir_trim_acl_classifier(acl, except);

	if (IS_ERR(classifier))
		return PTR_ERR(classifier) == -ENOSPC ? -E2BIG : PTR_ERR(classifier);
	weir_classifier_free(rcu_replace_pointer(acl->classifier, classifier,
						 lockdep_rtnl_is_held()));
	return 0;
}

static int weir_trim_acl_insert(struct weir_trim_acl *acl, struct weir_trim_acl_rule *rule)
{
	int err;

	if (acl->count == WEIR_TRIM_ACL_RULES_MAX)
		return -EMSGSIZE;
	err = xa_insert(&acl->rules, rule->prio, rule, GFP_KERNEL_ACCOUNT);
	if (err)
		return err;
	acl->count++;
	err = weir_trim_acl_publish(acl, NULL);
	if (!err)
		return 0;
	xa_erase(&acl->rules, rule->prio);
	acl->count--;
	return err;
}

static int weir_trim_acl_replace(struct weir_trim_acl *acl, struct weir_trim_acl_rule *old,
				 struct weir_trim_acl_rule *rule)
{
	int err;

	/* Needs no memory, as the place is there. */
	xa_store(&acl->rules, rule->prio, rule, GFP_KERNEL_ACCOUNT);
	err = weir_trim_acl_publish(acl, NULL);
	if (err)
		xa_store(&acl->rules, old->prio, old, GFP_KERNEL_ACCOUNT);
	else
		call_rcu(&old->rcu, weir_trim_acl_rule_free_rcu);
	return err;
}

static int weir_trim_acl_set(struct weir_trim_acl *acl, u32 prio, const struct weir_trim_rule *of)
{
	struct weir_trim_acl_rule *old = xa_load(&acl->rules, prio), *rule;
	int err;

	/* An equal rule keeps its counters. */
	if (old && !memcmp(&old->rule, of, sizeof(*of)))
		return 0;
	rule = weir_trim_acl_rule_alloc(prio, of);
	if (!rule)
		return -ENOMEM;
	err = old ? weir_trim_acl_replace(acl, old, rule) : weir_trim_acl_insert(acl, rule);
	if (err)
		weir_trim_acl_rule_free(rule);
	return err;
}

static struct weir_trim_acl *weir_trim_acl_alloc(const char *name)
{
	struct weir_trim_acl *acl = kzalloc(sizeof(*acl), GFP_KERNEL_ACCOUNT);

	if (!acl)
		return NULL;
	strscpy(acl->named.name, name, sizeof(acl->named.name));
	xa_init_flags(&acl->rules, XA_FLAGS_ACCOUNT);
	return acl;
}

static int weir_trim_acls_add(struct weir_trim_net *wn, const char *name, u32 prio,
			      const struct weir_trim_rule *rule)
{
	struct weir_trim_acl *acl;
	int err;

	if (wn->acl_count >= WEIR_TRIM_ACLS_MAX)
		return -ENOSPC;
	acl = weir_trim_acl_alloc(name);
	if (!acl)
		return -ENOMEM;
	err = weir_trim_acl_set(acl, prio, rule);
	if (!err) {
		weir_trim_named_insert(&wn->acls, &acl->named);
		wn->acl_count++;
		return 0;
	}
	xa_destroy(&acl->rules);
	kfree(acl);
	return err;
}

/**
 * weir_trim_acls_set() - add a rule to an ACL, or replace one
 * @wn: the namespace; RTNL is held
 * @name: the ACL's name, which fits; the ACL comes with its first rule
 * @prio: the rule's place
 * @rule: the rule
 *
 * Sleeps. Return: 0; -ENOMEM; -ENOSPC if the namespace has WEIR_TRIM_ACLS_MAX other ACLs;
 * -EMSGSIZE if the ACL has WEIR_TRIM_ACL_RULES_MAX other rules; -E2BIG if its rules would need more
 * than WEIR_TRIM_ACL_TUPLES_MAX tuples.
 */
int weir_trim_acls_set(struct weir_trim_net *wn, const char *name, u32 prio,
		       const struct weir_trim_rule *rule)
{
	struct weir_trim_acl *acl = weir_trim_acls_find(wn, name);

	return acl ? weir_trim_acl_set(acl, prio, rule) : weir_trim_acls_add(wn, name, prio, rule);
}

/**
 * weir_trim_acls_del_rule() - take a rule out of an ACL
 * @wn: the namespace; RTNL is held
 * @acl: an ACL with several rules, or one that no policy names: it goes with its last rule
 * @prio: the rule's place
 *
 * Sleeps. Return: 0, -ENOENT if there is no such rule, or -ENOMEM.
 */
int weir_trim_acls_del_rule(struct weir_trim_net *wn, struct weir_trim_acl *acl, u32 prio)
{
	struct weir_trim_acl_rule *rule = xa_load(&acl->rules, prio);
	int err;

	if (!rule)
		return -ENOENT;
	if (acl->count == 1) {
		weir_trim_acls_del(wn, acl);
		return 0;
	}
	err = weir_trim_acl_publish(acl, rule);
	if (err)
		return err;
	xa_erase(&acl->rules, prio);
	acl->count--;
	call_rcu(&rule->rcu, weir_trim_acl_rule_free_rcu);
	return 0;
}

/* Packets may still see the ACL. */
static void weir_trim_acl_free(struct weir_trim_acl *acl)
{
	struct weir_trim_acl_rule *rule;
	unsigned long prio;

	weir_classifier_free(rcu_replace_pointer(acl->classifier, NULL, true));
	xa_for_each(&acl->rules, prio, rule) {
		xa_erase(&acl->rules, prio);
		call_rcu(&rule->rcu, weir_trim_acl_rule_free_rcu);
	}
	kfree_rcu(acl, rcu);
}

/**
 * weir_trim_acls_del() - remove an ACL with its rules
 * @wn: the namespace; RTNL is held
 * @acl: an ACL that no policy names
 */
void weir_trim_acls_del(struct weir_trim_net *wn, struct weir_trim_acl *acl)
{
	ASSERT_RTNL();

	list_del(&acl->named.list);
	wn->acl_count--;
	weir_trim_acl_free(acl);
}

/**
 * weir_trim_acls_clear() - set the counters of all ACLs of a namespace to zero
 * @wn: the namespace; RTNL is held
 */
void weir_trim_acls_clear(struct weir_trim_net *wn)
{
	struct weir_trim_acl_rule *rule;
	struct weir_trim_acl *acl;
	unsigned long prio;

	ASSERT_RTNL();

	list_for_each_entry(acl, &wn->acls, named.list)
		xa_for_each(&acl->rules, prio, rule)
			weir_trim_hits_sum(rule->hits, &rule->cleared);
}

/* Return: 0. */
int weir_trim_acls_net_init(struct net *net)
{
	INIT_LIST_HEAD(&weir_trim_net(net)->acls);
	return 0;
}

/* The namespace's policies are gone. */
void weir_trim_acls_net_uninit(struct net *net)
{
	struct weir_trim_acl *acl, *next;

	list_for_each_entry_safe(acl, next, &weir_trim_net(net)->acls, named.list)
		weir_trim_acl_free(acl);
}
