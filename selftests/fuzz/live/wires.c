// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frame.h"
#include "programs.h"
#include "scene.h"
#include "tap.h"
#include "wires.h"

static const char names[WIRES] = { 'a', 'b', 's' };

/* A process in a namespace of its own, by which that can be named. */
static pid_t keep_namespace(void)
{
	int ready[2];
	char byte = 0;
	pid_t pid;

	if (pipe(ready))
		err(1, "pipe");
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		if (unshare(CLONE_NEWNET) || write(ready[1], &byte, 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	if (read(ready[0], &byte, 1) != 1)
		err(1, "namespace");
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static int namespace_of(pid_t pid)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/ns/net", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

static void enter(int fd)
{
	if (setns(fd, CLONE_NEWNET))
		err(1, "setns");
}

/* No host there answers. GRO has the far ends take redirected frames. */
static void far_side(struct wires *w)
{
	char name[3] = "?1";
	int i;

	for (i = 0; i < WIRES; i++) {
		name[0] = names[i];
		scene_run("ip link set %s up arp off && ethtool -K %s gro on", name, name);
		w->out[i] = tap_listen(name);
	}
	w->in = tap_sender("a1");
}

/* Routes for forwarded frames, and neighbour entries of workers. Results are cut, to be counted. */
static void box_side(void)
{
	FILE *ip = scene_ip();
	int i;

	scene_run("ethtool -K a0 tx-udp-segmentation off");
	fputs("addr add 10.99.0.254/24 dev a0\naddr add fd99::fe/64 dev a0 nodad\n", ip);
	for (i = 1; i <= 4; i++)
		fprintf(ip, "neigh add 10.99.0.%d lladdr 02:00:00:00:01:0%d dev a0\n"
			"neigh add fd99::%d lladdr 02:00:00:00:01:0%d dev a0\n", i, i, i, i);
	fputs("route add 10.0.0.0/24 dev b0\n"
	      "neigh add 10.0.0.1 lladdr 02:00:00:00:02:01 dev b0\n"
	      "route add fd99:1234:5678:9abc::/64 dev b0\n"
	      "neigh add fd99:1234:5678:9abc::1 lladdr 02:00:00:00:02:01 dev b0\n", ip);
	scene_ip_end(ip);
	scene_run("echo 1 >/proc/sys/net/ipv4/ip_forward &&"
		  " echo 1 >/proc/sys/net/ipv6/conf/all/forwarding");
	scene_run("printf '%%s\\n' 'qdisc add dev a0 clsact' 'qdisc add dev b0 clsact'"
		  " 'filter add dev b0 ingress prio 60000 matchall"
		  " action mirred egress redirect dev s0' | tc -batch -");
}

void wires_far_program(const struct wires *w, bool there)
{
	enter(w->far);
	if (there)
		program_xdp(if_nametoindex("a1"), PROGRAM_FORWARD, false);
	else
		program_no_xdp(if_nametoindex("a1"), false);
	enter(w->here);
}

static void lead(const char *action)
{
	scene_run("tc filter del dev a0 ingress prio 60000 2>/dev/null;"
		  " tc filter add dev a0 ingress prio 60000 matchall action %s", action);
}

void wires_lead(struct wires *w, enum wire to)
{
	lead(to == WIRE_B ? "mirred egress redirect dev b0" : "mirred egress redirect dev s0");
	w->stopped = false;
}

void wires_stop(struct wires *w)
{
	static uint8_t frame[TAP_FRAME_MAX];

	lead("drop");
	w->stopped = true;
	while (tap_read(w->stack, frame))
		;
}

static void read_router(void)
{
	struct ifreq ifr = { .ifr_name = "a0" };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || ioctl(fd, SIOCGIFHWADDR, &ifr))
		err(1, "a0");
	memcpy(frame_router, ifr.ifr_hwaddr.sa_data, sizeof(frame_router));
	close(fd);
}

static void make_namespaces(struct wires *w, pid_t *pid)
{
	*pid = keep_namespace();
	w->far = namespace_of(*pid);
	if (unshare(CLONE_NEWNET))
		err(1, "namespace");
	w->here = namespace_of(getpid());
	enter(w->far);
	scene_run("echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6 &&"
		  " echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6");
	enter(w->here);
	scene_run("ip link set lo up && echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad &&"
		  " echo 0 >/proc/sys/net/ipv6/conf/default/router_solicitations");
}

void wires_up(struct wires *w)
{
	char name[3] = "?0";
	pid_t pid;
	int i;

	make_namespaces(w, &pid);
	for (i = 0; i < WIRES; i++) {
		scene_run("ip link add %c0 mtu %d up type veth peer name %c1 mtu %d netns %d",
			  names[i], WIRES_MTU, names[i], WIRES_MTU, pid);
		name[0] = names[i];
		w->box[i] = if_nametoindex(name);
	}
	enter(w->far);
	far_side(w);
	enter(w->here);
	box_side();
	read_router();
	w->local = tap_sender("b0");
	w->stack = tap_listen("a0");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

void wires_down(struct wires *w)
{
	int i;

	for (i = 0; i < WIRES; i++)
		close(w->out[i]);
	close(w->in);
	close(w->local);
	close(w->stack);
	close(w->far);
	close(w->here);
}
