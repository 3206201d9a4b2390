/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_HEADERS_H
#define _WEIR_HEADERS_H

#include <linux/types.h>

#include "core/packet/hash.h"
#include "core/packet/key.h"

struct xdp_buff;

/* flags of a struct weir_headers */
#define WEIR_HEADERS_FRAGMENT	0x1	/* a datagram's fragment, the first one, too */
#define WEIR_HEADERS_OPTIONS	0x2	/* IPv4 with options */
#define WEIR_HEADERS_UNPARSED	0x4	/* the parser did not reach the ports, which may be there */

/**
 * struct weir_headers - a frame's headers
 * @key: its flow
 * @len: bytes of the frame
 * @l3: offset of the IP header from the start of the frame, in bytes
 * @l4: offset of the header behind; 0 if there is none
 * @tos: DSCP and ECN
 * @tcp_flags: the byte of TCP's flags; 0 for others
 * @flags: WEIR_HEADERS_*
 * @first: in a datagram's first fragment the offset of the header behind IP, else 0; valid only
 *	with WEIR_HEADERS_FRAGMENT
 */
struct weir_headers {
	struct weir_flow_key	key;
	u32			len;
	u16			l3;
	u16			l4;
	u16			first;
	u8			tos;
	u8			tcp_flags;
	u8			flags;
};

void weir_headers_parse(struct weir_headers *headers, const struct xdp_buff *xdp);
void weir_headers_first(struct weir_headers *headers, const struct xdp_buff *xdp);

#endif /* _WEIR_HEADERS_H */
