/* SPDX-License-Identifier: GPL-2.0 */
/* The header of p4lang's SwitchML, brought into our form. */
#ifndef _WEIR_SWITCHML_H
#define _WEIR_SWITCHML_H

#include <weir.h>
#include <weir_bpf.h>
#include <weir_wire.h>

static __always_inline __u16 weir_switchml_count(__u8 kind)
{
	switch (kind) {
	case WEIR_SWITCHML_64:
		return 64;
	case WEIR_SWITCHML_256:
		return 256;
	default:
		return 0;
	}
}

/**
 * weir_switchml() - parse a header of SwitchML
 * @hdr: the header, wherever it lies
 * @end: behind the last byte that may be looked at
 * @contrib: its ports are set; gets everything that the header says; payload_off is moved
 *	behind it
 *
 * A result comes from the port that contributions go to, and has no other sign.
 *
 * Return: 0 or an enum weir_reason.
 */
static __always_inline int weir_switchml(const struct weir_switchml *hdr, const void *end,
					 struct weir_contrib *contrib)
{
	if ((const void *)(hdr + 1) > end)
		return WEIR_REASON_RUNT;
	contrib->payload_off += sizeof(*hdr);
	if (contrib->sport == contrib->dport)
		return WEIR_REASON_DIRECTION;
	contrib->count = weir_switchml_count(hdr->kind);
	if (!contrib->count)
		return WEIR_REASON_FLAGS;
	contrib->weight = 1;
	contrib->generation = hdr->job;
	contrib->block = (__u32)hdr->packet[3] << 24 | (__u32)hdr->packet[2] << 16 |
			 (__u32)hdr->packet[1] << 8 | hdr->packet[0];
	contrib->said[WEIR_SWITCHML_SAID_KIND] = hdr->kind;
	contrib->said[WEIR_SWITCHML_SAID_POOL] = hdr->pool[0] << 8 | hdr->pool[1];
	contrib->said[WEIR_SWITCHML_SAID_EXPONENT] = (__u8)hdr->exponent[1] << 8 |
						     (__u8)hdr->exponent[0];
	contrib->flags = WEIR_CONTRIB_UNNAMED;
	return 0;
}

#endif /* _WEIR_SWITCHML_H */
