/* SPDX-License-Identifier: BSD-2-Clause */
/* Who may be inside a communicator: one call at a time, of the process that has opened it. */
#ifndef WEIR_GUARD_H
#define WEIR_GUARD_H

struct weir;

/* Of a communicator that this process opens. */
void guard_init(struct weir *comm);

/* Did this process open it? Returns 0 or -ECHILD. */
int guard_check_owner(const struct weir *comm);

/*
 * Begins a call. Returns 0, -ECHILD, or -EBUSY where another one is inside: the communicator has
 * not changed then.
 */
int guard_enter(struct weir *comm);
void guard_leave(struct weir *comm);

/* The sentence of a refusal, which was this thread's last; NULL where there was none. */
const char *guard_error(const struct weir *comm);

#endif
