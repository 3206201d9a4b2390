// SPDX-License-Identifier: GPL-2.0
/* `weir job set` and `weir job show`. */
#include <weir.h>

#include "commands.h"
#include "print.h"
#include "request.h"
#include "show.h"
#include "tool.h"

void print_address(const char *label, const char *key, const struct nlattr *attr)
{
	char text[ADDR_TEXT];
	struct addr addr;

	if (!attr || !addr_from(&addr, mnl_attr_get_payload(attr),
				mnl_attr_get_payload_len(attr)))
		return;
	print_string_as(label, COLOR_ADDRESS, key, addr_text(&addr, text));
}

static void print_enum(const char *key, const struct names *names,
		       const struct nlattr *attr)
{
	if (attr)
		print_string(key, names_word(names, nl_uint(attr)));
}

static void print_number(const char *key, const struct nlattr *attr)
{
	if (attr)
		print_uint(key, nl_uint(attr));
}

static void print_config(const struct nlattr **job)
{
	print_uint_as("job", COLOR_NAME, "id", nl_uint(job[WEIR_A_JOB_ID]));
	print_enum("format", &format_names, job[WEIR_A_JOB_FORMAT]);
	print_enum("dtype", &dtype_names, job[WEIR_A_JOB_DTYPE]);
	print_enum("op", &op_names, job[WEIR_A_JOB_OP]);
	print_number("sources", job[WEIR_A_JOB_SOURCES]);
	print_number("blocks", job[WEIR_A_JOB_BLOCKS]);
	print_number("grads", job[WEIR_A_JOB_GRADS]);
	print_address(NULL, "address", job[WEIR_A_JOB_ADDRESS]);
	print_number("port", job[WEIR_A_JOB_PORT]);
	print_address(NULL, "group", job[WEIR_A_JOB_GROUP]);
	if (job[WEIR_A_JOB_TIMEOUT])
		print_micros("timeout", nl_uint(job[WEIR_A_JOB_TIMEOUT]));
	print_number("quorum", job[WEIR_A_JOB_QUORUM]);
	print_number("tree", job[WEIR_A_JOB_TREE]);
	print_address(NULL, "parent", job[WEIR_A_JOB_PARENT]);
}

void job_print(const struct nlmsghdr *message, bool brief)
{
	const struct nlattr *job[WEIR_A_JOB_MAX + 1];

	weir_attributes(message, job, WEIR_A_JOB_MAX);
	print_config(job);
	if (!brief)
		print_line(4);
	print_number("generation", job[WEIR_A_JOB_GENERATION]);
	print_number("bound", job[WEIR_A_JOB_BOUND]);
	print_number("open", job[WEIR_A_JOB_OPEN]);
	if (job[WEIR_A_JOB_MEMORY])
		print_bytes("memory", nl_uint(job[WEIR_A_JOB_MEMORY]));
	if ((!brief || opt.json) && job[WEIR_A_JOB_STATS])
		stats_print(job[WEIR_A_JOB_STATS]);
}

int job_show(const struct args *args)
{
	struct nl_replies replies = {};
	struct weir weir;
	int status;
	size_t i;

	status = weir_open(&weir);
	if (status)
		return status;
	status = request_show(&weir, args, args_get(args, "id"), &replies);
	if (!status) {
		print_list(NULL);
		for (i = 0; i < replies.count; i++) {
			print_object(NULL);
			job_print(replies.message[i], false);
			print_end();
			print_line(0);
		}
		print_done();
	}
	nl_replies_free(&replies);
	weir_close(&weir);
	return status;
}

/*
 * `group none` is an address of zeroes on the wire, which must be of the job's
 * family: the job is asked for it.
 */
static int resolve_none(struct weir *weir, struct args *args)
{
	const struct nlattr *job[WEIR_A_JOB_MAX + 1];
	struct nl_replies replies = {};
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *message;
	struct value *group;
	int status;

	group = (struct value *)args_get(args, "group");
	if (!group || !group->none)
		return WEIR_OK;
	message = weir_begin(weir, buffer, WEIR_CMD_JOB_GET, 0);
	mnl_attr_put_u32(message, WEIR_A_JOB_ID, args_number(args, "id", 0));
	status = request_send(weir, buffer, args, &replies);
	if (!status && replies.count) {
		weir_attributes(replies.message[0], job, WEIR_A_JOB_MAX);
		if (job[WEIR_A_JOB_ADDRESS])
			group->addr.len = mnl_attr_get_payload_len(job[WEIR_A_JOB_ADDRESS]) == 16 ? 16 : 4;
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
	int status;

	if (!args_get(given, "port") && !args_get(given, "group"))
		return usage(NULL, "job set has nothing to set: add `port NUMBER` or `group ADDRESS`");
	status = weir_open(&weir);
	if (status)
		return status;
	status = resolve_none(&weir, &args);
	if (!status) {
		message = weir_begin(&weir, buffer, WEIR_CMD_JOB_SET, 0);
		status = request_put(message, &args);
	}
	if (!status)
		status = request_send(&weir, buffer, &args, NULL);
	weir_close(&weir);
	return status;
}
