/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Structures that begin with their size, which callers of other versions have
 * other lengths of.
 */
#ifndef WEIR_SIZED_H
#define WEIR_SIZED_H

#include <stddef.h>

/*
 * Fills a caller's structure: what both sides know, and zeroes where only the
 * caller does. Both are @known bytes here; @size is the caller's. Returns 0 or -EINVAL.
 */
int sized_out(void *theirs, size_t size, const void *mine, size_t known);

/*
 * Reads a caller's structure of at least @least bytes into one of @known: what the
 * caller has not is zero, and what is not known here must be. Returns 0, -EINVAL where it is
 * too short, or -E2BIG where it has members that are not known.
 */
int sized_in(void *mine, size_t known, const void *theirs, size_t least);

#endif
