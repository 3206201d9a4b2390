// SPDX-License-Identifier: GPL-2.0
/*
 * A kfunc that keeps a CPU for so long as a heavy program would. It waits as the kernel does for
 * slow devices: a simulated processor that waits so lets the others run, so that eight of them on
 * one real processor work at once.
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/delay.h>
#include <linux/module.h>

static unsigned int micros = 2000;
module_param(micros, uint, 0644);
MODULE_PARM_DESC(micros, "how long a packet takes, in microseconds");

int bench_work(struct xdp_md *ctx);

#ifndef __bpf_kfunc
#define __bpf_kfunc __used noinline
#endif

__bpf_kfunc int bench_work(struct xdp_md *ctx)
{
	udelay(READ_ONCE(micros));
	return 0;
}

#ifndef BTF_KFUNCS_START
#define BTF_KFUNCS_START(name)	BTF_SET8_START(name)
#define BTF_KFUNCS_END(name)	BTF_SET8_END(name)
#endif

BTF_KFUNCS_START(work_ids)
BTF_ID_FLAGS(func, bench_work)
BTF_KFUNCS_END(work_ids)

static const struct btf_kfunc_id_set work_set = {
	.owner	= THIS_MODULE,
	.set	= &work_ids,
};

static int __init work_init(void)
{
	return register_btf_kfunc_id_set(BPF_PROG_TYPE_XDP, &work_set);
}

static void __exit work_exit(void)
{
}

module_init(work_init);
module_exit(work_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A program's work, for weir's benchmarks");
