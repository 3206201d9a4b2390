// SPDX-License-Identifier: GPL-2.0
#include <errno.h>

#include <libmnl/libmnl.h>
#include <weir.h>
#include <weir_trim_nl.h>

#include "base/tool.h"
#include "netlink/genl.h"
#include "program/sender.h"

bool sender_unfinished(unsigned int ifindex)
{
	struct nl_replies replies = {};
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *message;
	struct weir weir;
	bool unfinished;

	if (weir_try_open(&weir))
		return false;
	message = weir_begin(&weir, buffer, weir_has(&weir, WEIR_CMD_DEVICE_GET) ?
			     WEIR_CMD_DEVICE_GET : WEIR_CMD_TRIM_DEVICE_GET, 0);
	nl_put_u32(message, WEIR_A_DEVICE_IFINDEX, ifindex);
	unfinished = !nl_talk(&weir.nl, buffer, &replies) && replies.count &&
		     weir_attribute(replies.message[0], WEIR_A_DEVICE_UNFINISHED);
	nl_replies_free(&replies);
	weir_close(&weir);
	return unfinished;
}

int sender_check(const char *dev, unsigned int ifindex, const char *else_what)
{
	if (!sender_unfinished(ifindex))
		return WEIR_OK;
	return refused(EOPNOTSUPP, "%s gets packets whose checksums its other end has left undone, and XDP would pass them on like that, for receivers to drop: run `ethtool -K DEVICE tx off` at the other end, or %s",
		       dev, else_what);
}
