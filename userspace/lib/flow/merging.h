/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decide whether packets are sent as merged messages. The kernel may refuse them, which is an error of
 * the call. Something on the path may lose them while it takes plain packets, and says nothing: a
 * box on the same machine that gets them by generic XDP, which sees one packet of a wrong length.
 * So packets are merged only when they are sent for the first time. If message after message is lost
 * and none arrives, packets go plain for a while; then one message probes the path, as RFC 8899 probes
 * for a larger packet size: the messages may have been refused for another reason, or the path may be
 * another one.
 */
#ifndef WEIR_MERGING_H
#define WEIR_MERGING_H

#include <stdbool.h>
#include <stdint.h>

/* So many messages in a row: as many are seldom lost by chance. */
#define MERGING_LOST_MAX	3

/* The time without merged messages, ns: at first, and after many probes in a row that were lost. */
#define MERGING_PROBE_FIRST	100000000ull
#define MERGING_PROBE_MAX	(1024 * MERGING_PROBE_FIRST)

/**
 * struct merging - the verdict, so far
 * @is_possible: the kernel takes merged messages
 * @lost: messages lost since one arrived
 * @last: time when the last of them was sent; while packets go plain, messages that were sent before
 *	the last probe tell nothing
 * @probe_after: pause before the next probe, ns; 0 before the first
 * @probe_at: time of the next probe, ns; 0 while packets are merged
 */
struct merging {
	bool is_possible;
	unsigned int lost;
	uint64_t last;
	uint64_t probe_after;
	uint64_t probe_at;
};

/* Return true if packets are merged at @now. */
static inline bool merging_is_on(const struct merging *merging, uint64_t now)
{
	return merging->is_possible && now >= merging->probe_at;
}

/* A message is sent at @now: return true if it is to be merged. A probe is the only one for a while. */
bool merging_begin(struct merging *merging, uint64_t now);

/**
 * struct merging_room - how many packets can be sent now, and together
 * @most: may be sent now
 * @flight: are under way
 * @window: may be under way
 * @call: packets of one system call
 * @message: packets of one message
 */
struct merging_room {
	uint32_t most;
	uint32_t flight;
	uint32_t window;
	uint32_t call;
	uint32_t message;
};

/*
 * Return true if packets should wait until more are answered. A short message costs as many system
 * calls, and as much of each layer on its way, as a full one. So wait for as many packets as one call
 * takes or, where that is a large part of the window, one message; in small windows for none. The rest of
 * the window keeps the path busy.
 */
bool merging_waits(const struct merging_room *room);

/* A packet of a merged message has arrived. */
static inline void merging_arrived(struct merging *merging)
{
	merging->lost = 0;
	merging->probe_after = 0;
	merging->probe_at = 0;
}

/* A packet of the merged message that was sent at @sent is lost, and so others of it may be. */
void merging_lost(struct merging *merging, uint64_t sent, uint64_t now);

#endif
