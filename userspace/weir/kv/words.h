/* SPDX-License-Identifier: GPL-2.0 */
/* Values that the keys of `weir kv` take. */
#ifndef WEIR_KV_WORDS_H
#define WEIR_KV_WORDS_H

#include "grammar/grammar.h"

/* Types of values: fewer than a job of gradients may have. */
extern const struct names kv_dtype_names;

#endif
