// SPDX-License-Identifier: GPL-2.0
/* The flows of `weir top`: those that have sent most, and how their counts differ. */
#include <errno.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir_xdp_nl.h>

#include "flow/text.h"
#include "watch/top.h"

/* Records that are looked at: a flow that becomes heavy is soon among those that have sent most. */
#define FLOWS_MAX 1000

/* FNV-1a: rows have numbers for names. */
static uint64_t add_bytes(uint64_t name, const void *data, size_t size)
{
	const unsigned char *byte = data;

	while (size--)
		name = (name ^ *byte++) * 0x100000001b3;
	return name;
}

/* A record that was started again is another one, so its counters never go back. */
static uint64_t name_of(const struct top_flow *flow, uint64_t first)
{
	uint64_t name = 0xcbf29ce484222325;
	const uint64_t rest[] = { flow->ifindex, flow->proto, flow->sport, flow->dport, flow->vlan,
				  first };

	name = add_bytes(name, &flow->src, sizeof(flow->src));
	name = add_bytes(name, &flow->dst, sizeof(flow->dst));
	return add_bytes(name, rest, sizeof(rest));
}

static void read_flow(struct top_flow *flow, const struct nlmsghdr *message)
{
	const struct nlattr *table[WEIR_A_FLOW_RECORD_MAX + 1];

	weir_attributes(message, table, WEIR_A_FLOW_RECORD_MAX);
	flow->ifindex = nl_uint(table[WEIR_A_FLOW_RECORD_IFINDEX]);
	snprintf(flow->dev, sizeof(flow->dev), "%s",
		 nl_string(table[WEIR_A_FLOW_RECORD_IFNAME]));
	nl_addr(table[WEIR_A_FLOW_RECORD_SRC], &flow->src);
	nl_addr(table[WEIR_A_FLOW_RECORD_DST], &flow->dst);
	flow->proto = nl_uint(table[WEIR_A_FLOW_RECORD_PROTO]);
	flow->sport = nl_uint(table[WEIR_A_FLOW_RECORD_SPORT]);
	flow->dport = nl_uint(table[WEIR_A_FLOW_RECORD_DPORT]);
	flow->vlan = nl_uint(table[WEIR_A_FLOW_RECORD_VLAN]);
	flow->packets = nl_uint(table[WEIR_A_FLOW_RECORD_PACKETS]);
	flow->bytes = flow->total = nl_uint(table[WEIR_A_FLOW_RECORD_BYTES]);
	flow->gaps = nl_uint(table[WEIR_A_FLOW_RECORD_GAPS]);
	flow->reordered = nl_uint(table[WEIR_A_FLOW_RECORD_REORDERED]);
	flow->trimmed = nl_uint(table[WEIR_A_FLOW_RECORD_TRIMMED]);
	flow->name = name_of(flow, nl_uint(table[WEIR_A_FLOW_RECORD_FIRST]));
}

static int order_flows(const void *a, const void *b)
{
	const struct top_flow *one = a, *other = b;

	return one->name < other->name ? -1 : one->name > other->name;
}

/* Read the flows. A user who may not know who talks to whom sees none of them, and all the rest. */
int top_flows_take(struct sample *sample, struct weir *weir)
{
	struct nl_replies replies = {};
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *message;
	int err;

	message = weir_begin(weir, buffer, WEIR_XDP_CMD_FLOW_RECORD_GET, NLM_F_DUMP);
	nl_put_u32(message, WEIR_A_FLOW_RECORD_TOP, FLOWS_MAX);
	sample->flow = nl_list(&weir->nl, buffer, &replies, sizeof(*sample->flow), &err);
	sample->flows = sample->flow ? replies.count : 0;
	for (size_t i = 0; i < sample->flows; i++)
		read_flow(&sample->flow[i], replies.message[i]);
	if (sample->flow)
		qsort(sample->flow, sample->flows, sizeof(*sample->flow), order_flows);
	nl_replies_free(&replies);
	return err == -EPERM ? 0 : err;
}

/* Of one that was not among the others at the last look, nothing is known of the time between. */
void top_flows_since(struct sample *change, const struct sample *before)
{
	const struct top_flow *flow;
	size_t i;

	for (i = 0; i < change->flows; i++) {
		struct top_flow *now = &change->flow[i];

		flow = bsearch(now, before->flow, before->flows, sizeof(*flow), order_flows);
		now->packets -= flow ? flow->packets : now->packets;
		now->bytes -= flow ? flow->bytes : now->bytes;
	}
}

bool top_flow_has(const struct top_flow *flow, const char *text)
{
	char words[256], proto[FLOW_PROTO_TEXT], src[FLOW_END_TEXT], dst[FLOW_END_TEXT];

	snprintf(words, sizeof(words), "%s %s %s %s", flow->dev,
		 flow_proto_text(flow->proto, proto), flow_end_text(&flow->src, flow->sport, src),
		 flow_end_text(&flow->dst, flow->dport, dst));
	return strstr(words, text);
}
