// SPDX-License-Identifier: GPL-2.0
/*
 * What the reduction is held against: the loop that anybody would write, over
 * the same arrays but in the machine's own byte order, and without a look at
 * overflows. Built with -O3 -mavx2.
 */
#include "plain.h"

void plain_add(int *restrict acc, const plain_unaligned *restrict src, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		acc[i] += src[i];
}
