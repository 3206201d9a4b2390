/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_OVERFLOW_H
#define _WEIR_OVERFLOW_H

#include "trim/mode_time.h"

struct weir_trim;
struct weir_trim_rev;

void weir_overflow_signal(const struct weir_trim *trim, unsigned int drops);
struct weir_mode_time weir_overflow_time(const struct weir_trim_rev *rev);

#endif /* _WEIR_OVERFLOW_H */
