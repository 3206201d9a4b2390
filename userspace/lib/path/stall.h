/* SPDX-License-Identifier: BSD-2-Clause */
/* No progress: finds the reason, as far as this rank can tell. */
#ifndef WEIR_STALL_H
#define WEIR_STALL_H

#include <stdint.h>

struct weir;

/*
 * Exclude the time from @until to @comm->now from the waits for the box and the ranks. The caller meant
 * to be back at @until, or the library to wake up; but the caller computed, or the process was stopped.
 * Meanwhile packets may have come to the socket, or the question was not sent.
 */
void stall_excuse(struct weir *comm, uint64_t until);

/*
 * Return the time when the wait is too long: that for a silent box, or that for ranks while the box
 * answers.
 */
uint64_t stall_due(const struct weir *comm);

/*
 * Check the wait in a round in which no packet came and none was due. If it is too long, fail the
 * communicator, with a sentence about the reason; else report ranks that are missing for long to the
 * caller. Return 0 or a negative errno.
 */
int stall_check(struct weir *comm);

/* Report missing ranks alone, in rounds in which packets came or were due. */
void stall_warn(struct weir *comm);

#endif
