/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Boxes that have the same job: if one is silent, all ranks go on at another, each block once.
 *
 * A rank that comes to a box joins there with a new number and with the first block that it
 * lacks, as where a box has lost its state. So the ranks agree on where they go on, and each
 * sends again what another one lacks.
 *
 * A rank leaves its box when it has heard nothing of it for the failover time. If its box
 * answers, but other ranks are missing, it asks the other boxes whether ranks wait there; a join
 * without a cookie changes nothing on a box, and the answer tells. It goes where they wait, at
 * once to a box that comes before its own, and after some time to one behind it, from which it does
 * not return for a while: so ranks that have gone apart meet at the first box that all can reach.
 * Rank 0 goes back, when a box before its own answers again; the others find it waiting there, or it
 * returns. It goes between blocks: with all results of what it has sent, and with more to send. If it
 * left earlier, the others could end their calls with what it has sent, and never miss it.
 *
 * A rank that comes to another box may have lost but the way back of a last result: the others
 * have theirs, and are done. If no one comes and its own box answers again, it goes on there, in
 * the generation that it has left, and asks for what it lacks.
 */
#ifndef WEIR_STANDBY_H
#define WEIR_STANDBY_H

#include <stdbool.h>
#include <stdint.h>

struct weir;

/* Failover times for which a rank does not go to a box that not all reach, the first time. */
#define STANDBY_SHUN	16

/* Probe timeouts in a failover time, at least, unless round trips take longer. */
#define STANDBY_PROBES	4

/* Takes part in a generation of the box where it is. */
void standby_began(struct weir *comm);

/* Return the time when standby_check() is due, or UINT64_MAX if it is not. */
uint64_t standby_due(const struct weir *comm);

/*
 * Asks other boxes, or goes to one, where it is time. Returns 1 when it has gone, 0, or a negative
 * errno.
 */
int standby_check(struct weir *comm);

/* Return true if new blocks are to wait, as this rank goes back when those under way are answered. */
bool standby_holds(const struct weir *comm);

/* This box says that ranks wait there, as the members have been noted. */
int standby_called(struct weir *comm);

#endif
