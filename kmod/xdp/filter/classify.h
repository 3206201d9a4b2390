/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_FILTER_CLASSIFY_H
#define _WEIR_FILTER_CLASSIFY_H

#include <linux/types.h>
#include <linux/xarray.h>

#include "core/packet/classifier.h"

struct weir_filter_rule;
struct weir_headers;

struct weir_classifier *weir_filter_classifier(struct xarray *rules,
					       const struct weir_filter_rule *except, u32 matches);
struct weir_filter_rule *weir_filter_classify(const struct weir_classifier *classifier,
					      const struct weir_headers *headers, u32 after);

#endif /* _WEIR_FILTER_CLASSIFY_H */
