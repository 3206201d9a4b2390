// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "watch/journal.h"

#define JOURNAL_SOCKET "/run/systemd/journal/socket"

int journal_open(void)
{
	const struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = JOURNAL_SOCKET };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;

	if (fd < 0)
		return -errno;
	if (!connect(fd, (const struct sockaddr *)&address, sizeof(address)))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

/* One datagram an entry, one line a field: no field's text has a line's end in it. */
int journal_send(int fd, const struct entry *entry)
{
	char text[4096];
	int used = snprintf(text, sizeof(text), "MESSAGE=%s\nPRIORITY=%d\nSYSLOG_IDENTIFIER=weir\nWEIR_EVENT=%s\n",
			    entry->message, entry->priority, entry->event);

	if (entry->job >= 0 && used < (int)sizeof(text))
		used += snprintf(text + used, sizeof(text) - used, "WEIR_JOB=%d\n", (int)entry->job);
	if (entry->source >= 0 && used < (int)sizeof(text))
		used += snprintf(text + used, sizeof(text) - used, "WEIR_SOURCE=%d\n",
				 (int)entry->source);
	if (used >= (int)sizeof(text))
		return -EMSGSIZE;
	return send(fd, text, used, MSG_NOSIGNAL) == used ? 0 : -errno;
}
