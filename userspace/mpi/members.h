/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The communicators whose reductions may go by the jobs: MPI_COMM_WORLD and those with the same ranks
 * in the same order. If threads may call MPI at once it is MPI_COMM_WORLD alone: MPI orders calls on
 * one communicator only, and threads may come to several in any order.
 *
 * One of them owns the jobs: the first whose reduction went by one. Iallreduces of the others are MPI's
 * own. All functions are called with the lock, see world.h.
 */
#ifndef WEIR_MPI_MEMBERS_H
#define WEIR_MPI_MEMBERS_H

#include <stdbool.h>

#include <mpi.h>

/* Return true if its reductions may go by the jobs: alike on all ranks. */
bool members_have(MPI_Comm comm);

/* MPI_COMM_NULL if there is none, or it was freed. */
MPI_Comm members_owner(void);

void members_set_owner(MPI_Comm comm);

/* The name for messages. */
const char *members_name(MPI_Comm comm);

#endif
