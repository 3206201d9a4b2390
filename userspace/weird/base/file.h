/* SPDX-License-Identifier: GPL-2.0 */
/* Whole files. */
#ifndef WEIRD_FILE_H
#define WEIRD_FILE_H

#include <stddef.h>

struct stat;

/* The text with a zero byte behind it, which the caller frees; NULL, and errno is set. */
char *file_read(const char *path, size_t most, size_t *size);
char *file_read_at(int directory, const char *path, size_t most, size_t *size);

/* The file that file_replace() writes first; one that is found is of a writer that was killed. */
#define FILE_NEW "new"

/*
 * Puts a file in another's place in one step: readers find the one or the other, also after a
 * crash. It is the calling user's, or, with @owner, that file's or directory's owner's; no other
 * user may read it. Returns 0 or a negative errno.
 */
int file_replace(int directory, const char *name, const char *text, const struct stat *owner);

#endif
