// SPDX-License-Identifier: GPL-2.0
/* State of a namespace that all parts share, and the worker that ends objects without RTNL. */
#include <linux/wait_bit.h>
#include <linux/workqueue.h>

#include "core/base/net.h"

unsigned int weir_net_id __read_mostly;
u64 weir_dev_secret __read_mostly;

static struct workqueue_struct *weir_endings;

static void weir_net_ending_work(struct work_struct *work)
{
	struct weir_ending *ending = container_of(work, struct weir_ending, work);
	struct weir_net *wn = ending->wn;

	ending->end(ending);
	if (atomic_dec_and_test(&wn->endings))
		wake_up_var(&wn->endings);
}

/**
 * weir_net_end_later() - end an object without the caller's locks
 * @wn: the namespace
 * @ending: of the object, which packets and requests no longer find
 * @end: see struct weir_ending
 */
void weir_net_end_later(struct weir_net *wn, struct weir_ending *ending,
			void (*end)(struct weir_ending *ending))
{
	ending->wn = wn;
	ending->end = end;
	INIT_WORK(&ending->work, weir_net_ending_work);
	atomic_inc(&wn->endings);
	queue_work(weir_endings, &ending->work);
}

/**
 * weir_net_endings_wait() - wait until all objects of a namespace have ended
 * @wn: the namespace, whose lock is not held
 *
 * Sleeps.
 */
void weir_net_endings_wait(struct weir_net *wn)
{
	wait_var_event(&wn->endings, !atomic_read(&wn->endings));
}

/**
 * weir_net_endings_init() - be ready to end objects
 *
 * Return: 0 or -ENOMEM.
 */
int weir_net_endings_init(void)
{
	weir_endings = alloc_workqueue("weir", WQ_UNBOUND, 0);
	return weir_endings ? 0 : -ENOMEM;
}

/**
 * weir_net_endings_uninit() - free the worker; all objects have ended
 */
void weir_net_endings_uninit(void)
{
	destroy_workqueue(weir_endings);
}
