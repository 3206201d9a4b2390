/* SPDX-License-Identifier: GPL-2.0 */
/* A port's trimming policy, set and read over netlink. */
#ifndef TRIM_POLICY_H
#define TRIM_POLICY_H

#include <stdbool.h>
#include <stdint.h>
#include <weir_trim.h>

/**
 * struct policy - a test's settings of a port; its rules are those of cases.h
 * @hook: enum weir_trim_hook
 * @size: bytes that stay
 * @keep: lengths are kept
 * @edge: the trimming domain ends here
 * @returns: headers without room go back
 * @rate: bytes a second
 * @limit: bytes that may wait
 * @header_time: microseconds for headers
 * @priority: of trimmed packets, 0 for none
 * @packets: that may wait, 0 for no limit
 * @headers: that may wait, 0 for the usual
 * @victim: enum weir_trim_victim, 0 for the usual
 * @share: enum weir_trim_share, 0 for the usual
 * @meter: enum weir_trim_meter, 0 for the usual
 */
struct policy {
	int hook;
	int size;
	bool keep;
	bool edge;
	bool returns;
	uint64_t rate;
	uint64_t limit;
	uint32_t header_time;
	uint32_t priority;
	uint32_t packets;
	uint32_t headers;
	int victim;
	int share;
	int meter;
};

/* Each exits with a message where the module refuses. */
void policy_set(unsigned int ifindex, const struct policy *p);
/* All of them. */
void policy_flush(void);
void policy_counters(unsigned int ifindex, uint64_t count[WEIR_TRIM_C_MAX]);

#endif /* TRIM_POLICY_H */
