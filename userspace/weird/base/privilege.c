// SPDX-License-Identifier: GPL-2.0
#include "base/privilege.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"

static void drop_bounds(void)
{
	int cap;

	for (cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++) {
		/* Without CAP_SETPCAP the bound stays; what the process has is dropped below. */
		if (cap != CAP_NET_ADMIN)
			prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
	}
}

void privilege_drop(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {};
	unsigned int mine;

	if (syscall(SYS_capget, &header, data))
		log_die("capabilities cannot be read: %s", strerror(errno));
	mine = data[0].permitted & 1u << CAP_NET_ADMIN;
	if (!mine)
		log_line("without CAP_NET_ADMIN no job can be added");
	drop_bounds();
	memset(data, 0, sizeof(data));
	data[0].permitted = mine;
	data[0].effective = mine;
	if (syscall(SYS_capset, &header, data))
		log_die("capabilities cannot be dropped: %s", strerror(errno));
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}
