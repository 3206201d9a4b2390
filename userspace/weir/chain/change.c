// SPDX-License-Identifier: GPL-2.0
/*
 * Changes of a chain. No packet is lost on the way, and a failure leaves all as it was: programs
 * come to the module first, and then the program that runs them to the device, in one step with
 * the one that was there.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#include <weir.h>
#include <weir_xdp_nl.h>

#include "base/device.h"
#include "base/tool.h"
#include "chain/chain.h"
#include "grammar/names.h"

static int look(struct chain *chain)
{
	struct link link;
	int err;

	hook_close(&chain->hook);
	err = rtnl_link(&chain->rtnl, chain->ifindex, &link);
	if (err)
		return refused(err, "cannot look at %s: %s", chain->dev, strerror(-err));
	err = xdp_look(&link, 0, &chain->hook);
	if (err)
		return refused(err, "cannot look at the XDP program of %s: %s; this takes CAP_SYS_ADMIN, run it as root",
			       chain->dev, strerror(-err));
	return WEIR_OK;
}

static void close_chain(struct chain *chain)
{
	hook_close(&chain->hook);
	nl_close(&chain->rtnl);
	weir_close(&chain->weir);
}

static int open_chain(struct chain *chain, const char *dev)
{
	int status;

	memset(chain, 0, sizeof(*chain));
	chain->dev = dev;
	chain->hook.fd = -1;
	bpf_quiet();
	status = device_find(dev, &chain->ifindex);
	status = status ?: weir_open(&chain->weir, WEIR_XDP_CMD_CHAIN_ADD);
	if (status)
		return status;
	status = rtnl_open(&chain->rtnl);
	if (status) {
		weir_close(&chain->weir);
		return status;
	}
	status = bpf_ready(FAMILY_XDP) ?: look(chain);
	if (status)
		close_chain(chain);
	return status;
}

/* Of a request to the module. */
static int told(const struct chain *chain, int err)
{
	const struct nl_error *error = &chain->weir.nl.error;

	if (!err)
		return WEIR_OK;
	return refused(err, "the module does not change the chain of %s: %s", chain->dev,
		       *error->text ? error->text : strerror(-err));
}

static int ask(struct chain *chain, uint8_t command, uint32_t prio, uint32_t to,
	       const struct chain_program *program)
{
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *message;

	message = weir_begin(&chain->weir, buffer, command, 0);
	nl_put_u32(message, WEIR_A_CHAIN_IFINDEX, chain->ifindex);
	nl_put_u32(message, WEIR_A_CHAIN_PRIO, prio);
	if (program)
		nl_put_u32(message, WEIR_A_CHAIN_FD, program->fd);
	if (program && program->file) {
		nl_put_text(message, WEIR_A_CHAIN_FILE, program->file);
		nl_put_text(message, WEIR_A_CHAIN_SECTION, program->section);
	}
	if (to)
		nl_put_u32(message, WEIR_A_CHAIN_TO, to);
	return nl_talk(&chain->weir.nl, buffer, NULL);
}

/**
 * struct census - the programs of a chain
 * @count: number of programs
 * @flat: some takes no fragments
 */
struct census {
	unsigned int count;
	bool flat;
};

static int take_census(struct chain *chain, struct census *census)
{
	const struct nlattr *place[WEIR_A_CHAIN_MAX + 1];
	struct nl_replies replies = {};
	char buffer[NL_REQUEST_SIZE];
	size_t i;
	int err;

	memset(census, 0, sizeof(*census));
	weir_begin(&chain->weir, buffer, WEIR_XDP_CMD_CHAIN_GET, NLM_F_DUMP);
	err = nl_talk(&chain->weir.nl, buffer, &replies);
	for (i = 0; !err && i < replies.count; i++) {
		weir_attributes(replies.message[i], place, WEIR_A_CHAIN_MAX);
		if (nl_uint(place[WEIR_A_CHAIN_IFINDEX]) != chain->ifindex)
			continue;
		census->count++;
		census->flat |= !place[WEIR_A_CHAIN_FRAGS];
	}
	nl_replies_free(&replies);
	return told(chain, err);
}

/* The program on the device follows what the chain has become. */
static int fit(struct chain *chain)
{
	struct census census;
	int status = take_census(chain, &census);

	if (status || !chain->hook.chain)
		return status;
	return census.count ? base_fit(chain, census.flat) : base_detach(chain);
}

/* An existing chain: no frames with fragments may come when the program does not take them. */
static int extend(struct chain *chain, uint8_t command, uint32_t prio,
		  const struct chain_program *program)
{
	int status = program->frags ? WEIR_OK : base_fit(chain, true);

	status = status ?: told(chain, ask(chain, command, prio, 0, program));
	if (status) {
		/* Best effort: the other kind of program was there a moment ago. */
		look(chain);
		fit(chain);
		return status;
	}
	return program->frags ? fit(chain) : WEIR_OK;
}

static int attach_base(struct chain *chain)
{
	struct census census;
	int status = take_census(chain, &census);

	return status ?: base_fit(chain, census.flat);
}

/* A program, and then the chain's on the device; or neither. */
static int add_and_attach(struct chain *chain, uint32_t prio, const struct chain_program *program)
{
	int status = told(chain, ask(chain, WEIR_XDP_CMD_CHAIN_ADD, prio, 0, program));

	if (status)
		return status;
	status = attach_base(chain);
	if (status)
		ask(chain, WEIR_XDP_CMD_CHAIN_DEL, prio, 0, NULL);
	return status;
}

