// SPDX-License-Identifier: GPL-2.0
/*
 * A one-sided program that reduces, too. With an argument rank 0 makes a file of that name before the
 * last reduction, and all go on when it is gone.
 */
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <mpi.h>

#include "pause.h"

/* In one window: see lost.c. */
#define COUNT	4100

static int rank, ranks;
static int32_t in[COUNT], out[COUNT];

static void allreduce(const char *what)
{
	uint32_t hash = 2166136261u;

	for (int i = 0; i < COUNT; i++)
		in[i] = i * 7 + rank * 31;
	MPI_Allreduce(in, out, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	for (int i = 0; i < COUNT; i++)
		hash = (hash ^ (uint32_t)out[i]) * 16777619;
	printf("rank %d: %s %08x\n", rank, what, hash);
}

/* Each rank puts a number into the next one's window. */
static void put(MPI_Win window, int32_t *mine, int32_t number)
{
	MPI_Win_fence(0, window);
	number += rank;
	MPI_Put(&number, 1, MPI_INT32_T, (rank + 1) % ranks, 0, 1, MPI_INT32_T, window);
	MPI_Win_fence(0, window);
	printf("rank %d: has %d\n", rank, *mine);
}

int main(int argc, char **argv)
{
	int32_t mine = -1;
	MPI_Win window;
	int level;

	MPI_Init(&argc, &argv);
	MPI_Query_thread(&level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	printf("level %d\n", level);
	allreduce("before");
	MPI_Win_create(&mine, sizeof(mine), sizeof(mine), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
	put(window, &mine, 100);
	if (argc > 1)
		pause_with(argv[1]);
	allreduce("after");
	put(window, &mine, 200);
	MPI_Win_free(&window);
	MPI_Finalize();
	return 0;
}
