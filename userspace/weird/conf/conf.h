/* SPDX-License-Identifier: GPL-2.0 */
/* The configuration: a file of JSON, written by the box's administrator. */
#ifndef WEIRD_CONF_H
#define WEIRD_CONF_H

#include <stdbool.h>

#include "base/addr.h"
#include "tenant/tenant.h"
#include "tls/tls.h"

/**
 * struct conf - what the file says, with the defaults filled in
 * @address: of jobs; length 0 is the one that their first worker called
 * @port: UDP port of jobs
 * @first: the first id that jobs get
 * @last: and the last
 * @grace: seconds that a job stays after its last worker has gone
 * @restart_grace: seconds that a job without workers stays after a restart of the daemon
 * @connections: at once
 * @certificate: name of the file with the daemon's certificate, or NULL without TLS
 * @key: name of the file with its private key
 * @authority: name of the file with certificates of those who sign the clients', or NULL
 * @tls: contents of those files, or NULL without TLS
 * @metrics: clients that may read metrics without being an operator
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
	struct tls *tls;
	struct prefixes metrics;
	struct tenants tenants;
};

/*
 * Reads the file and those for TLS that it names. Returns false, and fills @refusal, if one cannot be
 * read or is wrong.
 */
bool conf_read(struct conf *conf, const char *path, struct refusal *refusal);
void conf_free(struct conf *conf);

#endif
