// SPDX-License-Identifier: GPL-2.0
/*
 * The kfunc of weir's program on a device that has a filter: uapi/weir_bpf.h describes it,
 * kfunc.c registers it.
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/filter.h>
#include <linux/netdevice.h>
#include <net/xdp.h>

#include "core/base/compat.h"
#include "core/base/device.h"
#include "xdp/filter/classify.h"
#include "xdp/filter/filter.h"

/*
 * Decide about a packet that no rule passes or drops. One whose ports the parser did not reach may
 * have those that a rule drops, so it is dropped.
 */
static int weir_filter_default(const struct weir_classifier *classifier, struct xdp_buff *xdp,
			       struct weir_headers *headers)
{
	if (likely(!(headers->flags & WEIR_HEADERS_UNPARSED)) || !classifier->unparsed)
		return XDP_PASS;
	return weir_filter_rule_act(classifier->unparsed, xdp, headers);
}

/* Each rule that has the packet, until one says what becomes of it. */
static int weir_filter_judge(const struct weir_classifier *classifier, struct xdp_buff *xdp)
{
	struct weir_headers headers __uninitialized;
	struct weir_filter_rule *rule;
	int verdict = WEIR_FILTER_NEXT;
	u32 after = 0;

	weir_headers_parse(&headers, xdp);
	if (unlikely(headers.flags & WEIR_HEADERS_FRAGMENT))
		weir_headers_first(&headers, xdp);
	while (verdict == WEIR_FILTER_NEXT) {
		rule = weir_filter_classify(classifier, &headers, after);
		if (!rule)
			return weir_filter_default(classifier, xdp, &headers);
		verdict = weir_filter_rule_act(rule, xdp, &headers);
		after = rule->config.prio;
	}
	return verdict;
}

__bpf_kfunc_start_defs();

__bpf_kfunc int weir_filter_xdp(struct xdp_md *ctx)
{
	struct xdp_buff *xdp = (struct xdp_buff *)ctx;
	const struct net_device *dev = weir_xdp_dev(xdp);
	struct weir_filter *filter = weir_filter_get(weir_xdp_net_bh(dev_net(dev)), dev->ifindex);
	const struct weir_classifier *classifier;

	classifier = filter ? rcu_dereference_check(filter->classifier,
						    rcu_read_lock_bh_held()) : NULL;
	return classifier ? weir_filter_judge(classifier, xdp) : XDP_PASS;
}

__bpf_kfunc_end_defs();
