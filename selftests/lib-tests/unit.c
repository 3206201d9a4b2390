// SPDX-License-Identifier: GPL-2.0
/* The library's parts, one by one, without a network. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/address.h"
#include "comm/state.h"
#include "flow/merging.h"
#include "flow/rtt.h"
#include "flow/window.h"
#include "ktap.h"
#include "number/convert.h"
#include "number/exponent.h"
#include "packet/bitmap.h"
#include "packet/early.h"
#include "packet/kept.h"
#include "packet/outbox.h"
#include "packet/wire.h"
#include "request/result.h"
#include "tests.h"

#define ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))

/* Sends as much as there is room for; returns how much. */
static uint32_t fill(struct window *window, uint64_t now)
{
	uint32_t count = window_room(window);

	for (uint32_t i = 0; i < count; i++) {
		window_made(window, NULL, 0, false);
		window_sent(window, 1, now, false);
	}
	return count;
}

/* Messages that are lost in a row end merging, and a probe that arrives begins it again. */
static void merging_is_probed(void)
{
	struct merging merging = { .is_possible = true };
	uint64_t pause = MERGING_PROBE_FIRST, now = 1000;

	for (unsigned int i = 1; i <= MERGING_LOST_MAX; i++) {
		CHECK(merging_begin(&merging, now));
		merging_lost(&merging, i, now);
		/* Further packets of the same message say nothing new. */
		merging_lost(&merging, i, now);
	}
	/* Nor do messages that were under way by then. */
	merging_lost(&merging, now - 1, now + 1);
	merging_lost(&merging, now, now + 2);
	for (unsigned int probe = 0; probe < 12; probe++) {
		CHECK(!merging_begin(&merging, now));
		CHECK(!merging_is_on(&merging, now + pause - 1));
		now += pause;
		CHECK(merging_begin(&merging, now));
		/* It is the only one under way. */
		CHECK(!merging_begin(&merging, now + 1));
		merging_lost(&merging, now - 1, now + 1);
		merging_lost(&merging, now, now + 2);
		now += 2;
		if (pause < MERGING_PROBE_MAX)
			pause *= 2;
	}
	now += pause;
	CHECK(merging_begin(&merging, now));
	merging_arrived(&merging);
	CHECK(merging_begin(&merging, now + 1));
	merging_lost(&merging, now + 1, now + 1);
	CHECK(merging_begin(&merging, now + 2));
	merging.is_possible = false;
	CHECK(!merging_begin(&merging, now + 3));
}

static void window_is_cumulative(void)
{
	struct window window;
	uint64_t block;

	CHECK_EQ(window_init(&window, 4, 0), 0);
	CHECK_EQ(fill(&window, 1), 4);
	window_answered(&window, 1, 1);
	window_answered(&window, 3, 1);
	/* Block 0 is missing, so nothing beyond 3 may go. */
	CHECK_EQ(window_room(&window), 0);
	CHECK_EQ(window.flight, 2);
	window_answered(&window, 0, 1);
	CHECK_EQ(window.base, 2);
	CHECK_EQ(window_room(&window), 2);
	CHECK(!window_find(&window, 1, &block));
	CHECK(window_find(&window, 3, &block));
	CHECK(!window_slot(&window, 3)->waiting);
	CHECK(!window_find(&window, 4, &block));
	window_uninit(&window);
}

/* From the middle, the beginning and the end of a list, of slots that wrap around. */
static void window_takes_runs(void)
{
	struct window window;

	CHECK_EQ(window_init(&window, 8, 13), 0);
	CHECK_EQ(fill(&window, 1), 8);
	for (uint64_t block = 13; block < 20; block++)
		CHECK(window_is_pair(&window, block));
	CHECK(!window_is_pair(&window, 20));
	window_answered(&window, 15, 3);
	CHECK(!window_is_pair(&window, 14));
	CHECK_EQ(window.base, 13);
	CHECK_EQ(window.flight, 5);
	CHECK_EQ(window.slots[13].newer, 14);
	CHECK_EQ(window.slots[14].newer, 18 & window.mask);
	CHECK_EQ(window.slots[18 & window.mask].older, 14);
	window_answered(&window, 13, 2);
	CHECK_EQ(window.base, 18);
	CHECK_EQ(window.lists[WINDOW_SENT].oldest, 18 & window.mask);
	CHECK_EQ(fill(&window, 2), 5);
	/* Not sent together. */
	CHECK(!window_is_pair(&window, 20));
	/* One of them was asked about. */
	window_asked(&window, 18, 3, WINDOW_ASKED_SILENCE);
	CHECK(!window_is_pair(&window, 18));
	window_answered(&window, 21, 5);
	window_answered(&window, 18, 1);
	window_answered(&window, 19, 2);
	CHECK_EQ(window.base, 26);
	CHECK_EQ(window.lists[WINDOW_SENT].oldest, WINDOW_NONE);
	CHECK_EQ(window.lists[WINDOW_SENT].newest, WINDOW_NONE);
	window_uninit(&window);
}

static void window_of_one(void)
{
	struct window window;

	CHECK_EQ(window_init(&window, 1, 0), 0);
	for (unsigned int i = 0; i < 10; i++) {
		CHECK_EQ(fill(&window, i), 1);
		window_answered(&window, i, 1);
		CHECK_EQ(window.base, i + 1);
	}
	CHECK_EQ(window.lists[WINDOW_SENT].oldest, WINDOW_NONE);
	window_uninit(&window);
}

/* Ids on the wire have 32 bits, and start again from 0. */
static void window_wraps(void)
{
	const uint64_t first = (1ULL << 32) - 3;
	struct window window;
	uint64_t block = 0;

	CHECK_EQ(window_init(&window, 7, first), 0);
	CHECK_EQ(fill(&window, 1), 7);
	for (unsigned int i = 0; i < 7; i++) {
		CHECK(window_find(&window, (uint32_t)(first + i), &block));
		CHECK_EQ(block, first + i);
	}
	CHECK(!window_find(&window, (uint32_t)first - 1, &block));
	CHECK(!window_find(&window, 4, &block));
	/* From the far side of the wrap first. */
	for (unsigned int i = 7; i-- > 0;) {
		CHECK_EQ(window.base, first);
		window_answered(&window, first + i, 1);
	}
	CHECK_EQ(window.base, first + 7);
	CHECK_EQ((uint32_t)window.base, 4);
	CHECK_EQ(fill(&window, 2), 7);
	CHECK_EQ(window_block(&window, window.lists[WINDOW_SENT].oldest), first + 7);
	CHECK_EQ(window_block(&window, window.lists[WINDOW_SENT].newest), first + 13);
	window_uninit(&window);
}

static void window_orders_by_sending(void)
{
	struct window window;

	CHECK_EQ(window_init(&window, 5, 100), 0);
	fill(&window, 1);
	window_sent_again(&window, 101, 2);
	window_sent_again(&window, 104, 3);
	CHECK_EQ(window_slot(&window, 101)->tries, 2);
	CHECK_EQ(window_block(&window, window.lists[WINDOW_SENT].oldest), 100);
	CHECK_EQ(window_block(&window, window.lists[WINDOW_SENT].newest), 104);
	window_answered(&window, 100, 1);
	CHECK_EQ(window_block(&window, window.lists[WINDOW_SENT].oldest), 102);
	window_answered(&window, 104, 1);
	CHECK_EQ(window_block(&window, window.lists[WINDOW_SENT].newest), 101);
	window_answered(&window, 102, 1);
	window_answered(&window, 103, 1);
	CHECK_EQ(window.lists[WINDOW_SENT].oldest, window.lists[WINDOW_SENT].newest);
	CHECK_EQ(window_block(&window, window.lists[WINDOW_SENT].oldest), 101);
	window_answered(&window, 101, 1);
	CHECK_EQ(window.lists[WINDOW_SENT].oldest, WINDOW_NONE);
	CHECK_EQ(window.lists[WINDOW_SENT].newest, WINDOW_NONE);
	CHECK_EQ(window.base, 105);
	CHECK_EQ(window.flight, 0);
	window_uninit(&window);
}

