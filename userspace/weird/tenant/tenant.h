/* SPDX-License-Identifier: GPL-2.0 */
/* Tenants, which may ask for jobs: their credentials, and the most that they may have. */
#ifndef WEIRD_TENANT_H
#define WEIRD_TENANT_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/refusal.h"
#include "tenant/prefix.h"
#include "tenant/token.h"

#define TENANT_NAME_MAX 32

/**
 * struct quota - the most that a tenant may have at once
 * @jobs: number of jobs
 * @memory: bytes of the box's aggregation memory
 * @rate: bytes a second of all its jobs together, enforced by their policers; 0 is no limit
 */
struct quota {
	uint64_t jobs;
	uint64_t memory;
	uint64_t rate;
};

/**
 * struct tenant - one of the configuration
 * @anonymous: clients from @prefixes without token and certificate are this tenant
 * @operator: may see everything: all jobs, metrics and events
 * @token: their hashes
 * @certificate: common names of client certificates
 * @prefixes: addresses of its workers
 * @groups: multicast groups that its jobs may have
 */
struct tenant {
	char name[TENANT_NAME_MAX + 1];
	bool anonymous;
	bool operator;
	size_t tokens;
	struct token *token;
	size_t certificates;
	char **certificate;
	struct prefixes prefixes;
	struct prefixes groups;
	struct quota quota;
};

struct tenants {
	size_t count;
	struct tenant *tenant;
};

bool tenants_read(struct tenants *tenants, struct json_object *list, struct refusal *refusal);
void tenants_free(struct tenants *tenants);

const struct tenant *tenants_named(const struct tenants *tenants, const char *name);

/*
 * Find the tenant of a request. @token: what the request shows, or NULL; @certificate: the common name
 * of a client certificate that was verified, or NULL; @from: the address that it comes from, which alone
 * stands for an anonymous tenant. Return NULL, and fill @refusal, if there is none.
 */
const struct tenant *tenants_find(const struct tenants *tenants, const char *token,
				  const char *certificate, const struct addr *from,
				  struct refusal *refusal);

#endif
