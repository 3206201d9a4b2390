/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The action of a filter's rule on packets, in several words:
 *
 *	pass | drop | mark DSCP | sample NUMBER [group NUMBER] | police POLICER | guard POLICER [for TIME]
 *
 * POLICER is RATE [burst SIZE] and PACKETSpps [burst PACKETS], one of them or both, then [each
 * [sources NUMBER]].
 */
#ifndef WEIR_ACTION_H
#define WEIR_ACTION_H

#include <libmnl/libmnl.h>
#include <stdbool.h>
#include <stdint.h>

#include "grammar/rate.h"

struct syntax;

#define ACTION_TEXT 160

/**
 * struct action - what is done; what is not said is 0
 * @kind: enum weir_xdp_filter_action
 * @dscp: of mark
 * @rate: of police and guard
 * @each: of police, the rate is each source's; it goes without saying of guard
 * @sources: number of sources that are told apart
 * @time: of guard, microseconds that a source is blocked
 * @sample: one packet in so many
 * @group: of sample, psample's
 * @text: as it was written
 */
struct action {
	uint32_t kind;
	uint32_t dscp;
	struct rate rate;
	bool each;
	uint32_t sources;
	uint32_t time;
	uint32_t sample;
	uint32_t group;
	char text[ACTION_TEXT];
};

extern const struct syntax action_syntax;

/* The words behind `guard` alone. */
extern const struct syntax guard_syntax;

/* Return true if both do the same. @now is reported by the module, with what @wanted leaves to it. */
bool action_same(const struct action *now, const struct action *wanted);

/* Of the attributes of a rule: in text as the command line takes it. */
void action_print(const struct nlattr *const rule[]);

#endif
