// SPDX-License-Identifier: GPL-2.0
/* Count the page faults of reductions of one size, after some have been made. */
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>

#include <mpi.h>

#define COUNT	(1 << 20)
#define ROUNDS	8

static int32_t in[COUNT], out[COUNT];

static void allreduces(void)
{
	for (int i = 0; i < ROUNDS; i++)
		MPI_Allreduce(in, out, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static long faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

int main(int argc, char **argv)
{
	long before;

	MPI_Init(&argc, &argv);
	for (int i = 0; i < COUNT; i++)
		in[i] = i;
	allreduces();
	before = faults();
	allreduces();
	printf("%ld\n", faults() - before);
	MPI_Finalize();
	return 0;
}
