// SPDX-License-Identifier: GPL-2.0
/* Find weir's XDP programs on a device: one by itself, or several in a chain. */
#include <string.h>
#include <unistd.h>

#include <weir.h>
#include <weir_xdp_nl.h>

#include "netlink/genl.h"
#include "program/program.h"

static bool is_one_of(const char *name, const char *one, const char *other)
{
	return !strcmp(name, one) || !strcmp(name, other);
}

static bool is_chain(const char *name)
{
	return is_one_of(name, WEIR_CHAIN_NAME, WEIR_CHAIN_FLAT_NAME);
}

/* Return true if this program is weir's, and the one with this place in a chain. */
static bool is_part(const char *name, uint32_t prio)
{
	if (prio == WEIR_XDP_CHAIN_PRIO_SUM)
		return !strcmp(name, WEIR_XDP_NAME);
	if (prio == WEIR_XDP_CHAIN_PRIO_FILTER)
		return !strcmp(name, WEIR_FILTER_NAME);
	return prio == WEIR_XDP_CHAIN_PRIO_FORWARD &&
	       is_one_of(name, WEIR_FORWARD_NAME, WEIR_FORWARD_BOUND_NAME);
}

static bool is_ours(const char *name)
{
	return is_chain(name) || is_part(name, WEIR_XDP_CHAIN_PRIO_SUM) ||
	       is_part(name, WEIR_XDP_CHAIN_PRIO_FORWARD);
}

uint32_t chain_program_id(unsigned int ifindex, uint32_t prio)
{
	const struct nlattr *place[WEIR_A_CHAIN_MAX + 1];
	struct nl_replies replies = {};
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *message;
	uint32_t program = 0;
	struct weir weir;

	if (weir_try_open(&weir))
		return 0;
	message = weir_begin(&weir, buffer, WEIR_XDP_CMD_CHAIN_GET, 0);
	nl_put_u32(message, WEIR_A_CHAIN_IFINDEX, ifindex);
	nl_put_u32(message, WEIR_A_CHAIN_PRIO, prio);
	if (!nl_talk(&weir.nl, buffer, &replies) && replies.count) {
		weir_attributes(replies.message[0], place, WEIR_A_CHAIN_MAX);
		program = nl_uint(place[WEIR_A_CHAIN_PROGRAM]);
	}
	nl_replies_free(&replies);
	weir_close(&weir);
	return program;
}

bool chain_there(unsigned int ifindex)
{
	const struct nlattr *place[WEIR_A_CHAIN_MAX + 1];
	struct nl_replies replies = {};
	char buffer[NL_REQUEST_SIZE];
	bool there = false;
	struct weir weir;
	size_t i;

	if (weir_try_open(&weir))
		return false;
	weir_begin(&weir, buffer, WEIR_XDP_CMD_CHAIN_GET, NLM_F_DUMP);
	if (nl_talk(&weir.nl, buffer, &replies))
		replies.count = 0;
	for (i = 0; i < replies.count && !there; i++) {
		weir_attributes(replies.message[i], place, WEIR_A_CHAIN_MAX);
		there = nl_uint(place[WEIR_A_CHAIN_IFINDEX]) == ifindex;
	}
	nl_replies_free(&replies);
	weir_close(&weir);
	return there;
}

void hook_close(struct hook *hook)
{
	if (hook->fd >= 0)
		close(hook->fd);
	hook->fd = -1;
}

int xdp_look(const struct link *link, uint32_t prio, struct hook *hook)
{
	int err, fd;

	*hook = (struct hook){
		.id = link->driver_id ?: link->generic_id ?: link->hardware_id,
		.mode = link->generic_id ? WEIR_MODE_GENERIC : WEIR_MODE_XDP,
		.fd = -1,
	};
	if (!hook->id)
		return 0;
	err = bpf_identify(hook->id, hook->name, sizeof(hook->name), &fd);
	if (err)
		return err;
	if (!link->hardware_id) {
		hook->chain = is_chain(hook->name);
		hook->member = hook->chain && prio ? chain_program_id(link->ifindex, prio) : 0;
		hook->ours = hook->member || is_part(hook->name, prio);
		hook->shared = is_ours(hook->name) && !is_part(hook->name, prio);
	}
	if (is_ours(hook->name) && !link->hardware_id)
		hook->fd = fd;
	else
		close(fd);
	return 0;
}
