/* SPDX-License-Identifier: BSD-2-Clause */
/* Nothing goes on: which of the reasons, as far as this rank can tell. */
#ifndef WEIR_STALL_H
#define WEIR_STALL_H

struct weir;

/* No packet came for too long: fails the communicator, and says what it waited for. */
int stall_fail(struct weir *comm);

#endif
