// SPDX-License-Identifier: GPL-2.0
/* Network devices, by their names. */
#include <errno.h>
#include <net/if.h>

#include "base/device.h"
#include "base/tool.h"

int device_find(const char *name, unsigned int *ifindex)
{
	*ifindex = if_nametoindex(name);
	if (*ifindex)
		return WEIR_OK;
	return refused(ENODEV, "there is no device %s in this network namespace; `ip link` lists those there are",
		       name);
}
