/* SPDX-License-Identifier: BSD-2-Clause */
/* A packet without gradients: it asks the box about a block. */
#ifndef WEIR_QUESTION_H
#define WEIR_QUESTION_H

#include "comm/comm.h"
#include "packet/wire.h"

static inline struct wire_header question_header(const struct weir *comm, uint64_t block)
{
	const struct config *config = &comm->config;

	return (struct wire_header) {
		.block = (uint32_t)block,
		.generation = comm->member.generation,
		.job = config->job,
		.rank = (uint8_t)config->rank,
		.ranks = 1,
		.joined = true,
	};
}

#endif
