// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "kv/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/tool.h"

#define PATIENCE_MS 500

int lines_open(struct lines *lines, const char *name)
{
	lines->name = name ? name : "standard input";
	lines->fd = name ? open(name, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (lines->fd < 0)
		return refused(errno, "cannot read %s: %s", name, strerror(errno));
	lines->begin = lseek(lines->fd, 0, SEEK_CUR);
	lines->number = 0;
	lines->from = 0;
	lines->to = 0;
	lines->ended = false;
	return WEIR_OK;
}

void lines_close(struct lines *lines)
{
	if (lines->fd > STDIN_FILENO)
		close(lines->fd);
}

bool lines_rewind(struct lines *lines)
{
	if (lines->begin < 0 || lseek(lines->fd, lines->begin, SEEK_SET) < 0)
		return false;
	lines->number = 0;
	lines->from = 0;
	lines->to = 0;
	lines->ended = false;
	return true;
}

/* Reads more behind what there is, which moves to the beginning. */
static int fill(struct lines *lines)
{
	struct pollfd poller = { .fd = lines->fd, .events = POLLIN };
	ssize_t got;

	memmove(lines->bytes, lines->bytes + lines->from, lines->to - lines->from);
	lines->to -= lines->from;
	lines->from = 0;
	if (lines->to == sizeof(lines->bytes))
		return -E2BIG;
	if (!poll(&poller, 1, PATIENCE_MS))
		return -EAGAIN;
	got = read(lines->fd, lines->bytes + lines->to, sizeof(lines->bytes) - lines->to);
	if (got < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	lines->ended = !got;
	lines->to += (size_t)got;
	return 0;
}

int lines_next(struct lines *lines, char **line, size_t *length)
{
	char *end, *begin;
	int err = 0;

	while (!(end = memchr(lines->bytes + lines->from, '\n', lines->to - lines->from)) &&
	       !lines->ended && !err)
		err = fill(lines);
	if (err)
		return err;
	begin = lines->bytes + lines->from;
	if (!end && lines->from == lines->to)
		return 0;
	*line = begin;
	*length = (end ? end : lines->bytes + lines->to) - begin;
	lines->from += *length + (end != NULL);
	lines->number++;
	return 1;
}
