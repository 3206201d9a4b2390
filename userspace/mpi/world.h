/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The jobs, which all ranks open at the first blocking reduction that one of them might take. Blocking
 * reductions of all communicators that have jobs, see members.h, share them: all ranks make these in
 * the same order. Iallreduces go by a job on the owner alone, and others may be in any order with
 * them: before a blocking one on another communicator the ranks compare how many each has made.
 */
#ifndef WEIR_MPI_WORLD_H
#define WEIR_MPI_WORLD_H

#include <stdbool.h>

#include "channel.h"

/* Jobs and channels are used by one thread at a time. */
void world_lock(void);
bool world_try_lock(void);
void world_unlock(void);

/*
 * For the library's own thread: the lock, where no call has had it since the thread asked last;
 * @visits counts them.
 */
bool world_lock_if_quiet(unsigned int *visits);

/**
 * world_channel() - the channel that a reduction goes by
 * @comm: the communicator
 * @call: the reduction; its type is set
 *
 * Decides alike on all ranks. Called with the lock, as the functions below.
 *
 * Return: NULL where it is MPI's own.
 */
struct channel *world_channel(MPI_Comm comm, struct call *call);

/*
 * Ends a blocking reduction that the box has done: where some rank has no thread that may call MPI,
 * it could not give others the result once it is in another call. So all wait until each has it.
 * Returns an error of MPI's.
 */
int world_confirm(void);

/* The @i-th channel, or NULL behind the last. */
struct channel *world_next(unsigned int i);

#endif
