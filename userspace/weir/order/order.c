// SPDX-License-Identifier: GPL-2.0
/* `weir order`: an order comes to the module first, and then the program that hands packets over. */
#include <net/if.h>
#include <string.h>

#include <weir.h>
#include <weir_xdp_nl.h>

#include "base/tool.h"
#include "chain/chain.h"
#include "grammar/args.h"
#include "grammar/commands.h"
#include "order/order.h"
#include "netlink/rtnl.h"
#include "program/program.h"
#include "program/sender.h"
#include "request/request.h"
#include "request/show.h"

static const char *dev_of(const struct args *args)
{
	return args_get(args, "dev")->word;
}

/* Count the orders of a device. Return an exit status. */
static int count_of(const char *dev, unsigned int *count)
{
	struct nl_replies replies = {};
	int status = request_list(WEIR_XDP_CMD_ORDER_GET, "orders", &replies);
	size_t i;

	*count = 0;
	for (i = 0; !status && i < replies.count; i++)
		*count += !strcmp(nl_string(weir_attribute(replies.message[i],
							   WEIR_A_ORDER_IFNAME)), dev);
	nl_replies_free(&replies);
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
	message = weir_begin(&weir, buffer, WEIR_XDP_CMD_ORDER_DEL, 0);
	nl_put_u32(message, WEIR_A_ORDER_IFINDEX, if_nametoindex(dev_of(args)));
	nl_put_u32(message, WEIR_A_ORDER_PRIO, args_number(args, "prio", 0));
	nl_talk(&weir.nl, buffer, NULL);
	weir_close(&weir);
}

/* Return true if packets of the device are socket buffers: its XDP program is in mode generic already. */
static bool is_generic(unsigned int ifindex)
{
	struct hook hook = {};
	struct link link;
	struct nl rtnl;
	bool generic;

	if (rtnl_try_open(&rtnl))
		return false;
	generic = !rtnl_link(&rtnl, ifindex, &link) &&
		  !xdp_look(&link, WEIR_XDP_CHAIN_PRIO_ORDER, &hook) && hook.id &&
		  hook.mode == WEIR_MODE_GENERIC;
	hook_close(&hook);
	nl_close(&rtnl);
	return generic;
}

/* Frames of the driver have to have their checksums: socket buffers know that they have not. */
static int check_sender(const struct args *args)
{
	unsigned int ifindex = if_nametoindex(dev_of(args));

	if (args_number(args, "mode", 0) == WEIR_MODE_GENERIC || is_generic(ifindex))
		return WEIR_OK;
	return sender_check(dev_of(args), ifindex, "add the order with mode generic");
}

int order_add_run(const struct args *args)
{
	int status = check_sender(args) ?: request_run(args);

	if (status)
		return status;
	/* Packets come to all orders of a device by one program. */
	status = chain_bring(dev_of(args), args_number(args, "mode", 0), WEIR_XDP_CHAIN_PRIO_ORDER,
			     WEIR_ORDER_NAME, order_load);
	if (status)
		take_back(args);
	return status;
}

/* The program goes with the device's last order. */
static int tidy(const char *dev)
{
	unsigned int count;
	int status = count_of(dev, &count);

	return status || count ? status : chain_take(dev, WEIR_XDP_CHAIN_PRIO_ORDER);
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

	return status ?: chain_take_all(WEIR_XDP_CHAIN_PART_ORDER);
}
