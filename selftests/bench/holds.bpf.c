// SPDX-License-Identifier: GPL-2.0
/*
 * The longest that a task holds RTNL, and the longest softirq, on one CPU. Of the former, time in
 * which others have the CPU instead of the holder does not count, nor do grace periods of RCU: the
 * kernel itself waits for these whenever a device goes. All else does, sleep too.
 *
 * RCU's softirq invokes callbacks in batches that grow with the backlog. Most of them free files, tasks and BPF
 * programs of the test itself, so this softirq is ignored, and each RCU callback of weir's modules is measured.
 */
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define FRAMES 12
#define RCU_SOFTIRQ 9

/* The kernel's own calls of rtnl_lock() are inlined, so it is the mutex that tells. */
extern const void rtnl_mutex __ksym;

struct task_struct {
	int pid;
} __attribute__((preserve_access_index));

/* ns, and who held RTNL for that long: its name, and what called rtnl_unlock(). */
__u64 rtnl, softirq;
char rtnl_name[16];
__u64 rtnl_stack[FRAMES];
__u32 softirq_vector;

/* The holder, 0 for none; when it got RTNL; and what does not count of the time since. */
static int holder;
static __u64 since, away, preempted_at, period_at, entry, callback;

static int self(void)
{
	return bpf_get_current_pid_tgid();
}

static void begin(void)
{
	holder = self();
	away = preempted_at = period_at = 0;
	since = bpf_ktime_get_ns();
}

static void period_begins(void)
{
	if (self() == holder && !period_at)
		period_at = bpf_ktime_get_ns();
}

static void period_ends(void)
{
	if (self() != holder || !period_at)
		return;
	away += bpf_ktime_get_ns() - period_at;
	period_at = 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(holds_switch, int preempt, struct task_struct *prev, struct task_struct *next,
	     unsigned int state)
{
	if (!holder || period_at)
		return 0;
	if (!state && BPF_CORE_READ(prev, pid) == holder)
		preempted_at = bpf_ktime_get_ns();
	if (preempted_at && BPF_CORE_READ(next, pid) == holder) {
		away += bpf_ktime_get_ns() - preempted_at;
		preempted_at = 0;
	}
	return 0;
}

SEC("fentry/synchronize_rcu")
int BPF_PROG(holds_period)
{
	period_begins();
	return 0;
}

SEC("fexit/synchronize_rcu")
int BPF_PROG(holds_period_over)
{
	period_ends();
	return 0;
}

SEC("fentry/synchronize_rcu_expedited")
int BPF_PROG(holds_expedited)
{
	period_begins();
	return 0;
}

SEC("fexit/synchronize_rcu_expedited")
int BPF_PROG(holds_expedited_over)
{
	period_ends();
	return 0;
}

SEC("fexit/mutex_lock")
int BPF_PROG(holds_lock, void *lock)
{
	if (lock == &rtnl_mutex)
		begin();
	return 0;
}

SEC("fexit/mutex_lock_killable")
int BPF_PROG(holds_killable, void *lock, int err)
{
	if (lock == &rtnl_mutex && !err)
		begin();
	return 0;
}

SEC("fexit/mutex_trylock")
int BPF_PROG(holds_trylock, void *lock, int got)
{
	if (lock == &rtnl_mutex && got)
		begin();
	return 0;
}

SEC("fentry/mutex_unlock")
int BPF_PROG(holds_unlock, void *lock)
{
	__u64 held = bpf_ktime_get_ns() - since - away;

	if (lock != &rtnl_mutex || !holder)
		return 0;
	holder = 0;
	if (held <= rtnl)
		return 0;
	rtnl = held;
	bpf_get_current_comm(rtnl_name, sizeof(rtnl_name));
	__builtin_memset(rtnl_stack, 0, sizeof(rtnl_stack));
	bpf_get_stack(ctx, rtnl_stack, sizeof(rtnl_stack), 2);
	return 0;
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(holds_entry, unsigned int vector)
{
	entry = bpf_ktime_get_ns();
	return 0;
}

static int took(__u64 begin, unsigned int vector)
{
	__u64 time = bpf_ktime_get_ns() - begin;

	if (!begin || time <= softirq)
		return 0;
	softirq = time;
	softirq_vector = vector;
	return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(holds_exit, unsigned int vector)
{
	return vector == RCU_SOFTIRQ ? 0 : took(entry, vector);
}

#define CALLBACK(name) \
	SEC("fentry/" #name) \
	int BPF_PROG(enter_##name) \
	{ \
		callback = bpf_ktime_get_ns(); \
		return 0; \
	} \
	SEC("fexit/" #name) \
	int BPF_PROG(exit_##name) \
	{ \
		return took(callback, RCU_SOFTIRQ); \
	}

CALLBACK(weir_port_free_rcu)
CALLBACK(weir_member_free_rcu)
CALLBACK(weir_classifier_free_rcu)
CALLBACK(weir_filter_rule_free_rcu)

char _license[] SEC("license") = "GPL";
