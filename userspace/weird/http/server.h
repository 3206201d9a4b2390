/* SPDX-License-Identifier: GPL-2.0 */
/* HTTP: requests come in, and go to who answers them. */
#ifndef WEIRD_SERVER_H
#define WEIRD_SERVER_H

#include <microhttpd.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "base/watch.h"
#include "conf/conf.h"
#include "jobs/jobs.h"

/**
 * struct server - the one of the daemon
 * @conf: may be another from one request to the next
 */
struct server {
	struct watch watch;
	struct MHD_Daemon *daemon;
	const struct conf *conf;
	struct jobs *jobs;
};

bool server_open(struct server *server, const struct sockaddr *address,
		 struct refusal *refusal);

/* Serve pending connections. Return the milliseconds until the next call, or -1 for never. */
int server_run(struct server *server);

#endif
