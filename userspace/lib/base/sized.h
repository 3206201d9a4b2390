/* SPDX-License-Identifier: BSD-2-Clause */
/* Structures that begin with their size, which differs in callers of other versions. */
#ifndef WEIR_SIZED_H
#define WEIR_SIZED_H

#include <stddef.h>

/*
 * Fills a caller's structure: the members that both sides have, and zeroes in those that
 * only the caller has. @mine has @known bytes; @size is the caller's. Returns 0 or -EINVAL.
 */
int sized_out(void *theirs, size_t size, const void *mine, size_t known);

/*
 * Reads a caller's structure of at least @least bytes into one of @known: members that the
 * caller lacks are zero, and members that are unknown here must be. Returns 0, -EINVAL where
 * it is too short, or -E2BIG where unknown members are set.
 */
int sized_in(void *mine, size_t known, const void *theirs, size_t least);

#endif
