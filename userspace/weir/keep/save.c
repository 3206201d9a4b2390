// SPDX-License-Identifier: GPL-2.0
/* `weir save`. */
#include <errno.h>
#include <linux/genetlink.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include <weir.h>
#include <weir_trim_nl.h>
#include <weir_xdp_nl.h>

#include "base/print.h"
#include "base/tool.h"
#include "chain/chain.h"
#include "flow/flow.h"
#include "filter/filter.h"
#include "order/order.h"
#include "grammar/commands.h"
#include "keep/keep.h"
#include "port/attach.h"
#include "request/show.h"
#include "trim/class.h"
#include "trim/trim.h"

struct saving {
	bool all;			/* jobs of programs, too */
	bool left_out[WEIR_JOB_ID_MAX + 1];	/* jobs of programs, or bound to a device that is gone */
	struct weir weir;
	struct nl rtnl;
	char (*from)[IF_NAMESIZE];	/* devices with the program that forwards */
	size_t froms;
};

static int dump(struct saving *saving, uint8_t command, struct nl_replies *replies)
{
	char buffer[NL_REQUEST_SIZE];
	int err;

	weir_begin(&saving->weir, buffer, command, NLM_F_DUMP);
	err = nl_talk(&saving->weir.nl, buffer, replies);
	if (!err)
		return WEIR_OK;
	return refused(err, "the module does not list its objects: %s",
		       *saving->weir.nl.error.text ? saving->weir.nl.error.text : strerror(-err));
}

static int save_all(struct saving *saving, uint8_t command,
		    void (*save)(struct saving *saving, const struct nlmsghdr *message))
{
	struct nl_replies replies = {};
	int status;
	size_t i;

	status = dump(saving, command, &replies);
	for (i = 0; !status && i < replies.count; i++) {
		save(saving, replies.message[i]);
		print_line(0);
	}
	nl_replies_free(&replies);
	return status;
}

static void save_job(struct saving *saving, const struct nlmsghdr *message)
{
	const struct nlattr *job[WEIR_A_JOB_MAX + 1], *owner;
	bool *left_out;

	weir_attributes(message, job, WEIR_A_JOB_MAX);
	owner = job[WEIR_A_JOB_OWNER];
	left_out = &saving->left_out[nl_uint(job[WEIR_A_JOB_ID]) % (WEIR_JOB_ID_MAX + 1)];
	*left_out = !saving->all && owner && nl_uint(owner) != WEIR_OWNER_ADMIN;
	if (*left_out || job_save(message))
		return;
	*left_out = true;
	warning("job %u and its sources are left out: the device that its parent is bound to is gone",
		(uint32_t)nl_uint(job[WEIR_A_JOB_ID]));
}

static void save_source(struct saving *saving, const struct nlmsghdr *message)
{
	const struct nlattr *source[WEIR_A_SOURCE_MAX + 1];

	weir_attributes(message, source, WEIR_A_SOURCE_MAX);
	if (saving->left_out[nl_uint(source[WEIR_A_SOURCE_JOB]) % (WEIR_JOB_ID_MAX + 1)] ||
	    source_save(message))
		return;
	warning("source %u of job %u is left out: the device that it is bound to is gone",
		(uint32_t)nl_uint(source[WEIR_A_SOURCE_ID]),
		(uint32_t)nl_uint(source[WEIR_A_SOURCE_JOB]));
}

static void save_port(struct saving *saving, const struct nlmsghdr *message)
{
	const struct nlattr *port[WEIR_A_PORT_MAX + 1];
	struct format_ports ports;
	int i;

	weir_attributes(message, port, WEIR_A_PORT_MAX);
	print_text("port attach");
	print_string("dev", nl_string(port[WEIR_A_PORT_IFNAME]));
	show_name("mode", &mode_names, port[WEIR_A_PORT_MODE]);
	if (formats_of(&saving->rtnl, nl_uint(port[WEIR_A_PORT_IFINDEX]),
		       nl_uint(port[WEIR_A_PORT_MODE]), &ports))
		return;
	for (i = 0; i < WEIR_FORMATS_MAX && ports.entry[i].port; i++) {
		if (ports.entry[i].format != WEIR_FORMAT_LAB_ETHERNET)
			print_uint("udp", ports.entry[i].port);
	}
}

