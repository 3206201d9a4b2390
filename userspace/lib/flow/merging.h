/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether packets are sent as merged messages. The kernel may refuse them, which is an error of
 * the call. Something on the way may lose them where it takes plain packets, and says nothing: a
 * box on the same machine that gets them by generic XDP, which sees one packet of a wrong length.
 * So packets are merged only when they are sent for the first time; and where message after
 * message is lost and none arrives, no more are made.
 */
#ifndef WEIR_MERGING_H
#define WEIR_MERGING_H

#include <stdbool.h>
#include <stdint.h>

/* So many messages in a row: as many are seldom lost by chance. */
#define MERGING_LOST_MAX	3

/**
 * struct merging - the verdict, so far
 * @is_on: packets are merged
 * @lost: messages lost since one arrived
 * @last: when the last of them was sent
 */
struct merging {
	bool is_on;
	unsigned int lost;
	uint64_t last;
};

/* A packet of a merged message has arrived. */
static inline void merging_arrived(struct merging *merging)
{
	merging->lost = 0;
}

/* A packet of the merged message that was sent at @sent is lost, as others of it may be. */
void merging_lost(struct merging *merging, uint64_t sent);

#endif
