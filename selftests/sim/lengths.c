// SPDX-License-Identifier: GPL-2.0
#include "lengths.h"

/**
 * struct step - of a table of lengths: this part of the flows is not longer
 */
struct step {
	double packets;
	double part;
};

/* Of DCTCP's paper (2010), as pFabric's simulations have it (Alizadeh et al., 2013). */
static const struct step websearch[] = {
	{ 1, 0 }, { 6, 0.15 }, { 13, 0.2 }, { 19, 0.3 }, { 33, 0.4 }, { 53, 0.53 }, { 133, 0.6 },
	{ 667, 0.7 }, { 1333, 0.8 }, { 3333, 0.9 }, { 6667, 0.97 }, { 20000, 1 },
};

/* Of VL2's paper (Greenberg et al., 2009), likewise. */
static const struct step datamining[] = {
	{ 1, 0 }, { 1, 0.5 }, { 2, 0.6 }, { 3, 0.7 }, { 7, 0.8 }, { 267, 0.9 }, { 2107, 0.95 },
	{ 66667, 0.99 }, { 666667, 1 },
};

/* Between the steps of a table lengths are alike likely. */
static double length_at(const struct step *steps, double part)
{
	unsigned int i = 1;

	while (steps[i].part < part)
		i++;
	return steps[i - 1].packets + (steps[i].packets - steps[i - 1].packets) *
	       (part - steps[i - 1].part) / (steps[i].part - steps[i - 1].part);
}

static double mean_length(const struct step *steps)
{
	double sum = 0;

	for (unsigned int i = 1; steps[i - 1].part < 1; i++)
		sum += (steps[i].packets + steps[i - 1].packets) / 2 *
		       (steps[i].part - steps[i - 1].part);
	return sum;
}

double lengths_at(bool is_websearch, double part)
{
	return length_at(is_websearch ? websearch : datamining, part);
}

double lengths_mean(void)
{
	return (mean_length(websearch) + mean_length(datamining)) / 2;
}
