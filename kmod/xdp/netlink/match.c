// SPDX-License-Identifier: GPL-2.0
/* The matches of a filter's rules in netlink messages. */
#include "xdp/filter/filter_rule.h"
#include "xdp/netlink/netlink.h"
#include "xdp/netlink/match.h"
#include "core/netlink/rule.h"

static int weir_nl_match_lengths(struct genl_info *info, struct nlattr **tb,
				 struct weir_filter_match *match)
{
	struct nlattr *first = tb[WEIR_A_FILTER_MATCH_LENGTH];
	struct nlattr *last = tb[WEIR_A_FILTER_MATCH_LENGTH_LAST];

	match->length_last = U32_MAX;
	if (last && !first)
		return weir_nl_refuse(info, last, -EINVAL,
				      "length-last needs length, the least one");
	if (!first)
		return 0;
	match->length = nla_get_u32(first);
	match->length_last = nla_get_u32(last ?: first);
	if (match->length_last < match->length)
		return weir_nl_refuse(info, last, -EINVAL, "length-last is less than length");
	return 0;
}

static void weir_nl_match_flag(const struct nlattr *attr, u8 flag, struct weir_filter_match *match)
{
	if (!attr)
		return;
	match->flags_mask |= flag;
	match->flags |= nla_get_u32(attr) ? flag : 0;
}

static int weir_nl_match_tcp(struct genl_info *info, struct nlattr **tb,
			     struct weir_filter_match *match)
{
	struct nlattr *set = tb[WEIR_A_FILTER_MATCH_TCP_SET];
	struct nlattr *clear = tb[WEIR_A_FILTER_MATCH_TCP_CLEAR];

	match->tcp_set = set ? nla_get_u32(set) : 0;
	match->tcp_clear = clear ? nla_get_u32(clear) : 0;
	if (match->tcp_set & match->tcp_clear)
		return weir_nl_refuse(info, clear, -EINVAL,
				      "no segment has a TCP flag both set and clear");
	return 0;
}

static int weir_nl_match_rule(struct genl_info *info, const struct nlattr *nest,
			      struct weir_trim_rule *rule)
{
	int err;

	rule->dscps = U64_MAX;
	if (!nest)
		return 0;
	err = weir_nl_rule(info, nest, weir_xdp_rule_nl_policy, rule);
	if (err)
		return err;
	if (rule->from || rule->disable)
		return weir_nl_refuse(info, nest, -EINVAL,
				      "a filter's rules have neither from nor disable");
	return 0;
}

/**
 * weir_nl_match() - read a match
 * @info: the request
 * @nest: the attribute, of the attribute set filter-match
 * @match: zeroed; filled
 *
 * Return: 0, or a negative error with the sentence set.
 */
int weir_nl_match(struct genl_info *info, const struct nlattr *nest,
		  struct weir_filter_match *match)
{
	struct nlattr *tb[WEIR_A_FILTER_MATCH_MAX + 1];
	int err;

	err = nla_parse_nested(tb, WEIR_A_FILTER_MATCH_MAX, nest, weir_xdp_filter_match_nl_policy,
			       info->extack);
	if (err)
		return err;
	weir_nl_match_flag(tb[WEIR_A_FILTER_MATCH_FRAGMENT], WEIR_HEADERS_FRAGMENT, match);
	weir_nl_match_flag(tb[WEIR_A_FILTER_MATCH_OPTIONS], WEIR_HEADERS_OPTIONS, match);
	weir_nl_match_flag(tb[WEIR_A_FILTER_MATCH_UNPARSED], WEIR_HEADERS_UNPARSED, match);
	return weir_nl_match_rule(info, tb[WEIR_A_FILTER_MATCH_RULE], &match->rule) ?:
	       weir_nl_match_lengths(info, tb, match) ?: weir_nl_match_tcp(info, tb, match);
}

/**
 * weir_nl_count_matches() - count the matches of a request
 * @info: the request
 * @attr: their attribute
 */
u32 weir_nl_count_matches(struct genl_info *info, int attr)
{
	const struct nlattr *nest;
	u32 count = 0;
	int rem;

	nlmsg_for_each_attr(nest, info->nlhdr, GENL_HDRLEN, rem)
		count += nla_type(nest) == attr;
	return count;
}

/**
 * weir_nl_matches() - read the matches of a request
 * @info: the request
 * @attr: their attribute
 * @match: room for weir_nl_count_matches(), zeroed
 *
 * Return: 0, or a negative error with the sentence set.
 */
int weir_nl_matches(struct genl_info *info, int attr, struct weir_filter_match *match)
{
	const struct nlattr *nest;
	int err, rem;

	nlmsg_for_each_attr(nest, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(nest) != attr)
			continue;
		err = weir_nl_match(info, nest, match++);
		if (err)
			return err;
	}
	return 0;
}

static int weir_nl_put_flag(struct sk_buff *skb, int attr, u8 flag,
			    const struct weir_filter_match *match)
{
	return match->flags_mask & flag ? nla_put_u32(skb, attr, !!(match->flags & flag)) : 0;
}

static int weir_nl_put_lengths(struct sk_buff *skb, const struct weir_filter_match *match)
{
	if (!match->length && match->length_last == U32_MAX)
		return 0;
	return nla_put_u32(skb, WEIR_A_FILTER_MATCH_LENGTH, match->length) ?:
	       nla_put_u32(skb, WEIR_A_FILTER_MATCH_LENGTH_LAST, match->length_last);
}

/**
 * weir_nl_put_match() - write a match
 * @skb: the message
 * @attr: its attribute
 * @match: the match
 *
 * Return: 0 or -EMSGSIZE.
 */
int weir_nl_put_match(struct sk_buff *skb, int attr, const struct weir_filter_match *match)
{
	struct nlattr *nest = nla_nest_start(skb, attr);

	if (!nest || weir_nl_put_rule(skb, WEIR_A_FILTER_MATCH_RULE, &match->rule, NULL) ||
	    weir_nl_put_lengths(skb, match) ||
	    (match->tcp_set &&
	     nla_put_u32(skb, WEIR_A_FILTER_MATCH_TCP_SET, match->tcp_set)) ||
	    (match->tcp_clear &&
	     nla_put_u32(skb, WEIR_A_FILTER_MATCH_TCP_CLEAR, match->tcp_clear)) ||
	    weir_nl_put_flag(skb, WEIR_A_FILTER_MATCH_FRAGMENT, WEIR_HEADERS_FRAGMENT, match) ||
	    weir_nl_put_flag(skb, WEIR_A_FILTER_MATCH_OPTIONS, WEIR_HEADERS_OPTIONS, match) ||
	    weir_nl_put_flag(skb, WEIR_A_FILTER_MATCH_UNPARSED, WEIR_HEADERS_UNPARSED, match))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/**
 * weir_nl_put_matches() - write the matches of a rule, where they are few
 * @skb: the message
 * @attr: their attribute
 * @rule: the rule
 *
 * Return: 0 or -EMSGSIZE.
 */
int weir_nl_put_matches(struct sk_buff *skb, int attr, const struct weir_filter_rule *rule)
{
	u32 i;

	if (rule->matches > WEIR_XDP_FILTER_MATCHES_SHOWN)
		return 0;
	for (i = 0; i < rule->matches; i++)
		if (weir_nl_put_match(skb, attr, &rule->match[i]))
			return -EMSGSIZE;
	return 0;
}
