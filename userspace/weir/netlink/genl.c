// SPDX-License-Identifier: GPL-2.0
#include <assert.h>
#include <errno.h>
#include <linux/genetlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <weir.h>
#include <weir_trim_nl.h>
#include <weir_xdp_nl.h>

#include "netlink/genl.h"

#define QUEUE_BYTES (4 << 20)

/* "weir upgrade" speaks to older modules, too, whose families may have a former name. */
static const struct {
	const char *name;
	const char *former;
	const char *module;
	uint8_t first;
} families[FAMILIES] = {
	[FAMILY_WEIR] = { WEIR_FAMILY_NAME, "weir", "weir", WEIR_CMD_JOB_ADD },
	[FAMILY_TRIM] = { WEIR_TRIM_FAMILY_NAME, "weir_trim", "sch_weir", WEIR_CMD_TRIM_SET },
	[FAMILY_XDP] = { WEIR_XDP_FAMILY_NAME, "weir_xdp", "weir_xdp", WEIR_XDP_CMD_CHAIN_ADD },
};

static_assert((int)WEIR_CMD_MAX < (int)WEIR_CMD_TRIM_SET &&
	      (int)WEIR_CMD_TRIM_MAX < (int)WEIR_XDP_CMD_CHAIN_ADD,
	      "a command tells its family");

enum family_of weir_family(uint8_t command)
{
	enum family_of family = FAMILIES - 1;

	while (family > FAMILY_WEIR && command < families[family].first)
		family--;
	return family;
}

const char *weir_module(enum family_of family)
{
	return families[family].module;
}

bool weir_has(const struct weir *weir, uint8_t command)
{
	return weir->family[weir_family(command)].id;
}

bool weir_has_any(const struct weir *weir)
{
	int i;

	for (i = 0; i < FAMILIES; i++) {
		if (weir->family[i].id)
			return true;
	}
	return false;
}

struct nlmsghdr *genl_begin(struct nl *nl, char buffer[static NL_REQUEST_SIZE], uint16_t family,
			    uint8_t command, uint16_t flags)
{
	struct genlmsghdr *header = nl_begin(nl, buffer, family, flags);

	header->cmd = command;
	header->version = 1;
	return (struct nlmsghdr *)buffer;
}

struct nlmsghdr *weir_begin(struct weir *weir, char buffer[static NL_REQUEST_SIZE],
			    uint8_t command, uint16_t flags)
{
	enum family_of family = weir_family(command);

	if (!weir->family[family].id)
		weir->nl.absent = families[family].module;
	return genl_begin(&weir->nl, buffer, weir->family[family].id, command, flags);
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

static void take_family(const struct nlmsghdr *message, struct family *family)
{
	const struct nlattr *table[CTRL_ATTR_MAX + 1];

	weir_attributes(message, table, CTRL_ATTR_MAX);
	family->id = nl_uint(table[CTRL_ATTR_FAMILY_ID]);
	family->events = find_group(table[CTRL_ATTR_MCAST_GROUPS], WEIR_MCGRP_EVENTS);
}

int genl_find(struct nl *nl, const char *name, struct family *family)
{
	char buffer[NL_REQUEST_SIZE];
	struct nl_replies replies = {};
	int err;

	genl_begin(nl, buffer, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	nl_put_text((struct nlmsghdr *)buffer, CTRL_ATTR_FAMILY_NAME, name);
	err = nl_talk(nl, buffer, &replies);
	if (!err && !replies.count)
		err = -ENOENT;
	if (!err)
		take_family(replies.message[0], family);
	nl_replies_free(&replies);
	return err;
}

/* One of weir's, by a message of the controller about it. */
static bool find_named(const struct nlmsghdr *message, enum family_of *family)
{
	const struct nlattr *table[CTRL_ATTR_MAX + 1];
	const char *name;
	int i;

	weir_attributes(message, table, CTRL_ATTR_MAX);
	name = nl_string(table[CTRL_ATTR_FAMILY_NAME]);
	for (i = 0; i < FAMILIES; i++) {
		if (!strcmp(name, families[i].name) || !strcmp(name, families[i].former)) {
			*family = i;
			return true;
		}
	}
	return false;
}

/* All families are listed: for one that is asked for by its name, the kernel may load a module. */
static int find_all(struct weir *weir)
{
	char buffer[NL_REQUEST_SIZE];
	struct nl_replies replies = {};
	enum family_of family;
	size_t i;
	int err;

	genl_begin(&weir->nl, buffer, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, NLM_F_DUMP);
	err = nl_talk(&weir->nl, buffer, &replies);
	for (i = 0; !err && i < replies.count; i++) {
		if (find_named(replies.message[i], &family))
			take_family(replies.message[i], &weir->family[family]);
	}
	nl_replies_free(&replies);
	return err;
}

int weir_try_open(struct weir *weir)
{
	int err;

	memset(weir, 0, sizeof(*weir));
	if (module_is_single())
		return -EPROTO;
	err = nl_open(&weir->nl, NETLINK_GENERIC, sizeof(struct genlmsghdr));
	if (err)
		return err;
	err = find_all(weir);
	if (!err && weir_has_any(weir))
		return 0;
	weir_close(weir);
	return err ?: -ENOENT;
}

static int join(const struct weir *weir, int group)
{
	if (mnl_socket_setsockopt(weir->nl.socket, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)) < 0)
		return -errno;
	return 0;
}

int weir_listen(struct weir *weir)
{
	int fd = mnl_socket_get_fd(weir->nl.socket), bytes = QUEUE_BYTES, err, i;

	/* As large a queue as the system grants; beyond rmem_max only root's. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	err = join(weir, GENL_ID_CTRL);
	for (i = 0; !err && i < FAMILIES; i++) {
		if (weir->family[i].events)
			err = join(weir, weir->family[i].events);
	}
	return err;
}

bool weir_is_event(const struct weir *weir, const struct nlmsghdr *message)
{
	int i;

	for (i = 0; i < FAMILIES; i++) {
		if (weir->family[i].id && message->nlmsg_type == weir->family[i].id)
			return true;
	}
	return false;
}

int weir_came(struct weir *weir, const struct nlmsghdr *message)
{
	enum family_of family;

	if (message->nlmsg_type != GENL_ID_CTRL || weir_command(message) != CTRL_CMD_NEWFAMILY ||
	    !find_named(message, &family))
		return 0;
	take_family(message, &weir->family[family]);
	return join(weir, weir->family[family].events);
}

bool weir_gone(struct weir *weir, const struct nlmsghdr *message, enum family_of *family)
{
	if (message->nlmsg_type != GENL_ID_CTRL || weir_command(message) != CTRL_CMD_DELFAMILY ||
	    !find_named(message, family))
		return false;
	weir->family[*family] = (struct family){};
	return true;
}

void weir_close(struct weir *weir)
{
	nl_close(&weir->nl);
}
