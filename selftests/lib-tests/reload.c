// SPDX-License-Identifier: GPL-2.0
/* The library and a box that loses its state in the middle of the work. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "cluster.h"
/* From the library's inside: a test moves its block numbers. */
#include "comm/comm.h"
#include "ktap.h"
#include "tests.h"
#include "vectors.h"

#define ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))
#define G CLUSTER_GRADS
#define COUNT (150 * G + 5)
#define BLOCKS 151

/**
 * struct plan - when the box loses its state
 * @rounds: allreduces
 * @every: it does so in each round whose number is a multiple of this
 * @after: when it has answered so many blocks of the round
 * @twice: and does so again before the round ends
 * @outstanding: begin so many rounds at once
 * @order: byte order of gradients
 */
struct plan {
	unsigned int rounds;
	unsigned int every;
	unsigned int after;
	bool twice;
	unsigned int outstanding;
	enum refbox_order order;
};

#define OUTSTANDING_MAX 4

static void fail(struct worker *worker)
{
	ktap_complain(__FILE__, __LINE__, "rank %u: %s", worker->rank, weir_error(worker->comm));
}

/* Goes on until the box has answered so many blocks in all, or the request has its sums. */
static bool progress_to(struct worker *worker, uint64_t blocks, struct weir_request **request)
{
	int done = 0;

	while (!done && refbox_read(worker->cluster->running).blocks < blocks)
		done = weir_test(request);
	if (done < 0)
		fail(worker);
	return done >= 0;
}

static void harm(struct worker *worker, const struct plan *plan, struct weir_request **request)
{
	uint64_t from = refbox_read(worker->cluster->running).blocks;

	if (!progress_to(worker, from + plan->after, request))
		return;
	refbox_reload(worker->cluster->running);
	if (!plan->twice || !progress_to(worker, from + 2 * plan->after, request))
		return;
	refbox_reload(worker->cluster->running);
}

static void reload_rounds(struct worker *worker)
{
	const struct plan *plan = worker->data;
	struct weir_request *requests[OUTSTANDING_MAX];
	int32_t *vectors[OUTSTANDING_MAX];

	for (unsigned int i = 0; i < plan->outstanding; i++)
		vectors[i] = malloc(4 * COUNT);
	for (unsigned int round = 0; round < plan->rounds; round++) {
		for (unsigned int i = 0; i < plan->outstanding; i++) {
			vector_fill(vectors[i], COUNT, worker->rank, round + i);
			expect(worker, iallreduce_int32(worker->comm, vectors[i], vectors[i],
							     COUNT, &requests[i]), 0);
		}
		if (!worker->rank && round % plan->every == 0)
			harm(worker, plan, &requests[0]);
		for (unsigned int i = 0; i < plan->outstanding; i++) {
			expect(worker, weir_wait(&requests[i]), 0);
			CHECK_EQ(vector_wrong(vectors[i], COUNT, worker->cluster->options.ranks,
					      round + i), 0);
		}
	}
	for (unsigned int i = 0; i < plan->outstanding; i++)
		free(vectors[i]);
}

static void run_plan(struct plan plan, const struct faults_options *faults, bool group)
{
	struct cluster cluster;

	cluster_init(&cluster, 4);
	cluster.box.order = plan.order;
	if (faults)
		cluster.box.faults = *faults;
	if (group) {
		cluster.box.group = cluster.options.group = CLUSTER_GROUP;
		cluster.options.interface = "lo";
	}
	cluster_run(&cluster, reload_rounds, &plan);
	CHECK(cluster.counters.notices > 0);
	/* A packet held back may come when its generation is over. */
	if (!faults || !faults->reorder)
		CHECK_EQ(cluster_malformed(&cluster), 0);
}

static const struct plan once = { .rounds = 3, .every = 3, .after = 20, .outstanding = 1 };
static const struct plan often = { .rounds = 8, .every = 2, .after = 75, .outstanding = 1 };
static const struct plan in_a_row = { .rounds = 3, .every = 1, .after = 10, .twice = true,
				      .outstanding = 1 };
static const struct plan many = { .rounds = 4, .every = 1, .after = 100, .outstanding = 4 };

