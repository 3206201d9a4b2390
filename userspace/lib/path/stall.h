/* SPDX-License-Identifier: BSD-2-Clause */
/* No progress: finds the reason, as far as this rank can tell. */
#ifndef WEIR_STALL_H
#define WEIR_STALL_H

struct weir;

/* No packet came for too long: fails the communicator, with a sentence about the reason. */
int stall_fail(struct weir *comm);

#endif
