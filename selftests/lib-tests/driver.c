// SPDX-License-Identifier: GPL-2.0
/* The progress thread: what goes on while the program is elsewhere. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"
#include "cluster.h"
#include "tests.h"
#include "vectors.h"

#define G CLUSTER_GRADS

/* Far more blocks than the window has: without progress the last ones would never be sent. */
#define WINDOW 16
#define BLOCKS 300
#define COUNT (BLOCKS * G)

#define PATIENCE_MS 60000

static void drive(struct cluster *cluster, unsigned int ranks)
{
	cluster_init(cluster, ranks);
	cluster->options.flags = WEIR_PROGRESS;
	cluster->options.window = WINDOW;
}

/* As an event loop waits. The call makes no progress; some request may be done already. */
static void wait_for_news(struct worker *worker)
{
	struct weir_poll wanted = { .size = sizeof(wanted) };
	struct pollfd news = { .events = POLLIN };

	expect(worker, weir_get_poll(worker->comm, &wanted), 0);
	CHECK_EQ(wanted.group_fd, -1);
	CHECK_EQ(wanted.writable, 0);
	news.fd = wanted.fd;
	if (wanted.timeout_us)
		CHECK_EQ(poll(&news, 1, PATIENCE_MS), 1);
}

static void begin_and_stay_away(struct worker *worker)
{
	int32_t *in = malloc(sizeof(*in) * COUNT), *out = malloc(sizeof(*out) * COUNT);
	struct weir_request *request;

	vector_fill(in, COUNT, worker->rank, 3);
	expect(worker, iallreduce_int32(worker->comm, in, out, COUNT, &request), 0);
	wait_for_news(worker);
	expect(worker, weir_test(&request), 1);
	CHECK_EQ(vector_wrong(out, COUNT, worker->cluster->options.ranks, 3), 0);
	free(in);
	free(out);
}

static void request_ends_by_itself(void)
{
	struct cluster cluster;

	drive(&cluster, 3);
	cluster_run(&cluster, begin_and_stay_away, NULL);
	CHECK_EQ(cluster.counters.blocks, BLOCKS);
}

static void request_ends_over_a_group(void)
{
	struct cluster cluster;

	drive(&cluster, 3);
	cluster.box.group = cluster.options.group = CLUSTER_GROUP;
	cluster.options.interface = "lo";
	cluster_run(&cluster, begin_and_stay_away, NULL);
	CHECK_EQ(cluster.counters.blocks, BLOCKS);
}

static void request_ends_over_bad_links(void)
{
	struct cluster cluster;

	drive(&cluster, 2);
	cluster.box.faults = (struct faults_options) {
		.seed = 5, .loss = 0.03, .duplicate = 0.02, .reorder = 0.02, .malformed = 0.02,
	};
	cluster_run(&cluster, begin_and_stay_away, NULL);
	CHECK(cluster_retransmits(&cluster) > 0);
}

/* The control: what the tests above see does not come about without the thread. */
static void begin_without(struct worker *worker)
{
	int32_t *in = calloc(COUNT, sizeof(*in)), *out = calloc(COUNT, sizeof(*out));
	struct weir_request *request;

	expect(worker, iallreduce_int32(worker->comm, in, out, COUNT, &request), 0);
	if (!worker->rank) {
		/* Rank 1 gets as far as rank 0 has sent. */
		while (!refbox_read(worker->cluster->running).blocks)
			usleep(1000);
		usleep(100000);
		CHECK(refbox_read(worker->cluster->running).blocks <= WINDOW);
	}
	expect(worker, weir_wait(&request), 0);
	free(in);
	free(out);
}

static void without_it_the_window_is_all(void)
{
	struct cluster cluster;

	drive(&cluster, 2);
	cluster.options.flags = 0;
	cluster_run(&cluster, begin_without, NULL);
	CHECK_EQ(cluster.counters.blocks, BLOCKS);
}

#define ROUNDS 200
#define OUTSTANDING 3

