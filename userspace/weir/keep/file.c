// SPDX-License-Identifier: GPL-2.0
/*
 * `weir save -o FILE`: a reader finds the old file or the new one, whole, also after a crash. The text
 * goes to a temporary file in the same directory, is on the disk before the name changes, and the
 * directory is written after it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/tool.h"
#include "keep/keep.h"

#define NEW_FILE_MODE	0644

static char *copy_of(const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		abort();
	return copy;
}

/* Give the new file what the old one has, so that its readers stay the same. */
static int take_after(int fd, const char *path)
{
	struct stat old;
	mode_t mask;

	if (!stat(path, &old)) {
		if (fchown(fd, old.st_uid, old.st_gid) && errno != EPERM)
			return -errno;
		return fchmod(fd, old.st_mode & 07777) ? -errno : 0;
	}
	mask = umask(0);
	umask(mask);
	return fchmod(fd, NEW_FILE_MODE & ~mask) ? -errno : 0;
}

/* Write the commands to the descriptor, which is closed, and wait until the disk has them. */
static int write_out(const struct batch *batch, int fd)
{
	FILE *file = fdopen(fd, "w");
	int err = 0;

	if (!file) {
		err = -errno;
		close(fd);
		return err;
	}
	batch_write(batch, file);
	errno = 0;
	if (fflush(file) || ferror(file) || fsync(fd))
		err = errno ? -errno : -EIO;
	if (fclose(file) && !err)
		err = -errno;
	return err;
}

static int sync_directory(const char *path)
{
	char *copy = copy_of(path);
	int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = 0;

	if (fd < 0 || fsync(fd))
		err = -errno;
	if (fd >= 0)
		close(fd);
	free(copy);
	return err;
}

static int replace(const struct batch *batch, const char *path)
{
	char *temporary;
	int fd, err;

	if (asprintf(&temporary, "%s.XXXXXX", path) < 0)
		abort();
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0) {
		err = -errno;
		free(temporary);
		return err;
	}
	err = take_after(fd, path);
	if (err)
		close(fd);
	err = err ?: write_out(batch, fd);
	if (!err && rename(temporary, path))
		err = -errno;
	if (err)
		unlink(temporary);
	free(temporary);
	return err ?: sync_directory(path);
}

int keep_write(const struct batch *batch, const char *name)
{
	/* The file behind a symbolic link is replaced, not the link. */
	char *path = realpath(name, NULL) ?: copy_of(name);
	struct stat old;
	int err;

	if (!stat(path, &old) && !S_ISREG(old.st_mode)) {
		free(path);
		return refused(0, "%s is not a regular file, which alone can be replaced: write `weir save >%s`",
			       name, name);
	}
	err = replace(batch, path);
	free(path);
	return err ? refused(err, "cannot write %s: %s; it is as it was", name, strerror(-err)) :
		     WEIR_OK;
}
