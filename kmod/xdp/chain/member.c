// SPDX-License-Identifier: GPL-2.0
/* Programs of chains: which ones can be, how one runs, and what it has said. */
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <net/xdp.h>

#include "core/base/compat.h"
#include "xdp/chain/member.h"

/*
 * A program of a cpumap or a devmap gets other frames. One that is bound to a device asks its
 * driver about the frame, and the driver trusts that it made the frame's xdp_buff itself:
 * a test run and generic XDP, which the kernel keeps such programs out of, reach a chain.
 */
static int weir_member_check(const struct bpf_prog *prog, struct netlink_ext_ack *extack)
{
	if (prog->expected_attach_type == BPF_XDP_CPUMAP ||
	    prog->expected_attach_type == BPF_XDP_DEVMAP) {
		NL_SET_ERR_MSG_FMT(extack, "a program for cpumaps or devmaps is none for a device");
		return -EINVAL;
	}
	if (bpf_prog_is_dev_bound(prog->aux)) {
		NL_SET_ERR_MSG_FMT(extack,
				   "a program that is bound to a device cannot be in a chain");
		return -EINVAL;
	}
	return 0;
}

static struct bpf_prog *weir_member_prog(u32 fd, struct netlink_ext_ack *extack)
{
	struct bpf_prog *prog = bpf_prog_get_type_dev(fd, BPF_PROG_TYPE_XDP, false);
	int err;

	if (IS_ERR(prog)) {
		NL_SET_ERR_MSG_FMT(extack, "fd %u is no XDP program", fd);
		return prog;
	}
	err = weir_member_check(prog, extack);
	if (!err)
		return prog;
	bpf_prog_put(prog);
	return ERR_PTR(err);
}

static int weir_member_set_text(struct weir_member *member, const struct weir_member_text *text)
{
	member->text.file = kstrdup(text->file, GFP_KERNEL_ACCOUNT);
	member->text.section = kstrdup(text->section, GFP_KERNEL_ACCOUNT);
	return (text->file && !member->text.file) || (text->section && !member->text.section) ?
	       -ENOMEM : 0;
}

static void weir_member_free_rest(struct weir_member *member)
{
	if (!member->replaced)
		free_percpu(member->count);
	kfree(member->text.file);
	kfree(member->text.section);
	kfree(member);
}

static void weir_member_free_rcu(struct rcu_head *rcu)
{
	weir_member_free_rest(container_of(rcu, struct weir_member, rcu));
}

/**
 * weir_member_free() - free a member that no packet sees
 * @member: the member
 *
 * Process context.
 */
void weir_member_free(struct weir_member *member)
{
	if (member->prog)
		bpf_prog_put(member->prog);
	weir_member_free_rest(member);
}

/**
 * weir_member_make() - make a member of a program, without counters
 * @fd: the program's descriptor, of the calling process
 * @text: copied
 * @extack: gets a sentence where the program cannot be in a chain
 *
 * Sleeps. Return: the member, or an ERR_PTR.
 */
struct weir_member *weir_member_make(u32 fd, const struct weir_member_text *text,
				     struct netlink_ext_ack *extack)
{
	struct weir_member *member = kzalloc(sizeof(*member), GFP_KERNEL_ACCOUNT);
	struct bpf_prog *prog;

	if (!member)
		return ERR_PTR(-ENOMEM);
	if (weir_member_set_text(member, text)) {
		weir_member_free(member);
		return ERR_PTR(-ENOMEM);
	}
	prog = weir_member_prog(fd, extack);
	if (IS_ERR(prog)) {
		weir_member_free(member);
		return ERR_CAST(prog);
	}
	member->prog = prog;
	return member;
}

/**
 * weir_member_counts() - give a member counters of its own
 * @member: the member
 *
 * Sleeps. Return: 0 or -ENOMEM.
 */
int weir_member_counts(struct weir_member *member)
{
	member->count = alloc_percpu_gfp(struct weir_member_count, GFP_KERNEL_ACCOUNT);
	return member->count ? 0 : -ENOMEM;
}

/**
 * weir_member_release() - free a member that packets may still see
 * @member: the member, which is in no list
 *
 * Process context. The program is let go of now, as that may sleep; the kernel itself frees it
 * a grace period later.
 */
void weir_member_release(struct weir_member *member)
{
	bpf_prog_put(member->prog);
	call_rcu(&member->rcu, weir_member_free_rcu);
}

/**
 * weir_member_time() - let a program judge a packet, and take its time
 * @member: the member
 * @xdp: the packet
 *
 * Return: the verdict, which may be one that there is not.
 */
u32 weir_member_time(struct weir_member *member, struct xdp_buff *xdp)
{
	u64 begin = local_clock();
	u32 verdict = bpf_prog_run(member->prog, xdp);

	this_cpu_add(member->count->time, local_clock() - begin);
	this_cpu_inc(member->count->timed);
	return verdict;
}

/**
 * weir_member_count() - count a verdict
 * @member: the program that has given it
 * @verdict: may be one that there is not
 *
 * Return: the verdict, which there is.
 */
u32 weir_member_count(const struct weir_member *member, u32 verdict)
{
	if (unlikely(verdict >= WEIR_MEMBER_VERDICTS))
		verdict = XDP_ABORTED;
	this_cpu_inc(member->count->verdict[verdict]);
	return verdict;
}

/**
 * weir_member_sum() - counters of all CPUs
 * @member: the member
 * @sum: filled
 */
void weir_member_sum(const struct weir_member *member, struct weir_member_count *sum)
{
	const struct weir_member_count *count;
	int cpu, i;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu) {
		count = per_cpu_ptr(member->count, cpu);
		for (i = 0; i < WEIR_MEMBER_VERDICTS; i++)
			sum->verdict[i] += READ_ONCE(count->verdict[i]);
		sum->timed += READ_ONCE(count->timed);
		sum->time += READ_ONCE(count->time);
	}
}
