// SPDX-License-Identifier: GPL-2.0
#include "flow.h"

#include <stdlib.h>

#define START		10	/* RFC 6928 */
#define LEAST		2
#define MOST		512	/* what a receiver has room for: 4.6 MB */
#define SHARE_GAIN	(1.0 / 16)
#define OVERTAKEN	3	/* sendings, RFC 5681 */

/* The least of Linux is 200 ms; DCTCP's paper has 10 ms. */
#define TIMEOUT		(10 * MSEC)
#define BACKOFF		5

struct flow_counts flow_counts;

static bool bit(const uint8_t *bits, uint32_t i)
{
	return bits[i / 8] & (1u << i % 8);
}

static void set_bit(uint8_t *bits, uint32_t i)
{
	bits[i / 8] |= (uint8_t)(1u << i % 8);
}

static uint32_t payload(const struct flow *flow, uint32_t packet)
{
	return packet + 1 == flow->packets ? flow->last_payload : flow->payload;
}

static bool is_out(const struct flow *flow, uint32_t sending)
{
	return flow->sendings[sending & flow->mask].is_out;
}

static void set_timer(struct flow *flow)
{
	if (!flow->timer.is_due)
		event_at(&flow->timer, flow->heard + (TIMEOUT << flow->silences));
}

static void send_packet(struct flow *flow, uint32_t number)
{
	struct packet packet = {
		.path = &flow->there,
		.to = &flow->receiver,
		.bytes = payload(flow, number) + FLOW_HEADERS,
		.number = flow->sent,
		.extra = number,
	};

	if (!flow->out)
		flow->heard = event_now();
	flow->sendings[flow->sent++ & flow->mask] = (struct sending) { number, true };
	flow->out++;
	net_send(&packet);
}

/* Of sendings that are out the oldest has to be within reach of the ring. */
static bool has_room(const struct flow *flow)
{
	return flow->out < (uint32_t)flow->window && flow->sent - flow->oldest <= flow->mask;
}

static void send_all(struct flow *flow)
{
	while (flow->again_count && has_room(flow)) {
		flow_counts.again++;
		send_packet(flow, flow->again[--flow->again_count]);
	}
	while (flow->next < flow->allowed && has_room(flow)) {
		flow_counts.payload += payload(flow, flow->next);
		send_packet(flow, flow->next++);
	}
	if (flow->out)
		set_timer(flow);
}

static void set_window(struct flow *flow, double window)
{
	if (window < LEAST)
		window = LEAST;
	flow->window = window < MOST ? window : MOST;
}

/* Once a round trip. */
static void cut(struct flow *flow, uint32_t sending, double part)
{
	if (sending < flow->recovery)
		return;
	set_window(flow, flow->window * (1 - part));
	flow->threshold = flow->window;
	flow->recovery = flow->sent;
}

/* A window that is not used does not grow (RFC 7661). */
static void grow(struct flow *flow)
{
	if (2 * flow->out < (uint32_t)flow->window)
		return;
	set_window(flow, flow->window + (flow->window < flow->threshold ? 1 : 1 / flow->window));
}

static void end_round(struct flow *flow)
{
	double share = (double)flow->round_marked / flow->round_acked;

	flow->share += (share - flow->share) * SHARE_GAIN;
	flow->round_acked = 0;
	flow->round_marked = 0;
	flow->round = flow->sent;
}

static void note_lost(struct flow *flow, uint32_t sending)
{
	struct sending *lost = &flow->sendings[sending & flow->mask];

	lost->is_out = false;
	flow->out--;
	if (flow->again_count == flow->again_room) {
		flow->again_room = 2 * flow->again_room + 16;
		flow->again = sim_grow(flow->again, flow->again_room, sizeof(*flow->again));
	}
	flow->again[flow->again_count++] = lost->packet;
}

static void find_lost(struct flow *flow, uint32_t acked)
{
	for (; flow->oldest != flow->sent; flow->oldest++) {
		if (!is_out(flow, flow->oldest))
			continue;
		if (flow->oldest + OVERTAKEN > acked)
			break;
		note_lost(flow, flow->oldest);
		cut(flow, flow->oldest, 0.5);
	}
}

