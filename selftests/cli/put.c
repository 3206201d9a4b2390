// SPDX-License-Identifier: GPL-2.0
/* Attributes of the tool's requests that do not fit: nothing is written behind the buffer. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netlink/nl.h"

#define ROOM	256
#define MARK	0x5a

static char buffer[2 * ROOM] __attribute__((aligned(8)));

static struct nlmsghdr *begin(void)
{
	struct nlmsghdr *message;

	memset(buffer, MARK, sizeof(buffer));
	message = mnl_nlmsg_put_header(buffer);
	nl_room(message, ROOM);
	return message;
}

/* The request fits or says that it does not, and what is behind the buffer is as it was. */
static bool good(const struct nlmsghdr *message, bool is_short)
{
	size_t i;

	for (i = ROOM; i < sizeof(buffer); i++) {
		if (buffer[i] != MARK)
			return false;
	}
	return message->nlmsg_len <= ROOM && nl_is_short(message) == is_short;
}

static bool texts(void)
{
	char text[2 * ROOM] = "";
	bool fine = true;
	size_t length;

	for (length = 0; length < sizeof(text) - 1; length++) {
		struct nlmsghdr *message = begin();

		nl_put_text(message, 1, text);
		fine &= good(message, sizeof(*message) + MNL_ATTR_HDRLEN + MNL_ALIGN(length + 1) > ROOM);
		text[length] = 'x';
	}
	return fine;
}

static bool many(void)
{
	struct nlmsghdr *message = begin();
	bool fine = true;
	unsigned int i;

	for (i = 0; i < ROOM; i++) {
		struct nlattr *nest = nl_nest(message, 1);

		nl_put_u32(message, 2, i);
		nl_put_u64(message, 3, i);
		nl_nest_end(message, nest);
		fine &= good(message, nl_is_short(message));
	}
	return fine && nl_is_short(message);
}

static bool too_long_to_send(void)
{
	struct nl nl = {};

	nl_put(begin(), 1, ROOM, buffer);
	return nl_talk(&nl, buffer, NULL) == -EMSGSIZE && nl.error.err == EMSGSIZE;
}

int main(void)
{
	static const struct {
		const char *name;
		bool (*test)(void);
	} tests[] = {
		{ "texts of all lengths", texts }, { "many attributes", many },
		{ "a request that is too long is not sent", too_long_to_send },
	};
	unsigned int i;
	int failed = 0;

	printf("KTAP version 1\n1..%zu\n", sizeof(tests) / sizeof(tests[0]));
	for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		bool fine = tests[i].test();

		printf("%s %u %s\n", fine ? "ok" : "not ok", i + 1, tests[i].name);
		failed |= !fine;
	}
	return failed;
}
