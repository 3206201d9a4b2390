/* SPDX-License-Identifier: BSD-2-Clause */
/* A packet without gradients: it asks the box about a block. */
#ifndef WEIR_QUESTION_H
#define WEIR_QUESTION_H

#include "comm/comm.h"
#include "packet/wire.h"
#include "path/absence.h"

static inline struct wire_header question_header(const struct weir *comm, uint64_t block)
{
	const struct config *config = &comm->config;

	return (struct wire_header) {
		.block = (uint32_t)block,
		.generation = comm->member.generation,
		.job = config->job,
		.source = config->source,
		.ranks = 1,
		.joined = true,
	};
}

/* Bytes of a question: one that is longer also asks who is in the block. */
static inline uint32_t question_bytes(const struct weir *comm, enum window_asked why)
{
	bool names = why == WINDOW_ASKED_SILENCE && absence_is_asked(comm);

	return WIRE_HEADER + (names ? WIRE_EXPONENT : 0);
}

#endif
