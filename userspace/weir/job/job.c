// SPDX-License-Identifier: GPL-2.0
/* `weir job add`, `weir job set` and `weir job show`. */
#include <net/if.h>

#include <weir.h>

#include "base/print.h"
#include "base/tool.h"
#include "grammar/commands.h"
#include "grammar/rate.h"
#include "job/ranks.h"
#include "request/request.h"
#include "request/show.h"

static void print_time(const char *key, const struct nlattr *attr)
{
	uint64_t micros = nl_uint(attr);

	if (!attr)
		return;
	if (opt.json || micros)
		print_micros(key, micros);
	else
		print_string(key, "never");
}

static void print_quorum(const struct nlattr *attr)
{
	uint64_t quorum = nl_uint(attr);

	if (!attr)
		return;
	if (opt.json || quorum)
		print_uint("quorum", quorum);
	else
		print_string("quorum", "all");
}

/* The policy for sources that are late, or send too much. */
static void print_policy(const struct nlattr **job)
{
	show_name("policy", &policy_names, job[WEIR_A_JOB_POLICY]);
	print_time("timeout", job[WEIR_A_JOB_TIMEOUT]);
	print_quorum(job[WEIR_A_JOB_QUORUM]);
	show_number("timers", job[WEIR_A_JOB_TIMERS]);
	if (job[WEIR_A_JOB_DEAD_AFTER])
		print_micros("dead-after", nl_uint(job[WEIR_A_JOB_DEAD_AFTER]));
	if (job[WEIR_A_JOB_REPEAT_AFTER] &&
	    (opt.json || nl_uint(job[WEIR_A_JOB_REPEAT_AFTER])))
		print_micros("repeat-after", nl_uint(job[WEIR_A_JOB_REPEAT_AFTER]));
	if (job[WEIR_A_JOB_RETAIN])
		print_unit("retain", nl_uint(job[WEIR_A_JOB_RETAIN]), "b");
	rate_print(job[WEIR_A_JOB_RATE]);
}

/* In text only where it is not an administrator. */
static void print_owner(const struct nlattr *attr)
{
	if (opt.json || (attr && nl_uint(attr) != WEIR_OWNER_ADMIN))
		show_name("owner", &owner_names, attr);
}

static void print_config(const struct nlattr **job)
{
	print_owner(job[WEIR_A_JOB_OWNER]);
	show_name("format", &format_names, job[WEIR_A_JOB_FORMAT]);
	show_name("dtype", &dtype_names, job[WEIR_A_JOB_DTYPE]);
	show_name("op", &op_names, job[WEIR_A_JOB_OP]);
	show_name("order", &order_names, job[WEIR_A_JOB_ORDER]);
	show_name("byte-order", &byte_order_names, job[WEIR_A_JOB_BYTE_ORDER]);
	show_number("sources", job[WEIR_A_JOB_SOURCES]);
	show_number("blocks", job[WEIR_A_JOB_BLOCKS]);
	show_number("grads", job[WEIR_A_JOB_GRADS]);
	show_keys(job_add_attributes, job);
	show_address(NULL, "address", job[WEIR_A_JOB_ADDRESS]);
	show_number("port", job[WEIR_A_JOB_PORT]);
	show_address(NULL, "group", job[WEIR_A_JOB_GROUP]);
	show_number("ranks", job[WEIR_A_JOB_RANKS]);
	show_address(NULL, "parent", job[WEIR_A_JOB_PARENT]);
	show_number("source", job[WEIR_A_JOB_PARENT_SOURCE]);
	show_number("parent-port", job[WEIR_A_JOB_PARENT_PORT]);
	show_device("parent-dev", "parent-ifindex", job[WEIR_A_JOB_PARENT_IFINDEX]);
	show_vlan("parent-vlan", job[WEIR_A_JOB_PARENT_VLAN]);
}

/* Nothing where all are there. */
static void print_gone(const char *key, const struct nlattr *attr)
{
	struct ranks ranks = {};

	if (!attr)
		return;
	ranks_bitmap(&ranks, attr);
	ranks_print(key, &ranks);
}

/* Print what other boxes of the job have reported. */
static void print_level(const struct nlattr **job)
{
	print_time("parent-timeout", job[WEIR_A_JOB_PARENT_TIMEOUT]);
	print_gone("dead-ranks", job[WEIR_A_JOB_DEAD_RANKS]);
	print_gone("excluded-ranks", job[WEIR_A_JOB_EXCLUDED_RANKS]);
}