/* The box's reply decides in which list a block waits. */
static void window_keeps_lists(void)
{
	struct window window;

	CHECK_EQ(window_init(&window, 4, 0), 0);
	fill(&window, 1);
	window_asked(&window, 0, 2, WINDOW_ASKED_SILENCE);
	CHECK_EQ(window_oldest(&window, WINDOW_ASKED, WINDOW_SENT), WINDOW_SENT);
	window_asked(&window, 1, 2, WINDOW_ASKED_OVERTAKEN);
	CHECK_EQ(window_block(&window, window.lists[WINDOW_SENT].oldest), 2);
	CHECK_EQ(window_block(&window, window.lists[WINDOW_ASKED].oldest), 0);
	CHECK_EQ(window_slot(&window, 1)->sent, 2);
	CHECK(!window_slot(&window, 0)->asked_again);
	window_asked(&window, 0, 3, WINDOW_ASKED_OVERTAKEN);
	CHECK(window_slot(&window, 0)->asked_again);
	CHECK_EQ(window_block(&window, window.lists[WINDOW_ASKED].oldest), 1);
	window_held(&window, 0, 3);
	window_held(&window, 1, 3);
	/* The answer is to the packet that was sent before the question. */
	CHECK_EQ(window_slot(&window, 1)->sent, 1);
	CHECK_EQ(window_slot(&window, 1)->asked, WINDOW_NOT_ASKED);
	CHECK_EQ(window.lists[WINDOW_ASKED].oldest, WINDOW_NONE);
	CHECK_EQ(window_oldest(&window, WINDOW_ASKED, WINDOW_SENT), WINDOW_SENT);
	CHECK_EQ(window_oldest(&window, WINDOW_ASKED, WINDOW_WANTED), WINDOW_ASKED);
	CHECK_EQ(window_block(&window, window.lists[WINDOW_HELD].oldest), 0);
	window_wanted(&window, 2);
	CHECK_EQ(window_block(&window, window.lists[WINDOW_WANTED].newest), 2);
	window_sent_again(&window, 2, 4);
	CHECK_EQ(window.lists[WINDOW_WANTED].oldest, WINDOW_NONE);
	CHECK_EQ(window_slot(&window, 2)->contributed, 4);
	CHECK_EQ(window_block(&window, window.lists[WINDOW_SENT].oldest), 3);
	window_answered(&window, 0, 1);
	window_answered(&window, 1, 1);
	CHECK_EQ(window.lists[WINDOW_HELD].oldest, WINDOW_NONE);
	CHECK_EQ(window.lists[WINDOW_HELD].newest, WINDOW_NONE);
	CHECK_EQ(window.base, 2);
	CHECK_EQ(window.flight, 2);
	window_uninit(&window);
}

/* An event changes asking and being behind in the same way in all states. */
static void states_change_by_events(void)
{
	for (enum rank_state from = 0; from < RANK_STATES; from++) {
		enum rank_state ended = state_after(from, RANK_ENDED);

		CHECK_EQ(ended, RANK_FAILED);
		CHECK(!state_is_moving(from) || state_is_asking(from));
		for (enum rank_event event = 0; event < RANK_ENDED; event++) {
			enum rank_state to = state_after(from, event);

			if (to == RANK_STATES)
				continue;
			CHECK(from != RANK_FAILED && to != RANK_FAILED && to != RANK_JOINING);
			if (event == RANK_BEGAN || event == RANK_FOUND)
				CHECK(!state_is_asking(to));
			else if (event == RANK_LOST || event == RANK_LEFT)
				CHECK(state_is_asking(to));
			else
				CHECK_EQ(state_is_asking(to), state_is_asking(from));
			if (event == RANK_OVERTAKEN || event == RANK_RESUMED)
				CHECK_EQ(state_is_behind(to), event == RANK_OVERTAKEN);
			else
				CHECK_EQ(state_is_behind(to), state_is_behind(from));
			if (event == RANK_LEFT)
				CHECK(state_is_moving(to));
		}
		/* A rank that asks can be answered, and one that is behind can resume. */
		CHECK_EQ(state_is_asking(from) && state_after(from, RANK_BEGAN) == RANK_STATES, 0);
		CHECK_EQ(state_is_behind(from) && state_after(from, RANK_RESUMED) == RANK_STATES, 0);
	}
	CHECK_EQ(state_after(RANK_JOINING, RANK_OVERTAKEN), RANK_STATES);
	CHECK_EQ(state_after(RANK_BEHIND, RANK_OVERTAKEN), RANK_STATES);
}

/* A result that came before its block was sent leaves no trace in the lists. */
static void window_skips(void)
{
	struct weir_request *request = (struct weir_request *)&request;
	struct window window;

	CHECK_EQ(window_init(&window, 4, 0), 0);
	for (unsigned int i = 0; i < 3; i++)
		window_made(&window, request, 0, false);
	window_skipped(&window);
	CHECK_EQ(window.base, 1);
	window_sent(&window, 1, 1, false);
	window_skipped(&window);
	CHECK_EQ(window.base, 1);
	CHECK_EQ(window.next, 3);
	CHECK_EQ(window.flight, 1);
	CHECK(!window_is_pair(&window, 1));
	CHECK_EQ(window_room(&window), 2);
	CHECK_EQ(window_lacks(&window), 1);
	window_answered(&window, 1, 1);
	CHECK_EQ(window.base, 3);
	CHECK_EQ(window_lacks(&window), 3);
	fill(&window, 2);
	window_restart(&window, 1000);
	CHECK_EQ(window.flight, 0);
	CHECK_EQ(window_room(&window), 4);
	CHECK_EQ(window_lacks(&window), 1000);
	CHECK_EQ(window.lists[WINDOW_SENT].oldest, WINDOW_NONE);
	CHECK_EQ(fill(&window, 3), 4);
	window_uninit(&window);
}

/* Room for four packets of 5 bytes. */
static void early_keeps(void)
{
	struct early early;
	size_t length;

	early_init(&early, 32, 5);
	CHECK_EQ(early.count, 4);
	CHECK(!early_has(&early, 7));
	CHECK_EQ(early_reach(&early, 7), 7);
	CHECK(!early_put(&early, 7, false, 7, "123456789", 9));
	CHECK(early_put(&early, 7, false, 8, "eight", 5));
	CHECK(early_put(&early, 7, false, 8, "again", 5));
	CHECK(!memcmp(early_at(&early, 8, &length), "eight", 5));
	CHECK_EQ(length, 5);
	CHECK_EQ(early.used, 1);
	CHECK(early_put(&early, 7, false, 7, "7", 1));
	CHECK(early_put(&early, 7, false, 10, "10", 2));
	CHECK_EQ(early_reach(&early, 7), 9);
	CHECK(early_put(&early, 7, false, 9, "9", 1));
	CHECK_EQ(early_reach(&early, 7), 11);
	/* Full: the older one stays, unless the newer one is wanted or the older one is of no use. */
	CHECK(!early_put(&early, 7, false, 11, "11", 2));
	CHECK(early_put(&early, 8, false, 11, "11", 2));
	CHECK(!early_has(&early, 7));
	CHECK_EQ(early_reach(&early, 8), 12);
	CHECK(early_put(&early, 8, true, 12, "12", 2));
	CHECK(!early_put(&early, 8, true, 8, "eight", 5));
	CHECK_EQ(early_reach(&early, 8), 8);
	CHECK_EQ(early_reach(&early, 9), 13);
	early_discard(&early, 10);
	CHECK_EQ(early_reach(&early, 9), 10);
	CHECK_EQ(early_reach(&early, 11), 13);
	early_discard_before(&early, 12);
	CHECK_EQ(early.used, 1);
	CHECK(early_has(&early, 12));
	early_discard(&early, 12);
	early_discard(&early, 12);
	CHECK_EQ(early.used, 0);
	early_uninit(&early);
	early_init(&early, 7, 5);
	CHECK(!early_put(&early, 0, false, 0, "0", 1));
	CHECK_EQ(early_reach(&early, 0), 0);
	early_uninit(&early);
}

