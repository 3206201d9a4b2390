// SPDX-License-Identifier: GPL-2.0
/*
 * The place of a packet's number (rtp, gtpu, or OFFSET/WIDTH), and of the number of its stream
 * (OFFSET/WIDTH).
 */
#include <libmnl/libmnl.h>
#include <stdio.h>
#include <string.h>

#include <weir_xdp_nl.h>

#include "base/tool.h"
#include "base/units.h"
#include "grammar/args.h"
#include "netlink/nl.h"
#include "order/order.h"

static bool read_field(const char *word, uint64_t *offset, uint64_t *width)
{
	char *end;

	return units_digits(word, &end, offset) && *end == '/' &&
	       units_digits(end + 1, &end, width) && !*end && *offset <= WEIR_XDP_ORDER_OFFSET_MAX &&
	       *width && *width <= 32 && *width % 8 == 0;
}

static int parse(struct value *value)
{
	const struct name *name = names_find(&order_sequence_names, value->word);
	uint64_t offset, width;

	if ((name && name->value != WEIR_XDP_ORDER_SEQUENCE_FIELD) ||
	    read_field(value->word, &offset, &width))
		return WEIR_OK;
	return usage(value->key->name, "sequence is rtp, gtpu, arrival, or OFFSET/WIDTH: bytes behind the UDP, TCP or else IP header, up to %d, and 8, 16, 24 or 32 bits; not '%s'",
		     WEIR_XDP_ORDER_OFFSET_MAX, value->word);
}

static int put(struct nlmsghdr *message, const struct value *value)
{
	uint64_t offset, width;

	if (!read_field(value->word, &offset, &width)) {
		nl_put_u32(message, WEIR_A_ORDER_SEQUENCE,
				 names_find(&order_sequence_names, value->word)->value);
		return WEIR_OK;
	}
	nl_put_u32(message, WEIR_A_ORDER_SEQUENCE, WEIR_XDP_ORDER_SEQUENCE_FIELD);
	nl_put_u32(message, WEIR_A_ORDER_OFFSET, offset);
	nl_put_u32(message, WEIR_A_ORDER_WIDTH, width);
	return WEIR_OK;
}

const struct syntax order_sequence_syntax = { .parse = parse, .put = put };

static int parse_scope(struct value *value)
{
	uint64_t offset, width;

	if (read_field(value->word, &offset, &width))
		return WEIR_OK;
	return usage(value->key->name, "scope is OFFSET/WIDTH: bytes behind the UDP, TCP or else IP header, up to %d, and 8, 16, 24 or 32 bits; not '%s'",
		     WEIR_XDP_ORDER_OFFSET_MAX, value->word);
}

static int put_scope(struct nlmsghdr *message, const struct value *value)
{
	uint64_t offset, width;

	read_field(value->word, &offset, &width);
	nl_put_u32(message, WEIR_A_ORDER_SCOPE_OFFSET, offset);
	nl_put_u32(message, WEIR_A_ORDER_SCOPE_WIDTH, width);
	return WEIR_OK;
}

const struct syntax order_scope_syntax = { .parse = parse_scope, .put = put_scope };
