// SPDX-License-Identifier: GPL-2.0
#include "tenant/tenant.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ask/ask.h"
#include "base/fields.h"
#include "base/log.h"

#define JOBS_DEFAULT	8
#define MEMORY_DEFAULT	(1ull << 30)
#define TOKEN_LONGEST	256

static const char *const members[] = {
	"name", "anonymous", "operator", "tokens", "certificates", "prefixes", "groups", "quota",
	NULL,
};

static const char *const quota_members[] = { "jobs", "memory", "rate", NULL };
static const char *const token_members[] = { "sha256", "expires", NULL };

static bool read_token(struct token *token, struct json_object *object, struct refusal *refusal)
{
	const char *hash, *expires;
	struct fields fields;

	if (!fields_begin(&fields, object, token_members, refusal))
		return false;
	hash = field_text(&fields, "sha256");
	expires = field_text(&fields, "expires");
	if (!hash || !token_hash_read(token, hash))
		return refuse(refusal, 400, "'sha256' of a token must be 64 hexadecimal digits");
	if (expires && !token_expires_read(token, expires))
		return refuse(refusal, 400, "'expires' must be as 2027-01-31T00:00:00Z");
	return true;
}

static void read_tokens(struct tenant *tenant, const struct fields *fields)
{
	struct json_object *list = field_list(fields, "tokens");
	size_t i, count = list ? json_object_array_length(list) : 0;

	tenant->token = zalloc((count ?: 1) * sizeof(*tenant->token));
	tenant->tokens = count;
	for (i = 0; i < count; i++) {
		if (!read_token(&tenant->token[i], json_object_array_get_idx(list, i),
				fields->refusal))
			return;
	}
}

static void read_certificates(struct tenant *tenant, const struct fields *fields)
{
	struct json_object *list = field_list(fields, "certificates");
	size_t i, count = list ? json_object_array_length(list) : 0;

	tenant->certificate = zalloc((count ?: 1) * sizeof(*tenant->certificate));
	for (i = 0; i < count; i++) {
		struct json_object *name = json_object_array_get_idx(list, i);

		if (!json_object_is_type(name, json_type_string) ||
		    !json_object_get_string_len(name)) {
			refuse(fields->refusal, 400, "'certificates' must be common names");
			return;
		}
		tenant->certificate[tenant->certificates++] = strdup(json_object_get_string(name));
	}
}

static void read_quota(struct quota *quota, const struct fields *of)
{
	struct json_object *object = field_object(of, "quota");
	struct fields fields;

	quota->jobs = JOBS_DEFAULT;
	quota->memory = MEMORY_DEFAULT;
	if (!object || !fields_begin(&fields, object, quota_members, of->refusal))
		return;
	quota->jobs = field_number(&fields, "jobs", 0, 256, JOBS_DEFAULT);
	quota->memory = field_number(&fields, "memory", 0, INT64_MAX, MEMORY_DEFAULT);
	quota->rate = field_number(&fields, "rate", 1, INT64_MAX, 0);
}

static bool read_tenant(struct tenant *tenant, struct json_object *object,
			struct refusal *refusal)
{
	struct fields fields;
	const char *name;

	if (!fields_begin(&fields, object, members, refusal))
		return false;
	name = field_text(&fields, "name");
	if (!name || strlen(name) > TENANT_NAME_MAX || !ask_name_fits(name))
		return refuse(refusal, 400,
			      "'name' of a tenant must be 1 to %d letters, digits and . _ : -",
			      TENANT_NAME_MAX);
	strcpy(tenant->name, name);
	tenant->anonymous = field_flag(&fields, "anonymous");
	tenant->operator = field_flag(&fields, "operator");
	read_tokens(tenant, &fields);
	read_certificates(tenant, &fields);
	read_quota(&tenant->quota, &fields);
	prefixes_read(&tenant->prefixes, field_list(&fields, "prefixes"), "prefixes", refusal);
	prefixes_read(&tenant->groups, field_list(&fields, "groups"), "groups", refusal);
	return !refusal->status;
}

