// SPDX-License-Identifier: GPL-2.0
#include "figures.h"

#include <stdlib.h>

#include "event.h"

void figures_add(struct figures *figures, double value)
{
	if (figures->count == figures->room) {
		figures->room = 2 * figures->room + 64;
		figures->values = sim_grow(figures->values, figures->room, sizeof(value));
	}
	figures->values[figures->count++] = value;
}

double figures_mean(const struct figures *figures)
{
	double sum = 0;

	for (size_t i = 0; i < figures->count; i++)
		sum += figures->values[i];
	return figures->count ? sum / (double)figures->count : 0;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double figures_percentile(struct figures *figures, double part)
{
	if (!figures->count)
		return 0;
	qsort(figures->values, figures->count, sizeof(*figures->values), compare);
	return figures->values[(size_t)(part * (double)(figures->count - 1))];
}
