// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "perf.h"

/* The library's own. */
#define GRADS_DEFAULT	1024

bool memory_make(struct perf_memory *memory, const struct perf_options *options)
{
	uint32_t grads = options->weir.grads ? options->weir.grads : GRADS_DEFAULT;
	uint32_t words = (options->weir.ranks + 63U) / 64;
	size_t blocks = options->max_bytes / type_size(options->type) / grads + 1;

	*memory = (struct perf_memory) {
		.in = malloc(options->max_bytes),
		.out = malloc(options->max_bytes),
		.blocks.grads = grads,
		.blocks.words = words,
		.blocks.contributors = calloc(blocks * words, sizeof(*memory->blocks.contributors)),
	};
	if (options->residual)
		memory->residual = malloc(options->max_bytes);
	return memory->in && memory->out && memory->blocks.contributors &&
	       (memory->residual || !options->residual);
}

void memory_free(struct perf_memory *memory)
{
	free(memory->in);
	free(memory->out);
	free(memory->residual);
	free(memory->blocks.contributors);
}

void memory_note(void *memory, const struct weir_block_info *block)
{
	const struct perf_blocks *blocks = &((struct perf_memory *)memory)->blocks;

	memcpy(blocks->contributors + block->offset / blocks->grads * blocks->words,
	       block->all_contributors, blocks->words * sizeof(uint64_t));
}
