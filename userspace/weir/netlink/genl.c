// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <linux/genetlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <weir.h>

#include "netlink/genl.h"

#define QUEUE_BYTES (4 << 20)

struct nlmsghdr *weir_begin(struct weir *weir, char buffer[static NL_REQUEST_SIZE],
			    uint8_t command, uint16_t flags)
{
	struct genlmsghdr *header = nl_begin(&weir->nl, buffer, weir->family, flags);

	header->cmd = command;
	header->version = WEIR_FAMILY_VERSION;
	return (struct nlmsghdr *)buffer;
}

uint8_t weir_command(const struct nlmsghdr *message)
{
	const struct genlmsghdr *header = mnl_nlmsg_get_payload(message);

	return header->cmd;
}

const struct nlattr *weir_attribute(const struct nlmsghdr *message, uint16_t type)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, message, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == type)
			return attr;
	}
	return NULL;
}

void weir_attributes(const struct nlmsghdr *message, const struct nlattr **table,
		     uint16_t max)
{
	nl_attributes(message, sizeof(struct genlmsghdr), table, max);
}

static uint32_t find_group(const struct nlattr *groups, const char *name)
{
	const struct nlattr *table[CTRL_ATTR_MCAST_GRP_MAX + 1];
	const struct nlattr *group;

	if (!groups)
		return 0;
	mnl_attr_for_each_nested(group, groups) {
		nl_nested(group, table, CTRL_ATTR_MCAST_GRP_MAX);
		if (!strcmp(nl_string(table[CTRL_ATTR_MCAST_GRP_NAME]), name))
			return nl_uint(table[CTRL_ATTR_MCAST_GRP_ID]);
	}
	return 0;
}

static int resolve(struct weir *weir, const char *name)
{
	const struct nlattr *table[CTRL_ATTR_MAX + 1];
	char buffer[NL_REQUEST_SIZE];
	struct nl_replies replies = {};
	struct genlmsghdr *header;
	int err;

	header = nl_begin(&weir->nl, buffer, GENL_ID_CTRL, 0);
	header->cmd = CTRL_CMD_GETFAMILY;
	header->version = 1;
	nl_put_text((struct nlmsghdr *)buffer, CTRL_ATTR_FAMILY_NAME, name);
	err = nl_talk(&weir->nl, buffer, &replies);
	if (!err && !replies.count)
		err = -ENOENT;
	if (!err) {
		weir_attributes(replies.message[0], table, CTRL_ATTR_MAX);
		weir->family = nl_uint(table[CTRL_ATTR_FAMILY_ID]);
		weir->events = find_group(table[CTRL_ATTR_MCAST_GROUPS],
					  WEIR_MCGRP_EVENTS);
	}
	nl_replies_free(&replies);
	return err;
}

int genl_try_open(struct weir *weir, const char *name)
{
	int err;

	memset(weir, 0, sizeof(*weir));
	err = nl_open(&weir->nl, NETLINK_GENERIC, sizeof(struct genlmsghdr));
	if (err)
		return err;
	err = resolve(weir, name);
	if (err)
		weir_close(weir);
	return err;
}

int weir_try_open(struct weir *weir)
{
	return genl_try_open(weir, WEIR_FAMILY_NAME);
}

int weir_listen(struct weir *weir)
{
	int fd = mnl_socket_get_fd(weir->nl.socket), bytes = QUEUE_BYTES;
	int groups[] = { weir->events, GENL_ID_CTRL };
	size_t i;

	if (!weir->events)
		return -EOPNOTSUPP;
	/* As large a queue as the system grants; beyond rmem_max only root's. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	for (i = 0; i < 2; i++) {
		if (mnl_socket_setsockopt(weir->nl.socket, NETLINK_ADD_MEMBERSHIP,
					  &groups[i], sizeof(groups[i])) < 0)
			return -errno;
	}
	return 0;
}

bool weir_gone(const struct nlmsghdr *message)
{
	const struct nlattr *table[CTRL_ATTR_MAX + 1];

	if (weir_command(message) != CTRL_CMD_DELFAMILY)
		return false;
	weir_attributes(message, table, CTRL_ATTR_MAX);
	return !strcmp(nl_string(table[CTRL_ATTR_FAMILY_NAME]), WEIR_FAMILY_NAME);
}

void weir_close(struct weir *weir)
{
	nl_close(&weir->nl);
}
