/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Conditions that only rules of filters have, besides those of match.h:
 *
 *	len=A[-B]		bytes of the frame, from its Ethernet header on
 *	tcp=+FLAG...-FLAG...	flags of TCP that are set, and such as are not: tcp=+syn-ack
 *	frag=yes|no		IP datagrams in fragments
 *	options=yes|no		IPv4 with options
 *	unparsed=yes|no		headers that are not followed up to the ports
 */
#ifndef WEIR_MATCH_MORE_H
#define WEIR_MATCH_MORE_H

#include <libmnl/libmnl.h>
#include <stdbool.h>
#include <stdint.h>

/* Value of a condition that is yes or no; MATCH_ANY if it is not given. */
enum match_flag { MATCH_ANY, MATCH_NO, MATCH_YES };

/**
 * struct match_more - further conditions
 * @has_length: @length and @last count
 * @length: of the shortest frame
 * @last: of the longest one
 * @tcp_set: flags that are set, as bits of the header's byte; 0 for none
 * @tcp_clear: flags that are not
 * @fragment: enum match_flag
 * @options: enum match_flag
 * @unparsed: enum match_flag
 */
struct match_more {
	bool has_length;
	uint32_t length;
	uint32_t last;
	uint32_t tcp_set;
	uint32_t tcp_clear;
	uint32_t fragment;
	uint32_t options;
	uint32_t unparsed;
};

/* Return true if @part is the word of one of these conditions. */
bool match_more_is(const char *part);

/* NULL, or what is wrong. */
const char *match_more_parse(struct match_more *more, const char *part, char *value);

/* Attributes of a nest WEIR_A_FILTER_MATCH. */
void match_more_put(struct nlmsghdr *message, const struct match_more *more);
void match_more_read(struct match_more *more, const struct nlattr *const table[]);

/* Adds parts to a match's text, or fields to its object in JSON. */
void match_more_text(const struct match_more *more, char *text);
void match_more_print(const struct match_more *more);

#endif
