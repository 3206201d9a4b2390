/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libweir - allreduce through a box that sums gradients as packets cross it
 *
 * Every worker of a job sends its vector up once, cut into blocks of `grads` elements, one block a
 * UDP packet; the box answers each block with the sum over all workers. The library numbers the
 * blocks, keeps a window of them under way, queries blocks that are not answered, sends blocks
 * again that the box lacks, and puts the sums in place. It needs only UDP sockets of the worker's
 * kernel.
 *
 * Order.   All ranks of a communicator must start the same allreduces, with the same number of
 *          elements, types, scales and means, in the same order. If they do not, all of them
 *          get -EBADMSG. Results are the same bits on every rank.
 * Waiting. The job's policy on the box decides whether a block waits for all ranks
 *          ("weir job add ... policy P"). If it does not, a result may lack
 *          some of them: such blocks are "degraded", see WEIR_ACCEPT_DEGRADED,
 *          WEIR_AVERAGE, and struct weir_extra.
 * Numbers. The job on the box has one type and one operation ("weir job add ...
 *          dtype T op O"). A vector of floats may have another type than the job: it is
 *          rounded to the job's type once, on this rank. In a job of int32 floats are sent
 *          as integers; all ranks agree on each block's exponent in band, see
 *          weir_allreduce().
 * Units.   Lengths are in elements, of 4 or 2 bytes; windows in packets; times in
 *          the unit that the name ends with.
 * Bytes.   Vectors are in the machine's own byte order; ports and all other
 *          numbers too. The library converts to the wire and back.
 * Errors.  Functions that can fail return 0 or a negative errno value; weir_error() has a sentence
 *          with the fault and its fix. Errors of the path (a timeout, an unreachable box, a rank
 *          that the box has excluded) and ranks that do not agree on a call are final: the other
 *          ranks are somewhere else by then, so every later call returns the same error, and all
 *          ranks must close and open again; unless there is a fallback, see struct weir_options,
 *          which stands in for the path alone. A rank that the others have left behind gets -ESTALE,
 *          and may go on, see weir_resume(). Errors of the arguments and of the
 *          values (-EINVAL, -E2BIG, -EDOM, -ERANGE, -EOVERFLOW, -ENODATA) leave the communicator
 *          usable.
 * Threads. A communicator, its requests included, is used by one thread at a
 *          time: a call while another is inside is refused with -EBUSY, and changes nothing.
 *          Different communicators are independent. A forked child cannot use its parent's, and
 *          gets -ECHILD; it may close them, and open others. The library installs no signal
 *          handler, and starts no thread but where WEIR_PROGRESS asks for one: without it progress
 *          is made inside weir_test(), weir_wait(), weir_allreduce(), and, for blocks that fit the
 *          window at once, weir_iallreduce(). A rank that stays away from them for long delays the
 *          others where packets are lost, and where the box has lost its state.
 * Reload.  When the box is set up again while a job runs, the ranks join it again by themselves and
 *          send lost blocks again; the caller loses only time. For that the library keeps the
 *          packets of two windows: 8 * window * grads bytes, and up to twice as many where both
 *          integers and scaled floats are summed.
 */
#ifndef LIBWEIR_H
#define LIBWEIR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

#define WEIR_VERSION_MAJOR	0
#define WEIR_VERSION_MINOR	1
#define WEIR_VERSION_PATCH	0

/** struct weir - a communicator: one rank's membership of one job */
struct weir;

/** struct weir_request - an allreduce under way */
struct weir_request;

/** enum weir_type - types of numbers, as the job on the box has them, or a vector */
enum weir_type {
	WEIR_INT32 = 1,		/* two's complement */
	WEIR_FLOAT32 = 2,	/* IEEE 754 binary32 */
	WEIR_BFLOAT16 = 3,	/* the upper half of a binary32 */
	WEIR_FLOAT16 = 4,	/* IEEE 754 binary16 */
	WEIR_INT64 = 5,		/* two's complement */
	WEIR_FLOAT64 = 6,	/* IEEE 754 binary64; not of values of key-value streams */
};

/** enum weir_operation - how the ranks' elements are combined; see "op" in weir-job(8) */
enum weir_operation {
	WEIR_SUM = 1,
	WEIR_MIN = 2,
	WEIR_MAX = 3,
};

/* flags of struct weir_options, and of one call */

/* A vector with sums that left int32 is delivered without an error. The sums are then right modulo
 * 2^32 only; weir_get_info() has the number of blocks.
 */
#define WEIR_ACCEPT_OVERFLOW	0x1u

/* A vector with blocks that not all ranks are in (the box gave up waiting) is delivered without an
 * error; weir_get_info() has the fewest ranks of a block.
 */
#define WEIR_ACCEPT_DEGRADED	0x2u

/* Sums of floats are divided by the number of ranks that are in the block: the mean
 * over them, whether all are or not.
 */
#define WEIR_AVERAGE		0x4u

/* Of weir_open() alone: packets cross the kernel one by one. Else many of one length are sent and
 * received as one message (UDP_SEGMENT, UDP_GRO) where kernel and path can, which costs far less;
 * on the wire they are the same packets.
 */
#define WEIR_UNMERGED		0x8u

/* Of floats in a job of int32: elements that cannot be sent are no error. Infinities count as the largest
 * number, so that a sum of some is infinite and their mean is not, and NaNs as 0; products with a
 * scale are cut to what the sum of all ranks has room for. weir_get_info() has the number of
 * blocks with such elements.
 */
#define WEIR_SATURATE		0x10u

/* Of weir_open() alone: a thread of the library makes progress between calls, so that requests go on
 * while the program computes. Calls are as without it; the callbacks on_block and on_missing may
 * come from the thread, which blocks all signals. All time counts for the limits, as none is spent
 * elsewhere. The thread ends in weir_close(). A forked child has none.
 */
#define WEIR_PROGRESS		0x20u

/* Of weir_open() alone: @source of the options is valid. A job that spans several boxes has more
 * ranks than one of them has sources, and a worker's source id on its own box may be any.
 */
#define WEIR_SOURCE		0x80u

/* Of weir_open() alone: @cancel_fd of the options is valid. */
#define WEIR_CANCEL		0x100u

/* Of weir_open() alone: packets are not ECN-capable (RFC 3168), for paths that lose those that are. A
 * full queue loses packets then, where it would mark them, and the library slows down only by that.
 */
#define WEIR_NO_ECN		0x40u

/**
 * struct weir_failure - an allreduce that the box did not finish
 * @size: sizeof(struct weir_failure)
 * @error: the communicator's final error, a negative errno
 * @rank: this worker
 * @block: the first block that was not answered, counted on the communicator from 0; with several
 *	trees that of the tree that has failed, counted on it
 * @silent_ms: milliseconds without a packet from the box when this rank gave up
 * @sequence: number of this allreduce on the communicator, from 0, by which the ranks can compare
 *	their positions: some may have this one's result
 * @in: the input, as it was given; NULL where this rank only followed
 * @out: buffer for the result, partly written perhaps. All of it is to be made: of what has come by
 *	other trees than the one that has failed nothing counts, and nothing more is written
 * @count: elements of each
 * @type: of the elements
 * @operation: the operation of the call
 * @flags: of the call, and of the communicator
 */
struct weir_failure {
	size_t size;
	int error;
	uint32_t rank;
	uint64_t block;
	uint64_t silent_ms;
	uint64_t sequence;
	const void *in;
	void *out;
	size_t count;
	enum weir_type type;
	enum weir_operation operation;
	uint32_t flags;
};

/**
 * struct weir_block_info - a block that was answered
 * @size: sizeof(struct weir_block_info)
 * @sequence: number of its allreduce on the communicator, from 0
 * @offset: its first element in the vector
 * @count: its elements
 * @contributors: the ranks that are summed; rank r is bit r % 64 of word r / 64. Empty where not
 *	all are in it and the result does not name them, as the packet would not have fitted the
 *	MTU of the box's route to this rank
 * @ranks: number of them
 * @overflow: a sum has left int32
 * @all_contributors: the same for a job of any number of ranks, (ranks of the job + 63) / 64 words,
 *	valid until the function returns; @contributors has the first 256 ranks
 */
struct weir_block_info {
	size_t size;
	uint64_t sequence;
	size_t offset;
	size_t count;
	uint64_t contributors[4];
	uint32_t ranks;
	uint32_t overflow;
	const uint64_t *all_contributors;
};

/**
 * struct weir_missing - ranks that this rank waits for, while the box answers
 * @size: sizeof(struct weir_missing)
 * @ranks: those that the block lacks, or that have not joined; rank r is bit r % 64 of word
 *	r / 64. Empty where the box does not name them
 * @block: the block, counted on the communicator from 0; UINT64_MAX where they have not joined
 * @waited_ms: milliseconds that this rank has waited, without time that the caller spent elsewhere
 * @sentence: the same in words; valid until the function returns
 * @all_ranks: @ranks for a job of any number of ranks, (ranks of the job + 63) / 64 words, valid until
 *	the function returns; @ranks has the first 256
 */
struct weir_missing {
	size_t size;
	uint64_t ranks[4];
	uint64_t block;
	uint64_t waited_ms;
	const char *sentence;
	const uint64_t *all_ranks;
};

/**
 * struct weir_options - options of weir_open()
 * @size: sizeof(struct weir_options); a later library knows by it which
 *	members the caller has
 * @address: the box's address that the job was added with ("weir job add ...
 *	address A"), IPv4 or IPv6 in numbers; a link-local IPv6 address may carry
 *	"%interface". Required. Several, with commas between them, are boxes that all have the job,
 *	the same list on every rank, 16 at most: the ranks are together at the first that all of them
 *	reach, go on at another where it is silent, each block once, and go back when it is there
 *	again
 * @bind_address: this worker's own address, to which its rank is bound on the box ("weir source
 *	add ... address A"); NULL lets the routing table choose
 * @group: multicast group that results come to, where the job has one; NULL
 *	where the box sends each worker its own copy. The group is joined (IGMP
 *	or MLD) while the communicator is open
 * @interface: network interface to use; NULL lets the routing table choose
 * @port: UDP port of the job; 0 is 12000
 * @bind_port: UDP port of this worker, where results come to; 0 is @port. Give
 *	communicators that share one address different ones, and the box the
 *	same ("weir source add ... port P")
 * @rank: this worker's number, 0 to @ranks - 1: its source id on the box
 * @ranks: number of workers, 1 to 256: the job's sources
 * @grads: elements a block, 1 to 2048; 0 is 1024. The same on every rank and
 *	at most the job's. A packet is 40 bytes longer than its elements on IPv4,
 *	60 on IPv6, and is never fragmented. A result that lacks ranks is longer
 *	by 4 bytes for each 32 ranks or part of them, and must fit, too: 1024 elements of
 *	4 bytes take jumbo frames, an MTU of 1500 carries 364 (IPv4) or 359 (IPv6) of up
 *	to 32 ranks, and twice as many of 2 bytes
 * @job: the job's id on the box
 * @reserved: must be zero
 * @window: packets under way at most; 0 is 4096. Clamped to half of the job's blocks, so that the
 *	box still holds each result that any rank may lack, and to the room of the socket's receive
 *	buffer (see weir_get_stats()), so that results are not lost while the caller computes. A
 *	packet takes its bytes and half a KiB, rounded up to a power of two, 4 KiB at least, and 1
 *	KiB of that buffer; net.core.rmem_max bounds the buffer of callers that have no CAP_NET_ADMIN
 * @timeout_ms: give up when the box has sent no packet for so long inside the library, or has not
 *	got this rank's; 0 is 30000. Time that the caller spends elsewhere is not counted, nor that
 *	for which the process was stopped in its sleep
 * @flags: WEIR_ACCEPT_*, WEIR_AVERAGE, WEIR_SATURATE, of all calls; WEIR_UNMERGED, WEIR_PROGRESS,
 *	WEIR_SOURCE, WEIR_NO_ECN, WEIR_CANCEL
 * @fallback: called by weir_test(), weir_wait() and weir_allreduce() when the
 *	communicator has failed finally before their request had its result, and
 *	then for every later one. It returns 0 when it has made the result by other
 *	means (MPI, Gloo, ...), as the call would have with all ranks in it, and the
 *	request succeeds; anything else leaves the error as it is. With a fallback
 *	the output must be apart from the input. NULL is none
 * @fallback_context: its first argument
 * @on_block: called for each block that is answered, from inside the library: it
 *	must not call it. NULL is none
 * @on_block_context: its first argument
 * @type: the type that the job must have, an enum weir_type; 0 accepts any
 * @operation: and the operation, an enum weir_operation; 0 accepts any
 * @ranks_timeout_ms: give up when ranks are missing for so long while the box answers: they have
 *	not joined, or not sent a block that this rank waits for; 0 is 1800000. Time elsewhere is
 *	not counted
 * @ranks_warning_ms: and tell about it after so long, once each time; 0 is 60000
 * @on_missing: told then, from inside the library: it must not call it. NULL writes the sentence
 *	to the standard error
 * @on_missing_context: its first argument
 *
 * @box: where to ask for a job instead of naming one: "weird://10.0.0.254", the address at which
 *	weird(8) listens on the box, with ":PORT" where that is not 12080; "weirds://" for TLS. Behind
 *	it may come "/NAME", the job's, the same on every rank, and "?" with further wishes joined
 *	by "&": policy=, timeout_us=, quorum=, order=, blocks=, rate=. Without a name it is that in
 *	$WEIR_JOB or the launcher's (torchrun, PMIx, SLURM). @address, @port and @job must be
 *	zero, and are then the job's; @grads 0 is as many as the path's MTU carries; @bind_port 0 is
 *	any that is free. $WEIR_TOKEN, or the file $WEIR_TOKEN_FILE, has the tenant's token; or
 *	$WEIR_CERTIFICATE and $WEIR_KEY name files of a client certificate, and $WEIR_AUTHORITY one of
 *	who signs the box's. If both @box and @address are NULL, $WEIR_BOX is the box. Asking takes
 *	the library libweir-ask, and closing tells the box that the rank leaves
 * @failover_ms: with several boxes, go to another when one has sent no packet for so long, and look
 *	for ranks at the others when ranks are missing for so long; 0 is 1000, else 300 at
 *	least. The same on every rank
 * @trees: number of trees of the job, 1 to 16; 0 is $WEIR_TREES, else 1. The same on every rank. Tree
 *	t is job @job + t on the boxes, of this rank at @bind_port + t, and goes to @address's
 *	boxes from the t-th on, in turn: each box has the jobs of the trees that it serves. Block b of a
 *	vector goes by tree b mod @trees, and each has @window packets under way of its own, so that
 *	paths that are bottlenecks add up. Ranks with other numbers of trees all get -EBADMSG, here or,
 *	with one tree, in their first call. @group must be NULL. With @box, which may be several
 *	with commas between them, tree t is asked for at the t-th one, in turn, as the job NAME.tree<t>
 * @cancel_fd: with WEIR_CANCEL, a file descriptor: weir_open() gives up with -ECANCELED when it becomes
 *	readable while ranks are awaited, as when the program learns by other means that a rank cannot come.
 *	The caller keeps it. Else it must be zero
 * @source: with WEIR_SOURCE, this rank's source id on the box, 0 to 255; else it is the rank
 * @early_bytes: memory for results of blocks that this rank has not called for yet; 0 is 128 MiB,
 *	the gradients of 30 million parameters; less than a packet keeps none. If the job's policy
 *	does not wait for a slow rank, it gets them when it calls, at once, and the box need not
 *	retain them for it. They are received between calls with WEIR_PROGRESS, else while a call
 *	is inside. Results that do not fit are asked for later, if the box has them then. Memory is taken as
 *	results come
 *
 * Members that are zero have the defaults that are named above; @address (or @box) has
 * none, and @rank and @ranks, where @ranks is 0, are the launcher's: RANK and WORLD_SIZE, or those
 * of Open MPI, MPICH, PMIx or SLURM.
 */
struct weir_options {
	size_t size;
	const char *address;
	const char *bind_address;
	const char *group;
	const char *interface;
	uint16_t port;
	uint16_t bind_port;
	uint16_t rank;
	uint16_t ranks;
	uint16_t grads;
	uint8_t job;
	uint8_t reserved;
	uint32_t window;
	uint32_t timeout_ms;
	uint32_t flags;
	int (*fallback)(void *context, const struct weir_failure *failure);
	void *fallback_context;
	void (*on_block)(void *context, const struct weir_block_info *block);
	void *on_block_context;
	uint32_t type;
	uint32_t operation;
	uint32_t ranks_timeout_ms;
	uint32_t ranks_warning_ms;
	void (*on_missing)(void *context, const struct weir_missing *missing);
	void *on_missing_context;
	const char *box;
	uint32_t source;
	uint32_t failover_ms;
	uint32_t trees;
	int32_t cancel_fd;
	uint64_t early_bytes;
};

/**
 * struct weir_stats - counters since the communicator was opened
 * @size: sizeof(struct weir_stats), set by the caller
 * @packets_sent: data packets sent, those sent again included
 * @packets_received: datagrams received, good or bad
 * @retransmits: data packets sent again
 * @timeouts: number of times that the retransmission timer ran out
 * @duplicates: results of blocks that had been answered already
 * @malformed: datagrams that are no result of this communicator and were
 *	ignored: wrong length, job, generation, count or contributors
 * @elements: elements summed
 * @generation: the communicator's generation, from the box
 * @window: packets under way at most, after clamping
 * @blocks: the job's block slots on the box
 * @grads: elements a block
 * @receive_buffer: bytes that the socket's receive buffer holds, overhead
 *	included
 * @rtt_us: smoothed time from sending a block to having its sum, microseconds.
 *	It has the wait for the slowest rank in it
 * @rttvar_us: its smoothed mean deviation
 * @rtt_min_us: the shortest seen; 0 before the first
 * @flight_limit: packets that the library lets be under way now (its congestion window), which falls
 *	when packets are lost or results are marked, and rises again up to @window and to what
 *	the box has room for
 * @reserved: zero
 * @queries: packets that asked the box about a block, those of weir_follow_*()
 *	included
 * @notices: notices of the box about ranks
 * @early: results of blocks that this rank had not sent yet: the box went on
 *	without it. See @early_bytes of struct weir_options
 * @type: of the job, an enum weir_type
 * @operation: of the job, an enum weir_operation
 * @merged_sent: data packets that were given to the kernel many at once
 * @merged_received: datagrams that the kernel gave many at once
 * @rank: this rank, and
 * @ranks: number of ranks: of the options, or the launcher's
 * @job: the job's id on the box, and
 * @port: its UDP port: of the options, or weird(8)'s
 * @marked: results that say that a queue was full on their way, or on a contribution's (ECN)
 * @moves: number of times that this rank has gone to another of its boxes, or joined again at its
 *	own
 * @trees: number of trees. Counters, windows and buffers are sums over them, times the slowest
 *	tree's, and @generation and @job the first one's; weir_get_tree_stats() has one tree's
 * @reserved2: zero
 * @acks: acknowledgments of results, those that went along with data packets included
 * @kept: results that were received early, and delivered when the call came
 * @behind: 1 if this rank has fallen behind, and may resume, see weir_resume(); else 0
 * @reserved3: zero
 */
struct weir_stats {
	size_t size;
	uint64_t packets_sent;
	uint64_t packets_received;
	uint64_t retransmits;
	uint64_t timeouts;
	uint64_t duplicates;
	uint64_t malformed;
	uint64_t elements;
	uint32_t generation;
	uint32_t window;
	uint32_t blocks;
	uint32_t grads;
	uint32_t receive_buffer;
	uint32_t rtt_us;
	uint32_t rttvar_us;
	uint32_t rtt_min_us;
	uint32_t flight_limit;
	uint32_t reserved;
	uint64_t queries;
	uint64_t notices;
	uint64_t early;
	uint32_t type;
	uint32_t operation;
	uint64_t merged_sent;
	uint64_t merged_received;
	uint32_t rank;
	uint32_t ranks;
	uint32_t job;
	uint32_t port;
	uint64_t marked;
	uint64_t moves;
	uint32_t trees;
	uint32_t reserved2;
	uint64_t acks;
	uint64_t kept;
	uint32_t behind;
	uint32_t reserved3;
};

/**
 * struct weir_info - facts about one finished allreduce
 * @size: sizeof(struct weir_info), set by the caller
 * @blocks: blocks that the vector was cut into
 * @overflow_blocks: blocks with a sum that left int32
 * @degraded_blocks: blocks that not all ranks are in
 * @min_ranks: the fewest ranks that a block has in it; 0 of an empty vector
 * @reserved: zero
 * @missed_blocks: blocks without this rank, as far as results name their ranks
 * @cut_blocks: blocks whose exponent was agreed without this rank, and that it has larger
 *	elements in, or with elements that WEIR_SATURATE is for: those were cut
 */
struct weir_info {
	size_t size;
	uint64_t blocks;
	uint64_t overflow_blocks;
	uint64_t degraded_blocks;
	uint32_t min_ranks;
	uint32_t reserved;
	uint64_t missed_blocks;
	uint64_t cut_blocks;
};

/**
 * struct weir_members - the job's ranks, as the box has named them last
 * @size: sizeof(struct weir_members), set by the caller
 * @notices: number of notices; 0 means that the bitmaps are not valid
 * @dead: ranks that were silent for so long that the box takes them for dead. Rank r is bit r % 64
 *	of word r / 64
 * @excluded: ranks among them that blocks are complete without
 * @waiting: ranks that have joined again and wait for all others to close and open: excluded ranks
 *	come back in this way
 * @missing: ranks that this rank waits for now: it has asked the box, as a block was not answered
 *	for a second. Empty where it does not wait, or not for so long. Valid without notices, too
 * @all_dead: @dead of a job of any number of ranks, (ranks + 63) / 64 words, where the four above
 *	have the first 256 ranks. They change with the next call of the library, and with
 *	WEIR_PROGRESS at any time
 * @all_excluded: @excluded of a job of any number of ranks, as @all_dead
 * @all_waiting: @waiting of a job of any number of ranks, as @all_dead
 * @all_missing:
 */
struct weir_members {
	size_t size;
	uint64_t notices;
	uint64_t dead[4];
	uint64_t excluded[4];
	uint64_t waiting[4];
	uint64_t missing[4];
	const uint64_t *all_dead;
	const uint64_t *all_excluded;
	const uint64_t *all_waiting;
	const uint64_t *all_missing;
};

/**
 * struct weir_poll - conditions for an event loop to call weir_test()
 * @size: sizeof(struct weir_poll), set by the caller
 * @fd: call weir_test() when it is readable, or has an error
 * @group_fd: as @fd, for results that come to a group; -1 if there is no group
 * @writable: not 0: and when @fd is writable
 * @reserved: zero
 * @timeout_us: and after so many microseconds, at the latest
 */
struct weir_poll {
	size_t size;
	int fd;
	int group_fd;
	uint32_t writable;
	uint32_t reserved;
	uint64_t timeout_us;
};

/**
 * weir_open() - join a job
 * @comm: set to the communicator; NULL after an error
 * @options: see there; not used after the call
 *
 * Blocks until all ranks have called it, for @options->ranks_timeout_ms at most, or until the box
 * is silent for timeout_ms. Ranks that the box has excluded (policy exclude) have ten seconds from
 * the first call on, and then the others begin without them: either has to be more there.
 *
 * Return: 0;
 *	-EINVAL, -E2BIG: wrong options, or of a later version of the library;
 *	-EMSGSIZE: a block does not fit the path MTU;
 *	-EPROTO: the job on the box has other ranks, takes fewer grads, or sums another
 *	type of numbers, or not at all;
 *	-EBADMSG: another rank has another number of trees;
 *	-ECONNREFUSED: the box is there and has no such job; or weird(8) has refused another
 *	rank, which the job cannot begin without;
 *	-ESTALE: the job goes on with the ranks that were in it before;
 *	-ETIMEDOUT: no answer: a rank is missing, or the box is;
 *	-EINTR: a signal handler ran;
 *	-EADDRINUSE, -EADDRNOTAVAIL, -ENETUNREACH, -ENODEV, -ENOMEM and others of
 *	the socket calls.
 *	weir_error(NULL) has the sentence.
 */
int weir_open(struct weir **comm, const struct weir_options *options);

/**
 * weir_close() - leave the job
 * @comm: may be NULL
 *
 * Not while another call is inside. Requests that are still outstanding are abandoned and freed
 * with the communicator: the caller's pointers to them are dead. A rank may close as soon as it has
 * its own results; the box answers the ranks that are behind.
 */
void weir_close(struct weir *comm);

/**
 * struct weir_extra - further arguments, which few calls need
 * @size: sizeof(struct weir_extra)
 * @residual: as many elements as the vector, of its type, overlapping nothing else: the part of
 *	this rank's input that is not in the result. For each block without this rank its own
 *	elements; where elements were cut, the parts cut off; else zeroes. So a worker can add them
 *	to its next gradient. Only of use with WEIR_ACCEPT_DEGRADED; after an error not to be used.
 *	NULL is none
 * @scale: of floats in a job of int32: each element is sent as the integer nearest to
 *	x * @scale, halves to even, the product in double precision; the result is
 *	sum / @scale, rounded once. The same on every rank, positive and finite;
 *	|sum * @scale| must stay below 2^31, but see WEIR_SATURATE. 0 lets the ranks agree in band
 * @follow: not 0: this rank takes no part, as it is late, but has the result of the others: it
 *	queries each block, and gets its result when the box has answered the others, possibly
 *	after a timeout. The input must be NULL. Only where the job's policy is partial or exclude.
 *	Each block counts as missed, and as degraded, see WEIR_ACCEPT_DEGRADED
 * @reserved: must be zero
 */
struct weir_extra {
	size_t size;
	void *residual;
	double scale;
	uint32_t follow;
	uint32_t reserved;
};

/**
 * weir_allreduce() - combine a vector of all ranks
 * @comm: the communicator
 * @in: @count elements, not changed unless it is @out
 * @out: @count elements, the result. Either @in itself or not overlapping it
 * @count: elements; may be 0
 * @type: of the elements of @in and @out. In a job of int32 any; else floats alone
 * @operation: the job's
 * @flags: WEIR_ACCEPT_*, WEIR_AVERAGE, WEIR_SATURATE: those of struct weir_options hold, too
 * @extra: further arguments; NULL is none
 *
 * Every rank gets the same bits from the box; of float32, bfloat16 and float16 in a job of that
 * type the result is just these. If a vector has another type than the job, its elements are
 * rounded to the job's type, to the nearest, halves to even, and the results to the vector's.
 * WEIR_AVERAGE divides in double precision, and rounds once; it has no effect on integers, minima
 * and maxima.
 *
 * Floats in a job of int32, without a scale: each block is scaled by the least power of two
 * above all its elements on all ranks, so that no sum can overflow. An element is then wrong by
 * at most 2^(e - 32) * R, where 2^e is that power and R the number of ranks rounded up to a power
 * of two (twice as much of more than 128); the sum by @ranks times that, and by its rounding to
 * the vector's type. The first 256 blocks of a vector (or half the job's blocks, where that is
 * less) share their e, and no more blocks than that are under way at once. One round trip is
 * made more. If an element of any rank is not finite, all ranks get -EDOM, with a scale, too,
 * and all get -ERANGE if one is too large for it; or see WEIR_SATURATE. If the box does
 * not wait for all ranks, an e may be agreed without one of them, whose larger elements are then
 * cut: see struct weir_info and struct weir_extra.
 *
 * Return: 0;
 *	-EINVAL: wrong arguments; -E2BIG: @extra of a later version of the library;
 *	-EPROTO: the job does not combine numbers so; nothing was sent, and other ranks
 *	with the job's type still wait for this call;
 *	-EDOM: an element of some rank is not finite, in a job of int32; @out is undefined. All
 *	ranks have this error, and the sentence of that rank names the element;
 *	-ERANGE: an element of some rank times the scale does not fit int32; all ranks have this
 *	error, as -EDOM;
 *	-EBADMSG: the ranks' calls differ in number of elements, type, scale or WEIR_AVERAGE, or
 *	in their order. All ranks that wait for the block have it, and @out is undefined. Final;
 *	-EOVERFLOW: a sum left int32; @out is right modulo 2^32;
 *	-ENODATA: a block is not summed over all ranks;
 *	-ETIMEDOUT: the box is away for timeout_ms, or ranks are missing for ranks_timeout_ms,
 *	which the sentence names. Final, as all that follow;
 *	-EBUSY: another call is inside the communicator; -ECHILD: it is the parent's. Neither has an
 *	effect;
 *	-ECONNREFUSED: nor was the job there, at the end;
 *	-ECONNRESET: the box has excluded this rank, or takes it for dead;
 *	-ESTALE: the job is in another generation, or this rank cannot rejoin
 *	a box that was set up again;
 *	-EMSGSIZE, -EPROTO and others of the path.
 */
int weir_allreduce(struct weir *comm, const void *in, void *out, size_t count,
		   enum weir_type type, enum weir_operation operation, uint32_t flags,
		   const struct weir_extra *extra);

/**
 * weir_iallreduce() - begin to combine a vector
 * @comm: the communicator
 * @in: must stay as it is until the request has finished
 * @out: must not be touched until the request has finished
 * @count: as above
 * @type: as above
 * @operation: as above
 * @flags: as above
 * @extra: as above; not used after the call, except its residual, which is as @out
 * @request: set to the request; NULL after an error
 *
 * Any number of requests may be outstanding; they share the window and follow
 * each other in the order in which they were begun, with no gap between them.
 *
 * Return: 0, -EINVAL, -E2BIG, -ENOMEM, -EPROTO, -EBUSY, -ECHILD, or the communicator's final error.
 */
int weir_iallreduce(struct weir *comm, const void *in, void *out, size_t count,
		    enum weir_type type, enum weir_operation operation, uint32_t flags,
		    const struct weir_extra *extra, struct weir_request **request);

/**
 * struct weir_share - the elements of a vector that are this rank's
 * @first: the first of them
 * @count: number of elements in a row, 0 for none
 */
struct weir_share {
	size_t first;
	size_t count;
};

/**
 * weir_ireduce_scatter() - begin to sum a vector of all ranks, of which this one gets a share
 * @comm: the communicator, of a job of operation sum and without a fallback
 * @in: @count elements, which stay as they are until the request has finished
 * @out: @share->count sums, not to be touched until then. Either the share's place in @in, or not
 *	overlapping that; NULL where the share is empty
 * @count: elements of all ranks' vectors
 * @share: this rank's elements. Those of the ranks may be of different lengths, overlap, or leave
 *	some elements out: a reduction to one rank is one whose rank has all, and the others none
 * @type: the job's, of 4 or 8 bytes
 * @flags: WEIR_ACCEPT_OVERFLOW, WEIR_AVERAGE
 * @request: set to the request, for weir_test() or weir_wait(); NULL after an error
 *
 * All ranks call it with the same @count, @type and @flags. A rank sends its elements but for those
 * of its share, and receives the sums of its share, so of N equal shares its link carries
 * (N - 1) / N of the vector up and 1 / N down. Its own elements are added here, behind those of the
 * others: floats are rounded once more.
 *
 * Return: 0, -EINVAL, -EOPNOTSUPP where the job, its box or the communicator does not take it (all
 *	ranks of one job have that alike, and nothing was sent), -ENOMEM, -EBUSY, -ECHILD, or the
 *	communicator's final error. weir_wait() as of weir_iallreduce(); a sum that lacks ranks is
 *	-ENODATA.
 */
int weir_ireduce_scatter(struct weir *comm, const void *in, void *out, size_t count,
			 const struct weir_share *share, enum weir_type type, uint32_t flags,
			 struct weir_request **request);

/**
 * weir_iallgather() - begin to gather the shares of all ranks
 * @comm: as of weir_ireduce_scatter()
 * @in: @share->count elements, which stay as they are until the request has finished. Either the
 *	share's place in @out, or not overlapping that; NULL where the share is empty
 * @out: @count elements, not to be touched until then
 * @count: elements of all ranks together
 * @share: the place of this rank's elements. Those of the ranks must not overlap; what no rank has is
 *	0, of floats -0.0. A broadcast is one whose root has all, and the others none
 * @type: as of weir_ireduce_scatter()
 * @request: as of weir_ireduce_scatter()
 *
 * All ranks call it with the same @count and @type. A rank sends its share, and receives those of the
 * others: of N equal shares its link carries 1 / N of the vector up and (N - 1) / N down. All ranks
 * get the same bits, those of the shares, but for NaNs, which are those of the box's sums; in a job of
 * order fixed -0.0 may become 0.0.
 *
 * Return: as weir_ireduce_scatter().
 */
int weir_iallgather(struct weir *comm, const void *in, void *out, size_t count,
		    const struct weir_share *share, enum weir_type type,
		    struct weir_request **request);

/**
 * weir_behind() - count the blocks by which the box is ahead of this rank
 * @comm: the communicator
 *
 * Makes progress, without blocking, and returns by how many blocks the newest result that has come
 * is ahead of the allreduces that this rank has begun. A rank that is behind may follow, see
 * struct weir_extra, as many allreduces as lie in between, instead of computing contributions that
 * come too late. Only where the job's policy is partial or exclude: else the box does not go on.
 *
 * Return: blocks, 0 where no such result has come, or the communicator's final error. Floats in a
 *	job of int32 take a block more than their elements.
 */
int64_t weir_behind(struct weir *comm);

/**
 * struct weir_position - a place among the calls of a communicator
 * @size: sizeof(struct weir_position), set by the caller of weir_position()
 * @sequence: number of the next call
 * @blocks: of its first block, on each tree
 * @job: the job's id
 * @trees: number of trees
 * @ranks: number of ranks
 * @grads: elements a block
 *
 * Callers take it as bytes that they hand from one rank to another, on a machine of the same
 * byte order, and look at no member but @size.
 */
struct weir_position {
	size_t size;
	uint64_t sequence;
	uint64_t blocks[16];
	uint32_t job;
	uint32_t trees;
	uint32_t ranks;
	uint32_t grads;
};

/**
 * weir_position() - report at which call this rank is
 * @comm: the communicator
 * @position: ->size must be set; gets the position of the next call. The program's model, too,
 *	has to be that before it: no request is outstanding, and all results are applied
 *
 * Return: 0; -ESTALE if this rank has fallen behind; -EINVAL; -EBUSY, -ECHILD; or the
 *	communicator's final error.
 */
int weir_position(struct weir *comm, struct weir_position *position);

/**
 * weir_resume() - continue at the position of another rank
 * @comm: the communicator
 * @position: of a rank that has not fallen behind, from weir_position() there
 *
 * If the job's policy does not wait, the box evicts results after a while, though a rank lacks
 * them that was stopped, or is slow. Its calls then fail with -ESTALE, those under way included, and
 * all further ones do until this call. The program copies everything that its calls depend on, as
 * parameters, buffers and the state of the optimizer, from a rank that has not fallen behind, as it
 * is at the position that the same rank has taken. After this call the next one is that rank's
 * next one. Results that the others have got meanwhile are delivered at once.
 *
 * A rank that has not fallen behind may skip calls in this way, when no request is under way.
 *
 * Return: 0;
 *	-ESTALE: the box has evicted results from the position on: take a later one;
 *	-EINVAL, -E2BIG: no position of this job, or one that this rank has passed, or requests are
 *	under way; -EBUSY, -ECHILD; or the communicator's final error. Nothing has changed then.
 */
int weir_resume(struct weir *comm, const struct weir_position *position);

/**
 * weir_test() - make progress, and see whether a request has finished
 * @request: the request; freed and set to NULL when it has finished
 *
 * The call does not block.
 *
 * Return: 0 when it is still under way; 1 when it has finished, or *@request
 *	was NULL; an error as of the blocking calls. After -EBUSY and -ECHILD it is still there.
 */
int weir_test(struct weir_request **request);

/**
 * weir_wait() - make progress until a request has finished
 * @request: the request; freed and set to NULL, except after -EINTR, -EBUSY and -ECHILD
 *
 * Return: 0, also when *@request was NULL; -EINTR when a signal handler ran
 *	meanwhile, and the request is still under way: call again; an error as
 *	of the blocking calls.
 */
int weir_wait(struct weir_request **request);

/**
 * weir_get_poll() - wait in an event loop instead of weir_wait()
 * @comm: the communicator
 * @poll: ->size must be set. It holds until the next call that makes progress
 *
 * weir_test() of any request makes progress for all. The time that is then spent waiting
 * counts as the library's own, see timeout_ms. With WEIR_PROGRESS @fd becomes readable when a
 * request has finished, or the communicator has failed, and @group_fd is -1.
 *
 * Return: 0 or -EINVAL.
 */
int weir_get_poll(struct weir *comm, struct weir_poll *poll);

/**
 * weir_error() - the sentence of the last error
 * @comm: the communicator; NULL for the thread's last failed weir_open()
 *
 * After -EBUSY and -ECHILD it is the thread's own, until its next call.
 *
 * Return: a string without a line feed, never NULL, valid until the next call
 *	on @comm. Empty when there has been no error.
 */
const char *weir_error(const struct weir *comm);

/**
 * weir_get_stats() - read the counters
 * @comm: the communicator
 * @stats: ->size must be set; members unknown to the library are zeroed
 *
 * Return: 0 or -EINVAL.
 */
int weir_get_stats(const struct weir *comm, struct weir_stats *stats);

/**
 * weir_get_tree_stats() - read the counters of one tree
 * @comm: the communicator
 * @tree: its number, from 0
 * @stats: as of weir_get_stats(); ->trees is 1
 *
 * Return: 0, or -EINVAL, also where there is no such tree.
 */
int weir_get_tree_stats(const struct weir *comm, unsigned int tree, struct weir_stats *stats);

/**
 * weir_get_info() - read the facts about the allreduce that finished last
 * @comm: the communicator
 * @info: ->size must be set. It is about the request that weir_test(),
 *	weir_wait() or a blocking call has reported last
 *
 * Return: 0 or -EINVAL.
 */
int weir_get_info(const struct weir *comm, struct weir_info *info);

/**
 * weir_get_members() - read which ranks the box calls dead, excluded, waiting or missing
 * @comm: the communicator
 * @members: ->size must be set. As of the last notice and the last reply that the library has
 *	read, which it does while it makes progress
 *
 * Return: 0 or -EINVAL.
 */
int weir_get_members(const struct weir *comm, struct weir_members *members);

/*
 * Key-value streams.
 *
 * Mappers put pairs of a key and a number into streams, and a reducer gets each key once, with the
 * sum, the least or the greatest of its numbers. A box on the way ("weir job add ... format kv")
 * reduces what comes by; without one the streams go straight to the reducer. Each pair that was put
 * counts once, whatever is lost, doubled or late. The pairs of all mappers are a run, which ends when
 * all mappers have ended; if one breaks off and starts again, or a box has lost what it had, the run is
 * void: nothing of it counts, and all mappers begin from their first pair, see weir_kv_restart().
 *
 * A stream is used by one thread at a time. The library starts no thread: a mapper that has nothing
 * to put for more than a second calls weir_kv_progress() meanwhile, so that it does not look dead.
 */

/** struct weir_stream - one end of a key-value stream, a mapper's or the reducer's */
struct weir_stream;

/** WEIR_KV_KEY_BYTES - the longest key */
#define WEIR_KV_KEY_BYTES	64

/**
 * struct weir_kv_options - options of weir_kv_open() and weir_kv_listen()
 * @size: sizeof(struct weir_kv_options)
 * @address: of a mapper, where its pairs go: the box's address that the job was added with, or the
 *	reducer's own; required. Of a reducer, the address that it takes pairs at: NULL is any, which
 *	does on a host that has one. IPv4 or IPv6 in numbers
 * @bind_address: of a mapper, its own address, to which its source is bound on the box; NULL lets
 *	the routing table choose. Of a reducer NULL
 * @port: UDP port of the job, at the box or the reducer; 0 is 12064
 * @job: the job's id
 * @source: of a mapper, its number among those of its box or reducer, from 0. Of a reducer 0
 * @sources: of a reducer, how many send to it: mappers, or boxes. A source's number belongs to the
 *	first host that asks for it: keep others away by a packet filter. Of a mapper 0
 * @type: of the values, WEIR_INT32, WEIR_INT64 or WEIR_FLOAT32; 0 is WEIR_INT32
 * @operation: operation that combines values of a key, an enum weir_operation; 0 is WEIR_SUM
 * @local_keys: of a mapper, how many keys it may keep to combine their values itself, before they are
 *	sent; 0 is none. When they are so many, all are sent
 * @timeout_ms: of a mapper, give up when nothing has come back for so long, or when its box, or one
 *	behind that, has said for so long that it hears nothing of the reducer; 0 is 30000. Time that
 *	the caller spends elsewhere, or the process is stopped, is not counted. Of a reducer 0
 */
struct weir_kv_options {
	size_t size;
	const char *address;
	const char *bind_address;
	uint16_t port;
	uint16_t job;
	uint16_t source;
	uint16_t sources;
	uint32_t type;
	uint32_t operation;
	uint32_t local_keys;
	uint32_t timeout_ms;
};

/**
 * struct weir_kv_pair - a key and its value
 * @size: sizeof(struct weir_kv_pair), set by the caller
 * @key: the key's bytes, which need not be text; valid until the stream is closed
 * @length: number of bytes, 1 to WEIR_KV_KEY_BYTES
 * @integer: the value, of int32 or int64. Sums of int32 may be larger than that
 * @real: the value, of float32. Sums of the reducer have double precision, those of a box have not
 */
struct weir_kv_pair {
	size_t size;
	const void *key;
	size_t length;
	int64_t integer;
	double real;
};

/**
 * struct weir_kv_stats - counters since the stream was opened
 * @size: sizeof(struct weir_kv_stats), set by the caller
 * @packets_sent: packets with pairs or signals, those sent again included; of a reducer, answers
 * @packets_received: datagrams received, good or bad
 * @retransmits: packets sent again
 * @timeouts: number of times that the retransmission timer ran out
 * @probes: packets that only showed that the mapper is alive
 * @pairs: pairs sent, of a mapper, or taken, of a reducer; those of void runs included
 * @keys: of a reducer, different keys that it has now; of a mapper, those that it keeps
 * @duplicates: packets that had been taken already
 * @voids: runs that became void
 * @bad_header: packets that were too short or long, or had a wrong kind, or flags that do not go
 *	together. All that are counted from here on have changed nothing
 * @bad_key: that had a key of no bytes, or of too many
 * @bad_pairs: that ended within a pair, or had another number of them than they said
 * @bad_numbers: of another operation or type
 * @bad_source: of another job or a source that there is not, or that came from somewhere else than
 *	its source
 * @bad_session: of a session that is over
 * @bad_sequence: that had a number beyond the window, or behind the last packet of the session
 */
struct weir_kv_stats {
	size_t size;
	uint64_t packets_sent;
	uint64_t packets_received;
	uint64_t retransmits;
	uint64_t timeouts;
	uint64_t probes;
	uint64_t pairs;
	uint64_t keys;
	uint64_t duplicates;
	uint64_t voids;
	uint64_t bad_header;
	uint64_t bad_key;
	uint64_t bad_pairs;
	uint64_t bad_numbers;
	uint64_t bad_source;
	uint64_t bad_session;
	uint64_t bad_sequence;
};

/**
 * weir_kv_open() - begin a mapper's stream
 * @stream: set to the stream; NULL after an error
 * @options: see there; not used after the call
 *
 * Blocks until the other end has answered: it may be started later.
 *
 * Return: 0;
 *	-EINVAL, -E2BIG: wrong options, or of a later version of the library;
 *	-EADDRINUSE: another mapper has this source, and was heard for the last ten seconds;
 *	-EPROTO: the job has another operation or type;
 *	-ETIMEDOUT, -ECONNREFUSED: no answer;
 *	-EINTR: a signal handler ran;
 *	-EMSGSIZE: the path's MTU does not carry a pair;
 *	-ENOMEM and others of the socket calls. weir_kv_error(NULL) has the sentence.
 */
int weir_kv_open(struct weir_stream **stream, const struct weir_kv_options *options);

/**
 * weir_kv_put() - put a pair into a stream
 * @stream: a mapper's
 * @key: the key's bytes
 * @length: number of bytes, 1 to WEIR_KV_KEY_BYTES
 * @value: an integer in the range of the stream's type, or a number that float32 can have
 *
 * Blocks while the window is full. A double has 53 bits: weir_kv_put_integer() has all of int64.
 *
 * Return: 0;
 *	-EINVAL: no key, or one that is too long; -ERANGE: a value that the type does not have: the
 *	stream is as it was;
 *	-ERESTART: the run is void: see weir_kv_restart();
 *	-ETIMEDOUT, -ECONNREFUSED, -EMSGSIZE and others of the path: final.
 */
int weir_kv_put(struct weir_stream *stream, const void *key, size_t length, double value);

/**
 * weir_kv_put_integer() - put a pair into a stream
 * @stream: a mapper's
 * @key: the key's bytes
 * @length: number of bytes, 1 to WEIR_KV_KEY_BYTES
 * @value: an integer in the range of the stream's type; in one of float32 it is rounded
 *
 * Return: as weir_kv_put().
 */
int weir_kv_put_integer(struct weir_stream *stream, const void *key, size_t length,
			int64_t value);

/**
 * weir_kv_collect() - let what was put go on to the reducer
 * @stream: a mapper's
 *
 * Sends what waits here, and asks boxes on the way to send what they have. Need not be called: the
 * end of all mappers does the same.
 *
 * Return: as weir_kv_put().
 */
int weir_kv_collect(struct weir_stream *stream);

/**
 * weir_kv_finish() - end a mapper's stream
 * @stream: a mapper's
 *
 * Blocks until all that was put is at the reducer, and all other mappers have ended, too. Then
 * nothing can be put any longer.
 *
 * Return: as weir_kv_put(); -EINTR: a signal handler ran: call it again.
 */
int weir_kv_finish(struct weir_stream *stream);

/**
 * weir_kv_restart() - start again after a void run
 * @stream: a mapper's, of which a call has returned -ERESTART
 *
 * The caller puts all pairs again, from the first one on.
 *
 * Return: as weir_kv_open(); after -EINTR call it again.
 */
int weir_kv_restart(struct weir_stream *stream);

/**
 * weir_kv_listen() - begin to be a reducer
 * @stream: set to its stream; NULL after an error
 * @options: see there; not used after the call
 *
 * Return: 0;
 *	-EINVAL, -E2BIG: wrong options, or of a later version of the library;
 *	-EADDRINUSE, -EADDRNOTAVAIL, -ENOMEM and others of the socket calls.
 *	weir_kv_error(NULL) has the sentence.
 */
int weir_kv_listen(struct weir_stream **stream, const struct weir_kv_options *options);

/**
 * weir_kv_wait() - take pairs until all mappers have ended
 * @stream: a reducer's
 *
 * Void runs leave nothing, and it goes on waiting.
 *
 * Return: 0; -EINTR: a signal handler ran: call it again; -ENOMEM, -EOVERFLOW, where a sum has no
 *	room in 64 bits: final.
 */
int weir_kv_wait(struct weir_stream *stream);

/**
 * weir_kv_next() - the next pair of the result
 * @stream: a reducer's, after weir_kv_wait()
 * @pair: set to the pair; ->size must be set before
 *
 * Each key comes once, in no order that is promised.
 *
 * Return: 1; 0 where there is no further one; -EINVAL, also before all mappers have ended.
 */
int weir_kv_next(struct weir_stream *stream, struct weir_kv_pair *pair);

/**
 * weir_kv_progress() - do what is due, without blocking
 * @stream: either end's
 *
 * To be called each second by a mapper that has nothing to put, or by a reducer that does not wait
 * in weir_kv_wait(). Pairs that were put are sent, if the window lets them; those that are kept for
 * @local_keys stay.
 *
 * Return: as weir_kv_put() or weir_kv_wait(); a reducer's also -EAGAIN, before all mappers have ended.
 */
int weir_kv_progress(struct weir_stream *stream);

/**
 * weir_kv_close() - free a stream
 * @stream: may be NULL
 *
 * A mapper that has not finished breaks off: the run goes on when another one takes its place.
 */
void weir_kv_close(struct weir_stream *stream);

/**
 * weir_kv_error() - the sentence of the last error
 * @stream: the stream; NULL for the thread's last failed weir_kv_open() or weir_kv_listen()
 *
 * Return: a string without a line feed, never NULL, valid until the next call. Empty when there
 *	has been no error.
 */
const char *weir_kv_error(const struct weir_stream *stream);

/**
 * weir_kv_get_stats() - read the counters
 * @stream: either end's
 * @stats: ->size must be set; members unknown to the library are zeroed
 *
 * Return: 0 or -EINVAL.
 */
int weir_kv_get_stats(const struct weir_stream *stream, struct weir_kv_stats *stats);

/**
 * weir_version() - the library's version
 *
 * Return: "major.minor.patch", which is never freed.
 */
const char *weir_version(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* LIBWEIR_H */
