/* SPDX-License-Identifier: GPL-2.0 */
/* The module's counters, read over netlink. */
#ifndef COUNTERS_H
#define COUNTERS_H

#include <stdint.h>
#include <weir.h>

struct counters {
	uint64_t stat[WEIR_A_STATS_MAX + 1];	/* by WEIR_A_STATS_* */
	uint64_t refused[WEIR_REASON_MAX + 1];	/* by enum weir_reason */
};

/* The namespace's totals. Exits with a message where they cannot be had. */
void counters_read(struct counters *c);

#endif /* COUNTERS_H */
