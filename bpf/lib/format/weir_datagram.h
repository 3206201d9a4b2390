/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parse a datagram of each wire format: in programs, and in the module if a merged packet has many.
 * A further format has a header file of its own and a case here.
 */
#ifndef _WEIR_DATAGRAM_H
#define _WEIR_DATAGRAM_H

#include "format/weir_kv.h"
#include "format/weir_lab.h"
#include "format/weir_panama.h"
#include "format/weir_switchml.h"
#include "format/weir_trio.h"

/* Room for the longest header of any format. */
union weir_format_header {
	struct weir_trio_header trio;
	struct weir_kv kv;
	struct weir_lab_header lab;
	struct weir_panama panama;
	struct weir_switchml switchml;
};

/*
 * Return true if a datagram that its port's format refuses is a worker's join, which is of format
 * trio. The job's answer tells the worker that its format is another.
 */
static __always_inline bool weir_format_is_join(const struct weir_trio *hdr, const void *end,
						const struct weir_contrib *contrib)
{
	return contrib->udp_len == sizeof(struct udphdr) + sizeof(*hdr) +
				   sizeof(struct weir_join) &&
	       (const void *)(hdr + 1) <= end && hdr->flags & WEIR_TRIO_CONTROL;
}

static __always_inline int weir_format_header(const void *hdr, const void *end,
					      struct weir_contrib *contrib)
{
	switch (contrib->format) {
	case WEIR_FORMAT_TRIO:
		return weir_trio(hdr, end, contrib);
	case WEIR_FORMAT_LAB:
		contrib->flags = WEIR_CONTRIB_UNNAMED;
		if (contrib->udp_len < sizeof(struct udphdr))
			return WEIR_REASON_RUNT;
		return weir_lab(hdr, end, contrib, contrib->udp_len - sizeof(struct udphdr));
	case WEIR_FORMAT_KV:
		return weir_kv(hdr, end, contrib);
	case WEIR_FORMAT_PANAMA:
		return weir_panama(hdr, end, contrib);
	case WEIR_FORMAT_SWITCHML:
		return weir_switchml(hdr, end, contrib);
	default:
		return WEIR_REASON_NO_JOB;
	}
}

/**
 * weir_format_parse() - parse a header of contrib->format
 * @hdr: the header
 * @end: behind the last byte that may be looked at
 * @contrib: udp_len is set; gets everything that the header says; payload_off, where the
 *	header begins in the frame, is moved to the first gradient
 *
 * Return: 0 or an enum weir_reason.
 */
static __always_inline int weir_format_parse(const void *hdr, const void *end,
					     struct weir_contrib *contrib)
{
	__u16 start = contrib->payload_off;
	int ret = weir_format_header(hdr, end, contrib);

	if (!ret || contrib->format == WEIR_FORMAT_TRIO ||
	    !weir_format_is_join(hdr, end, contrib))
		return ret;
	contrib->format = WEIR_FORMAT_TRIO;
	contrib->payload_off = start;
	contrib->exponent = 0;
	__builtin_memset(contrib->said, 0, sizeof(contrib->said));
	return weir_trio(hdr, end, contrib);
}

/*
 * Workers of a quiet format take any packet for a result: a packet to this box that is refused
 * must not come to its stack, which might answer.
 */
static __always_inline bool weir_format_is_quiet(__u8 format)
{
	return format == WEIR_FORMAT_SWITCHML;
}

/**
 * weir_refusal_passes() - test whether a refused packet goes on to the stack
 * @reason: enum weir_reason, or a negative error of a kfunc
 * @format: enum weir_format
 *
 * A packet that may be for another receiver is passed to the stack, the rest is dropped; see
 * enum weir_reason. Of a quiet format only a packet that is for another host is passed.
 */
static __always_inline bool weir_refusal_passes(int reason, __u8 format)
{
	if (reason <= 0 || reason >= WEIR_REASON_RUNT)
		return false;
	return !weir_format_is_quiet(format) || reason == WEIR_REASON_NO_PORT ||
	       reason == WEIR_REASON_NOT_LOCAL;
}

#endif /* _WEIR_DATAGRAM_H */