/* Blocks go up again from one on that all had the answer of, and stay answered. */
static void window_goes_back(void)
{
	struct weir_request *request = (struct weir_request *)&request;
	struct window window;

	CHECK_EQ(window_init(&window, 4, 10), 0);
	CHECK_EQ(window_slots(&window), 8);
	for (unsigned int i = 0; i < 8; i++) {
		window_made(&window, request, 16 + i, false);
		window_sent(&window, 1, 1, false);
		if (i < 4 || i == 6)
			window_answered(&window, 10 + i, 1);
	}
	CHECK_EQ(window_lacks(&window), 14);
	window_rewind(&window, 11);
	CHECK_EQ(window.base, 11);
	CHECK_EQ(window.next, 11);
	CHECK_EQ(window.high, 18);
	CHECK_EQ(window.flight, 0);
	CHECK_EQ(window_room(&window), 4);
	CHECK_EQ(window_lacks(&window), 14);
	for (uint64_t block = 11; block < 18; block++) {
		CHECK_EQ(window_slot(&window, block)->bytes, 16 + block - 10);
		window_sent(&window, 1, 2, false);
		CHECK_EQ(window_slot(&window, block)->tries, 1);
		CHECK(!window_slot(&window, block)->request == (block < 14 || block == 16));
		window_answered(&window, block, 1);
	}
	CHECK_EQ(window.base, 18);
	CHECK_EQ(window_lacks(&window), 18);
	window_uninit(&window);
}

/* Blocks sent together are in one list with those before them and behind, in their order. */
static void window_sends_runs(void)
{
	struct window window;

	CHECK_EQ(window_init(&window, 8, 0), 0);
	for (unsigned int i = 0; i < 8; i++)
		window_made(&window, NULL, 16, false);
	window_sent(&window, 1, 1, false);
	window_sent(&window, 5, 2, true);
	window_sent(&window, 2, 2, true);
	CHECK_EQ(window.next, 8);
	CHECK_EQ(window.flight, 8);
	CHECK_EQ(window_room(&window), 0);
	CHECK_EQ(window_block(&window, window.lists[WINDOW_SENT].oldest), 0);
	CHECK_EQ(window_block(&window, window.lists[WINDOW_SENT].newest), 7);
	CHECK(!window_slot(&window, 0)->merged && window_slot(&window, 1)->merged);
	for (uint32_t index = 0; index < 7; index++) {
		CHECK_EQ(window.slots[index].newer, index + 1);
		CHECK_EQ(window.slots[index + 1].older, index);
		CHECK(window.slots[index].waiting);
		CHECK_EQ(window.slots[index].tries, 1);
	}
	window_answered(&window, 1, 5);
	CHECK_EQ(window.slots[0].newer, 6);
	CHECK_EQ(window.slots[6].older, 0);
	window_uninit(&window);
}

/* Packets without and with an exponent, of a whole block each, lie without gaps. */
static void kept_is_both_ways_dense(void)
{
	const size_t plain = WIRE_HEADER + 8, longer = plain + WIRE_EXPONENT;
	uint8_t want[WIRE_HEADER + 8 + WIRE_EXPONENT];
	struct kept kept;

	CHECK_EQ(kept_init(&kept, 4, 8), 0);
	CHECK(kept_is_dense(&kept, plain) && kept_is_dense(&kept, longer));
	CHECK(!kept_is_dense(&kept, plain - 4));
	for (unsigned int i = 0; i < 4; i++)
		memset(kept_at(&kept, i, i & 1 ? longer : plain), (int)i + 1, i & 1 ? longer : plain);
	CHECK((uint8_t *)kept_at(&kept, 1, plain) == (uint8_t *)kept_at(&kept, 0, plain) + plain);
	CHECK((uint8_t *)kept_at(&kept, 2, longer) == (uint8_t *)kept_at(&kept, 1, longer) + longer);
	for (unsigned int i = 0; i < 4; i++) {
		memset(want, (int)i + 1, sizeof(want));
		CHECK(!memcmp(kept_at(&kept, i, i & 1 ? longer : plain), want,
			      i & 1 ? longer : plain));
	}
	kept_uninit(&kept);
}

/* The vectors of each message, 0 behind the last. */
#define MESSAGES(outbox, merged, ...) \
	CHECK(has_messages(outbox, merged, (const unsigned int[]) { __VA_ARGS__, 0 }))

static bool has_messages(struct outbox *outbox, bool merged, const unsigned int *vectors)
{
	unsigned int count = 0, messages;

	while (outbox->sizes[count])
		count++;
	messages = outbox_fill(outbox, 0, count, merged);
	for (unsigned int i = 0; i < messages; i++)
		if (outbox_vectors(outbox, i) != vectors[i])
			return false;
	return !vectors[messages];
}

/* A short packet goes with the last message, if all others there have one length. */
static void outbox_appends(void)
{
	static uint8_t bytes[60000], ack[12];
	static struct outbox outbox;

	outbox_put(&outbox, 0, bytes, 3, 1000);
	outbox_put(&outbox, 1, bytes, 2, 1000);
	CHECK_EQ(outbox_fill(&outbox, 0, 2, true), 1);
	CHECK(outbox_append(&outbox, 1, ack, sizeof(ack)));
	CHECK_EQ(outbox_vectors(&outbox, 0), 2);
	CHECK_EQ(outbox.messages[0].msg_hdr.msg_iovlen, 3);
	CHECK_EQ(outbox.messages[0].msg_hdr.msg_iov[2].iov_len, sizeof(ack));
	outbox_put(&outbox, 0, bytes, 1, 1000);
	CHECK_EQ(outbox_fill(&outbox, 0, 1, true), 1);
	CHECK(!outbox_is_merged(&outbox, 0));
	CHECK(outbox_append(&outbox, 1, ack, sizeof(ack)));
	CHECK(outbox_is_merged(&outbox, 0));
	/* The last one is shorter already; as many as a message takes; too many bytes. */
	outbox_put(&outbox, 1, bytes, 1, 500);
	CHECK_EQ(outbox_fill(&outbox, 0, 2, true), 1);
	CHECK(!outbox_append(&outbox, 1, ack, sizeof(ack)));
	CHECK_EQ(outbox_vectors(&outbox, 0), 2);
	outbox_put(&outbox, 0, bytes, OUTBOX, 100);
	CHECK_EQ(outbox_fill(&outbox, 0, 1, true), 1);
	CHECK(!outbox_append(&outbox, 1, ack, sizeof(ack)));
	outbox_put(&outbox, 0, bytes, 60, OUTBOX_MERGED / 60);
	CHECK_EQ(outbox_fill(&outbox, 0, 1, true), 1);
	CHECK(!outbox_append(&outbox, 1, ack, sizeof(ack)));
}

