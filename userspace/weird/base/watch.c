// SPDX-License-Identifier: GPL-2.0
#include "base/watch.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/log.h"

#define READY_MAX 64

static int epoll = -1;
static struct epoll_event ready[READY_MAX];
static int left;

void watch_init(void)
{
	epoll = epoll_create1(EPOLL_CLOEXEC);
	if (epoll < 0)
		log_die("no epoll: %s", strerror(errno));
}

void watch_add(struct watch *watch, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = watch };

	if (epoll_ctl(epoll, EPOLL_CTL_ADD, watch->fd, &event))
		log_line("descriptor %d cannot be watched: %s", watch->fd, strerror(errno));
}

/* One that is ready, but has not been called yet, is no longer called. */
void watch_remove(struct watch *watch)
{
	int i;

	epoll_ctl(epoll, EPOLL_CTL_DEL, watch->fd, NULL);
	for (i = 0; i < left; i++) {
		if (ready[i].data.ptr == watch)
			ready[i].data.ptr = NULL;
	}
}

void watch_wait(int timeout_ms)
{
	left = epoll_wait(epoll, ready, READY_MAX, timeout_ms);
	while (left > 0) {
		struct watch *watch = ready[--left].data.ptr;

		if (watch)
			watch->ready(watch);
	}
}
