// SPDX-License-Identifier: GPL-2.0
/* The congestion window: its rule, and how it does at a queue that marks, or does not. */
#include <string.h>

#include "flow/pace.h"
#include "ktap.h"
#include "tests.h"

#define ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))

static void answer(struct pace *pace, uint32_t blocks, bool marked, uint64_t sent, uint64_t now)
{
	const struct pace_answer what = { .blocks = blocks, .marked = marked, .sent = sent };

	pace_answered(pace, &what, now);
}

/* A round trip whose whole window is answered, one by one: the first so many marked. */
static void go_round(struct pace *pace, uint32_t marked, uint64_t *now)
{
	uint32_t window = pace->limit;
	uint64_t sent = *now;

	pace_sent(pace, window);
	*now += 100;
	for (uint32_t i = 0; i < window; i++)
		answer(pace, 1, i < marked, sent, *now + i);
	*now += window;
}

static bool is_about(uint32_t value, double want)
{
	return value > want - 1.5 && value < want + 1.5;
}

static void pace_grows_and_falls(void)
{
	uint64_t now = 1000;
	struct pace pace;

	pace_init(&pace, 4096, PACE_ONE);
	CHECK_EQ(pace.limit, PACE_START);
	for (unsigned int i = 1; i <= 5; i++) {
		go_round(&pace, 0, &now);
		CHECK_EQ(pace.limit, PACE_START << i);
	}
	CHECK_EQ(pace_room(&pace, 300), 20);
	CHECK_EQ(pace_room(&pace, 600), 0);
	CHECK_EQ(pace.credit, PACE_CREDIT_MAX);
	pace_silent(&pace, 4);
	CHECK_EQ(pace.credit, 4);
	pace_lost(&pace, now, now + 20);
	CHECK_EQ(pace.limit, 240);
	/* The same round trip's other losses are the same event, and so are its marks. */
	pace_lost(&pace, now + 1, now + 21);
	answer(&pace, 1, true, now + 1, now + 21);
	CHECK_EQ(pace.limit, 240);
	now += 30;
	for (unsigned int i = 0; i < 10; i++)
		go_round(&pace, 0, &now);
	CHECK(is_about(pace.limit, 250));
	for (unsigned int i = 0; i < 100; i++)
		pace_lost(&pace, now + i, now + i);
	CHECK_EQ(pace.limit, PACE_FLOOR);
}

/* It falls by half of the share, once in a round trip. */
static void pace_falls_by_the_share(void)
{
	static const double shares[] = { 1, 0.5, 0.25, 0.01 };
	uint64_t now = 1000;
	struct pace pace;

	for (unsigned int i = 0; i < ELEMENTS(shares); i++) {
		double average = shares[i] * 15 / 16;

		pace_init(&pace, 4096, PACE_ONE);
		for (unsigned int r = 0; r < 5; r++)
			go_round(&pace, 0, &now);
		pace.share = (uint32_t)(shares[i] * PACE_SHARE_ALL);
		go_round(&pace, 320, &now);
		CHECK(is_about(pace.limit, 320 * (1 - average / 2)));
		/* All of this one were marked. */
		average += (1 - average) / 16;
		go_round(&pace, pace.limit, &now);
		CHECK(is_about(pace.limit, 320 * (1 - shares[i] * 15 / 32) * (1 - average / 2)));
	}
	for (unsigned int i = 0; i < 100; i++)
		go_round(&pace, pace.limit, &now);
	CHECK_EQ(pace.limit, PACE_LEAST);
	/* A loss does not raise what is below the floor of losses. */
	pace_lost(&pace, now, now);
	CHECK_EQ(pace.limit, PACE_LEAST);
}

/* The rule's average, round trip by round trip, with floating point beside it. */
static void pace_averages_marks(void)
{
	uint64_t now = 1000;
	struct pace pace;
	double share = 1;

	pace_init(&pace, 64, PACE_ONE);
	for (unsigned int i = 0; i < 300; i++) {
		uint32_t window = pace.limit, marked = i % 7 * window / 12;

		/* A round trip is over with the next one's first answer. */
		go_round(&pace, marked, &now);
		CHECK(pace.share > (share - 0.001) * PACE_SHARE_ALL &&
		      pace.share < (share + 0.001) * PACE_SHARE_ALL);
		share += ((double)marked / window - share) / 16;
	}
}

/*
 * Growth is by bytes of a whole packet, where queues mark: of packets of half its length by two, and so
 * on. Where they lose, it is one packet.
 */
