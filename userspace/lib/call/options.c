// SPDX-License-Identifier: BSD-2-Clause
#include "call/options.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir.h>

#include "ask/ask.h"
#include "ask/environment.h"
#include "base/sized.h"
#include "call/trees.h"
#include "comm/comm.h"
#include "comm/error.h"
#include "join/standby.h"
#include "number/number.h"

#define GRADS_DEFAULT	1024
#define WINDOW_DEFAULT	4096
#define TIMEOUT_DEFAULT	30000
#define FAILOVER_DEFAULT	1000
/* A box tells a rank that waits for others of them after 100 ms. */
#define FAILOVER_MIN	300
#define RANKS_TIMEOUT_DEFAULT	1800000
#define RANKS_WARNING_DEFAULT	60000
#define EARLY_DEFAULT	(UINT64_C(128) << 20)

/* A larger window would need two results in one slot of the box's table. */
#define WINDOW_MAX	(WEIR_BLOCKS_MAX / 2)

#define FLAGS_KNOWN	(WEIR_ACCEPT_OVERFLOW | WEIR_ACCEPT_DEGRADED | WEIR_AVERAGE | \
			 WEIR_UNMERGED | WEIR_SATURATE | WEIR_PROGRESS | WEIR_SOURCE | \
			 WEIR_NO_ECN | WEIR_CANCEL)

/* The size of the first version's structure: no caller has less. */
#define SIZE_MIN	offsetof(struct weir_options, fallback)

static int check_trees(struct weir *comm, struct weir_options *mine)
{
	if (!mine->trees && !environment_trees(&mine->trees))
		return error_refuse(comm, -EINVAL, "$WEIR_TREES is '%s': it must be a number of trees",
				    getenv("WEIR_TREES"));
	if (!mine->trees)
		mine->trees = 1;
	if (mine->trees > TREES_MAX)
		return error_refuse(comm, -EINVAL, "trees is %u: it must be 1 to %u", mine->trees,
				    TREES_MAX);
	return 0;
}

int options_copy(struct weir *comm, struct weir_options *mine, const struct weir_options *options)
{
	int err;

	if (!options)
		return error_refuse(comm, -EINVAL, "weir_open() was given no options");
	err = sized_in(mine, sizeof(*mine), options, SIZE_MIN);
	if (err == -E2BIG)
		return error_refuse(comm, err,
				    "the options have members that libweir %s does not know",
				    weir_version());
	if (err)
		return error_refuse(comm, err,
				    "the options' size is %zu: set it to sizeof(struct weir_options)",
				    options->size);
	return check_trees(comm, mine);
}

static int check_numbers(struct weir *comm, const struct weir_options *o)
{
	if (o->reserved)
		return error_refuse(comm, -EINVAL, "the options' reserved members must be zero");
	if (o->cancel_fd && !(o->flags & WEIR_CANCEL))
		return error_refuse(comm, -EINVAL, "cancel_fd is %d without WEIR_CANCEL", o->cancel_fd);
	if (o->flags & ~FLAGS_KNOWN)
		return error_refuse(comm, -EINVAL, "the options have unknown flags 0x%x",
				    o->flags & ~FLAGS_KNOWN);
	if (!o->ranks || o->ranks > WEIR_RANKS_MAX)
		return error_refuse(comm, -EINVAL, "ranks is %u: it must be 1 to %u", o->ranks,
				    WEIR_RANKS_MAX);
	if (o->rank >= o->ranks)
		return error_refuse(comm, -EINVAL, "rank is %u: of %u ranks it must be 0 to %u",
				    o->rank, o->ranks, o->ranks - 1);
	if (!(o->flags & WEIR_SOURCE) && o->rank >= WEIR_SOURCES_MAX)
		return error_refuse(comm, -EINVAL,
				    "rank is %u, and a box has %u sources: say which source of its box it is",
				    o->rank, WEIR_SOURCES_MAX);
	if (o->flags & WEIR_SOURCE && o->source >= WEIR_SOURCES_MAX)
		return error_refuse(comm, -EINVAL, "source is %u: it must be 0 to %u", o->source,
				    WEIR_SOURCES_MAX - 1);
	if (o->grads > WEIR_GRADS_MAX)
		return error_refuse(comm, -EINVAL, "grads is %u: it must be 1 to %u", o->grads,
				    WEIR_GRADS_MAX);
	if (o->failover_ms && o->failover_ms < FAILOVER_MIN)
		return error_refuse(comm, -EINVAL, "failover_ms is %u: it must be %u or more", o->failover_ms,
				    FAILOVER_MIN);
	if (o->type && !number_size(o->type))
		return error_refuse(comm, -EINVAL, "type is %u: it must be an enum weir_type, or 0",
				    o->type);
	if (o->type && o->grads > number_grads_max(o->type))
		return error_refuse(comm, -EINVAL, "grads is %u: of type %s it must be 1 to %zu", o->grads,
				    number_name(o->type), number_grads_max(o->type));
	if (o->operation > WEIR_MAX)
		return error_refuse(comm, -EINVAL,
				    "operation is %u: it must be an enum weir_operation, or 0",
				    o->operation);
	return 0;
}

static int parse(struct weir *comm, struct address *address, const char *name, const char *text,
		 uint16_t port)
{
	if (address_parse(address, text, port))
		return 0;
	return error_refuse(comm, -EINVAL, "%s is '%s': it must be an IPv4 or IPv6 address in numbers",
			    name, text);
}

