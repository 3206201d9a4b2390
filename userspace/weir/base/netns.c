// SPDX-License-Identifier: GPL-2.0
/* Network namespaces, by the names that `ip netns` gives them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/tool.h"

#define NETNS_DIR "/run/netns"

/*
 * All later requests of the tool go through sockets, which belong to the
 * namespace that they were opened in. No file system is remounted, so
 * /sys/kernel/btf stays as it is.
 */
int netns_enter(const char *name)
{
	char path[512];
	int fd, err;

	if (!name)
		return WEIR_OK;
	if (!*name || strchr(name, '/') || strlen(name) > 255)
		return usage(NULL, "'%s' is no name of a network namespace; `ip netns` lists them",
			     name);
	snprintf(path, sizeof(path), NETNS_DIR "/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return refused(errno, "there is no network namespace %s; `ip netns` lists those there are",
			       name);
	if (setns(fd, CLONE_NEWNET) < 0) {
		err = errno;
		close(fd);
		if (err == EPERM)
			return refused(err, "entering the network namespace %s takes CAP_SYS_ADMIN: run it as root",
				       name);
		return refused(err, "cannot enter the network namespace %s: %s",
			       name, strerror(err));
	}
	close(fd);
	return WEIR_OK;
}
