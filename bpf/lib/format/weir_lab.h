/* SPDX-License-Identifier: GPL-2.0 */
/* The header of students' SwitchML (struct weir_lab), brought into our form. */
#ifndef _WEIR_LAB_H
#define _WEIR_LAB_H

#include <linux/if_ether.h>
#include <linux/udp.h>

#include <weir.h>
#include <weir_bpf.h>
#include <weir_wire.h>

/* More values fill no packet. */
#define WEIR_LAB_VALUES_MAX	(65536 / 4)

/* The longest header, and where what is in it lies. */
struct weir_lab_header {
	struct weir_lab lab;
	struct weir_lab_chunk chunk;
	__u8 m_val[4];
};

/* Bytes before the values, by the variant. */
enum {
	WEIR_LAB_BASIC		= sizeof(struct weir_lab),
	WEIR_LAB_SCALED		= WEIR_LAB_BASIC + 4,
	WEIR_LAB_RELIABLE	= WEIR_LAB_BASIC + sizeof(struct weir_lab_chunk),
	WEIR_LAB_BOTH		= WEIR_LAB_RELIABLE + 4,
};

static __always_inline __u32 weir_lab_word(const __u8 *at)
{
	return (__u32)at[0] << 24 | (__u32)at[1] << 16 | (__u32)at[2] << 8 | at[3];
}

static __always_inline int weir_lab_scale(const __u8 *m_val, const void *end,
					  struct weir_contrib *contrib)
{
	if ((const void *)(m_val + 4) > end)
		return WEIR_REASON_RUNT;
	contrib->exponent = weir_lab_word(m_val);
	contrib->flags |= WEIR_CONTRIB_EXPONENT;
	return 0;
}

static __always_inline int weir_lab_chunk(const struct weir_lab_chunk *chunk, const void *end,
					  struct weir_contrib *contrib)
{
	if ((const void *)(chunk + 1) > end)
		return WEIR_REASON_RUNT;
	contrib->said[1] = weir_lab_word(chunk->worker_rank);
	contrib->said[2] = weir_lab_word(chunk->chunk_id);
	contrib->said[3] = weir_lab_word(chunk->total_chunks);
	contrib->generation = chunk->slot_mod;
	return contrib->said[1] == WEIR_LAB_DOWN ? WEIR_REASON_DIRECTION : 0;
}

/* The length of the header before the values gives the variant. */
static __always_inline int weir_lab_variant(const struct weir_lab_header *hdr,
					    const void *end, struct weir_contrib *contrib,
					    __u32 head)
{
	int ret;

	contrib->payload_off += head;
	switch (head) {
	case WEIR_LAB_BASIC:
		return 0;
	case WEIR_LAB_SCALED:
		return weir_lab_scale((const __u8 *)(&hdr->lab + 1), end, contrib);
	case WEIR_LAB_RELIABLE:
		return weir_lab_chunk(&hdr->chunk, end, contrib);
	case WEIR_LAB_BOTH:
		ret = weir_lab_chunk(&hdr->chunk, end, contrib);
		return ret ?: weir_lab_scale(hdr->m_val, end, contrib);
	default:
		return WEIR_REASON_LENGTH;
	}
}

/**
 * weir_lab() - parse a header and what may follow it
 * @hdr: the header, wherever it lies
 * @end: behind the last byte that may be looked at
 * @contrib: flags are those that hold for all; gets everything that the header says;
 *	payload_off is moved behind it
 * @len: bytes from the header on that the packet has
 *
 * Return: 0 or an enum weir_reason.
 */
static __always_inline int weir_lab(const struct weir_lab_header *hdr, const void *end,
				    struct weir_contrib *contrib, __u32 len)
{
	__u32 count;

	if (len < sizeof(hdr->lab) || (const void *)(&hdr->lab + 1) > end)
		return WEIR_REASON_RUNT;
	count = weir_lab_word(hdr->lab.chunk_size);
	if (!count || count >= WEIR_LAB_VALUES_MAX)
		return WEIR_REASON_LENGTH;
	contrib->said[0] = weir_lab_word(hdr->lab.num_workers);
	contrib->weight = 1;
	contrib->count = count;
	return weir_lab_variant(hdr, end, contrib, len - 4 * count);
}

/* Return true if all bytes from @at on are 0. */
static __always_inline bool weir_lab_is_padding(const __u8 *hdr, const void *end, __u32 at)
{
	__u32 i;

	for (i = WEIR_LAB_BASIC; i < WEIR_LAB_FRAME_MIN; i++) {
		if ((const void *)(hdr + i + 1) > end)
			break;
		if (i >= at && hdr[i])
			return false;
	}
	return true;
}

/*
 * Bytes of a frame without its padding. No variant's length is that of the shortest frame,
 * so that what is as long as one is padded.
 */
static __always_inline __u32 weir_lab_unpadded(const struct weir_lab_header *hdr,
					       const void *end, __u32 len)
{
	__u32 count, basic;

	if (len > WEIR_LAB_FRAME_MIN || (const void *)(&hdr->lab + 1) > end)
		return len;
	count = weir_lab_word(hdr->lab.chunk_size);
	basic = WEIR_LAB_BASIC + 4 * count;
	if (count > WEIR_LAB_FRAME_MIN || basic >= len || basic + 4 == len ||
	    basic + WEIR_LAB_RELIABLE - WEIR_LAB_BASIC == len ||
	    basic + WEIR_LAB_BOTH - WEIR_LAB_BASIC == len)
		return len;
	return weir_lab_is_padding((const __u8 *)hdr, end, basic) ? basic : len;
}

/**
 * weir_lab_frame() - parse a frame of format lab-ethernet
 * @hdr: the header behind the Ethernet header
 * @end: behind the last byte that may be looked at
 * @contrib: udp_off and payload_off are where @hdr is in the frame; as of weir_lab()
 * @len: bytes of the frame from @hdr on
 *
 * Return: 0 or an enum weir_reason.
 */
static __always_inline int weir_lab_frame(const struct weir_lab_header *hdr, const void *end,
					  struct weir_contrib *contrib, __u32 len)
{
	contrib->flags |= WEIR_CONTRIB_UNNAMED | WEIR_CONTRIB_LINK;
	len = weir_lab_unpadded(hdr, end, len);
	if (len > 0xffff)
		return WEIR_REASON_LENGTH;
	contrib->udp_len = len;
	return weir_lab(hdr, end, contrib, len);
}

#endif /* _WEIR_LAB_H */
