// SPDX-License-Identifier: GPL-2.0
/* The default that trimming policies of a namespace inherit. */
#include <errno.h>
#include <linux/genetlink.h>

#include <weir_trim_nl.h>

#include "base/tool.h"
#include "grammar/commands.h"
#include "netlink/genl.h"
#include "request/request.h"
#include "request/show.h"
#include "trim/trim.h"

static struct nlmsghdr *begin(struct weir *weir, char buffer[static NL_REQUEST_SIZE],
			      uint8_t command)
{
	struct nlmsghdr *message = weir_begin(weir, buffer, command, 0);

	nl_put(message, WEIR_A_TRIM_DEFAULT, 0, NULL);
	return message;
}

/* The attributes given before, bit i being WEIR_A_TRIM_i; none is no error. */
static int read_said(struct weir *weir, const struct args *args, uint64_t *said)
{
	struct nl_replies replies = {};
	char buffer[NL_REQUEST_SIZE];
	const struct nlattr *attr;
	int err;

	begin(weir, buffer, WEIR_CMD_TRIM_GET);
	err = nl_talk(&weir->nl, buffer, &replies);
	if (!err && replies.count)
		mnl_attr_for_each(attr, replies.message[0], sizeof(struct genlmsghdr))
			*said |= 1ull << mnl_attr_get_type(attr);
	nl_replies_free(&replies);
	return err && err != -ENOENT ? request_refused(weir, args) : WEIR_OK;
}

static int say(struct weir *weir, const struct args *args, uint64_t said,
	       struct nl_replies *replies)
{
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *message;
	int status;

	message = begin(weir, buffer, args->verb->command);
	status = trim_put(message, args, trim_replaces(args) ? UINT64_MAX : 0);
	trim_put_limits(message, args, said);
	return status ?: request_send(weir, buffer, args, replies);
}

int trim_default_set(const struct args *args)
{
	uint64_t said = 0;
	struct weir weir;
	int status;

	if (!args->count)
		return usage("size", "trim-default %s lacks what to say: add `size`, `dscp`, `rule`, `limit` or another of its keys",
			     args->verb->name);
	status = trim_check_words(args);
	status = status ?: weir_open(&weir, WEIR_CMD_TRIM_SET);
	if (status)
		return status;
	if (!trim_replaces(args))
		status = read_said(&weir, args, &said);
	status = status ?: say(&weir, args, said, NULL);
	weir_close(&weir);
	return status;
}

static int ask(const struct args *args, struct nl_replies *replies)
{
	struct weir weir;
	int status;

	status = weir_open(&weir, WEIR_CMD_TRIM_SET);
	if (status)
		return status;
	status = say(&weir, args, 0, replies);
	weir_close(&weir);
	return status;
}

int trim_default_show(const struct args *args)
{
	struct nl_replies replies = {};
	int status;

	status = ask(args, &replies);
	if (!status)
		show_replies(&replies, trim_default_print);
	nl_replies_free(&replies);
	return status;
}

int trim_default_del(const struct args *args)
{
	return ask(args, NULL);
}
