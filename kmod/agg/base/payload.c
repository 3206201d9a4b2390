// SPDX-License-Identifier: GPL-2.0
/* A packet's bytes as a list of segments, the same for XDP and for skbs. */
#include <linux/skbuff.h>
#include <linux/string.h>
#include <net/checksum.h>
#include <net/xdp.h>

#include "core/base/compat.h"
#include "agg/base/payload.h"

/*
 * The part of a segment that lies in the range still wanted: *off bytes are to
 * be skipped before it, *len bytes are wanted behind that.
 */
static int weir_payload_add(struct weir_payload *pl, const u8 *data, u32 size,
			    u32 *off, u32 *len)
{
	u32 n;

	if (*off >= size) {
		*off -= size;
		return 0;
	}
	n = min(size - *off, *len);
	if (!n)
		return 0;
	if (pl->n == WEIR_PAYLOAD_SEGS_MAX)
		return -E2BIG;
	pl->seg[pl->n].data = data + *off;
	pl->seg[pl->n].len = n;
	pl->n++;
	*off = 0;
	*len -= n;
	return 0;
}

static int weir_payload_add_frags(struct weir_payload *pl,
				  const struct skb_shared_info *sinfo,
				  u32 *off, u32 *len)
{
	int i, err;

	for (i = 0; i < sinfo->nr_frags && *len; i++) {
		const skb_frag_t *frag = &sinfo->frags[i];

		if (unlikely(skb_frag_is_net_iov(frag)))
			return -EFAULT;
		err = weir_payload_add(pl, skb_frag_address(frag),
				       skb_frag_size(frag), off, len);
		if (err)
			return err;
	}
	return 0;
}

/**
 * weir_payload_from_xdp() - the range of an XDP frame, fragments included
 * @pl: filled
 * @xdp: the frame
 * @off: first byte, from the start of the frame
 * @len: bytes
 *
 * Return: 0, -ENODATA where the frame ends before the range does, or -EFAULT where
 * bytes up to its end lie in a device's memory.
 */
int weir_payload_from_xdp(struct weir_payload *pl, struct xdp_buff *xdp,
			  u32 off, u32 len)
{
	int err;

	pl->n = 0;
	err = weir_payload_add(pl, xdp->data, xdp->data_end - xdp->data,
			       &off, &len);
	if (!err && len && xdp_buff_has_frags(xdp))
		err = weir_payload_add_frags(pl,
					     xdp_get_shared_info_from_buff(xdp),
					     &off, &len);
	if (err)
		return err;
	return len ? -ENODATA : 0;
}

/* The next bytes that lie together. Returns 0, -ENODATA behind the last ones, or -EFAULT. */
static int weir_stream_next(struct weir_stream *stream)
{
	const struct skb_shared_info *sinfo = skb_shinfo(stream->skb);
	const skb_frag_t *frag;

	if (stream->frag < sinfo->nr_frags) {
		frag = &sinfo->frags[stream->frag++];
		if (unlikely(skb_frag_is_net_iov(frag)))
			return -EFAULT;
		stream->data = skb_frag_address(frag);
		stream->left = skb_frag_size(frag);
		return 0;
	}
	if (!stream->list)
		return -ENODATA;
	stream->skb = stream->list;
	stream->list = stream->skb->next;
	stream->frag = 0;
	stream->data = stream->skb->data;
	stream->left = skb_headlen(stream->skb);
	return 0;
}

/* Some of the bytes wanted, as many as lie together. Returns as weir_stream_next(). */
static int weir_stream_some(struct weir_stream *stream, u32 len, struct weir_seg *seg)
{
	int err;

	while (unlikely(!stream->left)) {
		err = weir_stream_next(stream);
		if (err)
			return err;
	}
	seg->data = stream->data;
	seg->len = min(stream->left, len);
	stream->data += seg->len;
	stream->left -= seg->len;
	return 0;
}

/**
 * weir_stream_init() - find a place in an skb
 * @stream: set
 * @skb: the packet; it must outlive the stream, and what is taken from there
 * @off: of the first byte, from the MAC header
 *
 * Return: 0, or an error as of weir_stream_take().
 */
int weir_stream_init(struct weir_stream *stream, struct sk_buff *skb, u32 off)
{
	struct weir_seg seg;
	int err;

	stream->skb = skb;
	stream->list = skb_shinfo(skb)->frag_list;
	stream->frag = 0;
	stream->data = skb_mac_header(skb);
	stream->left = skb_tail_pointer(skb) - stream->data;
	for (; off; off -= seg.len) {
		err = weir_stream_some(stream, off, &seg);
		if (err)
			return err;
	}
	return 0;
}

