/* SPDX-License-Identifier: GPL-2.0 */
/* Sets of sources, written in short: "3,7-9". */
#ifndef WEIR_RANKS_H
#define WEIR_RANKS_H

#include <libmnl/libmnl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir.h>

#define RANKS_TEXT (WEIR_SOURCES_MAX * 4)

struct ranks {
	bool in[WEIR_SOURCES_MAX];
};

/* Adds the sources missing in a block of the kernel's list. */
void ranks_missing(struct ranks *ranks, const struct nlmsghdr *block);

const char *ranks_text(const struct ranks *ranks, char text[static RANKS_TEXT]);

#endif
