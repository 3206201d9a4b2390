// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "netlink/nl.h"

#define RECEIVE_SIZE 65536
#define DUMP_TRIES 20

int nl_open(struct nl *nl, int protocol, size_t header)
{
	int on = 1, err;

	memset(nl, 0, sizeof(*nl));
	nl->header = MNL_ALIGN(header);
	nl->socket = mnl_socket_open2(protocol, SOCK_CLOEXEC);
	if (!nl->socket)
		return -errno;
	if (mnl_socket_bind(nl->socket, 0, MNL_SOCKET_AUTOPID) < 0) {
		err = -errno;
		nl_close(nl);
		return err;
	}
	/*
	 * With each the kernel reports more or checks more; a kernel without the
	 * option still serves.
	 */
	mnl_socket_setsockopt(nl->socket, NETLINK_EXT_ACK, &on, sizeof(on));
	mnl_socket_setsockopt(nl->socket, NETLINK_CAP_ACK, &on, sizeof(on));
	mnl_socket_setsockopt(nl->socket, NETLINK_GET_STRICT_CHK, &on, sizeof(on));
	nl->seq = time(NULL);
	return 0;
}

void nl_close(struct nl *nl)
{
	if (nl->socket)
		mnl_socket_close(nl->socket);
	nl->socket = NULL;
}

void *nl_begin(struct nl *nl, char buffer[static NL_REQUEST_SIZE], uint16_t type,
	       uint16_t flags)
{
	struct nlmsghdr *message;

	memset(buffer, 0, NL_REQUEST_SIZE);
	message = mnl_nlmsg_put_header(buffer);
	message->nlmsg_type = type;
	message->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
	nl_room(message, NL_REQUEST_SIZE);
	return mnl_nlmsg_put_extra_header(message, nl->header);
}

/* Return the type of the top-level attribute of the request that lies at this offset, or 0. */
static uint16_t attribute_at(const struct nlmsghdr *request, size_t header, uint32_t offset)
{
	const char *at = (const char *)request + offset;
	const struct nlattr *attr;

	mnl_attr_for_each(attr, request, header) {
		const char *start = (const char *)attr;

		if (at >= start && at < start + MNL_ALIGN(attr->nla_len))
			return mnl_attr_get_type(attr);
	}
	return 0;
}

static void parse_policy(struct nl_error *error, const struct nlattr *policy)
{
	const struct nlattr *table[NL_POLICY_TYPE_ATTR_MAX + 1];

	nl_nested(policy, table, NL_POLICY_TYPE_ATTR_MAX);
	if (!table[NL_POLICY_TYPE_ATTR_MAX_VALUE_U])
		return;
	error->ranged = true;
	error->min = nl_uint(table[NL_POLICY_TYPE_ATTR_MIN_VALUE_U]);
	error->max = nl_uint(table[NL_POLICY_TYPE_ATTR_MAX_VALUE_U]);
}

