// SPDX-License-Identifier: GPL-2.0
/* Parts of a flow's key as people read them. */
#include <inttypes.h>
#include <netdb.h>
#include <stdio.h>

#include "flow/text.h"

const char *flow_proto_text(uint32_t proto, char text[static FLOW_PROTO_TEXT])
{
	const struct protoent *entry = getprotobynumber(proto);

	if (entry)
		snprintf(text, FLOW_PROTO_TEXT, "%s", entry->p_name);
	else
		snprintf(text, FLOW_PROTO_TEXT, "%" PRIu32, proto);
	return text;
}

const char *flow_end_text(const struct addr *addr, uint32_t port, char text[static FLOW_END_TEXT])
{
	char address[ADDR_TEXT];

	addr_text(addr, address);
	if (port)
		snprintf(text, FLOW_END_TEXT, addr->len == 16 ? "[%s]:%" PRIu32 : "%s:%" PRIu32,
			 address, port);
	else
		snprintf(text, FLOW_END_TEXT, "%s", address);
	return text;
}