static void pace_grows_by_bytes(void)
{
	static const struct {
		uint32_t growth, want;
	} cases[] = { { 0, 8 }, { PACE_ONE / 2, 8 }, { PACE_ONE, 8 }, { 2 * PACE_ONE, 16 },
		      { PACE_ONE * 9 / 4, 18 } };

	for (unsigned int c = 0; c < ELEMENTS(cases); c++) {
		uint64_t now = 1000;
		struct pace pace;
		uint32_t before;

		pace_init(&pace, 4096, cases[c].growth);
		pace_lost(&pace, now, now);
		go_round(&pace, 0, &now);
		before = pace.limit;
		for (unsigned int i = 0; i < 8; i++)
			go_round(&pace, 0, &now);
		CHECK(is_about(pace.limit - before, 8));
		go_round(&pace, 1, &now);
		before = pace.limit;
		for (unsigned int i = 0; i < 8; i++)
			go_round(&pace, 0, &now);
		CHECK(is_about(pace.limit - before, cases[c].want));
	}
}

/* Where all answers of a round trip are late, it is not doubled any more. */
static void pace_finds_a_queue(void)
{
	static const uint64_t later[] = { 0, PACE_QUEUE_MIN / 2, PACE_QUEUE_MIN };

	for (unsigned int c = 0; c < ELEMENTS(later); c++) {
		uint64_t sent = 1000, took = 300000;
		struct pace pace;

		pace_init(&pace, 4096, PACE_ONE);
		for (unsigned int i = 0; i < 6; i++) {
			uint32_t window = pace.limit;

			pace_sent(&pace, window);
			for (uint32_t n = 0; n < window; n++)
				answer(&pace, 1, false, sent, sent + took + n);
			sent += took + window;
			took = 300000 + (i >= 2 ? later[c] : 0);
		}
		CHECK_EQ(pace.limit > 10 * PACE_START, later[c] < PACE_QUEUE_MIN);
	}
}

/* A caller that sends little does not save up a burst. */
static void pace_grows_where_it_is_used(void)
{
	struct pace pace;
	uint64_t now = 1000;

	pace_init(&pace, 4096, PACE_ONE);
	for (unsigned int i = 0; i < 1000; i++) {
		pace_sent(&pace, 3);
		answer(&pace, 3, false, now, now + 10);
		now += 10;
	}
	CHECK_EQ(pace.limit, PACE_START);
	for (unsigned int i = 0; i < 1000; i++) {
		pace_sent(&pace, 9);
		answer(&pace, 9, false, now, now + 10);
		now += 10;
	}
	CHECK(pace.limit >= 18 && pace.limit < 18 + 9);
}

static void pace_stays_in_the_window(void)
{
	uint64_t now = 1000;
	struct pace pace;

	pace_init(&pace, 3, 4 * PACE_ONE);
	CHECK_EQ(pace.limit, 3);
	for (unsigned int i = 0; i < 100; i++)
		go_round(&pace, 0, &now);
	CHECK_EQ(pace.limit, 3);
	for (unsigned int i = 0; i < 100; i++)
		pace_lost(&pace, now + i, now + i);
	CHECK_EQ(pace.limit, 3);
	/* The box has room for more, and for less. */
	pace_cap(&pace, 40);
	for (unsigned int i = 0; i < 100; i++)
		go_round(&pace, 0, &now);
	CHECK_EQ(pace.limit, 40);
	pace_cap(&pace, 8);
	CHECK_EQ(pace.limit, 8);
}

/* Many answers at once make about the window that they make one by one. */
static void pace_counts_answers(void)
{
	for (uint32_t count = 1; count < 300; count += 13) {
		struct pace one, many;
		uint64_t now = 1000;

		pace_init(&one, 200, PACE_ONE);
		one.threshold = 90;
		many = one;
		for (unsigned int i = 0; i < 120; i++) {
			pace_sent(&one, 200);
			pace_sent(&many, 200);
			for (uint32_t n = 0; n < count; n++)
				answer(&one, 1, false, now, now + 1);
			answer(&many, count, false, now, now + 1);
			CHECK(20 * many.limit >= 19 * one.limit && 19 * many.limit <= 20 * one.limit);
			CHECK_EQ(many.credit, one.credit);
			now++;
		}
		CHECK(many.limit >= 90);
	}
}

/*
 * A link that takes packets of several senders, one byte a tick, from one queue, which marks what
 * finds so many bytes in it, and loses what it has no room for.
 */
#define QUEUE		4096
#define SENDERS		2
#define DELAY		40000	/* of an answer, behind the link */

struct sender {
	struct pace pace;
	uint32_t bytes;		/* of a packet */
	uint32_t flight;
	uint64_t answered;	/* bytes */
	unsigned int lost;
};

struct packet {
	unsigned int sender;
	uint64_t sent;
	uint64_t left;		/* the link */
	bool marked;
};

struct link {
	uint32_t marks, holds;	/* bytes */
	struct sender senders[SENDERS];
	struct packet queue[QUEUE];
	unsigned int head, end;	/* the first that is not answered, and where the next goes */
	uint64_t free;		/* when the link is */
	uint64_t answered;	/* packets */
	bool is_shared;
	uint32_t random;
};

