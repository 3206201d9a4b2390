// SPDX-License-Identifier: GPL-2.0
/* Reduce-scatter and all-gather: of equal and unequal shares, over links that lose, of several trees. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster.h"
#include "ktap.h"
#include "tests.h"
#include "vectors.h"

#define ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))
#define G CLUSTER_GRADS
#define RANKS 3
#define ROUNDS 3
#define LONG (150 * G + 5)
#define TREES 2

/**
 * struct plan - calls of all ranks
 * @type: type of the elements
 * @count: number of elements of all ranks
 * @share: the share of a rank
 * @in_place: the share is in its place in the whole vector
 * @flags: of reduce-scatters
 */
struct plan {
	enum weir_type type;
	size_t count;
	struct weir_share (*share)(size_t count, unsigned int rank, unsigned int ranks);
	bool in_place;
	uint32_t flags;
};

static size_t size_of(enum weir_type type)
{
	return type == WEIR_INT64 || type == WEIR_FLOAT64 ? 8 : 4;
}

static void set(enum weir_type type, void *vector, size_t index, int32_t value)
{
	if (type == WEIR_INT32)
		((int32_t *)vector)[index] = value;
	else if (type == WEIR_INT64)
		((int64_t *)vector)[index] = (int64_t)value * (1 << 20);
	else if (type == WEIR_FLOAT32)
		((float *)vector)[index] = (float)value / 16;
	else
		((double *)vector)[index] = value / 16.0;
}

static bool has(enum weir_type type, const void *vector, size_t index, int32_t value, double divisor)
{
	if (type == WEIR_INT32)
		return ((const int32_t *)vector)[index] == value;
	if (type == WEIR_INT64)
		return ((const int64_t *)vector)[index] == (int64_t)value * (1 << 20);
	if (type == WEIR_FLOAT32)
		return ((const float *)vector)[index] == (float)(value / 16.0 / divisor);
	return ((const double *)vector)[index] == value / 16.0 / divisor;
}

/* Small enough for sums of floats to be exact. */
static int32_t element(unsigned int rank, unsigned int round, size_t index)
{
	return vector_element(rank, round, index) >> 4;
}

static int32_t sum(unsigned int ranks, unsigned int round, size_t index)
{
	int32_t value = 0;

	for (unsigned int rank = 0; rank < ranks; rank++)
		value += element(rank, round, index);
	return value;
}

static struct weir_share equal(size_t count, unsigned int rank, unsigned int ranks)
{
	size_t each = count / ranks, first = each * rank;

	return (struct weir_share) { first, rank == ranks - 1 ? count - first : each };
}

/* The first rank has one element, the second one none, and the last all others. */
static struct weir_share unequal(size_t count, unsigned int rank, unsigned int ranks)
{
	if (rank == 0)
		return (struct weir_share) { 0, count > 0 };
	return rank == ranks - 1 && count ? (struct weir_share) { 1, count - 1 } :
					    (struct weir_share) { 0, 0 };
}

/* A reduction to one rank, and its broadcast. */
static struct weir_share one_has_all(size_t count, unsigned int rank, unsigned int ranks)
{
	return (struct weir_share) { 0, rank == ranks - 1 ? count : 0 };
}

static bool wait_for(struct worker *worker, int err, struct weir_request **request)
{
	return expect(worker, err ?: weir_wait(request), 0);
}

static void reduce_scatter(struct worker *worker, const struct plan *plan, unsigned int round)
{
	unsigned int ranks = worker->cluster->options.ranks;
	const struct weir_share share = plan->share(plan->count, worker->rank, ranks);
	double divisor = plan->flags & WEIR_AVERAGE ? ranks : 1;
	size_t size = size_of(plan->type), wrong = 0;
	uint8_t *in = malloc((plan->count + 1) * size);
	uint8_t *out = malloc((share.count + 1) * size), *got = out;
	struct weir_request *request;

	for (size_t i = 0; i < plan->count; i++)
		set(plan->type, in, i, element(worker->rank, round, i));
	set(plan->type, out, share.count, 4711);
	if (plan->in_place)
		got = in + share.first * size;
	wait_for(worker, weir_ireduce_scatter(worker->comm, in, got, plan->count, &share, plan->type,
					      plan->flags, &request), &request);
	for (size_t i = 0; i < share.count; i++)
		wrong += !has(plan->type, got, i, sum(ranks, round, share.first + i), divisor);
	for (size_t i = 0; i < plan->count; i++)
		if (!plan->in_place || i < share.first || i >= share.first + share.count)
			wrong += !has(plan->type, in, i, element(worker->rank, round, i), 1);
	CHECK_EQ(wrong, 0);
	CHECK(has(plan->type, out, share.count, 4711, 1));
	free(in);
	free(out);
}