/* The first program of a chain, besides the one of weir's that has been there alone. */
static int begin(struct chain *chain, uint32_t prio, const struct chain_program *program)
{
	struct chain_program own = { .frags = true };
	struct program adopted = {};
	uint32_t place = 0;
	int status;

	if (chain->hook.id)
		status = chain_adopt(chain, &adopted, &place);
	else
		status = WEIR_OK;
	own.fd = adopted.fd;
	if (!status && place)
		status = told(chain, ask(chain, WEIR_XDP_CMD_CHAIN_ADD, place, 0, &own));
	if (status) {
		program_close(&adopted);
		return status;
	}
	status = add_and_attach(chain, prio, program);
	if (status && place)
		ask(chain, WEIR_XDP_CMD_CHAIN_DEL, place, 0, NULL);
	program_close(&adopted);
	return status;
}

static int check_foreign(const struct chain *chain)
{
	const struct hook *hook = &chain->hook;

	if (!hook->id || hook->shared)
		return WEIR_OK;
	return refused(EBUSY, "%s has the XDP program %u (%s) of somebody else: run `weir chain adopt dev %s prio NUMBER`, and it goes into the chain",
		       chain->dev, hook->id, hook->name, chain->dev);
}

/* @mode: 0 where none was asked for */
static int choose_mode(struct chain *chain, uint32_t mode)
{
	chain->mode = chain->hook.id ? chain->hook.mode : mode ?: WEIR_MODE_XDP;
	if (!mode || mode == chain->mode)
		return WEIR_OK;
	return refused(EBUSY, "%s has programs of weir's in mode %s already", chain->dev,
		       names_word(&mode_names, chain->mode));
}

static int add(struct chain *chain, uint32_t mode, uint32_t prio,
	       const struct chain_program *program)
{
	int status = check_foreign(chain) ?: choose_mode(chain, mode);

	if (status)
		return status;
	return chain->hook.chain ? extend(chain, WEIR_XDP_CMD_CHAIN_ADD, prio, program) :
				   begin(chain, prio, program);
}

int chain_add(const char *dev, uint32_t mode, uint32_t prio, const struct chain_program *program)
{
	struct chain chain;
	int status = open_chain(&chain, dev);

	if (status)
		return status;
	status = add(&chain, mode, prio, program);
	close_chain(&chain);
	return status;
}

/* Becomes the chain's first one, and the program on the device is replaced by the chain's. */
static int take_in(struct chain *chain, uint32_t prio)
{
	struct chain_program program = {};

	if (!chain->hook.id)
		return refused(ENOENT, "%s has no XDP program", chain->dev);
	if (chain->hook.shared)
		return refused(EEXIST, "the XDP program of %s is weir's own, which has its place in chains",
			       chain->dev);
	program.fd = chain->hook.fd = bpf_prog_get_fd_by_id(chain->hook.id);
	if (program.fd < 0)
		return refused(errno, "cannot get at the XDP program of %s: %s", chain->dev,
			       strerror(errno));
	chain->mode = chain->hook.mode;
	return add_and_attach(chain, prio, &program);
}

int chain_take_in(const char *dev, uint32_t prio)
{
	struct chain chain;
	int status = open_chain(&chain, dev);

	if (status)
		return status;
	status = take_in(&chain, prio);
	close_chain(&chain);
	return status;
}

static int change(const char *dev, uint32_t mode, uint32_t prio, uint32_t to,
		  const struct chain_program *program)
{
	struct chain chain;
	int status = open_chain(&chain, dev);

	if (status)
		return status;
	chain.mode = chain.hook.id ? chain.hook.mode : mode ?: WEIR_MODE_XDP;
	if (program && chain.hook.chain)
		status = extend(&chain, WEIR_XDP_CMD_CHAIN_SET, prio, program);
	else
		status = told(&chain, ask(&chain, WEIR_XDP_CMD_CHAIN_SET, prio, to, program));
	/* Somebody took the chain's program off the device. */
	if (!status && !chain.hook.id)
		status = attach_base(&chain);
	close_chain(&chain);
	return status;
}

int chain_replace(const char *dev, uint32_t prio, const struct chain_program *program)
{
	return change(dev, 0, prio, 0, program);
}

int chain_move(const char *dev, uint32_t prio, uint32_t to)
{
	return change(dev, 0, prio, to, NULL);
}

/* All of weir's own take fragments. */
int chain_put(const char *dev, uint32_t mode, uint32_t prio, int fd)
{
	const struct chain_program program = { .fd = fd, .frags = true };
	unsigned int ifindex;
	int status = device_find(dev, &ifindex);

	if (status)
		return status;
	return chain_program_id(ifindex, prio) ? change(dev, mode, prio, 0, &program) :
						 chain_add(dev, mode, prio, &program);
}

int chain_take(const char *dev, uint32_t prio)
{
	struct chain chain;
	int status = open_chain(&chain, dev);

	if (status)
		return status;
	chain.mode = chain.hook.mode;
	status = told(&chain, ask(&chain, WEIR_XDP_CMD_CHAIN_DEL, prio, 0, NULL)) ?: fit(&chain);
	close_chain(&chain);
	return status;
}