void job_print(const struct nlmsghdr *message, bool brief)
{
	const struct nlattr *job[WEIR_A_JOB_MAX + 1];

	weir_attributes(message, job, WEIR_A_JOB_MAX);
	print_uint_as("job", COLOR_NAME, "id", nl_uint(job[WEIR_A_JOB_ID]));
	print_config(job);
	if (!brief)
		print_line(4);
	print_policy(job);
	if (!brief)
		print_line(4);
	show_number("generation", job[WEIR_A_JOB_GENERATION]);
	show_number("bound", job[WEIR_A_JOB_BOUND]);
	show_number("held", job[WEIR_A_JOB_HELD]);
	show_number("open", job[WEIR_A_JOB_OPEN]);
	print_level(job);
	if (job[WEIR_A_JOB_MEMORY])
		print_bytes("memory", nl_uint(job[WEIR_A_JOB_MEMORY]));
	if ((!brief || opt.json) && job[WEIR_A_JOB_STATS])
		stats_print(job[WEIR_A_JOB_STATS]);
}

bool job_save(const struct nlmsghdr *message)
{
	const struct nlattr *job[WEIR_A_JOB_MAX + 1];
	unsigned int ifindex;
	char name[IF_NAMESIZE];

	weir_attributes(message, job, WEIR_A_JOB_MAX);
	ifindex = nl_uint(job[WEIR_A_JOB_PARENT_IFINDEX]);
	if (ifindex && !if_indextoname(ifindex, name))
		return false;
	print_text("job add");
	show_number("id", job[WEIR_A_JOB_ID]);
	print_config(job);
	print_policy(job);
	return true;
}

int job_show(const struct args *args)
{
	return show_run(args, args_get(args, "id"), job_print);
}

static uint32_t share_of(uint32_t sources, uint32_t millionths)
{
	return ((uint64_t)sources * millionths + 999999) / 1000000;
}

int job_add(const struct args *given)
{
	struct args args = *given;
	struct value *quorum = args_find(&args, "quorum");

	if (quorum && quorum->share)
		quorum->number = share_of(args_number(&args, "sources", 0), quorum->share);
	return request_run(&args);
}

/*
 * `group none` is an address of zeroes on the wire, which must be of the job's
 * family, and a share is one of its sources: so the tool reads the job first
 * for both.
 */
static int resolve(struct weir *weir, struct args *args)
{
	struct value *quorum = args_find(args, "quorum"), *group = args_find(args, "group");
	const struct nlattr *job[WEIR_A_JOB_MAX + 1];
	struct nl_replies replies = {};
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *message;
	int status;

	if (!(group && group->none) && !(quorum && quorum->share))
		return WEIR_OK;
	message = weir_begin(weir, buffer, WEIR_CMD_JOB_GET, 0);
	nl_put_u32(message, WEIR_A_JOB_ID, args_number(args, "id", 0));
	status = request_send(weir, buffer, args, &replies);
	if (!status && replies.count) {
		weir_attributes(replies.message[0], job, WEIR_A_JOB_MAX);
		if (group && group->none && job[WEIR_A_JOB_ADDRESS])
			group->addr.len = mnl_attr_get_payload_len(job[WEIR_A_JOB_ADDRESS]);
		if (quorum && quorum->share)
			quorum->number = share_of(nl_uint(job[WEIR_A_JOB_SOURCES]), quorum->share);
	}
	nl_replies_free(&replies);
	return status;
}

int job_set(const struct args *given)
{
	char buffer[NL_REQUEST_SIZE];
	struct args args = *given;
	struct nlmsghdr *message;
	struct weir weir;
	char keys[256];
	int status;

	if (args.count == 1) {
		grammar_keys(args.verb, keys, sizeof(keys));
		return usage(NULL, "job set has nothing to set; it takes: %s", keys);
	}
	status = weir_open(&weir, WEIR_CMD_JOB_SET);
	if (status)
		return status;
	status = resolve(&weir, &args);
	if (!status) {
		message = weir_begin(&weir, buffer, WEIR_CMD_JOB_SET, 0);
		status = request_put(message, &args);
	}
	if (!status)
		status = request_send(&weir, buffer, &args, NULL);
	weir_close(&weir);
	return status;
}
