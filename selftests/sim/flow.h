/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A connection of TCP with DCTCP (RFC 8257), which sends packets of one length. Each packet is
 * acknowledged by itself. A path keeps the order of packets, so one that is overtaken is lost.
 */
#ifndef SIM_FLOW_H
#define SIM_FLOW_H

#include "net.h"

/* Of a frame of 9,000 bytes: what TCP can carry, with timestamps; and frame and gap around it. */
#define FLOW_PAYLOAD	8948
#define FLOW_HEADERS	(9000 - FLOW_PAYLOAD + 38)
#define FLOW_ACK	90

/**
 * struct sending - a packet under way, by the number of its sending
 * @packet: its number in the connection
 * @is_out: neither acknowledged nor lost
 */
struct sending {
	uint32_t packet;
	bool is_out;
};

/**
 * struct flow - a connection
 * @sender: gets acknowledgements
 * @receiver: gets packets
 * @timer: looks for a silence
 * @arrived: is called when @received has grown
 * @owner: the caller's
 * @is_deaf: to marks, as TCP is that knows losses alone; set by the caller
 * @packets: in all
 * @payload: bytes of a packet
 * @last_payload: of the last one
 * @allowed: packets that may be sent so far
 * @received: packets that have come without a gap
 * @next: the next packet that was never sent
 * @acked: packets that were acknowledged, each once
 * @sent: sendings so far
 * @oldest: the first sending that is out
 * @out: sendings that are out
 * @again: packets to be sent again, a stack of @again_count, with @again_room
 * @mask: a power of two minus one; sending s is in @sendings at s & @mask
 * @has: packets that have come, as a bitmap
 * @is_acked: packets that were acknowledged, likewise
 * @window: how many may be out
 * @threshold: the window grows by one an answer below it
 * @share: the moving average of marked acknowledgements
 * @round: a round trip ends with the acknowledgement of this sending
 * @round_acked: acknowledgements in it, and
 * @round_marked: those with a mark
 * @recovery: marks and losses of sendings before this one belong to the last cut
 * @heard: when something was acknowledged last, or sent after nothing was out
 * @silences: how often the timer has run out since
 */
struct flow {
	struct endpoint sender;
	struct endpoint receiver;
	struct event timer;
	void (*arrived)(struct flow *flow);
	void *owner;
	bool is_deaf;
	struct path there;
	struct path back;
	uint32_t packets;
	uint32_t payload;
	uint32_t last_payload;
	uint32_t allowed;
	uint32_t received;
	uint32_t next;
	uint32_t acked;
	uint32_t sent;
	uint32_t oldest;
	uint32_t out;
	uint32_t again_count;
	uint32_t again_room;
	uint32_t *again;
	uint32_t mask;
	struct sending *sendings;
	uint8_t *has;
	uint8_t *is_acked;
	double window;
	double threshold;
	double share;
	uint32_t round;
	uint32_t round_acked;
	uint32_t round_marked;
	uint32_t recovery;
	uint64_t heard;
	unsigned int silences;
};

/**
 * struct flow_counts - of all connections
 * @payload: bytes that were sent, each once
 * @again: packets that were sent again
 * @timeouts: silences
 */
struct flow_counts {
	uint64_t payload;
	uint64_t again;
	uint64_t timeouts;
};

extern struct flow_counts flow_counts;

/* Packets of that payload; paths are set before. Nothing is allowed to be sent yet. */
void flow_init(struct flow *flow, uint32_t packets, uint32_t payload);

/* The last packet is shorter. */
static inline void flow_end_with(struct flow *flow, uint32_t payload)
{
	flow->last_payload = payload;
}

/* So many packets may be sent from now on. */
void flow_allow(struct flow *flow, uint32_t packets);

static inline bool flow_is_done(const struct flow *flow)
{
	return flow->acked == flow->packets;
}

#endif