static void reloaded_once(void) { run_plan(once, NULL, false); }
static void reloaded_often(void) { run_plan(often, NULL, false); }
static void reloaded_twice_in_a_row(void) { run_plan(in_a_row, NULL, false); }
static void reloaded_with_requests(void) { run_plan(many, NULL, false); }

/* Contributions that were sent in one byte order are sent again in the other. */
static void reloaded_with_another_byte_order(void)
{
	const struct plan plan = {
		.rounds = 6, .every = 1, .after = 75, .outstanding = 3, .order = REFBOX_TURNS,
	};

	run_plan(plan, NULL, false);
	run_plan(plan, &(struct faults_options) { .seed = 5, .loss = 0.05 }, false);
}

static void reloaded_with_loss(void)
{
	run_plan(often, &(struct faults_options) { .seed = 4, .loss = 0.05 }, false);
}

static void reloaded_with_all_faults(void)
{
	for (unsigned int seed = 0; seed < 3; seed++)
		run_plan(in_a_row, &(struct faults_options) {
			.seed = seed, .loss = 0.05, .duplicate = 0.1, .reorder = 0.2,
		}, false);
}

static void reloaded_with_a_group(void)
{
	if (!own_network) {
		ktap_skip("needs a network namespace");
		return;
	}
	run_plan(often, &(struct faults_options) { .seed = 6, .loss = 0.01 }, true);
}

/* At the start, at a block's boundary and at the end of a vector. */
static void reloaded_at_any_time(void)
{
	static const unsigned int after[] = { 0, 1, BLOCKS / 2, BLOCKS - 1, BLOCKS };

	for (unsigned int i = 0; i < ELEMENTS(after); i++)
		run_plan((struct plan) { .rounds = 2, .every = 2, .after = after[i], .outstanding = 1 },
			 &(struct faults_options) { .seed = i, .loss = 0.02 }, false);
}

/* All ranks are between two allreduces. */
static void reload_between(struct worker *worker)
{
	pthread_barrier_t *barrier = worker->data;

	for (unsigned int round = 0; round < 4; round++) {
		one_int32(worker, 20 * G, round, true);
		pthread_barrier_wait(barrier);
		if (!worker->rank)
			refbox_reload(worker->cluster->running);
		pthread_barrier_wait(barrier);
	}
	one_int32(worker, 20 * G, 4, true);
}

static void reloaded_while_idle(void)
{
	pthread_barrier_t barrier;
	struct cluster cluster;

	cluster_init(&cluster, 4);
	pthread_barrier_init(&barrier, NULL, 4);
	cluster_run(&cluster, reload_between, &barrier);
	pthread_barrier_destroy(&barrier);
	/* Nothing was lost, so only the packets go up twice that were answered by a notice. */
	CHECK_EQ(cluster.counters.blocks, 5 * 20);
}

/*
 * Some ranks have all of their sums, others lack some: the former send again for the latter.
 * Not in the last round, after which they would be gone.
 */
static void reloaded_for_others(void)
{
	const struct plan plan = { .rounds = 6, .every = 2, .after = BLOCKS, .outstanding = 1 };

	run_plan(plan, &(struct faults_options) { .seed = 9, .loss = 0.1 }, false);
}

/* Another process takes the box's place; in between no process has the port. */
static void replace_box(struct worker *worker, struct weir_request **request, uint64_t blocks)
{
	if (!progress_to(worker, blocks, request))
		return;
	cluster_stop_box(worker->cluster);
	/* An ICMP error is no reason to give up. */
	for (unsigned int i = 0; i < 100; i++)
		CHECK(weir_test(request) >= 0);
	cluster_start_box(worker->cluster);
}

static void with_another_box(struct worker *worker)
{
	struct weir_request *request;
	int32_t *vector = malloc(4 * COUNT);

	vector_fill(vector, COUNT, worker->rank, 0);
	expect(worker, iallreduce_int32(worker->comm, vector, vector, COUNT, &request), 0);
	if (!worker->rank)
		replace_box(worker, &request, 40);
	expect(worker, weir_wait(&request), 0);
	CHECK_EQ(vector_wrong(vector, COUNT, 2, 0), 0);
	one_int32(worker, COUNT, 1, false);
	free(vector);
}

