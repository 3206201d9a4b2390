/* SPDX-License-Identifier: GPL-2.0 */
/* Requests that follow from the command line, and the sentence for a refusal. */
#ifndef WEIR_REQUEST_H
#define WEIR_REQUEST_H

#include "grammar/args.h"
#include "netlink/genl.h"

/* Puts the attributes of all keys that have one. Returns an exit status. */
int request_put(struct nlmsghdr *message, const struct args *args);

/* Put only the attributes whose keys scripts/keys-regen makes for the verb. Return an exit status. */
int request_put_attributes(struct nlmsghdr *message, const struct args *args);

/* Sends it; reports a refusal. Returns an exit status. */
int request_send(struct weir *weir, char *buffer, const struct args *args,
		 struct nl_replies *replies);

/*
 * The request of `show`: for one object, where the last key of the verb is
 * given, or a dump.
 */
int request_show(struct weir *weir, const struct args *args, bool one,
		 struct nl_replies *replies);

/*
 * Dump all objects of @command, whatever the command line has; an error message calls them @what.
 * request_list() opens a socket for that, and lists nothing if the module is not loaded. Return an
 * exit status; the caller frees @replies.
 */
int request_dump(struct weir *weir, uint8_t command, const char *what, struct nl_replies *replies);
int request_list(uint8_t command, const char *what, struct nl_replies *replies);

/* Reports the refusal in weir->nl.error. Returns an exit status. */
int request_refused(const struct weir *weir, const struct args *args);

#endif
