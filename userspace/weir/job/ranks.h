/* SPDX-License-Identifier: GPL-2.0 */
/* Sets of sources, or of ranks of several boxes, written in short: "3,7-9". */
#ifndef WEIR_RANKS_H
#define WEIR_RANKS_H

#include <libmnl/libmnl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir.h>

/* Two of three take most: "1000-1001," for three ranks. */
#define RANKS_TEXT (WEIR_RANKS_MAX * 4)

struct ranks {
	bool in[WEIR_RANKS_MAX];
};

/* Adds the sources missing in a block of the kernel's list. */
void ranks_missing(struct ranks *ranks, const struct nlmsghdr *block);

/* Adds those of a bitmap, u32 words in host byte order. */
void ranks_bitmap(struct ranks *ranks, const struct nlattr *attr);

const char *ranks_text(const struct ranks *ranks, char text[static RANKS_TEXT]);

/* As a text in the colour of warnings, or a list in JSON. */
void ranks_print(const char *key, const struct ranks *ranks);

#endif
