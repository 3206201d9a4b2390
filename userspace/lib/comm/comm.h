/* SPDX-License-Identifier: BSD-2-Clause */
/* A communicator from inside. */
#ifndef WEIR_COMM_H
#define WEIR_COMM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/address.h"
#include "comm/state.h"
#include "flow/merging.h"
#include "flow/pace.h"
#include "flow/recovery.h"
#include "flow/window.h"
#include "libweir.h"
#include "packet/bitmap.h"
#include "packet/early.h"
#include "packet/inbox.h"
#include "packet/kept.h"

#define COMM_ERROR	512

/* As many as a job may have trees. */
#define BOXES_MAX	16

struct driver;
struct shared;
struct trees;

/**
 * struct config - the options, checked and with the defaults filled in
 * @box: address that blocks are sent to
 * @local: address that this end is bound to
 * @group: address that results come to; length 0 if they come to @local
 * @ifindex: the interface of the options; 0 is none
 * @interface: its name
 * @job: id
 * @rank: this worker
 * @ranks: all workers
 * @source: this worker's source id on its box
 * @everyone: their set
 * @grads: elements a block
 * @tree: number of this communicator among the trees, from 0
 * @trees: number of trees that the blocks of a vector are dealt to
 * @type: of the job's numbers; 0 where the options leave it open, until the box's answer
 * @operation: the job's operation; 0 if the options leave it open, until the box's answer
 * @window: packets under way at most
 * @timeout: without a packet of the box, ns
 * @failover: without a packet of the box before another one is asked, ns
 * @ranks_timeout: without progress while the box answers, ns
 * @ranks_warning: time without progress while the box answers, after which the caller is told, ns
 * @cancel_fd: ends the wait for the other ranks when readable; -1 is none
 * @early_bytes: of results that are kept for calls to come, at most
 * @flags: WEIR_ACCEPT_*, WEIR_AVERAGE
 * @fallback: called to sum when the box has failed; NULL is none
 * @fallback_context: its first argument
 * @on_block: called for each block that is answered; NULL is none
 * @on_block_context: its first argument
 * @on_missing: called when ranks are missing for long; NULL writes to the standard error
 * @on_missing_context: its first argument
 * @box_text: @box in words
 */
struct config {
	struct address box;
	struct address local;
	struct address group;
	unsigned int ifindex;
	char interface[16];
	uint8_t job;
	uint16_t rank;
	uint16_t ranks;
	uint8_t source;
	uint64_t everyone[BITMAP_WORDS];
	uint16_t grads;
	uint8_t tree;
	uint8_t trees;
	enum weir_type type;
	enum weir_operation operation;
	uint32_t window;
	uint64_t timeout;
	uint64_t failover;
	uint64_t ranks_timeout;
	uint64_t ranks_warning;
	int cancel_fd;
	uint64_t early_bytes;
	uint32_t flags;
	int (*fallback)(void *context, const struct weir_failure *failure);
	void *fallback_context;
	void (*on_block)(void *context, const struct weir_block_info *block);
	void *on_block_context;
	void (*on_missing)(void *context, const struct weir_missing *missing);
	void *on_missing_context;
	char box_text[ADDRESS_TEXT];
};

/**
 * struct queue - outstanding requests, in the order in which they were begun
 * @head: the first
 * @tail: the last
 * @sending: the first with blocks that were never sent
 * @end: number of the block that the next request begins with
 * @begun: requests so far, as all ranks count them
 * @made: and by this rank alone
 */
struct queue {
	struct weir_request *head;
	struct weir_request *tail;
	struct weir_request *sending;
	uint64_t end;
	uint64_t begun;
	uint64_t made;
};

/**
 * struct members - the job's ranks, as the last notice has named them; see struct weir_members
 */
struct members {
	uint64_t notices;
	uint64_t dead[BITMAP_WORDS];
	uint64_t excluded[BITMAP_WORDS];
	uint64_t waiting[BITMAP_WORDS];
};