/* Save an object of a device's chain, which has the chain's mode. @ifindex: the attribute with the device */
static void save_in_mode(struct saving *saving, const struct nlmsghdr *message, uint16_t ifindex,
			 void (*save)(const struct nlmsghdr *message, uint32_t mode))
{
	struct link link;

	if (!rtnl_link(&saving->rtnl, nl_uint(weir_attribute(message, ifindex)), &link))
		save(message, link.generic_id ? WEIR_MODE_GENERIC : WEIR_MODE_XDP);
}

/* Weir's own programs come with their ports and policies. */
static void save_place(struct saving *saving, const struct nlmsghdr *message)
{
	const struct nlattr *place[WEIR_A_CHAIN_MAX + 1];

	weir_attributes(message, place, WEIR_A_CHAIN_MAX);
	if (nl_uint(place[WEIR_A_CHAIN_PART]) != WEIR_XDP_CHAIN_PART_PROGRAM)
		return;
	if (!place[WEIR_A_CHAIN_FILE]) {
		warning("the program at prio %u of %s is left out: where it came from is not known",
			(uint32_t)nl_uint(place[WEIR_A_CHAIN_PRIO]),
			nl_string(place[WEIR_A_CHAIN_IFNAME]));
		return;
	}
	save_in_mode(saving, message, WEIR_A_CHAIN_IFINDEX, chain_save);
}

static void save_flow(struct saving *saving, const struct nlmsghdr *message)
{
	save_in_mode(saving, message, WEIR_A_FLOW_IFINDEX, flow_save);
}

static void save_rule(struct saving *saving, const struct nlmsghdr *message)
{
	save_in_mode(saving, message, WEIR_A_FILTER_IFINDEX, filter_save);
}

static void save_order(struct saving *saving, const struct nlmsghdr *message)
{
	save_in_mode(saving, message, WEIR_A_ORDER_IFINDEX, order_save);
}

static bool is_below_class(const struct qdisc *qdiscs, size_t count, const struct qdisc *child)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (trim_classes_is(&qdiscs[i]) && child->parent == (qdiscs[i].handle | 1))
			return true;
	}
	return false;
}

/* Return true if a qdisc of weir's has another one below it, which was in its place before. */
static bool keeps_child(struct saving *saving, unsigned int ifindex)
{
	struct qdisc *qdiscs;
	bool keeps = false;
	size_t count, i;

	rtnl_qdiscs(&saving->rtnl, ifindex, &qdiscs, &count);
	for (i = 0; i < count; i++)
		keeps |= qdiscs[i].parent == TRIM_QDISC_CLASS ||
			 is_below_class(qdiscs, count, &qdiscs[i]);
	free(qdiscs);
	return keeps;
}

static void save_classes(struct saving *saving, unsigned int ifindex)
{
	struct class *classes;
	char text[CLASS_TEXT];
	size_t count, i;

	trim_classes_find(&saving->rtnl, ifindex, &classes, &count);
	for (i = 0; i < count; i++)
		print_string("class", class_text(text, &classes[i]));
	free(classes);
}

static void save_trim(struct saving *saving, const struct nlmsghdr *message)
{
	struct trim trim;
	size_t i;

	trim_read(message, &trim);
	trim_save(message);
	for (i = 0; trim.hook == WEIR_TRIM_HOOK_XDP && i < saving->froms; i++)
		print_string("from", saving->from[i]);
	if (trim.hook != WEIR_TRIM_HOOK_XDP && trim.hook != WEIR_TRIM_HOOK_QDISC)
		return;
	if (keeps_child(saving, trim.ifindex))
		print_text("child keep");
	save_classes(saving, trim.ifindex);
}

static int save_default(struct saving *saving)
{
	struct nl_replies replies = {};
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *message;
	int err;

	message = weir_begin(&saving->weir, buffer, WEIR_CMD_TRIM_GET, 0);
	nl_put(message, WEIR_A_TRIM_DEFAULT, 0, NULL);
	err = nl_talk(&saving->weir.nl, buffer, &replies);
	if (!err && replies.count &&
	    mnl_nlmsg_get_payload_len(replies.message[0]) > sizeof(struct genlmsghdr)) {
		trim_default_save(replies.message[0]);
		print_line(0);
	}
	nl_replies_free(&replies);
	return err && err != -ENOENT ?
	       refused(err, "the module does not tell the default of trimming: %s",
		       strerror(-err)) : WEIR_OK;
}

