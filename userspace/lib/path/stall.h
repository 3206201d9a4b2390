/* SPDX-License-Identifier: BSD-2-Clause */
/* No progress: finds the reason, as far as this rank can tell. */
#ifndef WEIR_STALL_H
#define WEIR_STALL_H

#include <stdint.h>

struct weir;

/*
 * At @until the caller meant to be back, or the library to wake up, and it is @comm->now. What came
 * between, a caller that computes or a process that was stopped, does not count against the box or
 * the ranks: their packets may be in the socket, or the question was not sent.
 */
void stall_excuse(struct weir *comm, uint64_t until);

/* When the wait is too long: that for a silent box, or that for ranks while the box answers. */
uint64_t stall_due(const struct weir *comm);

/*
 * No packet came and none was due. Where that is so for too long, fails the communicator, with a
 * sentence about the reason; else tells the caller of ranks that are missing for long. Returns 0
 * or a negative errno.
 */
int stall_check(struct weir *comm);

/* The latter alone, in rounds in which packets came or were due. */
void stall_warn(struct weir *comm);

#endif
