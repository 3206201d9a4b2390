/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_SEND_H
#define _WEIR_SEND_H

#include <uapi/weir_wire.h>

#include "base/stats.h"
#include "job/job.h"
#include "out/dest.h"

void weir_trio_fill(struct weir_trio *hdr, const struct weir_job *job,
		    u16 generation, u32 block, u8 flags, u16 contributors,
		    u16 count);
void weir_bitmap_fill(__be32 *words, unsigned int n, const unsigned long *bits);
void weir_send(struct weir_job *job, struct weir_dest *dest,
	       struct weir_stats __percpu *source_stats,
	       const struct weir_packet *pkt, unsigned int counter);

#endif /* _WEIR_SEND_H */
