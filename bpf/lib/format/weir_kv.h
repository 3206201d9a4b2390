/* SPDX-License-Identifier: GPL-2.0 */
/* The header of a key-value stream (struct weir_kv), brought into our form. */
#ifndef _WEIR_KV_FORMAT_H
#define _WEIR_KV_FORMAT_H

#include <linux/udp.h>

#include <weir.h>
#include <weir_bpf.h>
#include <weir_wire.h>

static __always_inline __u16 weir_kv_u16(const __u8 *at)
{
	return at[0] << 8 | at[1];
}

static __always_inline __u32 weir_kv_u32(const __u8 *at)
{
	return (__u32)weir_kv_u16(at) << 16 | weir_kv_u16(at + 2);
}

/* A session is opened by a packet that does nothing else. */
static __always_inline int weir_kv_check_up(const struct weir_kv *hdr)
{
	__u8 flags = hdr->flags;

	if (flags & ~(WEIR_KV_CPA | WEIR_KV_CPD | WEIR_KV_PACKED | WEIR_KV_OPEN |
		      WEIR_KV_COLLECT | WEIR_KV_FIN))
		return WEIR_REASON_FLAGS;
	if (flags & WEIR_KV_OPEN &&
	    (flags & (WEIR_KV_CPD | WEIR_KV_COLLECT | WEIR_KV_FIN) || weir_kv_u16(hdr->pairs)))
		return WEIR_REASON_FLAGS;
	return 0;
}

static __always_inline int weir_kv_check(const struct weir_kv *hdr)
{
	if (!(hdr->flags & WEIR_KV_CPA))
		return WEIR_REASON_FLAGS;
	if (hdr->kind == WEIR_KV_UP)
		return weir_kv_check_up(hdr);
	if (hdr->kind != WEIR_KV_DOWN ||
	    (hdr->flags & ~(WEIR_KV_OPEN | WEIR_KV_SILENT)) != (WEIR_KV_CPA | WEIR_KV_CPK))
		return WEIR_REASON_FLAGS;
	return 0;
}

/**
 * weir_kv() - parse a header of a key-value stream
 * @hdr: the header, wherever it lies
 * @end: behind the last byte that may be looked at
 * @contrib: udp_len is set; gets everything that the header says; payload_off is moved
 *	behind it
 *
 * The pairs are not looked at.
 *
 * Return: 0 or an enum weir_reason.
 */
static __always_inline int weir_kv(const struct weir_kv *hdr, const void *end,
				   struct weir_contrib *contrib)
{
	int ret;

	if ((const void *)(hdr + 1) > end ||
	    contrib->udp_len < sizeof(struct udphdr) + sizeof(*hdr))
		return WEIR_REASON_RUNT;
	contrib->payload_off += sizeof(*hdr);
	ret = weir_kv_check(hdr);
	if (ret)
		return ret;
	contrib->job = weir_kv_u16(hdr->job);
	contrib->source = weir_kv_u16(hdr->source);
	contrib->block = weir_kv_u32(hdr->seq);
	contrib->generation = weir_kv_u16(hdr->window);
	contrib->weight = 1;
	contrib->count = weir_kv_u16(hdr->pairs);
	contrib->said[WEIR_KV_SAID_SESSION] = weir_kv_u32(hdr->session);
	contrib->said[WEIR_KV_SAID_MORE] = weir_kv_u32(hdr->more);
	contrib->said[WEIR_KV_SAID_MORE + 1] = weir_kv_u32(hdr->more + 4);
	contrib->said[WEIR_KV_SAID_FLAGS] = (__u32)hdr->dtype << 16 | hdr->op << 8 | hdr->flags;
	contrib->flags = hdr->kind == WEIR_KV_DOWN ? WEIR_CONTRIB_DOWN : 0;
	return 0;
}

#endif /* _WEIR_KV_FORMAT_H */
