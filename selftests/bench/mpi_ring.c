// SPDX-License-Identifier: GPL-2.0
/*
 * Allreduce of int32 or, with "double", of doubles with MPI, to be held beside the box's. Which
 * algorithm is used is set from outside. Rank 0 prints seconds an allreduce, the slowest
 * rank's: their mean and their median. With "laps" it prints when each of them ended,
 * in seconds of the monotonic clock.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Vectors of a type: what a rank contributes, and what the sum has to be. */
struct type {
	MPI_Datatype mpi;
	size_t size;
	void (*fill)(void *vector, int count, int rank);
	int (*is_sum)(const void *vector, int i, int sum);
};

static int element(int i, int rank) { return rank + (i & 0xffff); }

static void fill_int32(void *vector, int count, int rank)
{
	int32_t *v = vector;
	int i;

	for (i = 0; i < count; i++)
		v[i] = element(i, rank);
}

static void fill_double(void *vector, int count, int rank)
{
	double *v = vector;
	int i;

	for (i = 0; i < count; i++)
		v[i] = element(i, rank);
}

static int is_sum_int32(const void *vector, int i, int sum) { return ((const int32_t *)vector)[i] == sum; }
static int is_sum_double(const void *vector, int i, int sum) { return ((const double *)vector)[i] == sum; }

static void check(const struct type *type, const void *sums, int count, int ranks)
{
	int i;

	for (i = 0; i < count; i++) {
		if (!type->is_sum(sums, i, (ranks - 1) * ranks / 2 + ranks * element(i, 0))) {
			fprintf(stderr, "element %d is wrong\n", i);
			MPI_Abort(MPI_COMM_WORLD, 1);
		}
	}
}

/* The slowest rank's time of one allreduce. */
static double once(const struct type *type, void *mine, void *sums, int count)
{
	double start, time, slowest;

	MPI_Barrier(MPI_COMM_WORLD);
	start = MPI_Wtime();
	MPI_Allreduce(mine, sums, count, type->mpi, MPI_SUM, MPI_COMM_WORLD);
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
	const struct type int32 = { MPI_INT32_T, sizeof(int32_t), fill_int32, is_sum_int32 };
	const struct type doubles = { MPI_DOUBLE, sizeof(double), fill_double, is_sum_double };
	const struct type *type = &int32;
	int count, iterations, rank, ranks, i, laps = 0;
	void *mine, *sums;
	double *seconds;

	MPI_Init(&argc, &argv);
	for (i = 3; i < argc; i++) {
		if (!strcmp(argv[i], "laps"))
			laps = 1;
		else if (!strcmp(argv[i], "double"))
			type = &doubles;
		else
			break;
	}
	if (argc < 3 || i < argc) {
		fprintf(stderr, "usage: mpi_ring BYTES ITERATIONS [double] [laps]\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	count = atoi(argv[1]) / type->size;
	iterations = atoi(argv[2]);
	mine = malloc(count * type->size);
	sums = malloc(count * type->size);
	seconds = malloc(iterations * sizeof(*seconds));
	if (!mine || !sums || !seconds)
		MPI_Abort(MPI_COMM_WORLD, 1);
	type->fill(mine, count, rank);

	/* The first opens the connections. */
	once(type, mine, sums, count < 65536 ? count : 65536);
	for (i = 0; i < iterations; i++) {
		seconds[i] = once(type, mine, sums, count);
		if (laps && !rank)
			lap();
	}
	check(type, sums, count, ranks);
	if (!rank)
		report(seconds, iterations);
	free(mine);
	free(sums);
	free(seconds);
	MPI_Finalize();
	return 0;
}
