/* SPDX-License-Identifier: BSD-2-Clause */
/* Asking weird(8) for a job, instead of being told of one. */
#ifndef WEIR_ASK_H
#define WEIR_ASK_H

struct weir;
struct weir_options;

/* The daemon to ask, or several with commas between them, for a tree each; NULL for none. */
const char *ask_box(const struct weir_options *options);

/*
 * If the options name a box to ask, ask it, and put the job into the options. Strings that are
 * put there live as long as the communicator. Return 0 or a negative errno.
 */
int ask_job(struct weir *comm, struct weir_options *options);

/*
 * Asks for the same place again if the daemon was restarted, at most every few seconds.
 * Returns 0, also if there is no answer, as the job goes on without; or -ESTALE.
 */
int ask_renew(struct weir *comm);

/*
 * While the ranks gather, check whether the daemon has reported that one of them cannot come.
 * Return 0, or fail the communicator with -ECONNREFUSED and the daemon's reason.
 */
int ask_heed(struct weir *comm);

/* Leaves the job. */
void ask_leave(struct weir *comm);

#endif
