// SPDX-License-Identifier: GPL-2.0
/*
 * `weir trim fdb`: what a bridge has learned, told to the XDP program that forwards.
 *
 * With `follow` every change in the bridge, or in who has the program, is answered by
 * a look at all of it: what was missed then does no harm. When it is interrupted it
 * takes its entries away, since nobody would any more when a station moves.
 */
#define _GNU_SOURCE
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bridge.h"
#include "commands.h"
#include "request.h"
#include "tool.h"
#include "trim.h"

#define MAP_NAME	"weir_fdb"
#define MAPS_MAX	64
#define KEYS_STEP	1024

/**
 * struct copy - a run of it
 * @events: hears of changes
 */
struct copy {
	const char *dev;
	unsigned int bridge;
	struct nl rtnl;
	struct nl events;
};

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

/* The map of a program, by its name; -ENOENT where it has none. */
static int map_of(int program)
{
	__u32 ids[MAPS_MAX], len, count, i;
	struct bpf_prog_info info = {
		.nr_map_ids = MAPS_MAX,
		.map_ids = (uintptr_t)ids,
	};

	len = sizeof(info);
	if (bpf_obj_get_info_by_fd(program, &info, &len))
		return -errno;
	count = info.nr_map_ids < MAPS_MAX ? info.nr_map_ids : MAPS_MAX;
	for (i = 0; i < count; i++) {
		struct bpf_map_info map = {};
		int fd = bpf_map_get_fd_by_id(ids[i]);

		len = sizeof(map);
		if (fd < 0)
			return -errno;
		if (!bpf_obj_get_info_by_fd(fd, &map, &len) && !strcmp(map.name, MAP_NAME))
			return fd;
		close(fd);
	}
	return -ENOENT;
}

/* The map of the namespace's program; -ENODEV where no device has the program. */
static int open_map(struct nl *rtnl)
{
	unsigned int devices;
	int program, err;

	err = trim_forward_find(rtnl, &program, &devices);
	if (!err && program < 0)
		err = -ENODEV;
	if (!err)
		err = map_of(program);
	if (program >= 0)
		close(program);
	return err;
}

/* All keys, as the map must not change while one goes through it. */
static int read_keys(int map, struct weir_fdb_key **keys, size_t *count)
{
	struct weir_fdb_key *list = NULL, *more;
	size_t used = 0, room = 0;

	for (;;) {
		if (used == room) {
			room += KEYS_STEP;
			more = realloc(list, room * sizeof(*list));
			if (!more) {
				free(list);
				return -ENOMEM;
			}
			list = more;
		}
		if (bpf_map_get_next_key(map, used ? &list[used - 1] : NULL, &list[used]))
			break;
		used++;
	}
	*keys = list;
	*count = used;
	return 0;
}

/* A key is the bridge's where frames come in by one of its ports, or by no port at all. */
static bool is_ours(const struct copy *copy, const struct link *links, size_t count,
		    const struct weir_fdb_key *key)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (links[i].ifindex == key->ifindex)
			return !links[i].master || links[i].master == copy->bridge;
	}
	return true;
}

static int drop_others(struct copy *copy, int map, const struct bridge_ways *ways)
{
	struct weir_fdb_key *keys = NULL;
	struct link *links;
	size_t count = 0, devices, i;
	int err;

	err = rtnl_links(&copy->rtnl, &links, &devices);
	err = err ?: read_keys(map, &keys, &count);
	for (i = 0; i < count; i++) {
		const struct bridge_way way = { .key = keys[i] };

		if (is_ours(copy, links, devices, &keys[i]) &&
		    (!ways->count || !bsearch(&way, ways->way, ways->count, sizeof(way),
					      bridge_compare_ways)))
			bpf_map_delete_elem(map, &keys[i]);
	}
	free(keys);
	free(links);
	return err;
}

