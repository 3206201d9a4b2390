// SPDX-License-Identifier: GPL-2.0
/*
 * A rank waits in a call of MPI's own for another one, which stands in a reduction whose box is
 * lost. The first argument says which threads the program asks for: "funneled", or "none". The
 * second one says who stands where: "ahead", that all but rank 0 have the result of a blocking
 * reduction; "jobs", the same, and they are in one of another job; or "under-way", that nobody
 * has that of an iallreduce. With a third one rank 0 makes a file of that name before, and all go
 * on when it is away.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

#include "pause.h"

/* In one window: a rank without results sends no second one, and nobody would be ahead. */
#define COUNT	4100

static int rank, ranks;
static int32_t in[COUNT], out[COUNT];

static void fill(int32_t seed)
{
	for (int i = 0; i < COUNT; i++)
		in[i] = i * 7 + rank * 31 + seed;
}

static void tell(const char *what)
{
	uint32_t hash = 2166136261u;

	for (int i = 0; i < COUNT; i++)
		hash = (hash ^ (uint32_t)out[i]) * 16777619;
	printf("rank %d: %s %08x\n", rank, what, hash);
}

static void allreduce(const char *what, int32_t seed)
{
	fill(seed);
	MPI_Allreduce(in, out, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	tell(what);
}

/* Small integers: their sums are exact in any order. */
static void allreduce_floats(const char *what)
{
	float *vector = (float *)out;

	for (int i = 0; i < COUNT; i++)
		vector[i] = (float)(i % 1000 + rank);
	MPI_Allreduce(MPI_IN_PLACE, vector, COUNT, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
	tell(what);
}

/* A message that @root sends to all others. */
static void pass_on(int root)
{
	int32_t token = 1;

	for (int other = 0; rank == root && other < ranks; other++)
		if (other != root)
			MPI_Send(&token, 1, MPI_INT32_T, other, 1, MPI_COMM_WORLD);
	if (rank != root)
		MPI_Recv(&token, 1, MPI_INT32_T, root, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void ahead(void)
{
	allreduce("ahead", 1);
	pass_on(0);
}

static void jobs(void)
{
	allreduce("ahead", 1);
	allreduce_floats("of another job");
}

static void under_way(void)
{
	MPI_Request request;

	fill(2);
	MPI_Iallreduce(in, out, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
	if (rank == 1)
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	pass_on(1);
	if (rank != 1)
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	tell("under way");
}

static void begin(int *argc, char ***argv, const char *asked)
{
	int provided, level;

	if (!strcmp(asked, "funneled")) {
		MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
		printf("provided %d\n", provided);
	} else {
		MPI_Init(argc, argv);
	}
	MPI_Query_thread(&level);
	printf("level %d\n", level);
}

int main(int argc, char **argv)
{
	begin(&argc, &argv, argv[1]);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	allreduce("before", 0);
	if (argc > 3)
		pause_with(argv[3]);
	if (!strcmp(argv[2], "ahead"))
		ahead();
	else if (!strcmp(argv[2], "jobs"))
		jobs();
	else
		under_way();
	allreduce("after", 3);
	MPI_Finalize();
	return 0;
}
