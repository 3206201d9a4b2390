/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets and ports. A port is a queue, first come first served, and the wire behind it: of its queue
 * only the end is kept, as a time. So a packet is one event a hop.
 */
#ifndef SIM_NET_H
#define SIM_NET_H

#include "event.h"

/* From pod to pod of three levels: that many ports. */
#define PATH_MAX_PORTS	6

/**
 * struct path - the ports that a packet passes
 */
struct path {
	unsigned int count;
	unsigned int ports[PATH_MAX_PORTS];
};

struct packet;

/**
 * struct endpoint - what packets go to
 * @receive: may keep nothing of the packet
 */
struct endpoint {
	void (*receive)(struct endpoint *endpoint, const struct packet *packet);
};

/* Ranks of a job, as a bitmap. */
#define SIM_RANKS	128

struct ranks {
	uint64_t words[SIM_RANKS / 64];
};

/* Kinds of packets, to the boxes and ranks of a job. */
enum packet_kind { PACKET_CONTRIBUTION, PACKET_QUESTION, PACKET_RESULT, PACKET_WANTED };

/**
 * struct packet - one on its way
 * @next: behind it in its port
 * @arrives: at the end of the port's wire
 * @path: of which @hop ports are behind it
 * @kind: see above; connections do not use it
 * @bytes: on the wire
 * @marked: its own CE, or that of what was summed
 * @number: block, or number of a sending
 * @extra: sequence number, or number of the source
 * @sum: of what the ranks of @ranks have contributed
 */
struct packet {
	struct packet *next;
	uint64_t arrives;
	const struct path *path;
	struct endpoint *to;
	unsigned int hop;
	enum packet_kind kind;
	uint32_t bytes;
	bool marked;
	uint32_t number;
	uint32_t extra;
	uint64_t sum;
	struct ranks ranks;
};

/**
 * struct net_config - of all ports
 * @mbps: Mbit a second
 * @delay: of a wire and of what is at its end, ns
 * @mark: bytes in the queue above which a packet is marked
 * @buffer: bytes in the queue above which it is lost
 */
struct net_config {
	uint32_t mbps;
	uint64_t delay;
	uint64_t mark;
	uint64_t buffer;
};

/**
 * struct net_counts - of all ports and packets
 * @sent: given to net_send()
 * @arrived: at their endpoints
 * @lost: at full queues
 * @marked: at queues, each packet as often as it was
 * @hops: queues that were passed
 * @bytes: through queues
 * @longest: bytes that were in a queue
 */
struct net_counts {
	uint64_t sent;
	uint64_t sent_bytes;
	uint64_t arrived;
	uint64_t arrived_bytes;
	uint64_t lost;
	uint64_t lost_bytes;
	uint64_t marked;
	uint64_t hops;
	uint64_t bytes;
	uint64_t longest;
};

extern struct net_counts net_counts;

void net_init(unsigned int ports, const struct net_config *config);

/* Sends a copy of the packet; path, endpoint, bytes and contents are set. */
void net_send(const struct packet *packet);

#endif