static void box_is_replaced(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 2);
	cluster_run(&cluster, with_another_box, NULL);
	/* These are the second box's: it has not seen all of them. */
	CHECK(cluster.counters.blocks >= BLOCKS && cluster.counters.blocks < 2 * BLOCKS);
}

static void with_a_smaller_box(struct worker *worker)
{
	struct weir_request *request;
	int32_t *vector = calloc(COUNT, 4);

	expect(worker, iallreduce_int32(worker->comm, vector, vector, COUNT, &request), 0);
	if (!worker->rank) {
		worker->cluster->box.blocks = 64;
		replace_box(worker, &request, 40);
	}
	expect(worker, weir_wait(&request), -EPROTO);
	CHECK(strstr(weir_error(worker->comm), "was made anew with 64 block slots"));
	free(vector);
}

static void box_becomes_too_small(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 2);
	cluster_run(&cluster, with_a_smaller_box, NULL);
}

/* One rank does not come again. */
static void without_rank_1(struct worker *worker)
{
	pthread_barrier_t *barrier = worker->data;
	int32_t vector[2 * G] = { 0 };

	one_int32(worker, 20 * G, 0, false);
	pthread_barrier_wait(barrier);
	if (worker->rank)
		return;
	refbox_reload(worker->cluster->running);
	expect(worker, allreduce_int32(worker->comm, vector, vector, 2 * G), -ETIMEDOUT);
	CHECK(strstr(weir_error(worker->comm), CLUSTER_BOX " has lost its state, and job 7 did not "
		     "begin again for "));
	CHECK(strstr(weir_error(worker->comm), " s: not all 2 ranks have joined again"));
	CHECK(strstr(weir_error(worker->comm), "It waits for rank 1. "));
	CHECK(strstr(weir_error(worker->comm), "Rank 0 waits for block 20"));
}

static void a_rank_does_not_join_again(void)
{
	pthread_barrier_t barrier;
	struct cluster cluster;

	cluster_init(&cluster, 2);
	cluster.options.ranks_timeout_ms = 2000;
	pthread_barrier_init(&barrier, NULL, 2);
	cluster_run(&cluster, without_rank_1, &barrier);
	pthread_barrier_destroy(&barrier);
}

/* As if one rank had gone on for long without the other. */
static void far_apart(struct worker *worker)
{
	pthread_barrier_t *barrier = worker->data;
	struct weir *comm = worker->comm;
	int32_t vector[2 * G] = { 0 };

	one_int32(worker, 20 * G, 0, false);
	pthread_barrier_wait(barrier);
	if (!worker->rank) {
		refbox_reload(worker->cluster->running);
		expect(worker, allreduce_int32(comm, vector, vector, 2 * G), -ETIMEDOUT);
		return;
	}
	comm->window.base += 10000;
	comm->window.next += 10000;
	comm->window.high += 10000;
	comm->queue.end += 10000;
	expect(worker, allreduce_int32(comm, vector, vector, 2 * G), -ESTALE);
	CHECK(strstr(weir_error(comm), "goes on at block 20, which rank 1 can no longer send: it is at "
		     "block 10020"));
}

static void a_rank_is_too_far_ahead(void)
{
	pthread_barrier_t barrier;
	struct cluster cluster;

	cluster_init(&cluster, 2);
	cluster.options.ranks_timeout_ms = 1000;
	pthread_barrier_init(&barrier, NULL, 2);
	cluster_run(&cluster, far_apart, &barrier);
	pthread_barrier_destroy(&barrier);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(reloaded_once),
	KTAP_TEST(reloaded_often),
	KTAP_TEST(reloaded_twice_in_a_row),
	KTAP_TEST(reloaded_with_requests),
	KTAP_TEST(reloaded_with_another_byte_order),
	KTAP_TEST(reloaded_with_loss),
	KTAP_TEST(reloaded_with_all_faults),
	KTAP_TEST(reloaded_with_a_group),
	KTAP_TEST(reloaded_at_any_time),
	KTAP_TEST(reloaded_while_idle),
	KTAP_TEST(reloaded_for_others),
	KTAP_TEST(box_is_replaced),
	KTAP_TEST(box_becomes_too_small),
	KTAP_TEST(a_rank_does_not_join_again),
	KTAP_TEST(a_rank_is_too_far_ahead),
};

const struct test_table reload_table = { tests, ELEMENTS(tests) };