/* The extended acknowledgment: attributes from here to the message's end. */
static void parse_extack(struct nl *nl, const struct nlmsghdr *request,
			 const struct nlmsghdr *message, size_t skip)
{
	const struct nlattr *table[NLMSGERR_ATTR_MAX + 1];
	struct nl_error *error = &nl->error;

	if (!(message->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	nl_attributes(message, skip, table, NLMSGERR_ATTR_MAX);
	if (table[NLMSGERR_ATTR_MSG])
		strncpy(error->text, nl_string(table[NLMSGERR_ATTR_MSG]), NL_TEXT_SIZE - 1);
	if (table[NLMSGERR_ATTR_OFFS])
		error->attr = attribute_at(request, nl->header,
					   nl_uint(table[NLMSGERR_ATTR_OFFS]));
	if (table[NLMSGERR_ATTR_MISS_TYPE])
		error->missing = nl_uint(table[NLMSGERR_ATTR_MISS_TYPE]);
	if (table[NLMSGERR_ATTR_POLICY])
		parse_policy(error, table[NLMSGERR_ATTR_POLICY]);
}

static int parse_error(struct nl *nl, const struct nlmsghdr *request,
		       const struct nlmsghdr *message)
{
	const struct nlmsgerr *answer = mnl_nlmsg_get_payload(message);
	size_t skip = sizeof(*answer);

	if (mnl_nlmsg_get_payload_len(message) < sizeof(*answer))
		return -EBADMSG;
	if (!answer->error)
		return 0;
	if (!(message->nlmsg_flags & NLM_F_CAPPED) &&
	    answer->msg.nlmsg_len > sizeof(answer->msg))
		skip += MNL_ALIGN(answer->msg.nlmsg_len) - sizeof(answer->msg);
	parse_extack(nl, request, message, skip);
	return answer->error;
}

static int parse_done(struct nl *nl, const struct nlmsghdr *request,
		      const struct nlmsghdr *message)
{
	int err = 0;

	if (mnl_nlmsg_get_payload_len(message) < sizeof(err))
		return 0;
	memcpy(&err, mnl_nlmsg_get_payload(message), sizeof(err));
	if (err < 0)
		parse_extack(nl, request, message, sizeof(err));
	return err < 0 ? err : 0;
}

static void keep(struct nl_replies *replies, const struct nlmsghdr *message)
{
	struct nlmsghdr **grown;
	struct nlmsghdr *copy;

	if (!replies)
		return;
	grown = reallocarray(replies->message, replies->count + 1, sizeof(*grown));
	copy = malloc(message->nlmsg_len);
	if (!grown || !copy)
		abort();
	memcpy(copy, message, message->nlmsg_len);
	grown[replies->count++] = copy;
	replies->message = grown;
}

void nl_replies_free(struct nl_replies *replies)
{
	size_t i;

	for (i = 0; i < replies->count; i++)
		free(replies->message[i]);
	free(replies->message);
	replies->message = NULL;
	replies->count = 0;
}

/*
 * Reads until the request is answered in full. A dump ends with NLMSG_DONE, all else
 * with NLMSG_ERROR, as the request has NLM_F_ACK.
 */
static int answers(struct nl *nl, const struct nlmsghdr *request,
		   struct nl_replies *replies, bool *interrupted)
{
	static char buffer[RECEIVE_SIZE] __attribute__((aligned(8)));
	uint32_t port = mnl_socket_get_portid(nl->socket);

	for (;;) {
		ssize_t got = mnl_socket_recvfrom(nl->socket, buffer, sizeof(buffer));
		const struct nlmsghdr *message = (const void *)buffer;
		int left = got;

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		for (; mnl_nlmsg_ok(message, left); message = mnl_nlmsg_next(message, &left)) {
			if (message->nlmsg_seq != request->nlmsg_seq ||
			    message->nlmsg_pid != port)
				continue;
			if (message->nlmsg_flags & NLM_F_DUMP_INTR)
				*interrupted = true;
			if (message->nlmsg_type == NLMSG_ERROR)
				return parse_error(nl, request, message);
			if (message->nlmsg_type == NLMSG_DONE)
				return parse_done(nl, request, message);
			if (message->nlmsg_type >= NLMSG_MIN_TYPE)
				keep(replies, message);
		}
	}
}

static int talk_once(struct nl *nl, struct nlmsghdr *request,
		     struct nl_replies *replies, bool *interrupted)
{
	memset(&nl->error, 0, sizeof(nl->error));
	request->nlmsg_seq = ++nl->seq;
	if (mnl_socket_sendto(nl->socket, request, request->nlmsg_len) < 0)
		return -errno;
	return answers(nl, request, replies, interrupted);
}

/*
 * Answer for a module that is not loaded: it has no objects, and makes none. Return 0 for a dump, or -ENOENT
 * with nl->error filled.
 */
static int refuse_absent(struct nl *nl, const struct nlmsghdr *request)
{
	const char *module = nl->absent;

	nl->absent = NULL;
	memset(&nl->error, 0, sizeof(nl->error));
	if ((request->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP)
		return 0;
	nl->error.err = ENOENT;
	snprintf(nl->error.text, sizeof(nl->error.text),
		 NL_ABSENT, module, module);
	return -ENOENT;
}

int nl_talk(struct nl *nl, char *buffer, struct nl_replies *replies)
{
	struct nlmsghdr *request = (struct nlmsghdr *)buffer;
	int try, err = 0;

	if (nl->absent)
		return refuse_absent(nl, request);
	if (nl_is_short(request)) {
		memset(&nl->error, 0, sizeof(nl->error));
		nl->error.err = EMSGSIZE;
		strcpy(nl->error.text, "the request is too long");
		return -EMSGSIZE;
	}
	for (try = 0; try < DUMP_TRIES; try++) {
		bool interrupted = false;

		err = talk_once(nl, request, replies, &interrupted);
		if (!err && !interrupted)
			return 0;
		if (replies)
			nl_replies_free(replies);
		if (err)
			break;
		err = -EINTR;
	}
	nl->error.err = -err;
	if (err == -EINTR)
		strcpy(nl->error.text, "the list kept changing while it was read; try again");
	return err;
}

void *nl_list(struct nl *nl, char *buffer, struct nl_replies *replies, size_t size, int *err)
{
	void *room = NULL;

	*err = nl_talk(nl, buffer, replies);
	if (!*err) {
		room = calloc(replies->count ?: 1, size ?: 1);
		if (!room)
			*err = -ENOMEM;
	}
	return room;
}

void nl_attributes(const struct nlmsghdr *message, size_t header,
		   const struct nlattr **table, uint16_t max)
{
	const struct nlattr *attr;

	memset(table, 0, (max + 1) * sizeof(*table));
	mnl_attr_for_each(attr, message, header) {
		if (mnl_attr_get_type(attr) <= max)
			table[mnl_attr_get_type(attr)] = attr;
	}
}

void nl_nested(const struct nlattr *nest, const struct nlattr **table, uint16_t max)
{
	const struct nlattr *attr;

	memset(table, 0, (max + 1) * sizeof(*table));
	if (!nest)
		return;
	mnl_attr_for_each_nested(attr, nest) {
		if (mnl_attr_get_type(attr) <= max)
			table[mnl_attr_get_type(attr)] = attr;
	}
}

uint64_t nl_uint(const struct nlattr *attr)
{
	uint64_t wide;

	if (!attr)
		return 0;
	switch (mnl_attr_get_payload_len(attr)) {
	case 8:
		memcpy(&wide, mnl_attr_get_payload(attr), sizeof(wide));
		return wide;
	case 4:
		return mnl_attr_get_u32(attr);
	case 2:
		return mnl_attr_get_u16(attr);
	case 1:
		return mnl_attr_get_u8(attr);
	default:
		return 0;
	}
}

/* Strings end with a zero byte by the kernel's policy; others read as empty. */
const char *nl_string(const struct nlattr *attr)
{
	const char *text;
	size_t len;

	if (!attr)
		return "";
	text = mnl_attr_get_payload(attr);
	len = mnl_attr_get_payload_len(attr);
	return len && !text[len - 1] ? text : "";
}
