/* SPDX-License-Identifier: GPL-2.0 */
/* Sockets of weir's families, and checks of all messages that come out of them. */
#ifndef TALK_H
#define TALK_H

#include <linux/netlink.h>
#include <stdbool.h>

#include "message.h"

/**
 * struct answer - result of a request
 * @came: a message that ends it: an acknowledgment, a refusal, a dump's end
 * @err: 0 or errno's number
 * @sentence: the refusal has a sentence
 * @place: it says in or by which attribute
 * @replies: objects that were shown
 */
struct answer {
	bool came;
	int err;
	bool sentence;
	bool place;
	unsigned int replies;
};

/* Called for each object that is shown. */
typedef void (*talk_take)(const struct nlmsghdr *nlh, void *data);

/* Ends the program where a module is not loaded. */
void talk_init(void);

int talk_open(void);

/* Sends a message, which is printed with a fault from here on. */
void talk_send(int fd, const struct message *m);

/* One read, of a part of a dump. Returns whether there was anything. */
bool talk_read(int fd, const struct message *m, struct answer *answer, talk_take take,
	       void *data);

/* Sends, and reads all that comes of it. */
void talk(int fd, const struct message *m, struct answer *answer, talk_take take, void *data);

/* Notifications that are there to be read, each checked. Returns how many. */
unsigned int talk_hear(int fd);
void talk_join(int fd);

#endif
