// SPDX-License-Identifier: GPL-2.0
/* Packets that cross the kernel many at once. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "calls.h"
#include "cluster.h"
#include "kernel.h"
#include "ktap.h"
#include "tests.h"
#include "vectors.h"

#define ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))
#define G CLUSTER_GRADS
#define ROUNDS 10
#define ROUND_BLOCKS 151

static void init(struct cluster *cluster, unsigned int ranks)
{
	cluster_init(cluster, ranks);
	cluster->box.merge = true;
}

/* Each contribution was summed once, though none was sent again. */
static void check_nothing_lost(const struct cluster *cluster)
{
	CHECK_EQ(cluster->counters.contributions,
		 cluster->counters.blocks * cluster->options.ranks);
	CHECK_EQ(cluster_retransmits(cluster), 0);
	CHECK_EQ(cluster_malformed(cluster), 0);
}

static void rounds(struct worker *worker)
{
	for (unsigned int i = 0; i < ROUNDS; i++)
		one_int32(worker, (ROUND_BLOCKS - 1) * G + i + 1, i, i & 1);
}

static void check_merged(const struct cluster *cluster, bool sent, bool received)
{
	for (unsigned int i = 0; i < cluster->options.ranks; i++) {
		const struct weir_stats *stats = &cluster->workers[i].stats;

		CHECK_EQ(stats->merged_sent > 0, sent);
		CHECK_EQ(stats->merged_received > 0, received);
		CHECK(stats->merged_sent <= stats->packets_sent + stats->queries);
		CHECK(stats->merged_received <= stats->packets_received);
	}
	CHECK_EQ(cluster->counters.merged > 0, sent);
}

static void both_ways(void)
{
	struct cluster cluster;

	init(&cluster, 4);
	cluster_run(&cluster, rounds, NULL);
	check_nothing_lost(&cluster);
	check_merged(&cluster, true, true);
}

static void both_ways_v6(void)
{
	struct cluster cluster;

	if (!own_network) {
		ktap_skip("no network of its own");
		return;
	}
	init(&cluster, 3);
	cluster.v6 = true;
	cluster.box.address = CLUSTER_BOX6;
	cluster.options.address = CLUSTER_BOX6;
	cluster_run(&cluster, rounds, NULL);
	check_nothing_lost(&cluster);
	check_merged(&cluster, true, true);
}

static void group(void)
{
	struct cluster cluster;

	if (!own_network) {
		ktap_skip("no network of its own");
		return;
	}
	init(&cluster, 3);
	cluster.box.group = CLUSTER_GROUP;
	cluster.options.group = CLUSTER_GROUP;
	cluster_run(&cluster, rounds, NULL);
	CHECK_EQ(cluster.counters.contributions, cluster.counters.blocks * 3);
	check_merged(&cluster, true, true);
}

static void switched_off(void)
{
	struct cluster cluster;

	init(&cluster, 2);
	cluster.options.flags = WEIR_UNMERGED;
	cluster_run(&cluster, rounds, NULL);
	check_nothing_lost(&cluster);
	check_merged(&cluster, false, false);
}

/* Runs of every length, which end with a whole packet, and with the shortest and longest part. */
static void every_length(struct worker *worker)
{
	for (unsigned int blocks = 1; blocks <= 130; blocks++) {
		one_int32(worker, blocks * G, blocks, false);
		one_int32(worker, blocks * G - 1, blocks, true);
		one_int32(worker, (blocks - 1) * G + 1, blocks, false);
	}
}

static void runs_of_every_length(void)
{
	struct cluster cluster;

	init(&cluster, 2);
	cluster.options.window = 128;
	cluster_run(&cluster, every_length, NULL);
	check_nothing_lost(&cluster);
	check_merged(&cluster, true, true);
}

/* So long that only few fit one message: the last of a batch may be one by itself. */
static void long_packets(struct worker *worker)
{
	for (unsigned int i = 0; i < 3; i++)
		one_int32(worker, 300 * 2048 - i, i, false);
}

static void messages_of_64_kib(void)
{
	struct cluster cluster;

	init(&cluster, 2);
	cluster.box.grads = 2048;
	cluster.options.grads = 2048;
	kernel_set(&(struct kernel_faults) { 0 });
	cluster_run(&cluster, long_packets, NULL);
	/* A call begins with ten packets (PACE_START), of which a message takes seven. */
	CHECK(kernel_together() > 1);
	check_nothing_lost(&cluster);
	check_merged(&cluster, true, true);
}

