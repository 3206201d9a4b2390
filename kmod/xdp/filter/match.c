// SPDX-License-Identifier: GPL-2.0
/* Which packets a rule has: fields that are equal, which a table finds, and the rest. */
#include <linux/in.h>
#include <linux/string.h>

#include "xdp/filter/match.h"

/**
 * weir_filter_match_key() - the fields that a match compares for equality
 * @match: the match
 * @key: their values, the others 0
 * @mask: the bits that count
 */
void weir_filter_match_key(const struct weir_filter_match *match, struct weir_flow_key *key,
			   struct weir_flow_key *mask)
{
	const union weir_trim_what *what = &match->rule.what;

	*key = (struct weir_flow_key) {
		.sport	= htons(what->sport),
		.dport	= htons(what->port),
		.vlan	= what->vlan,
		.proto	= what->proto,
		.ip	= what->ip,
	};
	*mask = (struct weir_flow_key) {
		.sport	= what->sport ? htons(U16_MAX) : 0,
		.dport	= what->port ? htons(U16_MAX) : 0,
		.vlan	= what->vlan ? U16_MAX : 0,
		.proto	= what->proto ? U8_MAX : 0,
		.ip	= what->ip ? U8_MAX : 0,
	};
	memcpy(key->src, match->rule.src.addr, sizeof(key->src));
	memcpy(key->dst, match->rule.dst.addr, sizeof(key->dst));
	memcpy(mask->src, match->rule.src.mask, sizeof(mask->src));
	memcpy(mask->dst, match->rule.dst.mask, sizeof(mask->dst));
}

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
 * weir_filter_match_rest() - do the other conditions hold for a packet?
 * @match: the match
 * @headers: of the packet, whose fields are equal
 */
bool weir_filter_match_rest(const struct weir_filter_match *match,
			    const struct weir_headers *headers)
{
	return headers->len >= match->length && headers->len <= match->length_last &&
	       weir_filter_match_ip(match, headers) && weir_filter_match_tcp(match, headers);
}
