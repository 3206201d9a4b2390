// SPDX-License-Identifier: GPL-2.0
#include "net.h"

#define POOL_CHUNK	4096

/**
 * struct port - a queue and its wire
 * @arrival: of the first packet at the end of the wire
 * @first: packets in the queue and on the wire, in order
 * @busy: when the last of them has left the queue
 */
struct port {
	struct event arrival;
	struct packet *first;
	struct packet *last;
	uint64_t busy;
};

struct net_counts net_counts;

static struct port *ports;
static struct net_config config;
static struct packet *pool;

static struct packet *take(void)
{
	struct packet *taken;

	if (!pool) {
		pool = sim_alloc(POOL_CHUNK, sizeof(*pool));
		for (unsigned int i = 0; i + 1 < POOL_CHUNK; i++)
			pool[i].next = &pool[i + 1];
	}
	taken = pool;
	pool = taken->next;
	return taken;
}

static void give_back(struct packet *packet)
{
	packet->next = pool;
	pool = packet;
}

static uint64_t bytes_in(uint64_t ns)
{
	return ns * config.mbps / 8000;
}

static uint64_t time_of(uint64_t bytes)
{
	return bytes * 8000 / config.mbps;
}

static void lose(struct packet *packet)
{
	net_counts.lost++;
	net_counts.lost_bytes += packet->bytes;
	give_back(packet);
}

/* Behind all that wait at the port. */
static void append(struct port *port, struct packet *packet)
{
	packet->next = NULL;
	if (port->first) {
		port->last->next = packet;
	} else {
		port->first = packet;
		event_at(&port->arrival, packet->arrives);
	}
	port->last = packet;
}

static void enter(struct packet *packet)
{
	struct port *port = &ports[packet->path->ports[packet->hop]];
	uint64_t now = event_now(), queue = port->busy > now ? bytes_in(port->busy - now) : 0;

	if (queue + packet->bytes > config.buffer) {
		lose(packet);
		return;
	}
	if (queue > config.mark) {
		packet->marked = true;
		net_counts.marked++;
	}
	if (queue + packet->bytes > net_counts.longest)
		net_counts.longest = queue + packet->bytes;
	net_counts.hops++;
	net_counts.bytes += packet->bytes;
	port->busy = (queue ? port->busy : now) + time_of(packet->bytes);
	packet->arrives = port->busy + config.delay;
	append(port, packet);
}

static void arrive(struct event *event)
{
	struct port *port = container_of(event, struct port, arrival);
	struct packet *packet = port->first;

	port->first = packet->next;
	if (port->first)
		event_at(event, port->first->arrives);
	if (++packet->hop < packet->path->count) {
		enter(packet);
		return;
	}
	net_counts.arrived++;
	net_counts.arrived_bytes += packet->bytes;
	packet->to->receive(packet->to, packet);
	give_back(packet);
}

void net_init(unsigned int count, const struct net_config *given)
{
	config = *given;
	ports = sim_alloc(count, sizeof(*ports));
	for (unsigned int i = 0; i < count; i++)
		ports[i].arrival.run = arrive;
}

void net_send(const struct packet *packet)
{
	struct packet *copy = take();

	*copy = *packet;
	copy->hop = 0;
	net_counts.sent++;
	net_counts.sent_bytes += packet->bytes;
	enter(copy);
}