#define MANY 40

/* Short ones between long ones, under way together. */
static void many_requests(struct worker *worker)
{
	static const size_t sizes[] = { 3 * G, 1, 1, 5 * G + 1, G, G - 1, G + 1, 70 * G, 2, 0 };
	struct weir_request *requests[MANY];
	int32_t *vectors[MANY];

	for (unsigned int i = 0; i < MANY; i++) {
		size_t count = sizes[i % ELEMENTS(sizes)];

		vectors[i] = malloc(4 * count + 4);
		vector_fill(vectors[i], count, worker->rank, i);
		expect(worker, iallreduce_int32(worker->comm, vectors[i], vectors[i], count,
						&requests[i]), 0);
	}
	for (unsigned int i = 0; i < MANY; i++) {
		expect(worker, weir_wait(&requests[i]), 0);
		CHECK_EQ(vector_wrong(vectors[i], sizes[i % ELEMENTS(sizes)], 2, i), 0);
		free(vectors[i]);
	}
}

static void requests_of_many_lengths(void)
{
	struct cluster cluster;

	init(&cluster, 2);
	cluster_run(&cluster, many_requests, NULL);
	check_nothing_lost(&cluster);
	check_merged(&cluster, true, true);
}

/* Floats with exponents: the first block of each is longer by none and shorter by all elements. */
static void floats(struct worker *worker)
{
	for (unsigned int i = 0; i < ROUNDS; i++)
		one_float(worker, 100 * G + i, i);
}

static void exponents(void)
{
	struct cluster cluster;

	init(&cluster, 2);
	cluster_run(&cluster, floats, NULL);
	check_nothing_lost(&cluster);
	check_merged(&cluster, true, true);
}

/*
 * Rank 1 only follows: its packets are questions, which are not merged. Results go to it as soon
 * as it is there.
 */
static void follow(struct worker *worker)
{
	int32_t *vector = malloc(4 * 100 * G);

	pthread_barrier_wait(worker->data);
	vector_fill(vector, 100 * G, 0, 0);
	if (worker->rank)
		expect(worker, follow_int32(worker->comm, vector, 100 * G), 0);
	else
		expect(worker, allreduce_int32(worker->comm, vector, vector, 100 * G), 0);
	CHECK_EQ(vector_wrong(vector, 100 * G, 1, 0), 0);
	free(vector);
}

static void questions(void)
{
	pthread_barrier_t both_are_open;
	struct cluster cluster;

	init(&cluster, 2);
	cluster.box.quorum = 1;
	cluster.options.flags = WEIR_ACCEPT_DEGRADED;
	pthread_barrier_init(&both_are_open, NULL, 2);
	cluster_run(&cluster, follow, &both_are_open);
	pthread_barrier_destroy(&both_are_open);
	CHECK_EQ(cluster.counters.contributions, 100);
	CHECK_EQ(cluster.workers[1].stats.merged_sent, 0);
	CHECK(cluster.workers[1].stats.merged_received > 0);
	CHECK_EQ(cluster_malformed(&cluster), 0);
}

/* With a merged message all its packets are lost, either way. */
static void losses(void)
{
	struct cluster cluster;

	for (unsigned int seed = 0; seed < 3; seed++) {
		init(&cluster, 4);
		cluster.box.faults = (struct faults_options) {
			.seed = seed, .loss = 0.1, .duplicate = 0.1, .reorder = 0.1,
		};
		cluster_run(&cluster, rounds, NULL);
		CHECK_EQ(cluster.counters.blocks, ROUNDS * ROUND_BLOCKS);
		CHECK_EQ(cluster.counters.contributions, 4 * cluster.counters.blocks);
		CHECK(cluster.faults.lost && cluster_retransmits(&cluster));
		check_merged(&cluster, true, true);
	}
}

static void forged_results(void)
{
	struct cluster cluster;

	init(&cluster, 2);
	cluster.box.faults = (struct faults_options) { .seed = 3, .malformed = 0.3 };
	cluster_run(&cluster, rounds, NULL);
	CHECK_EQ(cluster.counters.contributions, 2 * cluster.counters.blocks);
	CHECK(cluster_malformed(&cluster) > 0);
	CHECK(cluster_malformed(&cluster) <= cluster.faults.forged);
}

