// SPDX-License-Identifier: GPL-2.0
/* The library where not all ranks are in each block, and where some are gone. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "cluster.h"
#include "ktap.h"
#include "tests.h"
#include "vectors.h"

#define ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))
#define G CLUSTER_GRADS
#define COUNT (20 * G + 7)
#define BLOCKS 21

static bool is_in(const uint64_t bitmap[4], unsigned int rank)
{
	return bitmap[rank / 64] >> (rank % 64) & 1;
}

/* The ranks in each block, from the library. */
struct told {
	unsigned int rank;
	unsigned int blocks;
	unsigned int unknown;
	size_t elements;
	int64_t wrong;
	const int32_t *out;
	unsigned int round;
	unsigned int ranks;
};

static void look(void *context, const struct weir_block_info *block)
{
	struct told *told = context;
	unsigned int count = 0;

	for (unsigned int rank = 0; rank < 256; rank++)
		count += is_in(block->contributors, rank);
	CHECK_EQ(block->size, sizeof(*block));
	told->unknown += !count;
	CHECK(!count || count == block->ranks);
	CHECK(block->ranks > 0 && block->ranks < told->ranks);
	CHECK_EQ(block->sequence, told->round);
	told->blocks++;
	told->elements += block->count;
	for (size_t i = block->offset; count && i < block->offset + block->count; i++) {
		int32_t sum = 0;

		for (unsigned int rank = 0; rank < told->ranks; rank++)
			if (is_in(block->contributors, rank))
				sum += vector_element(rank, told->round, i);
		told->wrong += told->out[i] != sum;
	}
}

/* Opens one rank by itself, with its own options. */
static bool open_rank(struct worker *worker, struct cluster *cluster, unsigned int rank,
		      void (*change)(struct weir_options *options, void *data), void *data)
{
	struct weir_options options;
	char address[64];
	int err;

	*worker = (struct worker) { .cluster = cluster, .rank = rank };
	cluster_worker_options(cluster, rank, address, &options);
	if (change)
		change(&options, data);
	err = weir_open(&worker->comm, &options);
	if (err)
		ktap_complain(__FILE__, __LINE__, "rank %u: %s", rank, weir_error(NULL));
	return !err;
}

/* Each rank in a thread, with its callbacks about blocks. */
struct rank_run {
	struct cluster *cluster;
	unsigned int rank;
	unsigned int rounds;
	pthread_t thread;
	uint64_t degraded;
	uint64_t missed;
	uint64_t kept;
	struct told told;
};

static void tell_me(struct weir_options *options, void *data)
{
	options->on_block = look;
	options->on_block_context = data;
}

static void *contribute_and_look(void *data)
{
	struct rank_run *run = data;
	struct weir_info info = { .size = sizeof(info) };
	struct weir_stats stats = { .size = sizeof(stats) };
	int32_t *in = malloc(4 * COUNT), *out = malloc(4 * COUNT);
	struct worker worker;

	run->told = (struct told) {
		.rank = run->rank, .ranks = run->cluster->options.ranks, .out = out,
	};
	if (!open_rank(&worker, run->cluster, run->rank, tell_me, &run->told))
		goto out;
	for (unsigned int round = 0; round < run->rounds; round++) {
		run->told.round = round;
		vector_fill(in, COUNT, run->rank, round);
		expect(&worker, allreduce_int32(worker.comm, in, out, COUNT), 0);
		weir_get_info(worker.comm, &info);
		run->degraded += info.degraded_blocks;
		run->missed += info.missed_blocks;
		CHECK(info.missed_blocks <= info.degraded_blocks);
	}
	weir_get_stats(worker.comm, &stats);
	run->kept = stats.kept;
	weir_close(worker.comm);
out:
	free(in);
	free(out);
	return NULL;
}

