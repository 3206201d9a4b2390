/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets that are sent together: contributions, which may be merged, or questions. */
#ifndef WEIR_BATCH_H
#define WEIR_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "flow/window.h"
#include "packet/outbox.h"

struct weir;

/**
 * struct batch_run - blocks one after the other, whose packets are so in memory
 * @block: the first
 * @count: number of blocks; no more than one message takes
 * @bytes: of each one's packet
 */
struct batch_run {
	uint64_t block;
	uint32_t count;
	uint32_t bytes;
};

/**
 * struct batch - blocks to send packets about, together
 * @why: reason for which the box is asked about them; WINDOW_NOT_ASKED sends contributions
 * @merge: those of one length may be one message
 * @ack: an acknowledgment goes with them, if it fits the last message
 * @blocks: number of blocks
 * @runs: number of runs; each is of one block if they may not be merged
 * @run: the runs
 */
struct batch {
	enum window_asked why;
	bool merge;
	bool ack;
	unsigned int blocks;
	unsigned int runs;
	struct batch_run run[OUTBOX];
};

/* Begins one without blocks. */
void batch_begin(struct batch *batch, enum window_asked why, bool merge);

/* Return how many blocks can be added, whatever their packets are like. */
static inline uint32_t batch_room(const struct batch *batch)
{
	return OUTBOX - batch->runs;
}

/* Add blocks, one after the other, no more than batch_room(). */
void batch_add(const struct weir *comm, struct batch *batch, uint64_t block, uint32_t count);

/*
 * Sends the packets, @together or message by message. Returns how many were sent, or a negative
 * errno.
 */
int batch_send(struct weir *comm, struct batch *batch, bool together);

#endif
