// SPDX-License-Identifier: GPL-2.0
/* Key-value streams: their parts, and both ends over paths that lose packets. */
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests.h"

#define TESTS_MAX 64

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
	struct ktap_test all[TESTS_MAX];
	size_t count = 0;

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		if (count + tables[i]->count > TESTS_MAX)
			return 1;
		memcpy(all + count, tables[i]->tests, tables[i]->count * sizeof(all[0]));
		count += tables[i]->count;
	}
	own_network = enter_network();
	/* A hang is a failure too. */
	alarm(300);
	return ktap_main(all, count, argc > 1 ? argv[1] : NULL);
}

bool own_network;
