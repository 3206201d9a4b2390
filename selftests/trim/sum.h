/* SPDX-License-Identifier: GPL-2.0 */
/* The sum that lib/weir_trim_mark.h asks for, where time does not count. */
#ifndef TRIM_SUM_H
#define TRIM_SUM_H

#include <string.h>

static __u32 weir_trim_sum(struct weir_trim_pkt *pkt, __u32 off, __u32 len)
{
	const unsigned char *at = (unsigned char *)pkt->start + off;
	__u32 sum = 0, i;
	__u16 word;

	for (i = 0; i < len; i += 2) {
		word = 0;
		memcpy(&word, at + i, len - i < 2 ? 1 : 2);
		sum += word;
	}
	return sum;
}

#endif
