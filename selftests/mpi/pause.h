/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SELFTESTS_MPI_PAUSE_H
#define SELFTESTS_MPI_PAUSE_H

#include <stdio.h>
#include <unistd.h>

#include <mpi.h>

/* All ranks wait while a file exists, which rank 0 makes and the test removes. */
static inline void pause_with(const char *path)
{
	FILE *file;
	int rank;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0) {
		file = fopen(path, "w");
		if (!file)
			MPI_Abort(MPI_COMM_WORLD, 1);
		fclose(file);
		while (!access(path, F_OK))
			usleep(10000);
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

#endif
