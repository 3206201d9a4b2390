// SPDX-License-Identifier: GPL-2.0
/*
 * Allreduce of int32 sums with MPI, to be held beside the box's. Which algorithm
 * is used is set from outside. Rank 0 prints seconds an allreduce, the slowest
 * rank's: their mean and their median. With "laps" it prints when each of them ended,
 * in seconds of the monotonic clock.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void check(const int32_t *sums, int count, int ranks)
{
	int i;

	for (i = 0; i < count; i++) {
		if (sums[i] != (ranks - 1) * ranks / 2 + ranks * (i & 0xffff)) {
			fprintf(stderr, "element %d is %d\n", i, sums[i]);
			MPI_Abort(MPI_COMM_WORLD, 1);
		}
	}
}

/* The slowest rank's time of one allreduce. */
static double once(int32_t *mine, int32_t *sums, int count)
{
	double start, time, slowest;

	MPI_Barrier(MPI_COMM_WORLD);
	start = MPI_Wtime();
	MPI_Allreduce(mine, sums, count, MPI_INT32_T, MPI_SUM, MPI_COMM_WORLD);
	time = MPI_Wtime() - start;
	MPI_Allreduce(&time, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return slowest;
}

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void report(double *seconds, int n)
{
	double total = 0;
	int i;

	for (i = 0; i < n; i++)
		total += seconds[i];
	qsort(seconds, n, sizeof(*seconds), by_size);
	printf("mean %.6f\nmedian %.6f\n", total / n, seconds[n / 2]);
}

static void lap(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	printf("lap %lld.%09ld\n", (long long)t.tv_sec, t.tv_nsec);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	int count, iterations, rank, ranks, i;
	int32_t *mine, *sums;
	double *seconds;
	int laps;

	MPI_Init(&argc, &argv);
	laps = argc == 4 && !strcmp(argv[3], "laps");
	if (argc != 3 + laps) {
		fprintf(stderr, "usage: mpi_ring BYTES ITERATIONS [laps]\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	count = atoi(argv[1]) / sizeof(*mine);
	iterations = atoi(argv[2]);
	mine = malloc(count * sizeof(*mine));
	sums = malloc(count * sizeof(*sums));
	seconds = malloc(iterations * sizeof(*seconds));
	if (!mine || !sums || !seconds)
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (i = 0; i < count; i++)
		mine[i] = rank + (i & 0xffff);

	/* The first opens the connections. */
	once(mine, sums, count < 65536 ? count : 65536);
	for (i = 0; i < iterations; i++) {
		seconds[i] = once(mine, sums, count);
		if (laps && !rank)
			lap();
	}
	check(sums, count, ranks);
	if (!rank)
		report(seconds, iterations);
	free(mine);
	free(sums);
	free(seconds);
	MPI_Finalize();
	return 0;
}
