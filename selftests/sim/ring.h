/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An allreduce round a ring. Each rank has a connection to the next one. What comes to it is summed, or
 * taken over, and goes on packet by packet: so it has to send first what is its own, a part of N.
 */
#ifndef SIM_RING_H
#define SIM_RING_H

#include "clos.h"

struct ring;

/*
 * So many iterations of so many bytes; @finished is called for each rank and iteration. Ways between
 * racks are drawn by lot. A deaf ring's TCP knows losses, and no marks.
 */
struct ring *ring_new(const struct clos *clos, bool is_deaf, const unsigned int *servers,
		      unsigned int ranks, uint64_t bytes, unsigned int iterations, uint64_t *seed,
		      void (*finished)(void *owner, unsigned int rank), void *owner);

/* The rank has the gradients of so many iterations. */
void ring_allow(struct ring *ring, unsigned int rank, unsigned int iterations);

#endif