static void outbox_merges(void)
{
	static uint8_t bytes[OUTBOX_MERGED + 1];
	static struct outbox outbox;

	outbox_put(&outbox, 0, bytes, 5, 100);
	outbox_put(&outbox, 1, bytes, 1, 100);
	outbox_put(&outbox, 2, bytes, 1, 60);
	outbox_put(&outbox, 3, bytes, 1, 60);
	CHECK_EQ(outbox.vectors[0].iov_len, 500);
	MESSAGES(&outbox, true, 3, 1);
	CHECK(outbox_is_merged(&outbox, 0) && !outbox_is_merged(&outbox, 1));
	/* Two that are shorter are no end of a message. */
	outbox_put(&outbox, 2, bytes, 2, 40);
	MESSAGES(&outbox, true, 2, 1, 1);
	CHECK(outbox_is_merged(&outbox, 1));
	/* One vector has many. */
	outbox.sizes[1] = 0;
	MESSAGES(&outbox, true, 1);
	CHECK(outbox_is_merged(&outbox, 0));
	/* Nor are longer ones, or questions. */
	outbox_put(&outbox, 1, bytes, 1, 101);
	outbox_put(&outbox, 2, bytes, 1, WIRE_HEADER);
	outbox_put(&outbox, 3, bytes, 1, WIRE_HEADER);
	MESSAGES(&outbox, true, 1, 1, 1, 1);
	/* Packets that do not fit are a message of their own. */
	outbox_put(&outbox, 0, bytes, 30, 2000);
	outbox_put(&outbox, 1, bytes, 2, 2000);
	outbox_put(&outbox, 2, bytes, 1, 2000);
	outbox_put(&outbox, 3, bytes, 1, 1);
	MESSAGES(&outbox, true, 2, 1, 1);
	outbox_put(&outbox, 0, bytes, 1, 2000);
	outbox_put(&outbox, 1, bytes, 1, 2000);
	MESSAGES(&outbox, false, 1, 1, 1, 1);
	CHECK(!outbox_is_merged(&outbox, 0));
}

/* A message takes no more packets than the kernel cuts it into, and a call takes several messages. */
static void outbox_fills_calls(void)
{
	static uint8_t bytes[OUTBOX * 100];
	static struct outbox outbox;

	outbox_put(&outbox, 0, bytes, OUTBOX - 1, 100);
	outbox_put(&outbox, 1, bytes, 1, 100);
	outbox_put(&outbox, 2, bytes, 1, 60);
	MESSAGES(&outbox, true, 2, 1);
	outbox_put(&outbox, 1, bytes, 2, 100);
	MESSAGES(&outbox, true, 1, 2);
	CHECK_EQ(outbox_fit(100), OUTBOX);
	CHECK_EQ(outbox_room(100, true), OUTBOX_MESSAGES * OUTBOX);
	CHECK_EQ(outbox_fit(OUTBOX_MERGED / 7), 7);
	CHECK_EQ(outbox_room(OUTBOX_MERGED / 7, true), OUTBOX_MESSAGES * 7);
	CHECK_EQ(outbox_room(OUTBOX_MERGED / 7, false), OUTBOX_PLAIN);
}

static bool waits(uint32_t most, uint32_t flight, uint32_t window)
{
	const struct merging_room room = {
		.most = most, .flight = flight, .window = window, .call = 28, .message = 7,
	};

	return merging_waits(&room);
}

static void short_batches_wait(void)
{
	/* For a call's packets, while half of the window is under way. */
	CHECK(waits(1, 511, 512));
	CHECK(waits(27, 485, 512));
	CHECK(waits(27, 256, 512));
	CHECK(!waits(28, 484, 512));
	CHECK(!waits(27, 255, 512));
	/* For a message's in a smaller window, and for none in a small one. */
	CHECK(waits(27, 201, 224));
	CHECK(waits(6, 217, 223));
	CHECK(!waits(7, 216, 223));
	CHECK(waits(6, 50, 56));
	CHECK(!waits(6, 49, 55));
	CHECK(!waits(1, 1, 2));
}

/* Round trips one after the other; returns the time of the last answer. */
static uint64_t round_trips(struct rtt *rtt, uint64_t now, unsigned int count, uint64_t took)
{
	for (unsigned int i = 0; i < count; i++, now += took)
		rtt_sample(rtt, now, now + took);
	return now;
}

static void timer_follows_round_trips(void)
{
	struct rtt rtt = { 0 };
	uint64_t now;

	CHECK_EQ(rtt_timeout(&rtt), RTO_FLOOR);
	now = round_trips(&rtt, 0, 100, 100 * NSEC_PER_USEC);
	CHECK(rtt.smoothed > 99 * NSEC_PER_USEC && rtt.smoothed < 101 * NSEC_PER_USEC);
	CHECK_EQ(rtt_timeout(&rtt), RTO_FLOOR);
	round_trips(&rtt, now, 100, 50 * NSEC_PER_MSEC);
	CHECK(rtt_timeout(&rtt) >= 50 * NSEC_PER_MSEC);
	CHECK(rtt_timeout(&rtt) < 60 * NSEC_PER_MSEC);
	CHECK_EQ(rtt.min, 100 * NSEC_PER_USEC);
}

/* A hundred blocks that wait together wait once. */
static void waits_differ_by_round_trip(void)
{
	struct rtt rtt = { 0 };
	uint64_t now = 0;

	for (unsigned int trip = 0; trip < 40; trip++) {
		uint64_t took = (trip % 2 ? 5 : 45) * NSEC_PER_MSEC;

		for (unsigned int i = 0; i < 100; i++)
			rtt_sample(&rtt, now, now + took + i);
		now += took + 100;
	}
	CHECK(rtt_timeout(&rtt) > 60 * NSEC_PER_MSEC);
	CHECK_EQ(rtt.min, 5 * NSEC_PER_MSEC);
	CHECK_EQ(rtt.latest, 5 * NSEC_PER_MSEC + 99);
}

static void timer_backs_off(void)
{
	struct rtt rtt = { 0 };
	uint64_t before = 0;

	for (rtt.backoff = 0; rtt.backoff < 6; rtt.backoff++) {
		CHECK_EQ(rtt_timeout(&rtt), RTO_FLOOR << rtt.backoff);
		CHECK(rtt_timeout(&rtt) > before);
		before = rtt_timeout(&rtt);
	}
	rtt.backoff = 1000;
	CHECK_EQ(rtt_timeout(&rtt), RTO_CAP);
	rtt_answered(&rtt);
	CHECK_EQ(rtt_timeout(&rtt), 4 * RTO_FLOOR);
	rtt_sample(&rtt, 0, NSEC_PER_MSEC);
	CHECK_EQ(rtt_timeout(&rtt), RTO_FLOOR);
}

/* Not beyond the patience, which a timeout that has not backed off may exceed. */
static void timer_backs_off_within_patience(void)
{
	struct rtt rtt = { .backoff = 3, .patience = 3 * RTO_FLOOR };

	CHECK_EQ(rtt_timeout(&rtt), 3 * RTO_FLOOR);
	rtt.backoff = 1;
	CHECK_EQ(rtt_timeout(&rtt), 2 * RTO_FLOOR);
	rtt.smoothed = 5 * RTO_FLOOR;
	CHECK_EQ(rtt_timeout(&rtt), 5 * RTO_FLOOR);
	rtt.patience = 10 * RTO_CAP;
	rtt.backoff = 1000;
	CHECK_EQ(rtt_timeout(&rtt), RTO_CAP);
}

