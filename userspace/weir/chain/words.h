/* SPDX-License-Identifier: GPL-2.0 */
/* Words of `weir chain` that have a form of their own. */
#ifndef WEIR_CHAIN_WORDS_H
#define WEIR_CHAIN_WORDS_H

#include "grammar/grammar.h"

extern const struct syntax chain_prio_syntax;
extern const struct names chain_mode_names;

#endif
