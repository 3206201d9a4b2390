/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of MPI that the program may call: those that it, or a library of its own, imports.
 * Functions that are looked up by name at run time are not known.
 */
#ifndef WEIR_MPI_IMPORTS_H
#define WEIR_MPI_IMPORTS_H

#include <stdbool.h>

/* MPI_Allreduce(), MPI_Reduce() or MPI_Iallreduce() */
bool imports_reductions(void);

bool imports_iallreduce(void);

/* Functions that make windows for one-sided communication. */
bool imports_windows(void);

#endif
