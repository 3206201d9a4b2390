// SPDX-License-Identifier: GPL-2.0
/* A module's part of a namespace, and the worker that ends objects without RTNL. */
#include <linux/random.h>
#include <linux/wait_bit.h>
#include <linux/workqueue.h>

#include "core/base/compat.h"
#include "core/base/ns.h"

u64 weir_dev_secret __read_mostly;
EXPORT_SYMBOL_NS_GPL(weir_dev_secret, "WEIR");

static struct workqueue_struct *weir_endings;

/**
 * weir_ns_init() - set up a module's part of a namespace
 * @ns: all zero
 * @net: the namespace
 */
void weir_ns_init(struct weir_ns *ns, struct net *net)
{
	ns->net = net;
	mutex_init(&ns->lock);
	ns->seq = 1;
}
EXPORT_SYMBOL_NS_GPL(weir_ns_init, "WEIR");

static void weir_ns_ending_work(struct work_struct *work)
{
	struct weir_ending *ending = container_of(work, struct weir_ending, work);
	struct weir_ns *ns = ending->ns;

	ending->end(ending);
	if (atomic_dec_and_test(&ns->endings))
		wake_up_var(&ns->endings);
}

/**
 * weir_ns_end_later() - end an object without the caller's locks
 * @ns: the namespace
 * @ending: of the object, which packets and requests no longer find
 * @end: see struct weir_ending
 */
void weir_ns_end_later(struct weir_ns *ns, struct weir_ending *ending,
		       void (*end)(struct weir_ending *ending))
{
	ending->ns = ns;
	ending->end = end;
	INIT_WORK(&ending->work, weir_ns_ending_work);
	atomic_inc(&ns->endings);
	queue_work(weir_endings, &ending->work);
}
EXPORT_SYMBOL_NS_GPL(weir_ns_end_later, "WEIR");

/**
 * weir_ns_endings_wait() - wait until all objects of a namespace have ended
 * @ns: the namespace, whose lock is not held
 *
 * Sleeps. A module calls this for each namespace before it goes: what ends an object is its code.
 */
void weir_ns_endings_wait(struct weir_ns *ns)
{
	wait_var_event(&ns->endings, !atomic_read(&ns->endings));
}
EXPORT_SYMBOL_NS_GPL(weir_ns_endings_wait, "WEIR");

/**
 * weir_ns_start() - choose the secret, and be ready to end objects
 *
 * Return: 0 or -ENOMEM.
 */
int weir_ns_start(void)
{
	weir_dev_secret = get_random_u64() | 1;
	weir_endings = alloc_workqueue("weir", WQ_UNBOUND, 0);
	return weir_endings ? 0 : -ENOMEM;
}

/**
 * weir_ns_stop() - free the worker; all objects have ended
 */
void weir_ns_stop(void)
{
	destroy_workqueue(weir_endings);
}
