/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A device's chain of XDP programs. The module holds them and runs them, for a program of weir's
 * that is attached to the device: it comes with the first one, and goes with the last one.
 */
#ifndef WEIR_CHAIN_H
#define WEIR_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/print.h"
#include "netlink/genl.h"
#include "program/program.h"

/**
 * struct chain_program - a program that is to have a place in a chain
 * @fd: it
 * @frags: it takes frames with fragments
 * @file: absolute path of its file; NULL of weir's own
 * @section: section of that file that it was loaded from; NULL of weir's own
 */
struct chain_program {
	int fd;
	bool frags;
	const char *file;
	const char *section;
};

/**
 * struct chain - a device's chain, open for a change
 * @hook: the XDP program on the device; @hook.chain where it is the chain's
 * @mode: enum weir_mode of the program on the device, now or to be
 */
struct chain {
	const char *dev;
	unsigned int ifindex;
	uint32_t mode;
	struct weir weir;
	struct nl rtnl;
	struct hook hook;
};

/*
 * change.c: exit statuses, with the reason told.
 *
 * chain_put() puts one of weir's own programs in its place, instead of the one that is there. A program
 * that weir has on the device alone goes into a chain with it.
 *
 * @mode: enum weir_mode where the device has no XDP program yet; 0 for the driver's
 */
int chain_put(const char *dev, uint32_t mode, uint32_t prio, int fd);
int chain_take(const char *dev, uint32_t prio);
int chain_add(const char *dev, uint32_t mode, uint32_t prio, const struct chain_program *program);
int chain_replace(const char *dev, uint32_t prio, const struct chain_program *program);
int chain_move(const char *dev, uint32_t prio, uint32_t to);

/*
 * chain.c: loads weir's own program and puts it, and the chain's program onto the device where
 * somebody took it off. @name: of the program, for what is said when it cannot be loaded
 */
int chain_bring(const char *dev, uint32_t mode, uint32_t prio, const char *name,
		int (*load)(struct program *program));

/* chain.c: takes the programs of a kind, WEIR_XDP_CHAIN_PART_*, out of all chains. An exit status. */
int chain_take_all(uint32_t part);

/* The program of somebody else that is on the device goes into a chain, in one step. */
int chain_take_in(const char *dev, uint32_t prio);

/*
 * base.c: the program that the chain hangs on. @flat: some program of the chain takes no
 * fragments. It is attached, or replaced by the other kind; or taken off. Exit statuses.
 */
int base_fit(struct chain *chain, bool flat);
int base_detach(struct chain *chain);

/*
 * adopt.c: weir's program on the device, loaded again for a place in a chain.
 *
 * @prio: set to the place, 0 where the device has no such program
 */
int chain_adopt(struct chain *chain, struct program *program, uint32_t *prio);

/* load.c: a program of the user's file, in an object that object_close() closes. */
struct bpf_object;
int user_load(const char *file, const char *section, struct bpf_object **object,
	      struct chain_program *program);

/* show.c: one program of a chain; chain_save() as the command that adds it. */
void chain_print(const struct nlmsghdr *message, bool brief);
void chain_save(const struct nlmsghdr *message, uint32_t mode);

#endif