static void headers_in_a_row(void)
{
	struct wire_header header = { .job = 7, .block = 0x12ffff, .ranks = 4, .grads = 256 };
	uint8_t packet[WIRE_HEADER], next[WIRE_HEADER];

	wire_put_header(packet, &header);
	header.block++;
	wire_put_header(next, &header);
	CHECK(wire_is_next(next, packet));
	CHECK(!wire_is_next(packet, next));
	CHECK(!wire_is_next(next, next));
	for (size_t i = 0; i < WIRE_HEADER; i++) {
		next[i] ^= 0x10;
		CHECK(!wire_is_next(next, packet));
		next[i] ^= 0x10;
	}
	/* Behind the last block of job 7 there is none of job 8. */
	header.block = UINT32_MAX;
	wire_put_header(packet, &header);
	header.block = 0;
	header.job = 8;
	wire_put_header(next, &header);
	CHECK(!wire_is_next(next, packet));
}

static void header_layout(void)
{
	static const uint8_t expected[] = {
		7, 0x12, 0x34, 0x56, 0x78, WEIR_TRIO_FINAL, 3, 1, 0xab, 0xcd, 0x04, 0x00,
	};
	struct wire_header header = {
		.job = 7, .block = 0x12345678, .flags = WEIR_TRIO_FINAL, .source = 3, .ranks = 1,
		.generation = 0xabcd, .grads = 1024,
	};
	struct wire_header back;
	uint8_t packet[WIRE_HEADER];

	wire_put_header(packet, &header);
	CHECK(!memcmp(packet, expected, sizeof(expected)));
	CHECK(wire_get_header(&back, packet, sizeof(packet)));
	CHECK_EQ(back.block, 0x12345678);
	CHECK_EQ(back.generation, 0xabcd);
	CHECK_EQ(back.grads, 1024);
	/* Eight bits hold 256 ranks, as no result has none. */
	packet[7] = 0;
	CHECK(wire_get_header(&back, packet, sizeof(packet)));
	CHECK_EQ(back.ranks, 256);
	CHECK(!back.joined && !back.down);
	CHECK(!back.has_exponent);
	/* The four bits above the count are not the count's. */
	packet[10] |= 0xf0;
	CHECK(!wire_get_header(&back, packet, sizeof(packet)));
	CHECK_EQ(back.grads, 1024);
	CHECK(back.joined && back.down && back.has_exponent);
}

static void exponent_layout(void)
{
	static const uint8_t expected[] = {
		7, 0, 0, 0, 9, 0, 3, 1, 0, 5, 0x20, 17, 0xff, 0xff, 0xff, 0x81,
	};
	struct wire_header header = {
		.job = 7, .block = 9, .source = 3, .ranks = 1, .generation = 5, .grads = 17,
		.has_exponent = true, .exponent = -127,
	};
	struct wire_header back;
	uint8_t packet[16];

	CHECK_EQ(wire_header_size(&header), sizeof(packet));
	wire_put_header(packet, &header);
	CHECK(!memcmp(packet, expected, sizeof(expected)));
	CHECK(wire_get_header(&back, packet, sizeof(packet)));
	CHECK_EQ(back.exponent, -127);
	CHECK(!wire_get_header(&back, packet, sizeof(packet) - 1));
}

static void query_layout(void)
{
	static const uint8_t expected[] = { 7, 0, 0, 0, 9, 0, 3, 1, 0, 5, 0x80, 0 };
	struct wire_header header = {
		.job = 7, .block = 9, .source = 3, .ranks = 1, .generation = 5, .joined = true,
	};
	struct wire_header back;
	uint8_t packet[WIRE_HEADER];

	wire_put_header(packet, &header);
	CHECK(!memcmp(packet, expected, sizeof(expected)));
	CHECK(wire_get_header(&back, packet, sizeof(packet)));
	CHECK(back.joined);
	CHECK_EQ(back.grads, 0);
	wire_set_generation(packet, 0xfedc);
	CHECK(wire_get_header(&back, packet, sizeof(packet)));
	CHECK_EQ(back.generation, 0xfedc);
	/* In a reply none is none, and not 256. */
	packet[7] = 0;
	CHECK_EQ(wire_replied(packet), 0);
}

static void notice_layout(void)
{
	uint8_t packet[WIRE_NOTICE_MAX] = { 0 };
	struct wire_notice notice;

	CHECK_EQ(WIRE_NOTICE(1), 108);
	CHECK_EQ(WIRE_NOTICE(256), 108);
	CHECK_EQ(WIRE_NOTICE(257), 12 + 3 * 36);
	packet[12 + 3] = 0x81;
	packet[12 + 4] = 0x80;
	packet[12 + 32 + 31] = 0x01;
	packet[12 + 64 + 28] = 0x40;
	wire_get_notice(&notice, packet, 256);
	CHECK(bitmap_has(notice.dead, 0) && bitmap_has(notice.dead, 7) && bitmap_has(notice.dead, 63));
	CHECK_EQ(bitmap_count(notice.dead), 3);
	CHECK(bitmap_has(notice.excluded, 224));
	CHECK_EQ(bitmap_count(notice.excluded), 1);
	CHECK(bitmap_has(notice.waiting, 254));

	/* The bitmaps of more ranks are longer. */
	memset(packet, 0, sizeof(packet));
	packet[12 + 128 * 4 - 4] = 0x80;
	packet[12 + 512 + 3] = 1;
	wire_get_notice(&notice, packet, 4096);
	CHECK(bitmap_has(notice.dead, 4095) && bitmap_has(notice.excluded, 0));
	CHECK_EQ(bitmap_count(notice.dead) + bitmap_count(notice.excluded) +
		 bitmap_count(notice.waiting), 2);
}

/* Results count modulo 256, and their ranks are as many as the bitmap names. */
static void results_of_many_ranks(void)
{
	static struct weir comm = { .config = { .job = 7, .ranks = 600, .type = WEIR_INT32 } };
	uint8_t packet[12 + 4 + WIRE_TRAILER(600)] = { 0 };
	struct wire_header header = { .job = 7, .grads = 1, .ranks = 600 % 256, .down = true };
	struct result result;

	bitmap_fill(comm.config.everyone, 600);
	wire_put_header(packet, &header);
	CHECK(wire_get_header(&result.header, packet, 16));
	CHECK(result_read(&comm, &result, packet, 16));
	CHECK_EQ(result.header.ranks, 600);
	CHECK_EQ(bitmap_count(result.contributors), 600);

	header.flags = WEIR_TRIO_DEGRADED;
	header.ranks = 257 % 256;
	wire_put_header(packet, &header);
	memset(packet + 16, 0xff, 32);
	packet[16 + 32 + 3] = 1;
	CHECK(wire_get_header(&result.header, packet, sizeof(packet)));
	CHECK(result_read(&comm, &result, packet, sizeof(packet)));
	CHECK_EQ(result.header.ranks, 257);
	CHECK(bitmap_has(result.contributors, 256) && !bitmap_has(result.contributors, 257));

	/* Another number than it says, and a rank that is not there. */
	packet[16 + 32 + 3] = 3;
	CHECK(!result_read(&comm, &result, packet, sizeof(packet)));
	packet[16 + 32 + 3] = 0;
	packet[16 + 72] = 1;
	CHECK(!result_read(&comm, &result, packet, sizeof(packet)));
}

static void bitmaps_in_words(void)
{
	uint64_t bitmap[BITMAP_WORDS] = { 0 };
	char text[BITMAP_TEXT];

	bitmap_text(bitmap, text);
	CHECK(!strcmp(text, ""));
	bitmap[1] = 1;
	bitmap_text(bitmap, text);
	CHECK(!strcmp(text, "rank 64"));
	bitmap[0] = 1ULL << 63 | 1;
	bitmap[3] = 1ULL << 63;
	bitmap_text(bitmap, text);
	CHECK(!strcmp(text, "ranks 0, 63-64, 255"));
	bitmap_fill(bitmap, 256);
	bitmap_text(bitmap, text);
	CHECK(!strcmp(text, "ranks 0-255"));
	memset(bitmap, 0x55, sizeof(bitmap));
	bitmap_text(bitmap, text);
	CHECK(!strncmp(text, "ranks 0, 2, 4, 6, ", 18));
	CHECK(!strcmp(text + strlen(text) - 5, ", ..."));
}

