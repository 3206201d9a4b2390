/* SPDX-License-Identifier: GPL-2.0 */
/* The Trio-ML header (Trio paper, figures 7 and 8), brought into our form. */
#ifndef _WEIR_TRIO_H
#define _WEIR_TRIO_H

#include <weir.h>
#include <weir_bpf.h>
#include <weir_wire.h>

/* A header, and the exponent that may stand between it and the gradients. */
struct weir_trio_header {
	struct weir_trio trio;
	__u8 exponent[sizeof(struct weir_trio_exponent)];
};

static __always_inline int weir_trio_exponent(const struct weir_trio_header *hdr,
					      const void *end,
					      struct weir_contrib *contrib)
{
	if (!(hdr->trio.grad_cnt[0] & (WEIR_TRIO_EXPONENT >> 8)))
		return 0;
	if ((const void *)(hdr + 1) > end)
		return WEIR_REASON_RUNT;
	contrib->exponent = (__u32)hdr->exponent[0] << 24 | (__u32)hdr->exponent[1] << 16 |
			    (__u32)hdr->exponent[2] << 8 | hdr->exponent[3];
	contrib->flags |= WEIR_CONTRIB_EXPONENT;
	contrib->payload_off += sizeof(hdr->exponent);
	return 0;
}

/* All flags of a contribution from a worker that has joined, and those with which it has shares. */
#define WEIR_TRIO_PLAIN		(WEIR_TRIO_FINAL | WEIR_TRIO_LITTLE)
#define WEIR_TRIO_SHARES	(WEIR_TRIO_EMPTY | WEIR_TRIO_BRIEF)

static __always_inline bool weir_trio_has_count(const struct weir_trio *hdr)
{
	return hdr->grad_cnt[0] & (WEIR_TRIO_GRAD_MASK >> 8) || hdr->grad_cnt[1];
}

/*
 * Little-endian gradients, contributions without gradients or with no need of the result's, and
 * acknowledgments come from workers that have joined. Other packets of a worker have none of a
 * result's flags.
 */
static __always_inline int weir_trio_worker(const struct weir_trio *hdr,
					    struct weir_contrib *contrib)
{
	if (!(hdr->flags & (WEIR_TRIO_AGE_OP | WEIR_TRIO_DEGRADED | WEIR_TRIO_OVERFLOW)))
		return 0;
	if (!(hdr->flags & ~WEIR_TRIO_PLAIN) && hdr->grad_cnt[0] & (WEIR_TRIO_JOINED >> 8))
		return 0;
	if (!(hdr->flags & ~(WEIR_TRIO_PLAIN | WEIR_TRIO_SHARES)) &&
	    hdr->grad_cnt[0] & (WEIR_TRIO_JOINED >> 8) && weir_trio_has_count(hdr)) {
		contrib->flags = (hdr->flags & WEIR_TRIO_EMPTY ? WEIR_CONTRIB_EMPTY : 0) |
				 (hdr->flags & WEIR_TRIO_BRIEF ? WEIR_CONTRIB_BRIEF : 0);
		return 0;
	}
	if ((hdr->flags & ~WEIR_TRIO_FINAL) != WEIR_TRIO_ACK ||
	    hdr->grad_cnt[0] != WEIR_TRIO_JOINED >> 8 || hdr->grad_cnt[1])
		return WEIR_REASON_FLAGS;
	contrib->flags = WEIR_CONTRIB_ACK;
	return 0;
}

/*
 * Find the direction. Only a child box takes packets that go down, from its parent, which the
 * module checks.
 */
static __always_inline int weir_trio_direction(const struct weir_trio *hdr,
					       struct weir_contrib *contrib)
{
	contrib->flags = 0;
	if (hdr->grad_cnt[0] & (WEIR_TRIO_DOWN >> 8))
		contrib->flags |= WEIR_CONTRIB_DOWN;
	if (hdr->grad_cnt[0] & (WEIR_TRIO_UP >> 8))
		contrib->flags |= WEIR_CONTRIB_UP;
	if (!contrib->flags)
		return weir_trio_worker(hdr, contrib);
	contrib->said[0] = hdr->flags;
	return 0;
}

/**
 * weir_trio() - parse a Trio-ML header
 * @all: the header, wherever it lies
 * @end: behind the last byte that may be looked at
 * @contrib: gets everything that the header says; payload_off is moved behind it
 *
 * Return: 0 or an enum weir_reason.
 */
static __always_inline int weir_trio(const struct weir_trio_header *all,
				     const void *end, struct weir_contrib *contrib)
{
	const struct weir_trio *hdr = &all->trio;
	int reason;

	if ((const void *)(hdr + 1) > end)
		return WEIR_REASON_RUNT;
	contrib->payload_off += sizeof(*hdr);
	reason = weir_trio_direction(hdr, contrib);
	if (reason)
		return reason;
	contrib->job = hdr->job_id;
	contrib->block = (__u32)hdr->block_id[0] << 24 |
			 (__u32)hdr->block_id[1] << 16 |
			 (__u32)hdr->block_id[2] << 8 | hdr->block_id[3];
	contrib->generation = hdr->gen_id[0] << 8 | hdr->gen_id[1];
	contrib->source = hdr->src_id;
	contrib->weight = hdr->src_cnt;
	contrib->count = (hdr->grad_cnt[0] << 8 | hdr->grad_cnt[1]) &
			 WEIR_TRIO_GRAD_MASK;
	if (hdr->flags & WEIR_TRIO_CONTROL)
		contrib->flags |= WEIR_CONTRIB_JOIN;
	if (hdr->grad_cnt[0] & (WEIR_TRIO_JOINED >> 8))
		contrib->flags |= WEIR_CONTRIB_JOINED;
	if (hdr->flags & WEIR_TRIO_FINAL)
		contrib->flags |= WEIR_CONTRIB_FINAL;
	if (hdr->flags & WEIR_TRIO_LITTLE)
		contrib->flags |= WEIR_CONTRIB_LITTLE;
	return weir_trio_exponent(all, end, contrib);
}

#endif /* _WEIR_TRIO_H */
