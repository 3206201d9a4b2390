// SPDX-License-Identifier: GPL-2.0
/*
 * What the reduction is held against: the loop that anybody would write, over
 * numbers that lie aligned and in the machine's own byte order. Built with
 * -O3 -mavx2.
 */
#include "plain.h"

void plain_add(int *restrict acc, const int *restrict src, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		acc[i] += src[i];
}
