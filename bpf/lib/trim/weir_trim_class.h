/* SPDX-License-Identifier: GPL-2.0 */
/* Select the packets that a port's policy trims. */
#ifndef _WEIR_TRIM_CLASS_H
#define _WEIR_TRIM_CLASS_H

#include "trim/weir_trim_match.h"

/**
 * enum weir_trim_class - a packet's class at a port
 * @WEIR_TRIM_OTHER: not eligible; never touched
 * @WEIR_TRIM_DATA: eligible: it is trimmed when there is no room
 * @WEIR_TRIM_HEADER: trimmed upstream, or NDP control; never trimmed (again)
 * @WEIR_TRIM_RETURNED: on its way back to its sender; never returned again
 * @WEIR_TRIM_UNTRUSTED: has a mark of a trimmed packet that is not trusted
 * @WEIR_TRIM_CONTROL: marked as control; waits with the headers, and is never returned
 */
enum weir_trim_class {
	WEIR_TRIM_OTHER,
	WEIR_TRIM_DATA,
	WEIR_TRIM_HEADER,
	WEIR_TRIM_RETURNED,
	WEIR_TRIM_UNTRUSTED,
	WEIR_TRIM_CONTROL,
};

/* The class of a packet with a DSCP that no rule trims. */
static __always_inline int
weir_trim_classify_mark(const struct weir_trim_policy *policy,
			const struct weir_trim_pkt *pkt)
{
	if (policy->marks >> pkt->dscp & 1)
		return WEIR_TRIM_HEADER;
	if (policy->controls >> pkt->dscp & 1)
		return WEIR_TRIM_CONTROL;
	if (policy->flags & WEIR_TRIM_RETURN && pkt->dscp == policy->return_dscp)
		return WEIR_TRIM_RETURNED;
	return WEIR_TRIM_OTHER;
}

/**
 * weir_trim_classify() - a packet's class at a port
 * @policy: the egress port's policy
 * @pkt: the packet, parsed; @ruled is set if rules are asked about it
 *
 * Its ingress device is not looked at yet: most packets have no mark to be doubted.
 *
 * Return: enum weir_trim_class, as if all marks were to be trusted.
 */
static __always_inline int
weir_trim_classify(const struct weir_trim_policy *policy,
		   struct weir_trim_pkt *pkt)
{
	if (!(policy->dscps >> pkt->dscp & 1))
		return weir_trim_classify_mark(policy, pkt);
	if (pkt->flags & WEIR_TRIM_PKT_CUT)
		return WEIR_TRIM_OTHER;
	pkt->ruled = weir_trim_ruled(policy, pkt);
	if (!weir_trim_allows(pkt->ruled))
		return WEIR_TRIM_OTHER;
	/* NDP marks its headers itself. */
	if (pkt->flags & (WEIR_TRIM_PKT_CHOPPED | WEIR_TRIM_PKT_CONTROL))
		return WEIR_TRIM_HEADER;
	return WEIR_TRIM_DATA;
}

/**
 * weir_trim_is_marked() - test whether a class comes from a mark
 * @class: result of weir_trim_classify()
 */
static __always_inline bool weir_trim_is_marked(int class)
{
	return class == WEIR_TRIM_HEADER || class == WEIR_TRIM_RETURNED ||
	       class == WEIR_TRIM_CONTROL;
}

/**
 * weir_trim_distrust() - the class of a marked packet that came in by an edge
 * @policy: the egress port's policy
 * @pkt: the packet, parsed
 * @class: result of weir_trim_classify(), weir_trim_is_marked()
 *
 * The sender of NDP's own marks is unknown: they stay, and are ignored. So are marks
 * of control packets, which hosts do send, and of packets that no rule would have
 * trimmed, such as routing protocols where their DSCP is the mark.
 *
 * Return: enum weir_trim_class.
 */
static __always_inline int
weir_trim_distrust(const struct weir_trim_policy *policy,
		   const struct weir_trim_pkt *pkt, int class)
{
	if (class == WEIR_TRIM_CONTROL || !weir_trim_was_eligible(policy, pkt))
		return WEIR_TRIM_OTHER;
	if (class == WEIR_TRIM_HEADER && !(policy->marks >> pkt->dscp & 1))
		return WEIR_TRIM_DATA;
	return WEIR_TRIM_UNTRUSTED;
}

/**
 * weir_trim_returns() - test whether a header without room may go back to its sender
 * @pkt: the packet, parsed
 * @class: its class, enum weir_trim_class
 *
 * NDP's own control packets may not: they carry no data. Nor may a packet that a
 * routing header leads on to other nodes: the sender would send it there again.
 */
static __always_inline bool weir_trim_returns(const struct weir_trim_pkt *pkt,
					      int class)
{
	if (pkt->flags & WEIR_TRIM_PKT_ROUTED)
		return false;
	if (class != WEIR_TRIM_HEADER)
		return class == WEIR_TRIM_DATA;
	return !(pkt->flags & WEIR_TRIM_PKT_CONTROL);
}

#endif /* _WEIR_TRIM_CLASS_H */
