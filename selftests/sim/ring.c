// SPDX-License-Identifier: GPL-2.0
#include "ring.h"

#include "flow.h"
#include "random.h"

/**
 * struct ring_rank - one of them
 * @flow: to the next rank; its owner is this
 * @allowed: iterations that there are gradients of
 * @finished: iterations that are done
 */
struct ring_rank {
	struct flow flow;
	struct ring *ring;
	unsigned int allowed;
	unsigned int finished;
};

/**
 * struct ring - all of them
 * @own: packets of a rank's own part
 * @packets: those of an iteration on each connection
 */
struct ring {
	unsigned int ranks;
	uint32_t own;
	uint32_t packets;
	void (*finished)(void *owner, unsigned int rank);
	void *owner;
	struct ring_rank *rank;
};

/* Allow a rank to send its own part, and what has come to it in this iteration. */
static void send_on(struct ring *ring, unsigned int rank)
{
	struct ring_rank *own = &ring->rank[rank];
	const struct ring_rank *before = &ring->rank[(rank + ring->ranks - 1) % ring->ranks];
	uint32_t start, come;

	if (!own->allowed)
		return;
	start = (own->allowed - 1) * ring->packets;
	come = before->flow.received > start ? before->flow.received - start : 0;
	if (come + ring->own > ring->packets)
		come = ring->packets - ring->own;
	if (start + ring->own + come > own->flow.allowed)
		flow_allow(&own->flow, start + ring->own + come);
}

static void arrived(struct flow *flow)
{
	const struct ring_rank *from = flow->owner;
	struct ring *ring = from->ring;
	unsigned int rank = (unsigned int)(from - ring->rank + 1) % ring->ranks;
	struct ring_rank *own = &ring->rank[rank];

	send_on(ring, rank);
	while (own->finished < own->allowed && flow->received >= (own->finished + 1) * ring->packets) {
		own->finished++;
		ring->finished(ring->owner, rank);
	}
}

struct ring *ring_new(const struct clos *clos, bool is_deaf, const unsigned int *servers,
		      unsigned int ranks, uint64_t bytes, unsigned int iterations, uint64_t *seed,
		      void (*finished)(void *owner, unsigned int rank), void *owner)
{
	struct ring *ring = sim_alloc(1, sizeof(*ring));
	uint64_t part = (bytes + ranks - 1) / ranks;

	ring->ranks = ranks;
	ring->finished = finished;
	ring->owner = owner;
	ring->own = (uint32_t)((part + FLOW_PAYLOAD - 1) / FLOW_PAYLOAD);
	ring->packets = 2 * (ranks - 1) * ring->own;
	ring->rank = sim_alloc(ranks, sizeof(*ring->rank));
	for (unsigned int r = 0; r < ranks; r++) {
		struct flow *flow = &ring->rank[r].flow;
		unsigned int to = servers[(r + 1) % ranks];

		ring->rank[r].ring = ring;
		clos_path(clos, servers[r], to, random_below(seed, clos->cores), &flow->there);
		clos_path(clos, to, servers[r], random_below(seed, clos->cores), &flow->back);
		flow_init(flow, iterations * ring->packets,
			  (uint32_t)((part + ring->own - 1) / ring->own));
		flow->is_deaf = is_deaf;
		flow->arrived = arrived;
		flow->owner = &ring->rank[r];
	}
	return ring;
}

void ring_allow(struct ring *ring, unsigned int rank, unsigned int iterations)
{
	ring->rank[rank].allowed = iterations;
	send_on(ring, rank);
}