/* @unknown: results do not name their ranks. */
static void run_quorum(unsigned int ranks, unsigned int quorum, double malformed, bool unknown)
{
	struct rank_run runs[64];
	struct cluster cluster;

	cluster_init(&cluster, ranks);
	cluster.box.quorum = (uint16_t)quorum;
	cluster.box.anonymous = unknown;
	cluster.box.faults.malformed = malformed;
	cluster.box.faults.loss = 0.01;
	cluster.options.flags = WEIR_ACCEPT_DEGRADED;
	if (!cluster_start_box(&cluster))
		return;
	for (unsigned int i = 0; i < ranks; i++) {
		runs[i] = (struct rank_run) { .cluster = &cluster, .rank = i, .rounds = 5 };
		CHECK(!pthread_create(&runs[i].thread, NULL, contribute_and_look, &runs[i]));
	}
	for (unsigned int i = 0; i < ranks; i++) {
		pthread_join(runs[i].thread, NULL);
		CHECK_EQ(runs[i].told.blocks, 5 * BLOCKS);
		CHECK_EQ(runs[i].told.elements, 5 * COUNT);
		CHECK_EQ(runs[i].told.wrong, 0);
		CHECK_EQ(runs[i].degraded, 5 * BLOCKS);
		/* The part cut off may be the bitmap. */
		if (malformed == 0)
			CHECK_EQ(runs[i].told.unknown, unknown ? 5 * BLOCKS : 0);
		/* This rank cannot be in those that it got before it sent anything. */
		if (unknown)
			CHECK_EQ(runs[i].missed, runs[i].kept);
	}
	cluster_stop_box(&cluster);
	CHECK_EQ(cluster.counters.degraded, 5 * BLOCKS);
}

static void contributors_are_told(void)
{
	run_quorum(4, 3, 0, false);
}

/* A bitmap of two words. */
static void contributors_of_many(void)
{
	run_quorum(40, 37, 0, false);
}

static void forged_contributors(void)
{
	run_quorum(4, 2, 0.5, false);
}

static void unknown_contributors(void)
{
	run_quorum(4, 3, 0, true);
}

/* The sum over the ranks in it, by their number. */
static void mean(struct worker *worker)
{
	enum { N = 5 * G };
	struct weir_info info = { .size = sizeof(info) };
	float in[N], out[N];
	const double scale = 1000;
	unsigned int ranks;

	for (unsigned int i = 0; i < N; i++)
		in[i] = (float)i;
	expect(worker, allreduce_float(worker->comm, in, out, N, scale), 0);
	weir_get_info(worker->comm, &info);
	ranks = info.min_ranks;
	CHECK_EQ(ranks, worker->cluster->box.quorum);
	for (unsigned int i = 0; i < N; i++)
		CHECK(out[i] == (float)(rint(i * scale) * ranks / (scale * ranks)));
}

static void averages(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 4);
	cluster.options.flags = WEIR_AVERAGE | WEIR_ACCEPT_DEGRADED;
	cluster.box.quorum = 3;
	cluster_run(&cluster, mean, NULL);
	cluster.box.quorum = 4;
	cluster_run(&cluster, mean, NULL);
}

#define ROUNDS 5

/**
 * struct late - ranks that wait for each other outside of the library
 * @ready: where they wait
 * @in_place: sums go over the input
 */
struct late {
	pthread_barrier_t ready;
	bool in_place;
};

static void run_late(struct cluster *cluster, void (*work)(struct worker *worker), bool in_place)
{
	struct late late = { .in_place = in_place };
	unsigned int ranks = cluster->options.ranks;

	pthread_barrier_init(&late.ready, NULL, ranks);
	cluster_run(cluster, work, &late);
	pthread_barrier_destroy(&late.ready);
}

/* One rank is not waited for: the last one in a block. */
static void partial_cluster(struct cluster *cluster, unsigned int ranks)
{
	cluster_init(cluster, ranks);
	cluster->box.quorum = (uint16_t)(ranks - 1);
	cluster->options.flags = WEIR_ACCEPT_DEGRADED;
}

