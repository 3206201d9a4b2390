// SPDX-License-Identifier: GPL-2.0
/*
 * The datagrams of a merged packet: one that GRO has merged, or that its sender has not yet cut
 * (UDP_SEGMENT). Headers up to UDP's stand once, before the first one.
 */
#include <linux/minmax.h>
#include <linux/skbuff.h>
#include <linux/udp.h>
#include <net/ipv6.h>
#include <uapi/weir.h>
#include <uapi/weir_bpf.h>

#include "core/base/compat.h"
#include "agg/base/payload.h"
#include "format/weir_datagram.h"
#include "agg/hook/merged.h"
#include "agg/rx/contribute.h"
#include "agg/job/path.h"

/* The largest UDP_MAX_SEGMENTS of any kernel. */
#define WEIR_MERGED_MAX		128

/**
 * struct weir_segments - a walk over a merged packet's datagrams
 * @stream: the place of the next datagram's payload
 * @left: bytes from there on
 * @size: bytes of each but the last, which may have fewer
 * @verified: their checksums were checked, or they never left this machine
 */
struct weir_segments {
	struct weir_stream	stream;
	u32			left;
	u32			size;
	bool			verified;
};

/* As if it began with the UDP header. */
static int weir_segment_parse(const struct weir_payload *payload, u32 len,
			      struct weir_contrib *c)
{
	union weir_format_header room;
	const void *hdr;
	u32 seen = min_t(u32, len, sizeof(room));

	c->udp_off = 0;
	c->udp_len = sizeof(struct udphdr) + len;
	c->payload_off = sizeof(struct udphdr);
	hdr = weir_payload_peek(payload, &room, seen);
	return weir_format_parse(hdr, hdr + seen, c);
}

static __always_inline int weir_segment(struct weir_segments *segments, struct weir_pass *pass,
					struct weir_contrib *c)
{
	u32 len = min(segments->left, segments->size);
	struct weir_payload payload __uninitialized;
	int err = weir_stream_take(&segments->stream, &payload, len);

	if (unlikely(err)) {
		/* Of bytes that are not there no further datagram is made. */
		segments->left = 0;
		return weir_pass_refuse(pass, c, err == -EFAULT ? WEIR_REASON_UNREADABLE :
								 WEIR_REASON_LENGTH);
	}
	segments->left -= len;
	err = weir_segment_parse(&payload, len, c);
	return err ? weir_pass_refuse(pass, c, err) :
		     weir_pass_take(pass, c, &payload, segments->verified);
}

/* Forget the fields of the datagram before, and keep those of the packet's headers. */
static __always_inline void weir_segment_forget(struct weir_contrib *c, u8 format)
{
	c->block = 0;
	c->exponent = 0;
	c->job = 0;
	c->generation = 0;
	c->source = 0;
	c->weight = 0;
	c->count = 0;
	c->flags = 0;
	c->format = format;
	memset(c->said, 0, sizeof(c->said));
}

/*
 * The first one decides where the packet goes: where that is to the stack, so do the others, which
 * are to the same place.
 */
static int weir_segments_take(struct weir_segments *segments, struct net_device *dev,
			      const struct weir_contrib *packet)
{
	struct weir_contrib c = *packet;
	struct weir_pass pass;
	int first = -1, reason;

	weir_pass_begin(&pass, dev);
	do {
		weir_segment_forget(&c, packet->format);
		reason = weir_segment(segments, &pass, &c);
		if (first < 0)
			first = reason;
	} while (segments->left && !weir_refusal_passes(first, packet->format));
	weir_pass_end(&pass);
	return first;
}

/* The headers end here. Over IPv4 a packet may have no checksum at all. */
static int weir_segments_begin(struct weir_segments *segments, struct sk_buff *skb,
			       const struct weir_contrib *c)
{
	struct weir_payload payload __uninitialized;
	const struct udphdr *uh;
	struct udphdr room;
	int err = weir_stream_init(&segments->stream, skb, c->udp_off) ?:
		  weir_stream_take(&segments->stream, &payload, sizeof(room));

	if (err)
		return err;
	uh = weir_payload_peek(&payload, &room, sizeof(room));
	if (!uh->check && ipv6_addr_v4mapped((const struct in6_addr *)c->saddr))
		segments->verified = true;
	return 0;
}

/**
 * weir_contribute_merged() - take the contributions and joins of a merged packet
 * @skb: the packet, as it has come in, for this host
 * @c: the headers, as far as UDP's
 * @verified: as of weir_contribute()
 *
 * Context as weir_contribute().
 *
 * Return: 0 where the first was taken, else an enum weir_reason. Each is counted and traced by
 * itself; more than WEIR_MERGED_MAX are refused as one.
 */
int weir_contribute_merged(struct sk_buff *skb, const struct weir_contrib *c, bool verified)
{
	struct weir_segments segments = {
		.size		= skb_shinfo(skb)->gso_size,
		.verified	= verified,
	};

	if (c->udp_len <= sizeof(struct udphdr) || !segments.size)
		return weir_refuse(skb->dev, c, WEIR_REASON_RUNT);
	segments.left = c->udp_len - sizeof(struct udphdr);
	if (segments.left > segments.size * WEIR_MERGED_MAX)
		return weir_refuse(skb->dev, c, WEIR_REASON_MERGED);
	if (weir_segments_begin(&segments, skb, c))
		return weir_refuse(skb->dev, c, WEIR_REASON_LENGTH);
	return weir_segments_take(&segments, skb->dev, c);
}
