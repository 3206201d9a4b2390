// SPDX-License-Identifier: GPL-2.0
/* k-means as a program of MPI has it: nothing in it knows of weir. All numbers are integers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#define POINTS		2000
#define DIMENSIONS	256
#define CENTRES		32
#define ROUNDS		8

static int points[POINTS][DIMENSIONS];
static int centres[CENTRES][DIMENSIONS];
static int sums[CENTRES][DIMENSIONS + 1];	/* the last is the number of points */

static unsigned int next_random(unsigned int *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 16;
}

static int nearest(const int *point)
{
	long long best = 0;
	int found = -1;

	for (int c = 0; c < CENTRES; c++) {
		long long distance = 0;

		for (int d = 0; d < DIMENSIONS; d++) {
			long long apart = point[d] - centres[c][d];

			distance += apart * apart;
		}
		if (found < 0 || distance < best) {
			best = distance;
			found = c;
		}
	}
	return found;
}

static int assign_points(void)
{
	static int before[POINTS];
	int moved = 0;

	memset(sums, 0, sizeof(sums));
	for (int p = 0; p < POINTS; p++) {
		int c = nearest(points[p]);

		moved += before[p] != c;
		before[p] = c;
		for (int d = 0; d < DIMENSIONS; d++)
			sums[c][d] += points[p][d];
		sums[c][DIMENSIONS]++;
	}
	return moved;
}

static void move_centres(void)
{
	for (int c = 0; c < CENTRES; c++)
		for (int d = 0; d < DIMENSIONS && sums[c][DIMENSIONS]; d++)
			centres[c][d] = sums[c][d] / sums[c][DIMENSIONS];
}

static unsigned int digest(void)
{
	unsigned int hash = 2166136261u;

	for (int c = 0; c < CENTRES; c++)
		for (int d = 0; d < DIMENSIONS; d++)
			hash = (hash ^ (unsigned int)centres[c][d]) * 16777619;
	return hash;
}

int main(int argc, char **argv)
{
	unsigned int state;
	int rank, moved;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	state = (unsigned int)rank + 1;
	for (int p = 0; p < POINTS; p++)
		for (int d = 0; d < DIMENSIONS; d++)
			points[p][d] = (int)(next_random(&state) % 1000) + p % CENTRES * 100;
	memcpy(centres, points, sizeof(centres));
	MPI_Bcast(centres, CENTRES * DIMENSIONS, MPI_INT, 0, MPI_COMM_WORLD);
	for (int round = 0; round < ROUNDS; round++) {
		moved = assign_points();
		MPI_Allreduce(MPI_IN_PLACE, sums, CENTRES * (DIMENSIONS + 1), MPI_INT, MPI_SUM,
			      MPI_COMM_WORLD);
		MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		move_centres();
		if (rank == 0)
			printf("round %d: %d points have moved, centres %08x\n", round, moved,
			       digest());
	}
	MPI_Finalize();
	return 0;
}
