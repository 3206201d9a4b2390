/* SPDX-License-Identifier: GPL-2.0 */
/* Attach the programs of ports to a device, detach them, and choose the best mode for it. */
#ifndef WEIR_ATTACH_H
#define WEIR_ATTACH_H

#include <stdbool.h>
#include <stdint.h>

#include "grammar/args.h"
#include "netlink/genl.h"
#include "program/program.h"

#define PORT_WHY	256

/**
 * struct choice - the mode that is best for a device
 * @mode: enum weir_mode
 * @why: the reason, half a sentence
 */
struct choice {
	uint32_t mode;
	char why[PORT_WHY];
};

/* The programs on a device. */
struct attached {
	struct link link;
	struct hook xdp;
	struct hook tc;
};

/* choose.c */
void port_choose(const struct link *link, struct choice *choice);

/* Return why packets come merged to a device if XDP does not prevent it, or NULL if they do not. */
const char *port_merged(const struct link *link);

/* listen.c: an exit status, with the reason told */
int listen_ports(struct weir *weir, const struct args *args, struct format_ports *ports);

/* attach.c: exit statuses, with the reason told */
int attached_look(struct nl *rtnl, unsigned int ifindex, struct attached *attached);
void attached_free(struct attached *attached);
int attached_remove(struct nl *rtnl, const struct attached *attached, bool *any);

#endif
