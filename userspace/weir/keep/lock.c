// SPDX-License-Identifier: GPL-2.0
/*
 * A lock for commands that read the state and then change it by what they read: `weir restore`, `weir
 * flush all` and `weir upgrade`. There is one for all network namespaces, as an upgrade changes them all.
 * The kernel releases it when the process ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/tool.h"
#include "keep/keep.h"

static int fd = -1;

int keep_lock(void)
{
	int status;

	if (fd >= 0)
		return WEIR_OK;
	if (mkdir(KEEP_STATE_DIR, 0755) && errno != EEXIST)
		return refused(errno, "cannot make " KEEP_STATE_DIR ": %s", strerror(errno));
	fd = open(KEEP_STATE_DIR "/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return refused(errno, "cannot open " KEEP_STATE_DIR "/lock: %s", strerror(errno));
	do {
		status = flock(fd, LOCK_EX);
	} while (status && errno == EINTR);
	if (!status)
		return WEIR_OK;
	return refused(errno, "cannot lock " KEEP_STATE_DIR "/lock: %s", strerror(errno));
}

void keep_unlock(void)
{
	if (fd >= 0)
		close(fd);
	fd = -1;
}
