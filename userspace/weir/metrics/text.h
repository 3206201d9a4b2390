/* SPDX-License-Identifier: GPL-2.0 */
/* All that the module counts, as text for Prometheus: for `weir metrics` and for weird. */
#ifndef WEIR_METRICS_TEXT_H
#define WEIR_METRICS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Writes more labels of a job, beginning with a comma, or nothing. */
typedef void metrics_labels_fn(const void *context, uint32_t job, char *labels, size_t size);

/**
 * struct metrics_style - which text
 * @open: OpenMetrics 1.0, else Prometheus' own format 0.0.4, which textfile collectors read
 * @labels: more of them; NULL for none
 * @context: of @labels
 */
struct metrics_style {
	bool open;
	metrics_labels_fn *labels;
	const void *context;
};

/* Writes all that there is now. Returns 0 or a negative errno. */
int metrics_text(FILE *to, const struct metrics_style *style);

#endif
