/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WEIR_MPI_SAY_H
#define WEIR_MPI_SAY_H

#include <stdbool.h>

/* A line on the error output; and one that is only said with WEIR_DEBUG=1. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool say_is_debugging(void);
void say_debug(int rank, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
