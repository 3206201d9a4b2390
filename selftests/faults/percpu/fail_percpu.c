// SPDX-License-Identifier: GPL-2.0
/*
 * Fault injection for per-CPU memory, which the kernel has none for: beside failslab
 * and fail_page_alloc there is fail_percpu in debugfs then, with the same knobs, and
 * /proc/PID/fail-nth counts it in. Only for kernels that tests are run on.
 */
#include <linux/debugfs.h>
#include <linux/fault-inject.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/stacktrace.h>

/* As many as should_fail() looks at, at most. */
#define FAIL_PERCPU_DEPTH	32

static DECLARE_FAULT_ATTR(fail_percpu);
static struct dentry *fail_percpu_dir;

typedef void __percpu *(*fail_percpu_alloc_t)(size_t size, size_t align,
					       bool reserved, gfp_t gfp);
static fail_percpu_alloc_t fail_percpu_real;

/*
 * Return true if the allocation is made under functions between the required addresses. should_fail() checks
 * that, too, but counts the functions of this module, which are in every allocation's stack.
 */
static bool fail_percpu_is_under(void)
{
	unsigned long entries[FAIL_PERCPU_DEPTH];
	unsigned int i, n;

	n = stack_trace_save(entries, ARRAY_SIZE(entries), 0);
	for (i = 0; i < n; i++)
		if (entries[i] >= fail_percpu.require_start &&
		    entries[i] < fail_percpu.require_end &&
		    !within_module(entries[i], THIS_MODULE))
			return true;
	return false;
}

/* For probes to see, as they see the other allocators' functions of this kind. */
static noinline bool fail_percpu_should_fail(size_t size)
{
	return fail_percpu_is_under() && should_fail(&fail_percpu, size);
}

/* Stands in the allocator's place, called by its caller, so that the stack is true. */
static void __percpu *fail_percpu_alloc(size_t size, size_t align,
					bool reserved, gfp_t gfp)
{
	void __percpu *p = NULL;

	if (!fail_percpu_should_fail(size))
		p = fail_percpu_real(size, align, reserved, gfp);
	return p;
}

/* All calls but that one go there. */
static int fail_percpu_enter(struct kprobe *probe, struct pt_regs *regs)
{
	if (within_module(*(unsigned long *)regs->sp, THIS_MODULE))
		return 0;
	regs->ip = (unsigned long)fail_percpu_alloc;
	return 1;
}

/* That there is one lets the probe change where the function goes on. */
static void fail_percpu_entered(struct kprobe *probe, struct pt_regs *regs,
				unsigned long flags)
{
}

static struct kprobe fail_percpu_probe = {
	.symbol_name	= "pcpu_alloc_noprof",
	.pre_handler	= fail_percpu_enter,
	.post_handler	= fail_percpu_entered,
};

static int __init fail_percpu_init(void)
{
	int err;

	fail_percpu_dir = fault_create_debugfs_attr("fail_percpu", NULL,
						    &fail_percpu);
	if (IS_ERR(fail_percpu_dir))
		return PTR_ERR(fail_percpu_dir);
	fail_percpu_real = (fail_percpu_alloc_t)pcpu_alloc_noprof;
	err = register_kprobe(&fail_percpu_probe);
	if (err)
		debugfs_remove(fail_percpu_dir);
	return err;
}

static void __exit fail_percpu_exit(void)
{
	unregister_kprobe(&fail_percpu_probe);
	debugfs_remove(fail_percpu_dir);
}

module_init(fail_percpu_init);
module_exit(fail_percpu_exit);

MODULE_DESCRIPTION("Fault injection for per-CPU memory");
MODULE_LICENSE("GPL");
