// SPDX-License-Identifier: GPL-2.0
/*
 * Attributes of requests. Until a request is sent its sequence number is the size of its buffer, and its
 * port number is not zero if an attribute found no room there.
 */
#include <string.h>

#include "netlink/nl.h"

void nl_room(struct nlmsghdr *message, uint32_t size)
{
	message->nlmsg_seq = size;
	message->nlmsg_pid = 0;
}

bool nl_is_short(const struct nlmsghdr *message)
{
	return message->nlmsg_pid;
}

void nl_put(struct nlmsghdr *message, uint16_t type, size_t len, const void *data)
{
	if (len > UINT16_MAX - MNL_ATTR_HDRLEN ||
	    !mnl_attr_put_check(message, message->nlmsg_seq, type, len, data))
		message->nlmsg_pid = 1;
}

void nl_put_u32(struct nlmsghdr *message, uint16_t type, uint32_t number)
{
	nl_put(message, type, sizeof(number), &number);
}

void nl_put_u64(struct nlmsghdr *message, uint16_t type, uint64_t number)
{
	nl_put(message, type, sizeof(number), &number);
}

void nl_put_text(struct nlmsghdr *message, uint16_t type, const char *text)
{
	nl_put(message, type, strlen(text) + 1, text);
}

struct nlattr *nl_nest(struct nlmsghdr *message, uint16_t type)
{
	struct nlattr *nest = mnl_attr_nest_start_check(message, message->nlmsg_seq, type);

	if (!nest)
		message->nlmsg_pid = 1;
	return nest;
}

void nl_nest_end(struct nlmsghdr *message, struct nlattr *nest)
{
	if (nest)
		mnl_attr_nest_end(message, nest);
}