static void bitmaps(void)
{
	static const unsigned int ranks[] = { 1, 31, 32, 33, 63, 64, 65, 255, 256 };
	uint64_t bitmap[BITMAP_WORDS];

	for (unsigned int i = 0; i < ELEMENTS(ranks); i++) {
		bitmap_fill(bitmap, ranks[i]);
		CHECK_EQ(bitmap_count(bitmap), ranks[i]);
		CHECK(bitmap_has(bitmap, ranks[i] - 1));
		CHECK(bitmap_is_below(bitmap, ranks[i]));
		CHECK(!bitmap_is_below(bitmap, ranks[i] - 1));
	}
	CHECK_EQ(WIRE_TRAILER(1), 4);
	CHECK_EQ(WIRE_TRAILER(32), 4);
	CHECK_EQ(WIRE_TRAILER(33), 8);
	CHECK_EQ(WIRE_TRAILER(256), 32);
	/* Bytes behind the last word are not read. */
	memset(bitmap, 0xff, sizeof(bitmap));
	wire_get_bitmap(bitmap, "\x00\x00\x00\x05\xff", 32);
	CHECK_EQ(bitmap[0], 5);
	CHECK_EQ(bitmap_count(bitmap), 2);
}

static void join_layout(void)
{
	static const uint8_t expected[] = { 1, 2, 3, 4, 0, 0, 0, 5, 0, 0, 4, 0, 0, 0, 1, 0,
					    9, 8, 7, 6, 5, 4, 3, 2, 2, 3, 1, 0, 0, 0, 0, 0 };
	struct wire_join join = {
		.nonce = 0x01020304, .ranks = 5, .blocks = 1024, .grads = 256,
		.dtype = 2, .op = 3, .format = 1,
	};
	struct wire_join back = { 0 };
	uint8_t packet[WIRE_JOIN];

	/* Bytes as they come. */
	memcpy(&join.cookie, expected + 16, sizeof(join.cookie));
	wire_put_join(packet, &join);
	CHECK(!memcmp(packet + WIRE_HEADER, expected, sizeof(expected)));
	wire_get_join(&back, packet);
	CHECK(back.nonce == join.nonce && back.ranks == 5 && back.blocks == 1024 &&
	      back.grads == 256 && back.cookie == join.cookie);
	CHECK(back.dtype == 2 && back.op == 3 && back.format == 1);
}

static void integers_are_big_endian(void)
{
	static const int32_t in[] = { 0, 1, -1, INT32_MAX, INT32_MIN, 0x01020304 };
	static const uint8_t expected[] = {
		0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff,
		0x80, 0, 0, 0, 1, 2, 3, 4,
	};
	uint32_t wire[ELEMENTS(in)];
	int32_t back[ELEMENTS(in)];

	convert_to_wire(wire, WEIR_INT32, in, WEIR_INT32, ELEMENTS(in), NULL, false);
	CHECK(!memcmp(wire, expected, sizeof(expected)));
	convert_from_wire(back, WEIR_INT32, wire, WEIR_INT32, ELEMENTS(in), 1, false);
	CHECK(!memcmp(back, in, sizeof(back)));
}

static int32_t quantised(float x, double scale)
{
	const struct scaling scaling = { .factor = scale };
	uint32_t wire;
	int32_t value;

	convert_to_wire(&wire, WEIR_INT32, &x, WEIR_FLOAT32, 1, &scaling, false);
	convert_from_wire(&value, WEIR_INT32, &wire, WEIR_INT32, 1, 1, false);
	return value;
}

/* Not one more, whatever the number. */
static void integers_of_every_count(void)
{
	uint32_t in[200], out[200];

	for (uint32_t i = 0; i < ELEMENTS(in); i++)
		in[i] = i * 0x01234567;
	for (size_t count = 0; count < ELEMENTS(in); count++) {
		memset(out, 0xee, sizeof(out));
		convert_to_wire(out, WEIR_INT32, in, WEIR_INT32, count, NULL, false);
		for (size_t i = 0; i < ELEMENTS(in); i++)
			CHECK_EQ(out[i], i < count ? htobe32(in[i]) : 0xeeeeeeee);
	}
}

static void floats_are_rounded_to_even(void)
{
	CHECK_EQ(quantised(0.5f, 1), 0);
	CHECK_EQ(quantised(1.5f, 1), 2);
	CHECK_EQ(quantised(2.5f, 1), 2);
	CHECK_EQ(quantised(-0.5f, 1), 0);
	CHECK_EQ(quantised(-1.5f, 1), -2);
	CHECK_EQ(quantised(-2.5f, 1), -2);
	CHECK_EQ(quantised(0.49999997f, 1), 0);
	CHECK_EQ(quantised(2147483520.0f, 1), 2147483520);
	CHECK_EQ(quantised(-2147483520.0f, 1), -2147483520);
	CHECK_EQ(quantised(-0.0f, 1e9), 0);
	CHECK_EQ(quantised(1e-40f, 1e9), 0);
}

/* Against the C library, over the whole range and in long vectors. */
static void floats_match_the_reference(void)
{
	enum { N = 2047 };
	static float in[N], back[N];
	static uint32_t wire[N];
	static int32_t integers[N];
	static const double scales[] = { 1, 0.1, 1000, 65536, 1e6 / 3, 0x1p-40, 0x1p70 };

	for (unsigned int s = 0; s < ELEMENTS(scales); s++) {
		const struct scaling scaling = { .factor = scales[s] };
		double scale = scales[s];

		for (int i = 0; i < N; i++)
			in[i] = (float)(sin(i * 0.7) * 2147480000.0 / scale *
					pow(10, -(i % 12)));
		convert_to_wire(wire, WEIR_INT32, in, WEIR_FLOAT32, N, &scaling, false);
		convert_from_wire(integers, WEIR_INT32, wire, WEIR_INT32, N, 1, false);
		convert_from_wire(back, WEIR_FLOAT32, wire, WEIR_INT32, N, scale, false);
		for (int i = 0; i < N; i++) {
			CHECK_EQ(integers[i], (int32_t)llrint((double)in[i] * scale));
			CHECK(back[i] == (float)(integers[i] / scale));
		}
	}
}

static void unfit_floats_are_found(void)
{
	float in[1000] = { 0 };
	double value;
	size_t at = 0;

	CHECK_EQ(convert_check(in, WEIR_FLOAT32, 0, 1, &at, &value), 0);
	CHECK_EQ(convert_check(in, WEIR_FLOAT32, 1000, 1e30, &at, &value), 0);
	in[999] = NAN;
	CHECK_EQ(convert_check(in, WEIR_FLOAT32, 1000, 1, &at, &value), -EDOM);
	CHECK_EQ(at, 999);
	in[500] = -INFINITY;
	CHECK_EQ(convert_check(in, WEIR_FLOAT32, 1000, 1, &at, &value), -EDOM);
	CHECK_EQ(at, 500);
	in[3] = -2147483520.0f;
	CHECK_EQ(convert_check(in, WEIR_FLOAT32, 4, 1, &at, &value), 0);
	CHECK_EQ(convert_check(in, WEIR_FLOAT32, 4, 1.0000001, &at, &value), -ERANGE);
	CHECK_EQ(at, 3);
	CHECK(value == -2147483520.0);
	in[3] = 2147483648.0f;
	CHECK_EQ(convert_check(in, WEIR_FLOAT32, 4, 1, &at, &value), -ERANGE);
	in[3] = 1.0f;
	CHECK_EQ(convert_check(in, WEIR_FLOAT32, 4, 2147483647.0, &at, &value), 0);
	CHECK_EQ(convert_check(in, WEIR_FLOAT32, 4, 2147483648.0, &at, &value), -ERANGE);
	in[2] = -NAN;
	CHECK_EQ(convert_check(in, WEIR_FLOAT32, 4, 1, &at, &value), -EDOM);
	CHECK_EQ(at, 2);
}

