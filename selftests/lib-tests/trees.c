// SPDX-License-Identifier: GPL-2.0
/* The library and jobs of several trees: a reference box each. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "cluster.h"
#include "ktap.h"
#include "tests.h"
#include "vectors.h"

#define TREES	4
#define RANKS	3
#define ROUNDS	3
#define COUNT	(150 * CLUSTER_GRADS + 5)

/* The first has the workers; each has the box of a tree. */
static struct cluster trees[TREES];
static char boxes[TREES][16];
static char list[TREES * sizeof(boxes[0])];
/* Sums that rank 0 has got, for the others to compare with. */
static _Atomic(float *) first_sums;

static void four_boxes(void)
{
	list[0] = '\0';
	for (unsigned int i = 0; i < TREES; i++) {
		cluster_init(&trees[i], RANKS);
		snprintf(boxes[i], sizeof(boxes[i]), "127.77.0.%u", 240 + i);
		trees[i].box.address = boxes[i];
		trees[i].box.job = (uint8_t)(CLUSTER_JOB + i);
		strcat(strcat(list, i ? "," : ""), boxes[i]);
	}
	trees[0].options.address = list;
	trees[0].options.trees = TREES;
	/* A machine that is busy is no box that is silent. */
	trees[0].options.failover_ms = 10000;
}

static bool start_others(void)
{
	bool started = true;

	for (unsigned int i = 1; i < TREES; i++)
		started &= cluster_start_box(&trees[i]);
	return started;
}

static void stop_others(void)
{
	for (unsigned int i = 1; i < TREES; i++)
		if (trees[i].running)
			cluster_stop_box(&trees[i]);
}

static void run(void (*work)(struct worker *worker))
{
	if (start_others())
		cluster_run(&trees[0], work, NULL);
	stop_others();
}

/* From no block on: fewer than trees, as many, one more, and many with a last one that is short. */
static const size_t counts[] = {
	0, 1, CLUSTER_GRADS, CLUSTER_GRADS + 1, 4 * CLUSTER_GRADS, 4 * CLUSTER_GRADS + 1, COUNT,
};