/**
 * weir_stream_take_pieces() - as weir_stream_take(), of bytes that may not lie together
 * @stream: the place of the first byte; advanced by @len
 * @pl: filled
 * @len: number of bytes
 */
int weir_stream_take_pieces(struct weir_stream *stream, struct weir_payload *pl, u32 len)
{
	struct weir_seg *seg;
	int err;

	for (pl->n = 0; len; len -= seg->len) {
		if (pl->n == WEIR_PAYLOAD_SEGS_MAX)
			return -E2BIG;
		seg = &pl->seg[pl->n];
		err = weir_stream_some(stream, len, seg);
		if (err)
			return err;
		pl->n++;
	}
	return 0;
}

/**
 * weir_payload_from_skb() - the range of an skb, fragments included
 * @pl: filled
 * @skb: the packet
 * @off: first byte, from the MAC header
 * @len: bytes
 *
 * Return: as weir_stream_take().
 */
int weir_payload_from_skb(struct weir_payload *pl, struct sk_buff *skb,
			  u32 off, u32 len)
{
	struct weir_stream stream __uninitialized;

	pl->n = 0;
	return weir_stream_init(&stream, skb, off) ?: weir_stream_take(&stream, pl, len);
}

/**
 * weir_payload_pull_segs() - drop bytes from the front, whole segments perhaps
 * @pl: the range
 * @len: bytes, at most as many as there are
 */
void weir_payload_pull_segs(struct weir_payload *pl, u32 len)
{
	unsigned int i = 0;

	while (i < pl->n && len >= pl->seg[i].len)
		len -= pl->seg[i++].len;
	if (i) {
		pl->n -= i;
		memmove(pl->seg, pl->seg + i, pl->n * sizeof(pl->seg[0]));
	}
	if (pl->n) {
		pl->seg[0].data += len;
		pl->seg[0].len -= len;
	}
}

/**
 * weir_payload_copy() - copy the first bytes out
 * @pl: the range
 * @to: buffer of @len bytes, filled
 * @len: bytes wanted
 *
 * Return: bytes copied, fewer than @len where the range is shorter.
 */
u32 weir_payload_copy(const struct weir_payload *pl, void *to, u32 len)
{
	return weir_payload_copy_from(pl, 0, to, len);
}

/**
 * weir_payload_copy_from() - copy bytes out from somewhere in the middle
 * @pl: the range
 * @at: the first of them
 * @to: buffer of @len bytes, filled
 * @len: bytes wanted
 *
 * Return: bytes copied, fewer than @len where the range is shorter.
 */
u32 weir_payload_copy_from(const struct weir_payload *pl, u32 at, void *to, u32 len)
{
	unsigned int i;
	u32 done = 0, n;

	for (i = 0; i < pl->n && done < len; i++) {
		if (at >= pl->seg[i].len) {
			at -= pl->seg[i].len;
			continue;
		}
		n = min(pl->seg[i].len - at, len - done);
		memcpy(to + done, pl->seg[i].data + at, n);
		done += n;
		at = 0;
	}
	return done;
}

/**
 * weir_payload_csum() - Internet checksum over the range
 * @pl: the range
 *
 * Return: the unfolded sum.
 */
__wsum weir_payload_csum(const struct weir_payload *pl)
{
	__wsum csum = 0;
	unsigned int i;
	u32 off = 0;

	for (i = 0; i < pl->n; i++) {
		csum = csum_block_add(csum,
				      csum_partial(pl->seg[i].data,
						   pl->seg[i].len, 0), off);
		off += pl->seg[i].len;
	}
	return csum;
}

/* FNV-1a of 64 bits, a byte at a time: where segments end makes no difference. */
#define WEIR_HASH_BASIS		0xcbf29ce484222325ULL
#define WEIR_HASH_PRIME		0x100000001b3ULL

/**
 * weir_payload_hash() - a hash of the range
 * @pl: the range
 * @seed: further input of the hash
 *
 * Not cryptographic: a collision is easy to make.
 */
u64 weir_payload_hash(const struct weir_payload *pl, u32 seed)
{
	u64 hash = WEIR_HASH_BASIS ^ seed;
	unsigned int i;
	u32 n;

	for (i = 0; i < pl->n; i++)
		for (n = 0; n < pl->seg[i].len; n++)
			hash = (hash ^ pl->seg[i].data[n]) * WEIR_HASH_PRIME;
	return hash;
}
