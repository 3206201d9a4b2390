/* SPDX-License-Identifier: GPL-2.0 */
/* The header of format toy (struct weir_toy), brought into our form. */
#ifndef _WEIR_TOY_H
#define _WEIR_TOY_H

#include <linux/udp.h>

#include <weir.h>
#include <weir_bpf.h>
#include <weir_wire.h>

/**
 * weir_toy() - parse a header of format toy
 * @hdr: the header, wherever it lies
 * @end: behind the last byte that may be looked at
 * @contrib: udp_len is set; gets everything that the header says; payload_off is moved
 *	behind it
 *
 * Return: 0 or an enum weir_reason.
 */
static __always_inline int weir_toy(const struct weir_toy *hdr, const void *end,
				    struct weir_contrib *contrib)
{
	__u16 head = sizeof(struct udphdr) + sizeof(*hdr);

	if ((const void *)(hdr + 1) > end || contrib->udp_len < head)
		return WEIR_REASON_RUNT;
	contrib->payload_off += sizeof(*hdr);
	if (hdr->kind == WEIR_TOY_DOWN)
		return WEIR_REASON_DIRECTION;
	if (hdr->kind != WEIR_TOY_UP)
		return WEIR_REASON_FLAGS;
	contrib->job = hdr->job;
	contrib->source = hdr->worker[0] << 8 | hdr->worker[1];
	contrib->block = (__u32)hdr->block[0] << 24 | (__u32)hdr->block[1] << 16 |
			 (__u32)hdr->block[2] << 8 | hdr->block[3];
	contrib->weight = 1;
	contrib->count = (contrib->udp_len - head) / 4;
	return contrib->count ? 0 : WEIR_REASON_LENGTH;
}

#endif /* _WEIR_TOY_H */
