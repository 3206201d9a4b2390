// SPDX-License-Identifier: GPL-2.0
/*
 * A module with one fault, chosen when it is loaded: fault=NAME. The debug kernel,
 * or that for races, must find it and selftests/vm/run must not let it pass, so
 * that their silence about the real module means something. Built and used by
 * selftests/vm/planted.sh alone.
 */
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/ref_tracker.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

static char *fault = "";
module_param(fault, charp, 0);
MODULE_PARM_DESC(fault, "the fault to commit while loading");

/* Read and written where the compiler must not see that it is wrong. */
static unsigned long planted_sink;

static void planted_none(void)
{
}

static void planted_after_free(void)
{
	unsigned long *p = kzalloc(64, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(p);
	kfree(p);
	planted_sink = READ_ONCE(*p);
}

static void planted_out_of_bounds(void)
{
	size_t at = 64;
	char *p;

	OPTIMIZER_HIDE_VAR(at);
	p = kzalloc(64, GFP_KERNEL);
	planted_sink = READ_ONCE(p[at]);
	kfree(p);
}

static void planted_shift(void)
{
	int by = 40;

	OPTIMIZER_HIDE_VAR(by);
	WRITE_ONCE(planted_sink, 1U << by);
}

static void planted_lock_order(void)
{
	static DEFINE_MUTEX(a);
	static DEFINE_MUTEX(b);

	mutex_lock(&a);
	mutex_lock(&b);
	mutex_unlock(&b);
	mutex_unlock(&a);

	mutex_lock(&b);
	mutex_lock(&a);
	mutex_unlock(&a);
	mutex_unlock(&b);
}

static void planted_lock_kept(void)
{
	static DEFINE_MUTEX(kept);

	mutex_lock(&kept);
}

static void planted_rcu(void)
{
	static unsigned long __rcu *pointer;

	planted_sink = !!rcu_dereference(pointer);
}

static void planted_sleep(void)
{
	static DEFINE_SPINLOCK(lock);

	spin_lock(&lock);
	might_sleep();
	spin_unlock(&lock);
}

static void planted_preempt(void)
{
	planted_sink = smp_processor_id();
}

/* More than one, as a stale word anywhere in memory can hide one from the scan. */
static void planted_leak(void)
{
	int i;

	for (i = 0; i < 32; i++) {
		void *p = kmalloc(192, GFP_KERNEL);

		OPTIMIZER_HIDE_VAR(p);
	}
}

static void planted_tick(struct timer_list *timer)
{
}

static void planted_object(void)
{
	struct timer_list *timer = kzalloc(sizeof(*timer), GFP_KERNEL);

	timer_setup(timer, planted_tick, 0);
	mod_timer(timer, jiffies + 3600 * HZ);
	kfree(timer);
}

static void planted_refcount(void)
{
	static refcount_t count = REFCOUNT_INIT(1);

	planted_sink = refcount_dec_and_test(&count);
	planted_sink = refcount_dec_and_test(&count);
}

static void planted_ref_tracker(void)
{
	static struct ref_tracker_dir dir;
	struct ref_tracker *reference;

	ref_tracker_dir_init(&dir, 4, "planted");
	ref_tracker_alloc(&dir, &reference, GFP_KERNEL);
	ref_tracker_dir_exit(&dir);
}

static void planted_list(void)
{
	static LIST_HEAD(list);
	static struct list_head entry;

	list_add(&entry, &list);
	list_del(&entry);
	list_del(&entry);
}

static void planted_add(struct work_struct *work)
{
	int i;

	for (i = 0; i < 1000000; i++) {
		planted_sink++;
		barrier();
	}
}

/* By two processors at once. */
static void planted_race(void)
{
	static DECLARE_WORK(work, planted_add);

	schedule_work_on(cpumask_any_but(cpu_online_mask, raw_smp_processor_id()), &work);
	planted_add(NULL);
	flush_work(&work);
}

static void planted_warning(void)
{
	WARN_ON(1);
}

static const struct {
	const char *name;
	void (*commit)(void);
} planted_faults[] = {
	{ "none", planted_none },
	{ "after-free", planted_after_free },
	{ "out-of-bounds", planted_out_of_bounds },
	{ "shift", planted_shift },
	{ "lock-order", planted_lock_order },
	{ "lock-kept", planted_lock_kept },
	{ "rcu", planted_rcu },
	{ "sleep", planted_sleep },
	{ "preempt", planted_preempt },
	{ "leak", planted_leak },
	{ "object", planted_object },
	{ "refcount", planted_refcount },
	{ "ref-tracker", planted_ref_tracker },
	{ "list", planted_list },
	{ "race", planted_race },
	{ "warning", planted_warning },
};

static int __init planted_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(planted_faults); i++) {
		if (strcmp(planted_faults[i].name, fault))
			continue;
		planted_faults[i].commit();
		return 0;
	}
	return -EINVAL;
}

static void __exit planted_exit(void)
{
}

module_init(planted_init);
module_exit(planted_exit);

MODULE_DESCRIPTION("weir: one planted fault for the tests' own machinery");
MODULE_LICENSE("GPL");
