// SPDX-License-Identifier: GPL-2.0
/*
 * Reductions of all kinds. Each rank prints digests of what it gets. With an argument rank 0 makes
 * a file of that name in the middle, and all go on when it is away; where it is "apart", the ranks
 * come to calls of MPI's own with reductions under way. With a second one threads may call MPI.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

#include "pause.h"

#define LARGE	50001
#define SMALL	100
#define MANY	12

static int rank, ranks;
static int32_t in[MANY][LARGE], out[MANY][LARGE];

static void check(int err)
{
	if (err != MPI_SUCCESS) {
		fprintf(stderr, "rank %d: error %d\n", rank, err);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
}

static void fill(void)
{
	for (int i = 0; i < MANY; i++)
		for (int j = 0; j < LARGE; j++) {
			in[i][j] = j * 7 + rank * 31 + i * 1000003;
			out[i][j] = -1;
		}
}

static void tell(const char *what, const int32_t *vector, int count)
{
	uint32_t hash = 2166136261u;

	for (int i = 0; i < count; i++)
		hash = (hash ^ (uint32_t)vector[i]) * 16777619;
	printf("rank %d: %s %08x\n", rank, what, hash);
}

static void allreduces(MPI_Comm comm)
{
	const MPI_Op ops[] = { MPI_SUM, MPI_MIN, MPI_MAX };

	for (int i = 0; i < 3; i++) {
		fill();
		check(MPI_Allreduce(in[0], out[0], LARGE, MPI_INT, ops[i], comm));
		check(MPI_Allreduce(in[1], out[1], SMALL, MPI_INT32_T, ops[i], comm));
		check(MPI_Allreduce(MPI_IN_PLACE, in[2], LARGE, MPI_UNSIGNED, ops[i], comm));
		tell("allreduce", out[0], LARGE);
		tell("allreduce of few", out[1], SMALL);
		tell("allreduce in place", in[2], LARGE);
	}
}

static void floats(void)
{
	float *vector = (float *)out[0];
	double *doubles = (double *)out[0];

	fill();
	/* Small integers: their sums are exact in any order. */
	for (int i = 0; i < LARGE; i++)
		vector[i] = (float)(in[0][i] % 1000);
	check(MPI_Allreduce(MPI_IN_PLACE, vector, LARGE, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD));
	tell("floats", out[0], LARGE);
	for (int i = 0; i < LARGE / 2; i++)
		doubles[i] = in[0][i];
	check(MPI_Allreduce(MPI_IN_PLACE, doubles, LARGE / 2, MPI_DOUBLE, MPI_MAX,
			    MPI_COMM_WORLD));
	tell("doubles", out[0], LARGE / 2 * 2);
}

static void reduces(void)
{
	for (int root = 0; root < ranks; root++) {
		fill();
		check(MPI_Reduce(in[0], out[0], LARGE, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD));
		tell("reduce", out[0], LARGE);
#ifndef MPICH_VERSION	/* whose 4.0 reads from the address MPI_IN_PLACE here */
		check(MPI_Reduce(rank == root ? MPI_IN_PLACE : in[1], rank == root ? in[1] : NULL,
				 LARGE, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD));
		if (rank == root)
			tell("reduce in place", in[1], LARGE);
#endif
	}
}

static void begin_many(MPI_Request requests[MANY])
{
	fill();
	for (int i = 0; i < MANY; i++)
		check(MPI_Iallreduce(in[i], out[i], i % 4 ? LARGE - i : SMALL, MPI_INT, MPI_SUM,
				     MPI_COMM_WORLD, &requests[i]));
}

static void tell_many(const char *what)
{
	for (int i = 0; i < MANY; i++)
		tell(what, out[i], LARGE);
}

static void iallreduces(void)
{
	MPI_Request requests[MANY], ring[2];
	int index, flag, done, indices[MANY];
	char token = 0, other;

	begin_many(requests);
	check(MPI_Irecv(&other, 1, MPI_CHAR, (rank + 1) % ranks, 5, MPI_COMM_WORLD, &ring[0]));
	check(MPI_Isend(&token, 1, MPI_CHAR, (rank + ranks - 1) % ranks, 5, MPI_COMM_WORLD,
			&ring[1]));
	check(MPI_Waitall(2, ring, MPI_STATUSES_IGNORE));
	check(MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE));
	tell_many("waitall");

	begin_many(requests);
	for (int i = MANY - 1; i >= 0; i--)
		check(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
	tell_many("wait");

	begin_many(requests);
	for (int i = 0; i < MANY; i++)
		check(MPI_Waitany(MANY, requests, &index, MPI_STATUS_IGNORE));
	check(MPI_Waitany(MANY, requests, &index, MPI_STATUS_IGNORE));
	tell_many(index == MPI_UNDEFINED ? "waitany" : "waitany: one too many");

	begin_many(requests);
	for (int left = MANY; left > 0; left -= done)
		check(MPI_Waitsome(MANY, requests, &done, indices, MPI_STATUSES_IGNORE));
	tell_many("waitsome");

	begin_many(requests);
	do
		check(MPI_Testall(MANY, requests, &flag, MPI_STATUSES_IGNORE));
	while (!flag);
	tell_many("testall");

	begin_many(requests);
	for (int i = 0; i < MANY; i++)
		do
			check(MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE));
		while (!flag);
	tell_many("test");
}

