// SPDX-License-Identifier: GPL-2.0
/* `weir order`: an order comes to the module first, and then the program that hands packets over. */
#include <errno.h>
#include <linux/genetlink.h>
#include <string.h>

#include <weir.h>

#include "base/tool.h"
#include "chain/chain.h"
#include "grammar/args.h"
#include "grammar/commands.h"
#include "order/order.h"
#include "program/program.h"
#include "request/request.h"
#include "request/show.h"

static const char *dev_of(const struct args *args)
{
	return args_get(args, "dev")->word;
}

static void gather(struct order_cpus *cpus, const struct nlmsghdr *message)
{
	const struct nlattr *attr;
	unsigned int i;

	mnl_attr_for_each(attr, message, sizeof(struct genlmsghdr)) {
		uint32_t cpu = nl_uint(attr);

		if (mnl_attr_get_type(attr) != WEIR_A_ORDER_CPU)
			continue;
		for (i = 0; i < cpus->count && cpus->cpu[i] != cpu; i++)
			;
		if (i == cpus->count)
			cpus->cpu[cpus->count++] = cpu;
	}
}

static int dump(uint8_t command, const char *what, struct nl_replies *replies)
{
	char buffer[NL_REQUEST_SIZE];
	struct weir weir;
	int status, err;

	status = weir_open(&weir);
	if (status)
		return status;
	weir_begin(&weir, buffer, command, NLM_F_DUMP);
	err = nl_talk(&weir.nl, buffer, replies);
	weir_close(&weir);
	return err ? refused(err, "the module does not list its %s: %s", what, strerror(-err)) : WEIR_OK;
}

/* Is it of this device, or is no device asked for? */
static bool is_of(const struct nlmsghdr *message, const char *dev)
{
	const struct nlattr *order[WEIR_A_ORDER_MAX + 1];

	weir_attributes(message, order, WEIR_A_ORDER_MAX);
	return !dev || !strcmp(nl_string(order[WEIR_A_ORDER_IFNAME]), dev);
}

/* The device's orders: how many, and the CPUs of all of them. */
static int look(const char *dev, unsigned int *count, struct order_cpus *cpus)
{
	struct nl_replies replies = {};
	int status = dump(WEIR_CMD_ORDER_GET, "orders", &replies);
	size_t i;

	*count = cpus->count = 0;
	for (i = 0; !status && i < replies.count; i++) {
		if (!is_of(replies.message[i], dev))
			continue;
		++*count;
		gather(cpus, replies.message[i]);
	}
	nl_replies_free(&replies);
	return status;
}

/* The program in the device's chain, with entries for all of these CPUs. */
static int put_program(const char *dev, uint32_t mode, const struct order_cpus *cpus)
{
	struct chain_program member = { .frags = true };
	struct program program = {};
	int status, err;

	bpf_quiet();
	status = bpf_ready();
	if (status)
		return status;
	err = order_load(cpus, &program);
	if (err)
		return program_refused(err, WEIR_ORDER_NAME);
	member.fd = program.fd;
	status = chain_put(dev, mode, WEIR_CHAIN_PRIO_ORDER, &member);
	program_close(&program);
	return status;
}

static int ask(const struct args *args, uint8_t command, bool all)
{
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *message;
	struct weir weir;
	int status;
	size_t i;

	status = weir_open(&weir);
	if (status)
		return status;
	message = weir_begin(&weir, buffer, command, 0);
	if (all)
		status = request_put(message, args);
	for (i = 0; !all && i < args->count; i++) {
		const struct args one = { .count = 1, .value = { args->value[i] } };
		const char *name = args->value[i].key->name;

		if (!strcmp(name, "dev") || !strcmp(name, "prio"))
			status = status ?: request_put(message, &one);
	}
	status = status ?: request_send(&weir, buffer, args, NULL);
	weir_close(&weir);
	return status;
}

int order_add_run(const struct args *args)
{
	struct order_cpus cpus;
	unsigned int count;
	int status = ask(args, WEIR_CMD_ORDER_ADD, true);

	if (status)
		return status;
	status = look(dev_of(args), &count, &cpus);
	status = status ?: put_program(dev_of(args), args_number(args, "mode", 0), &cpus);
	if (status)
		ask(args, WEIR_CMD_ORDER_DEL, false);
	return status;
}

/* The program goes with the device's last order. */
static int tidy(const char *dev)
{
	struct order_cpus cpus;
	unsigned int count;
	int status = look(dev, &count, &cpus);

	return status || count ? status : chain_take(dev, WEIR_CHAIN_PRIO_ORDER);
}

int order_del_run(const struct args *args)
{
	int status = ask(args, WEIR_CMD_ORDER_DEL, true);

	return status ?: tidy(dev_of(args));
}

int order_show_run(const struct args *args)
{
	const struct value *dev = args_get(args, "dev");
	struct nl_replies replies = {};
	int status;
	size_t i;

	if (args_get(args, "prio"))
		return show_run(args, true, order_print);
	status = dump(WEIR_CMD_ORDER_GET, "orders", &replies);
	if (!status)
		print_list(NULL);
	for (i = 0; !status && i < replies.count; i++) {
		if (!is_of(replies.message[i], dev ? dev->word : NULL))
			continue;
		print_object(NULL);
		order_print(replies.message[i], false);
		print_end();
		print_line(0);
	}
	if (!status)
		print_done();
	nl_replies_free(&replies);
	return status;
}

/* The devices that have weir's program in their chains lose it. */
static int take_programs(void)
{
	const struct nlattr *place[WEIR_A_CHAIN_MAX + 1];
	struct nl_replies replies = {};
	int status = dump(WEIR_CMD_CHAIN_GET, "chains", &replies);
	size_t i;

	for (i = 0; !status && i < replies.count; i++) {
		weir_attributes(replies.message[i], place, WEIR_A_CHAIN_MAX);
		if (nl_uint(place[WEIR_A_CHAIN_PART]) == WEIR_CHAIN_PART_ORDER)
			status = chain_take(nl_string(place[WEIR_A_CHAIN_IFNAME]), WEIR_CHAIN_PRIO_ORDER);
	}
	nl_replies_free(&replies);
	return status;
}

int order_flush_run(const struct args *args)
{
	int status = request_run(args);

	return status ?: take_programs();
}
