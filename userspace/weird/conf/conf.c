// SPDX-License-Identifier: GPL-2.0
#include "conf/conf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <weir.h>

#include "base/fields.h"
#include "base/file.h"

#define GRACE_DEFAULT		30
#define RESTART_GRACE_DEFAULT	600
#define CONNECTIONS_DEFAULT	4096
#define CONF_SIZE_MAX		(1 << 20)
#define DAY			86400

static const char *const members[] = {
	"address", "port", "jobs", "grace", "restart_grace", "connections", "tls", "metrics",
	"tenants", NULL,
};

static const char *const jobs_members[] = { "first", "last", NULL };
static const char *const tls_members[] = { "certificate", "key", "authority", NULL };

static void read_address(struct conf *conf, const struct fields *fields)
{
	const char *text = field_text(fields, "address");

	if (text && (!addr_parse(&conf->address, text) || addr_is_link(&conf->address)))
		refuse(fields->refusal, 400, "'address' is '%.60s': it must be one of IP", text);
}

static void read_jobs(struct conf *conf, const struct fields *of)
{
	struct json_object *object = field_object(of, "jobs");
	struct fields fields;

	conf->first = 1;
	conf->last = WEIR_JOB_ID_MAX;
	if (!object || !fields_begin(&fields, object, jobs_members, of->refusal))
		return;
	conf->first = field_number(&fields, "first", 0, WEIR_JOB_ID_MAX, 1);
	conf->last = field_number(&fields, "last", conf->first, WEIR_JOB_ID_MAX, WEIR_JOB_ID_MAX);
}

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

static void read_tls(struct conf *conf, const struct fields *of)
{
	struct json_object *object = field_object(of, "tls");
	struct fields fields;

	if (!object || !fields_begin(&fields, object, tls_members, of->refusal))
		return;
	field_required(&fields, "certificate");
	field_required(&fields, "key");
	conf->certificate = copy(field_text(&fields, "certificate"));
	conf->key = copy(field_text(&fields, "key"));
	conf->authority = copy(field_text(&fields, "authority"));
	if (!of->refusal->status)
		conf->tls = tls_read(conf->certificate, conf->key, conf->authority, of->refusal);
}

static bool read_members(struct conf *conf, struct json_object *object, struct refusal *refusal)
{
	struct fields fields;

	if (!fields_begin(&fields, object, members, refusal))
		return false;
	read_address(conf, &fields);
	conf->port = field_number(&fields, "port", 1, UINT16_MAX, WEIR_PORT_DEFAULT);
	read_jobs(conf, &fields);
	conf->grace = field_number(&fields, "grace", 0, DAY, GRACE_DEFAULT);
	conf->restart_grace = field_number(&fields, "restart_grace", 0, DAY,
					   RESTART_GRACE_DEFAULT);
	conf->connections = field_number(&fields, "connections", 1, 1 << 20,
					 CONNECTIONS_DEFAULT);
	read_tls(conf, &fields);
	prefixes_read(&conf->metrics, field_list(&fields, "metrics"), "metrics", refusal);
	tenants_read(&conf->tenants, field_list(&fields, "tenants"), refusal);
	return !refusal->status;
}

bool conf_read(struct conf *conf, const char *path, struct refusal *refusal)
{
	struct json_object *object;
	size_t size;
	char *text;

	memset(conf, 0, sizeof(*conf));
	text = file_read(path, CONF_SIZE_MAX, &size);
	if (!text)
		return refuse(refusal, 500, "cannot be read: %s", strerror(errno));
	object = fields_parse(text, size, refusal);
	free(text);
	if (!refusal->status)
		read_members(conf, object, refusal);
	json_object_put(object);
	if (refusal->status)
		conf_free(conf);
	return !refusal->status;
}

void conf_free(struct conf *conf)
{
	free(conf->certificate);
	free(conf->key);
	free(conf->authority);
	tls_free(conf->tls);
	prefixes_free(&conf->metrics);
	tenants_free(&conf->tenants);
}
