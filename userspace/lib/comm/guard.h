/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Admission to a communicator: one call at a time, of the process that has opened it; and, between
 * calls, its progress thread if it has one.
 */
#ifndef WEIR_GUARD_H
#define WEIR_GUARD_H

#include <stdbool.h>

struct weir;

/* Of a communicator that this process opens. */
void guard_init(struct weir *comm);

/* From here on there is a progress thread. Returns 0 or -ENOMEM. */
int guard_share(struct weir *comm);

/* Undo guard_share(), after the thread has ended. A forked child, which has no such thread, calls it, too. */
void guard_unshare(struct weir *comm);

/* Check that this process opened the communicator. Return 0 or -ECHILD. */
int guard_check_owner(const struct weir *comm);

/*
 * Begins a call. Returns 0, -ECHILD, or -EBUSY where another one is inside: the communicator has
 * not changed then.
 */
int guard_enter(struct weir *comm);
void guard_leave(struct weir *comm);

/* The progress thread's turn, for which it waits until no call is inside. */
void guard_take(struct weir *comm);
void guard_give(struct weir *comm);

/*
 * To read what the progress thread may be writing. Returns whether guard_end_read() is to follow:
 * if no one writes, and in callbacks, there is nothing to wait for.
 */
bool guard_begin_read(const struct weir *comm);
void guard_end_read(const struct weir *comm);

/* The sentence of a refusal, which was this thread's last; NULL where there was none. */
const char *guard_error(const struct weir *comm);

#endif
