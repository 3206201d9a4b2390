// SPDX-License-Identifier: GPL-2.0
/*
 * A stand-in for the module: loaded in front of libmnl, it answers the generic netlink
 * requests of the tool from files and records the requests.
 *
 * In the directory $WEIR_STAND_IN, which selftests/cli/stand-in writes and reads:
 *
 *	COMMAND.N	answers to the Nth request of that number, as netlink messages;
 *			where there is no Nth, the one before is given again
 *	events		the messages that listeners get, before the family goes
 *	former		if it is there, families have the names that older modules gave them
 *	requests	all requests, one behind the other
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weir.h>
#include <weir_trim_nl.h>
#include <weir_xdp_nl.h>

/* The families are numbered one behind the other, and so are their groups. */
#define FAMILY		0x40
#define GROUP		7
#define PORT		4242
#define COMMANDS	256

/* @queue: messages that are still to be read */
struct stand_in {
	bool listens;
	size_t used;
	char queue[1 << 20];
};

static unsigned int asked[COMMANDS];

/* Sockets that are not ours go to libmnl. */
static struct stand_in *ours[8];

static struct stand_in *find(const struct mnl_socket *socket)
{
	size_t i;

	for (i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
		if (ours[i] && (const void *)ours[i] == (const void *)socket)
			return ours[i];
	}
	return NULL;
}

static FILE *file(const char *name, const char *mode)
{
	const char *directory = getenv("WEIR_STAND_IN");
	char path[512];

	if (!directory)
		errx(1, "WEIR_STAND_IN is not set");
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return fopen(path, mode);
}

static const char *const families[] = {
	WEIR_FAMILY_NAME, WEIR_TRIM_FAMILY_NAME, WEIR_XDP_FAMILY_NAME,
};

#define FAMILIES	(sizeof(families) / sizeof(families[0]))

static const char *name_of(size_t family)
{
	static const char *const former[FAMILIES] = { "weir", "weir_trim", "weir_xdp" };
	FILE *mark = file("former", "r");

	if (!mark)
		return families[family];
	fclose(mark);
	return former[family];
}

static size_t family_of(const struct genlmsghdr *header)
{
	return header->cmd >= WEIR_XDP_CMD_CHAIN_ADD ? 2 : header->cmd >= WEIR_CMD_TRIM_SET;
}

static void append(struct stand_in *stand_in, const void *data, size_t size)
{
	if (stand_in->used + size > sizeof(stand_in->queue))
		errx(1, "the answer is too long for the stand-in");
	memcpy(stand_in->queue + stand_in->used, data, size);
	stand_in->used += size;
}

/* Addresses the messages of a file, from @start on in the queue, to the request. */
static void address(struct stand_in *stand_in, size_t start, const struct nlmsghdr *request)
{
	struct nlmsghdr *message = (void *)(stand_in->queue + start);
	int left = stand_in->used - start;

	for (; mnl_nlmsg_ok(message, left); message = mnl_nlmsg_next(message, &left)) {
		message->nlmsg_type = FAMILY + family_of(mnl_nlmsg_get_payload(message));
		message->nlmsg_seq = request ? request->nlmsg_seq : 0;
		message->nlmsg_pid = request ? PORT : 0;
	}
}

static bool append_file(struct stand_in *stand_in, const char *name, const struct nlmsghdr *request)
{
	size_t start = stand_in->used, got;
	FILE *in = file(name, "re");

	if (!in)
		return false;
	got = fread(stand_in->queue + start, 1, sizeof(stand_in->queue) - start, in);
	fclose(in);
	stand_in->used += got;
	address(stand_in, start, request);
	return true;
}

