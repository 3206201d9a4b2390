/* SPDX-License-Identifier: GPL-2.0 */
/* The header of PANAMA (struct weir_panama), brought into our form. */
#ifndef _WEIR_PANAMA_H
#define _WEIR_PANAMA_H

#include <linux/udp.h>

#include <weir.h>
#include <weir_bpf.h>
#include <weir_wire.h>

/**
 * weir_panama_is() - test whether a packet to a port of format panama is of that format
 * @contrib: tos is set
 *
 * A packet with another DSCP passes untouched, as past the paper's accelerator.
 */
static __always_inline bool weir_panama_is(const struct weir_contrib *contrib)
{
	return contrib->tos >> 2 == WEIR_PANAMA_DSCP;
}

static __always_inline __u16 weir_panama_u16(const __u8 *at)
{
	return at[0] << 8 | at[1];
}

/* One of WEIR_PANAMA_TREES a job; an id that no job can have where there are not so many. */
static __always_inline __u16 weir_panama_job(const struct weir_panama *hdr)
{
	__u16 job = weir_panama_u16(hdr->job);

	if (job >= (WEIR_JOB_ID_MAX + 1) / WEIR_PANAMA_TREES || hdr->tree >= WEIR_PANAMA_TREES)
		return WEIR_JOB_ID_MAX + 1;
	return job * WEIR_PANAMA_TREES + hdr->tree;
}

/* A packet that goes down belongs to a job with a parent, or is refused. */
static __always_inline int weir_panama_check(const struct weir_panama *hdr, __u16 bytes)
{
	if (hdr->kind == WEIR_PANAMA_DOWN)
		return 0;
	if (hdr->kind != WEIR_PANAMA_UP || hdr->flags & ~(WEIR_PANAMA_FIN | WEIR_PANAMA_BOX))
		return WEIR_REASON_FLAGS;
	return !bytes || bytes % 4 ? WEIR_REASON_LENGTH : 0;
}

static __always_inline __u16 weir_panama_flags(const struct weir_panama *hdr)
{
	return (hdr->flags & WEIR_PANAMA_FIN ? WEIR_CONTRIB_FINAL : 0) |
	       (hdr->kind == WEIR_PANAMA_DOWN ? WEIR_CONTRIB_DOWN :
		hdr->flags & WEIR_PANAMA_BOX ? WEIR_CONTRIB_UP : 0);
}

/**
 * weir_panama() - parse a header of PANAMA
 * @hdr: the header, wherever it lies
 * @end: behind the last byte that may be looked at
 * @contrib: udp_len is set; gets everything that the header says; payload_off is moved
 *	behind it
 *
 * The datagram's length gives the number of gradients, at least 1.
 *
 * Return: 0 or an enum weir_reason.
 */
static __always_inline int weir_panama(const struct weir_panama *hdr, const void *end,
				       struct weir_contrib *contrib)
{
	__u16 head = sizeof(struct udphdr) + sizeof(*hdr);
	int ret;

	if ((const void *)(hdr + 1) > end || contrib->udp_len < head)
		return WEIR_REASON_RUNT;
	contrib->payload_off += sizeof(*hdr);
	ret = weir_panama_check(hdr, contrib->udp_len - head);
	if (ret)
		return ret;
	contrib->job = weir_panama_job(hdr);
	contrib->source = hdr->worker;
	contrib->block = (__u32)weir_panama_u16(hdr->vid) << 16 | weir_panama_u16(hdr->vid + 2);
	contrib->generation = weir_panama_u16(hdr->round);
	contrib->weight = weir_panama_u16(hdr->sources);
	contrib->count = (contrib->udp_len - head) / 4;
	contrib->said[WEIR_PANAMA_SAID_CAP] = weir_panama_u16(hdr->cwnd_cap);
	contrib->said[WEIR_PANAMA_SAID_FLAGS] = hdr->flags;
	contrib->flags = weir_panama_flags(hdr);
	return 0;
}

#endif /* _WEIR_PANAMA_H */
