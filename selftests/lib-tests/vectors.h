/* SPDX-License-Identifier: GPL-2.0 */
/* Vectors whose sums are known, and allreduces of them. */
#ifndef VECTORS_H
#define VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cluster.h"

/* A rank's element at an index, in a round; the sum of 256 fits an int32. */
int32_t vector_element(unsigned int rank, unsigned int round, size_t index);

/* The sum over the first ranks. */
int32_t vector_sum(unsigned int ranks, unsigned int round, size_t index);

void vector_fill(int32_t *vector, size_t count, unsigned int rank, unsigned int round);

/* Return how many elements are not that sum. */
size_t vector_wrong(const int32_t *vector, size_t count, unsigned int ranks, unsigned int round);

/* Prints the library's sentence where the result is not the expected one. */
bool expect(struct worker *worker, int err, int expected);

/* One allreduce, which must succeed with all ranks in it. */
void one_int32(struct worker *worker, size_t count, unsigned int round, bool in_place);
void one_float(struct worker *worker, size_t count, unsigned int round);

#endif
