// SPDX-License-Identifier: GPL-2.0
/* The queue of the Reorder Engine, with numbers for packets, and the table of its flows. */
#include <uapi/weir_xdp_nl.h>

#include "kernel.h"

#include "xdp/order/order.h"
#include "xdp/order/queue.h"
#include "xdp/order/sequence.h"
#include "unit.h"

#define SLOTS 16

static struct weir_queue_slot slots[SLOTS];

static struct weir_queue queue_of(u64 head)
{
	struct weir_queue queue = { .mask = SLOTS - 1, .slot = slots };

	memset(slots, 0, sizeof(slots));
	weir_queue_begin(&queue, head);
	return queue;
}

static void *packet(u64 number)
{
	return (void *)(number * 8 + 8);
}

static enum weir_queue_put put(struct weir_queue *queue, u64 number)
{
	return weir_queue_put(queue, number, packet(number), number + 1);
}

/* All that can be taken, the first one being @number. Return: how many. */
static unsigned int take(struct weir_queue *queue, u64 number)
{
	struct weir_queue_slot slot;
	unsigned int n = 0;

	for (;; n++) {
		slot = weir_queue_take(queue);
		if (!slot.item)
			return n;
		CHECK_EQ((u64)(unsigned long)slot.item, (u64)(unsigned long)packet(number + n));
		CHECK_EQ(slot.since, number + n + 1);
	}
}

static void order_in_turn(void)
{
	struct weir_queue queue = queue_of(0);
	u64 number;

	for (number = 0; number < 100; number++) {
		CHECK_EQ(put(&queue, number), WEIR_QUEUE_TURN);
		CHECK_EQ(take(&queue, number), 1);
	}
	CHECK(!queue.waiting);
}

/* A packet whose turn it is needs no slot, unless others wait behind it. */
static void order_passes(void)
{
	struct weir_queue queue = queue_of(3);

	CHECK(!weir_queue_pass(&queue, 2));
	CHECK(!weir_queue_pass(&queue, 4));
	CHECK(weir_queue_pass(&queue, 3));
	CHECK_EQ(put(&queue, 5), WEIR_QUEUE_TURN);
	CHECK(!weir_queue_pass(&queue, 4));
	CHECK_EQ(queue.head, 4);
	CHECK_EQ(put(&queue, 4), WEIR_QUEUE_TURN);
	CHECK_EQ(take(&queue, 4), 2);
	CHECK(weir_queue_pass(&queue, 6));
	CHECK_EQ(put(&queue, 6), WEIR_QUEUE_LATE);
}

static void order_backwards(void)
{
	struct weir_queue queue = queue_of(7);
	unsigned int i;

	for (i = SLOTS; i-- > 1;) {
		CHECK_EQ(put(&queue, 7 + i), WEIR_QUEUE_TURN);
		CHECK_EQ(take(&queue, 7), 0);
	}
	CHECK_EQ(put(&queue, 7), WEIR_QUEUE_TURN);
	CHECK_EQ(take(&queue, 7), SLOTS);
}

static void order_bounds(void)
{
	struct weir_queue queue = queue_of(100);

	CHECK_EQ(put(&queue, 99), WEIR_QUEUE_LATE);
	CHECK_EQ(put(&queue, 0), WEIR_QUEUE_LATE);
	CHECK_EQ(put(&queue, 100 + SLOTS - 1), WEIR_QUEUE_TURN);
	CHECK_EQ(put(&queue, 100 + SLOTS - 1), WEIR_QUEUE_TWICE);
	CHECK_EQ(put(&queue, 100 + SLOTS), WEIR_QUEUE_FULL);
	CHECK_EQ(put(&queue, 1ULL << 60), WEIR_QUEUE_FULL);
	CHECK_EQ(queue.waiting, 1);
}

static void order_skips(void)
{
	struct weir_queue queue = queue_of(0);

	CHECK_EQ(weir_queue_skip(&queue), 0);
	CHECK_EQ(queue.head, 0);
	put(&queue, 3);
	put(&queue, 4);
	put(&queue, 9);
	CHECK_EQ(weir_queue_skip(&queue), 3);
	CHECK_EQ(take(&queue, 3), 2);
	CHECK_EQ(put(&queue, 1), WEIR_QUEUE_LATE);
	CHECK_EQ(weir_queue_skip(&queue), 4);
	CHECK_EQ(take(&queue, 9), 1);
	CHECK(!queue.waiting);
}

