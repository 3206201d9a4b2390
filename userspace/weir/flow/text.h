/* SPDX-License-Identifier: GPL-2.0 */
/* Parts of a flow's key as people read them. */
#ifndef WEIR_FLOW_TEXT_H
#define WEIR_FLOW_TEXT_H

#include <stdint.h>

#include "base/addr.h"

#define FLOW_PROTO_TEXT 24
#define FLOW_END_TEXT (ADDR_TEXT + 16)

/* "tcp", or the number of one without a name. Both return the text. */
const char *flow_proto_text(uint32_t proto, char text[static FLOW_PROTO_TEXT]);

/* "192.0.2.1:80", "[2001:db8::1]:80", or without a port where that is 0. */
const char *flow_end_text(const struct addr *addr, uint32_t port, char text[static FLOW_END_TEXT]);

#endif
