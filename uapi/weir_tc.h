/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Options and statistics of the weir qdisc in rtnetlink, as tc(8) shows them. */
#ifndef _UAPI_WEIR_TC_H
#define _UAPI_WEIR_TC_H

#include <linux/types.h>

/**
 * enum weir_tc_attr - limits of one weir qdisc, in TCA_OPTIONS
 * @WEIR_TC_UNSPEC: none
 * @WEIR_TC_LIMIT: u32, packets of the data band; 0 is no limit of packets
 * @WEIR_TC_LIMIT_BYTES: u64, bytes of the data band; 0 is no limit of bytes
 * @WEIR_TC_LIMIT_TIME: u32, microseconds that the head of the data band may have waited;
 *	0 is no limit of time
 * @WEIR_TC_HEADERS: u32, packets of the header band, 1 at least
 * @WEIR_TC_HEADER_TIME: u32, microseconds that the head of the header band may have
 *	waited; 0 is no limit of time
 * @WEIR_TC_PAD: aligns the next attribute
 * @WEIR_TC_OTHER_LIMIT: u32, packets of the other band; 0 is the device's txqueuelen
 * @WEIR_TC_LIMIT_DYNAMIC: u32, 256ths of the bytes that are free in the pool of the device's
 *	policy, as many as the data band may hold; 0 is no such limit. While the policy names no
 *	pool there is room for one packet
 * @__WEIR_TC_MAX: one more than the last
 *
 * Native byte order. Limits that are not given come from the trimming policy of the qdisc's
 * device, as all other settings do. If one of the first three or the dynamic one is given, the
 * missing ones of the four are 0. A change replaces all: limits that it does not give are the
 * policy's again.
 *
 * The kernel refuses, with a sentence: four limits that are all 0 (EINVAL), and a limit of
 * time while whole packets wait in a child (EOPNOTSUPP).
 */
enum weir_tc_attr {
	WEIR_TC_UNSPEC,
	WEIR_TC_LIMIT,
	WEIR_TC_LIMIT_BYTES,
	WEIR_TC_LIMIT_TIME,
	WEIR_TC_HEADERS,
	WEIR_TC_HEADER_TIME,
	WEIR_TC_PAD,
	WEIR_TC_OTHER_LIMIT,
	WEIR_TC_LIMIT_DYNAMIC,
	__WEIR_TC_MAX,
};

#define WEIR_TC_MAX (__WEIR_TC_MAX - 1)

/**
 * struct weir_tc_stats - statistics of a weir qdisc: TCA_STATS_APP, and TCA_XSTATS
 * @trim: packets that were trimmed; each is a drop of the qdisc's, too
 * @tx_trim: trimmed packets that were sent on
 * @dropped_trim: trimmed packets that found the header band full
 * @direct: packets that found it idle and were not looked at
 * @child_dropped: packets that its child dropped, less those trimmed instead
 * @data_bytes: bytes that wait in the data band now, or in the child in its place
 * @header_bytes: bytes that wait in the header band now
 * @data_packets: packets that wait in the data band now
 * @header_packets: packets that wait in the header band now
 * @data_max: the most packets that waited in the data band
 * @header_max: the most packets that waited in the header band
 * @other_dropped: packets that found the other band full
 * @other_bytes: bytes that wait in the other band now
 * @other_packets: packets that wait in the other band now
 * @other_max: the most packets that waited in the other band
 *
 * Native byte order. All count from when the qdisc came. Later versions add members at the
 * end alone: the attribute's length shows which members there are; the others are unknown.
 */
struct weir_tc_stats {
	__u64	trim;
	__u64	tx_trim;
	__u64	dropped_trim;
	__u64	direct;
	__u64	child_dropped;
	__u64	data_bytes;
	__u64	header_bytes;
	__u32	data_packets;
	__u32	header_packets;
	__u32	data_max;
	__u32	header_max;
	__u64	other_dropped;
	__u64	other_bytes;
	__u32	other_packets;
	__u32	other_max;
};

#endif /* _UAPI_WEIR_TC_H */