/* Rank 0 comes to the next reduction while the others still wait for the one under way. */
static void wait_apart(void)
{
	float *vector = (float *)out[1];
	MPI_Request request;

	fill();
	for (int i = 0; i < LARGE; i++)
		vector[i] = (float)in[1][i];
	check(MPI_Iallreduce(in[0], out[0], LARGE, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
	if (rank)
		check(MPI_Wait(&request, MPI_STATUS_IGNORE));
	check(MPI_Allreduce(MPI_IN_PLACE, vector, LARGE, MPI_FLOAT, MPI_MIN, MPI_COMM_WORLD));
	if (!rank)
		check(MPI_Wait(&request, MPI_STATUS_IGNORE));
	tell("under way", out[0], LARGE);
	tell("meanwhile", out[1], LARGE);
}

/*
 * Rank 0 is in calls of MPI's own, until the others have the results of what it has begun: they
 * pass a message on to it, and come to a barrier.
 */
static void block_apart(MPI_Comm twin)
{
	MPI_Request requests[MANY];
	char token = 0;

	begin_many(requests);
	if (rank)
		check(MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE));
	if (rank)
		check(MPI_Send(&token, 1, MPI_CHAR, 0, 6, MPI_COMM_WORLD));
	for (int i = 1; !rank && i < ranks; i++)
		check(MPI_Recv(&token, 1, MPI_CHAR, i, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	if (!rank)
		check(MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE));
	tell_many("behind a message");

	begin_many(requests);
	if (rank)
		check(MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE));
	check(MPI_Barrier(twin));
	if (!rank)
		check(MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE));
	tell_many("behind a barrier");
}

/* With no call but one that asks for a request's state. */
static void ask_for_state(void)
{
	MPI_Request requests[MANY];
	int flag;

	begin_many(requests);
	for (int i = 0; i < MANY; i++)
		do
			check(MPI_Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE));
		while (!flag);
	tell_many("state");
	check(MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE));
}

static int threads_now(void)
{
	DIR *tasks = opendir("/proc/self/task");
	int count = -2;	/* "." and ".." */

	while (readdir(tasks))
		count++;
	closedir(tasks);
	return count;
}

static int threads_before;

/*
 * Attributes are deleted first of all that MPI_Finalize() does. By then no thread may be in MPI that
 * the program has not made. One that has been waited for may be seen for a moment.
 */
static int on_finalize(MPI_Comm comm, int key, void *value, void *extra)
{
	(void)comm;
	(void)key;
	(void)value;
	(void)extra;
	for (int i = 0; i < 1000 && threads_now() > threads_before; i++)
		usleep(10000);
	if (threads_now() > threads_before)
		printf("rank %d: %d threads more\n", rank, threads_now() - threads_before);
	return MPI_SUCCESS;
}

/* The last one set is the first one deleted. */
static void look_at_the_end(void)
{
	int key;

	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_finalize, &key, NULL);
	MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}

int main(int argc, char **argv)
{
	MPI_Comm twin, half;
	int threads;

	if (argc > 2)
		MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &threads);
	else
		MPI_Init(&argc, &argv);
	threads_before = threads_now();
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	allreduces(MPI_COMM_WORLD);
	MPI_Comm_dup(MPI_COMM_WORLD, &twin);
	if (argc > 1 && !strcmp(argv[1], "apart")) {
		wait_apart();
		block_apart(twin);
	} else if (argc > 1) {
		pause_with(argv[1]);
	}
	iallreduces();
	ask_for_state();
	floats();
	reduces();
	allreduces(twin);
	MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
	allreduces(half);
	MPI_Comm_free(&half);
	MPI_Comm_free(&twin);
	look_at_the_end();
	MPI_Finalize();
	return 0;
}
