// SPDX-License-Identifier: GPL-2.0
/* `weir order`: an order comes to the module first, and then the program that hands packets over. */
#include <errno.h>
#include <linux/genetlink.h>
#include <net/if.h>
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

/* The device's orders: how many, and the CPUs of all of them. */
static int look(const char *dev, unsigned int *count, struct order_cpus *cpus)
{
	struct nl_replies replies = {};
	int status = request_list(WEIR_CMD_ORDER_GET, "orders", &replies);
	size_t i;

	*count = cpus->count = 0;
	for (i = 0; !status && i < replies.count; i++) {
		const struct nlmsghdr *message = replies.message[i];

		if (strcmp(nl_string(weir_attribute(message, WEIR_A_ORDER_IFNAME)), dev))
			continue;
		++*count;
		gather(cpus, message);
	}
	nl_replies_free(&replies);
	return status;
}

/* The program in the device's chain, with entries for all of these CPUs. */
static int put_program(const char *dev, uint32_t mode, const struct order_cpus *cpus)
{
	struct program program = {};
	int status, err;

	bpf_quiet();
	status = bpf_ready();
	if (status)
		return status;
	err = order_load(cpus, &program);
	if (err)
		return program_refused(err, WEIR_ORDER_NAME);
	status = chain_put(dev, mode, WEIR_CHAIN_PRIO_ORDER, program.fd);
	program_close(&program);
	return status;
}

/* A device without packets for an order is to have none. Best effort. */
static void take_back(const struct args *args)
{
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *message;
	struct weir weir;

	if (weir_try_open(&weir))
		return;
	message = weir_begin(&weir, buffer, WEIR_CMD_ORDER_DEL, 0);
	mnl_attr_put_u32(message, WEIR_A_ORDER_IFINDEX, if_nametoindex(dev_of(args)));
	mnl_attr_put_u32(message, WEIR_A_ORDER_PRIO, args_number(args, "prio", 0));
	nl_talk(&weir.nl, buffer, NULL);
	weir_close(&weir);
}

int order_add_run(const struct args *args)
{
	struct order_cpus cpus;
	unsigned int count;
	int status = request_run(args);

	if (status)
		return status;
	status = look(dev_of(args), &count, &cpus);
	status = status ?: put_program(dev_of(args), args_number(args, "mode", 0), &cpus);
	if (status)
		take_back(args);
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
	int status = request_run(args);

	return status ?: tidy(dev_of(args));
}

int order_show_run(const struct args *args)
{
	if (args_get(args, "prio"))
		return show_run(args, true, order_print);
	return show_of_dev(args, "orders", WEIR_A_ORDER_IFNAME, order_print);
}

/* The devices that have weir's program in their chains lose it. */
int order_flush_run(const struct args *args)
{
	int status = request_run(args);

	return status ?: chain_take_all(WEIR_CHAIN_PART_ORDER);
}
