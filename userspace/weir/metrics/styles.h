/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WEIR_METRICS_STYLES_H
#define WEIR_METRICS_STYLES_H

#include "grammar/names.h"

/* The formats of `weir metrics`, by their numbers. */
extern const struct names metrics_styles;

#endif
