/* SPDX-License-Identifier: GPL-2.0 */
/* Lines of a file or a pipe that may be slow. */
#ifndef WEIR_KV_LINES_H
#define WEIR_KV_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* No key and value of numbers take more. */
#define LINES_BYTES 65536

/**
 * struct lines - what is read
 * @name: of the file, for sentences
 * @fd: it
 * @begin: offset at which it was opened; -1 of a pipe, which cannot be read again
 * @number: of the line that came last, from 1
 * @from: start of the next line
 * @to: the end of what has been read
 * @ended: no more comes
 */
struct lines {
	const char *name;
	int fd;
	off_t begin;
	unsigned long long number;
	size_t from;
	size_t to;
	bool ended;
	char bytes[LINES_BYTES];
};

/* @name: NULL for the standard input. Returns an exit status. */
int lines_open(struct lines *lines, const char *name);
void lines_close(struct lines *lines);

/*
 * The next line, without its line feed: 1, or 0 at the end. -EAGAIN: nothing has come for half a
 * second; -E2BIG: it is longer than any that is right; and others of read().
 */
int lines_next(struct lines *lines, char **line, size_t *length);

/* From the first line again. False: it is a pipe. */
bool lines_rewind(struct lines *lines);

#endif
