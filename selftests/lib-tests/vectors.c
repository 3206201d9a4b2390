// SPDX-License-Identifier: GPL-2.0
#include "vectors.h"

#include <stdlib.h>

#include "calls.h"
#include "ktap.h"

/* Small enough that 256 of them fit an int32. */
int32_t vector_element(unsigned int rank, unsigned int round, size_t index)
{
	uint32_t x = (uint32_t)index * 2654435761u + rank * 40503u + round * 2246822519u;

	x ^= x >> 15;
	x *= 2246822519u;
	x ^= x >> 13;
	return (int32_t)x >> 9;
}

int32_t vector_sum(unsigned int ranks, unsigned int round, size_t index)
{
	int32_t sum = 0;

	for (unsigned int rank = 0; rank < ranks; rank++)
		sum += vector_element(rank, round, index);
	return sum;
}

void vector_fill(int32_t *vector, size_t count, unsigned int rank, unsigned int round)
{
	for (size_t i = 0; i < count; i++)
		vector[i] = vector_element(rank, round, i);
}

size_t vector_wrong(const int32_t *vector, size_t count, unsigned int ranks, unsigned int round)
{
	size_t wrong = 0;

	for (size_t i = 0; i < count; i++)
		wrong += vector[i] != vector_sum(ranks, round, i);
	return wrong;
}

/* Prints the library's sentence where the result is not the expected one. */
bool expect(struct worker *worker, int err, int expected)
{
	if (err == expected)
		return true;
	ktap_complain(__FILE__, __LINE__, "rank %u: %d instead of %d: %s", worker->rank, err,
		      expected, weir_error(worker->comm));
	return false;
}

void one_int32(struct worker *worker, size_t count, unsigned int round, bool in_place)
{
	int32_t *in = malloc(4 * count + 4);
	int32_t *out = in_place ? in : calloc(count + 1, 4);

	vector_fill(in, count, worker->rank, round);
	out[count] = 0x5a5a5a5a;
	if (expect(worker, allreduce_int32(worker->comm, in, out, count), 0))
		CHECK_EQ(vector_wrong(out, count, worker->cluster->options.ranks, round), 0);
	CHECK_EQ(out[count], 0x5a5a5a5a);
	if (!in_place)
		free(out);
	free(in);
}

void one_float(struct worker *worker, size_t count, unsigned int round)
{
	unsigned int ranks = worker->cluster->options.ranks;
	const double scale = 512;
	float *vector = calloc(count + 1, 4);
	size_t bad = 0;

	for (size_t i = 0; i < count; i++)
		vector[i] = (float)(vector_element(worker->rank, round, i) / scale);
	/* The elements were made so that they are integers again when scaled. */
	if (expect(worker, allreduce_float(worker->comm, vector, vector, count, scale), 0))
		for (size_t i = 0; i < count; i++)
			bad += vector[i] != (float)(vector_sum(ranks, round, i) / scale);
	CHECK_EQ(bad, 0);
	free(vector);
}
