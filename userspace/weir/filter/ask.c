// SPDX-License-Identifier: GPL-2.0
/* Requests about filters. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <weir_xdp_nl.h>

#include "base/tool.h"
#include "filter/filter.h"
#include "request/request.h"

/* More than the attributes of a match take, of all its conditions. */
#define MATCH_BYTES 256

/* A request is sent as a whole, so the socket must have room for it. */
static int make_room(struct weir *weir, int size)
{
	int room = 2 * size;

	if (size < NL_REQUEST_SIZE ||
	    !setsockopt(mnl_socket_get_fd(weir->nl.socket), SOL_SOCKET, SO_SNDBUFFORCE, &room,
			sizeof(room)))
		return WEIR_OK;
	return refused(errno, "cannot send so many matches at once: %s; this takes CAP_NET_ADMIN, run it as root",
		       strerror(errno));
}

static void put_rule(struct nlmsghdr *message, const struct filter_rule *rule, bool more)
{
	size_t i;

	nl_put_u32(message, WEIR_A_FILTER_IFINDEX, rule->ifindex);
	if (rule->prio)
		nl_put_u32(message, WEIR_A_FILTER_PRIO, rule->prio);
	for (i = 0; i < rule->matches.count; i++)
		match_put(message, WEIR_A_FILTER_MATCH, &rule->matches.match[i]);
	if (rule->file)
		nl_put_text(message, WEIR_A_FILTER_FILE, rule->file);
	if (rule->common)
		match_put(message, WEIR_A_FILTER_COMMON, &rule->common->match);
	rule->action->key->syntax->put(message, rule->action);
	if (more)
		nl_put(message, WEIR_A_FILTER_MORE, 0, NULL);
}

int filter_ask_rule(struct weir *weir, uint8_t command, const struct filter_rule *rule, bool more,
		    const struct args *args)
{
	size_t size = NL_REQUEST_SIZE + rule->matches.count * MATCH_BYTES;
	char *buffer = calloc(1, size);
	struct nlmsghdr *message;
	int status;

	if (!buffer)
		abort();
	message = weir_begin(weir, buffer, command, 0);
	nl_room(message, size);
	put_rule(message, rule, more);
	status = request_put_attributes(message, args);
	status = status ?: make_room(weir, message->nlmsg_len);
	status = status ?: request_send(weir, buffer, args, NULL);
	free(buffer);
	return status;
}

int filter_ask(struct weir *weir, uint8_t command, unsigned int ifindex, uint32_t prio,
	       const struct args *args)
{
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *message;

	message = weir_begin(weir, buffer, command, 0);
	nl_put_u32(message, WEIR_A_FILTER_IFINDEX, ifindex);
	if (prio)
		nl_put_u32(message, WEIR_A_FILTER_PRIO, prio);
	return request_send(weir, buffer, args, NULL);
}

int filter_commit(struct weir *weir, unsigned int ifindex)
{
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *message;

	message = weir_begin(weir, buffer, WEIR_XDP_CMD_FILTER_COMMIT, 0);
	nl_put_u32(message, WEIR_A_FILTER_IFINDEX, ifindex);
	return nl_talk(&weir->nl, buffer, NULL);
}

bool filter_there(struct weir *weir, unsigned int ifindex)
{
	struct nl_replies replies = {};
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *message;
	bool there;

	message = weir_begin(weir, buffer, WEIR_XDP_CMD_FILTER_GET, 0);
	nl_put_u32(message, WEIR_A_FILTER_IFINDEX, ifindex);
	there = !nl_talk(&weir->nl, buffer, &replies);
	nl_replies_free(&replies);
	return there;
}
