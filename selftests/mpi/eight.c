// SPDX-License-Identifier: GPL-2.0
/* Reductions of numbers of 8 bytes: doubles, and integers that do not fit 4. Each rank prints digests. */
#include <stdint.h>
#include <stdio.h>

#include <mpi.h>

#define LARGE	50001

static int rank;
static double doubles[LARGE], got_doubles[LARGE];
static int64_t longs[LARGE], got_longs[LARGE];

static void tell(const char *what, const void *vector)
{
	const uint8_t *bytes = vector;
	uint64_t hash = 14695981039346656037u;

	for (size_t i = 0; i < sizeof(longs); i++)
		hash = (hash ^ bytes[i]) * 1099511628211u;
	printf("rank %d: %s %016llx\n", rank, what, (unsigned long long)hash);
}

static void fill(void)
{
	for (int i = 0; i < LARGE; i++) {
		longs[i] = ((int64_t)i * 1000003 + rank * 31) << 20;
		/* Sums of these are exact in any order, and have more bits than a float. */
		doubles[i] = (double)longs[i] / 1024 - 7;
	}
}

static void reduce(const char *what, const void *in, void *out, MPI_Datatype type, MPI_Op op)
{
	MPI_Allreduce(in, out, LARGE, type, op, MPI_COMM_WORLD);
	tell(what, out);
}

int main(int argc, char **argv)
{
	const MPI_Op ops[] = { MPI_SUM, MPI_MIN, MPI_MAX };

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	fill();
	for (int i = 0; i < 3; i++) {
		reduce("double", doubles, got_doubles, MPI_DOUBLE, ops[i]);
		reduce("double precision", doubles, got_doubles, MPI_DOUBLE_PRECISION, ops[i]);
		reduce("long long", longs, got_longs, MPI_LONG_LONG, ops[i]);
		reduce("int64_t", longs, got_longs, MPI_INT64_T, ops[i]);
		reduce("integer*8", longs, got_longs, MPI_INTEGER8, ops[i]);
		reduce("uint64_t", longs, got_longs, MPI_UINT64_T, ops[i]);
		if (sizeof(long) == 8)
			reduce("long", longs, got_longs, MPI_LONG, ops[i]);
	}
	reduce("in place", MPI_IN_PLACE, doubles, MPI_DOUBLE, MPI_SUM);
	MPI_Reduce(longs, got_longs, LARGE, MPI_INT64_T, MPI_SUM, 1, MPI_COMM_WORLD);
	tell("reduce", got_longs);
	MPI_Finalize();
	return 0;
}