static int32_t gathered(const struct plan *plan, unsigned int ranks, unsigned int round, size_t index)
{
	for (unsigned int rank = 0; rank < ranks; rank++) {
		const struct weir_share share = plan->share(plan->count, rank, ranks);

		if (index >= share.first && index < share.first + share.count)
			return element(rank, round, index);
	}
	return 0;
}

static void all_gather(struct worker *worker, const struct plan *plan, unsigned int round)
{
	unsigned int ranks = worker->cluster->options.ranks;
	const struct weir_share share = plan->share(plan->count, worker->rank, ranks);
	size_t size = size_of(plan->type), wrong = 0;
	uint8_t *in = malloc((share.count + 1) * size), *own = in;
	uint8_t *out = malloc((plan->count + 1) * size);
	struct weir_request *request;

	if (plan->in_place)
		own = out + share.first * size;
	for (size_t i = 0; i < share.count; i++)
		set(plan->type, own, i, element(worker->rank, round, share.first + i));
	set(plan->type, out, plan->count, 4711);
	wait_for(worker, weir_iallgather(worker->comm, share.count ? own : NULL, out, plan->count, &share,
					 plan->type, &request), &request);
	for (size_t i = 0; i < plan->count; i++)
		wrong += !has(plan->type, out, i, gathered(plan, ranks, round, i), 1);
	CHECK_EQ(wrong, 0);
	CHECK(has(plan->type, out, plan->count, 4711, 1));
	free(in);
	free(out);
}

static void rounds(struct worker *worker)
{
	const struct plan *plan = worker->data;

	for (unsigned int round = 0; round < ROUNDS; round++) {
		reduce_scatter(worker, plan, 2 * round);
		all_gather(worker, plan, 2 * round + 1);
	}
}

static void init(struct cluster *cluster, enum weir_type type, bool merge)
{
	cluster_init(cluster, RANKS);
	cluster->box.dtype = (uint8_t)type;
	cluster->box.merge = merge;
	cluster->options.type = type;
	if (!merge)
		cluster->options.flags |= WEIR_UNMERGED;
}

static void run(struct cluster *cluster, struct plan *plan)
{
	cluster_run(cluster, rounds, plan);
	CHECK_EQ(cluster_malformed(cluster), 0);
}

/* From no element on: parts of a block, shares that begin within one, and many blocks. */
static void share_of_any_length(void)
{
	static const size_t counts[] = { 0, 1, 2, 3, G, G + 1, 3 * G, 3 * G + 1, 9 * G - 1, LONG };
	static struct weir_share (*const shares[])(size_t, unsigned int, unsigned int) = {
		equal, unequal, one_has_all,
	};

	for (unsigned int i = 0; i < ELEMENTS(counts) * ELEMENTS(shares); i++) {
		struct plan plan = {
			.type = WEIR_INT32,
			.count = counts[i / ELEMENTS(shares)],
			.share = shares[i % ELEMENTS(shares)],
			.in_place = i % 2,
		};
		struct cluster cluster;

		init(&cluster, plan.type, i / 2 % 2);
		run(&cluster, &plan);
	}
}

static void share_of_any_type(void)
{
	static const enum weir_type types[] = { WEIR_INT32, WEIR_FLOAT32, WEIR_INT64, WEIR_FLOAT64 };

	for (unsigned int i = 0; i < 2 * ELEMENTS(types); i++) {
		struct plan plan = {
			.type = types[i / 2], .count = LONG, .share = equal, .in_place = i % 2,
		};
		struct cluster cluster;

		init(&cluster, plan.type, true);
		cluster.box.order = i % 2 ? REFBOX_LITTLE : REFBOX_NETWORK;
		run(&cluster, &plan);
	}
}

static void share_of_a_mean(void)
{
	struct plan plan = {
		.type = WEIR_FLOAT32, .count = LONG, .share = equal, .flags = WEIR_AVERAGE,
	};
	struct cluster cluster;

	init(&cluster, plan.type, true);
	run(&cluster, &plan);
}

/*
 * A rank sends and receives elements of as many blocks as it has to: of a reduce-scatter all but its
 * share goes up and the share comes down, and of an all-gather the other way round.
 */
