// SPDX-License-Identifier: BSD-2-Clause
/*
 * The reductions that the library takes from MPI.
 *
 * MPI_Reduce_scatter_block() and MPI_Bcast() are not among them: by the box every rank
 * sends a whole vector and receives one, and theirs move less.
 */
#include "background.h"
#include "world.h"

/* How long one look at the box may take, so that MPI's own messages go on, too. */
#define LOOK_MS	10

/* A generalized request: MPI keeps it, and asks these. */
static int on_query(void *extra, MPI_Status *status)
{
	(void)extra;
	PMPI_Status_set_elements(status, MPI_BYTE, 0);
	PMPI_Status_set_cancelled(status, 0);
	status->MPI_SOURCE = MPI_UNDEFINED;
	status->MPI_TAG = MPI_UNDEFINED;
	return MPI_SUCCESS;
}

static int on_free(void *extra)
{
	(void)extra;
	return MPI_SUCCESS;
}

static int on_cancel(void *extra, int complete)
{
	(void)extra;
	(void)complete;
	return MPI_ERR_REQUEST;
}

/* A call that has a channel is submitted, or given back to be done by MPI. */
static struct channel *submit(struct call *call, MPI_Comm comm, uint64_t *number)
{
	bool blocking = call->kind != CALL_IALLREDUCE;
	struct channel *channel;

	world_lock();
	channel = world_channel(comm, call->count, call->datatype, call->op, blocking, &call->type);
	if (channel && channel->weir) {
		struct call taken = *call;

		if (taken.in == MPI_IN_PLACE)
			taken.in = taken.out;
		if (taken.kind == CALL_REDUCE && channel->rank != taken.root)
			taken.out = NULL;
		if (taken.kind == CALL_IALLREDUCE)
			PMPI_Grequest_start(on_query, on_free, on_cancel, NULL, &taken.general);
		call->general = taken.general;
		*number = channel_submit(channel, &taken);
		call->submitted = true;
	}
	world_unlock();
	return channel;
}

static int reduce(struct channel *channel, const struct call *call, uint64_t number)
{
	bool done = false;

	if (!call->submitted)
		return channel_by_mpi(channel, call, call->out, NULL);
	while (!done) {
		world_lock();
		done = channel_wait(channel, number, LOOK_MS);
		world_unlock();
	}
	return MPI_SUCCESS;
}

int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype datatype, MPI_Op op,
		  MPI_Comm comm)
{
	struct call call = {
		.kind = CALL_ALLREDUCE, .in = in, .out = out, .count = count,
		.datatype = datatype, .op = op,
	};
	uint64_t number = 0;
	struct channel *channel = submit(&call, comm, &number);

	if (!channel)
		return PMPI_Allreduce(in, out, count, datatype, op, comm);
	return reduce(channel, &call, number);
}

int MPI_Reduce(const void *in, void *out, int count, MPI_Datatype datatype, MPI_Op op, int root,
	       MPI_Comm comm)
{
	struct call call = {
		.kind = CALL_REDUCE, .in = in, .out = out, .count = count,
		.datatype = datatype, .op = op, .root = root,
	};
	uint64_t number = 0;
	struct channel *channel = submit(&call, comm, &number);

	if (!channel)
		return PMPI_Reduce(in, out, count, datatype, op, root, comm);
	return reduce(channel, &call, number);
}

int MPI_Iallreduce(const void *in, void *out, int count, MPI_Datatype datatype, MPI_Op op,
		   MPI_Comm comm, MPI_Request *request)
{
	struct call call = {
		.kind = CALL_IALLREDUCE, .in = in, .out = out, .count = count,
		.datatype = datatype, .op = op, .general = MPI_REQUEST_NULL,
	};
	uint64_t number;
	struct channel *channel = submit(&call, comm, &number);

	if (!channel)
		return PMPI_Iallreduce(in, out, count, datatype, op, comm, request);
	if (!call.submitted)
		return channel_by_mpi(channel, &call, out, request);
	background_wake();
	*request = call.general;
	return MPI_SUCCESS;
}
