// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fortran's entries of mpif.h and "use mpi", for Open MPI, whose own go past C's. MPICH's call
 * C's functions.
 */
#include <mpi.h>

#ifdef OPEN_MPI

/* A program in Fortran has the variable whose address stands for MPI_IN_PLACE. */
extern int mpi_fortran_in_place_ __attribute__((weak));

static const void *input_of(const void *in)
{
	return in == &mpi_fortran_in_place_ ? MPI_IN_PLACE : in;
}

void mpi_init_thread_(const MPI_Fint *required, MPI_Fint *provided, MPI_Fint *err);
void mpi_query_thread_(MPI_Fint *provided, MPI_Fint *err);
void mpi_init_(MPI_Fint *err);
void mpi_finalize_(MPI_Fint *err);
void mpi_allreduce_(const void *in, void *out, const MPI_Fint *count, const MPI_Fint *datatype,
		    const MPI_Fint *op, const MPI_Fint *comm, MPI_Fint *err);
void mpi_reduce_(const void *in, void *out, const MPI_Fint *count, const MPI_Fint *datatype,
		 const MPI_Fint *op, const MPI_Fint *root, const MPI_Fint *comm, MPI_Fint *err);

void mpi_init_(MPI_Fint *err)
{
	*err = MPI_Init(NULL, NULL);
}

void mpi_init_thread_(const MPI_Fint *required, MPI_Fint *provided, MPI_Fint *err)
{
	*err = MPI_Init_thread(NULL, NULL, *required, provided);
}

void mpi_query_thread_(MPI_Fint *provided, MPI_Fint *err)
{
	*err = MPI_Query_thread(provided);
}

void mpi_finalize_(MPI_Fint *err)
{
	*err = MPI_Finalize();
}

void mpi_allreduce_(const void *in, void *out, const MPI_Fint *count, const MPI_Fint *datatype,
		    const MPI_Fint *op, const MPI_Fint *comm, MPI_Fint *err)
{
	*err = MPI_Allreduce(input_of(in), out, *count, MPI_Type_f2c(*datatype), MPI_Op_f2c(*op),
			     MPI_Comm_f2c(*comm));
}

void mpi_reduce_(const void *in, void *out, const MPI_Fint *count, const MPI_Fint *datatype,
		 const MPI_Fint *op, const MPI_Fint *root, const MPI_Fint *comm, MPI_Fint *err)
{
	*err = MPI_Reduce(input_of(in), out, *count, MPI_Type_f2c(*datatype), MPI_Op_f2c(*op),
			  *root, MPI_Comm_f2c(*comm));
}

#endif