/* Rank 2 begins when the others have had their results without it. */
static void come_late(struct worker *worker)
{
	struct late *late = worker->data;
	struct weir_info info = { .size = sizeof(info) };
	int32_t *in = malloc(4 * COUNT), *residual = malloc(4 * COUNT);
	int32_t *out = late->in_place ? in : malloc(4 * COUNT);
	size_t bad = 0;
	bool is_late = worker->rank == 2;

	vector_fill(in, COUNT, worker->rank, 0);
	memset(residual, 0x5a, 4 * COUNT);
	if (is_late)
		pthread_barrier_wait(&late->ready);
	expect(worker, allreduce_int32_residual(worker->comm, in, out, residual, COUNT), 0);
	if (!is_late)
		pthread_barrier_wait(&late->ready);
	CHECK_EQ(vector_wrong(out, COUNT, 2, 0), 0);
	for (size_t i = 0; i < COUNT; i++)
		bad += residual[i] != (is_late ? vector_element(2, 0, i) : 0);
	CHECK_EQ(bad, 0);
	weir_get_info(worker->comm, &info);
	CHECK_EQ(info.degraded_blocks, BLOCKS);
	CHECK_EQ(info.missed_blocks, is_late ? BLOCKS : 0);
	CHECK_EQ(info.min_ranks, 2);
	if (!late->in_place)
		free(out);
	free(in);
	free(residual);
}

static void residuals(void)
{
	struct cluster cluster;

	partial_cluster(&cluster, 3);
	run_late(&cluster, come_late, false);
	/* They came while rank 2 had sent nothing. */
	CHECK(cluster.workers[2].stats.early > 0);
	partial_cluster(&cluster, 3);
	run_late(&cluster, come_late, true);
}

static void float_residual(struct worker *worker)
{
	struct late *late = worker->data;
	float in[G + 1], out[G + 1], residual[G + 1];
	bool is_late = worker->rank == 1;

	for (unsigned int i = 0; i <= G; i++)
		in[i] = (float)i / 2;
	if (is_late)
		pthread_barrier_wait(&late->ready);
	expect(worker, allreduce_float_residual(worker->comm, in, out, residual, G + 1, 2), 0);
	if (!is_late)
		pthread_barrier_wait(&late->ready);
	for (unsigned int i = 0; i <= G; i++) {
		CHECK(out[i] == in[i]);
		CHECK(residual[i] == (is_late ? in[i] : 0));
	}
}

static void residuals_of_floats(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 2);
	cluster.box.timeout_ms = 20;
	cluster.options.flags = WEIR_ACCEPT_DEGRADED;
	run_late(&cluster, float_residual, false);
	CHECK_EQ(cluster.counters.degraded, 2);
}

static void residual_arguments(struct worker *worker)
{
	int32_t vector[3 * G] = { 0 };

	expect(worker, allreduce_int32_residual(worker->comm, vector, vector + G, vector + 1, G),
	       -EINVAL);
	CHECK(strstr(weir_error(worker->comm), "residual overlaps"));
	expect(worker, allreduce_int32_residual(worker->comm, vector, vector + G,
						     vector + 2 * G - 1, G), -EINVAL);
	expect(worker, allreduce_int32_residual(worker->comm, vector, vector + G,
						     vector + 2 * G, G), 0);
	expect(worker, follow_int32(worker->comm, NULL, G), -EINVAL);
	expect(worker, follow_float(worker->comm, (float *)vector, G, -1), -EINVAL);
	expect(worker, follow_int32(worker->comm, NULL, 0), 0);
}

static void wrong_residuals_are_refused(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 1);
	cluster_run(&cluster, residual_arguments, NULL);
}

/* Rank 2 sleeps over some allreduces, follows them, and is there for the last. */
static void sleep_over(struct worker *worker)
{
	struct late *late = worker->data;
	struct weir_info info = { .size = sizeof(info) };
	int32_t *in = malloc(4 * COUNT), *out = malloc(4 * COUNT);
	bool sleeps = worker->rank == 2;

	if (sleeps) {
		pthread_barrier_wait(&late->ready);
		/* Its socket holds the results that came meanwhile; some may have been lost. */
		CHECK(weir_behind(worker->comm) > 0);
		CHECK(weir_behind(worker->comm) <= ROUNDS * BLOCKS);
	}
	for (unsigned int round = 0; round < ROUNDS; round++) {
		vector_fill(in, COUNT, worker->rank, round);
		if (sleeps)
			expect(worker, follow_int32(worker->comm, out, COUNT), 0);
		else
			expect(worker, allreduce_int32(worker->comm, in, out, COUNT), 0);
		CHECK_EQ(vector_wrong(out, COUNT, 2, round), 0);
		weir_get_info(worker->comm, &info);
		CHECK_EQ(info.missed_blocks, sleeps ? BLOCKS : 0);
	}
	CHECK_EQ(weir_behind(worker->comm), 0);
	if (!sleeps)
		pthread_barrier_wait(&late->ready);
	free(in);
	free(out);
}