static void all_counts(struct worker *worker)
{
	for (unsigned int i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		for (unsigned int round = 0; round < ROUNDS; round++)
			one_int32(worker, counts[i], round, round % 2);
}

static uint64_t elements_of(const struct worker *worker)
{
	return worker->stats.elements;
}

/* Every block by its tree, of all the vectors above; the ranks tell on the first how many they have. */
static uint64_t blocks_of(unsigned int tree)
{
	uint64_t blocks = 0;

	for (unsigned int i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		for (size_t block = 0; block * CLUSTER_GRADS < counts[i]; block++)
			blocks += block % TREES == tree;
	return blocks * ROUNDS + !tree;
}

static void check_blocks(void)
{
	uint64_t elements = 0;

	for (unsigned int i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		elements += counts[i] * ROUNDS;
	for (unsigned int i = 0; i < TREES; i++)
		CHECK_EQ(trees[i].counters.blocks, blocks_of(i));
	for (unsigned int rank = 0; rank < RANKS; rank++) {
		CHECK_EQ(trees[0].workers[rank].stats.trees, TREES);
		CHECK_EQ(elements_of(&trees[0].workers[rank]), elements);
	}
}

static void blocks_are_dealt_in_turn(void)
{
	four_boxes();
	run(all_counts);
	check_blocks();
}

static void threads_make_progress(void)
{
	four_boxes();
	trees[0].options.flags = WEIR_PROGRESS;
	run(all_counts);
	check_blocks();
}

/* One of them has most losses: the others do not wait for it but at the end of a vector. */
static void one_tree_loses_a_fifth(void)
{
	four_boxes();
	trees[2].box.faults = (struct faults_options) { .seed = 5, .loss = 0.2 };
	run(all_counts);
	check_blocks();
	CHECK(trees[2].counters.lost > 0);
	CHECK_EQ(trees[1].counters.lost, 0);
}

static float element(unsigned int rank, size_t index)
{
	return ldexpf((float)(rank + 1), (int)(index / CLUSTER_GRADS % 40) - 20) *
	       (index % 2 ? -1.25F : 1);
}

/* Blocks that differ much: each needs the exponent of its own. */
static void sum_floats(struct worker *worker)
{
	float *in = malloc(sizeof(*in) * COUNT), *out = malloc(sizeof(*out) * COUNT);

	for (size_t i = 0; i < COUNT; i++)
		in[i] = element(worker->rank, i);
	CHECK(expect(worker, allreduce_float(worker->comm, in, out, COUNT, 0), 0));
	/* The first 256 blocks of a tree share an exponent: the largest is then 2^20 and more. */
	for (size_t i = 0; i < COUNT; i++) {
		double sum = 0;

		for (unsigned int rank = 0; rank < RANKS; rank++)
			sum += (double)element(rank, i);
		if (!CHECK(fabs((double)out[i] - sum) <= fabs(sum) * 1e-6 + 0x1p-8))
			break;
	}
	free(in);
	if (!worker->rank)
		atomic_store(&first_sums, out);
	/* Rank 0's are there when it has come here, too. */
	one_int32(worker, 1, 0, false);
	CHECK(!memcmp(out, atomic_load(&first_sums), sizeof(*out) * COUNT));
	one_int32(worker, 1, 0, false);
	free(out);
}

static void floats_have_the_same_bits(void)
{
	four_boxes();
	run(sum_floats);
}

static void a_float_is_not_finite(struct worker *worker)
{
	float in[8 * CLUSTER_GRADS] = { 0 }, out[8 * CLUSTER_GRADS];

	/* In the third block, which is the third tree's. */
	if (worker->rank == 1)
		in[2 * CLUSTER_GRADS + 3] = INFINITY;
	for (int scale = 0; scale < 2; scale++)
		CHECK(expect(worker, allreduce_float(worker->comm, in, out, 8 * CLUSTER_GRADS, scale),
			     -EDOM));
	one_int32(worker, COUNT, 0, false);
}

static void all_ranks_hear_of_bad_elements(void)
{
	four_boxes();
	run(a_float_is_not_finite);
}

/* An event loop has one descriptor, whatever the number of trees. */
static void several_in_an_event_loop(struct worker *worker)
{
	struct weir_request *requests[ROUNDS];
	int32_t *vectors = malloc(sizeof(*vectors) * COUNT * ROUNDS);
	unsigned int left = ROUNDS;

	for (unsigned int i = 0; i < ROUNDS; i++) {
		vector_fill(vectors + i * COUNT, COUNT, worker->rank, i);
		CHECK(expect(worker, iallreduce_int32(worker->comm, vectors + i * COUNT,
						      vectors + i * COUNT, COUNT, &requests[i]), 0));
	}
	while (left) {
		struct weir_poll wanted = { .size = sizeof(wanted) };
		struct pollfd fd;

		left = 0;
		for (unsigned int i = 0; i < ROUNDS; i++)
			left += weir_test(&requests[i]) == 0;
		CHECK_EQ(weir_get_poll(worker->comm, &wanted), 0);
		fd = (struct pollfd) { .fd = wanted.fd, .events = POLLIN };
		if (left && poll(&fd, 1, (int)(wanted.timeout_us / 1000 + 1)) < 0)
			break;
	}
	for (unsigned int i = 0; i < ROUNDS; i++)
		CHECK_EQ(vector_wrong(vectors + i * COUNT, COUNT, RANKS, i), 0);
	free(vectors);
}

static void event_loops_have_one_descriptor(void)
{
	four_boxes();
	run(several_in_an_event_loop);
	trees[0].options.flags = WEIR_PROGRESS;
	run(several_in_an_event_loop);
}

/* The whole vector comes from the fallback, and no tree writes to it any more. */
static int mark_all(void *context, const struct weir_failure *failure)
{
	int32_t *out = failure->out;

	CHECK_EQ(failure->count, COUNT);
	++*(unsigned int *)context;
	for (size_t i = 0; i < failure->count; i++)
		out[i] = -1;
	return 0;
}

static void sum_without_a_tree(struct worker *worker)
{
	int32_t *in = malloc(sizeof(*in) * COUNT), *out = malloc(sizeof(*out) * COUNT);
	size_t others = 0;

	one_int32(worker, COUNT, 0, false);
	if (!worker->rank)
		refbox_mute(trees[1].running);
	vector_fill(in, COUNT, worker->rank, 1);
	for (unsigned int round = 0; round < 20 && !others; round++) {
		if (!expect(worker, weir_allreduce(worker->comm, in, out, COUNT, WEIR_INT32, WEIR_SUM,
						   0, NULL), 0))
			break;
		for (size_t i = 0; i < COUNT; i++)
			others += out[i] == -1;
	}
	CHECK_EQ(others, COUNT);
	CHECK(strstr(weir_error(worker->comm), "tree 1: "));
	free(in);
	free(out);
}

static void a_tree_without_another_box_fails_all(void)
{
	unsigned int calls = 0;

	four_boxes();
	/* Its list has no box that has its job: they refuse this rank. */
	trees[0].options.timeout_ms = 1500;
	trees[0].options.ranks_timeout_ms = 4000;
	trees[0].options.fallback = mark_all;
	trees[0].options.fallback_context = &calls;
	/* One rank, as the context is one. */
	for (unsigned int i = 0; i < TREES; i++)
		trees[i].box.sources = 1;
	trees[0].options.ranks = 1;
	run(sum_without_a_tree);
	CHECK_EQ(calls, 1);
}

static void one_tree_in_detail(struct worker *worker)
{
	struct weir_stats stats = { .size = sizeof(stats) }, all = { .size = sizeof(all) };
	uint64_t elements = 0;

	one_int32(worker, COUNT, 0, false);
	for (unsigned int i = 0; i < TREES; i++) {
		CHECK_EQ(weir_get_tree_stats(worker->comm, i, &stats), 0);
		CHECK_EQ(stats.job, CLUSTER_JOB + i);
		CHECK_EQ(stats.trees, 1);
		elements += stats.elements;
	}
	CHECK_EQ(weir_get_tree_stats(worker->comm, TREES, &stats), -EINVAL);
	CHECK_EQ(weir_get_stats(worker->comm, &all), 0);
	CHECK_EQ(all.elements, elements);
	CHECK_EQ(all.job, CLUSTER_JOB);
}

static void each_tree_has_counters(void)
{
	four_boxes();
	run(one_tree_in_detail);
}

/**
 * struct other - a rank that may have other trees than the others
 * @rank: its number
 * @trees: how many it has
 * @words: of its sentence
 */
struct other {
	unsigned int rank;
	unsigned int trees;
	const char *words;
};

/* With one tree the rank hears of it in its first call, else when it opens. */
static void *open_with_other(void *data)
{
	const struct other *other = data;
	struct weir_options options;
	int32_t vector[2 * CLUSTER_GRADS] = { 0 };
	struct weir *comm;
	char address[64];
	int err;

	cluster_worker_options(&trees[0], other->rank, address, &options);
	options.trees = other->trees;
	err = weir_open(&comm, &options);
	if (other->trees == 1 && CHECK_EQ(err, 0))
		err = allreduce_int32(comm, vector, vector, 2 * CLUSTER_GRADS);
	CHECK_EQ(err, -EBADMSG);
	if (!CHECK(strstr(weir_error(comm), other->words)))
		ktap_complain(__FILE__, __LINE__, "rank %u: %s", other->rank, weir_error(comm));
	weir_close(comm);
	return NULL;
}

static void run_others(struct other others[RANKS])
{
	pthread_t threads[RANKS];

	four_boxes();
	if (!start_others() || !cluster_start_box(&trees[0]))
		return;
	for (unsigned int i = 0; i < RANKS; i++) {
		others[i].rank = i;
		CHECK(!pthread_create(&threads[i], NULL, open_with_other, &others[i]));
	}
	for (unsigned int i = 0; i < RANKS; i++)
		pthread_join(threads[i], NULL);
	cluster_stop_box(&trees[0]);
	stop_others();
}

/* None waits for the others in a tree that they do not have. */
static void ranks_have_other_trees(void)
{
	struct other some[RANKS] = {
		{ .trees = 2, .words = "rank 0 was told of 2, and another rank of 4" },
		{ .trees = 4, .words = "rank 1 was told of 4, and another rank of another number" },
		{ .trees = 2, .words = "rank 2 was told of 2, and another rank of 4" },
	};
	struct other one[RANKS] = {
		{ .trees = 4, .words = "rank 0 was told of 4, and another rank of another number" },
		{ .trees = 1, .words = "and on the number of trees" },
		{ .trees = 4, .words = "rank 2 was told of 4, and another rank of another number" },
	};

	run_others(some);
	run_others(one);
}

static void check_refusal(const struct weir_options *options, const char *says)
{
	struct weir *comm;

	CHECK_EQ(weir_open(&comm, options), -EINVAL);
	if (!CHECK(strstr(weir_error(NULL), says)))
		ktap_complain(__FILE__, __LINE__, "%s: %s", says, weir_error(NULL));
}

static void options_that_do_not_fit(void)
{
	struct weir_options *options = &trees[0].options;

	four_boxes();
	options->trees = 17;
	check_refusal(options, "trees is 17: it must be 1 to 16");
	four_boxes();
	options->job = 253;
	check_refusal(options, "it must be 252 at most");
	four_boxes();
	options->bind_port = 65535;
	check_refusal(options, "it must be 65532 at most");
	four_boxes();
	options->group = CLUSTER_GROUP;
	check_refusal(options, "results of trees come to each worker");
	four_boxes();
	options->box = "weird://127.0.0.1";
	check_refusal(options, "box and address are both given");
	four_boxes();
	options->cancel_fd = 1;
	check_refusal(options, "tree 0: cancel_fd is 1 without WEIR_CANCEL");
	four_boxes();
	options->trees = 0;
	setenv("WEIR_TREES", "many", 1);
	check_refusal(options, "$WEIR_TREES is 'many'");
	unsetenv("WEIR_TREES");
}

static void trees_of_the_environment(void)
{
	four_boxes();
	trees[0].options.trees = 0;
	setenv("WEIR_TREES", "4", 1);
	run(all_counts);
	unsetenv("WEIR_TREES");
	check_blocks();
}

static const struct ktap_test tests[] = {
	KTAP_TEST(blocks_are_dealt_in_turn),
	KTAP_TEST(threads_make_progress),
	KTAP_TEST(one_tree_loses_a_fifth),
	KTAP_TEST(floats_have_the_same_bits),
	KTAP_TEST(all_ranks_hear_of_bad_elements),
	KTAP_TEST(event_loops_have_one_descriptor),
	KTAP_TEST(a_tree_without_another_box_fails_all),
	KTAP_TEST(each_tree_has_counters),
	KTAP_TEST(ranks_have_other_trees),
	KTAP_TEST(options_that_do_not_fit),
	KTAP_TEST(trees_of_the_environment),
};

const struct test_table trees_table = { tests, sizeof(tests) / sizeof(tests[0]) };
