// SPDX-License-Identifier: GPL-2.0
/* Policers in netlink messages. */
#include <uapi/weir.h>

#include "core/base/rate.h"
#include "core/netlink/netlink.h"

/* Default burst: a tenth of a second at the rate. */
#define WEIR_BURST_SHARE	10

/* The longest datagram must fit. */
#define WEIR_BYTES_BURST_MIN	65535

static u32 weir_nl_u32_or(struct nlattr *attr, u32 otherwise)
{
	return attr ? nla_get_u32(attr) : otherwise;
}

static u64 weir_nl_uint_or(struct nlattr *attr, u64 otherwise)
{
	return attr ? nla_get_uint(attr) : otherwise;
}

static int weir_nl_rate_check(struct genl_info *info, struct nlattr **tb,
			      const struct weir_rate_config *config)
{
	struct nlattr *packets = tb[WEIR_A_RATE_PACKETS_BURST];
	struct nlattr *bytes = tb[WEIR_A_RATE_BYTES_BURST];

	if (packets && !config->packets)
		return weir_nl_refuse(info, packets, -EINVAL,
				      "a burst of packets needs a rate of packets");
	if (bytes && !config->bytes)
		return weir_nl_refuse(info, bytes, -EINVAL,
				      "a burst of bytes needs a rate of bytes");
	if (packets && !config->packets_burst)
		return weir_nl_refuse(info, packets, -EINVAL,
				      "a burst of 0 packets lets nothing pass");
	if (bytes && config->bytes_burst < WEIR_BYTES_BURST_MIN)
		return weir_nl_refuse(info, bytes, -EINVAL,
				      "a burst below 65535 bytes does not hold the longest packet");
	return 0;
}

/**
 * weir_nl_rate() - a policer from a request
 * @info: the request
 * @attr: the attribute, which is there
 * @policy: of the family's attribute set rate
 * @config: filled; all zero where the nest is empty
 *
 * Return: 0, or -EINVAL with the sentence set.
 */
int weir_nl_rate(struct genl_info *info, int attr, const struct nla_policy *policy,
		 struct weir_rate_config *config)
{
	struct nlattr *tb[WEIR_A_RATE_BYTES_BURST + 1];
	u32 packets;
	u64 bytes;
	int err;

	err = nla_parse_nested(tb, WEIR_A_RATE_BYTES_BURST, info->attrs[attr],
			       policy, info->extack);
	if (err)
		return err;
	packets = weir_nl_u32_or(tb[WEIR_A_RATE_PACKETS], 0);
	bytes = weir_nl_uint_or(tb[WEIR_A_RATE_BYTES], 0);
	*config = (struct weir_rate_config) {
		.packets	= packets,
		.packets_burst	= weir_nl_u32_or(tb[WEIR_A_RATE_PACKETS_BURST],
						 packets / WEIR_BURST_SHARE + 1),
		.bytes		= bytes,
		.bytes_burst	= weir_nl_uint_or(tb[WEIR_A_RATE_BYTES_BURST],
						  bytes / WEIR_BURST_SHARE +
						  WEIR_BYTES_BURST_MIN),
	};
	return weir_nl_rate_check(info, tb, config);
}
EXPORT_SYMBOL_NS_GPL(weir_nl_rate, "WEIR");

/**
 * weir_nl_put_rate() - write a policer
 * @skb: the message
 * @attr: attribute that the nest goes under
 * @config: its rates; nothing is written where there are none
 *
 * Return: 0 or -EMSGSIZE.
 */
int weir_nl_put_rate(struct sk_buff *skb, int attr,
		     const struct weir_rate_config *config)
{
	struct nlattr *nest;

	if (!weir_rate_is_set(config))
		return 0;
	nest = nla_nest_start(skb, attr);
	if (!nest)
		return -EMSGSIZE;
	if ((config->packets &&
	     (nla_put_u32(skb, WEIR_A_RATE_PACKETS, config->packets) ||
	      nla_put_u32(skb, WEIR_A_RATE_PACKETS_BURST,
			  config->packets_burst))) ||
	    (config->bytes &&
	     (nla_put_uint(skb, WEIR_A_RATE_BYTES, config->bytes) ||
	      nla_put_uint(skb, WEIR_A_RATE_BYTES_BURST,
			   config->bytes_burst)))) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}
EXPORT_SYMBOL_NS_GPL(weir_nl_put_rate, "WEIR");
