// SPDX-License-Identifier: GPL-2.0
/* `weir port show`, `weir port detach` and `weir port flush`. */
#include <errno.h>
#include <string.h>

#include <weir.h>
#include <weir_wire.h>

#include "base/device.h"
#include "base/print.h"
#include "base/tool.h"
#include "grammar/commands.h"
#include "port/attach.h"
#include "request/request.h"
#include "request/show.h"

void port_print(const struct nlmsghdr *message)
{
	const struct nlattr *port[WEIR_A_PORT_MAX + 1];

	weir_attributes(message, port, WEIR_A_PORT_MAX);
	print_string_as("port", COLOR_NAME, "dev", nl_string(port[WEIR_A_PORT_IFNAME]));
	print_uint("ifindex", nl_uint(port[WEIR_A_PORT_IFINDEX]));
	if (port[WEIR_A_PORT_MODE])
		print_string("mode", names_word(&mode_names, nl_uint(port[WEIR_A_PORT_MODE])));
}

void port_print_stats(const struct nlmsghdr *message)
{
	const struct nlattr *port[WEIR_A_PORT_MAX + 1];

	weir_attributes(message, port, WEIR_A_PORT_MAX);
	if (port[WEIR_A_PORT_STATS])
		stats_print(port[WEIR_A_PORT_STATS]);
}

/* The ports that the program listens to, where it may be read. */
static void print_formats(struct nl *rtnl, const struct nlmsghdr *message)
{
	const struct nlattr *port[WEIR_A_PORT_MAX + 1];
	struct format_ports ports;
	int i;

	weir_attributes(message, port, WEIR_A_PORT_MAX);
	if (formats_of(rtnl, nl_uint(port[WEIR_A_PORT_IFINDEX]),
		       nl_uint(port[WEIR_A_PORT_MODE]), &ports))
		return;
	print_list("udp");
	for (i = 0; i < WEIR_FORMATS_MAX && ports.entry[i].port; i++) {
		if (ports.entry[i].format != WEIR_FORMAT_LAB_ETHERNET)
			print_uint("udp", ports.entry[i].port);
	}
	print_end();
	if (formats_have(&ports, WEIR_LAB_ETHERTYPE, WEIR_FORMAT_LAB_ETHERNET))
		print_string("ethertype", "0x8777");
}

/* Print the mode that is the best for the device, whichever the port has. */
static void print_choice(struct nl *rtnl, const struct nlmsghdr *message)
{
	const struct nlattr *port[WEIR_A_PORT_MAX + 1];
	struct choice choice;
	struct link link;

	weir_attributes(message, port, WEIR_A_PORT_MAX);
	if (rtnl_link(rtnl, nl_uint(port[WEIR_A_PORT_IFINDEX]), &link))
		return;
	port_choose(&link, &choice);
	print_line(4);
	print_string("best", names_word(&mode_names, choice.mode));
	print_string_as("as", COLOR_NONE, "why", choice.why);
}

static int show_ports(struct weir *weir, struct nl *rtnl, const struct args *args)
{
	struct nl_replies replies = {};
	int status;
	size_t i;

	status = request_show(weir, args, args_get(args, "dev"), &replies);
	if (!status) {
		print_list(NULL);
		for (i = 0; i < replies.count; i++) {
			print_object(NULL);
			port_print(replies.message[i]);
			print_formats(rtnl, replies.message[i]);
			print_choice(rtnl, replies.message[i]);
			port_print_stats(replies.message[i]);
			print_end();
			print_line(0);
		}
		print_done();
	}
	nl_replies_free(&replies);
	return status;
}

/* Takes our program off a device. @any: there was one */
static int remove_program(struct nl *rtnl, unsigned int ifindex, bool *any)
{
	struct attached attached;
	int status;

	*any = false;
	status = attached_look(rtnl, ifindex, &attached);
	if (!status)
		status = attached_remove(rtnl, &attached, any);
	attached_free(&attached);
	return status;
}

/*
 * The program goes first: without it the device hands nothing over. A device
 * that lost its port or its program in another way is cleaned of the rest.
 */
static int detach_device(struct weir *weir, struct nl *rtnl, const struct args *args)
{
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *message;
	unsigned int ifindex;
	int status, err;
	bool any;

	status = device_find(args_get(args, "dev")->word, &ifindex);
	if (status)
		return status;
	status = remove_program(rtnl, ifindex, &any);
	if (status)
		return status;
	message = weir_begin(weir, buffer, WEIR_CMD_PORT_DEL, 0);
	nl_put_u32(message, WEIR_A_PORT_IFINDEX, ifindex);
	err = nl_talk(&weir->nl, buffer, NULL);
	if (!err || (err == -ENOENT && any))
		return WEIR_OK;
	return request_refused(weir, args);
}

static int detach_ports(struct weir *weir, struct nl *rtnl, const struct args *args)
{
	const struct nlattr *port[WEIR_A_PORT_MAX + 1];
	struct nl_replies replies = {};
	char buffer[NL_REQUEST_SIZE];
	int status;
	size_t i;
	bool any;

	weir_begin(weir, buffer, WEIR_CMD_PORT_GET, NLM_F_DUMP);
	status = request_send(weir, buffer, args, &replies);
	for (i = 0; !status && i < replies.count; i++) {
		weir_attributes(replies.message[i], port, WEIR_A_PORT_MAX);
		status = remove_program(rtnl, nl_uint(port[WEIR_A_PORT_IFINDEX]), &any);
	}
	nl_replies_free(&replies);
	if (status)
		return status;
	weir_begin(weir, buffer, WEIR_CMD_PORT_FLUSH, 0);
	return request_send(weir, buffer, args, NULL);
}

static int with_sockets(const struct args *args,
			int (*run)(struct weir *, struct nl *, const struct args *))
{
	struct weir weir;
	struct nl rtnl;
	int status;

	bpf_quiet();
	status = weir_open(&weir, WEIR_CMD_PORT_GET);
	if (status)
		return status;
	status = rtnl_open(&rtnl);
	if (!status) {
		status = run(&weir, &rtnl, args);
		nl_close(&rtnl);
	}
	weir_close(&weir);
	return status;
}

int port_show(const struct args *args)
{
	return with_sockets(args, show_ports);
}

int port_detach(const struct args *args)
{
	return with_sockets(args, detach_device);
}

int port_flush(const struct args *args)
{
	return with_sockets(args, detach_ports);
}