/* The compiler's own binary16 knows each of them, and how to round to it. */
static void halves_match_the_compiler(void)
{
	static uint16_t all[CONVERT_MAX], wire[CONVERT_MAX], back[CONVERT_MAX];
	static float floats[CONVERT_MAX];
	uint32_t bits = 12345;

	for (uint32_t first = 0; first < 0x10000; first += CONVERT_MAX) {
		for (uint32_t i = 0; i < CONVERT_MAX; i++)
			all[i] = htobe16((uint16_t)(first + i));
		convert_from_wire(floats, WEIR_FLOAT32, all, WEIR_FLOAT16, CONVERT_MAX, 1, false);
		for (uint32_t i = 0; i < CONVERT_MAX; i++) {
			uint16_t half = (uint16_t)(first + i);
			_Float16 h;

			memcpy(&h, &half, sizeof(h));
			CHECK(floats[i] == (float)h || (isnan(floats[i]) && isnan((float)h)));
			CHECK(signbit(floats[i]) == signbit((float)h));
		}
	}
	for (unsigned int round = 0; round < 500; round++) {
		for (uint32_t i = 0; i < CONVERT_MAX; i++) {
			bits = bits * 1664525 + 1013904223;
			/* Of sizes that are near a binary16's. */
			bits = round & 1 ? bits : (bits & 0x87ffffff) | 0x38000000;
			memcpy(&floats[i], &bits, sizeof(bits));
		}
		convert_to_wire(wire, WEIR_FLOAT16, floats, WEIR_FLOAT32, CONVERT_MAX, NULL, false);
		convert_from_wire(back, WEIR_FLOAT16, wire, WEIR_FLOAT16, CONVERT_MAX, 1, false);
		for (uint32_t i = 0; i < CONVERT_MAX; i++) {
			_Float16 h = (_Float16)floats[i];
			uint16_t half;

			memcpy(&half, &h, sizeof(half));
			CHECK(back[i] == half || isnan(floats[i]));
			CHECK(((back[i] & 0x7fff) > 0x7c00) == !!isnan(floats[i]));
		}
	}
}

static void brains_are_rounded_to_even(void)
{
	static const float in[] = {
		1.0f, 1.00390625f, 1.01171875f, 1.00390637f, -1.00390625f, 3.40282347e38f, NAN,
		-INFINITY, -0.0f, 0x1p-133f,
	};
	static const uint16_t expected[] = {
		0x3f80, 0x3f80, 0x3f82, 0x3f81, 0xbf80, 0x7f80, 0x7fc0, 0xff80, 0x8000, 0x0001,
	};
	uint16_t wire[ELEMENTS(in)], back[ELEMENTS(in)];
	uint32_t wide[ELEMENTS(in)];
	float floats[ELEMENTS(in)];

	convert_to_wire(wire, WEIR_BFLOAT16, in, WEIR_FLOAT32, ELEMENTS(in), NULL, false);
	convert_from_wire(back, WEIR_BFLOAT16, wire, WEIR_BFLOAT16, ELEMENTS(in), 1, false);
	CHECK(!memcmp(back, expected, sizeof(back)));
	CHECK_EQ(htobe16(wire[1]), 0x3f80);
	/* The same numbers, wider on the wire. */
	convert_to_wire(wide, WEIR_FLOAT32, back, WEIR_BFLOAT16, ELEMENTS(in), NULL, false);
	convert_from_wire(floats, WEIR_FLOAT32, wide, WEIR_FLOAT32, ELEMENTS(in), 1, false);
	CHECK(floats[3] == 1.0078125f && floats[9] == 0x1p-133f && isinf(floats[5]));
}

/* Divided before it is rounded. */
static void means_are_rounded_once(void)
{
	static const float sums[] = { 1, 2, 10, INFINITY };
	uint32_t wire[4];
	uint16_t halves[4];
	float means[4];

	convert_to_wire(wire, WEIR_FLOAT32, sums, WEIR_FLOAT32, 4, NULL, false);
	convert_from_wire(means, WEIR_FLOAT32, wire, WEIR_FLOAT32, 4, 3, false);
	CHECK(means[0] == 1.0f / 3 && means[1] == 2.0f / 3 && means[2] == 10.0f / 3);
	CHECK(isinf(means[3]));
	convert_from_wire(halves, WEIR_FLOAT16, wire, WEIR_FLOAT32, 4, 3, false);
	CHECK_EQ(halves[0], 0x3555);
	CHECK_EQ(halves[3], 0x7c00);
}

/* Each element is below the power that the exponent says, and the next lower one is not. */
static void exponents_bound_elements(void)
{
	static const float in[] = { 1, 0.99999994f, 2, 3, 0.5f, 1e-45f, 3.40282347e38f, -7 };
	static const int expected[] = { 1, 0, 2, 2, 0, -148, 128, 3 };
	float many[300] = { 0 };
	uint16_t half = 0x3c00;

	for (unsigned int i = 0; i < ELEMENTS(in); i++)
		CHECK_EQ(exponent_of(&in[i], WEIR_FLOAT32, 1, false), expected[i]);
	CHECK_EQ(exponent_of(&half, WEIR_FLOAT16, 1, false), 1);
	CHECK_EQ(exponent_of(many, WEIR_FLOAT32, 300, false), EXPONENT_ZERO);
	many[299] = -0.25f;
	CHECK_EQ(exponent_of(many, WEIR_FLOAT32, 300, false), -1);
	many[5] = NAN;
	CHECK_EQ(exponent_of(many, WEIR_FLOAT32, 300, false), EXPONENT_NOT_FINITE);
	many[5] = -INFINITY;
	CHECK_EQ(exponent_of(many, WEIR_FLOAT32, 300, false), EXPONENT_NOT_FINITE);
}

/* Infinities count as the largest number of the type, and NaNs as nothing. */
static void exponents_of_what_saturates(void)
{
	static const uint16_t halves[] = { 0xfc00, 0x3c00 };
	float many[300] = { [7] = 0.75f, [9] = NAN };

	CHECK_EQ(exponent_of(many, WEIR_FLOAT32, 300, true), 0);
	many[299] = -INFINITY;
	CHECK_EQ(exponent_of(many, WEIR_FLOAT32, 300, true), 128);
	CHECK_EQ(exponent_of(halves, WEIR_FLOAT16, 2, true), 16);
	many[299] = NAN;
	many[7] = NAN;
	CHECK_EQ(exponent_of(many, WEIR_FLOAT32, 300, true), EXPONENT_ZERO);
}

static void saturated_integers(void)
{
	const float in[] = { NAN, INFINITY, -INFINITY, 250, -250, 2.5f };
	const int32_t want[] = { 0, 99, -100, 99, -100, 2 };
	const float rest[] = { 0, 0, 0, 151, -150, 0 };
	const struct scaling scaling = { .factor = 1, .limit = 100 };
	uint32_t wire[ELEMENTS(in)];
	float left[ELEMENTS(in)];

	convert_to_wire(wire, WEIR_INT32, in, WEIR_FLOAT32, ELEMENTS(in), &scaling, false);
	convert_cut_off(left, in, WEIR_FLOAT32, ELEMENTS(in), &scaling);
	for (unsigned int i = 0; i < ELEMENTS(in); i++) {
		CHECK_EQ((int32_t)be32toh(wire[i]), want[i]);
		CHECK(left[i] == rest[i]);
	}
}

