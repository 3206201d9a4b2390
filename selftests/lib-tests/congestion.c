// SPDX-License-Identifier: GPL-2.0
/* A box whose results are marked, or that has room for little; and one that knows nothing of it. */
#include <stdlib.h>

#include "calls.h"
#include "cluster.h"
#include "ktap.h"
#include "tests.h"
#include "vectors.h"

#define ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))
#define G CLUSTER_GRADS
#define ROUNDS 10
#define ROUND_BLOCKS 200

static void rounds(struct worker *worker)
{
	for (unsigned int i = 0; i < ROUNDS; i++)
		one_int32(worker, ROUND_BLOCKS * G, i, i & 1);
}

static void init(struct cluster *cluster, bool merge)
{
	cluster_init(cluster, 3);
	cluster->box.merge = merge;
	cluster->box.cwnd_cap = CLUSTER_BLOCKS / 2;
	if (!merge)
		cluster->options.flags |= WEIR_UNMERGED;
}

static void check_capable(const struct cluster *cluster, bool capable)
{
	CHECK_EQ(cluster->counters.capable, capable ? cluster->counters.contributions : 0);
}

/* Each rank counts each mark, once, of packets that are merged or not. */
static void check_marked(const struct cluster *cluster)
{
	CHECK(cluster->counters.marked > 0);
	for (unsigned int i = 0; i < cluster->options.ranks; i++)
		CHECK_EQ(cluster->workers[i].stats.marked, cluster->counters.marked);
}

static void marks_are_heard(void)
{
	for (unsigned int merge = 0; merge < 2; merge++) {
		struct cluster cluster;

		init(&cluster, merge);
		cluster.box.mark_every = 7;
		cluster_run(&cluster, rounds, NULL);
		check_capable(&cluster, true);
		check_marked(&cluster);
		CHECK_EQ(cluster_malformed(&cluster), 0);
	}
}

static void marks_are_heard_v6(void)
{
	struct cluster cluster;

	if (!own_network) {
		ktap_skip("no network of its own");
		return;
	}
	init(&cluster, true);
	cluster.v6 = true;
	cluster.box.address = CLUSTER_BOX6;
	cluster.options.address = CLUSTER_BOX6;
	cluster.box.mark_every = 7;
	cluster_run(&cluster, rounds, NULL);
	check_capable(&cluster, true);
	check_marked(&cluster);
}

static void marks_are_heard_in_a_group(void)
{
	struct cluster cluster;

	if (!own_network) {
		ktap_skip("no network of its own");
		return;
	}
	init(&cluster, true);
	cluster.box.group = CLUSTER_GROUP;
	cluster.options.group = CLUSTER_GROUP;
	cluster.box.mark_every = 7;
	cluster_run(&cluster, rounds, NULL);
	check_capable(&cluster, true);
	check_marked(&cluster);
}

/* Where all are marked, the window is the least; where none is, it grows. */
static void marks_make_the_window_small(void)
{
	for (uint32_t every = 0; every < 2; every++) {
		struct cluster cluster;

		init(&cluster, false);
		cluster.box.mark_every = every;
		cluster_run(&cluster, rounds, NULL);
		for (unsigned int i = 0; i < cluster.options.ranks; i++) {
			uint32_t limit = cluster.workers[i].stats.flight_limit;

			CHECK(every ? limit < 6 : limit > 20);
		}
	}
}

/* The window of an older box's worker is as before, and nothing on the way may mark its packets. */
static void older_boxes_mark_nothing(void)
{
	struct cluster cluster;
	const struct weir_stats *stats = &cluster.workers[0].stats;

	init(&cluster, true);
	cluster.box.cwnd_cap = 0;
	cluster.box.mark_every = 1;
	cluster_run(&cluster, rounds, NULL);
	check_capable(&cluster, false);
	CHECK_EQ(stats->marked, 0);
	CHECK_EQ(stats->window, CLUSTER_BLOCKS / 2);
	/* The machine decides how far the limit has grown, where delays are taken for a queue's. */
	CHECK(stats->flight_limit > 20);
}

static void ranks_may_do_without(void)
{
	struct cluster cluster;

	init(&cluster, true);
	cluster.options.flags |= WEIR_NO_ECN;
	cluster.box.mark_every = 1;
	cluster_run(&cluster, rounds, NULL);
	check_capable(&cluster, false);
	CHECK_EQ(cluster.counters.marked, 0);
}

static void boxes_have_room_for_few(void)
{
	static const uint16_t caps[] = { 1, 3, 40 };

	for (unsigned int c = 0; c < ELEMENTS(caps); c++) {
		struct cluster cluster;

		init(&cluster, true);
		cluster.box.cwnd_cap = caps[c];
		cluster_run(&cluster, rounds, NULL);
		for (unsigned int i = 0; i < cluster.options.ranks; i++)
			CHECK(cluster.workers[i].stats.flight_limit <= caps[c]);
		check_capable(&cluster, true);
	}
}

static const struct ktap_test tests[] = {
	KTAP_TEST(marks_are_heard),
	KTAP_TEST(marks_are_heard_v6),
	KTAP_TEST(marks_are_heard_in_a_group),
	KTAP_TEST(marks_make_the_window_small),
	KTAP_TEST(older_boxes_mark_nothing),
	KTAP_TEST(ranks_may_do_without),
	KTAP_TEST(boxes_have_room_for_few),
};

const struct test_table congestion_table = { tests, ELEMENTS(tests) };
