/* SPDX-License-Identifier: BSD-2-Clause */
/* A mapper's numbered packets, from the first one that is not acknowledged. */
#ifndef WEIR_KV_FLIGHT_H
#define WEIR_KV_FLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flow/pace.h"
#include "flow/rtt.h"
#include "kv/wire.h"

/**
 * struct kv_packet - a packet
 * @bytes: header and pairs
 * @length: number of bytes
 * @sent: time at which it was last sent, ns
 * @order: its place among all sendings
 * @later: number of packets sent later that have been acknowledged since
 * @again: it was sent more than once
 * @taken: it is acknowledged
 */
struct kv_packet {
	uint8_t *bytes;
	size_t length;
	uint64_t sent;
	uint64_t order;
	unsigned int later;
	bool again;
	bool taken;
};

/**
 * struct kv_flight - the packets
 * @slot: packet N is in slot N % WEIR_KV_WINDOW
 * @base: the first that is not acknowledged
 * @unsent: the first that was not sent
 * @next: the number of the one that is being filled
 * @acked: the highest number that has come in an acknowledgment
 * @limit: the first that the other end has no room for
 * @under_way: number of packets that were sent and are not acknowledged
 * @order: number of sendings
 * @timer: time at which the retransmission timer was restarted, ns
 * @pace: the congestion window
 * @rtt: round trips
 */
struct kv_flight {
	struct kv_packet slot[WEIR_KV_WINDOW];
	uint32_t base;
	uint32_t unsent;
	uint32_t next;
	uint32_t acked;
	uint32_t limit;
	uint32_t under_way;
	uint64_t order;
	uint64_t timer;
	struct pace pace;
	struct rtt rtt;
};

/* Room for packets of so many bytes. Returns 0 or -ENOMEM. */
int kv_flight_init(struct kv_flight *flight, size_t length);
void kv_flight_uninit(struct kv_flight *flight);

/* No packet yet. The estimate of round trips stays. */
void kv_flight_reset(struct kv_flight *flight);

static inline struct kv_packet *kv_flight_packet(struct kv_flight *flight, uint32_t number)
{
	return &flight->slot[number % WEIR_KV_WINDOW];
}

/* Return true if there is a slot for packet @next. */
static inline bool kv_flight_has_slot(const struct kv_flight *flight)
{
	return flight->next - flight->base < WEIR_KV_WINDOW;
}

/* Return true if packet @unsent is complete and may be sent now. */
bool kv_flight_may_send(const struct kv_flight *flight);

/* Note that it was sent, or another one again. */
void kv_flight_sent(struct kv_flight *flight, struct kv_packet *packet, uint64_t now);

/* Takes an acknowledgment. False: it is about packets that were never sent. */
bool kv_flight_acked(struct kv_flight *flight, const struct kv_header *header, uint64_t now);

/* Return the time when the retransmission timer runs out, or UINT64_MAX if nothing is under way. */
uint64_t kv_flight_expiry(struct kv_flight *flight);

/* The timer has run out: all that is under way is lost. */
void kv_flight_expire(struct kv_flight *flight, uint64_t now);

/* A packet that is lost and has not been sent again; NULL where there is none. */
struct kv_packet *kv_flight_lost(struct kv_flight *flight, uint64_t now);

#endif
