/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of the packets that a BPF program has judged. */
#ifndef _WEIR_TRIM_COUNT_H
#define _WEIR_TRIM_COUNT_H

#include "trim/weir_trim_steps.h"

/* The counter that weir_trim_count_whole() adds a packet to. */
static __always_inline __u32 weir_trim_whole_as(const struct weir_trim_look *look)
{
	switch (look->class) {
	case WEIR_TRIM_DATA:
		return WEIR_TRIM_C_WHOLE;
	case WEIR_TRIM_HEADER:
	case WEIR_TRIM_RETURNED:
	case WEIR_TRIM_CONTROL:
		return WEIR_TRIM_C_HEADERS;
	default:
		return WEIR_TRIM_C_OTHER;
	}
}

/* A packet belongs to the counters of the rules that decide about it, whatever becomes of it. */
static __always_inline void weir_trim_count_rule(WEIR_TRIM_CTX *ctx,
						 const struct weir_trim_port *port,
						 struct weir_trim_cpu *cpu,
						 const struct weir_trim_look *look)
{
	struct weir_trim_hits *hits;

	if (look->ruled >> WEIR_TRIM_RULED_PRIO)
		weir_trim_acl_count(ctx, port->policy.ifindex,
				    look->ruled >> WEIR_TRIM_RULED_PRIO,
				    look->len + look->beside);
	if (!(look->ruled & WEIR_TRIM_RULED_SLOT))
		return;
	hits = &cpu->hits[(look->ruled - 1) & (WEIR_TRIM_SLOTS - 1)];
	hits->packets++;
	hits->bytes += look->len + look->beside;
}

/* A packet that goes on untrimmed. */
static __always_inline void weir_trim_count_whole(struct weir_trim_cpu *cpu,
						  const struct weir_trim_look *look)
{
	switch (look->class) {
	case WEIR_TRIM_DATA:
		cpu->count[WEIR_TRIM_C_WHOLE]++;
		cpu->count[WEIR_TRIM_C_WHOLE_BYTES] += look->len + look->beside;
		break;
	case WEIR_TRIM_HEADER:
	case WEIR_TRIM_RETURNED:
	case WEIR_TRIM_CONTROL:
		cpu->count[WEIR_TRIM_C_HEADERS]++;
		break;
	case WEIR_TRIM_UNTRUSTED:
		cpu->count[WEIR_TRIM_C_UNTRUSTED]++;
		cpu->count[WEIR_TRIM_C_OTHER]++;
		break;
	default:
		cpu->count[WEIR_TRIM_C_OTHER]++;
	}
}

/* The traffic class of a packet, as it came. */
static __always_inline __u32 weir_trim_tc(const struct weir_trim_port *port,
					  const struct weir_trim_look *look)
{
	const __u8 *tc = port->policy.tc;

	return tc[look->was & (sizeof(port->policy.tc) - 1)] & (WEIR_TRIM_CLASSES - 1);
}

/* An eligible packet that was trimmed, and its fate then. */
static __always_inline void weir_trim_count_trim(const struct weir_trim_port *port,
						 struct weir_trim_cpu *cpu,
						 const struct weir_trim_look *look,
						 enum weir_trim_counter fate)
{
	struct weir_trim_class_count *class = &cpu->class[weir_trim_tc(port, look)];

	class->trim++;
	class->tx_trim += fate == WEIR_TRIM_C_TX_TRIM;
	class->dropped_trim += fate == WEIR_TRIM_C_DROPPED_TRIM;
	cpu->count[WEIR_TRIM_C_TRIM]++;
	cpu->count[WEIR_TRIM_C_TRIM_BYTES] += look->len - look->left;
	if (look->left >= look->len)
		cpu->count[WEIR_TRIM_C_SHORT]++;
	cpu->count[fate]++;
}

/* A packet that finds no room and is not sent back. */
static __always_inline void weir_trim_count_drop(const struct weir_trim_port *port,
						 struct weir_trim_cpu *cpu,
						 const struct weir_trim_look *look)
{
	if (look->class == WEIR_TRIM_DATA) {
		weir_trim_count_trim(port, cpu, look, WEIR_TRIM_C_DROPPED_TRIM);
		return;
	}
	cpu->count[WEIR_TRIM_C_HEADERS]++;
	cpu->count[WEIR_TRIM_C_HEADERS_DROPPED]++;
}

#endif /* _WEIR_TRIM_COUNT_H */
