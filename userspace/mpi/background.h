/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread that makes progress while the program is in a call of MPI's own, or computes. Without it
 * ranks wait for each other where one waits for a message of another, which waits for an iallreduce
 * that both have begun; or for one that has lost the box, and waits for all to meet.
 */
#ifndef WEIR_MPI_BACKGROUND_H
#define WEIR_MPI_BACKGROUND_H

/*
 * There are jobs, which another rank may lose: where the thread may call MPI it starts, and hears
 * of that. Called with the lock, see world.h.
 */
void background_listen(void);

/* An iallreduce has begun. The first one starts the thread, where it does not run yet. */
void background_wake(void);

/* Called with the lock, see world.h. */
void background_stop(void);

#endif