static void order_expires(void)
{
	struct weir_queue queue = queue_of(0);
	u64 oldest;

	CHECK_EQ(weir_queue_expired(&queue, 100, &oldest), 0);
	CHECK_EQ(oldest, U64_MAX);
	weir_queue_put(&queue, 3, packet(3), 50);
	weir_queue_put(&queue, 5, packet(5), 10);
	weir_queue_put(&queue, 8, packet(8), 40);
	CHECK_EQ(weir_queue_expired(&queue, 9, &oldest), 0);
	CHECK_EQ(oldest, 10);
	CHECK_EQ(weir_queue_expired(&queue, 10, &oldest), 6);
	CHECK_EQ(oldest, 40);
	CHECK_EQ(weir_queue_expired(&queue, 45, &oldest), 9);
	CHECK_EQ(oldest, U64_MAX);
}

/* Nobody waits for a packet that is gone. */
static void order_gone(void)
{
	struct weir_queue queue = queue_of(0);

	put(&queue, 1);
	CHECK_EQ(weir_queue_put(&queue, 0, WEIR_QUEUE_GONE, 0), WEIR_QUEUE_TURN);
	CHECK_EQ((unsigned long)weir_queue_take(&queue).item, (unsigned long)WEIR_QUEUE_GONE);
	CHECK_EQ(take(&queue, 1), 1);
}

static void order_wraps(void)
{
	struct weir_queue queue = queue_of(0xfffe);

	CHECK_EQ(weir_queue_number(&queue, 0xfffe, 16), 0xfffe);
	CHECK_EQ(weir_queue_number(&queue, 0xffff, 16), 0xffff);
	CHECK_EQ(weir_queue_number(&queue, 0, 16), 0x10000);
	CHECK_EQ(weir_queue_number(&queue, 0x1234, 16), 0x11234);
	CHECK_EQ(weir_queue_number(&queue, 0xf000, 16), 0xf000);
	queue = queue_of(0x1fffffffeULL);
	CHECK_EQ(weir_queue_number(&queue, 1, 32), 0x200000001ULL);
	CHECK_EQ(weir_queue_number(&queue, 0xfffffff0, 32), 0x1fffffff0ULL);
	queue = queue_of(255);
	CHECK_EQ(weir_queue_number(&queue, 0, 8), 256);
	queue = queue_of(2);
	CHECK((s64)weir_queue_number(&queue, 0xffff, 16) < 0);
}

/* Two in sequence, far from all others, are a new beginning. */
static void order_restarts(void)
{
	struct weir_queue queue = queue_of(1000);

	CHECK(!weir_queue_restarts(&queue, 999));
	CHECK(!weir_queue_restarts(&queue, 1000 + SLOTS - 1));
	CHECK(!weir_queue_restarts(&queue, 1000 - SLOTS + 1));
	CHECK(!weir_queue_restarts(&queue, 5));
	CHECK(weir_queue_restarts(&queue, 6));
	CHECK(!weir_queue_restarts(&queue, 5000));
	CHECK(!weir_queue_restarts(&queue, 5002));
	CHECK(weir_queue_restarts(&queue, 5003));
}

/* Numbers in any order, as far apart as there are slots, some of them gone and some never there. */
static void order_noise(void)
{
	struct weir_queue queue = queue_of(0);
	u64 last = 0, number, taken = 0, came = 0;
	struct weir_queue_slot slot;
	unsigned int round;

	for (round = 0; round < 300000; round++) {
		number = queue.head + random() % (SLOTS + 4) - 2;
		switch (put(&queue, number)) {
		case WEIR_QUEUE_TURN:
			came++;
			CHECK(number >= queue.head && number < queue.head + SLOTS);
			break;
		case WEIR_QUEUE_LATE:
			CHECK((s64)(number - queue.head) < 0);
			break;
		case WEIR_QUEUE_FULL:
			CHECK(number >= queue.head + SLOTS);
			break;
		case WEIR_QUEUE_TWICE:
			break;
		}
		if (!(random() % 50))
			weir_queue_skip(&queue);
		for (slot = weir_queue_take(&queue); slot.item; slot = weir_queue_take(&queue)) {
			CHECK((unsigned long)slot.item > last || !last);
			last = (unsigned long)slot.item;
			taken++;
		}
		if (!CHECK_EQ(came, taken + queue.waiting))
			return;
	}
	CHECK(taken > 100000);
}

/* A queue whose counter is wrong is searched once, not for ever. */
static void order_miscounted(void)
{
	struct weir_queue queue = queue_of(5);
	u64 oldest;

	queue.waiting = 1;
	CHECK_EQ(weir_queue_expired(&queue, 100, &oldest), 5);
	CHECK_EQ(oldest, U64_MAX);
	CHECK_EQ(weir_queue_skip(&queue), SLOTS);
	put(&queue, queue.head + 3);
	queue.waiting = U32_MAX;
	CHECK_EQ(weir_queue_skip(&queue), 3);
	CHECK_EQ(weir_queue_expired(&queue, U64_MAX, &oldest), queue.head + 1);
}

