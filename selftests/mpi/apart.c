// SPDX-License-Identifier: GPL-2.0
/*
 * Ranks that the box leaves at different reductions: a channel over a library that sums nothing,
 * but has results of its own, and fails where it is told to.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "channel.h"

#define CALLS	9
#define COUNT	1000

/* Number of reductions that each rank has from the box. While they block they are one apart at most. */
static const int from_box[][4] = {
	{ 4, 4, 4, 4 }, { 4, 3, 4, 4 }, { 3, 4, 3, 3 }, { 0, 1, 0, 0 }, { 9, 8, 9, 9 },
};

struct weir_request {
	int result;
};

static struct weir_request requests[CALLS];
static int begun, limit;

int weir_iallreduce(struct weir *comm, const void *in, void *out, size_t count,
		    enum weir_type type, enum weir_operation operation, uint32_t flags,
		    const struct weir_extra *extra, struct weir_request **request)
{
	(void)comm;
	(void)in;
	(void)type;
	(void)operation;
	(void)flags;
	(void)extra;
	*request = &requests[begun++];
	(*request)->result = begun > limit ? -ETIMEDOUT : 1;
	for (size_t i = 0; begun <= limit && i < count; i++)
		((int *)out)[i] = 1000 * begun;
	return 0;
}

int weir_test(struct weir_request **request)
{
	return (*request)->result;
}

const char *weir_error(const struct weir *comm)
{
	(void)comm;
	return "told to fail";
}

int weir_get_poll(struct weir *comm, struct weir_poll *poll)
{
	(void)comm;
	poll->fd = -1;
	poll->group_fd = -1;
	poll->timeout_us = 1000;
	return 0;
}

void weir_close(struct weir *comm)
{
	(void)comm;
}

static int most_of(const int *sums, int ranks)
{
	int most = 0;

	for (int rank = 0; rank < ranks; rank++)
		if (sums[rank] > most)
			most = sums[rank];
	return most;
}

static bool is_all(const int *vector, int value)
{
	for (int i = 0; i < COUNT; i++)
		if (vector[i] != value)
			return false;
	return true;
}

/* Blocking ones, as a program calls them. Returns how many are wrong. */
static int reduce_all(struct channel *channel, int most)
{
	int in[COUNT], out[COUNT], wrong = 0;
	struct outcome outcome;
	struct call call = {
		.kind = CALL_ALLREDUCE, .in = in, .out = out, .count = COUNT,
		.datatype = MPI_INT, .op = MPI_SUM, .type = WEIR_INT32, .outcome = &outcome,
	};

	for (int i = 0; i < COUNT; i++)
		in[i] = channel->rank + 1;
	for (int n = 0; n < CALLS; n++) {
		if (channel->weir) {
			uint64_t number = 0;

			wrong += channel_submit(channel, &call, &number) != MPI_SUCCESS;
			while (!channel_wait(channel, number, 10))
				;
		} else {
			channel_by_mpi(channel, &call, out, NULL);
		}
		if (!is_all(out, n < most ? 1000 * (n + 1) : 10)) {
			printf("rank %d: reduction %d is %d\n", channel->rank, n, out[0]);
			wrong++;
		}
	}
	return wrong;
}

/* A rank that has all its results hears of a loss. */
static void wait_for_all(struct channel *channel)
{
	MPI_Request barrier;
	int flag = 0;

	MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
	while (!flag) {
		channel_listen(channel);
		MPI_Test(&barrier, &flag, MPI_STATUS_IGNORE);
	}
}

int main(int argc, char **argv)
{
	struct channel channel = { .head = &channel, .type = WEIR_INT32, .operation = WEIR_SUM };
	int wrong = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &channel.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &channel.ranks);
	for (size_t i = 0; i < sizeof(from_box) / sizeof(from_box[0]); i++) {
		wrong += channel_init(&channel, MPI_COMM_WORLD) != MPI_SUCCESS;
		/* Never looked into. */
		channel.weir = (struct weir *)&channel;
		channel.finished = channel.submitted = 0;
		begun = 0;
		limit = from_box[i][channel.rank];
		wrong += reduce_all(&channel, most_of(from_box[i], channel.ranks));
		wait_for_all(&channel);
		channel_close(&channel);
		MPI_Comm_free(&channel.peers);
	}
	MPI_Finalize();
	return wrong ? 1 : 0;
}
