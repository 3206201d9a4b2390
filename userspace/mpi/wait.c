// SPDX-License-Identifier: BSD-2-Clause
/*
 * Make progress on iallreduces while a program waits. They are generalized requests: MPI
 * does the rest.
 */
#include "wait.h"

#include <poll.h>

#include "world.h"

#define LOOK_MS	10

static _Thread_local bool asks;

bool wait_asks(void)
{
	return asks;
}

/* Of all channels, blocking for so many milliseconds at most. Returns whether any is busy. */
static bool progress(int ms)
{
	struct channel *channel;
	bool busy = false;

	if (!world_try_lock()) {
		/* Another thread makes it, but may end before this one's request has finished. */
		poll(NULL, 0, ms ? 1 : 0);
		return true;
	}
	for (unsigned int i = 0; (channel = world_next(i)); i++) {
		if (!channel_is_busy(channel))
			continue;
		channel_wait(channel, channel->submitted - 1, ms);
		busy = true;
	}
	world_unlock();
	return busy;
}

/* Until MPI says that a request has finished, or no allreduce is under way. */
static void wait_for(MPI_Request request)
{
	int flag = 0, err = MPI_SUCCESS;

	while (request != MPI_REQUEST_NULL && !flag && err == MPI_SUCCESS && progress(LOOK_MS)) {
		asks = true;
		err = PMPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
		asks = false;
	}
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
	wait_for(*request);
	return PMPI_Wait(request, status);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
	for (int i = 0; i < count; i++)
		wait_for(requests[i]);
	return PMPI_Waitall(count, requests, statuses);
}

int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
	int flag = 0, err = MPI_SUCCESS;

	while (progress(LOOK_MS) && !flag && err == MPI_SUCCESS)
		err = PMPI_Testany(count, requests, index, &flag, status);
	if (flag || err != MPI_SUCCESS)
		return err;
	return PMPI_Waitany(count, requests, index, status);
}

int MPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[],
		 MPI_Status statuses[])
{
	int err = MPI_SUCCESS;

	*done = 0;
	while (progress(LOOK_MS) && !*done && err == MPI_SUCCESS)
		err = PMPI_Testsome(count, requests, done, indices, statuses);
	if (*done || err != MPI_SUCCESS)
		return err;
	return PMPI_Waitsome(count, requests, done, indices, statuses);
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
	progress(0);
	return PMPI_Test(request, flag, status);
}

int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
	progress(0);
	return PMPI_Request_get_status(request, flag, status);
}

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
	progress(0);
	return PMPI_Testall(count, requests, flag, statuses);
}

int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
	progress(0);
	return PMPI_Testany(count, requests, index, flag, status);
}

int MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[],
		 MPI_Status statuses[])
{
	progress(0);
	return PMPI_Testsome(count, requests, done, indices, statuses);
}