/* Calls and the thread's turns, in each order that there is. */
static void mixed_calls(struct worker *worker)
{
	struct weir_stats stats = { .size = sizeof(stats) };
	struct weir_members members = { .size = sizeof(members) };
	static int32_t vectors[4][OUTSTANDING][40 * G];
	struct weir_request *requests[OUTSTANDING];

	for (unsigned int round = 0; round < ROUNDS; round++) {
		size_t count = (round % 40) * G + round;

		for (unsigned int i = 0; i < OUTSTANDING; i++) {
			vector_fill(vectors[worker->rank][i], count % (40 * G), worker->rank, round + i);
			expect(worker, iallreduce_int32(worker->comm, vectors[worker->rank][i],
							vectors[worker->rank][i], count % (40 * G),
							&requests[i]), 0);
		}
		CHECK_EQ(weir_get_stats(worker->comm, &stats), 0);
		CHECK_EQ(weir_get_members(worker->comm, &members), 0);
		CHECK(!strcmp(weir_error(worker->comm), ""));
		for (unsigned int i = 0; i < OUTSTANDING; i++) {
			while (round % 3 == 0 && !weir_test(&requests[i]))
				wait_for_news(worker);
			if (round % 3 == 1)
				while (!weir_test(&requests[i]))
					;
			expect(worker, weir_wait(&requests[i]), 0);
			CHECK_EQ(vector_wrong(vectors[worker->rank][i], count % (40 * G), 4, round + i),
				 0);
		}
		one_int32(worker, count % (40 * G), round, false);
	}
}

static void calls_come_between(void)
{
	struct cluster cluster;

	drive(&cluster, 4);
	cluster_run(&cluster, mixed_calls, NULL);
	CHECK_EQ(cluster_malformed(&cluster), 0);
}

/* Rank 1 never comes: rank 0's requests are under way for good. */
static void close_early(struct worker *worker)
{
	static int32_t vectors[2][COUNT];
	struct weir_request *requests[2];

	one_int32(worker, 5 * G, 0, false);
	for (unsigned int i = 0; !worker->rank && i < 2; i++)
		expect(worker, iallreduce_int32(worker->comm, vectors[i], vectors[i], COUNT,
						&requests[i]), 0);
}

static void closed_under_way(void)
{
	struct cluster cluster;

	drive(&cluster, 2);
	cluster_run(&cluster, close_early, NULL);
	CHECK_EQ(cluster.counters.blocks, 5);
}

static atomic_uint reloaded;

/* None of the two makes a call when the box has lost its state, and both have to join again. */
static void reload_meanwhile(struct worker *worker)
{
	one_int32(worker, 10 * G, 0, false);
	if (!worker->rank) {
		refbox_reload(worker->cluster->running);
		begin_and_stay_away(worker);
		atomic_store(&reloaded, 1);
	} else {
		int32_t *vector = malloc(sizeof(*vector) * COUNT);
		struct weir_request *request;
		int done;

		vector_fill(vector, COUNT, 1, 3);
		expect(worker, iallreduce_int32(worker->comm, vector, vector, COUNT, &request), 0);
		while (!atomic_load(&reloaded))
			usleep(1000);
		/* Rank 0 has all results: the last one may still be on its way here. */
		while (!(done = weir_test(&request)))
			usleep(1000);
		expect(worker, done, 1);
		CHECK_EQ(vector_wrong(vector, COUNT, 2, 3), 0);
		free(vector);
	}
}

static void joins_again_by_itself(void)
{
	struct cluster cluster;

	atomic_store(&reloaded, 0);
	drive(&cluster, 2);
	cluster_run(&cluster, reload_meanwhile, NULL);
	CHECK(cluster.counters.joins > 2);
}

/*
 * A result that the reload took with it: rank 0 lacks it, and rank 1 has it, and is under way with
 * the next one, by no call of its own.
 */
static void answer_meanwhile(struct worker *worker)
{
	int32_t in[2 * G], out[2 * G], next[G] = { 0 };
	struct weir_request *request;

	one_int32(worker, 10 * G, 0, false);
	vector_fill(in, 2 * G, worker->rank, 1);
	expect(worker, iallreduce_int32(worker->comm, in, out, 2 * G, &request), 0);
	if (worker->rank) {
		expect(worker, weir_wait(&request), 0);
		refbox_reload(worker->cluster->running);
		expect(worker, iallreduce_int32(worker->comm, next, next, G, &request), 0);
		wait_for_news(worker);
		expect(worker, weir_test(&request), 1);
		return;
	}
	expect(worker, weir_wait(&request), 0);
	CHECK_EQ(vector_wrong(out, 2 * G, 2, 1), 0);
	expect(worker, allreduce_int32(worker->comm, next, next, G), 0);
}

