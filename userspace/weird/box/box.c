// SPDX-License-Identifier: GPL-2.0
#include "box/box.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>

#include <weir.h>

#include "netlink/genl.h"

static struct weir weir;
static const char *fault;

static int family_open(void)
{
	int err = weir.nl.socket ? 0 : weir_try_open(&weir);

	if (!err && !weir_has(&weir, WEIR_CMD_JOB_ADD)) {
		weir_close(&weir);
		err = -ENOENT;
	}
	fault = NULL;
	if (!err)
		return 0;
	switch (err) {
	case -ENOENT:
		fault = "the weir module is not loaded on this box";
		break;
	case -EPROTO:
		fault = "the weir module on this box is of an older version: run `weir upgrade` there";
		break;
	default:
		fault = "the box has no netlink socket left";
	}
	return -ENXIO;
}

void box_forget(void)
{
	weir_close(&weir);
}

const char *box_error(void)
{
	if (fault)
		return fault;
	return *weir.nl.error.text ? weir.nl.error.text : strerror(weir.nl.error.err);
}

/* A family that has gone answers as a job that is not there does: its name tells. */
static bool family_is_there(void)
{
	struct weir other;
	bool same;

	if (weir_try_open(&other))
		return false;
	same = other.family[FAMILY_WEIR].id == weir.family[FAMILY_WEIR].id;
	weir_close(&other);
	return same;
}

static int talk(char *buffer, struct nl_replies *replies)
{
	int err = nl_talk(&weir.nl, buffer, replies);

	if (err != -ENOENT || family_is_there())
		return err;
	box_forget();
	fault = "the weir module is not loaded on this box";
	return -ENXIO;
}

static void put_address(struct nlmsghdr *message, uint16_t attr, const struct addr *addr)
{
	if (addr->len)
		nl_put(message, attr, addr->len, addr->bytes);
}

static void put_some(struct nlmsghdr *message, uint16_t attr, uint32_t number)
{
	if (number)
		nl_put_u32(message, attr, number);
}

static void put_rate(struct nlmsghdr *message, uint16_t attr, uint64_t rate)
{
	struct nlattr *nest;

	if (!rate)
		return;
	nest = nl_nest(message, attr);
	nl_put_u64(message, WEIR_A_RATE_BYTES, rate);
	nl_nest_end(message, nest);
}

int box_job_add(const struct box_job *job)
{
	const struct spec *spec = &job->spec;
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *message;

	if (family_open())
		return -ENXIO;
	message = weir_begin(&weir, buffer, WEIR_CMD_JOB_ADD, 0);
	nl_put_u32(message, WEIR_A_JOB_ID, job->id);
	nl_put_u32(message, WEIR_A_JOB_OWNER, WEIR_OWNER_WEIRD);
	nl_put_u32(message, WEIR_A_JOB_DTYPE, spec->dtype);
	nl_put_u32(message, WEIR_A_JOB_OP, spec->op);
	nl_put_u32(message, WEIR_A_JOB_ORDER, spec->order);
	nl_put_u32(message, WEIR_A_JOB_SOURCES, spec->ranks);
	nl_put_u32(message, WEIR_A_JOB_BLOCKS, spec->blocks);
	nl_put_u32(message, WEIR_A_JOB_GRADS, spec->grads);
	put_address(message, WEIR_A_JOB_ADDRESS, &job->address);
	nl_put_u32(message, WEIR_A_JOB_PORT, job->port);
	put_address(message, WEIR_A_JOB_GROUP, &spec->group);
	nl_put_u32(message, WEIR_A_JOB_POLICY, spec->policy);
	put_some(message, WEIR_A_JOB_TIMEOUT, spec->timeout);
	put_some(message, WEIR_A_JOB_QUORUM, spec->quorum);
	put_rate(message, WEIR_A_JOB_RATE, spec->rate);
	return talk(buffer, NULL);
}

int box_job_del(uint8_t id)
{
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *message;

	if (family_open())
		return -ENXIO;
	message = weir_begin(&weir, buffer, WEIR_CMD_JOB_DEL, 0);
	nl_put_u32(message, WEIR_A_JOB_ID, id);
	return talk(buffer, NULL);
}

static void read_address(struct addr *addr, const struct nlattr *attr)
{
	static const struct addr none;

	*addr = none;
	if (attr)
		addr_from(addr, mnl_attr_get_payload(attr), mnl_attr_get_payload_len(attr));
}

static uint64_t read_activity(const struct nlattr *stats)
{
	const struct nlattr *table[WEIR_A_STATS_MAX + 1];

	if (!stats)
		return 0;
	nl_nested(stats, table, WEIR_A_STATS_MAX);
	return nl_uint(table[WEIR_A_STATS_CONTRIBUTIONS]) +
	       nl_uint(table[WEIR_A_STATS_QUERIES]) + nl_uint(table[WEIR_A_STATS_JOINS]);
}