static void run_on_kernel(const struct kernel_faults *kernel, bool sent, bool received)
{
	struct cluster cluster;

	init(&cluster, 2);
	kernel_set(kernel);
	cluster_run(&cluster, rounds, NULL);
	kernel_set(&(struct kernel_faults) { 0 });
	check_nothing_lost(&cluster);
	for (unsigned int i = 0; i < 2; i++) {
		CHECK_EQ(cluster.workers[i].stats.merged_sent > 0, sent);
		CHECK_EQ(cluster.workers[i].stats.merged_received > 0, received);
	}
}

static void old_kernels(void)
{
	run_on_kernel(&(struct kernel_faults) { .no_segment = true }, false, true);
	run_on_kernel(&(struct kernel_faults) { .no_gro = true }, true, false);
	run_on_kernel(&(struct kernel_faults) { .no_segment = true, .no_gro = true }, false, false);
}

/*
 * Each rank has one message refused, or the same one twice if the first call sent others before it. Then
 * it sends packets by themselves, and none is lost.
 */
static void run_refusal(int refusal, unsigned int after)
{
	const struct kernel_faults kernel = { .refusal = refusal, .after = after };
	struct cluster cluster;

	init(&cluster, 2);
	kernel_set(&kernel);
	cluster_run(&cluster, rounds, NULL);
	CHECK(kernel_refused() >= 2 && kernel_refused() <= (after ? 4 : 2));
	kernel_set(&(struct kernel_faults) { 0 });
	check_nothing_lost(&cluster);
	if (!after)
		CHECK_EQ(cluster.counters.merged, 0);
}

static void refused_messages(void)
{
	static const int refusals[] = { EINVAL, EIO, EMSGSIZE, EOPNOTSUPP };

	for (unsigned int i = 0; i < ELEMENTS(refusals); i++) {
		run_refusal(refusals[i], 0);
		run_refusal(refusals[i], 7);
	}
}

/* An error of the path costs one packet of a message, and merging goes on. */
static void errors_of_the_path(void)
{
	static const int errors[] = { ECONNREFUSED, EHOSTUNREACH, ENOBUFS };
	struct cluster cluster;

	for (unsigned int i = 0; i < ELEMENTS(errors); i++) {
		init(&cluster, 2);
		kernel_set(&(struct kernel_faults) { .refusal = errors[i], .after = 3, .times = 2 });
		cluster_run(&cluster, rounds, NULL);
		CHECK_EQ(kernel_refused(), 2);
		kernel_set(&(struct kernel_faults) { 0 });
		CHECK_EQ(cluster.counters.contributions, 2 * cluster.counters.blocks);
		CHECK_EQ(cluster_retransmits(&cluster), 2);
		check_merged(&cluster, true, true);
	}
}

/* From some message on all that are merged get lost, and nothing says so. */
static void run_swallowed(unsigned int after)
{
	struct cluster cluster;

	init(&cluster, 2);
	kernel_set(&(struct kernel_faults) { .swallows = true, .after = after });
	cluster_run(&cluster, rounds, NULL);
	/* Of each rank so many show that it is no chance; more may be under way by then. */
	CHECK(kernel_refused() >= 2 * 3);
	CHECK(kernel_refused() <= 2 * 10);
	kernel_set(&(struct kernel_faults) { 0 });
	CHECK_EQ(cluster.counters.contributions, 2 * cluster.counters.blocks);
	for (unsigned int i = 0; i < 2; i++)
		CHECK(cluster.workers[i].stats.packets_sent > 2 * cluster.workers[i].stats.merged_sent);
}

static void swallowed_messages(void)
{
	run_swallowed(0);
	run_swallowed(4);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(both_ways),
	KTAP_TEST(both_ways_v6),
	KTAP_TEST(group),
	KTAP_TEST(switched_off),
	KTAP_TEST(runs_of_every_length),
	KTAP_TEST(messages_of_64_kib),
	KTAP_TEST(requests_of_many_lengths),
	KTAP_TEST(exponents),
	KTAP_TEST(questions),
	KTAP_TEST(losses),
	KTAP_TEST(forged_results),
	KTAP_TEST(old_kernels),
	KTAP_TEST(refused_messages),
	KTAP_TEST(errors_of_the_path),
	KTAP_TEST(swallowed_messages),
};

const struct test_table merged_table = { tests, ELEMENTS(tests) };
