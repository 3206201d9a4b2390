/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filters of devices: rules, which the module has, and the program in the device's chain that
 * hands packets to them. It comes with the first rule, and goes with the last one.
 */
#ifndef WEIR_FILTER_H
#define WEIR_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/print.h"
#include "grammar/args.h"
#include "netlink/genl.h"

/**
 * struct matches - packets of a rule
 * @count: number of matches
 * @match: the matches
 */
struct matches {
	size_t count;
	struct match *match;
};

/**
 * struct filter_rule - a rule that is to be
 * @ifindex: of the filter's device
 * @prio: its place; 0 for one behind all others
 * @matches: its packets
 * @file: absolute path of the file that they came from, or NULL
 * @common: the `rule` that counts for all that the file has, or NULL
 * @action: action on them
 */
struct filter_rule {
	unsigned int ifindex;
	uint32_t prio;
	struct matches matches;
	const char *file;
	const struct value *common;
	const struct value *action;
};

/*
 * set.c: the matches of `rule` and `set` of a command line. A set is a file with one a line, a
 * prefix of source addresses or as `rule` has it; the conditions of `rule` count for each of them.
 * Exit statuses; the caller frees them.
 */
int matches_read(struct matches *matches, const struct args *args);
void matches_free(struct matches *matches);

/* ask.c: requests to the module. Each returns an exit status, with the reason told. */
int filter_ask_rule(struct weir *weir, uint8_t command, const struct filter_rule *rule, bool more,
		    const struct args *args);
int filter_ask(struct weir *weir, uint8_t command, unsigned int ifindex, uint32_t prio,
	       const struct args *args);

/* Lets packets meet rules that waited for others. A negative errno. */
int filter_commit(struct weir *weir, unsigned int ifindex);

/* Return true if the device has a filter; false also if the module cannot be asked. */
bool filter_there(struct weir *weir, unsigned int ifindex);

/*
 * filter.c: rules wait for each other while they are held, so that packets meet all of them at
 * once, and none is compiled with each of the others. filter_release() lets them go. An exit
 * status.
 */
void filter_hold(void);
int filter_release(void);

/* Takes away rules that wait for others. Best effort. */
void filter_drop_held(const char *dev, unsigned int ifindex);

/* show.c: one rule, or a source that it knows; filter_save() as the command that adds it. */
void filter_print(const struct nlmsghdr *message, bool brief);
void filter_source_print(const struct nlmsghdr *message, bool brief);
enum color filter_source_color(const struct nlmsghdr *message);
void filter_save(const struct nlmsghdr *message, uint32_t mode);

#endif