/* NLMSG_ERROR without an error, or the end of a dump; both carry a zero. */
static void append_end(struct stand_in *stand_in, const struct nlmsghdr *request)
{
	bool dump = (request->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;
	char buffer[64] __attribute__((aligned(8))) = {};
	struct nlmsghdr *message = mnl_nlmsg_put_header(buffer);

	message->nlmsg_type = dump ? NLMSG_DONE : NLMSG_ERROR;
	message->nlmsg_seq = request->nlmsg_seq;
	message->nlmsg_pid = PORT;
	mnl_nlmsg_put_extra_header(message, dump ? sizeof(int) : sizeof(struct nlmsgerr));
	append(stand_in, buffer, message->nlmsg_len);
}

static void append_control(struct stand_in *stand_in, uint8_t command, size_t family,
			   const struct nlmsghdr *request)
{
	char buffer[256] __attribute__((aligned(8))) = {};
	struct nlmsghdr *message = mnl_nlmsg_put_header(buffer);
	struct genlmsghdr *header = mnl_nlmsg_put_extra_header(message, sizeof(*header));
	struct nlattr *groups, *group;

	message->nlmsg_type = GENL_ID_CTRL;
	message->nlmsg_seq = request ? request->nlmsg_seq : 0;
	message->nlmsg_pid = request ? PORT : 0;
	header->cmd = command;
	mnl_attr_put_u16(message, CTRL_ATTR_FAMILY_ID, FAMILY + family);
	mnl_attr_put_strz(message, CTRL_ATTR_FAMILY_NAME, name_of(family));
	groups = mnl_attr_nest_start(message, CTRL_ATTR_MCAST_GROUPS);
	group = mnl_attr_nest_start(message, 1);
	mnl_attr_put_strz(message, CTRL_ATTR_MCAST_GRP_NAME, WEIR_MCGRP_EVENTS);
	mnl_attr_put_u32(message, CTRL_ATTR_MCAST_GRP_ID, GROUP + family);
	mnl_attr_nest_end(message, group);
	mnl_attr_nest_end(message, groups);
	append(stand_in, buffer, message->nlmsg_len);
}

/* All families are listed. One that is asked for by name is weir, if it is none of its modules'. */
static void answer_control(struct stand_in *stand_in, const struct nlmsghdr *request)
{
	bool dump = (request->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;
	const struct nlattr *attr;
	size_t family = 0, i;

	for (i = 0; dump && i < FAMILIES; i++)
		append_control(stand_in, CTRL_CMD_NEWFAMILY, i, request);
	if (dump)
		return;
	mnl_attr_for_each(attr, request, sizeof(struct genlmsghdr)) {
		for (i = 0; i < FAMILIES; i++) {
			if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_NAME &&
			    !strcmp(mnl_attr_get_str(attr), families[i]))
				family = i;
		}
	}
	append_control(stand_in, CTRL_CMD_NEWFAMILY, family, request);
}

static void answer(struct stand_in *stand_in, const struct nlmsghdr *request)
{
	const struct genlmsghdr *header = mnl_nlmsg_get_payload(request);
	FILE *requests = file("requests", "ae");
	unsigned int n = ++asked[header->cmd];
	char name[32];

	if (!requests || fwrite(request, request->nlmsg_len, 1, requests) != 1 || fclose(requests))
		err(1, "requests");
	for (; n; n--) {
		snprintf(name, sizeof(name), "%u.%u", header->cmd, n);
		if (append_file(stand_in, name, request))
			return;
	}
}

struct mnl_socket *mnl_socket_open2(int bus, int flags)
{
	struct mnl_socket *(*next)(int, int) = dlsym(RTLD_NEXT, "mnl_socket_open2");
	size_t i;

	for (i = 0; bus == NETLINK_GENERIC && i < sizeof(ours) / sizeof(ours[0]); i++) {
		if (ours[i])
			continue;
		ours[i] = calloc(1, sizeof(*ours[i]));
		return (struct mnl_socket *)ours[i];
	}
	return next(bus, flags);
}

int mnl_socket_bind(struct mnl_socket *socket, unsigned int groups, pid_t pid)
{
	int (*next)(struct mnl_socket *, unsigned int, pid_t) = dlsym(RTLD_NEXT, "mnl_socket_bind");

	return find(socket) ? 0 : next(socket, groups, pid);
}

int mnl_socket_setsockopt(const struct mnl_socket *socket, int type, void *data, socklen_t size)
{
	int (*next)(const struct mnl_socket *, int, void *, socklen_t) =
		dlsym(RTLD_NEXT, "mnl_socket_setsockopt");
	struct stand_in *stand_in = find(socket);

	if (!stand_in)
		return next(socket, type, data, size);
	if (type == NETLINK_ADD_MEMBERSHIP)
		stand_in->listens = true;
	return 0;
}

unsigned int mnl_socket_get_portid(const struct mnl_socket *socket)
{
	unsigned int (*next)(const struct mnl_socket *) = dlsym(RTLD_NEXT, "mnl_socket_get_portid");

	return find(socket) ? PORT : next(socket);
}

int mnl_socket_get_fd(const struct mnl_socket *socket)
{
	int (*next)(const struct mnl_socket *) = dlsym(RTLD_NEXT, "mnl_socket_get_fd");

	return find(socket) ? -1 : next(socket);
}

int mnl_socket_close(struct mnl_socket *socket)
{
	int (*next)(struct mnl_socket *) = dlsym(RTLD_NEXT, "mnl_socket_close");
	size_t i;

	if (!find(socket))
		return next(socket);
	for (i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
		if ((void *)ours[i] == (void *)socket)
			ours[i] = NULL;
	}
	free(socket);
	return 0;
}

ssize_t mnl_socket_sendto(const struct mnl_socket *socket, const void *request, size_t size)
{
	ssize_t (*next)(const struct mnl_socket *, const void *, size_t) =
		dlsym(RTLD_NEXT, "mnl_socket_sendto");
	struct stand_in *stand_in = find(socket);
	const struct nlmsghdr *message = request;

	if (!stand_in)
		return next(socket, request, size);
	if (message->nlmsg_type == GENL_ID_CTRL)
		answer_control(stand_in, message);
	else
		answer(stand_in, message);
	append_end(stand_in, message);
	return size;
}

/* One message a call, as the kernel does for requests that are no dump. */
ssize_t mnl_socket_recvfrom(const struct mnl_socket *socket, void *buffer, size_t size)
{
	ssize_t (*next)(const struct mnl_socket *, void *, size_t) =
		dlsym(RTLD_NEXT, "mnl_socket_recvfrom");
	struct stand_in *stand_in = find(socket);
	size_t length, i;

	if (!stand_in)
		return next(socket, buffer, size);
	if (!stand_in->used && stand_in->listens) {
		append_file(stand_in, "events", NULL);
		for (i = 0; i < FAMILIES; i++)
			append_control(stand_in, CTRL_CMD_DELFAMILY, i, NULL);
	}
	if (!stand_in->used)
		errx(1, "the stand-in is read without having been asked");
	length = MNL_ALIGN(((struct nlmsghdr *)stand_in->queue)->nlmsg_len);
	if (length > size || length > stand_in->used)
		errx(1, "a message of the stand-in is broken");
	memcpy(buffer, stand_in->queue, length);
	stand_in->used -= length;
	memmove(stand_in->queue, stand_in->queue + length, stand_in->used);
	return length;
}
