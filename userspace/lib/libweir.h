/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libweir - allreduce through a box that sums gradients as packets cross it
 *
 * Every worker of a job sends its vector up once, cut into blocks of `grads`
 * elements, one block a UDP packet; the box answers each block with the sum
 * over all workers. The library numbers the blocks, keeps a window of them
 * under way, sends again what is not answered, and puts the sums in place. It
 * needs nothing of the worker's kernel but UDP sockets.
 *
 * Order.   All ranks of a communicator must start the same allreduces, with the
 *          same number of elements, in the same order. Results are the same
 *          bits on every rank.
 * Units.   Lengths are in elements, of 4 bytes; windows in packets; times in
 *          the unit that the name ends with.
 * Bytes.   Vectors are in the machine's own byte order; ports and all other
 *          numbers too. The library converts to the wire and back.
 * Errors.  Functions that can fail return 0 or a negative errno value;
 *          weir_error() has the sentence that says what is wrong with what, and
 *          what to do. Errors of the path (a timeout, an unreachable box) are
 *          final: the other ranks are somewhere else by then, so every later
 *          call returns the same error, and all ranks must close and open
 *          again. Errors of the arguments and of the values (-EINVAL, -EDOM,
 *          -ERANGE, -EOVERFLOW, -ENODATA) leave the communicator usable.
 * Threads. A communicator, its requests included, is used by one thread at a
 *          time; different communicators are independent. The library starts no
 *          thread and installs no signal handler: progress is made inside
 *          weir_test(), weir_wait(), the blocking calls, and, for what fits the
 *          window at once, weir_iallreduce_*(). A rank that stays away from
 *          them for long delays the others where packets are lost.
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

/* flags of struct weir_options */

/* A vector with sums that left int32 is delivered without an error. The sums
 * are then right modulo 2^32 only; weir_get_info() tells how many blocks.
 */
#define WEIR_ACCEPT_OVERFLOW	0x1u

/* A vector with blocks that not all ranks are in (the box gave up waiting) is
 * delivered without an error; weir_get_info() tells how few ranks there were.
 */
#define WEIR_ACCEPT_DEGRADED	0x2u

/**
 * struct weir_options - what a communicator is opened with
 * @size: sizeof(struct weir_options); a later library knows by it which
 *	members the caller has
 * @address: the box's address that the job was added with ("weir job add ...
 *	address A"), IPv4 or IPv6 in numbers; a link-local IPv6 address may carry
 *	"%interface". Required
 * @bind_address: this worker's own address, the one that its rank is bound to
 *	on the box ("weir source add ... address A"); NULL lets the routing table
 *	choose
 * @group: multicast group that results come to, where the job has one; NULL
 *	where the box sends each worker its own copy. The group is joined (IGMP
 *	or MLD) while the communicator is open
 * @interface: network interface to use; NULL lets the routing table choose
 * @port: UDP port of the job; 0 is 12000
 * @bind_port: UDP port of this worker, where results come to; 0 is @port. Give
 *	communicators that share one address different ones, and the box the
 *	same ("weir source add ... port P")
 * @rank: this worker's number, 0 to @ranks - 1: its source id on the box
 * @ranks: how many workers there are, 1 to 256: the job's sources
 * @grads: elements a block, 1 to 2048; 0 is 1024. The same on every rank and
 *	at most the job's. A packet is 40 bytes longer than 4 * @grads on IPv4,
 *	60 on IPv6, and is never fragmented: 1024 takes jumbo frames, an MTU of
 *	1500 carries 365 (IPv4) or 360 (IPv6)
 * @job: the job's id on the box
 * @reserved: must be zero
 * @window: packets under way at most; 0 is 4096. Clamped to half of the job's
 *	blocks, so that the box still holds each result that any rank may lack,
 *	and to what the socket's receive buffer holds (see weir_get_stats()),
 *	so that results are not lost while the caller computes. A packet takes
 *	its bytes and half a KiB, rounded up to a power of two, and 1 KiB of
 *	that buffer; net.core.rmem_max bounds the buffer of callers that have no
 *	CAP_NET_ADMIN
 * @timeout_ms: give up when nothing has come for so long, while inside the
 *	library; 0 is 30000. Time that the caller spends elsewhere is not counted
 * @flags: WEIR_ACCEPT_*
 *
 * Members that are zero have the defaults that are named above; @address and
 * @ranks have none.
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
};

/**
 * struct weir_stats - what has happened since the communicator was opened
 * @size: sizeof(struct weir_stats), set by the caller
 * @packets_sent: data packets sent, those sent again included
 * @packets_received: datagrams received, good or bad
 * @retransmits: data packets sent again
 * @timeouts: how often the retransmission timer ran out
 * @duplicates: results of blocks that had been answered already
 * @malformed: datagrams that are no result of this communicator and were
 *	ignored: wrong length, job, generation, count or contributors
 * @elements: elements summed
 * @generation: the communicator's generation, as the box has given it out
 * @window: packets under way at most, after clamping
 * @blocks: the job's block slots on the box
 * @grads: elements a block
 * @receive_buffer: bytes that the socket's receive buffer holds, overhead
 *	included
 * @rtt_us: smoothed time from sending a block to having its sum, microseconds.
 *	It has the wait for the slowest rank in it
 * @rttvar_us: its smoothed mean deviation
 * @rtt_min_us: the shortest seen; 0 before the first
 * @flight_limit: packets that the library lets be under way now, which falls
 *	when packets are lost and rises again up to @window
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
};

/**
 * struct weir_info - what is to be known about one finished allreduce
 * @size: sizeof(struct weir_info), set by the caller
 * @blocks: blocks that the vector was cut into
 * @overflow_blocks: blocks with a sum that left int32
 * @degraded_blocks: blocks that not all ranks are in
 * @min_ranks: the fewest ranks that a block has in it; 0 of an empty vector
 */