static void sends_again_by_itself(void)
{
	struct cluster cluster;

	drive(&cluster, 2);
	/* Rank 0 does not get these blocks' results, and asks when the box has lost them. */
	cluster.box.faults.mute_from = 10;
	cluster.box.faults.mute = 2;
	cluster_run(&cluster, answer_meanwhile, NULL);
	CHECK_EQ(cluster.faults.lost, 2);
	/* A result that rank 0 has asked for before the box has lost it is not summed again. */
	CHECK(cluster.counters.blocks >= 13 && cluster.counters.blocks <= 15);
}

static void lose_the_box(struct worker *worker)
{
	static int32_t vectors[2][COUNT];
	int32_t *mine = vectors[worker->rank];
	struct weir_request *request;

	one_int32(worker, 10 * G, 0, false);
	if (!worker->rank)
		refbox_mute(worker->cluster->running);
	expect(worker, iallreduce_int32(worker->comm, mine, mine, COUNT, &request), 0);
	wait_for_news(worker);
	/* Only the thread can have found it. */
	expect(worker, weir_test(&request), -ETIMEDOUT);
	CHECK(!request);
	CHECK(strstr(weir_error(worker->comm), "nothing comes from " CLUSTER_BOX));
	expect(worker, allreduce_int32(worker->comm, mine, mine, G), -ETIMEDOUT);
}

static void box_is_lost(void)
{
	struct cluster cluster;

	drive(&cluster, 2);
	cluster.options.timeout_ms = 1500;
	cluster_run(&cluster, lose_the_box, NULL);
}

static void call_from_the_thread(void *context, const struct weir_block_info *block)
{
	struct weir_stats stats = { .size = sizeof(stats) };
	struct worker *worker = context;

	CHECK_EQ(block->ranks, 1);
	CHECK_EQ(weir_behind(worker->comm), -EBUSY);
	CHECK(strstr(weir_error(worker->comm), "the caller is one of its callbacks"));
	CHECK_EQ(weir_get_stats(worker->comm, &stats), 0);
	CHECK(stats.packets_received > 0);
}

static void callback_of_the_thread(void)
{
	struct worker worker = { 0 };
	struct weir_options options;
	struct cluster cluster;
	char address[64];

	drive(&cluster, 1);
	worker.cluster = &cluster;
	if (!cluster_start_box(&cluster))
		return;
	cluster_worker_options(&cluster, 0, address, &options);
	options.on_block = call_from_the_thread;
	options.on_block_context = &worker;
	CHECK_EQ(weir_open(&worker.comm, &options), 0);
	begin_and_stay_away(&worker);
	weir_close(worker.comm);
	cluster_stop_box(&cluster);
}

/* The child closes what the thread may be in the middle of, and neither waits for the other. */
static void fork_meanwhile(struct worker *worker)
{
	static int32_t vectors[2][COUNT];
	int32_t *mine = vectors[worker->rank];
	struct weir_request *request;

	for (unsigned int round = 0; round < 20; round++) {
		int status = -1;
		pid_t child;

		vector_fill(mine, COUNT, worker->rank, round);
		expect(worker, iallreduce_int32(worker->comm, mine, mine, COUNT, &request), 0);
		child = fork();
		if (!child) {
			struct weir_request *its = request;
			bool refused = weir_test(&its) == -ECHILD && its == request;

			refused &= !!strstr(weir_error(worker->comm), "is of the parent process");
			weir_close(worker->comm);
			_exit(!refused);
		}
		CHECK(waitpid(child, &status, 0) == child && status == 0);
		wait_for_news(worker);
		expect(worker, weir_wait(&request), 0);
		CHECK_EQ(vector_wrong(mine, COUNT, 2, round), 0);
	}
}

static void forked_while_it_runs(void)
{
	struct cluster cluster;

	drive(&cluster, 2);
	cluster_run(&cluster, fork_meanwhile, NULL);
	CHECK_EQ(cluster.counters.blocks, 20 * BLOCKS);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(request_ends_by_itself),
	KTAP_TEST(request_ends_over_a_group),
	KTAP_TEST(request_ends_over_bad_links),
	KTAP_TEST(without_it_the_window_is_all),
	KTAP_TEST(calls_come_between),
	KTAP_TEST(closed_under_way),
	KTAP_TEST(joins_again_by_itself),
	KTAP_TEST(sends_again_by_itself),
	KTAP_TEST(box_is_lost),
	KTAP_TEST(callback_of_the_thread),
	KTAP_TEST(forked_while_it_runs),
};

const struct test_table driver_table = { tests, sizeof(tests) / sizeof(tests[0]) };
