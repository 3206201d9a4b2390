/* SPDX-License-Identifier: GPL-2.0 */
/* The weir family of generic netlink. */
#ifndef WEIR_GENL_H
#define WEIR_GENL_H

#include <stdint.h>

#include "netlink/nl.h"

/* @events: the id of the family's multicast group */
struct weir {
	struct nl nl;
	uint16_t family;
	uint32_t events;
};

/* Returns 0, or an exit status with the reason printed. */
int weir_open(struct weir *weir);

/* As weir_open(), but prints nothing: a negative errno, -ENOENT for no module. */
int weir_try_open(struct weir *weir);

/* As weir_try_open(), for another family of this kernel. */
int genl_try_open(struct weir *weir, const char *name);
void weir_close(struct weir *weir);

/*
 * Has the socket hear the family's events, and those of the controller, which tells that a
 * family has gone. Returns 0 or a negative errno.
 */
int weir_listen(struct weir *weir);

/* Does this message of the controller say that the module was unloaded? */
bool weir_gone(const struct nlmsghdr *message);

/* Starts a request; attributes are put behind it with mnl_attr_put(). */
struct nlmsghdr *weir_begin(struct weir *weir, char buffer[static NL_REQUEST_SIZE],
			    uint8_t command, uint16_t flags);

uint8_t weir_command(const struct nlmsghdr *message);
/* The first attribute of a type, or NULL. */
const struct nlattr *weir_attribute(const struct nlmsghdr *message, uint16_t type);
void weir_attributes(const struct nlmsghdr *message, const struct nlattr **table,
		     uint16_t max);

#endif