#define FLOWS	32768

static struct weir_reorder *order;

static void order_begin(u32 flows)
{
	u32 i, buckets = flows * WEIR_ORDER_LOAD;

	order = mock_alloc(sizeof(*order));
	order->config.flows = flows;
	order->mask = buckets - 1;
	order->table = mock_alloc(buckets * sizeof(*order->table));
	order->free = mock_alloc(flows * sizeof(*order->free));
	order->swept = mock_alloc(flows * sizeof(*order->swept));
	order->flow = mock_alloc(flows * sizeof(*order->flow));
	for (i = 0; i < flows; i++)
		order->free[order->free_count++] = i;
	get_random_bytes(&weir_flow_secret, sizeof(weir_flow_secret));
}

static void order_end(void)
{
	kfree(order->flow);
	kfree(order->swept);
	kfree(order->free);
	kfree(order->table);
	kfree(order);
}

static struct weir_order_flow *stream(u32 tunnel)
{
	const struct weir_flow_key key = { .ip = 4, .proto = IPPROTO_UDP, .src[0] = htonl(0x0a000001),
					   .dst[0] = htonl(0x0a000002), .dport = htons(5004) };

	return weir_order_flow(order, &key, tunnel, 0);
}

/* The flows of the fullest bucket. */
static u32 longest(void)
{
	struct weir_order_flow *flow;
	u32 i, count, most = 0;

	for (i = 0; i <= order->mask; i++) {
		count = 0;
		hlist_for_each_entry(flow, &order->table[i], node)
			count++;
		most = max(most, count);
	}
	return most;
}

/* Streams are numbered by whoever sends them: in any pattern all find room, in short buckets. */
static void order_patterns(void)
{
	static const u32 steps[] = { 1, 0x100, 0x10000, 0x20000, 0x1000000, 0x10001, 0x9e3779b1,
				     0x61c88647 };
	unsigned int s;
	u32 i;

	for (s = 0; s < ARRAY_SIZE(steps); s++) {
		order_begin(FLOWS);
		for (i = 0; i < 20000; i++)
			if (!CHECK(stream(i * steps[s])))
				break;
		CHECK(longest() <= 12);
		order_end();
	}
}

/* A bucket takes no more than a few, even with a secret by which all streams of a flow collide. */
static void order_bucket(void)
{
	const struct weir_flow_key key = { .ip = 4 };
	u32 i, found = 0;

	order_begin(FLOWS);
	memset(&weir_flow_secret, 0, sizeof(weir_flow_secret));
	for (i = 0; i < 1000; i++)
		found += weir_order_flow(order, &key, i, 0) != NULL;
	CHECK_EQ(longest(), 16);
	CHECK_EQ(found, 16);
	order_end();
}

/* A flow that is forgotten takes no packet before it is another's, who gets a number of its own. */
static void order_reuse(void)
{
	struct weir_order_flow *flow;
	u32 was;

	order_begin(1);
	flow = stream(1);
	was = flow->generation;
	CHECK(weir_order_is_used(was));
	weir_order_scan(&order->scan.work);
	CHECK_EQ(flow->generation, was);
	weir_order_scan(&order->scan.work);
	CHECK(!weir_order_is_used(flow->generation));
	CHECK(stream(2) == flow);
	CHECK(weir_order_is_used(flow->generation) && flow->generation != was);
	order_end();
}

#define ESP	50

static bool sequence_of(struct weir_sequence *sequence, const struct weir_order_config *config,
			u8 proto, u8 *data, size_t size)
{
	struct weir_headers headers = { .key = { .ip = 4, .proto = proto }, .l4 = 20 };
	struct xdp_buff xdp = { .data = data, .data_end = data + size };

	return weir_sequence_read(sequence, config, &headers, &xdp);
}

/* Of two security associations of the same two hosts each has its own numbers. */
static void order_scope(void)
{
	const struct weir_order_config config = {
		.sequence = WEIR_XDP_ORDER_SEQUENCE_FIELD, .offset = 4, .width = 32,
		.scope_offset = 0, .scope_width = 32,
	};
	struct weir_order_config one = config;
	struct weir_sequence old, new;
	u8 packet[28] = {};

	packet[20] = 0x81;
	packet[23] = 7;
	packet[26] = 2;
	CHECK(sequence_of(&old, &config, ESP, packet, 28));
	CHECK_EQ(old.raw, 512);
	CHECK_EQ(old.bits, 32);
	CHECK_EQ(old.tunnel, 0x81000007);
	packet[23] = 8;
	packet[26] = 0;
	packet[27] = 1;
	CHECK(sequence_of(&new, &config, ESP, packet, 28));
	CHECK_EQ(new.raw, 1);
	CHECK(new.tunnel != old.tunnel);
	CHECK(!sequence_of(&new, &config, ESP, packet, 27));
	one.scope_width = 0;
	CHECK(sequence_of(&new, &one, ESP, packet, 28));
	CHECK_EQ(new.tunnel, 0);
	one = config;
	one.scope_offset = 6;
	CHECK(!sequence_of(&new, &one, ESP, packet, 28));
}

