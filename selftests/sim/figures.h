/* SPDX-License-Identifier: GPL-2.0 */
/* Figures that are collected, and what they come to. */
#ifndef SIM_FIGURES_H
#define SIM_FIGURES_H

#include <stddef.h>

struct figures {
	double *values;
	size_t count;
	size_t room;
};

void figures_add(struct figures *figures, double value);

/* Both are 0 of none. */
double figures_mean(const struct figures *figures);
double figures_percentile(struct figures *figures, double part);

#endif
