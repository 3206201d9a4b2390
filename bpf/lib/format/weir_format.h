/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which UDP port or EtherType carries which wire format, and how each is parsed. A further
 * format has a header file of its own and a case here.
 */
#ifndef _WEIR_FORMAT_H
#define _WEIR_FORMAT_H

#include "format/weir_lab.h"
#include "format/weir_panama.h"
#include "format/weir_switchml.h"
#include "format/weir_trio.h"

/* Filled before a program is loaded; the verifier drops code that it does not reach. */
const volatile struct weir_format_entry weir_formats[WEIR_FORMATS_MAX];

/* Room for the longest header of any format. */
union weir_format_header {
	struct weir_trio_header trio;
	struct weir_lab_header lab;
	struct weir_panama panama;
	struct weir_switchml switchml;
};

/* The format that a UDP port or an EtherType carries, or 0. */
static __always_inline __u8 weir_format(__u16 port)
{
	int i;

	for (i = 0; i < WEIR_FORMATS_MAX; i++) {
		if (!weir_formats[i].port)
			break;
		if (weir_formats[i].port == port)
			return weir_formats[i].format;
	}
	return 0;
}

/* Do packets of a format come by any port? */
static __always_inline bool weir_format_comes(__u8 format)
{
	int i;

	for (i = 0; i < WEIR_FORMATS_MAX; i++) {
		if (!weir_formats[i].port)
			break;
		if (weir_formats[i].format == format)
			return true;
	}
	return false;
}

/*
 * Workers of a quiet format take any packet for a result: a packet to this box that is refused
 * must not come to its stack, which might answer.
 */
static __always_inline bool weir_format_is_quiet(__u8 format)
{
	return format == WEIR_FORMAT_SWITCHML;
}

/* Some workers leave the checksum of the IPv4 header to a device that has none either. */
static __always_inline bool weir_format_takes_no_checksum(__u8 format)
{
	return format == WEIR_FORMAT_SWITCHML;
}

/* Is a packet to a UDP port of contrib->format one of it? Others pass untouched. */
static __always_inline bool weir_format_takes(const struct weir_contrib *contrib)
{
	switch (contrib->format) {
	case 0:
	case WEIR_FORMAT_LAB_ETHERNET:
		return false;
	case WEIR_FORMAT_PANAMA:
		return weir_panama_is(contrib);
	default:
		return true;
	}
}

/*
 * Is a datagram that its port's format refuses a worker's join? A join is of format trio. The
 * job's answer tells the worker that its format is another.
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

#endif /* _WEIR_FORMAT_H */
