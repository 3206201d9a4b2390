/* SPDX-License-Identifier: GPL-2.0 */
/* Places where frames meet the module, and the sums of its counters there. */
#ifndef ARENA_H
#define ARENA_H

#include "fate.h"
#include "rng.h"
#include "wires.h"

/**
 * struct arena - a place
 * @name: its name
 * @enter: sets it up
 * @leave: takes it down
 * @round: chooses a policy, whose counters are new; may be NULL
 * @frame: makes a frame
 * @adds_up: returns true if all frames of this round are accounted for
 * @tell: prints the counters, for a round that does not add up
 */
struct arena {
	const char *name;
	void (*enter)(struct wires *w);
	void (*leave)(struct wires *w);
	void (*round)(struct wires *w, struct rng *rng, struct fates *f);
	void (*frame)(struct frame *frame, struct rng *rng);
	bool (*adds_up)(const struct wires *w, const struct fates *f);
	void (*tell)(const struct wires *w);
};

/* By which socket frames go in; set by @round, wire a unless it is. */
extern bool arena_local;

/* Some of the frames may be many in one, in all rounds until the place is left. */
extern bool arena_gso;

extern const struct arena arena_sum_xdp, arena_sum_generic, arena_sum_tc;
extern const struct arena arena_forward, arena_forward_generic, arena_trim, arena_qdisc;

#endif
