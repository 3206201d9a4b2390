// SPDX-License-Identifier: GPL-2.0
/*
 * Calls that MPI refuses, on all ranks alike: each prints what it returns and what the program's error
 * handler gets. With the argument "return" errors are returned without one.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <mpi.h>

#define COUNT	50001

static int rank, handled, handled_class;
static int32_t in[COUNT], out[COUNT];

static void on_error(MPI_Comm *comm, int *err, ...)
{
	(void)comm;
	handled++;
	MPI_Error_class(*err, &handled_class);
}

static void tell(const char *what, int err)
{
	int class;

	MPI_Error_class(err, &class);
	printf("rank %d: %s: class %d, %d calls of the handler with class %d\n", rank, what, class,
	       handled, handled_class);
	handled = handled_class = 0;
}

static void tell_sum(const char *what, int err, const int32_t *vector)
{
	tell(what, err);
	printf("rank %d: %s: %d\n", rank, what, vector[COUNT - 1]);
}

/* The result is what it was before. */
static void bad_roots(void)
{
	tell("root 99", MPI_Reduce(in, out, COUNT, MPI_INT, MPI_SUM, 99, MPI_COMM_WORLD));
	tell("root -1", MPI_Reduce(in, out, COUNT, MPI_INT, MPI_SUM, -1, MPI_COMM_WORLD));
	tell_sum("untouched", MPI_SUCCESS, out);
}

static void bad_buffers(void)
{
	MPI_Request request = MPI_REQUEST_NULL;

	tell_sum("aliased", MPI_Allreduce(in, in, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD), in);
	tell_sum("aliased iallreduce",
		 MPI_Iallreduce(in, in, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request), in);
#ifndef OPEN_MPI	/* whose 4.1 crashes */
	tell("no request", MPI_Iallreduce(in, out, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD, NULL));
#endif
	tell("in place of the result",
	     MPI_Allreduce(in, MPI_IN_PLACE, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
}

static void bad_arguments(void)
{
#ifndef MPICH_VERSION	/* whose 4.0 crashes */
	tell("count", MPI_Allreduce(in, out, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
#endif
	tell("type", MPI_Allreduce(in, out, COUNT, MPI_DATATYPE_NULL, MPI_SUM, MPI_COMM_WORLD));
	tell("operation", MPI_Allreduce(in, out, COUNT, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD));
	tell("communicator", MPI_Allreduce(in, out, COUNT, MPI_INT, MPI_SUM, MPI_COMM_NULL));
}

static void sums(void)
{
	tell_sum("sum", MPI_Allreduce(in, out, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD), out);
	tell_sum("reduce", MPI_Reduce(in, out, COUNT, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD), out);
}

int main(int argc, char **argv)
{
	MPI_Errhandler handler;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < COUNT; i++)
		in[i] = i + rank;
	MPI_Comm_create_errhandler(on_error, &handler);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, argc > 1 ? MPI_ERRORS_RETURN : handler);
	bad_roots();
	bad_buffers();
	sums();
	bad_roots();
	bad_buffers();
	bad_arguments();
	sums();
	MPI_Errhandler_free(&handler);
	MPI_Finalize();
	return 0;
}