static void finish(struct flow *flow)
{
	free(flow->again);
	free(flow->sendings);
	free(flow->has);
	free(flow->is_acked);
	flow->again = NULL;
	flow->sendings = NULL;
	flow->has = NULL;
	flow->is_acked = NULL;
}

static void note_acked(struct flow *flow, const struct packet *ack)
{
	struct sending *sending = &flow->sendings[ack->number & flow->mask];

	if (!bit(flow->is_acked, ack->extra)) {
		set_bit(flow->is_acked, ack->extra);
		flow->acked++;
	}
	/* It may have been given up as lost. */
	if (ack->number - flow->oldest >= flow->sent - flow->oldest || !sending->is_out)
		return;
	if (ack->marked && !flow->is_deaf)
		cut(flow, ack->number, flow->share / 2);
	else if (ack->number >= flow->recovery)
		grow(flow);
	sending->is_out = false;
	flow->out--;
}

static void get_ack(struct endpoint *endpoint, const struct packet *ack)
{
	struct flow *flow = container_of(endpoint, struct flow, sender);

	if (flow_is_done(flow))
		return;
	flow->heard = event_now();
	flow->silences = 0;
	flow->round_acked++;
	flow->round_marked += ack->marked;
	if (ack->number >= flow->round)
		end_round(flow);
	note_acked(flow, ack);
	find_lost(flow, ack->number);
	if (flow_is_done(flow))
		finish(flow);
	else
		send_all(flow);
}

static void acknowledge(struct flow *flow, const struct packet *packet)
{
	const struct packet ack = {
		.path = &flow->back,
		.to = &flow->sender,
		.bytes = FLOW_ACK,
		.marked = packet->marked,
		.number = packet->number,
		.extra = packet->extra,
	};

	net_send(&ack);
}

static void get_packet(struct endpoint *endpoint, const struct packet *packet)
{
	struct flow *flow = container_of(endpoint, struct flow, receiver);
	uint32_t before = flow->received;

	acknowledge(flow, packet);
	if (flow_is_done(flow))
		return;
	set_bit(flow->has, packet->extra);
	while (flow->received < flow->packets && bit(flow->has, flow->received))
		flow->received++;
	if (flow->received != before)
		flow->arrived(flow);
}

/* All that is out is taken for lost. */
static void look_for_silence(struct event *event)
{
	struct flow *flow = container_of(event, struct flow, timer);

	if (flow_is_done(flow) || !flow->out)
		return;
	if (event_now() < flow->heard + (TIMEOUT << flow->silences)) {
		set_timer(flow);
		return;
	}
	flow_counts.timeouts++;
	for (; flow->oldest != flow->sent; flow->oldest++)
		if (is_out(flow, flow->oldest))
			note_lost(flow, flow->oldest);
	flow->threshold = flow->window / 2 > LEAST ? flow->window / 2 : LEAST;
	set_window(flow, LEAST);
	flow->recovery = flow->sent;
	if (flow->silences < BACKOFF)
		flow->silences++;
	send_all(flow);
}

void flow_init(struct flow *flow, uint32_t packets, uint32_t bytes)
{
	uint32_t ring = 16;

	flow->sender.receive = get_ack;
	flow->receiver.receive = get_packet;
	flow->timer.run = look_for_silence;
	flow->packets = packets;
	flow->payload = bytes;
	flow->last_payload = bytes;
	flow->window = START;
	flow->threshold = MOST;
	flow->share = 1;
	while (ring < flow->packets && ring < 2 * MOST)
		ring *= 2;
	flow->mask = ring - 1;
	flow->sendings = sim_alloc(ring, sizeof(*flow->sendings));
	flow->has = sim_alloc(flow->packets / 8 + 1, 1);
	flow->is_acked = sim_alloc(flow->packets / 8 + 1, 1);
}

void flow_allow(struct flow *flow, uint32_t packets)
{
	flow->allowed = packets < flow->packets ? packets : flow->packets;
	send_all(flow);
}
