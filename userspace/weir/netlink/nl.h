/* SPDX-License-Identifier: GPL-2.0 */
/* Netlink: a socket, a request and all of its answers, and why one was refused. */
#ifndef WEIR_NL_H
#define WEIR_NL_H

#include <libmnl/libmnl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NL_REQUEST_SIZE 16384
#define NL_TEXT_SIZE 256

/* Takes the name of the module twice. */
#define NL_ABSENT "the %s module is not loaded in this kernel: run `modprobe %s`"

struct addr;

/**
 * struct nl_error - the kernel's answer about a refused request
 * @err: errno
 * @text: its sentence; empty where it gave none
 * @attr: type of the top-level attribute at fault, 0 where it named none
 * @missing: type of the attribute that it misses, 0 where none
 * @ranged: @min and @max hold the attribute's range
 */
struct nl_error {
	int err;
	char text[NL_TEXT_SIZE];
	uint16_t attr;
	uint16_t missing;
	bool ranged;
	uint64_t min;
	uint64_t max;
};

/**
 * struct nl - a netlink socket
 * @header: bytes of the protocol's own header behind struct nlmsghdr, where the
 *	attributes of a request begin
 * @absent: the module that the request needs which was begun, where it is not loaded; else NULL
 */
struct nl {
	struct mnl_socket *socket;
	uint32_t seq;
	size_t header;
	const char *absent;
	struct nl_error error;
};

/* Copies of the messages that answered a request, in their order. */
struct nl_replies {
	size_t count;
	struct nlmsghdr **message;
};

int nl_open(struct nl *nl, int protocol, size_t header);
void nl_close(struct nl *nl);

/*
 * Starts a request in the buffer: type, flags, then @header bytes of zeroes for
 * the caller to fill, which are returned. nl_room() says that the buffer is larger.
 */
void *nl_begin(struct nl *nl, char buffer[static NL_REQUEST_SIZE], uint16_t type,
	       uint16_t flags);
void nl_room(struct nlmsghdr *message, uint32_t size);

/*
 * put.c: add an attribute to a request, and write nothing if the buffer has no room: then nl_talk()
 * sends nothing and returns -EMSGSIZE.
 */
void nl_put(struct nlmsghdr *message, uint16_t type, size_t len, const void *data);
void nl_put_u32(struct nlmsghdr *message, uint16_t type, uint32_t number);
void nl_put_u64(struct nlmsghdr *message, uint16_t type, uint64_t number);
void nl_put_text(struct nlmsghdr *message, uint16_t type, const char *text);
struct nlattr *nl_nest(struct nlmsghdr *message, uint16_t type);
void nl_nest_end(struct nlmsghdr *message, struct nlattr *nest);

/* Return true if an attribute of the request found no room. */
bool nl_is_short(const struct nlmsghdr *message);

/*
 * Sends the request and takes all answers. Returns 0 or a negative errno with
 * nl->error filled. @replies may be NULL; else the caller frees it, also after an
 * error. A dump that a change interrupted is repeated.
 */
int nl_talk(struct nl *nl, char *buffer, struct nl_replies *replies);
void nl_replies_free(struct nl_replies *replies);

/*
 * As nl_talk(), for a request that lists things: returns room for as many as came,
 * @size bytes each, zeroed, which the caller frees; or NULL, and sets @err.
 */
void *nl_list(struct nl *nl, char *buffer, struct nl_replies *replies, size_t size, int *err);

/*
 * Set @table to the attributes behind the protocol's header, or in a nest, by type; those beyond @max are left
 * out. If @nest is NULL, there are none.
 */
void nl_attributes(const struct nlmsghdr *message, size_t header,
		   const struct nlattr **table, uint16_t max);
void nl_nested(const struct nlattr *nest, const struct nlattr **table, uint16_t max);

/* A value by its length: 4 bytes or 8 ("uint"), 1 or 2; 0 where absent. */
uint64_t nl_uint(const struct nlattr *attr);
const char *nl_string(const struct nlattr *attr);

/* nl_addr.c: an address; false where it is absent, or none. */
bool nl_addr(const struct nlattr *attr, struct addr *addr);

#endif
