/* SPDX-License-Identifier: BSD-2-Clause */
/* The progress thread, of communicators that were opened with WEIR_PROGRESS. */
#ifndef WEIR_DRIVER_H
#define WEIR_DRIVER_H

struct weir;
struct weir_poll;

/* Returns 0, also where none is wanted, or a negative errno. */
int driver_start(struct weir *comm);
void driver_stop(struct weir *comm);

/* Ends a call that may have begun something, as guard_leave() does. */
void driver_leave(struct weir *comm);

/*
 * Return the descriptor and the time that an event loop waits for: the thread reads the sockets.
 * Called inside a call.
 */
struct weir_poll driver_poll(struct weir *comm);

#endif
