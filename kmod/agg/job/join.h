/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_JOIN_H
#define _WEIR_JOIN_H

#include <linux/bitmap.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <uapi/weir.h>

/**
 * struct weir_joiner - the numbers of one source
 * @member: nonce with which it is in the current generation
 * @waiting: nonce with which it waits for the next one
 * @lacks: the first block that it lacks, as it said with @waiting
 * @grads: gradients a block that it means to send, as it said with @waiting
 * @little: it can send and receive little-endian gradients, as it said with @waiting
 * @heard: time of its last join, ns
 * @is_member: @member is valid
 * @is_waiting: @waiting is valid
 * @is_alive: it has spoken since any source last said a new number
 */
struct weir_joiner {
	u32		member;
	u32		waiting;
	u32		lacks;
	u32		grads;
	u64		heard;
	bool		little;
	bool		is_member;
	bool		is_waiting;
	bool		is_alive;
};

/**
 * struct weir_membership - how a source is in the current generation
 * @nonce: the number that it has joined with
 * @start: block that the generation has begun with
 * @generation: the generation
 * @little: its gradients are little-endian
 */
struct weir_membership {
	u32	nonce;
	u32	start;
	u16	generation;
	bool	little;
};

/**
 * struct weir_join_table - which sources wait for the next generation
 * @lock: guards the table; taken in softirq only
 * @n: sources
 * @generation: the current generation, as the box has given it out
 * @little: its gradients are little-endian
 * @start: block that it has begun with
 * @since: time of the join of the first waiting source, ns
 * @told: time of the last notice of waiting sources, ns; 0 for never
 * @joiner: by source id
 */
struct weir_join_table {
	spinlock_t		lock;	/* the joiners */
	unsigned int		n;
	u16			generation;
	bool			little;
	u32			start;
	u64			since;
	u64			told;
	struct weir_joiner	*joiner;
};

/**
 * enum weir_join_verdict - effect of a join
 * @WEIR_JOIN_WAIT: others are missing; no answer yet
 * @WEIR_JOIN_TELL: others are missing; report to the sources in the current generation who waits
 * @WEIR_JOIN_AGAIN: it is in the current generation already; answer it again
 * @WEIR_JOIN_START: it was the last; a new generation begins, see weir_join_begin(), answer all
 * @WEIR_JOIN_ABOVE: it was the last, but the parent box begins the generation; returned by callers
 * @WEIR_JOIN_MISFIT: of the callers: it does not fit with the joins of the others
 */
enum weir_join_verdict {
	WEIR_JOIN_WAIT,
	WEIR_JOIN_TELL,
	WEIR_JOIN_AGAIN,
	WEIR_JOIN_START,
	WEIR_JOIN_ABOVE,
	WEIR_JOIN_MISFIT,
};

/**
 * struct weir_join_words - what a source says when it joins
 * @nonce: the number that it keeps for one communicator
 * @lacks: the first block that it lacks
 * @grads: gradients a block that it means to send
 * @little: it can send and receive little-endian gradients
 */
struct weir_join_words {
	u32	nonce;
	u32	lacks;
	u32	grads;
	bool	little;
};

int weir_join_init(struct weir_join_table *table, unsigned int sources);
void weir_join_uninit(struct weir_join_table *table);
enum weir_join_verdict weir_join(struct weir_join_table *table,
				 unsigned int source, const struct weir_join_words *words,
				 const unsigned long *excluded, u64 now);
bool weir_join_is_complete(const struct weir_join_table *table,
			   const unsigned long *excluded, u64 now);
void weir_join_sum_up(const struct weir_join_table *table, struct weir_join_words *words);
void weir_join_begin(struct weir_join_table *table, u32 start, bool little);
u32 weir_join_waits_with(struct weir_join_table *table, unsigned int source);
void weir_join_forget(struct weir_join_table *table);
bool weir_join_is_long(const struct weir_join_table *table, enum weir_join_verdict verdict,
		       u64 now);
bool weir_join_member(struct weir_join_table *table, unsigned int source,
		      struct weir_membership *in);
unsigned int weir_join_waiting(struct weir_join_table *table, u64 now);
void weir_join_look(struct weir_join_table *table, unsigned long *members,
		    unsigned long *waiting);

#endif /* _WEIR_JOIN_H */
