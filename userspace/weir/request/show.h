/* SPDX-License-Identifier: GPL-2.0 */
/* Objects as the kernel describes them, printed: for `show` and for `monitor`. */
#ifndef WEIR_SHOW_H
#define WEIR_SHOW_H

#include <libmnl/libmnl.h>
#include <stdbool.h>

#include "base/print.h"
#include "grammar/grammar.h"

struct args;
struct nl_replies;

/*
 * Prints the fields of one object into the JSON object that the caller has begun.
 * @brief leaves the counters to JSON.
 */
typedef void print_object_fn(const struct nlmsghdr *message, bool brief);

print_object_fn job_print, source_print, block_print, trim_print, trim_default_print;

/* The command that makes an object, in words. False: it is bound to a device that is gone. */
bool job_save(const struct nlmsghdr *message);
bool source_save(const struct nlmsghdr *message);
void trim_save(const struct nlmsghdr *message);
void trim_default_save(const struct nlmsghdr *message);
void trim_pool_save(const struct nlmsghdr *message);
void trim_acl_save(const struct nlmsghdr *message);

/*
 * Print the device that an object is bound to; nothing if it is bound to none. @key: of the device's number,
 * in JSON
 */
void show_device(const char *dev, const char *key, const struct nlattr *attr);
void show_vlan(const char *key, const struct nlattr *attr);

void port_print(const struct nlmsghdr *message);
void port_print_stats(const struct nlmsghdr *message);

/* All of an answer, as a list. */
void show_replies(const struct nl_replies *replies, print_object_fn *print);

/*
 * `show`: one object, or a list of them. show_some() prints the first @limit, and sets @left to how
 * many others there are. Returns an exit status.
 */
int show_some(const struct args *args, bool one, print_object_fn *print, size_t limit,
	      size_t *left);
int show_run(const struct args *args, bool one, print_object_fn *print);

/*
 * `show` of what the module lists for all devices at once: those of `dev`, where it is given.
 * @what: it is, for a complaint; @ifname: the attribute with the device's name
 */
int show_of_dev(const struct args *args, const char *what, uint16_t ifname,
		print_object_fn *print);

/* Counters of a WEIR_A_*_STATS nest, and the reasons that occurred. */
void stats_print(const struct nlattr *nest);

/* Fields that may be absent: then nothing is printed. */
void show_number(const char *key, const struct nlattr *attr);
void show_name(const char *key, const struct names *names, const struct nlattr *attr);
/* Values of keys that are made from the specs: `show` has them by these names, and `save`. */
void show_keys(const struct verb_key *keys, const struct nlattr **attrs);
void show_address(const char *label, const char *key, const struct nlattr *attr);

/* Of a source's state. */
enum color state_color(uint32_t state);

#endif