static void shares_alone_travel(void)
{
	const uint64_t blocks = 30, each = blocks / RANKS;
	struct plan plan = { .type = WEIR_INT32, .count = blocks * G, .share = equal };
	struct cluster cluster;

	init(&cluster, plan.type, false);
	run(&cluster, &plan);
	/* Where nothing was sent again. */
	if (cluster_retransmits(&cluster) || cluster_queries(&cluster))
		return;
	CHECK_EQ(cluster.counters.contributions, 2 * ROUNDS * RANKS * blocks);
	CHECK_EQ(cluster.counters.empty, ROUNDS * RANKS * (each + (RANKS - 1) * each));
	CHECK_EQ(cluster.counters.brief, ROUNDS * RANKS * ((RANKS - 1) * each + each));
}

static void share_over_lossy_links(void)
{
	for (unsigned int merge = 0; merge < 2; merge++) {
		struct plan plan = { .type = WEIR_FLOAT32, .count = LONG, .share = equal };
		struct cluster cluster;

		init(&cluster, plan.type, merge);
		cluster.box.faults = (struct faults_options) {
			.seed = 77 + merge, .loss = 0.05, .duplicate = 0.05, .reorder = 0.05,
		};
		run(&cluster, &plan);
		CHECK(cluster.faults.lost > 0);
	}
}

static void share_of_a_group(void)
{
	struct plan plan = { .type = WEIR_INT32, .count = LONG, .share = equal };
	struct cluster cluster;

	if (!own_network) {
		ktap_skip("no network of its own");
		return;
	}
	init(&cluster, plan.type, true);
	cluster.box.group = CLUSTER_GROUP;
	cluster.options.group = CLUSTER_GROUP;
	run(&cluster, &plan);
}

static void share_of_trees(void)
{
	struct plan plan = { .type = WEIR_FLOAT32, .count = LONG, .share = equal };
	struct cluster trees[TREES];

	for (unsigned int i = 0; i < TREES; i++) {
		init(&trees[i], plan.type, true);
		trees[i].box.address = i ? "127.77.0.241" : "127.77.0.240";
		trees[i].box.job = (uint8_t)(CLUSTER_JOB + i);
	}
	trees[0].options.address = "127.77.0.240,127.77.0.241";
	trees[0].options.trees = TREES;
	trees[0].options.failover_ms = 10000;
	if (cluster_start_box(&trees[1])) {
		run(&trees[0], &plan);
		cluster_stop_box(&trees[1]);
	}
}

static void mixed(struct worker *worker)
{
	struct plan plan = { .type = WEIR_INT32, .count = LONG, .share = equal };

	for (unsigned int round = 0; round < ROUNDS; round++) {
		reduce_scatter(worker, &plan, round);
		one_int32(worker, LONG, round, round % 2);
		all_gather(worker, &plan, round);
		plan.in_place = !plan.in_place;
	}
}

static void shares_among_allreduces(void)
{
	struct cluster cluster;

	init(&cluster, WEIR_INT32, true);
	cluster.options.flags |= WEIR_PROGRESS;
	cluster_run(&cluster, mixed, NULL);
}

/* Both at once, as sharded training has them. */
static void both_at_once(struct worker *worker)
{
	const struct weir_share share = equal(LONG, worker->rank, RANKS);
	float *in = malloc(sizeof(*in) * LONG), *all = malloc(sizeof(*all) * LONG);
	float *out = malloc(sizeof(*out) * LONG);
	struct weir_request *sums, *gather;
	size_t wrong = 0;

	for (size_t i = 0; i < LONG; i++)
		set(WEIR_FLOAT32, in, i, element(worker->rank, 1, i));
	expect(worker, weir_ireduce_scatter(worker->comm, in, out, LONG, &share, WEIR_FLOAT32, 0, &sums), 0);
	expect(worker, weir_iallgather(worker->comm, in + share.first, all, LONG, &share, WEIR_FLOAT32,
				       &gather), 0);
	expect(worker, weir_wait(&gather), 0);
	expect(worker, weir_wait(&sums), 0);
	for (size_t i = 0; i < share.count; i++)
		wrong += !has(WEIR_FLOAT32, out, i, sum(RANKS, 1, share.first + i), 1);
	for (size_t i = 0; i < LONG; i++)
		wrong += !has(WEIR_FLOAT32, all, i,
			      gathered(&(struct plan) { .count = LONG, .share = equal }, RANKS, 1, i), 1);
	CHECK_EQ(wrong, 0);
	free(in);
	free(all);
	free(out);
}