static uint64_t read_rate(const struct nlattr *rate)
{
	const struct nlattr *table[WEIR_A_RATE_MAX + 1];

	if (!rate)
		return 0;
	nl_nested(rate, table, WEIR_A_RATE_MAX);
	return nl_uint(table[WEIR_A_RATE_BYTES]);
}

static void read_job(struct box_job *job, const struct nlmsghdr *message)
{
	const struct nlattr *table[WEIR_A_JOB_MAX + 1];
	struct spec *spec = &job->spec;

	memset(job, 0, sizeof(*job));
	weir_attributes(message, table, WEIR_A_JOB_MAX);
	job->id = nl_uint(table[WEIR_A_JOB_ID]);
	read_address(&job->address, table[WEIR_A_JOB_ADDRESS]);
	job->port = nl_uint(table[WEIR_A_JOB_PORT]);
	spec->ranks = nl_uint(table[WEIR_A_JOB_SOURCES]);
	spec->dtype = nl_uint(table[WEIR_A_JOB_DTYPE]);
	spec->op = nl_uint(table[WEIR_A_JOB_OP]);
	spec->order = nl_uint(table[WEIR_A_JOB_ORDER]);
	spec->policy = nl_uint(table[WEIR_A_JOB_POLICY]);
	spec->grads = nl_uint(table[WEIR_A_JOB_GRADS]);
	spec->blocks = nl_uint(table[WEIR_A_JOB_BLOCKS]);
	spec->timeout = nl_uint(table[WEIR_A_JOB_TIMEOUT]);
	spec->quorum = nl_uint(table[WEIR_A_JOB_QUORUM]);
	spec->rate = read_rate(table[WEIR_A_JOB_RATE]);
	read_address(&spec->group, table[WEIR_A_JOB_GROUP]);
	job->memory = nl_uint(table[WEIR_A_JOB_MEMORY]);
	job->activity = read_activity(table[WEIR_A_JOB_STATS]);
}

int box_job_get(uint8_t id, struct box_job *job)
{
	struct nl_replies replies = {};
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *message;
	int err;

	if (family_open())
		return -ENXIO;
	message = weir_begin(&weir, buffer, WEIR_CMD_JOB_GET, 0);
	nl_put_u32(message, WEIR_A_JOB_ID, id);
	err = talk(buffer, &replies);
	if (!err && !replies.count)
		err = -ENOENT;
	if (!err)
		read_job(job, replies.message[0]);
	nl_replies_free(&replies);
	return err;
}

static void *list(uint8_t command, struct nl_replies *replies, size_t size, int *err)
{
	char buffer[NL_REQUEST_SIZE];

	weir_begin(&weir, buffer, command, NLM_F_DUMP);
	return nl_list(&weir.nl, buffer, replies, size, err);
}

int box_jobs(struct box_job **jobs, size_t *count)
{
	struct nl_replies replies = {};
	size_t i;
	int err;

	if (family_open())
		return -ENXIO;
	*jobs = list(WEIR_CMD_JOB_GET, &replies, sizeof(**jobs), &err);
	*count = *jobs ? replies.count : 0;
	for (i = 0; i < *count; i++)
		read_job(&(*jobs)[i], replies.message[i]);
	nl_replies_free(&replies);
	return err;
}

static int source_put(uint8_t command, const struct box_source *source)
{
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *message;

	if (family_open())
		return -ENXIO;
	message = weir_begin(&weir, buffer, command, 0);
	nl_put_u32(message, WEIR_A_SOURCE_JOB, source->job);
	nl_put_u32(message, WEIR_A_SOURCE_ID, source->rank);
	put_address(message, WEIR_A_SOURCE_ADDRESS, &source->address);
	put_some(message, WEIR_A_SOURCE_PORT, source->port);
	return talk(buffer, NULL);
}

int box_source_add(const struct box_source *source)
{
	return source_put(WEIR_CMD_SOURCE_ADD, source);
}

int box_source_set(const struct box_source *source)
{
	return source_put(WEIR_CMD_SOURCE_SET, source);
}

int box_sources(struct box_source **sources, size_t *count)
{
	const struct nlattr *table[WEIR_A_SOURCE_MAX + 1];
	struct nl_replies replies = {};
	size_t i;
	int err;

	if (family_open())
		return -ENXIO;
	*sources = list(WEIR_CMD_SOURCE_GET, &replies, sizeof(**sources), &err);
	*count = *sources ? replies.count : 0;
	for (i = 0; i < *count; i++) {
		struct box_source *source = &(*sources)[i];

		weir_attributes(replies.message[i], table, WEIR_A_SOURCE_MAX);
		source->job = nl_uint(table[WEIR_A_SOURCE_JOB]);
		source->rank = nl_uint(table[WEIR_A_SOURCE_ID]);
		read_address(&source->address, table[WEIR_A_SOURCE_ADDRESS]);
		source->port = nl_uint(table[WEIR_A_SOURCE_PORT]);
	}
	nl_replies_free(&replies);
	return err;
}
