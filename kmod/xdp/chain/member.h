/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_MEMBER_H
#define _WEIR_MEMBER_H

#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <uapi/weir.h>

struct netlink_ext_ack;
struct xdp_buff;

/* One packet of so many has its time taken, as a clock costs what a small program does. */
#define WEIR_MEMBER_TIMED	64

#define WEIR_MEMBER_VERDICTS	(XDP_REDIRECT + 1)

/**
 * struct weir_member_count - counters of one place on one CPU, written with this_cpu_add()
 * @verdict: packets by verdict, enum xdp_action
 * @turn: packets that came to it as the first one of the chain, or of the part that runs, by which
 *	those are chosen whose time all programs take
 * @timed: packets whose time was taken
 * @time: of these, in nanoseconds
 */
struct weir_member_count {
	u64	verdict[WEIR_MEMBER_VERDICTS];
	u64	turn;
	u64	timed;
	u64	time;
};

/**
 * struct weir_member_text - where a program came from, for show
 * @file: file of the program; NULL if none was given
 * @section: section of the program; NULL if none was given
 */
struct weir_member_text {
	const char			*file;
	const char			*section;
};

/**
 * struct weir_member - a program of a chain
 * @rcu: it is freed a grace period after it has left its chain
 * @prog: a reference is held
 * @text: owned
 * @count: counters of its place
 * @replaced: the program that has taken its place has its counters, too
 */
struct weir_member {
	struct rcu_head			rcu;
	struct bpf_prog			*prog;
	struct weir_member_text		text;
	struct weir_member_count __percpu *count;
	bool				replaced;
};

static inline bool weir_member_has_frags(const struct weir_member *member)
{
	return member->prog->aux->xdp_has_frags;
}

struct weir_member *weir_member_make(u32 fd, const struct weir_member_text *text,
				     struct netlink_ext_ack *extack);
int weir_member_counts(struct weir_member *member);
void weir_member_free(struct weir_member *member);
void weir_member_release(struct weir_member *member);
u32 weir_member_count(const struct weir_member *member, u32 verdict);
u32 weir_member_time(struct weir_member *member, struct xdp_buff *xdp);
void weir_member_sum(const struct weir_member *member, struct weir_member_count *sum);

/**
 * weir_member_turns() - test whether a packet's time is taken
 * @member: the first program that it comes to
 */
static inline bool weir_member_turns(const struct weir_member *member)
{
	return this_cpu_inc_return(member->count->turn) % WEIR_MEMBER_TIMED == 1;
}

#endif /* _WEIR_MEMBER_H */
