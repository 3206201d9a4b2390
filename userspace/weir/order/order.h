/* SPDX-License-Identifier: GPL-2.0 */
/* Packets of a device that are spread over CPUs, or come by several paths, and go on in order. */
#ifndef WEIR_ORDER_TOOL_H
#define WEIR_ORDER_TOOL_H

#include <stdbool.h>

#include "grammar/grammar.h"

struct nlmsghdr;

extern const struct syntax order_sequence_syntax;
extern const struct syntax order_scope_syntax;

/* show.c: one order; order_save() as the command that adds it. */
void order_print(const struct nlmsghdr *message, bool brief);
void order_save(const struct nlmsghdr *message, uint32_t mode);

#endif
