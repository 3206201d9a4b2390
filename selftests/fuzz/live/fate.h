/* SPDX-License-Identifier: GPL-2.0 */
/* The frames that were sent in a round, and the fate of each. */
#ifndef FATE_H
#define FATE_H

#include "frame.h"
#include "wires.h"

#define FATE_FRAMES	64

/**
 * struct fates - a round's frames, and those that have come out
 * @dscp: of trimmed packets
 * @return_dscp: of those that came back
 * @keep: lengths are kept
 * @trims: frames may be trimmed, and come back
 * @first: number of the round's first frame
 * @sent: how many there are
 * @odd: of them, those with a checksum that is filled in anywhere
 * @parts: packets in them that are counted by themselves
 * @late: of the round before, some may still be under way
 * @whole: how many came out of each wire as they were
 * @marked: trimmed, or marked
 * @routed: with another Ethernet header
 * @returned: came back
 * @returned_late: of former rounds, came back in this one
 * @box: frames that the box itself sent by wire a
 * @frame: the frames that were sent
 */
struct fates {
	uint8_t dscp;
	uint8_t return_dscp;
	bool keep;
	bool trims;
	uint32_t first;
	unsigned int sent;
	unsigned int odd;
	unsigned int parts;
	bool late;
	uint64_t whole[WIRES];
	uint64_t marked[WIRES];
	uint64_t routed;
	uint64_t returned;
	uint64_t returned_late;
	uint64_t box;
	struct frame frame[FATE_FRAMES];
};

/*
 * Forgets the frames that came. Frames of former rounds count as faults from here on,
 * unless some had been many packets in one, as their end cannot be waited for.
 */
void fates_begin(struct fates *f);

/* Reads all that has come out, each checked. */
void fates_read(struct fates *f, const struct wires *w);

/* Says which frames nothing has come of: they may have been dropped. */
void fates_tell(const struct fates *f);

/* Of all that left by a wire. */
uint64_t fates_out(const struct fates *f, enum wire wire);

#endif