struct weir_info {
	size_t size;
	uint64_t blocks;
	uint64_t overflow_blocks;
	uint64_t degraded_blocks;
	uint32_t min_ranks;
	uint32_t reserved;
};

/**
 * weir_open() - join a job
 * @comm: where the communicator goes; NULL after an error
 * @options: see there; not used after the call
 *
 * Blocks until all ranks have called it, for @options->timeout_ms at most.
 *
 * Return: 0;
 *	-EINVAL, -E2BIG: wrong options, or of a later version of the library;
 *	-EMSGSIZE: a block does not fit the path MTU;
 *	-EPROTO: the job on the box has other ranks, or takes fewer grads;
 *	-ECONNREFUSED: the box is there and has no such job;
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
 * Requests that are still outstanding are abandoned and freed with the
 * communicator: the caller's pointers to them are dead. A rank may close as
 * soon as it has its own results; the box answers those who are behind.
 */
void weir_close(struct weir *comm);

/**
 * weir_allreduce_int32() - sum a vector over all ranks
 * @comm: the communicator
 * @in: @count elements, not changed unless it is @out
 * @out: @count elements, the sums. Either @in itself or not overlapping it
 * @count: elements; may be 0
 *
 * Return: 0;
 *	-EINVAL: wrong arguments;
 *	-EOVERFLOW: a sum left int32; @out is right modulo 2^32;
 *	-ENODATA: a block is not summed over all ranks;
 *	-ETIMEDOUT, -ECONNREFUSED, -EMSGSIZE and others of the path, final.
 */
int weir_allreduce_int32(struct weir *comm, const int32_t *in, int32_t *out,
			 size_t count);

/**
 * weir_allreduce_float() - sum a vector of floats over all ranks
 * @comm: the communicator
 * @in: as above
 * @out: as above
 * @count: as above
 * @scale: positive and finite, the same on every rank
 *
 * Each element is sent as the integer nearest to x * @scale, halves to even,
 * the product in double precision; the result is sum / @scale, rounded once to
 * float. So a result differs from the true sum by at most ranks / (2 * @scale),
 * and by the rounding to float. |sum * @scale| must stay below 2^31.
 *
 * Return: as above, and
 *	-EDOM: an element is not finite;
 *	-ERANGE: an element times @scale does not fit int32.
 *	Nothing was sent then, and the other ranks still wait for this call.
 */
int weir_allreduce_float(struct weir *comm, const float *in, float *out,
			 size_t count, double scale);

/**
 * weir_iallreduce_int32() - begin to sum a vector
 * @comm: the communicator
 * @in: must stay as it is until the request has finished
 * @out: must not be touched until the request has finished
 * @count: elements
 * @request: where the request goes; NULL after an error
 *
 * Any number of requests may be outstanding; they share the window and follow
 * each other in the order in which they were begun, with no gap between them.
 *
 * Return: 0, -EINVAL, -ENOMEM, or the communicator's final error.
 */
int weir_iallreduce_int32(struct weir *comm, const int32_t *in, int32_t *out,
			  size_t count, struct weir_request **request);

/** weir_iallreduce_float() - begin to sum a vector of floats; see both above */
int weir_iallreduce_float(struct weir *comm, const float *in, float *out,
			  size_t count, double scale,
			  struct weir_request **request);

/**
 * weir_test() - make progress, and see whether a request has finished
 * @request: the request; freed and set to NULL when it has finished
 *
 * Does not block.
 *
 * Return: 0 when it is still under way; 1 when it has finished, or *@request
 *	was NULL; an error as of the blocking calls.
 */
int weir_test(struct weir_request **request);

/**
 * weir_wait() - make progress until a request has finished
 * @request: the request; freed and set to NULL, except after -EINTR
 *
 * Return: 0, also when *@request was NULL; -EINTR when a signal handler ran
 *	meanwhile, and the request is still under way: call again; an error as
 *	of the blocking calls.
 */
int weir_wait(struct weir_request **request);

/**
 * weir_error() - the sentence of the last error
 * @comm: the communicator; NULL for the thread's last failed weir_open()
 *
 * Return: a string without a line feed, never NULL, valid until the next call
 *	on @comm. Empty when there has been no error.
 */
const char *weir_error(const struct weir *comm);

/**
 * weir_get_stats() - read the counters
 * @comm: the communicator
 * @stats: ->size must be set; what lies beyond the library's knowledge is zeroed
 *
 * Return: 0 or -EINVAL.
 */
int weir_get_stats(const struct weir *comm, struct weir_stats *stats);

/**
 * weir_get_info() - read what is known about the allreduce that finished last
 * @comm: the communicator
 * @info: ->size must be set. It is about the request that weir_test(),
 *	weir_wait() or a blocking call has reported last
 *
 * Return: 0 or -EINVAL.
 */
int weir_get_info(const struct weir *comm, struct weir_info *info);

/** weir_version() - the library's version, "major.minor.patch" */
const char *weir_version(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* LIBWEIR_H */