/**
 * struct membership - this rank's place in the job
 * @nonce: the number that identifies it in joins
 * @generation: from the box
 * @start: the block that the generation began with
 * @since: time at which it came from the box
 * @blocks: slots on the box
 * @lag: blocks between an exponent and the block that it is of, see exponent.h
 * @cwnd_cap: packets that the boxes have room for; 0 where they do not say, nor mark results
 * @takes_acks: the box takes acknowledgments
 * @takes_shares: the box takes contributions without elements, and sends results without them
 * @little: elements are little-endian in this rank's packets, else in network byte order
 * @cookie: the box's cookie for @nonce, to be sent with joins; 0 is none
 * @again: time of the next join
 * @repeat: and the pause until the repetition after that
 */
struct membership {
	uint32_t nonce;
	uint16_t generation;
	uint64_t start;
	uint64_t since;
	uint32_t blocks;
	uint32_t lag;
	uint16_t cwnd_cap;
	bool takes_acks;
	bool takes_shares;
	bool little;
	uint64_t cookie;
	uint64_t again;
	uint64_t repeat;
};

/**
 * struct other_box - what is known of a box where this rank is not
 * @address: its address and the job's port
 * @unanswered: time of the first question since its last answer; 0 if it has answered
 * @answers: answers in a row
 * @waited_on: time at which it first said that ranks wait there; 0 if none do
 * @shunned: not to be gone to before
 * @cookie: for the next number
 */
struct other_box {
	struct address address;
	uint64_t unanswered;
	unsigned int answers;
	uint64_t waited_on;
	uint64_t shunned;
	uint64_t cookie;
};

/**
 * struct home - where a rank that has left its box can go on, as long as it has joined nowhere else
 * @box: its number
 * @nonce: with which this rank joined there
 * @cookie: and the box's cookie for it
 */
struct home {
	unsigned int box;
	uint32_t nonce;
	uint64_t cookie;
};

/**
 * struct standby - the boxes that have the job, see join/standby.h
 * @boxes: in the order in which they are preferred
 * @count: number of boxes; with one, the rest is not in use
 * @at: index of the box where this rank is
 * @from: index of the box that it came from, if it has gone back by itself; else 0
 * @home: of its generation, while it moves
 * @fd: asks the others, connected to the one that was asked last; -1 before that
 * @asked: index of that box
 * @nonce: the number for the next join at another one
 * @since: time at which this rank came to @at, or a generation began there
 * @again: time at which another one is asked next
 * @shun: for how long boxes are shunned the next time, ns
 */
struct standby {
	struct other_box boxes[BOXES_MAX];
	unsigned int count;
	unsigned int at;
	unsigned int from;
	struct home home;
	int fd;
	unsigned int asked;
	uint32_t nonce;
	uint64_t since;
	uint64_t again;
	uint64_t shun;
};

/**
 * struct life - signs of life of the box, beside results
 * @heard: time of the last packet from it
 * @unheard: number of times that the timer has run out since
 * @doubts: notices since that this rank is no longer in the job, each after a packet was
 *	sent
 * @spoke: a packet was sent since the last of them
 */
struct life {
	uint64_t heard;
	unsigned int unheard;
	unsigned int doubts;
	bool spoke;
};

/**
 * struct absence - ranks that this one waits for
 * @ranks: the ranks, as the box has named them last
 * @noted: time at which it did; 0 is never
 * @warned: the caller was told about this wait
 */
struct absence {
	uint64_t ranks[BITMAP_WORDS];
	uint64_t noted;
	bool warned;
};

/**
 * struct acks - acknowledgments to the box, see request/ack.h
 * @sent: all blocks before it have been acknowledged
 * @floor: the box has evicted results before it, or this rank does not need them,
 * @newest: and had none from this block on
 * @is_late: results have been delivered that this rank did not contribute to
 * @follows: the last result was of a call that this rank only follows
 * @repeat: the last one with WEIR_TRIO_FINAL is to be repeated, as it may be lost
 * @gap: the first of results that were lost before the program wanted them,
 * @has_gap: if there are any. Then the box is asked for them:
 * @asked: time of the last question,
 * @tries: and the number of times for this one
 */
