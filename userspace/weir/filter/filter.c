// SPDX-License-Identifier: GPL-2.0
/* `weir filter`: rules for the packets that a device takes in. */
#include <errno.h>
#include <limits.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include <weir_xdp_nl.h>

#include "base/device.h"
#include "base/file.h"
#include "base/print.h"
#include "base/tool.h"
#include "chain/chain.h"
#include "filter/filter.h"
#include "grammar/commands.h"
#include "program/program.h"
#include "request/request.h"
#include "request/show.h"

/**
 * struct held - devices with rules that wait for others
 * @holding: rules are held
 * @count: of @ifindex
 * @ifindex: the devices
 */
static struct held {
	bool holding;
	size_t count;
	unsigned int *ifindex;
} held;

/* The device of the command line, and the module. */
static int open_device(const struct args *args, struct weir *weir, unsigned int *ifindex)
{
	int status = device_find(args_word(args, "dev"), ifindex);

	return status ?: weir_open(weir, WEIR_XDP_CMD_FILTER_ADD);
}

static int read_rule(struct filter_rule *rule, const struct args *args, char path[static PATH_MAX])
{
	const char *set = args_word(args, "set");
	int status;

	*rule = (struct filter_rule){
		.prio = args_number(args, "prio", 0),
		.action = args_get(args, "action") ?: args_get(args, "rate"),
	};
	status = matches_read(&rule->matches, args);
	if (status || !set)
		return status;
	rule->common = args_get(args, "rule");
	rule->file = path;
	return file_find("set", set, path);
}

static void hold(unsigned int ifindex)
{
	held.ifindex = reallocarray(held.ifindex, held.count + 1, sizeof(ifindex));
	if (!held.ifindex)
		abort();
	held.ifindex[held.count++] = ifindex;
}

/* Packets come to the filter by weir's program in the device's chain. */
static int bring_packets(const struct args *args, uint32_t mode)
{
	return chain_bring(args_word(args, "dev"), mode, WEIR_XDP_CHAIN_PRIO_FILTER, WEIR_FILTER_NAME,
			   filter_load);
}

/* From its first rule on. */
static int place_first(struct weir *weir, const struct args *args, const struct filter_rule *rule)
{
	int status = bring_packets(args, args_number(args, "mode", 0));

	if (status)
		filter_ask(weir, WEIR_XDP_CMD_FILTER_FLUSH, rule->ifindex, 0, args);
	return status;
}

static bool is_held(unsigned int ifindex)
{
	size_t i;

	for (i = 0; i < held.count; i++) {
		if (held.ifindex[i] == ifindex)
			return true;
	}
	return false;
}

static int add(struct weir *weir, const struct args *args, const struct filter_rule *rule)
{
	bool first = !is_held(rule->ifindex) && !filter_there(weir, rule->ifindex);
	int status = filter_ask_rule(weir, WEIR_XDP_CMD_FILTER_ADD, rule, held.holding, args);

	if (!status && held.holding && !is_held(rule->ifindex))
		hold(rule->ifindex);
	return status || !first ? status : place_first(weir, args, rule);
}

/* Somebody may have taken the program off the device, or out of the chain. */
static int replace(struct weir *weir, const struct args *args, const struct filter_rule *rule)
{
	int status = filter_ask_rule(weir, WEIR_XDP_CMD_FILTER_SET, rule, false, args);

	return status ?: bring_packets(args, 0);
}

static int with_rule(const struct args *args,
		     int (*put)(struct weir *weir, const struct args *args,
				const struct filter_rule *rule))
{
	struct filter_rule rule;
	char path[PATH_MAX];
	struct weir weir;
	int status;

	status = read_rule(&rule, args, path);
	if (!status)
		status = open_device(args, &weir, &rule.ifindex);
	if (!status) {
		status = put(&weir, args, &rule);
		weir_close(&weir);
	}
	matches_free(&rule.matches);
	return status;
}

int filter_add_run(const struct args *args)
{
	return with_rule(args, add);
}

int filter_replace_run(const struct args *args)
{
	return with_rule(args, replace);
}

/* A rule like others, in words of its own; before all others unless it is said. */
static int guard(struct weir *weir, const struct args *args, const struct filter_rule *rule)
{
	struct filter_rule all = *rule;
	struct match any = {};

	all.prio = rule->prio ?: 1;
	if (!all.matches.count)
		all.matches = (struct matches){ 1, &any };
	return add(weir, args, &all);
}

