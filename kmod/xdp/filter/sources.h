/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_SOURCES_H
#define _WEIR_SOURCES_H

#include <linux/cache.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "core/base/rate.h"

struct weir_headers;
struct weir_xdp_net;

/* Sources of a row; an address finds its row by a hash, and has room there or nowhere. */
#define WEIR_SOURCES_WAYS	8

/**
 * enum weir_source_kind - which address identifies a source
 * @WEIR_SOURCE_LINK: the Ethernet address, of a frame without IP or whose IP header is not found
 * @WEIR_SOURCE_IPV4: the IPv4 address
 * @WEIR_SOURCE_IPV6: the first 64 bits of the IPv6 address, as one host has them all
 * @WEIR_SOURCE_LOCAL: the last 64 bits of a link-local IPv6 address, whose first ones all share
 */
enum weir_source_kind {
	WEIR_SOURCE_LINK,
	WEIR_SOURCE_IPV4,
	WEIR_SOURCE_IPV6,
	WEIR_SOURCE_LOCAL,
};

/**
 * struct weir_source_key - what identifies a source of a device
 * @addr: the address, as in the packet; what it does not fill is 0
 * @vlan: id of the outer VLAN tag that is in the frame, 0 where there is none
 * @kind: enum weir_source_kind
 */
struct weir_source_key {
	u64	addr;
	u16	vlan;
	u8	kind;
};

/**
 * struct weir_sources_entry - a source that is known
 * @key: the source
 * @used: the entry has a source
 * @told: listeners have heard that it is blocked
 * @dropped: packets while it was blocked
 * @level: state of its token buckets
 * @until: it is blocked up to this time, ns of the monotonic clock; 0 where listeners have heard
 *	that it is not
 */
struct weir_sources_entry {
	struct weir_source_key	key;
	bool			used;
	bool			told;
	u32			dropped;
	struct weir_rate_level	level;
	u64			until;
};

/**
 * struct weir_sources_seen - what is told of a source
 * @key: the source
 * @state: enum weir_xdp_filter_state
 * @left: ns that it is blocked from now on
 * @dropped: packets while it was blocked
 * @others: so many sources instead, which are not named
 */
struct weir_sources_seen {
	struct weir_source_key	key;
	u32			state;
	u64			left;
	u64			dropped;
	u32			others;
};

/**
 * struct weir_sources_owner - the rule that has sources, for listeners
 * @wn: the namespace
 * @ifindex: the filter's device
 * @prio: the rule's place
 */
struct weir_sources_owner {
	struct weir_xdp_net		*wn;
	int			ifindex;
	u32			prio;
};

/**
 * struct weir_sources_row - sources of the same hash
 * @lock: of this row; taken with bottom halves off, nothing is taken inside
 * @way: the sources
 */
struct weir_sources_row {
	spinlock_t			lock;	/* this row */
	struct weir_sources_entry	way[WEIR_SOURCES_WAYS];
} ____cacheline_aligned;

/**
 * struct weir_sources - the sources of a rule, each policed by itself
 * @rate: the policer; its own buckets are those of all sources that find no room
 * @time: ns that a source above the rate is blocked; 0 for none
 * @owner: the rule that they are of, from weir_sources_start() on
 * @secret: factors of the hash
 * @rows: number of rows, a power of two
 * @row: the rows
 * @scan: looks at a part of the rows each time
 * @next: the row that it begins with
 * @seen: sources in the rows since it began with the first
 * @seen_blocked: those of them that are blocked
 * @known: sources in all rows, when it came to the last one
 * @blocked: those of them that were blocked
 */
struct weir_sources {
	struct weir_rate		rate;
	u64				time;
	struct weir_sources_owner	owner;
	u64				secret[4];
	u32				rows;
	struct weir_sources_row		*row;
	struct delayed_work		scan;
	u32				next;
	u32				seen;
	u32				seen_blocked;
	u32				known;
	u32				blocked;
};

/**
 * enum weir_sources_verdict - what has become of a packet
 * @WEIR_SOURCES_PASS: its source is below the rate
 * @WEIR_SOURCES_OVER: it is above, or blocked
 * @WEIR_SOURCES_BLOCK: it is above, and blocked from now on
 * @WEIR_SOURCES_CROWDED: its source found no room, and all those together are below the rate
 * @WEIR_SOURCES_CROWDED_OVER: its source found no room, and all those together are above the rate
 */
enum weir_sources_verdict {
	WEIR_SOURCES_PASS,
	WEIR_SOURCES_OVER,
	WEIR_SOURCES_BLOCK,
	WEIR_SOURCES_CROWDED,
	WEIR_SOURCES_CROWDED_OVER,
};

struct weir_sources *weir_sources_make(const struct weir_rate_config *config, u32 room, u64 time);
void weir_sources_start(struct weir_sources *sources, const struct weir_sources_owner *owner);
void weir_sources_stop(struct weir_sources *sources);
void weir_sources_free(struct weir_sources *sources);
void weir_source_key(struct weir_source_key *key, const struct weir_headers *headers,
		     const u8 *mac);
enum weir_sources_verdict weir_sources_take(struct weir_sources *sources,
					    const struct weir_source_key *key, u32 bytes, u64 now);
int weir_sources_dump(struct weir_sources *sources, long *at,
		      int (*tell)(void *to, const struct weir_sources_seen *seen), void *to);

#endif /* _WEIR_SOURCES_H */
