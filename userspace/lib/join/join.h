/* SPDX-License-Identifier: BSD-2-Clause */
/* Agree on a generation with the other ranks, through the box. */
#ifndef WEIR_LIB_JOIN_H
#define WEIR_LIB_JOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flow/rtt.h"

struct weir;
struct wire_header;
struct wire_join;

/*
 * The first repetition comes soon, in case the packet was lost; the later ones
 * only bridge the wait for the other ranks.
 */
#define JOIN_REPEAT_FIRST	(20 * NSEC_PER_MSEC)
#define JOIN_REPEAT_CAP		(640 * NSEC_PER_MSEC)

/*
 * Sends joins until the box answers that all ranks are there; the answer has the
 * generation and the job's figures. @heed returns a negative errno if it is useless to wait.
 * Returns 0 or a negative errno.
 */
int join(struct weir *comm, int (*heed)(struct weir *comm));

/*
 * Sends a join when it is time, with the first block that this rank lacks. Returns how many packets,
 * or a negative errno.
 */
int join_send(struct weir *comm);

/*
 * Takes a cookie, where an answer to a join brings one that is to be sent with the next,
 * which is due at once. Returns whether it was such an answer.
 */
bool join_cookie(struct weir *comm, const struct wire_header *header,
		 const struct wire_join *answer);

/* Check that an answer fits this rank's options. Return 0, or fail the communicator. */
int join_check(struct weir *comm, const struct wire_header *header,
	       const struct wire_join *answer);

/*
 * This rank is in the generation that an answer names. Its packets are ECN-capable where the box says
 * for how many it has room.
 */
void join_began(struct weir *comm, const struct wire_header *header,
		const struct wire_join *answer);

/* Return the most packets that may be under way: as many as this rank and the box have room for. */
uint32_t join_room(const struct weir *comm);

#endif
