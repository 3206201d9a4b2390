/* SPDX-License-Identifier: GPL-2.0 */
/* The alpha of a dynamic limit: a number or a fraction, kept in 256ths. */
#ifndef WEIR_ALPHA_H
#define WEIR_ALPHA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/units.h"

/* For help and complaints. */
#define ALPHA_TAKES "a number up to 256 or a fraction in 256ths, such as 4 or 1/8"

/* Reads "4" or "1/8". False if it is neither, or beyond the module's bounds. */
bool alpha_read(const char *word, uint32_t *alpha);

/* As it is read. */
const char *alpha_text(char text[static UNITS_TEXT], uint32_t alpha);

#endif
