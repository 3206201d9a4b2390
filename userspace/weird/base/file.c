// SPDX-License-Identifier: GPL-2.0
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ssize_t read_all(int fd, char *text, size_t room)
{
	size_t used = 0;
	ssize_t got;

	while (used < room) {
		got = read(fd, text + used, room - used);
		if (got < 0)
			return got;
		if (!got)
			break;
		used += got;
	}
	return used;
}

char *file_read(const char *path, size_t most, size_t *size)
{
	return file_read_at(AT_FDCWD, path, most, size);
}

char *file_read_at(int directory, const char *path, size_t most, size_t *size)
{
	int fd = openat(directory, path, O_RDONLY | O_CLOEXEC);
	char *text = NULL;
	ssize_t got = -1;

	if (fd < 0)
		return NULL;
	text = malloc(most + 1);
	if (text)
		got = read_all(fd, text, most + 1);
	close(fd);
	if (got >= 0 && (size_t)got <= most) {
		text[got] = '\0';
		*size = got;
		return text;
	}
	if (got >= 0)
		errno = EFBIG;
	free(text);
	return NULL;
}

static int write_all(int fd, const char *text)
{
	size_t left = strlen(text);

	while (left) {
		ssize_t put = write(fd, text, left);

		if (put < 0)
			return -errno;
		text += put;
		left -= put;
	}
	return fdatasync(fd) ? -errno : 0;
}

int file_replace(int directory, const char *name, const char *text, const struct stat *owner)
{
	int fd, err = 0;

	fd = openat(directory, FILE_NEW, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	if (owner && fchown(fd, owner->st_uid, owner->st_gid))
		err = -errno;
	if (!err)
		err = write_all(fd, text);
	close(fd);
	if (!err && renameat(directory, FILE_NEW, directory, name))
		err = -errno;
	if (err)
		unlinkat(directory, FILE_NEW, 0);
	return err;
}
