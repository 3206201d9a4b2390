// SPDX-License-Identifier: GPL-2.0
/* The family, for a command: it tells why there is none. */
#include <errno.h>
#include <string.h>

#include "base/tool.h"
#include "netlink/genl.h"

int weir_open(struct weir *weir)
{
	int err = weir_try_open(weir);

	if (err == -ENOENT)
		return refused(err, "the weir module is not loaded in this kernel: run `modprobe weir`");
	if (err)
		return refused(err, "cannot open a generic netlink socket: %s",
			       strerror(-err));
	return WEIR_OK;
}