static void run_followers(double loss)
{
	struct cluster cluster;

	partial_cluster(&cluster, 3);
	cluster.box.faults.loss = loss;
	run_late(&cluster, sleep_over, false);
	CHECK_EQ(cluster.counters.contributions, 2 * ROUNDS * BLOCKS);
	CHECK_EQ(cluster.counters.blocks, ROUNDS * BLOCKS);
	CHECK_EQ(cluster.workers[2].stats.packets_sent, 0);
	/* Results that were in the socket need not be asked for. */
	CHECK(cluster.workers[2].stats.queries + cluster.workers[2].stats.kept >= ROUNDS * BLOCKS);
}

static void followers(void) { run_followers(0); }
static void followers_with_loss(void) { run_followers(0.05); }

/* With the others: a result that is not there yet is no loss. */
static void follow_at_once(struct worker *worker)
{
	float in[COUNT] = { 0 }, out[COUNT];

	for (unsigned int i = 0; i < 3; i++) {
		in[0] = (float)i + 1;
		if (worker->rank == 0)
			expect(worker, follow_float(worker->comm, out, COUNT, 4), 0);
		else
			expect(worker, allreduce_float(worker->comm, in, out, COUNT, 4), 0);
		CHECK(out[0] == (float)(2 * (i + 1)));
	}
}

static void followers_in_time(void)
{
	struct cluster cluster;

	partial_cluster(&cluster, 3);
	cluster_run(&cluster, follow_at_once, NULL);
	CHECK_EQ(cluster_retransmits(&cluster), 0);
}

static void follow_alone(struct worker *worker)
{
	int32_t out[2 * G];

	expect(worker, follow_int32(worker->comm, out, 2 * G), -ETIMEDOUT);
	CHECK(strstr(weir_error(worker->comm), "block 0 of job 7, which rank 0 only follows"));
}

static void nobody_to_follow(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 1);
	cluster.options.ranks_timeout_ms = 1500;
	cluster_run(&cluster, follow_alone, NULL);
	CHECK_EQ(cluster.counters.contributions, 0);
}

/* The ranks that are gone. */

static struct weir_members members_of(struct worker *worker)
{
	struct weir_members members = { .size = sizeof(members) };

	CHECK_EQ(weir_get_members(worker->comm, &members), 0);
	return members;
}

static void one_is_excluded(struct worker *worker)
{
	struct late *late = worker->data;
	struct weir_info info = { .size = sizeof(info) };
	int32_t *in = malloc(4 * COUNT), *out = malloc(4 * COUNT);

	one_int32(worker, COUNT, 0, false);
	pthread_barrier_wait(&late->ready);
	vector_fill(in, COUNT, worker->rank, 1);
	if (worker->rank == 2) {
		refbox_exclude(worker->cluster->running, 2);
		expect(worker, allreduce_int32(worker->comm, in, out, COUNT), -ECONNRESET);
		CHECK(strstr(weir_error(worker->comm), "has excluded rank 2 of job 7"));
		expect(worker, allreduce_int32(worker->comm, in, out, COUNT), -ECONNRESET);
	} else {
		expect(worker, allreduce_int32(worker->comm, in, out, COUNT), 0);
		CHECK_EQ(vector_wrong(out, COUNT, 2, 1), 0);
		weir_get_info(worker->comm, &info);
		CHECK_EQ(info.min_ranks, 2);
		CHECK_EQ(members_of(worker).excluded[0], 1 << 2);
		CHECK_EQ(members_of(worker).dead[0], 1 << 2);
		CHECK(members_of(worker).notices > 0);
	}
	free(in);
	free(out);
}

static void excluded_rank(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 3);
	cluster.options.flags = WEIR_ACCEPT_DEGRADED;
	run_late(&cluster, one_is_excluded, false);
	CHECK(cluster.workers[0].stats.notices > 0);
}

