/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_FILTER_MATCH_H
#define _WEIR_FILTER_MATCH_H

#include <linux/types.h>
#include <uapi/weir_trim.h>

#include "xdp/packet/headers.h"

/**
 * struct weir_filter_match - packets that a rule has
 * @rule: conditions that a trimming policy has, too, but for devices
 * @length: bytes of the shortest frame, from its Ethernet header on
 * @length_last: of the longest one
 * @tcp_set: flags that a TCP segment must have
 * @tcp_clear: flags that it must not have
 * @flags: WEIR_HEADERS_*, of those in @flags_mask
 * @flags_mask: those that count
 */
struct weir_filter_match {
	struct weir_trim_rule	rule;
	u32			length;
	u32			length_last;
	u8			tcp_set;
	u8			tcp_clear;
	u8			flags;
	u8			flags_mask;
};

/* Return true if a match compares what stands behind the IP headers. */
static inline bool weir_filter_match_asks_ports(const struct weir_filter_match *match)
{
	return match->rule.what.port || match->rule.what.sport || match->tcp_set ||
	       match->tcp_clear;
}

/* Return true if a match has conditions that are not equality of fields. */
static inline bool weir_filter_match_has_rest(const struct weir_filter_match *match)
{
	return match->rule.dscps != U64_MAX || match->length || match->length_last != U32_MAX ||
	       match->tcp_set || match->tcp_clear || match->flags_mask;
}

bool weir_filter_match_rest(const struct weir_filter_match *match,
			    const struct weir_headers *headers);

#endif /* _WEIR_FILTER_MATCH_H */
