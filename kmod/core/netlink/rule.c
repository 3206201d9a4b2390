// SPDX-License-Identifier: GPL-2.0
/* Rules about packets, such as trimming policies have, in netlink messages. */
#include <linux/bitops.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <uapi/weir_trim.h>
#include <uapi/weir_trim_nl.h>

#include "core/netlink/netlink.h"
#include "core/netlink/rule.h"

/* The DSCPs that a rule names, all where it names none. */
static int weir_nl_rule_dscps(struct genl_info *info, struct nlattr **tb,
			      u64 *dscps)
{
	struct nlattr *first = tb[WEIR_A_TRIM_RULE_DSCP];
	struct nlattr *last = tb[WEIR_A_TRIM_RULE_DSCP_LAST];

	if (last && !first)
		return weir_nl_refuse(info, last, -EINVAL,
				      "dscp-last needs dscp, the lowest one");
	if (!first) {
		*dscps = U64_MAX;
		return 0;
	}
	last = last ?: first;
	if (nla_get_u32(last) < nla_get_u32(first))
		return weir_nl_refuse(info, last, -EINVAL,
				      "dscp-last is lower than dscp");
	*dscps = GENMASK_ULL(nla_get_u32(last), nla_get_u32(first));
	return 0;
}

static void weir_nl_prefix_mask(struct weir_trim_prefix *prefix, u32 bits)
{
	u8 *mask = (u8 *)prefix->mask;
	u32 i;

	for (i = 0; i < bits; i++)
		mask[i / 8] |= 0x80 >> i % 8;
}

/* A bit set behind the prefix is a mistake: the rule would not match the address given. */
static bool weir_nl_prefix_is_clean(const struct weir_trim_prefix *prefix)
{
	int i;

	for (i = 0; i < 4; i++)
		if (prefix->addr[i] & ~prefix->mask[i])
			return false;
	return true;
}

/* A rule's addresses; @ip is the IP version of the rule's addresses so far. */
static int weir_nl_rule_prefix(struct genl_info *info,
			       const struct nlattr *attr,
			       const struct nlattr *bits,
			       struct weir_trim_prefix *prefix, u8 *ip)
{
	u32 len = attr ? nla_len(attr) : 0, count;

	if (bits && !attr)
		return weir_nl_refuse(info, bits, -EINVAL,
				      "a prefix length needs an address");
	if (!attr)
		return 0;
	if (len != sizeof(struct in_addr) && len != sizeof(struct in6_addr))
		return weir_nl_refuse(info, attr, -EINVAL,
				      "an address has 4 bytes (IPv4) or 16 (IPv6)");
	count = bits ? nla_get_u32(bits) : 8 * len;
	if (count > 8 * len)
		return weir_nl_refuse(info, bits, -EINVAL,
				      "the prefix is longer than an IPv4 address");
	if (*ip && *ip != (len == sizeof(struct in_addr) ? 4 : 6))
		return weir_nl_refuse(info, attr, -EINVAL,
				      "a rule's addresses are all IPv4 or all IPv6");
	*ip = len == sizeof(struct in_addr) ? 4 : 6;
	nla_memcpy(prefix->addr, attr, sizeof(prefix->addr));
	weir_nl_prefix_mask(prefix, count);
	if (!weir_nl_prefix_is_clean(prefix))
		return weir_nl_refuse(info, attr, -EINVAL,
				      "the address has bits behind its prefix");
	return 0;
}

static u32 weir_nl_rule_number(struct nlattr **tb, int attr)
{
	return tb[attr] ? nla_get_u32(tb[attr]) : 0;
}

/**
 * weir_nl_rule() - read a rule
 * @info: the request
 * @nest: the attribute
 * @policy: of the family's attribute set rule
 * @rule: filled, but for its mask
 *
 * Return: 0, or a negative error with the sentence set.
 */
