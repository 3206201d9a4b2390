/* SPDX-License-Identifier: GPL-2.0 */
/* The configuration: a file of JSON, written by the box's administrator. */
#ifndef WEIRD_CONF_H
#define WEIRD_CONF_H

#include <stdbool.h>

#include "base/addr.h"
#include "tenant/tenant.h"

/**
 * struct conf - what the file says, with the defaults filled in
 * @address: of jobs; length 0 is the one that their first worker called
 * @port: UDP port of jobs
 * @first: the first id that jobs get
 * @last: and the last
 * @grace: seconds that a job stays after its last worker has gone
 * @restart_grace: and after the daemon has begun anew
 * @connections: at once
 * @certificate: files of TLS; NULL is none
 * @metrics: who may read metrics without being an operator
 */
struct conf {
	struct addr address;
	unsigned int port;
	unsigned int first;
	unsigned int last;
	unsigned int grace;
	unsigned int restart_grace;
	unsigned int connections;
	char *certificate;
	char *key;
	char *authority;
	struct prefixes metrics;
	struct tenants tenants;
};

/* False, and @refusal filled, where the file cannot be had or is wrong. */
bool conf_read(struct conf *conf, const char *path, struct refusal *refusal);
void conf_free(struct conf *conf);

#endif
