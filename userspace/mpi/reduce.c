// SPDX-License-Identifier: BSD-2-Clause
/*
 * The reductions that the library takes from MPI.
 *
 * MPI_Reduce_scatter_block() and MPI_Bcast() are not among them: by the box every rank
 * sends a whole vector and receives one, and theirs move less.
 */
#include <stdlib.h>

#include "world.h"

/* How long one look at the box may take, so that MPI's own messages go on, too. */
#define LOOK_MS	10

static int reduce(struct channel *channel, const struct call *call)
{
	uint64_t number = channel_submit(channel, call);

	while (!channel_wait(channel, number, LOOK_MS))
		;
	return MPI_SUCCESS;
}

int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype datatype, MPI_Op op,
		  MPI_Comm comm)
{
	struct call call = {
		.kind = CALL_ALLREDUCE, .in = in, .out = out, .count = count,
		.datatype = datatype, .op = op,
	};
	struct channel *channel = world_channel(comm, count, datatype, op, true, &call.type);

	if (!channel)
		return PMPI_Allreduce(in, out, count, datatype, op, comm);
	if (!channel->weir)
		return channel_by_mpi(channel, &call, out, NULL);
	if (in == MPI_IN_PLACE)
		call.in = out;
	return reduce(channel, &call);
}

int MPI_Reduce(const void *in, void *out, int count, MPI_Datatype datatype, MPI_Op op, int root,
	       MPI_Comm comm)
{
	struct call call = {
		.kind = CALL_REDUCE, .in = in, .out = out, .count = count,
		.datatype = datatype, .op = op, .root = root,
	};
	struct channel *channel = world_channel(comm, count, datatype, op, true, &call.type);

	if (!channel)
		return PMPI_Reduce(in, out, count, datatype, op, root, comm);
	if (!channel->weir)
		return channel_by_mpi(channel, &call, out, NULL);
	if (in == MPI_IN_PLACE)
		call.in = out;
	if (channel->rank != root)
		call.out = NULL;
	return reduce(channel, &call);
}

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

int MPI_Iallreduce(const void *in, void *out, int count, MPI_Datatype datatype, MPI_Op op,
		   MPI_Comm comm, MPI_Request *request)
{
	struct call call = {
		.kind = CALL_IALLREDUCE, .in = in, .out = out, .count = count,
		.datatype = datatype, .op = op,
	};
	struct channel *channel = world_channel(comm, count, datatype, op, false, &call.type);

	if (!channel)
		return PMPI_Iallreduce(in, out, count, datatype, op, comm, request);
	if (!channel->weir)
		return channel_by_mpi(channel, &call, out, request);
	if (in == MPI_IN_PLACE)
		call.in = out;
	PMPI_Grequest_start(on_query, on_free, on_cancel, NULL, &call.general);
	*request = call.general;
	channel_submit(channel, &call);
	return MPI_SUCCESS;
}