/* Rank 0 has the box lose its state when some blocks of the call are answered. */
static void reload(struct worker *worker)
{
	struct refbox *box = worker->cluster->running;
	uint64_t from = refbox_read(box).blocks;

	while (refbox_read(box).blocks < from + 40 && weir_behind(worker->comm) >= 0)
		;
	refbox_reload(box);
}

static void reloaded(struct worker *worker)
{
	for (unsigned int round = 0; round < ROUNDS; round++) {
		const struct weir_share share = equal(LONG, worker->rank, RANKS);
		int32_t *vector = malloc(sizeof(*vector) * LONG);
		struct weir_request *request;
		size_t wrong = 0;

		vector_fill(vector, LONG, worker->rank, round);
		expect(worker, weir_ireduce_scatter(worker->comm, vector, vector + share.first, LONG, &share,
						    WEIR_INT32, 0, &request), 0);
		if (!worker->rank)
			reload(worker);
		expect(worker, weir_wait(&request), 0);
		for (size_t i = share.first; i < share.first + share.count; i++)
			wrong += vector[i] != vector_sum(RANKS, round, i);
		expect(worker, weir_iallgather(worker->comm, vector + share.first, vector, LONG, &share,
					       WEIR_INT32, &request), 0);
		if (!worker->rank)
			reload(worker);
		expect(worker, weir_wait(&request), 0);
		CHECK_EQ(wrong + vector_wrong(vector, LONG, RANKS, round), 0);
		free(vector);
	}
}

/* Contributions go up again, perhaps in the other byte order, also those without elements. */
static void share_when_the_box_loses_its_state(void)
{
	struct cluster cluster;

	init(&cluster, WEIR_INT32, true);
	cluster.box.order = REFBOX_TURNS;
	cluster_run(&cluster, reloaded, NULL);
	CHECK(cluster.counters.notices > 0);
}

static void shares_at_once(void)
{
	struct cluster cluster;

	init(&cluster, WEIR_FLOAT32, true);
	cluster_run(&cluster, both_at_once, NULL);
}

/* The sum of the largest numbers does not fit; each rank adds its own here. */
static void largest(struct worker *worker)
{
	int32_t in[2 * RANKS], out[2 * RANKS];
	const struct weir_share share = equal(ELEMENTS(in), worker->rank, RANKS);
	struct weir_request *request;

	for (unsigned int i = 0; i < ELEMENTS(in); i++)
		in[i] = i == 2 * worker->rank || i == 2 * ((worker->rank + 1) % RANKS) ? INT32_MAX : 0;
	expect(worker, weir_ireduce_scatter(worker->comm, in, out, ELEMENTS(in), &share, WEIR_INT32, 0,
					    &request), 0);
	expect(worker, weir_wait(&request), -EOVERFLOW);
	expect(worker, weir_ireduce_scatter(worker->comm, in, out, ELEMENTS(in), &share, WEIR_INT32,
					    WEIR_ACCEPT_OVERFLOW, &request), 0);
	expect(worker, weir_wait(&request), 0);
	CHECK_EQ(out[0], -2);
	CHECK_EQ(out[1], 0);
}

static void share_of_an_overflow(void)
{
	struct cluster cluster;

	init(&cluster, WEIR_INT32, true);
	cluster_run(&cluster, largest, NULL);
}

/* All ranks learn that they do not call for the same. */
static void differ(struct worker *worker)
{
	int32_t vector[4 * RANKS] = { 0 }, share_of[4 * RANKS] = { 0 };
	const struct weir_share share = equal(ELEMENTS(vector), worker->rank, RANKS);
	struct weir_request *request;
	int err;

	if (worker->rank)
		err = weir_ireduce_scatter(worker->comm, vector, share_of, ELEMENTS(vector), &share, WEIR_INT32,
					   0, &request);
	else
		err = weir_iallgather(worker->comm, share_of, vector, ELEMENTS(vector), &share, WEIR_INT32,
				      &request);
	expect(worker, err, 0);
	expect(worker, weir_wait(&request), -EBADMSG);
	CHECK(strstr(weir_error(worker->comm), worker->rank ? "reduce-scatter" : "all-gather"));
}

static void shares_of_other_collectives(void)
{
	struct cluster cluster;

	init(&cluster, WEIR_INT32, true);
	cluster_run(&cluster, differ, NULL);
}

