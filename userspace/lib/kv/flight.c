// SPDX-License-Identifier: BSD-2-Clause
#include "kv/flight.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* So many later ones that are acknowledged tell that a packet is lost, and not only late. */
#define LATER_LOST	3

int kv_flight_init(struct kv_flight *flight, size_t length)
{
	for (size_t i = 0; i < WEIR_KV_WINDOW; i++) {
		flight->slot[i].bytes = malloc(length);
		if (!flight->slot[i].bytes)
			return -ENOMEM;
	}
	kv_flight_reset(flight);
	return 0;
}

void kv_flight_uninit(struct kv_flight *flight)
{
	for (size_t i = 0; i < WEIR_KV_WINDOW; i++)
		free(flight->slot[i].bytes);
}

void kv_flight_reset(struct kv_flight *flight)
{
	flight->base = 0;
	flight->unsent = 0;
	flight->next = 0;
	flight->acked = 0;
	/* Until the other end says how much room it has. */
	flight->limit = 1;
	flight->under_way = 0;
	pace_init(&flight->pace, WEIR_KV_WINDOW, PACE_ONE);
}

bool kv_flight_may_send(const struct kv_flight *flight)
{
	return flight->unsent != flight->next && kv_before(flight->unsent, flight->limit) &&
	       pace_room(&flight->pace, flight->under_way);
}

void kv_flight_sent(struct kv_flight *flight, struct kv_packet *packet, uint64_t now)
{
	packet->sent = now;
	packet->order = ++flight->order;
	packet->later = 0;
	if (packet == kv_flight_packet(flight, flight->unsent) &&
	    flight->unsent != flight->next) {
		packet->again = false;
		packet->taken = false;
		if (!flight->under_way++)
			flight->timer = now;
		flight->unsent++;
	} else {
		packet->again = true;
	}
	pace_sent(&flight->pace, flight->under_way);
}

static void count_later(struct kv_flight *flight, uint64_t order)
{
	for (uint32_t i = flight->base; i != flight->unsent; i++) {
		struct kv_packet *packet = kv_flight_packet(flight, i);

		if (!packet->taken && packet->order < order)
			packet->later++;
	}
}

static void take(struct kv_flight *flight, struct kv_packet *packet, uint64_t now)
{
	const struct pace_answer answer = {
		.blocks = 1, .sent = packet->sent, .again = packet->again,
	};

	packet->taken = true;
	flight->under_way--;
	flight->timer = now;
	if (packet->again)
		rtt_answered(&flight->rtt);
	else
		rtt_sample(&flight->rtt, packet->sent, now);
	pace_answered(&flight->pace, &answer, now);
	count_later(flight, packet->order);
}

bool kv_flight_acked(struct kv_flight *flight, const struct kv_header *header, uint64_t now)
{
	if (kv_before(flight->unsent, header->seq))
		return false;
	for (uint32_t i = flight->base; i != flight->unsent; i++) {
		struct kv_packet *packet = kv_flight_packet(flight, i);

		if (!packet->taken && kv_has(header->seq, header->more, i))
			take(flight, packet, now);
	}
	while (flight->base != flight->unsent && kv_flight_packet(flight, flight->base)->taken)
		flight->base++;
	if (kv_before(header->seq, flight->acked))
		return true;
	flight->acked = header->seq;
	flight->limit = header->seq + header->window;
	return true;
}

static uint64_t earliest(struct kv_flight *flight)
{
	uint64_t sent = UINT64_MAX;

	for (uint32_t i = flight->base; i != flight->unsent; i++) {
		struct kv_packet *packet = kv_flight_packet(flight, i);

		if (!packet->taken && packet->sent < sent)
			sent = packet->sent;
	}
	return sent;
}

uint64_t kv_flight_expiry(struct kv_flight *flight)
{
	uint64_t since;

	if (!flight->under_way)
		return UINT64_MAX;
	since = earliest(flight);
	if (since < flight->timer)
		since = flight->timer;
	return since + rtt_timeout(&flight->rtt);
}

void kv_flight_expire(struct kv_flight *flight, uint64_t now)
{
	for (uint32_t i = flight->base; i != flight->unsent; i++)
		kv_flight_packet(flight, i)->later = LATER_LOST;
	flight->rtt.backoff++;
	flight->timer = now;
}

struct kv_packet *kv_flight_lost(struct kv_flight *flight, uint64_t now)
{
	for (uint32_t i = flight->base; i != flight->unsent; i++) {
		struct kv_packet *packet = kv_flight_packet(flight, i);

		if (packet->taken || packet->later < LATER_LOST)
			continue;
		pace_lost(&flight->pace, packet->sent, now);
		return packet;
	}
	return NULL;
}
