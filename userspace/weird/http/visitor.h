/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Connections. One that neither holds a job nor hears events is for one request, and ends when
 * it takes too long over it, however busy it seems.
 */
#ifndef WEIRD_VISITOR_H
#define WEIRD_VISITOR_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/addr.h"

struct visitor {
	struct visitor *next;
	struct visitor *before;
	int fd;
	uint64_t since;
	struct addr peer;
};

/* Say how many connections there may be, before the first one. */
void visitor_room(unsigned int connections);

/* A function for MHD_OPTION_NOTIFY_CONNECTION. */
void visitor_notify(void *context, struct MHD_Connection *connection, void **socket_context,
		    enum MHD_ConnectionNotificationCode code);

/* The connection's own, once it has been let in. */
struct visitor *visitor_of(struct MHD_Connection *connection);

/* From now on it may stay, and say nothing. */
void visitor_stays(struct MHD_Connection *connection);

/* The address that it came to. */
bool visitor_called(const struct visitor *visitor, struct addr *addr);

/* Ends those that are too slow. Returns in how many milliseconds to call again, -1 is never. */
int visitor_tick(void);

#endif
