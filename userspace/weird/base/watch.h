/* SPDX-License-Identifier: GPL-2.0 */
/* Descriptors that the daemon's one loop waits for. */
#ifndef WEIRD_WATCH_H
#define WEIRD_WATCH_H

#include <stdint.h>

/**
 * struct watch - a descriptor, and the function that is called when it is ready
 * @ready: gets the watch, which mostly is a member of something larger
 */
struct watch {
	int fd;
	void (*ready)(struct watch *watch);
};

#define watch_of(type, member, watch) ((type *)((char *)(watch) - offsetof(type, member)))

void watch_init(void);

/* @events: as of epoll_ctl() */
void watch_add(struct watch *watch, uint32_t events);
void watch_remove(struct watch *watch);

/* Waits for so long, -1 is forever, and calls who is ready. */
void watch_wait(int timeout_ms);

#endif