/* RTCP on RTP's port has no number, whatever lies where RTP has one (RFC 5761). */
static void order_rtcp(void)
{
	const struct weir_order_config config = { .sequence = WEIR_XDP_ORDER_SEQUENCE_RTP };
	struct weir_sequence sequence;
	u8 packet[40] = {};
	unsigned int type;

	packet[28] = 0x80;
	packet[31] = 9;
	packet[39] = 5;
	for (type = 0; type < 256; type++) {
		packet[29] = type;
		CHECK_EQ(sequence_of(&sequence, &config, IPPROTO_UDP, packet, 40),
			 type < 192 || type > 223);
	}
	CHECK_EQ(sequence.raw, 9);
	CHECK_EQ(sequence.tunnel, 5);
}

/* A field is counted from the end of the header of UDP or TCP, whatever options that has. */
static void order_field(void)
{
	static const struct { u8 proto, words, header; } cases[] = {
		{ IPPROTO_UDP, 0, 8 }, { IPPROTO_TCP, 5, 20 }, { IPPROTO_TCP, 6, 24 },
		{ IPPROTO_TCP, 15, 60 },
	};
	const struct weir_order_config config = {
		.sequence = WEIR_XDP_ORDER_SEQUENCE_FIELD, .offset = 1, .width = 16,
	};
	struct weir_sequence sequence;
	unsigned int i, size;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		u8 packet[20 + 60 + 3] = {};
		u8 *payload = packet + 20 + cases[i].header;

		packet[20 + 12] = cases[i].words << 4;
		payload[1] = 1;
		payload[2] = 2;
		size = payload + 3 - packet;
		CHECK(sequence_of(&sequence, &config, cases[i].proto, packet, size));
		CHECK_EQ(sequence.raw, 0x102);
		CHECK_EQ(sequence.bits, 16);
		while (--size >= 20)
			CHECK(!sequence_of(&sequence, &config, cases[i].proto, packet, size));
	}
}

/* Packets of GTP-U with data and a sequence number are numbered for each tunnel. */
static void order_gtp(void)
{
	static const struct { u8 proto, flags, type; bool numbered; } cases[] = {
		{ IPPROTO_UDP, 0x32, 255, true }, { IPPROTO_UDP, 0x37, 255, true },
		{ IPPROTO_UDP, 0x30, 255, false }, { IPPROTO_UDP, 0x22, 255, false },
		{ IPPROTO_UDP, 0x52, 255, false }, { IPPROTO_UDP, 0x32, 254, false },
		{ IPPROTO_TCP, 0x32, 255, false },
	};
	const struct weir_order_config config = { .sequence = WEIR_XDP_ORDER_SEQUENCE_GTPU };
	struct weir_sequence sequence;
	u8 packet[40] = {};
	unsigned int i;

	packet[34] = 3;
	packet[35] = 7;
	packet[36] = 1;
	packet[37] = 4;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		packet[28] = cases[i].flags;
		packet[29] = cases[i].type;
		CHECK_EQ(sequence_of(&sequence, &config, cases[i].proto, packet, 40), cases[i].numbered);
		CHECK(!sequence_of(&sequence, &config, cases[i].proto, packet, 39));
		if (!cases[i].numbered)
			continue;
		CHECK_EQ(sequence.raw, 0x104);
		CHECK_EQ(sequence.bits, 16);
		CHECK_EQ(sequence.tunnel, 0x307);
	}
}

const struct ktap_test order_tests[] = {
	KTAP_TEST(order_field),
	KTAP_TEST(order_gtp),
	KTAP_TEST(order_scope),
	KTAP_TEST(order_rtcp),
	KTAP_TEST(order_miscounted),
	KTAP_TEST(order_patterns),
	KTAP_TEST(order_bucket),
	KTAP_TEST(order_reuse),
	KTAP_TEST(order_in_turn),
	KTAP_TEST(order_passes),
	KTAP_TEST(order_backwards),
	KTAP_TEST(order_bounds),
	KTAP_TEST(order_skips),
	KTAP_TEST(order_expires),
	KTAP_TEST(order_gone),
	KTAP_TEST(order_wraps),
	KTAP_TEST(order_restarts),
	KTAP_TEST(order_noise),
};
SUITE_END(order);
