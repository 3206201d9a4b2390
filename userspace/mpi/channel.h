/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A job of the box's, with MPI behind it.
 *
 * Allreduces go in the order in which they are submitted, DEPTH at once, each to memory of the
 * channel's own, from where the result goes to its place. So the input is whole until there is a
 * result, and the last DEPTH results are kept. A rank that has finished allreduce k knows that
 * all have begun it, and so have finished k - DEPTH.
 *
 * When the box is lost to a rank it tells the others. All meet, at each of the channels, and
 * compare how many they have finished; one that is ahead gives the others the results that they
 * lack. MPI does those that no rank has, and all that follow, on the same communicator and in the
 * same order.
 */
#ifndef WEIR_MPI_CHANNEL_H
#define WEIR_MPI_CHANNEL_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include <libweir.h>

#include "buffers.h"

#define CHANNEL_DEPTH	2

/* Descriptors that a channel waits for. */
#define CHANNEL_FDS	2

/* Bytes of an element. */
static inline size_t type_bytes(enum weir_type type)
{
	return type == WEIR_INT64 || type == WEIR_FLOAT64 ? 8 : 4;
}

/* Functions that the program may call: MPI takes each in its own way, alike on all ranks. */
enum call_kind {
	CALL_ALLREDUCE,
	CALL_IALLREDUCE,
	CALL_REDUCE,
};

/* A request of the program's that has its result, of which MPI has not been told. */
struct owed {
	MPI_Request general;
	struct owed *next;
};

/**
 * struct outcome - how a call has ended
 * @err: an error of MPI's, or MPI_SUCCESS
 * @by_box: some rank has the result from the box, and so all have it or get it
 */
struct outcome {
	int err;
	bool by_box;
};

/**
 * struct call - an allreduce
 * @kind: the function that the program has called
 * @in: the elements
 * @out: buffer for the result; NULL if it is not wanted
 * @count: elements
 * @datatype: MPI's
 * @op: MPI's
 * @root: of a reduce
 * @type: the library's
 * @outcome: record of the end of the call
 * @stage: the channel's own copy of the result
 * @request: of the library
 * @state: of it: 0 while it is under way, 1 when it has its result, or a negative errno
 * @inner: of MPI, where it has to do an iallreduce
 * @by_mpi: MPI does it
 * @err: an error of MPI's, or MPI_SUCCESS
 * @general: the program's, of an iallreduce
 * @owed: the entry for its completion, until it has its result
 * @submitted: to a channel
 * @next: the one that was submitted after it
 */
struct call {
	enum call_kind kind;
	const void *in;
	void *out;
	int count;
	MPI_Datatype datatype;
	MPI_Op op;
	int root;
	enum weir_type type;
	struct outcome *outcome;
	struct buffer stage;
	struct weir_request *request;
	int state;
	MPI_Request inner;
	bool by_mpi;
	int err;
	MPI_Request general;
	struct owed *owed;
	bool submitted;
	struct call *next;
};

/* The state of a rank, which the ranks exchange when the box is lost. */
struct position {
	uint64_t finished;
	uint64_t told;
};

/**
 * struct channel - see above
 * @head: the first of the rank's channels
 * @sibling: the one after this, in the same order on all ranks
 * @weir: the communicator; NULL when the box is lost
 * @type: of the job
 * @operation: of the job
 * @peers: the same ranks, for the channel's own messages and for what MPI has to do
 * @rank: this one
 * @ranks: number of ranks
 * @first: the oldest call that has not finished
 * @last: the newest
 * @begun: number of them that have begun
 * @kept: the last that have finished, the n-th in place n % CHANNEL_DEPTH
 * @finished: number of calls that have finished
 * @submitted: number of calls that were submitted
 * @calls: number of calls that went by the channel, with those that MPI did without it
 * @owed: requests of which MPI has to be told
 * @positions: room for those of all ranks
 * @buffers: for results
 */
struct channel {
	struct channel *head;
	struct channel *sibling;
	struct weir *weir;
	enum weir_type type;
	enum weir_operation operation;
	MPI_Comm peers;
	int rank;
	int ranks;
	struct call *first;
	struct call *last;
	unsigned int begun;
	struct call *kept[CHANNEL_DEPTH];
	uint64_t finished;
	uint64_t submitted;
	uint64_t calls;
	struct owed *owed;
	struct position *positions;
	struct buffers buffers;
};

/*
 * Gives the channel the same ranks as @comm, for messages whose errors are returned. All ranks call
 * it. Returns an error of MPI's.
 */
int channel_init(struct channel *channel, MPI_Comm comm);

/*
 * Takes a copy of the call, whose outcome has to stay until the call has ended. Returns an error of
 * MPI's, or MPI_SUCCESS and in @number the number of the call.
 */
int channel_submit(struct channel *channel, const struct call *call, uint64_t *number);

/* Make progress, and block only to meet the other ranks. Return true if call @number has finished. */
bool channel_test(struct channel *channel, uint64_t number);

/* The same, blocks for so many milliseconds at most when it has not, and sees to the others. */
bool channel_wait(struct channel *channel, uint64_t number, int ms);

/* Make progress without MPI: for a thread that may not call it. */
void channel_drive(struct channel *channel);

/* Return true if calls are under way, or if MPI has to be told of their ends. */
bool channel_is_busy(const struct channel *channel);

/*
 * Set the descriptors to wait for, and lower *@ms to the milliseconds to wait at most. Return the
 * number of descriptors, 0 if it is not the box that has to do something.
 */
unsigned int channel_poll(struct channel *channel, struct pollfd fds[CHANNEL_FDS], int *ms);

/* Make a call of MPI, on the channel's communicator. Return an error of MPI's. */
int channel_by_mpi(struct channel *channel, const struct call *call, void *out,
		   MPI_Request *request);

/*
 * Look for another rank's message that it has lost the box. If there is one, meet the other ranks: the
 * jobs of the other channels are lost with this one.
 */
void channel_listen(struct channel *channel);

void channel_close(struct channel *channel);

#endif