static void save_pool(struct saving *saving, const struct nlmsghdr *message)
{
	(void)saving;
	trim_pool_save(message);
}

static void save_acl_rule(struct saving *saving, const struct nlmsghdr *message)
{
	(void)saving;
	trim_acl_save(message);
}

static void find_froms(struct saving *saving)
{
	struct link *links;
	struct hook hook;
	size_t count, i;

	rtnl_links(&saving->rtnl, &links, &count);
	saving->from = calloc(count ?: 1, sizeof(*saving->from));
	if (!saving->from)
		abort();
	for (i = 0; i < count; i++) {
		if (trim_forward_has(&links[i], &hook))
			snprintf(saving->from[saving->froms++], IF_NAMESIZE, "%s", links[i].name);
	}
	free(links);
}

static int save(struct saving *saving)
{
	int status;

	find_froms(saving);
	status = save_all(saving, WEIR_CMD_TRIM_POOL_GET, save_pool);
	status = status ?: save_all(saving, WEIR_CMD_TRIM_ACL_GET, save_acl_rule);
	status = status ?: save_default(saving);
	status = status ?: save_all(saving, WEIR_CMD_JOB_GET, save_job);
	status = status ?: save_all(saving, WEIR_CMD_SOURCE_GET, save_source);
	status = status ?: save_all(saving, WEIR_XDP_CMD_CHAIN_GET, save_place);
	status = status ?: save_all(saving, WEIR_XDP_CMD_FILTER_GET, save_rule);
	status = status ?: save_all(saving, WEIR_XDP_CMD_FLOW_GET, save_flow);
	status = status ?: save_all(saving, WEIR_XDP_CMD_ORDER_GET, save_order);
	status = status ?: save_all(saving, WEIR_CMD_PORT_GET, save_port);
	return status ?: save_all(saving, WEIR_CMD_TRIM_GET, save_trim);
}

/* Commands are text, whatever the output of others is. */
int keep_save(FILE *file, bool all)
{
	struct saving saving = { .all = all };
	bool json = opt.json;
	int status;

	bpf_quiet();
	status = weir_open_any(&saving.weir);
	if (status)
		return status;
	status = rtnl_open(&saving.rtnl);
	if (status) {
		weir_close(&saving.weir);
		return status;
	}
	opt.json = false;
	print_commands_to(file);
	status = save(&saving);
	print_to(NULL);
	opt.json = json;
	free(saving.from);
	nl_close(&saving.rtnl);
	weir_close(&saving.weir);
	return status;
}

int keep_read(struct batch *batch, bool all)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	int status;

	if (!file)
		abort();
	status = keep_save(file, all);
	fclose(file);
	file = size ? fmemopen(text, size, "r") : NULL;
	if (!status && file)
		status = batch_read(batch, file, "the kernel's answer");
	if (file)
		fclose(file);
	free(text);
	return status;
}

void keep_show(const struct command *command)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		abort();
	fputs("weir ", file);
	batch_print(command, file);
	fclose(file);
	print_string_as("", COLOR_NONE, NULL, text);
	print_line(0);
	free(text);
}

static void show(const struct batch *batch)
{
	size_t i;

	if (!opt.json) {
		batch_write(batch, stdout);
		return;
	}
	print_list(NULL);
	for (i = 0; i < batch->count; i++)
		keep_show(&batch->command[i]);
	print_done();
}

int save_run(const struct args *args)
{
	const char *name = NULL;
	struct batch batch = {};
	int status;

	if (args->words) {
		if (strcmp(args->word[0], "-o"))
			return usage(NULL, "save has no option %s; it takes: -o FILE", args->word[0]);
		if (args->words == 1)
			return usage("-o", "save: -o lacks its value: write -o FILE");
		if (args->words > 2)
			return usage(NULL, "save takes -o FILE, or nothing, but '%s' follows it",
				     args->word[2]);
		name = args->word[1];
	}
	status = keep_read(&batch, false);
	if (!status && name)
		status = keep_write(&batch, name);
	else if (!status)
		show(&batch);
	batch_free(&batch);
	return status;
}