struct acks {
	uint64_t sent;
	uint64_t floor;
	uint64_t newest;
	bool is_late;
	bool follows;
	bool repeat;
	uint64_t gap;
	bool has_gap;
	uint64_t asked;
	unsigned int tries;
};

/**
 * struct behind - where this rank lacks a result that the box has evicted, see path/behind.h
 * @block: the block that it lacks
 * @oldest: from where on the box has results, as it last reported
 * @next: the block after the newest one there
 * @failed: requests that had been made by then; those that were not done have failed
 */
struct behind {
	uint64_t block;
	uint64_t oldest;
	uint64_t next;
	uint64_t failed;
};

/**
 * struct guard - keeps other processes and threads out
 * @forks: number of forks that led to the process that has opened the communicator
 * @inside: a call is
 * @shared: with the progress thread; NULL where there is none
 */
struct guard {
	unsigned int forks;
	atomic_bool inside;
	struct shared *shared;
};

/**
 * struct weir - a communicator
 * @guard: of its calls
 * @driver: its progress thread; NULL where there is none
 * @trees: those that do its work, where it has several; else NULL
 * @config: its options
 * @asked: the box that it has its job from; NULL if the options name the job
 * @fd: connected to the box; -1 before it is there
 * @group_fd: bound to the group; -1 where there is none
 * @member: in the job
 * @standby: other boxes
 * @life: of the box
 * @absence: of other ranks
 * @receive_buffer: bytes that the receiving socket holds
 * @window: blocks under way
 * @kept: contributions as they were sent, by the window's slots
 * @early: results that the program has not asked for yet
 * @acks: acknowledgments of results
 * @behind: this rank has fallen behind
 * @replay_end: blocks before it are sent again for other ranks' sake
 * @ahead: the first block after all results that have come
 * @recovery: losses, and the time that answers take
 * @pace: number of packets that may be under way
 * @merging: state of sending packets as merged messages
 * @queue: requests
 * @in: packets received
 * @now: the time, as of the start of this round
 * @progress: time of the last answer; moved on by time spent elsewhere
 * @left: time at which the caller was given back control
 * @away: the caller was away, so packets in the socket are no samples of times
 * @drained: the sockets had no packet left when they were read last
 * @idle: and nothing else was left to do then
 * @more: more packets may be due than were sent by one call
 * @blocked: the socket took no more
 * @is_capable: packets are ECN-capable
 * @hears_marks: the kernel tells of marks
 * @path_errno: the last error of the path that is no verdict; 0 is none
 * @state: of this rank in its job
 * @failed: the final error; 0 is none
 * @error: the last error's sentence
 * @stats: counters
 * @info: of the request that was reported last
 * @members: as the last notice has them
 */
struct weir {
	struct guard guard;
	struct driver *driver;
	struct trees *trees;
	struct config config;
	struct asked *asked;
	int fd;
	int group_fd;
	struct membership member;
	struct standby standby;
	struct life life;
	struct absence absence;
	uint32_t receive_buffer;
	struct window window;
	struct kept kept;
	struct early early;
	struct acks acks;
	struct behind behind;
	uint64_t replay_end;
	uint64_t ahead;
	struct recovery recovery;
	struct pace pace;
	struct merging merging;
	struct queue queue;
	struct inbox in;
	uint64_t now;
	uint64_t progress;
	uint64_t left;
	bool away;
	bool drained;
	bool idle;
	bool more;
	bool blocked;
	bool is_capable;
	bool hears_marks;
	int path_errno;
	enum rank_state state;
	int failed;
	char error[COMM_ERROR];
	struct weir_stats stats;
	struct weir_info info;
	struct members members;
};

#endif
