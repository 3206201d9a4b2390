// SPDX-License-Identifier: GPL-2.0
/*
 * Reductions on communicators with the same ranks. As in Intel's benchmarks the first one on
 * MPI_COMM_WORLD is of one integer, and most are on another communicator.
 */
#include <stdint.h>
#include <stdio.h>

#include <mpi.h>

#define COUNT	50001
#define ROUNDS	10

static int rank;
static int32_t in[2][COUNT], out[2][COUNT];

static void fill(int32_t seed)
{
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < COUNT; j++) {
			in[i][j] = j * 7 + rank * 31 + i * 1000003 + seed;
			out[i][j] = -1;
		}
}

static void tell(const char *what, const int32_t *vector)
{
	uint32_t hash = 2166136261u;

	for (int i = 0; i < COUNT; i++)
		hash = (hash ^ (uint32_t)vector[i]) * 16777619;
	printf("rank %d: %s %08x\n", rank, what, hash);
}

static void allreduces(const char *what, MPI_Comm comm)
{
	for (int i = 0; i < ROUNDS; i++) {
		fill(i);
		MPI_Allreduce(in[0], out[0], COUNT, MPI_INT, MPI_SUM, comm);
		tell(what, out[0]);
	}
}

/* MPI orders calls on one communicator alone: ranks may begin these two in any order. */
static void cross(MPI_Comm first, MPI_Comm second)
{
	MPI_Request request;

	fill(77);
	if (rank % 2)
		MPI_Iallreduce(in[0], out[0], COUNT, MPI_INT, MPI_SUM, first, &request);
	MPI_Allreduce(in[1], out[1], COUNT, MPI_INT, MPI_SUM, second);
	if (rank % 2 == 0)
		MPI_Iallreduce(in[0], out[0], COUNT, MPI_INT, MPI_SUM, first, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	tell("crossing iallreduce", out[0]);
	tell("crossing allreduce", out[1]);
}

int main(int argc, char **argv)
{
	MPI_Comm first, second, turned;
	int32_t most = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Allreduce(&rank, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	printf("rank %d: of %d\n", rank, most);
	MPI_Comm_dup(MPI_COMM_WORLD, &first);
	MPI_Comm_dup(MPI_COMM_WORLD, &second);
	MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
	MPI_Comm_set_name(first, "first");
	MPI_Comm_set_name(second, "second");
	MPI_Comm_set_name(turned, "turned");
	allreduces("first", first);
	allreduces("second", second);
	allreduces("turned", turned);
	for (int i = 0; i < ROUNDS; i++) {
		cross(first, second);
		cross(second, first);
		cross(first, MPI_COMM_WORLD);
	}
	/* Its end is not that of the jobs. */
	MPI_Comm_free(&first);
	for (int i = 0; i < ROUNDS; i++)
		cross(second, MPI_COMM_WORLD);
	allreduces("second", second);
	MPI_Comm_free(&second);
	MPI_Comm_free(&turned);
	MPI_Finalize();
	return 0;
}
