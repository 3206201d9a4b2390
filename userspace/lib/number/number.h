/* SPDX-License-Identifier: BSD-2-Clause */
/* Types of numbers and operations on them. */
#ifndef WEIR_NUMBER_H
#define WEIR_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

#include "libweir.h"

/* Bytes of one; 0 where it is no type. */
size_t number_size(enum weir_type type);

bool number_is_float(enum weir_type type);

/* As users write them. "?" where it is none. */
const char *number_name(enum weir_type type);
const char *operation_name(enum weir_operation operation);

#endif
