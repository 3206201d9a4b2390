/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The threads that may call MPI: the program's, and the library's own. For that one MPI is asked
 * for MPI_THREAD_MULTIPLE if the program makes reductions, and no windows that MPI refuses with it.
 * The program is not told of it: it sees the level that it has asked for.
 */
#ifndef WEIR_MPI_THREADS_H
#define WEIR_MPI_THREADS_H

#include <stdbool.h>

/* Return true if the program's threads may call MPI at once. */
bool threads_of_program(void);

/* Return true if the library's own thread may call MPI while the program does. */
bool threads_of_library(void);

#endif
