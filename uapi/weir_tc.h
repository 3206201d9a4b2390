/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* What the weir qdisc says of itself to tc(8), and to whoever else asks rtnetlink. */
#ifndef _UAPI_WEIR_TC_H
#define _UAPI_WEIR_TC_H

#include <linux/types.h>

/**
 * struct weir_tc_stats - statistics of a weir qdisc: TCA_STATS_APP, and TCA_XSTATS
 * @trim: packets that were trimmed; each is a drop of the qdisc's, too
 * @tx_trim: trimmed packets that were sent on
 * @dropped_trim: trimmed packets that found the header band full
 * @direct: packets that found it idle and were not looked at
 * @child_dropped: packets that its child has dropped, and that could not be trimmed then
 * @data_bytes: bytes that wait in the data band now, or in the child in its place
 * @header_bytes: bytes that wait in the header band now
 * @data_packets: packets that wait in the data band now
 * @header_packets: packets that wait in the header band now
 * @data_max: the most packets that waited in the data band
 * @header_max: the most packets that waited in the header band
 *
 * Native byte order. All count from when the qdisc came. Later versions add members at the
 * end alone: the attribute's length says which there are, and what is missing is not known.
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
};

#endif /* _UAPI_WEIR_TC_H */
