/* SPDX-License-Identifier: GPL-2.0 */
/* UDP ports and EtherTypes of the wire formats. */
#ifndef _WEIR_FORMAT_TABLE_H
#define _WEIR_FORMAT_TABLE_H

#include "format/weir_datagram.h"

/* Filled before a program is loaded; the verifier drops code that it does not reach. */
const volatile struct weir_format_entry weir_formats[WEIR_FORMATS_MAX];

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

/* Return true if packets of a format come by any port. */
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

/* Some workers leave the checksum of the IPv4 header to a device that has none either. */
static __always_inline bool weir_format_takes_no_checksum(__u8 format)
{
	return format == WEIR_FORMAT_SWITCHML;
}

/*
 * Return true if a packet to a UDP port of contrib->format is of that format. Others pass
 * untouched.
 */
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

#endif /* _WEIR_FORMAT_TABLE_H */