/* Packets of others come between now and then: without, all would happen in step. */
static uint32_t other_traffic(struct link *link)
{
	link->random = link->random * 1664525 + 1013904223;
	return link->random >> 16 & 2047;
}

static void put(struct link *link, unsigned int i, uint64_t now)
{
	struct sender *sender = &link->senders[i];
	uint64_t backlog = link->free > now ? link->free - now : 0;

	if (backlog + sender->bytes > link->holds) {
		sender->lost++;
		/* It is found out by the next answer, and sent again. */
		pace_lost(&sender->pace, now, now + 1);
		return;
	}
	link->free = (backlog ? link->free : now) + sender->bytes;
	link->free += link->is_shared ? other_traffic(link) : 0;
	link->queue[link->end++ % QUEUE] = (struct packet) {
		i, now, link->free, backlog > link->marks,
	};
	sender->flight++;
}

static void send_all(struct link *link, unsigned int i, uint64_t now)
{
	struct sender *sender = &link->senders[i];
	uint32_t room = pace_room(&sender->pace, sender->flight);

	for (; room && link->end - link->head < QUEUE; room--)
		put(link, i, now);
	pace_sent(&sender->pace, sender->flight);
}

/* So many packets of all cross the link. */
static void cross(struct link *link, unsigned int packets)
{
	uint64_t end = link->answered + packets;

	while (link->answered < end) {
		struct packet *packet = &link->queue[link->head++ % QUEUE];
		struct sender *sender = &link->senders[packet->sender];
		uint64_t now = packet->left + DELAY;

		sender->flight--;
		sender->answered += sender->bytes;
		link->answered++;
		answer(&sender->pace, 1, packet->marked, packet->sent, now);
		send_all(link, packet->sender, now);
	}
}

static void start(struct link *link, uint32_t marks, uint32_t holds, const uint32_t *bytes,
		  unsigned int senders)
{
	memset(link, 0, sizeof(*link));
	link->marks = marks;
	link->holds = holds;
	link->is_shared = senders > 1;
	for (unsigned int i = 0; i < senders; i++) {
		link->senders[i].bytes = bytes[i];
		pace_init(&link->senders[i].pace, 512, 9000 * PACE_ONE / bytes[i]);
		send_all(link, i, 0);
	}
}

/* A queue of 62 packets, that marks from 16 on: none is lost, and the link is never idle for long. */
static void pace_keeps_a_queue_short(void)
{
	static struct link link;
	uint64_t busy, time;

	start(&link, 64 << 10, 256 << 10, (uint32_t[]) { 4150 }, 1);
	cross(&link, 500);
	busy = link.senders[0].answered;
	time = link.free;
	cross(&link, 5000);
	busy = link.senders[0].answered - busy;
	time = link.free - time;
	CHECK_EQ(link.senders[0].lost, 0);
	CHECK(busy * 1000 >= time * 990);
}

/* Two senders share a link evenly, the second of which had all of it before. */
static void pace_shares_a_link(void)
{
	static const struct {
		uint32_t bytes, marks, holds;
	} cases[] = { { 4150, 64 << 10, 256 << 10 }, { 1500, 64 << 10, 256 << 10 },
		      { 9014, 512 << 10, 4 << 20 } };

	for (unsigned int i = 0; i < ELEMENTS(cases); i++) {
		static struct link link;
		uint64_t one, all;

		start(&link, cases[i].marks, cases[i].holds,
		      (uint32_t[]) { cases[i].bytes, cases[i].bytes }, 2);
		pace_cap(&link.senders[0].pace, 2);
		cross(&link, 2000);
		pace_cap(&link.senders[0].pace, 512);
		cross(&link, 3000);
		one = link.senders[0].answered;
		all = one + link.senders[1].answered;
		cross(&link, 40000);
		one = link.senders[0].answered - one;
		all = link.senders[0].answered + link.senders[1].answered - all;
		CHECK(one * 100 >= all * 45 && one * 100 <= all * 55);
		CHECK_EQ(link.senders[0].lost + link.senders[1].lost, 0);
	}
}

static const struct ktap_test tests[] = {
	KTAP_TEST(pace_grows_and_falls),
	KTAP_TEST(pace_falls_by_the_share),
	KTAP_TEST(pace_averages_marks),
	KTAP_TEST(pace_grows_by_bytes),
	KTAP_TEST(pace_finds_a_queue),
	KTAP_TEST(pace_grows_where_it_is_used),
	KTAP_TEST(pace_stays_in_the_window),
	KTAP_TEST(pace_counts_answers),
	KTAP_TEST(pace_keeps_a_queue_short),
	KTAP_TEST(pace_shares_a_link),
};

const struct test_table pace_table = { tests, ELEMENTS(tests) };