/* What is to go goes first, to make room. */
static int write_map(struct copy *copy, int map, const struct bridge_ways *ways)
{
	size_t i;
	int err;

	err = drop_others(copy, map, ways);
	for (i = 0; !err && i < ways->count; i++) {
		if (bpf_map_update_elem(map, &ways->way[i].key, &ways->way[i].egress, BPF_ANY))
			err = -errno;
	}
	return err;
}

/* Once. Nobody having the program is no error to who waits for it. */
static int copy_all(struct copy *copy, bool wait)
{
	struct bridge_ways ways = {};
	int map, err;

	map = open_map(&copy->rtnl);
	if (map == -ENODEV && wait)
		return WEIR_OK;
	if (map == -ENODEV)
		return refused(ENOENT, "no device has the XDP program that forwards: run `weir trim set dev DEVICE hook xdp from DEVICE` first");
	if (map < 0)
		return refused(map, "cannot open the program's table: %s; this takes CAP_SYS_ADMIN, run it as root",
			       strerror(-map));
	err = bridge_ways(&copy->rtnl, copy->bridge, &ways);
	if (!err)
		err = write_map(copy, map, &ways);
	free(ways.way);
	close(map);
	if (err == -EINVAL)
		return refused(err, "%s is no bridge", copy->dev);
	if (err == -E2BIG)
		return refused(err, "%s has learned more than the program's table holds, %u entries: what is left goes its usual way",
			       copy->dev, WEIR_FDB_MAX);
	return err ? refused(err, "cannot copy the table of %s: %s", copy->dev, strerror(-err)) :
		     WEIR_OK;
}

static void clear_all(struct copy *copy)
{
	const struct bridge_ways none = {};
	int map = open_map(&copy->rtnl);

	if (map < 0)
		return;
	write_map(copy, map, &none);
	close(map);
}

static int listen_to(struct copy *copy)
{
	static const int groups[] = { RTNLGRP_NEIGH, RTNLGRP_LINK };
	size_t i;
	int err;

	err = rtnl_open(&copy->events);
	for (i = 0; !err && i < 2; i++) {
		int group = groups[i];

		if (mnl_socket_setsockopt(copy->events.socket, NETLINK_ADD_MEMBERSHIP, &group,
					  sizeof(group)) < 0)
			err = -errno;
	}
	return err;
}

/*
 * Waits for a change and takes all that have come; false where it was interrupted,
 * which happens here alone: elsewhere the signals of @mask wait.
 */
static bool wait_for_change(struct copy *copy, const sigset_t *mask)
{
	int fd = mnl_socket_get_fd(copy->events.socket);
	struct pollfd poll = { .fd = fd, .events = POLLIN };
	char buffer[8192];

	while (!interrupted && ppoll(&poll, 1, NULL, mask) <= 0)
		continue;
	while (recv(fd, buffer, sizeof(buffer), MSG_DONTWAIT) >= 0 || errno == ENOBUFS)
		continue;
	return !interrupted;
}

/* Ends of a run, in good order. */
static void catch_signals(sigset_t *mask)
{
	const struct sigaction action = { .sa_handler = interrupt };
	sigset_t ends;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

/* Interrupted it ends in good order, so whoever sent the signal sees success. */
static int follow(struct copy *copy)
{
	int status, err;
	sigset_t mask;

	catch_signals(&mask);
	err = listen_to(copy);
	if (err)
		return refused(err, "cannot listen to changes of the bridge: %s", strerror(-err));
	status = copy_all(copy, false);
	while (!status && wait_for_change(copy, &mask))
		status = copy_all(copy, true);
	clear_all(copy);
	nl_close(&copy->events);
	return status;
}

int trim_fdb(const struct args *args)
{
	struct copy copy = { .dev = args_get(args, "dev")->word };
	int status, err;

	bpf_quiet();
	status = request_device(copy.dev, &copy.bridge);
	if (status)
		return status;
	err = rtnl_open(&copy.rtnl);
	if (err)
		return refused(err, "cannot open a route netlink socket: %s", strerror(-err));
	status = args_get(args, "follow") ? follow(&copy) : copy_all(&copy, false);
	nl_close(&copy.rtnl);
	return status;
}
