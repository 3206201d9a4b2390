// SPDX-License-Identifier: GPL-2.0
/*
 * Errors of the library's own calls of MPI and of its memory, which the program's error handler gets:
 * it is set after the first reduction. The argument says what fails: "memory"; or MPI in a "blocking"
 * reduction or in a "request", once the box is lost: rank 0 makes a file before, whose name is the
 * second argument, and all go on when it is gone.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

#include "pause.h"

#define COUNT	50001
#define MANY	1000003

static int rank, handled, handled_class;
static bool fails;
static int32_t in[COUNT], out[COUNT], many[MANY];

static int fail(MPI_Comm comm, int err)
{
	MPI_Errhandler handler;

	/* As MPI does it. */
	MPI_Comm_get_errhandler(comm, &handler);
	if (handler != MPI_ERRORS_RETURN)
		MPI_Comm_call_errhandler(comm, err);
	MPI_Errhandler_free(&handler);
	return err;
}

extern void *__libc_malloc(size_t size);

/* The library finds these before the C library's and MPI's. */
void *malloc(size_t size)
{
	return fails && size == sizeof(many) ? NULL : __libc_malloc(size);
}

int PMPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	int (*next)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm) =
		dlsym(RTLD_NEXT, "PMPI_Allreduce");

	return fails ? fail(comm, MPI_ERR_INTERN) : next(from, to, count, type, op, comm);
}

int PMPI_Iallreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
		    MPI_Comm comm, MPI_Request *request)
{
	int (*next)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request *) =
		dlsym(RTLD_NEXT, "PMPI_Iallreduce");

	return fails ? fail(comm, MPI_ERR_INTERN) : next(from, to, count, type, op, comm, request);
}

static void on_error(MPI_Comm *comm, int *err, ...)
{
	(void)comm;
	handled++;
	MPI_Error_class(*err, &handled_class);
}

static void tell(const char *what, int err, int expected)
{
	int class;

	MPI_Error_class(err, &class);
	printf("rank %d: %s: %s, %d calls of the handler%s\n", rank, what,
	       class == expected ? "right" : "wrong", handled,
	       handled_class == expected ? "" : " with another error");
	handled = 0;
}

static void lack_memory(void)
{
	tell("memory", MPI_Allreduce(MPI_IN_PLACE, many, MANY, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
	     MPI_ERR_NO_MEM);
}

static void fail_blocking(void)
{
	tell("blocking", MPI_Allreduce(in, out, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
	     MPI_ERR_INTERN);
}

static void fail_request(void)
{
	MPI_Request request;
	int err;

	err = MPI_Iallreduce(in, out, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
	if (err == MPI_SUCCESS)
		err = MPI_Wait(&request, MPI_STATUS_IGNORE);
	tell("request", err, MPI_ERR_INTERN);
}

int main(int argc, char **argv)
{
	MPI_Errhandler handler;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Allreduce(in, out, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Comm_create_errhandler(on_error, &handler);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
	if (argc > 2)
		pause_with(argv[2]);
	fails = true;
	if (!strcmp(argv[1], "memory"))
		lack_memory();
	else if (!strcmp(argv[1], "blocking"))
		fail_blocking();
	else
		fail_request();
	fails = false;
	for (int i = 0; i < COUNT; i++)
		in[i] = i + rank;
	MPI_Allreduce(in, out, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	printf("rank %d: then %d\n", rank, out[COUNT - 1]);
	MPI_Finalize();
	return 0;
}
