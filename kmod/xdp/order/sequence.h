/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_ORDER_SEQUENCE_H
#define _WEIR_ORDER_SEQUENCE_H

#include <linux/types.h>

struct weir_headers;
struct weir_order_config;
struct xdp_buff;

/**
 * struct weir_sequence - the place of a packet among those of its sender
 * @raw: its number
 * @bits: the number's width
 * @tunnel: number of the stream among the sender's; 0 if there is only one
 */
struct weir_sequence {
	u32	raw;
	u32	bits;
	u32	tunnel;
};

bool weir_sequence_read(struct weir_sequence *sequence, const struct weir_order_config *config,
			const struct weir_headers *headers, const struct xdp_buff *xdp);

#endif /* _WEIR_ORDER_SEQUENCE_H */
