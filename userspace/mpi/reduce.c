// SPDX-License-Identifier: BSD-2-Clause
/*
 * The reductions that the library takes from MPI.
 *
 * MPI_Reduce_scatter_block(), MPI_Allgather() and MPI_Bcast() are not among them: by the box a link
 * carries as much as by MPI's rings.
 */
#include <stdlib.h>

#include "background.h"
#include "wait.h"
#include "world.h"

/* The time that one look at the box may take, so that MPI's own messages go on, too. */
#define LOOK_MS	10

/* A generalized request: MPI keeps it, and asks these. @extra is the outcome. */
static int on_query(void *extra, MPI_Status *status)
{
	const struct outcome *outcome = extra;

	PMPI_Status_set_elements(status, MPI_BYTE, 0);
	PMPI_Status_set_cancelled(status, 0);
	status->MPI_SOURCE = MPI_UNDEFINED;
	status->MPI_TAG = MPI_UNDEFINED;
	if (wait_asks())
		return MPI_SUCCESS;
#ifdef OPEN_MPI
	/* It takes the error from here, and not from the value that is returned. */
	status->MPI_ERROR = outcome->err;
#endif
	return outcome->err;
}

static int on_free(void *extra)
{
	free(extra);
	return MPI_SUCCESS;
}

static int on_cancel(void *extra, int complete)
{
	(void)extra;
	(void)complete;
	return MPI_ERR_REQUEST;
}

/* Errors of the library's own calls of MPI are the program's: its error handler decides. */
static int report(MPI_Comm comm, int err)
{
	if (err != MPI_SUCCESS)
		PMPI_Comm_call_errhandler(comm, err);
	return err;
}

/*
 * Return false if MPI may refuse a buffer: it then returns its own error or calls the program's error
 * handler. Arguments that all ranks pass alike are checked by world_channel().
 */
static bool has_buffers(const struct call *call, int rank)
{
	bool has_result = call->kind != CALL_REDUCE || rank == call->root;

	if (!call->in || (has_result && (!call->out || call->out == MPI_IN_PLACE)))
		return false;
	if (call->in == MPI_IN_PLACE)
		return has_result;
	return !has_result || call->in != call->out;
}

/* Returns an error of MPI's. */
static int submit_request(struct channel *channel, struct call *call, uint64_t *number)
{
	int err;

	call->outcome = calloc(1, sizeof(*call->outcome));
	if (!call->outcome)
		return MPI_ERR_NO_MEM;
	err = PMPI_Grequest_start(on_query, on_free, on_cancel, call->outcome, &call->general);
	if (err != MPI_SUCCESS) {
		free(call->outcome);
		return err;
	}
	err = channel_submit(channel, call, number);
	if (err != MPI_SUCCESS) {
		PMPI_Grequest_complete(call->general);
		PMPI_Request_free(&call->general);
	}
	return err;
}

/*
 * A call that has a channel is submitted, or given back to be done by MPI. An error of MPI's goes to
 * @err.
 */
static struct channel *submit(struct call *call, MPI_Comm comm, uint64_t *number, int *err)
{
	struct channel *channel;

	*err = MPI_SUCCESS;
	world_lock();
	channel = world_channel(comm, call);
	if (channel && !has_buffers(call, channel->rank))
		channel = NULL;
	if (channel)
		channel->calls++;
	if (channel && channel->weir) {
		struct call taken = *call;

		if (taken.in == MPI_IN_PLACE)
			taken.in = taken.out;
		if (taken.kind == CALL_REDUCE && channel->rank != taken.root)
			taken.out = NULL;
		if (taken.kind == CALL_IALLREDUCE)
			*err = submit_request(channel, &taken, number);
		else
			*err = channel_submit(channel, &taken, number);
		call->general = taken.general;
		call->submitted = *err == MPI_SUCCESS;
	}
	world_unlock();
	return channel;
}

static int reduce(struct channel *channel, const struct call *call, uint64_t number)
{
	bool done = false;
	int err;

	if (!call->submitted)
		return channel_by_mpi(channel, call, call->out, NULL);
	while (!done) {
		world_lock();
		done = channel_wait(channel, number, LOOK_MS);
		world_unlock();
	}
	err = call->outcome->err;
	if (err != MPI_SUCCESS || !call->outcome->by_box)
		return err;
	world_lock();
	err = world_confirm();
	world_unlock();
	return err;
}

int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype datatype, MPI_Op op,
		  MPI_Comm comm)
{
	struct outcome outcome;
	struct call call = {
		.kind = CALL_ALLREDUCE, .in = in, .out = out, .count = count,
		.datatype = datatype, .op = op, .outcome = &outcome,
	};
	uint64_t number = 0;
	int err;
	struct channel *channel = submit(&call, comm, &number, &err);

	if (!channel)
		return PMPI_Allreduce(in, out, count, datatype, op, comm);
	return report(comm, err != MPI_SUCCESS ? err : reduce(channel, &call, number));
}

int MPI_Reduce(const void *in, void *out, int count, MPI_Datatype datatype, MPI_Op op, int root,
	       MPI_Comm comm)
{
	struct outcome outcome;
	struct call call = {
		.kind = CALL_REDUCE, .in = in, .out = out, .count = count,
		.datatype = datatype, .op = op, .root = root, .outcome = &outcome,
	};
	uint64_t number = 0;
	int err;
	struct channel *channel = submit(&call, comm, &number, &err);

	if (!channel)
		return PMPI_Reduce(in, out, count, datatype, op, root, comm);
	return report(comm, err != MPI_SUCCESS ? err : reduce(channel, &call, number));
}

int MPI_Iallreduce(const void *in, void *out, int count, MPI_Datatype datatype, MPI_Op op,
		   MPI_Comm comm, MPI_Request *request)
{
	struct call call = {
		.kind = CALL_IALLREDUCE, .in = in, .out = out, .count = count,
		.datatype = datatype, .op = op, .general = MPI_REQUEST_NULL,
	};
	uint64_t number;
	int err;
	struct channel *channel = request ? submit(&call, comm, &number, &err) : NULL;

	if (!channel)
		return PMPI_Iallreduce(in, out, count, datatype, op, comm, request);
	if (err != MPI_SUCCESS)
		return report(comm, err);
	if (!call.submitted)
		return report(comm, channel_by_mpi(channel, &call, out, request));
	background_wake();
	*request = call.general;
	return MPI_SUCCESS;
}
