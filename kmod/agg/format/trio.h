/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_TRIO_H
#define _WEIR_TRIO_H

#include <linux/types.h>
#include <uapi/weir_wire.h>

struct weir_format_ops;
struct weir_reduction;
struct weir_result;

void weir_trio_fill(struct weir_trio *hdr, u8 job, u16 generation, u32 block,
		    u8 flags, u16 contributors, u16 count);
bool weir_trio_has_shares(const struct weir_format_ops *format,
			  const struct weir_reduction *reduction);
void weir_trio_brief(void *head);
u8 weir_trio_flags(const struct weir_result *res, bool degraded);
void weir_bitmap_read(unsigned long *bits, const __be32 *words, unsigned int n);
void weir_bitmap_fill(__be32 *words, unsigned int n, const unsigned long *bits);

#endif /* _WEIR_TRIO_H */