static int same_family(struct weir *comm, const struct address *address, const char *name,
		       const char *text)
{
	if (address->any.sa_family == comm->config.box.any.sa_family)
		return 0;
	return error_refuse(comm, -EINVAL, "%s %s and address %s are of different families", name,
			    text, comm->config.box_text);
}

/* One more box that has the job. */
static int read_standby(struct weir *comm, const char *text, uint16_t port)
{
	struct standby *standby = &comm->standby;
	struct address *box;
	int err;

	if (standby->count == BOXES_MAX)
		return error_refuse(comm, -EINVAL, "address names more than %u boxes", BOXES_MAX);
	box = &standby->boxes[standby->count].address;
	err = parse(comm, box, "address", text, port);
	if (err)
		return err;
	if (address_is_multicast(box))
		return error_refuse(comm, -EINVAL, "address %s is a multicast group: give the box's own",
				    text);
	for (unsigned int i = 0; i < standby->count; i++)
		if (address_is_same(&standby->boxes[i].address, box))
			return error_refuse(comm, -EINVAL, "address names box %s twice", text);
	if (!standby->count++) {
		comm->config.box = *box;
		address_format(box, comm->config.box_text);
		return 0;
	}
	return same_family(comm, box, "address", text);
}

/* Addresses with commas between them. */
static int read_boxes(struct weir *comm, const struct weir_options *o, uint16_t port)
{
	const char *at = o->address;
	char text[ADDRESS_TEXT];
	int err = 0;

	if (!at)
		return error_refuse(comm, -EINVAL, "address is missing: the box's, as the job has it");
	while (!err) {
		size_t length = strcspn(at, ",");

		snprintf(text, sizeof(text), "%.*s", (int)length, at);
		err = read_standby(comm, text, port);
		at += length;
		if (!*at++)
			break;
	}
	if (comm->standby.count > 1)
		comm->recovery.rtt.patience = comm->config.failover / STANDBY_PROBES;
	return err;
}

static int read_local(struct weir *comm, const struct weir_options *o, uint16_t port)
{
	struct config *config = &comm->config;
	int err;

	if (!o->bind_address) {
		address_any(&config->local, config->box.any.sa_family, port);
		return 0;
	}
	err = parse(comm, &config->local, "bind_address", o->bind_address, port);
	return err ?: same_family(comm, &config->local, "bind_address", o->bind_address);
}

static int read_group(struct weir *comm, const struct weir_options *o, uint16_t port)
{
	struct config *config = &comm->config;
	int err;

	if (!o->group)
		return 0;
	err = parse(comm, &config->group, "group", o->group, port);
	if (err)
		return err;
	if (!address_is_multicast(&config->group))
		return error_refuse(comm, -EINVAL, "group %s is not a multicast address", o->group);
	return same_family(comm, &config->group, "group", o->group);
}

static int read_interface(struct weir *comm, const struct weir_options *o)
{
	struct config *config = &comm->config;

	if (!o->interface)
		return 0;
	config->ifindex = if_nametoindex(o->interface);
	if (!config->ifindex || strlen(o->interface) >= sizeof(config->interface))
		return error_refuse(comm, -ENODEV, "there is no interface '%s'", o->interface);
	strcpy(config->interface, o->interface);
	return 0;
}

static uint64_t time_of(uint32_t ms, uint32_t preset)
{
	return (ms ? ms : preset) * NSEC_PER_MSEC;
}

int options_read(struct weir *comm, const struct weir_options *options)
{
	struct config *config = &comm->config;
	struct weir_options o = *options;
	uint16_t port;
	int err;

	if (!o.ranks)
		environment_ranks(&o.rank, &o.ranks);
	err = check_numbers(comm, &o);
	if (!err)
		err = ask_job(comm, &o);
	if (err)
		return err;
	config->job = o.job;
	config->rank = o.rank;
	config->ranks = o.ranks;
	config->source = (uint8_t)(o.flags & WEIR_SOURCE ? o.source : o.rank);
	bitmap_fill(config->everyone, o.ranks);
	config->grads = o.grads ? o.grads : GRADS_DEFAULT;
	config->trees = (uint8_t)o.trees;
	config->type = o.type;
	config->operation = o.operation;
	config->window = o.window ? o.window : WINDOW_DEFAULT;
	if (config->window > WINDOW_MAX)
		config->window = WINDOW_MAX;
	config->timeout = time_of(o.timeout_ms, TIMEOUT_DEFAULT);
	config->failover = time_of(o.failover_ms, FAILOVER_DEFAULT);
	comm->standby.shun = STANDBY_SHUN * config->failover;
	config->ranks_timeout = time_of(o.ranks_timeout_ms, RANKS_TIMEOUT_DEFAULT);
	config->ranks_warning = time_of(o.ranks_warning_ms, RANKS_WARNING_DEFAULT);
	config->cancel_fd = o.flags & WEIR_CANCEL ? o.cancel_fd : -1;
	config->early_bytes = (o.early_bytes ? o.early_bytes : EARLY_DEFAULT) / config->trees;
	config->flags = o.flags;
	config->fallback = o.fallback;
	config->fallback_context = o.fallback_context;
	config->on_block = o.on_block;
	config->on_block_context = o.on_block_context;
	config->on_missing = o.on_missing;
	config->on_missing_context = o.on_missing_context;
	port = o.port ? o.port : WEIR_PORT_DEFAULT;
	err = read_boxes(comm, &o, port);
	if (!err)
		err = read_local(comm, &o, o.bind_port ? o.bind_port : port);
	if (!err)
		err = read_group(comm, &o, port);
	return err ?: read_interface(comm, &o);
}
