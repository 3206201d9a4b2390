// SPDX-License-Identifier: GPL-2.0
/* Match packets against a rule: fields that are equal, which a table finds, and the rest. */
#include <linux/in.h>

#include "xdp/filter/match.h"

/*
 * A frame without IP has neither DSCP nor flags of IP, not even such as are clear. Any frame may be
 * unparsed.
 */
static bool weir_filter_match_ip(const struct weir_filter_match *match,
				 const struct weir_headers *headers)
{
	if ((match->flags ^ headers->flags) & match->flags_mask)
		return false;
	if (match->rule.dscps == U64_MAX && !(match->flags_mask & ~WEIR_HEADERS_UNPARSED))
		return true;
	return headers->key.ip && match->rule.dscps >> (headers->tos >> 2) & 1;
}

/* Fragments have no header behind that of IP. */
static bool weir_filter_match_tcp(const struct weir_filter_match *match,
				  const struct weir_headers *headers)
{
	if (!match->tcp_set && !match->tcp_clear)
		return true;
	return headers->key.proto == IPPROTO_TCP && headers->l4 &&
	       (headers->tcp_flags & match->tcp_set) == match->tcp_set &&
	       !(headers->tcp_flags & match->tcp_clear);
}

/**
 * weir_filter_match_rest() - test the other conditions on a packet
 * @match: the match
 * @headers: of the packet, whose fields are equal
 */
bool weir_filter_match_rest(const struct weir_filter_match *match,
			    const struct weir_headers *headers)
{
	return headers->len >= match->length && headers->len <= match->length_last &&
	       weir_filter_match_ip(match, headers) && weir_filter_match_tcp(match, headers);
}