int weir_nl_rule(struct genl_info *info, const struct nlattr *nest,
		 const struct nla_policy *policy, struct weir_trim_rule *rule)
{
	struct nlattr *tb[WEIR_A_TRIM_RULE_MAX + 1];
	int err;

	err = nla_parse_nested(tb, WEIR_A_TRIM_RULE_MAX, nest,
			       policy, info->extack);
	if (err)
		return err;
	memset(rule, 0, sizeof(*rule));
	rule->what.proto = weir_nl_rule_number(tb, WEIR_A_TRIM_RULE_PROTO);
	rule->what.port = weir_nl_rule_number(tb, WEIR_A_TRIM_RULE_PORT);
	rule->what.sport = weir_nl_rule_number(tb, WEIR_A_TRIM_RULE_SPORT);
	rule->what.vlan = weir_nl_rule_number(tb, WEIR_A_TRIM_RULE_VLAN);
	rule->from = weir_nl_rule_number(tb, WEIR_A_TRIM_RULE_FROM);
	rule->disable = nla_get_flag(tb[WEIR_A_TRIM_RULE_DISABLE]);
	err = weir_nl_rule_prefix(info, tb[WEIR_A_TRIM_RULE_SRC],
				  tb[WEIR_A_TRIM_RULE_SRC_PREFIX],
				  &rule->src, &rule->what.ip);
	err = err ?: weir_nl_rule_prefix(info, tb[WEIR_A_TRIM_RULE_DST],
					 tb[WEIR_A_TRIM_RULE_DST_PREFIX],
					 &rule->dst, &rule->what.ip);
	return err ?: weir_nl_rule_dscps(info, tb, &rule->dscps);
}
EXPORT_SYMBOL_NS_GPL(weir_nl_rule, "WEIR");

static int weir_nl_put_said(struct sk_buff *skb, int attr, u32 number)
{
	return number ? nla_put_u32(skb, attr, number) : 0;
}

static u32 weir_nl_prefix_bits(const struct weir_trim_prefix *prefix)
{
	u32 bits = 0;
	int i;

	for (i = 0; i < 4; i++)
		bits += hweight32(be32_to_cpu(prefix->mask[i]));
	return bits;
}

static int weir_nl_put_prefix(struct sk_buff *skb, int attr, int bits_attr,
			      const struct weir_trim_prefix *prefix, u8 ip)
{
	u32 bits = weir_nl_prefix_bits(prefix);

	if (!bits)
		return 0;
	if (nla_put(skb, attr, ip == 4 ? sizeof(struct in_addr) :
					 sizeof(struct in6_addr), prefix->addr))
		return -EMSGSIZE;
	return nla_put_u32(skb, bits_attr, bits);
}

/**
 * weir_nl_put_rule() - write a rule
 * @skb: the message
 * @attr: its attribute
 * @rule: the rule
 * @hits: its counters, or NULL
 *
 * Return: 0 or -EMSGSIZE.
 */
int weir_nl_put_rule(struct sk_buff *skb, int attr, const struct weir_trim_rule *rule,
		     const struct weir_trim_hits *hits)
{
	struct nlattr *nest = nla_nest_start(skb, attr);

	if (!nest)
		return -EMSGSIZE;
	if ((rule->dscps != U64_MAX &&
	     (nla_put_u32(skb, WEIR_A_TRIM_RULE_DSCP, __ffs64(rule->dscps)) ||
	      nla_put_u32(skb, WEIR_A_TRIM_RULE_DSCP_LAST,
			  fls64(rule->dscps) - 1))) ||
	    weir_nl_put_said(skb, WEIR_A_TRIM_RULE_PROTO, rule->what.proto) ||
	    weir_nl_put_said(skb, WEIR_A_TRIM_RULE_PORT, rule->what.port) ||
	    weir_nl_put_said(skb, WEIR_A_TRIM_RULE_SPORT, rule->what.sport) ||
	    weir_nl_put_said(skb, WEIR_A_TRIM_RULE_VLAN, rule->what.vlan) ||
	    weir_nl_put_said(skb, WEIR_A_TRIM_RULE_FROM, rule->from) ||
	    weir_nl_put_prefix(skb, WEIR_A_TRIM_RULE_SRC,
			       WEIR_A_TRIM_RULE_SRC_PREFIX, &rule->src,
			       rule->what.ip) ||
	    weir_nl_put_prefix(skb, WEIR_A_TRIM_RULE_DST,
			       WEIR_A_TRIM_RULE_DST_PREFIX, &rule->dst,
			       rule->what.ip) ||
	    (rule->disable && nla_put_flag(skb, WEIR_A_TRIM_RULE_DISABLE)) ||
	    (hits &&
	     (nla_put_uint(skb, WEIR_A_TRIM_RULE_PACKETS, hits->packets) ||
	      nla_put_uint(skb, WEIR_A_TRIM_RULE_BYTES, hits->bytes)))) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}
EXPORT_SYMBOL_NS_GPL(weir_nl_put_rule, "WEIR");