static void refuse(struct worker *worker, const int32_t *in, int32_t *out, const struct weir_share *share,
		   uint32_t flags, int expected, const char *sentence)
{
	struct weir_request *request;

	expect(worker, weir_ireduce_scatter(worker->comm, in, out, 8, share, WEIR_INT32, flags, &request),
	       expected);
	CHECK(!request);
	CHECK(strstr(weir_error(worker->comm), sentence));
}

static void wrong_arguments(struct worker *worker)
{
	int32_t in[9] = { 0 }, out[8];
	struct weir_request *request;

	refuse(worker, in, out, &(struct weir_share) { 7, 2 }, 0, -EINVAL, "is not in a vector of 8");
	refuse(worker, in, out, &(struct weir_share) { SIZE_MAX, 2 }, 0, -EINVAL, "is not in a vector of 8");
	refuse(worker, in, out, &(struct weir_share) { 0, 2 }, WEIR_ACCEPT_DEGRADED, -EINVAL, "DEGRADED");
	refuse(worker, in, out, &(struct weir_share) { 0, 2 }, WEIR_SATURATE, -EINVAL, "SATURATE");
	refuse(worker, in, in + 1, &(struct weir_share) { 2, 2 }, 0, -EINVAL, "overlap");
	refuse(worker, in, NULL, &(struct weir_share) { 2, 2 }, 0, -EINVAL, "the output vector is missing");
	refuse(worker, NULL, out, &(struct weir_share) { 2, 2 }, 0, -EINVAL, "the input vector is missing");
	refuse(worker, (void *)((char *)in + 1), out, &(struct weir_share) { 2, 2 }, 0, -EINVAL, "aligned");
	expect(worker, weir_iallgather(worker->comm, in, out, 8, &(struct weir_share) { 0, 2 }, WEIR_FLOAT32,
				       &request), -EOPNOTSUPP);
	one_int32(worker, LONG, 1, false);
}

static void share_with_wrong_arguments(void)
{
	struct cluster cluster;

	init(&cluster, WEIR_INT32, true);
	cluster_run(&cluster, wrong_arguments, NULL);
}

static void not_taken(struct worker *worker)
{
	int32_t in[8] = { 0 }, out[8];
	struct weir_request *request;

	expect(worker, weir_iallgather(worker->comm, in, out, 8, &(struct weir_share) { 0, 2 }, WEIR_INT32,
				       &request), -EOPNOTSUPP);
	CHECK(strstr(weir_error(worker->comm), "does not take an all-gather"));
	one_int32(worker, LONG, 1, false);
}

static void share_of_an_older_box(void)
{
	struct cluster cluster;

	init(&cluster, WEIR_INT32, true);
	cluster.box.no_shares = true;
	cluster_run(&cluster, not_taken, NULL);
}

/* The box does not wait for a rank: its elements would pass for zeroes. */
static void rank_is_late(struct worker *worker)
{
	int32_t in[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, out[8];
	const struct weir_share share = { 4 * (worker->rank % 2), worker->rank < 2 ? 4 : 0 };
	struct weir_request *request;

	if (worker->rank == RANKS - 1)
		return;
	expect(worker, weir_iallgather(worker->comm, in, out, 8, &share, WEIR_INT32, &request), 0);
	expect(worker, weir_wait(&request), -ENODATA);
}

static void share_of_a_late_rank(void)
{
	struct cluster cluster;

	init(&cluster, WEIR_INT32, true);
	cluster.box.quorum = RANKS - 1;
	cluster.options.flags |= WEIR_ACCEPT_DEGRADED;
	cluster_run(&cluster, rank_is_late, NULL);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(share_of_any_length),
	KTAP_TEST(share_of_any_type),
	KTAP_TEST(share_of_a_mean),
	KTAP_TEST(shares_alone_travel),
	KTAP_TEST(share_over_lossy_links),
	KTAP_TEST(share_of_a_group),
	KTAP_TEST(share_of_trees),
	KTAP_TEST(shares_among_allreduces),
	KTAP_TEST(shares_at_once),
	KTAP_TEST(share_when_the_box_loses_its_state),
	KTAP_TEST(share_of_an_overflow),
	KTAP_TEST(shares_of_other_collectives),
	KTAP_TEST(share_with_wrong_arguments),
	KTAP_TEST(share_of_an_older_box),
	KTAP_TEST(share_of_a_late_rank),
};

const struct test_table share_table = { tests, ELEMENTS(tests) };
