/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_SEND_H
#define _WEIR_SEND_H

#include <linux/types.h>

struct weir_dest;
struct weir_job;
struct weir_merge;
struct weir_packet;
struct weir_stats;

void weir_send(struct weir_job *job, struct weir_dest *dest,
	       struct weir_stats __percpu *source_stats,
	       const struct weir_packet *pkt, unsigned int counter);
void weir_send_merged(struct weir_job *job, struct weir_dest *dest,
		      struct weir_stats __percpu *source_stats,
		      struct weir_merge *merge, unsigned int counter, bool last);

#endif /* _WEIR_SEND_H */
