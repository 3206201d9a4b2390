/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The jobs, and the communicator that they belong to: the first of all ranks that makes a blocking
 * reduction. On it all ranks call the same in the same order; between communicators MPI does not
 * ask for that, so all others are MPI's own. Where threads may call MPI at once it is
 * MPI_COMM_WORLD, as they could not agree which is the first.
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
 * @count: elements
 * @datatype: MPI's
 * @op: MPI's
 * @blocking: the first blocking one sets the jobs up
 * @type: where the library's type goes
 *
 * Decides alike on all ranks. Called with the lock, as world_next().
 *
 * Return: NULL where it is MPI's own.
 */
struct channel *world_channel(MPI_Comm comm, int count, MPI_Datatype datatype, MPI_Op op,
			      bool blocking, enum weir_type *type);

/* The @i-th channel, or NULL behind the last. */
struct channel *world_next(unsigned int i);

#endif
