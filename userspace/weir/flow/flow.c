// SPDX-License-Identifier: GPL-2.0
/* `weir flow`: recording the flows of devices. */
#include <errno.h>
#include <string.h>

#include <weir_xdp_nl.h>

#include "base/device.h"
#include "base/tool.h"
#include "chain/chain.h"
#include "flow/flow.h"
#include "grammar/args.h"
#include "grammar/commands.h"
#include "request/request.h"
#include "request/show.h"

#define MICROS_A_MILLI 1000

/* A request about a device. Returns a negative errno, with the sentence in @weir. */
static int ask(struct weir *weir, uint8_t command, unsigned int ifindex, struct nl_replies *replies)
{
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *message = weir_begin(weir, buffer, command, 0);

	nl_put_u32(message, WEIR_A_FLOW_IFINDEX, ifindex);
	return nl_talk(&weir->nl, buffer, replies);
}

static void put_time(struct nlmsghdr *message, const struct args *args, const char *key,
		     uint16_t attr)
{
	const struct value *value = args_get(args, key);

	if (value)
		nl_put_u32(message, attr, value->number / MICROS_A_MILLI);
}

/* A number alone is no share. */
static int put_share(struct nlmsghdr *message, const struct args *args, const char *key,
		     uint16_t attr)
{
	const struct value *value = args_get(args, key);

	if (!value)
		return WEIR_OK;
	if (value->number)
		return usage(key, "%s takes a share, such as 0.3 or 30%%, or none, not '%s'", key,
			     value->word);
	nl_put_u32(message, attr, value->share);
	return WEIR_OK;
}

static int set(struct weir *weir, const struct args *args)
{
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *message = weir_begin(weir, buffer, WEIR_XDP_CMD_FLOW_SET, 0);
	int status = request_put(message, args);

	put_time(message, args, "idle", WEIR_A_FLOW_IDLE);
	put_time(message, args, "active", WEIR_A_FLOW_ACTIVE);
	status = status ?: put_share(message, args, "share", WEIR_A_FLOW_SHARE);
	status = status ?: put_share(message, args, "loss", WEIR_A_FLOW_LOSS);
	return status ?: request_send(weir, buffer, args, NULL);
}

/* Packets come to the table by weir's program in the device's chain. */
static int bring_packets(const char *dev, uint32_t mode, unsigned int ifindex)
{
	if (chain_program_id(ifindex, WEIR_XDP_CHAIN_PRIO_FLOW))
		return WEIR_OK;
	return chain_bring(dev, mode, WEIR_XDP_CHAIN_PRIO_FLOW, WEIR_FLOW_NAME, flow_load);
}

static int begin(struct weir *weir, const struct args *args)
{
	const char *dev = args_get(args, "dev")->word;
	struct nl_replies replies = {};
	unsigned int ifindex;
	bool there;
	int status;

	status = device_find(dev, &ifindex);
	if (status)
		return status;
	there = !ask(weir, WEIR_XDP_CMD_FLOW_GET, ifindex, &replies);
	nl_replies_free(&replies);
	status = set(weir, args);
	if (status)
		return status;
	status = bring_packets(dev, args_number(args, "mode", 0), ifindex);
	if (status && !there)
		ask(weir, WEIR_XDP_CMD_FLOW_DEL, ifindex, NULL);
	return status;
}

int flow_on(const struct args *args)
{
	struct weir weir;
	int status = weir_open(&weir, WEIR_XDP_CMD_FLOW_GET);

	if (status)
		return status;
	status = begin(&weir, args);
	weir_close(&weir);
	return status;
}

/* The program goes first; a table without it would look as if all was well. */
static int end(struct weir *weir, const struct args *args, const char *dev, unsigned int ifindex)
{
	int status = WEIR_OK, err;

	if (chain_program_id(ifindex, WEIR_XDP_CHAIN_PRIO_FLOW))
		status = chain_take(dev, WEIR_XDP_CHAIN_PRIO_FLOW);
	if (status)
		return status;
	err = ask(weir, WEIR_XDP_CMD_FLOW_DEL, ifindex, NULL);
	return err ? request_refused(weir, args) : WEIR_OK;
}

int flow_off(const struct args *args)
{
	const char *dev = args_get(args, "dev")->word;
	unsigned int ifindex;
	struct weir weir;
	int status;

	status = device_find(dev, &ifindex);
	status = status ?: weir_open(&weir, WEIR_XDP_CMD_FLOW_GET);
	if (status)
		return status;
	status = end(&weir, args, dev, ifindex);
	weir_close(&weir);
	return status;
}

int flow_flush(const struct args *args)
{
	const struct nlattr *table[WEIR_A_FLOW_MAX + 1];
	struct nl_replies replies = {};
	char buffer[NL_REQUEST_SIZE];
	struct weir weir;
	int status;
	size_t i;

	status = weir_open(&weir, WEIR_XDP_CMD_FLOW_GET);
	if (status)
		return status;
	weir_begin(&weir, buffer, WEIR_XDP_CMD_FLOW_GET, NLM_F_DUMP);
	status = request_send(&weir, buffer, args, &replies);
	for (i = 0; !status && i < replies.count; i++) {
		weir_attributes(replies.message[i], table, WEIR_A_FLOW_MAX);
		status = end(&weir, args, nl_string(table[WEIR_A_FLOW_IFNAME]),
			     nl_uint(table[WEIR_A_FLOW_IFINDEX]));
	}
	nl_replies_free(&replies);
	weir_close(&weir);
	return status;
}

int flow_stats(const struct args *args)
{
	return show_run(args, args_get(args, "dev"), flow_table_print);
}

/* Sorted, or all of them. */
static int read_records(struct weir *weir, const struct args *args, struct nl_replies *replies)
{
	uint32_t top = args_number(args, "top", opt.json ? 0 : FLOW_TOP);
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *message;
	int status;

	message = weir_begin(weir, buffer, WEIR_XDP_CMD_FLOW_RECORD_GET, NLM_F_DUMP);
	status = request_put(message, args);
	if (top || args_get(args, "by"))
		nl_put_u32(message, WEIR_A_FLOW_RECORD_TOP, top ?: WEIR_XDP_FLOW_TOP_MAX);
	return status ?: request_send(weir, buffer, args, replies);
}

int flow_show(const struct args *args)
{
	struct nl_replies replies = {};
	struct weir weir;
	int status;

	status = weir_open(&weir, WEIR_XDP_CMD_FLOW_GET);
	if (status)
		return status;
	status = read_records(&weir, args, &replies);
	if (!status)
		show_replies(&replies, flow_record_print);
	nl_replies_free(&replies);
	weir_close(&weir);
	return status;
}
