/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_PAYLOAD_H
#define _WEIR_PAYLOAD_H

#include <linux/types.h>
#include <linux/skbuff.h>

struct xdp_buff;

/* The linear part and every fragment, of an skb and of one on its frag_list. */
#define WEIR_PAYLOAD_SEGS_MAX	(2 * (MAX_SKB_FRAGS + 1))

/**
 * struct weir_seg - bytes of a packet that lie together
 * @data: the first byte
 * @len: number of bytes
 */
struct weir_seg {
	const u8	*data;
	u32		len;
};

/**
 * struct weir_payload - a range of a packet, wherever its bytes lie
 * @n: segments used
 * @seg: the segments, none of them empty
 *
 * Points into the packet and lives no longer than it.
 */
struct weir_payload {
	unsigned int	n;
	struct weir_seg	seg[WEIR_PAYLOAD_SEGS_MAX];
};

/**
 * struct weir_stream - a place in the bytes of an skb, from which ranges are taken in turn
 * @skb: the skb that the bytes lie in: the packet, or one of its list
 * @list: the next one of the list, or NULL
 * @frag: the next fragment of @skb
 * @data: bytes from the place on that lie together
 * @left: number of bytes at @data
 */
struct weir_stream {
	struct sk_buff	*skb;
	struct sk_buff	*list;
	unsigned int	frag;
	const u8	*data;
	u32		left;
};

int weir_stream_init(struct weir_stream *stream, struct sk_buff *skb, u32 off);
int weir_stream_take_pieces(struct weir_stream *stream, struct weir_payload *pl, u32 len);

/**
 * weir_stream_take() - take the next bytes
 * @stream: the place of the first byte; advanced by @len
 * @pl: filled
 * @len: number of bytes
 *
 * Return: 0, -ENODATA where the packet ends before, -EFAULT where bytes of them lie in a
 * device's memory, or -E2BIG where they lie in too many pieces.
 */
static inline int weir_stream_take(struct weir_stream *stream, struct weir_payload *pl, u32 len)
{
	if (unlikely(!len || len > stream->left))
		return weir_stream_take_pieces(stream, pl, len);
	pl->n = 1;
	pl->seg[0].data = stream->data;
	pl->seg[0].len = len;
	stream->data += len;
	stream->left -= len;
	return 0;
}

int weir_payload_from_xdp(struct weir_payload *pl, struct xdp_buff *xdp,
			  u32 off, u32 len);
int weir_payload_from_skb(struct weir_payload *pl, struct sk_buff *skb,
			  u32 off, u32 len);
void weir_payload_pull_segs(struct weir_payload *pl, u32 len);
u32 weir_payload_copy(const struct weir_payload *pl, void *to, u32 len);
u32 weir_payload_copy_from(const struct weir_payload *pl, u32 at, void *to, u32 len);
__wsum weir_payload_csum(const struct weir_payload *pl);
u64 weir_payload_hash(const struct weir_payload *pl, u32 seed);

/**
 * weir_payload_pull() - drop bytes from the front
 * @pl: the range
 * @len: bytes, at most as many as there are
 */
static inline void weir_payload_pull(struct weir_payload *pl, u32 len)
{
	if (unlikely(!pl->n || len >= pl->seg[0].len)) {
		weir_payload_pull_segs(pl, len);
		return;
	}
	pl->seg[0].data += len;
	pl->seg[0].len -= len;
}

/**
 * weir_payload_peek() - look at the first bytes
 * @pl: the range
 * @room: @len bytes, in which they are put together where no segment has them all
 * @len: bytes wanted
 *
 * Return: where they are, or NULL where the range is shorter.
 */
static inline const void *weir_payload_peek(const struct weir_payload *pl, void *room,
					    u32 len)
{
	if (likely(pl->n && pl->seg[0].len >= len))
		return pl->seg[0].data;
	return weir_payload_copy(pl, room, len) == len ? room : NULL;
}

#endif /* _WEIR_PAYLOAD_H */