/* The others go on for longer than the box keeps results for one that is dead. */
static void one_is_left_behind(struct worker *worker)
{
	struct late *late = worker->data;
	const size_t count = 2 * CLUSTER_BLOCKS * G;
	int32_t *in = malloc(4 * count), *out = malloc(4 * count);

	vector_fill(in, G, worker->rank, 0);
	expect(worker, allreduce_int32(worker->comm, in, out, G), 0);
	/* A rank that still asks is not dead. */
	pthread_barrier_wait(&late->ready);
	if (!worker->rank)
		refbox_bury(worker->cluster->running, 2);
	vector_fill(in, count, worker->rank, 1);
	if (worker->rank == 2) {
		pthread_barrier_wait(&late->ready);
		expect(worker, allreduce_int32(worker->comm, in, out, count), -ECONNRESET);
		CHECK(strstr(weir_error(worker->comm), "has counted rank 2 of job 7 out"));
	} else {
		expect(worker, allreduce_int32(worker->comm, in, out, count), 0);
		CHECK_EQ(vector_wrong(out, count, 2, 1), 0);
		pthread_barrier_wait(&late->ready);
	}
	free(in);
	free(out);
}

static void dead_rank_comes_too_late(void)
{
	struct cluster cluster;

	partial_cluster(&cluster, 3);
	/* Keep no results that come early, so that those in the socket do not help. */
	cluster.options.early_bytes = 1;
	run_late(&cluster, one_is_left_behind, false);
}

/* A rank that was counted dead, for which nothing is gone. */
static void one_was_dead(struct worker *worker)
{
	struct late *late = worker->data;

	one_int32(worker, COUNT, 0, false);
	pthread_barrier_wait(&late->ready);
	if (worker->rank == 1) {
		refbox_bury(worker->cluster->running, 1);
		CHECK_EQ(weir_behind(worker->comm), 0);
		CHECK_EQ(members_of(worker).dead[0], 1 << 1);
	}
	one_int32(worker, COUNT, 1, true);
	if (worker->rank == 1)
		CHECK_EQ(members_of(worker).dead[0], 0);
}

static void dead_rank_recovers(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 2);
	run_late(&cluster, one_was_dead, false);
}

static void other_port(struct weir_options *options, void *data)
{
	options->bind_port = *(const uint16_t *)data;
}

/* A second process of the same rank takes its place. */
static void another_generation(void)
{
	uint16_t port = 23456;
	int32_t vector[2 * G] = { 0 };
	struct worker first, second;
	struct cluster cluster;

	cluster_init(&cluster, 1);
	if (!cluster_start_box(&cluster))
		return;
	if (open_rank(&first, &cluster, 0, NULL, NULL)) {
		one_int32(&first, 5 * G, 0, false);
		if (open_rank(&second, &cluster, 0, other_port, &port)) {
			expect(&first, allreduce_int32(first.comm, vector, vector, 2 * G), -ESTALE);
			CHECK(strstr(weir_error(first.comm), "is in generation 1, and rank 0 is of "
							     "generation 0"));
			one_int32(&second, 5 * G, 1, false);
			weir_close(second.comm);
		}
		weir_close(first.comm);
	}
	cluster_stop_box(&cluster);
}

/* A fallback that sums when the box does not. */

struct fallback {
	unsigned int calls;
	int verdict;
	unsigned int round;
	struct weir_failure last;
};

static int sum_otherwise(void *context, const struct weir_failure *failure)
{
	struct fallback *fallback = context;

	fallback->calls++;
	fallback->last = *failure;
	if (failure->in)
		for (size_t i = 0; i < failure->count; i++)
			((int32_t *)failure->out)[i] = ((const int32_t *)failure->in)[i];
	return fallback->verdict;
}

static void fall_back(struct weir_options *options, void *data)
{
	options->fallback = sum_otherwise;
	options->fallback_context = data;
}

