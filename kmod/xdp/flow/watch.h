/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_FLOW_WATCH_H
#define _WEIR_FLOW_WATCH_H

#include <linux/types.h>
#include <uapi/weir.h>

#include "xdp/flow/flow.h"

struct weir_flow_config;
struct weir_flow_table;

/* Number of entries for sources, a power of two. */
#define WEIR_FLOW_SOURCES	1024

/**
 * struct weir_flow_look - a record as it was at the last look
 * @sum: packets and bytes of the record
 * @first: time at which the record began; it differs once another flow has taken the record
 * @gaps: gaps of the record
 * @at: jiffies of the look
 * @said: jiffies of the last alarm about the flow; valid if @loud
 * @loud: an alarm has been raised about the flow
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
 * struct weir_flow_source - the source with most of the bytes of an entry, in one round
 * @key: address of the source; the other fields are 0
 * @bytes: bytes of the source, less those of other sources in this entry
 * @heavy: the source @was exceeded the threshold in the last round
 * @was: source of the last round
 */
struct weir_flow_source {
	struct weir_flow_key	key;
	u64			bytes;
	bool			heavy;
	struct weir_flow_key	was;
};

/**
 * struct weir_flow_watch - state of the alarms of a table
 * @look: last look at each record
 * @round_at: jiffies at which this round of visits began
 * @second: jiffies since which @alarms are counted
 * @alarms: number of alarms since @second
 * @source: entries of sources, by the hash of the address
 */
struct weir_flow_watch {
	struct weir_flow_look	*look;
	u32			round_at;
	u32			second;
	u32			alarms;
	struct weir_flow_source	source[WEIR_FLOW_SOURCES];
};

/**
 * struct weir_flow_notice - an alarm
 * @alarm: enum weir_xdp_flow_alarm
 * @key: key of the flow, or of a source, with its address alone
 * @value: measured value: millionths, or bytes a second
 * @threshold: threshold that was reached, in the unit of @value
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
