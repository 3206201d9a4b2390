/* SPDX-License-Identifier: GPL-2.0 */
/* The generic netlink families of weir's modules, by one socket. */
#ifndef WEIR_GENL_H
#define WEIR_GENL_H

#include <stdint.h>

#include "netlink/nl.h"

enum family_of { FAMILY_WEIR, FAMILY_TRIM, FAMILY_XDP, FAMILIES };

/**
 * struct family - a family of this kernel
 * @id: 0 where its module is not loaded
 * @events: the id of its multicast group
 */
struct family {
	uint16_t id;
	uint32_t events;
};

struct weir {
	struct nl nl;
	struct family family[FAMILIES];
};

/*
 * For a request with this command. The families number their commands apart, so a command tells
 * its family. If its module is not loaded, modprobe is tried. Returns 0, or an exit status with
 * the reason printed.
 */
int weir_open(struct weir *weir, uint8_t command);

/* With whatever families there are; there has to be one. Returns as weir_open(). */
int weir_open_any(struct weir *weir);

/* Report that the family's module is not loaded, or that no module is. Return an exit status. */
int weir_refuse_absent(enum family_of family);
int weir_refuse_none(void);

/*
 * As weir_open_any(), without a message. Return 0 or a negative errno: -ENOENT if no family is registered,
 * -EPROTO if the single module of a version before weir_core is loaded.
 */
int weir_try_open(struct weir *weir);
void weir_close(struct weir *weir);

/* The family of a command, and its module's name. */
enum family_of weir_family(uint8_t command);
const char *weir_module(enum family_of family);

/* Return true if the module that has this command is loaded. */
bool weir_has(const struct weir *weir, uint8_t command);

/* Returns true if at least one of the families is registered. */
bool weir_has_any(const struct weir *weir);

/*
 * Join the multicast groups of the registered families, and that of the generic netlink controller, which
 * notifies about families that are registered or unregistered. Return 0 or a negative errno.
 */
int weir_listen(struct weir *weir);

/* Return true if this is an event of one of the families. */
bool weir_is_event(const struct weir *weir, const struct nlmsghdr *message);

/*
 * Take a message of the controller: if it reports that a family of weir's was registered, listen to
 * its events from now on. Return 0, also for any other message, or a negative errno.
 */
int weir_came(struct weir *weir, const struct nlmsghdr *message);

/* Return true, and which in @family, if the message reports that a family of weir's is gone. */
bool weir_gone(struct weir *weir, const struct nlmsghdr *message, enum family_of *family);

/*
 * Starts a request; attributes are put behind it with mnl_attr_put(). If the module of the
 * command is not loaded, nl_talk() refuses it with -ENOENT; a dump has no objects then.
 */
struct nlmsghdr *weir_begin(struct weir *weir, char buffer[static NL_REQUEST_SIZE],
			    uint8_t command, uint16_t flags);

uint8_t weir_command(const struct nlmsghdr *message);
/* The first attribute of a type, or NULL. */
const struct nlattr *weir_attribute(const struct nlmsghdr *message, uint16_t type);
void weir_attributes(const struct nlmsghdr *message, const struct nlattr **table,
		     uint16_t max);

/* module.c: return true if a module, or any of weir's modules, is loaded. */
bool module_is_loaded(const char *module);
bool modules_are_loaded(void);

/*
 * Return true if the module weir is loaded without weir_core: it is of a version that had one module, and one
 * family with other numbers.
 */
bool module_is_single(void);
#define WEIR_SINGLE	"the weir module that is loaded is of a version before weir_core, which this tool does not speak to"

/* Return true if this module, which the kernel has, is a part of its image. */
bool module_is_built_in(const char *module);

/* Load a module with modprobe. Return false if that fails, or without root; true if it is built in. */
bool module_load(const char *module);

/* Any family of this kernel, by its name. The kernel may load a module for it. */
int genl_find(struct nl *nl, const char *name, struct family *family);
struct nlmsghdr *genl_begin(struct nl *nl, char buffer[static NL_REQUEST_SIZE], uint16_t family,
			    uint8_t command, uint16_t flags);

#endif