static bool read_all(struct tenants *tenants, struct json_object *list, struct refusal *refusal)
{
	size_t i, count = json_object_array_length(list), anonymous = 0;

	for (i = 0; i < count; i++) {
		struct tenant *tenant = &tenants->tenant[i];

		tenants->count = i + 1;
		if (!read_tenant(tenant, json_object_array_get_idx(list, i), refusal))
			return false;
		if (tenants_named(tenants, tenant->name) != tenant)
			return refuse(refusal, 400, "two tenants are called '%s'", tenant->name);
		anonymous += tenant->anonymous;
	}
	return anonymous <= 1 || refuse(refusal, 400, "more than one tenant is anonymous");
}

bool tenants_read(struct tenants *tenants, struct json_object *list, struct refusal *refusal)
{
	memset(tenants, 0, sizeof(*tenants));
	if (!list || !json_object_array_length(list))
		return refuse(refusal, 400, "'tenants' must name at least one");
	tenants->tenant = zalloc(json_object_array_length(list) * sizeof(*tenants->tenant));
	if (read_all(tenants, list, refusal))
		return true;
	tenants_free(tenants);
	return false;
}

void tenants_free(struct tenants *tenants)
{
	size_t i, k;

	for (i = 0; i < tenants->count; i++) {
		struct tenant *tenant = &tenants->tenant[i];

		for (k = 0; k < tenant->certificates; k++)
			free(tenant->certificate[k]);
		free(tenant->certificate);
		free(tenant->token);
		prefixes_free(&tenant->prefixes);
		prefixes_free(&tenant->groups);
	}
	free(tenants->tenant);
	memset(tenants, 0, sizeof(*tenants));
}

const struct tenant *tenants_named(const struct tenants *tenants, const char *name)
{
	size_t i;

	for (i = 0; i < tenants->count; i++) {
		if (!strcmp(tenants->tenant[i].name, name))
			return &tenants->tenant[i];
	}
	return NULL;
}

static const struct tenant *by_token(const struct tenants *tenants, const char *text,
				     struct refusal *refusal)
{
	const struct tenant *found = NULL;
	uint8_t hash[TOKEN_HASH];
	time_t now = time(NULL);
	bool expired = false;
	size_t length = strlen(text), i, k;

	if (length > TOKEN_LONGEST || !token_hash(hash, text, length)) {
		refuse(refusal, 401, "this is no token");
		return NULL;
	}
	for (i = 0; i < tenants->count; i++) {
		const struct tenant *tenant = &tenants->tenant[i];

		for (k = 0; k < tenant->tokens; k++) {
			if (!token_is(&tenant->token[k], hash))
				continue;
			if (tenant->token[k].expires && tenant->token[k].expires <= now)
				expired = true;
			else
				found = tenant;
		}
	}
	if (!found)
		refuse(refusal, 401, expired ? "the token has expired: ask the box's administrator "
					       "for a new one" :
					       "no tenant has this token");
	return found;
}

static const struct tenant *by_certificate(const struct tenants *tenants, const char *name)
{
	size_t i, k;

	for (i = 0; i < tenants->count; i++) {
		for (k = 0; k < tenants->tenant[i].certificates; k++) {
			if (!strcmp(tenants->tenant[i].certificate[k], name))
				return &tenants->tenant[i];
		}
	}
	return NULL;
}

/* The tenant whose workers need no credential, for requests of any kind from where they are. */
static const struct tenant *by_address(const struct tenants *tenants, const struct addr *from,
				       struct refusal *refusal)
{
	char text[ADDR_TEXT];
	size_t i;

	for (i = 0; i < tenants->count; i++) {
		const struct tenant *tenant = &tenants->tenant[i];

		if (!tenant->anonymous)
			continue;
		if (prefixes_have(&tenant->prefixes, from))
			return tenant;
		refuse(refusal, 403, "tenant %s takes requests without a token from its prefixes alone, and not from %s",
		       tenant->name, addr_text(from, text));
	}
	refuse(refusal, 401, "this needs a token (Authorization: Bearer ...) or a client "
			     "certificate of a tenant");
	return NULL;
}

const struct tenant *tenants_find(const struct tenants *tenants, const char *token,
				  const char *certificate, const struct addr *from,
				  struct refusal *refusal)
{
	const struct tenant *found;

	if (token)
		return by_token(tenants, token, refusal);
	found = certificate ? by_certificate(tenants, certificate) : NULL;
	return found ?: by_address(tenants, from, refusal);
}
