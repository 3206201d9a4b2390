// SPDX-License-Identifier: GPL-2.0
/* A program with a session, and without MPI_Init() and MPI_COMM_WORLD. */
#include <stdint.h>
#include <stdio.h>

#include <mpi.h>

#define COUNT	50001

static int32_t in[COUNT], out[COUNT];

int main(void)
{
	MPI_Session session;
	MPI_Group group;
	MPI_Comm comm;
	int rank;

	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
	MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
	MPI_Comm_create_from_group(group, "weir", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
	MPI_Comm_rank(comm, &rank);
	for (int i = 0; i < COUNT; i++)
		in[i] = i + rank;
	MPI_Allreduce(in, out, COUNT, MPI_INT, MPI_SUM, comm);
	printf("rank %d: %d\n", rank, out[COUNT - 1]);
	MPI_Group_free(&group);
	MPI_Comm_free(&comm);
	MPI_Session_finalize(&session);
	return 0;
}