/* However many ranks have the largest element that an exponent allows, no sum leaves int32. */
static void exponents_leave_room(void)
{
	static const int exponents[] = { -148, -126, -3, 0, 1, 128 };

	for (unsigned int ranks = 1; ranks <= 256; ranks++)
		for (unsigned int i = 0; i < ELEMENTS(exponents); i++) {
			const struct agreed agreed = { .exponent = exponents[i] };
			struct scaling scaling = exponent_scaling(&agreed, ranks, false);
			float largest = nextafterf(ldexpf(1, exponents[i]), 0);
			int64_t sum;

			if (exponents[i] == 128)
				largest = 3.40282347e38f;
			sum = (int64_t)ranks * quantised(largest, scaling.factor);
			CHECK(sum <= INT32_MAX);
			/* Nor is more room left than a factor of two, and another of many ranks. */
			CHECK(exponents[i] < -126 || sum >= INT32_MAX / (ranks > 128 ? 8 : 4));
			CHECK(-(int64_t)ranks * quantised(-largest, scaling.factor) <= 1LL << 31);
		}
}

static void exponents_are_known_in_turn(void)
{
	struct exponents *exponents = exponents_new(4, 10);

	CHECK(!exponents_of(exponents, 0));
	exponents_begin(exponents, 7, false);
	for (unsigned int b = 0; b < 4; b++)
		CHECK(exponents_of(exponents, b) && exponents_of(exponents, b)->exponent == 7);
	CHECK(!exponents_of(exponents, 4));
	exponents_answered(exponents, 1, -3, true);
	CHECK(!exponents_of(exponents, 4) && !exponents_of(exponents, 1));
	CHECK_EQ(exponents_of(exponents, 5)->exponent, -3);
	CHECK(exponents_of(exponents, 5)->without);
	CHECK(!exponents_of(exponents, 9));
	exponents_answered(exponents, 5, 2, false);
	CHECK_EQ(exponents_of(exponents, 9)->exponent, 2);
	/* The last ones' packets say nothing of later ones. */
	exponents_answered(exponents, 9, 1, false);
	CHECK(exponents_of(exponents, 9) && !exponents_of(exponents, 13));
	free(exponents);
	/* Shorter than the lag. */
	exponents = exponents_new(256, 1);
	exponents_begin(exponents, 1, false);
	CHECK_EQ(exponents_of(exponents, 0)->exponent, 1);
	exponents_answered(exponents, 0, 5, false);
	CHECK_EQ(exponents_of(exponents, 0)->exponent, 1);
	free(exponents);
}

/* An exponent agreed without this rank may be too small for it: elements are cut. */
static void larger_elements_are_cut(void)
{
	const struct agreed agreed = { .exponent = 1, .without = true };
	struct scaling scaling = exponent_scaling(&agreed, 4, false);
	static const float in[] = { 1, -1.5f, 2, 1000, -1000 };
	uint32_t wire[5];
	float rest[5], back[5];

	convert_to_wire(wire, WEIR_INT32, in, WEIR_FLOAT32, 5, &scaling, false);
	convert_cut_off(rest, in, WEIR_FLOAT32, 5, &scaling);
	convert_from_wire(back, WEIR_FLOAT32, wire, WEIR_INT32, 5, scaling.factor, false);
	CHECK(back[0] == 1 && back[1] == -1.5f && !rest[0] && !rest[1]);
	CHECK_EQ((int32_t)htobe32(wire[3]), (1 << 29) - 1);
	CHECK_EQ((int32_t)htobe32(wire[4]), -(1 << 29));
	CHECK(fabsf(back[3] - 2) < 1e-6f && fabsf(rest[3] - 998) < 1e-3f);
	CHECK(back[4] == -2 && rest[4] == -998);
}

static void addresses(void)
{
	static const char *const bad[] = {
		"", "10.0.0", "10.0.0.256", "host.example", "fe80::1%nowhere", "::g",
		"10.0.0.1:12000", "1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb:cccc",
	};
	struct address address;
	char text[ADDRESS_TEXT];

	for (unsigned int i = 0; i < ELEMENTS(bad); i++)
		CHECK(!address_parse(&address, bad[i], 1));
	CHECK(address_parse(&address, "192.0.2.1", 12000));
	CHECK_EQ(address_port(&address), 12000);
	CHECK(!strcmp(address_format(&address, text), "192.0.2.1"));
	CHECK(!address_is_multicast(&address));
	CHECK(address_parse(&address, "2001:db8::1", 77));
	CHECK_EQ(address_port(&address), 77);
	CHECK(!strcmp(address_format(&address, text), "2001:db8::1"));
	CHECK(address_parse(&address, "fe80::1%lo", 77));
	CHECK(!strcmp(address_format(&address, text), "fe80::1%lo"));
	CHECK(address_parse(&address, "239.1.2.3", 1) && address_is_multicast(&address));
	CHECK(address_parse(&address, "ff05::7", 1) && address_is_multicast(&address));
}

static const struct ktap_test tests[] = {
	KTAP_TEST(merging_is_probed),
	KTAP_TEST(window_is_cumulative),
	KTAP_TEST(window_takes_runs),
	KTAP_TEST(window_of_one),
	KTAP_TEST(window_wraps),
	KTAP_TEST(window_orders_by_sending),
	KTAP_TEST(window_keeps_lists),
	KTAP_TEST(window_goes_back),
	KTAP_TEST(window_skips),
	KTAP_TEST(states_change_by_events),
	KTAP_TEST(early_keeps),
	KTAP_TEST(window_sends_runs),
	KTAP_TEST(kept_is_both_ways_dense),
	KTAP_TEST(outbox_merges),
	KTAP_TEST(outbox_fills_calls),
	KTAP_TEST(short_batches_wait),
	KTAP_TEST(outbox_appends),
	KTAP_TEST(timer_follows_round_trips),
	KTAP_TEST(waits_differ_by_round_trip),
	KTAP_TEST(timer_backs_off),
	KTAP_TEST(timer_backs_off_within_patience),
	KTAP_TEST(headers_in_a_row),
	KTAP_TEST(header_layout),
	KTAP_TEST(exponent_layout),
	KTAP_TEST(query_layout),
	KTAP_TEST(notice_layout),
	KTAP_TEST(results_of_many_ranks),
	KTAP_TEST(bitmaps),
	KTAP_TEST(bitmaps_in_words),
	KTAP_TEST(join_layout),
	KTAP_TEST(integers_are_big_endian),
	KTAP_TEST(integers_of_every_count),
	KTAP_TEST(floats_are_rounded_to_even),
	KTAP_TEST(floats_match_the_reference),
	KTAP_TEST(unfit_floats_are_found),
	KTAP_TEST(halves_match_the_compiler),
	KTAP_TEST(brains_are_rounded_to_even),
	KTAP_TEST(means_are_rounded_once),
	KTAP_TEST(exponents_bound_elements),
	KTAP_TEST(exponents_of_what_saturates),
	KTAP_TEST(saturated_integers),
	KTAP_TEST(exponents_leave_room),
	KTAP_TEST(exponents_are_known_in_turn),
	KTAP_TEST(larger_elements_are_cut),
	KTAP_TEST(addresses),
};

int main(int argc, char **argv)
{
	static const struct test_table own = { tests, ELEMENTS(tests) };
	static const struct test_table *const tables[] = { &own, &pace_table, &recovery_table };

	return run_tables(tables, ELEMENTS(tables), argc > 1 ? argv[1] : NULL);
}
