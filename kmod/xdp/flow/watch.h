/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_FLOW_WATCH_H
#define _WEIR_FLOW_WATCH_H

#include <linux/types.h>
#include <uapi/weir.h>

#include "xdp/flow/flow.h"

struct weir_flow_config;
struct weir_flow_table;

/* Places for sources, a power of two. */
#define WEIR_FLOW_SOURCES	1024

/**
 * struct weir_flow_look - a record as it was at the last visit
 * @sum: its packets
 * @first: when it began, by which a place's next record is known
 * @gaps: its gaps
 * @at: the tick
 * @said: the tick of its last alarm
 * @loud: there has been one
 */
struct weir_flow_look {
	struct weir_flow_sum	sum;
	u64			first;
	u32			gaps;
	u32			at;
	u32			said;
	bool			loud;
};

/**
 * struct weir_flow_source - the source that has most of its place, in one round
 * @key: its address, and nothing else
 * @bytes: its bytes, less those of others in this place
 * @heavy: it was a heavy one in the last round
 * @was: that one
 */
struct weir_flow_source {
	struct weir_flow_key	key;
	u64			bytes;
	bool			heavy;
	struct weir_flow_key	was;
};

/**
 * struct weir_flow_watch - what alarms take
 * @look: of each record
 * @round_at: the tick at which this round of visits began
 * @second: the tick at which alarms were counted from
 * @alarms: since then
 * @source: by the hash of an address
 */
struct weir_flow_watch {
	struct weir_flow_look	*look;
	u32			round_at;
	u32			second;
	u32			alarms;
	struct weir_flow_source	source[WEIR_FLOW_SOURCES];
};

/**
 * struct weir_flow_notice - something to tell
 * @alarm: enum weir_xdp_flow_alarm
 * @key: the flow, or the source alone
 * @value: what was seen: millionths, or bytes a second
 * @threshold: what it is not to reach
 */
struct weir_flow_notice {
	u32				alarm;
	const struct weir_flow_key	*key;
	u64				value;
	u64				threshold;
};

int weir_flow_watch_begin(struct weir_flow_table *table, const struct weir_flow_config *config);
void weir_flow_watch_end(struct weir_flow_table *table);
void weir_flow_watch_record(struct weir_flow_table *table, const struct weir_flow *flow, u32 now);
void weir_flow_watch_round(struct weir_flow_table *table, u32 now);

#endif /* _WEIR_FLOW_WATCH_H */