int filter_guard_run(const struct args *args)
{
	return with_rule(args, guard);
}

int filter_sources_run(const struct args *args)
{
	return show_run(args, false, filter_source_print);
}

void filter_hold(void)
{
	held.holding = true;
}

static void forget(void)
{
	free(held.ifindex);
	memset(&held, 0, sizeof(held));
}

int filter_release(void)
{
	int status = WEIR_OK, err;
	struct weir weir = {};
	size_t i;

	if (held.count)
		status = weir_open(&weir, WEIR_XDP_CMD_FILTER_COMMIT);
	/* The rules of one device do not wait for those of another. */
	for (i = 0; weir.nl.socket && i < held.count; i++) {
		err = filter_commit(&weir, held.ifindex[i]);
		/* A device that is gone has taken its rules with it. */
		if (err && err != -ENOENT)
			status = refused(err, "the module does not let packets come to a filter: %s",
					 *weir.nl.error.text ? weir.nl.error.text : strerror(-err));
	}
	if (weir.nl.socket)
		weir_close(&weir);
	forget();
	return status;
}

/* The program goes with the last rule. */
static int settle(struct weir *weir, const char *dev, unsigned int ifindex)
{
	if (filter_there(weir, ifindex) || !chain_program_id(ifindex, WEIR_XDP_CHAIN_PRIO_FILTER))
		return WEIR_OK;
	return chain_take(dev, WEIR_XDP_CHAIN_PRIO_FILTER);
}

int filter_del_run(const struct args *args)
{
	unsigned int ifindex;
	struct weir weir;
	int status;

	status = open_device(args, &weir, &ifindex);
	if (status)
		return status;
	status = filter_ask(&weir, WEIR_XDP_CMD_FILTER_DEL, ifindex, args_number(args, "prio", 0),
			    args);
	status = status ?: settle(&weir, args_word(args, "dev"), ifindex);
	weir_close(&weir);
	return status;
}

static int flush_device(const struct args *args)
{
	unsigned int ifindex;
	struct weir weir;
	int status;

	status = open_device(args, &weir, &ifindex);
	if (status)
		return status;
	status = filter_ask(&weir, WEIR_XDP_CMD_FILTER_FLUSH, ifindex, 0, args);
	status = status ?: settle(&weir, args_word(args, "dev"), ifindex);
	weir_close(&weir);
	return status;
}

static void drop_pending(struct weir *weir, const struct nlmsghdr *message)
{
	const struct nlattr *rule[WEIR_A_FILTER_MAX + 1];
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *request;

	weir_attributes(message, rule, WEIR_A_FILTER_MAX);
	if (!rule[WEIR_A_FILTER_PENDING])
		return;
	request = weir_begin(weir, buffer, WEIR_XDP_CMD_FILTER_DEL, 0);
	nl_put_u32(request, WEIR_A_FILTER_IFINDEX, nl_uint(rule[WEIR_A_FILTER_IFINDEX]));
	nl_put_u32(request, WEIR_A_FILTER_PRIO, nl_uint(rule[WEIR_A_FILTER_PRIO]));
	nl_talk(&weir->nl, buffer, NULL);
}

void filter_drop_held(const char *dev, unsigned int ifindex)
{
	struct nl_replies replies = {};
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *request;
	struct weir weir;
	size_t i;

	forget();
	if (weir_try_open(&weir))
		return;
	request = weir_begin(&weir, buffer, WEIR_XDP_CMD_FILTER_GET, NLM_F_DUMP);
	nl_put_u32(request, WEIR_A_FILTER_IFINDEX, ifindex);
	if (nl_talk(&weir.nl, buffer, &replies))
		replies.count = 0;
	for (i = 0; i < replies.count; i++)
		drop_pending(&weir, replies.message[i]);
	nl_replies_free(&replies);
	settle(&weir, dev, ifindex);
	weir_close(&weir);
}

int filter_flush_run(const struct args *args)
{
	int status;

	if (args_word(args, "dev"))
		return flush_device(args);
	/* Programs without a filter go, too. */
	status = request_run(args);
	return status ?: chain_take_all(WEIR_XDP_CHAIN_PART_FILTER);
}

int filter_show_run(const struct args *args)
{
	return show_run(args, args_get(args, "prio"), filter_print);
}
