/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A box in userspace: the reference for the kernel module's packets, and the opponent
 * of the library's tests.
 *
 * It differs from the module in one point: it binds a source to the address that its
 * join comes from, not by an administrator.
 */
#ifndef REFBOX_H
#define REFBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "faults.h"

#define REFBOX_SOURCES	256

/**
 * enum refbox_order - byte order of gradients
 * @REFBOX_LITTLE: little-endian, if all workers can send and receive it
 * @REFBOX_NETWORK: network byte order, as of a box that knows no other
 * @REFBOX_TURNS: in each generation the other one
 */
enum refbox_order {
	REFBOX_LITTLE,
	REFBOX_NETWORK,
	REFBOX_TURNS,
};

/**
 * struct refbox_options - one job
 * @address: where it listens
 * @group: multicast group for results; NULL sends a copy to each source
 * @port: UDP port
 * @job: id
 * @sources: how many make a block complete
 * @quorum: how many suffice; 0 is all. A block with fewer than all is degraded
 * @timeout_ms: after which a block is answered with the sources in it; 0 is never
 * @anonymous: degraded results do not name their sources, as of a box with too small an
 *	MTU on its route
 * @blocks: slots, a power of two
 * @grads: gradients a block at most
 * @dtype: enum weir_dtype; 0 is int32
 * @op: enum weir_op; 0 is the sum
 * @generation: the one before the first
 * @cwnd_cap: packets under way that it has room for; 0 is a box that says nothing of congestion
 * @mark_every: so manyth results have CE, if their sources are ECN-capable; 0 is none
 * @acks: takes acknowledgments
 * @evict: does not wait: evicts a result that is older than @timeout_ms when its slot is needed, and
 *	completes blocks without sources that missed one and have not caught up
 * @no_shares: refuses WEIR_TRIO_EMPTY and WEIR_TRIO_BRIEF in contributions, as a box that knows
 *	neither
 * @order: byte order of gradients
 * @merge: takes merged messages, and answers with such; packets of one are lost together
 * @faults: the faults of its links
 */
struct refbox_options {
	const char *address;
	const char *group;
	uint16_t port;
	uint8_t job;
	uint16_t sources;
	uint16_t quorum;
	uint32_t timeout_ms;
	bool anonymous;
	uint32_t blocks;
	uint16_t grads;
	uint8_t dtype;
	uint8_t op;
	uint16_t generation;
	uint16_t cwnd_cap;
	uint32_t mark_every;
	bool acks;
	bool evict;
	bool no_shares;
	enum refbox_order order;
	bool merge;
	struct faults_options faults;
};

/**
 * struct refbox_counters - its counters
 * @contributions: summed
 * @empty: contributions among them that had no gradients
 * @blocks: completed
 * @overflows: completed, with a sum that left int32
 * @results: sent, copies counted
 * @brief: results among them that were sent without gradients
 * @degraded: completed without all sources
 * @repeats: results sent again because a source asked again
 * @queries: packets that asked for a result
 * @replies: to questions about blocks without a result yet
 * @notices: sent
 * @lost: contributions that the links lost
 * @duplicates: contributions of a source that is in the open block already
 * @joins: taken
 * @misfits: joins that do not fit the job
 * @busy: contributions to a slot that is not free yet
 * @capable: contributions whose packets are ECN-capable, or have CE
 * @marked: blocks whose results have CE
 * @merged: messages of many packets that came
 * @acks: acknowledgments
 * @final_acks: those of them that report where the program is
 * @behind: status messages about results that were evicted
 * @evicted: results that a source had not acknowledged
 * @refused: all other packets that changed nothing
 */
struct refbox_counters {
	uint64_t contributions;
	uint64_t empty;
	uint64_t blocks;
	uint64_t overflows;
	uint64_t results;
	uint64_t brief;
	uint64_t degraded;
	uint64_t repeats;
	uint64_t queries;
	uint64_t replies;
	uint64_t notices;
	uint64_t lost;
	uint64_t duplicates;
	uint64_t joins;
	uint64_t misfits;
	uint64_t busy;
	uint64_t capable;
	uint64_t marked;
	uint64_t merged;
	uint64_t acks;
	uint64_t final_acks;
	uint64_t behind;
	uint64_t evicted;
	uint64_t refused;
};

struct refbox;

/* Returns NULL and errno. */
struct refbox *refbox_open(const struct refbox_options *options);
void refbox_close(struct refbox *box);

/* Serves until refbox_stop(); returns 0 or a negative errno. */
int refbox_run(struct refbox *box);

/* May be called by any thread, and by signal handlers. */
void refbox_stop(struct refbox *box);

/*
 * Events of a box, also while it runs: each returns when it has happened. To lose all
 * its state, as one that is set up anew; to count a source as dead, so that results are
 * not retained for it; to complete blocks without it; to go on without it, with @evict, as if it
 * had missed a block and all results were older than the timeout from now on; to lose the result of a
 * block on its way to a source, so many times; to take and send no packet; and to do so again.
 */
void refbox_reload(struct refbox *box);
void refbox_bury(struct refbox *box, unsigned int source);
void refbox_exclude(struct refbox *box, unsigned int source);
void refbox_overtake(struct refbox *box, unsigned int source);
void refbox_lose(struct refbox *box, unsigned int source, uint32_t block, unsigned int times);
void refbox_mute(struct refbox *box);
void refbox_unmute(struct refbox *box);

/* The counters as they are now, also while it runs. */
struct refbox_counters refbox_read(struct refbox *box);

/* The counters of a box that does not run. */
const struct refbox_counters *refbox_counters(const struct refbox *box);
const struct faults_counters *refbox_faults(const struct refbox *box);

#endif
