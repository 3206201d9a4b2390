/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Everybody else's traffic: flows between servers drawn by lot, as a Poisson process. Half of them have
 * lengths of a search engine's cluster, half those of a cluster that mines data.
 */
#ifndef SIM_BACKGROUND_H
#define SIM_BACKGROUND_H

#include "clos.h"

/**
 * struct background_config - how much of it
 * @load: of each server's link
 * @scale: lengths are divided by it
 * @from: flows that begin at this time or later,
 * @until: and before this one, are measured
 * @mbps: of a port, and
 * @delay: ns of its wire
 */
struct background_config {
	double load;
	unsigned int scale;
	uint64_t from;
	uint64_t until;
	uint32_t mbps;
	uint64_t delay;
};

void background_start(const struct clos *clos, const struct background_config *config, uint64_t seed);

/* No flow begins any more. */
void background_stop(void);

/* Return true if all short flows that are measured are done. */
bool background_is_measured(void);

/*
 * Prints how long short flows took, also by what each would take alone, and how fast long ones were.
 * Flows that are not done count as done now.
 */
void background_print(void);

#endif
