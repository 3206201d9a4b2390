// SPDX-License-Identifier: GPL-2.0
/* Key-value streams: their parts, and both ends over paths that lose packets. */
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests.h"

/* As on a link of Ethernet, so that streams have many packets. */
#define MTU 1500

static bool set(int fd, struct ifreq *request, unsigned long what)
{
	strcpy(request->ifr_name, "lo");
	return !ioctl(fd, what, request);
}

/* A network of the tests' own. */
static bool enter_network(void)
{
	struct ifreq up = { .ifr_flags = IFF_UP | IFF_RUNNING }, mtu = { .ifr_mtu = MTU };
	bool done;
	int fd;

	if (unshare(CLONE_NEWNET) && unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return false;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	done = fd >= 0 && set(fd, &up, SIOCSIFFLAGS) && set(fd, &mtu, SIOCSIFMTU);
	if (fd >= 0)
		close(fd);
	return done;
}

int main(int argc, char **argv)
{
	const struct test_table *tables[] = { &kv_parts_table, &kv_streams_table, &kv_bad_table };

	own_network = enter_network();
	return run_tables(tables, sizeof(tables) / sizeof(tables[0]), argc > 1 ? argv[1] : NULL);
}
