// SPDX-License-Identifier: GPL-2.0
/* Numbers that senders give to packets: RTP's, GTP-U's, or a field that the administrator names. */
#include <linux/in.h>
#include <linux/udp.h>
#include <net/xdp.h>

#include "core/base/compat.h"
#include "xdp/order/order.h"
#include "xdp/order/sequence.h"

/* RFC 3550, section 5.1 */
#define WEIR_RTP_LEN		12
#define WEIR_RTP_VERSION	2
#define WEIR_RTP_SEQUENCE	2
#define WEIR_RTP_SSRC		8

/* RFC 5761, section 4: types of RTCP packets, which may share RTP's port. */
#define WEIR_RTCP_TYPE_FIRST	192
#define WEIR_RTCP_TYPE_LAST	223

/* 3GPP TS 29.281, section 5.1: version 1, GTP and not GTP', with a sequence number. */
#define WEIR_GTP_LEN		12
#define WEIR_GTP_FLAGS		0xf2
#define WEIR_GTP_FLAGS_ARE	0x32
#define WEIR_GTP_DATA		255
#define WEIR_GTP_TEID		4
#define WEIR_GTP_SEQUENCE	8

/* The header of TCP has its length in words in the upper bits of this byte. */
#define WEIR_TCP_WORDS		12

/* Bytes of a packet behind the header of UDP or TCP, or NULL where there are fewer. */
static const u8 *weir_sequence_bytes(const struct weir_headers *headers,
				     const struct xdp_buff *xdp, u32 offset, u32 len)
{
	const u8 *at = xdp->data + headers->l4, *end = xdp->data_end;

	if (headers->key.proto == IPPROTO_UDP)
		offset += sizeof(struct udphdr);
	if (headers->key.proto == IPPROTO_TCP) {
		if (end - at <= WEIR_TCP_WORDS)
			return NULL;
		offset += (at[WEIR_TCP_WORDS] >> 4) * 4;
	}
	return headers->l4 && end - at >= (long)(offset + len) ? at + offset : NULL;
}

static bool weir_is_rtcp(const u8 *rtp)
{
	return rtp[1] >= WEIR_RTCP_TYPE_FIRST && rtp[1] <= WEIR_RTCP_TYPE_LAST;
}

static bool weir_sequence_rtp(struct weir_sequence *sequence, const u8 *rtp)
{
	if (!rtp || rtp[0] >> 6 != WEIR_RTP_VERSION || weir_is_rtcp(rtp))
		return false;
	sequence->raw = get_unaligned_be16(rtp + WEIR_RTP_SEQUENCE);
	sequence->bits = 16;
	sequence->tunnel = get_unaligned_be32(rtp + WEIR_RTP_SSRC);
	return true;
}

static bool weir_sequence_gtp(struct weir_sequence *sequence, const u8 *gtp)
{
	if (!gtp || (gtp[0] & WEIR_GTP_FLAGS) != WEIR_GTP_FLAGS_ARE || gtp[1] != WEIR_GTP_DATA)
		return false;
	sequence->raw = get_unaligned_be16(gtp + WEIR_GTP_SEQUENCE);
	sequence->bits = 16;
	sequence->tunnel = get_unaligned_be32(gtp + WEIR_GTP_TEID);
	return true;
}

/* Read a number of @bits bits in network byte order. */
static u32 weir_sequence_number(const u8 *field, u32 bits)
{
	u32 number = 0;

	for (; bits; bits -= 8)
		number = number << 8 | *field++;
	return number;
}

static bool weir_sequence_field(struct weir_sequence *sequence,
				const struct weir_order_config *config,
				const struct weir_headers *headers, const struct xdp_buff *xdp)
{
	const u8 *number, *scope;

	number = weir_sequence_bytes(headers, xdp, config->offset, config->width / 8);
	scope = weir_sequence_bytes(headers, xdp, config->scope_offset, config->scope_width / 8);
	if (!number || !scope)
		return false;
	sequence->raw = weir_sequence_number(number, config->width);
	sequence->bits = config->width;
	sequence->tunnel = weir_sequence_number(scope, config->scope_width);
	return true;
}

/**
 * weir_sequence_read() - read a packet's number
 * @sequence: filled
 * @config: the order's
 * @headers: the packet's
 * @xdp: the packet, whose number is in its linear part
 *
 * Return: true if it has one.
 */
bool weir_sequence_read(struct weir_sequence *sequence, const struct weir_order_config *config,
			const struct weir_headers *headers, const struct xdp_buff *xdp)
{
	bool udp = headers->key.proto == IPPROTO_UDP;

	switch (config->sequence) {
	case WEIR_XDP_ORDER_SEQUENCE_RTP:
		return udp && weir_sequence_rtp(sequence, weir_sequence_bytes(headers, xdp, 0,
									      WEIR_RTP_LEN));
	case WEIR_XDP_ORDER_SEQUENCE_GTPU:
		return udp && weir_sequence_gtp(sequence, weir_sequence_bytes(headers, xdp, 0,
									      WEIR_GTP_LEN));
	default:
		return weir_sequence_field(sequence, config, headers, xdp);
	}
}