static void with_fallback(struct worker *worker, struct fallback *fallback)
{
	int32_t in[3 * G], out[3 * G], residual[3 * G];
	struct weir_request *requests[2];

	vector_fill(in, 3 * G, 0, 1);
	expect(worker, allreduce_int32(worker->comm, in, in, 3 * G), -EINVAL);
	CHECK(strstr(weir_error(worker->comm), "the fallback needs an input"));
	expect(worker, iallreduce_int32(worker->comm, in, out, 3 * G, &requests[0]), 0);
	expect(worker, iallreduce_int32(worker->comm, in, out, 2 * G, &requests[1]), 0);
	expect(worker, weir_wait(&requests[0]), 0);
	CHECK_EQ(fallback->calls, 1);
	CHECK_EQ(fallback->last.error, -ECONNREFUSED);
	CHECK_EQ(fallback->last.size, sizeof(fallback->last));
	CHECK_EQ(fallback->last.rank, 0);
	CHECK_EQ(fallback->last.block, 5);
	CHECK_EQ(fallback->last.sequence, 1);
	CHECK_EQ(fallback->last.count, 3 * G);
	CHECK(fallback->last.silent_ms >= 200);
	CHECK_EQ(fallback->last.type, WEIR_INT32);
	CHECK_EQ(fallback->last.operation, WEIR_SUM);
	CHECK_EQ(fallback->last.flags, 0);
	CHECK_EQ(vector_wrong(out, 3 * G, 1, 1), 0);
	CHECK_EQ(weir_test(&requests[1]), 1);
	CHECK_EQ(fallback->calls, 2);
	/* From now on at once. */
	memset(out, 0, sizeof(out));
	expect(worker, allreduce_int32_residual(worker->comm, in, out, residual, 3 * G), 0);
	CHECK_EQ(fallback->calls, 3);
	CHECK_EQ(fallback->last.sequence, 3);
	CHECK_EQ(vector_wrong(out, 3 * G, 1, 1), 0);
	for (unsigned int i = 0; i < 3 * G; i++)
		CHECK_EQ(residual[i], 0);
	fallback->verdict = 1;
	expect(worker, allreduce_int32(worker->comm, in, out, G), -ECONNREFUSED);
	expect(worker, follow_int32(worker->comm, out, G), -ECONNREFUSED);
	CHECK(!fallback->last.in);
	CHECK_EQ(fallback->calls, 5);
}

static void falls_back(void)
{
	struct fallback fallback = { 0 };
	struct worker worker;
	struct cluster cluster;
	int32_t in[5 * G], out[5 * G];

	cluster_init(&cluster, 1);
	cluster.options.timeout_ms = 1500;
	if (!cluster_start_box(&cluster))
		return;
	if (!open_rank(&worker, &cluster, 0, fall_back, &fallback)) {
		cluster_stop_box(&cluster);
		return;
	}
	vector_fill(in, 5 * G, 0, 0);
	expect(&worker, allreduce_int32(worker.comm, in, out, 5 * G), 0);
	CHECK_EQ(fallback.calls, 0);
	cluster_stop_box(&cluster);
	with_fallback(&worker, &fallback);
	weir_close(worker.comm);
}

/* Not even an ICMP error comes. */
static void box_is_silent(void)
{
	int32_t vector[2 * G] = { 0 };
	struct worker worker;
	struct cluster cluster;

	cluster_init(&cluster, 1);
	cluster.options.timeout_ms = 1500;
	if (!cluster_start_box(&cluster))
		return;
	if (open_rank(&worker, &cluster, 0, NULL, NULL)) {
		one_int32(&worker, 5 * G, 0, false);
		refbox_mute(cluster.running);
		expect(&worker, allreduce_int32(worker.comm, vector, vector, 2 * G),
		       -ETIMEDOUT);
		CHECK(strstr(weir_error(worker.comm), "nothing comes from 127.77.0.254: rank 0 waits "
						      "for block 5 of job 7 for "));
		weir_close(worker.comm);
	}
	cluster_stop_box(&cluster);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(contributors_are_told),
	KTAP_TEST(contributors_of_many),
	KTAP_TEST(forged_contributors),
	KTAP_TEST(unknown_contributors),
	KTAP_TEST(averages),
	KTAP_TEST(residuals),
	KTAP_TEST(residuals_of_floats),
	KTAP_TEST(wrong_residuals_are_refused),
	KTAP_TEST(followers),
	KTAP_TEST(followers_with_loss),
	KTAP_TEST(followers_in_time),
	KTAP_TEST(nobody_to_follow),
	KTAP_TEST(excluded_rank),
	KTAP_TEST(dead_rank_comes_too_late),
	KTAP_TEST(dead_rank_recovers),
	KTAP_TEST(another_generation),
	KTAP_TEST(falls_back),
	KTAP_TEST(box_is_silent),
};

const struct test_table partial_table = { tests, ELEMENTS(tests) };
