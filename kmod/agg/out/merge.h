/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_MERGE_H
#define _WEIR_MERGE_H

#include <linux/types.h>

struct sk_buff;
struct weir_packet;

/**
 * struct weir_merge - packets that are sent as one, which is cut where it has to be
 * @skb: the packets, without headers; NULL for none
 * @n: number of packets
 * @size: bytes of each but the last, which may have fewer
 * @whole: the last has as many
 * @tos: DSCP and ECN of the IP header
 * @room: memory for heads and for short payloads, or NULL
 * @used: bytes of @room that are used
 * @end: bytes of @room
 *
 * It has at most 65,535 bytes with its headers, as an IP packet has, and its bytes lie in
 * fragments alone, as many as a device takes. It is on the stack of the pass that makes it.
 */
struct weir_merge {
	struct sk_buff	*skb;
	u32		n;
	u16		size;
	bool		whole;
	u8		tos;
	void		*room;
	u32		used;
	u32		end;
};

bool weir_merge_takes(const struct weir_merge *merge, const struct weir_packet *pkt);
bool weir_merge_add(struct weir_merge *merge, const struct weir_packet *pkt);
struct sk_buff *weir_merge_copy(const struct weir_merge *merge);
struct sk_buff *weir_merge_end(struct weir_merge *merge);
void weir_merge_drop(struct weir_merge *merge);

#endif /* _WEIR_MERGE_H */
