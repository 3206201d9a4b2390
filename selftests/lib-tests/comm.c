// SPDX-License-Identifier: GPL-2.0
/* The library against the reference box. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"
#include "cluster.h"
/* From the library's inside: the tests move its block numbers to the wrap. */
#include "comm/comm.h"
#include "ktap.h"
#include "tests.h"
#include "vectors.h"

#define ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))
#define G CLUSTER_GRADS

static const size_t sizes[] = { 0, 1, G - 1, G, G + 1, 2 * G, 37 * G + 11, 1, 600 * G - 1, 0 };

static void all_sizes(struct worker *worker)
{
	for (unsigned int i = 0; i < ELEMENTS(sizes); i++) {
		one_int32(worker, sizes[i], i, i & 1);
		one_float(worker, sizes[i], i);
	}
}

static void run_sizes(unsigned int ranks)
{
	struct cluster cluster;

	cluster_init(&cluster, ranks);
	cluster_run(&cluster, all_sizes, NULL);
	CHECK_EQ(cluster.counters.contributions, cluster.counters.blocks * ranks);
	CHECK_EQ(cluster_malformed(&cluster), 0);
}

static void ranks_1(void) { run_sizes(1); }
static void ranks_2(void) { run_sizes(2); }
static void ranks_4(void) { run_sizes(4); }
static void ranks_16(void) { run_sizes(16); }

static void few_blocks(struct worker *worker)
{
	one_int32(worker, 3 * G + 1, 1, false);
}

/*
 * The count of contributors has eight bits only. With a sanitizer, on an emulated machine that is
 * busy, so many threads may start for longer than the first of them would wait otherwise.
 */
static void ranks_256(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 256);
	cluster.options.timeout_ms = 300000;
	cluster.options.ranks_timeout_ms = 300000;
	cluster_run(&cluster, few_blocks, NULL);
	CHECK_EQ(cluster.counters.blocks, 4);
}

static void window_1(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 4);
	cluster.options.window = 1;
	cluster_run(&cluster, all_sizes, NULL);
	CHECK_EQ(cluster.workers[0].stats.window, 1);
}

static void window_is_clamped_to_the_box(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 2);
	cluster.box.blocks = 2;
	cluster_run(&cluster, all_sizes, NULL);
	CHECK_EQ(cluster.workers[0].stats.window, 1);
	CHECK_EQ(cluster.workers[0].stats.blocks, 2);
}

static void long_vector(struct worker *worker)
{
	for (unsigned int i = 0; i < 2; i++)
		one_int32(worker, 1 << 20, i, true);
}

static void large_blocks(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 2);
	cluster.box.blocks = 1024;
	cluster.box.grads = 2048;
	cluster.options.grads = 2048;
	cluster_run(&cluster, long_vector, NULL);
	CHECK_EQ(cluster.workers[1].stats.grads, 2048);
	CHECK_EQ(cluster.workers[1].stats.elements, 2 << 20);
}

static void blocks_of_one(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 3);
	cluster.options.grads = 1;
	cluster_run(&cluster, few_blocks, NULL);
	CHECK_EQ(cluster.counters.blocks, 3 * G + 1);
}

static void at_the_wrap(struct worker *worker)
{
	struct weir *comm = worker->comm;
	const uint64_t first = (1ULL << 32) - 100;

	comm->window.base = first;
	comm->window.next = first;
	comm->window.high = first;
	comm->queue.end = first;
	for (unsigned int i = 0; i < 5; i++)
		one_int32(worker, 61 * G + 3, i, i & 1);
	CHECK(comm->window.base > 1ULL << 32);
}

static void block_ids_wrap(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 4);
	cluster.box.faults.loss = 0.02;
	cluster.box.faults.reorder = 0.1;
	cluster_run(&cluster, at_the_wrap, NULL);
}

/* Links that do harm. */

static void some_rounds(struct worker *worker)
{
	const unsigned int *rounds = worker->data;

	for (unsigned int i = 0; i < *rounds; i++)
		one_int32(worker, 150 * G + i, i, i & 1);
}

static void run_faults(const struct faults_options *faults, unsigned int rounds)
{
	struct cluster cluster;

	cluster_init(&cluster, 4);
	cluster.box.faults = *faults;
	cluster_run(&cluster, some_rounds, &rounds);
	CHECK_EQ(cluster.counters.blocks, rounds * 151 - 1);
	CHECK_EQ(cluster.counters.contributions, 4 * cluster.counters.blocks);
	if (faults->loss) {
		CHECK(cluster.faults.lost && cluster_retransmits(&cluster));
		CHECK(2 * cluster_retransmits(&cluster) <= 3 * cluster.faults.lost);
	}
	if (faults->duplicate)
		CHECK(cluster.faults.doubled && cluster.counters.duplicates + cluster.counters.repeats);
	if (faults->reorder)
		CHECK(cluster.faults.held);
	if (faults->malformed)
		CHECK(cluster.faults.forged && cluster_malformed(&cluster));
	else
		CHECK_EQ(cluster_malformed(&cluster), 0);
	/* The last ones may arrive after the workers have closed. */
	CHECK(cluster_malformed(&cluster) <= cluster.faults.forged);
}

/* Only lost packets go up again, and only from their own ranks. */
static void loss_1_percent(void)
{
	unsigned int rounds = 40;
	struct cluster cluster;
	uint64_t lost;

	cluster_init(&cluster, 4);
	cluster.box.faults = (struct faults_options) { .seed = 1, .loss = 0.01 };
	cluster_run(&cluster, some_rounds, &rounds);
	lost = cluster.counters.lost;
	CHECK(lost > 100);
	/* One that was lost again counts each time; a question may pass its contribution. */
	CHECK(cluster_retransmits(&cluster) >= lost);
	CHECK(4 * cluster_retransmits(&cluster) <= 5 * lost);
	/* All four ask about each loss, and at times once more. */
	CHECK(cluster_queries(&cluster) <= 12 * cluster.faults.lost);
}

static void loss_5_percent(void)
{
	run_faults(&(struct faults_options) { .seed = 5, .loss = 0.05 }, 10);
}

static void loss_30_percent(void)
{
	run_faults(&(struct faults_options) { .seed = 30, .loss = 0.3 }, 1);
}

static void duplicates(void)
{
	run_faults(&(struct faults_options) { .seed = 1, .duplicate = 0.3 }, 10);
}

static void reordering(void)
{
	run_faults(&(struct faults_options) { .seed = 2, .reorder = 0.3 }, 10);
}

static void malformed_results(void)
{
	run_faults(&(struct faults_options) { .seed = 3, .malformed = 0.5 }, 10);
}

static void all_faults(void)
{
	for (unsigned int seed = 0; seed < 3; seed++)
		run_faults(&(struct faults_options) {
			.seed = seed, .loss = 0.05, .duplicate = 0.1, .reorder = 0.2,
			.malformed = 0.1,
		}, 5);
}

/* The box does not answer the first packets: the timer alone must start it. */
static void deaf_box(void)
{
	unsigned int rounds = 2;
	struct cluster cluster;

	cluster_init(&cluster, 2);
	cluster.box.faults.deaf = 100;
	cluster_run(&cluster, some_rounds, &rounds);
	CHECK_EQ(cluster.counters.contributions, 2 * cluster.counters.blocks);
}

static void wait_ms(unsigned int ms)
{
	struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

	while (nanosleep(&time, &time) && errno == EINTR)
		;
}

static unsigned int monotonic_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Time that rank 0 has waited. */
static unsigned int waited_ms;

static void slow_rank(struct worker *worker)
{
	unsigned int begun;

	one_int32(worker, 1, 0, false);
	if (worker->rank == 1)
		wait_ms(500);
	begun = monotonic_ms();
	one_int32(worker, 200 * G, 1, false);
	if (worker->rank == 0)
		waited_ms = monotonic_ms() - begun;
}

/* Waiting is not a reason to send everything again and again. */
static void no_storm_while_waiting(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 2);
	cluster_run(&cluster, slow_rank, NULL);
	CHECK(cluster.workers[0].stats.timeouts > 0);
	/* No timeout is longer than 40 ms, and a few are shorter; each is four questions. */
	CHECK(cluster.workers[0].stats.queries <= 4 * (waited_ms / 40 + 4));
	CHECK_EQ(cluster_retransmits(&cluster), 0);
}

#define LATE_CALLS	40
#define LATE_MS		15

/*
 * Timeouts of the time that rank 0 has waited beyond what rank 1 is always late: a machine that is
 * busy holds a rank up now and then, and the timer runs out each 20 ms at most.
 */
static unsigned int held_up;

static void note_held_up(const struct worker *worker, unsigned int begun, unsigned int calls)
{
	unsigned int took = monotonic_ms() - begun;

	if (worker->rank == 0)
		held_up = took > calls * LATE_MS ? (took - calls * LATE_MS) / 20 : 0;
}

static void one_late(struct worker *worker, size_t count, unsigned int round)
{
	if (worker->rank == 1)
		wait_ms(LATE_MS);
	one_int32(worker, count, round, false);
}

static void late_rank(struct worker *worker)
{
	unsigned int begun = monotonic_ms();

	for (unsigned int i = 0; i < LATE_CALLS; i++)
		one_late(worker, 5 * G, i);
	note_held_up(worker, begun, LATE_CALLS);
}

/* A rank that is always late makes answers take longer, and is not a loss each time. */
static void timer_learns_of_late_ranks(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 2);
	cluster_run(&cluster, late_rank, NULL);
	CHECK(cluster.workers[0].stats.timeouts <= 10 + held_up);
	CHECK(cluster.workers[0].stats.rtt_us > 10000);
}

#define LATE_BLOCKS	350
#define LOST_BLOCKS	100

static void late_then_many(struct worker *worker)
{
	unsigned int begun = monotonic_ms();

	late_rank(worker);
	/* The window is to be large when the packets are lost. */
	for (size_t blocks = 10; blocks <= 80; blocks *= 2)
		one_late(worker, blocks * G, LATE_CALLS);
	one_late(worker, LOST_BLOCKS * G, LATE_CALLS);
	note_held_up(worker, begun, LATE_CALLS + 5);
}

/*
 * A contribution's answer waits for other ranks, the answer to a question does not. It comes
 * sooner than any before, and shows nonetheless that all packets sent earlier are lost.
 */
static void answers_to_questions_are_quick(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 2);
	cluster.box.faults.mute_from = LATE_BLOCKS;
	cluster.box.faults.mute = LOST_BLOCKS;
	cluster_run(&cluster, late_then_many, NULL);
	CHECK_EQ(cluster.faults.lost, LOST_BLOCKS);
	CHECK(cluster.workers[0].stats.queries >= LOST_BLOCKS);
	CHECK(cluster.workers[0].stats.timeouts <= LOST_BLOCKS / 4 + held_up);
}

/* Nor does the answer to a block sent again at the box's wish: no other rank is waited for. */
static void answers_to_what_is_wanted_are_quick(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 2);
	cluster.box.faults.deaf_from = 2 * LATE_BLOCKS;
	cluster.box.faults.deaf = LOST_BLOCKS;
	cluster_run(&cluster, late_then_many, NULL);
	CHECK_EQ(cluster.faults.lost, LOST_BLOCKS);
	/* On a busy machine the late rank may be the first, and lose the packets. */
	CHECK(cluster.workers[0].stats.retransmits + cluster.workers[1].stats.retransmits >=
	      LOST_BLOCKS / 2);
	CHECK(cluster.workers[0].stats.timeouts <= LOST_BLOCKS / 4 + held_up);
	CHECK(cluster.workers[1].stats.timeouts <= LOST_BLOCKS / 4 + held_up);
}

static void away_and_back(struct worker *worker)
{
	struct weir_request *request;
	int32_t in[2 * G], out[2 * G];

	vector_fill(in, 2 * G, worker->rank, 0);
	expect(worker, iallreduce_int32(worker->comm, in, out, 2 * G, &request), 0);
	/* Longer than the timeout: that is the caller's time, not the box's. */
	wait_ms(700);
	expect(worker, weir_wait(&request), 0);
	CHECK_EQ(vector_wrong(out, 2 * G, 2, 0), 0);
}

static void absence_is_no_stall(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 2);
	cluster.options.timeout_ms = 400;
	cluster.options.ranks_timeout_ms = 400;
	cluster_run(&cluster, away_and_back, NULL);
}

static int wait_in_a_loop(struct worker *worker, struct weir_request **request)
{
	int done = weir_test(request);

	while (!done) {
		cluster_wait_for_news(worker);
		done = weir_test(request);
	}
	return done;
}

static void event_loop(struct worker *worker)
{
	struct weir_request *request;
	static int32_t in[2][200 * G], out[2][200 * G];
	int32_t *mine = in[worker->rank], *sums = out[worker->rank];

	vector_fill(mine, 200 * G, worker->rank, 0);
	expect(worker, iallreduce_int32(worker->comm, mine, sums, 200 * G, &request), 0);
	expect(worker, wait_in_a_loop(worker, &request), 1);
	CHECK_EQ(vector_wrong(sums, 200 * G, 2, 0), 0);
	if (worker->rank == 1)
		return;
	/* And its waiting is no absence: it ends, too. */
	expect(worker, iallreduce_int32(worker->comm, mine, sums, G, &request), 0);
	expect(worker, wait_in_a_loop(worker, &request), -ETIMEDOUT);
}

static void event_loops(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 2);
	cluster.box.faults = (struct faults_options) { .seed = 1, .loss = 0.05 };
	/* The end of a wait is waited for. */
	cluster.options.timeout_ms = 3000;
	cluster.options.ranks_timeout_ms = 3000;
	cluster_run(&cluster, event_loop, NULL);
}

/* Requests. */

#define MANY 40

static void many_requests(struct worker *worker)
{
	struct weir_request *requests[MANY];
	int32_t *vectors[MANY];
	size_t count;

	for (unsigned int i = 0; i < MANY; i++) {
		count = sizes[i % ELEMENTS(sizes)];
		vectors[i] = malloc(4 * count + 4);
		vector_fill(vectors[i], count, worker->rank, i);
		expect(worker, iallreduce_int32(worker->comm, vectors[i], vectors[i], count,
						     &requests[i]), 0);
	}
	for (unsigned int i = MANY; i-- > 0;) {
		count = sizes[i % ELEMENTS(sizes)];
		/* Some ranks poll, some wait. */
		if (worker->rank % 2) {
			int done;

			do
				done = weir_test(&requests[i]);
			while (!done);
			expect(worker, done, 1);
		} else {
			expect(worker, weir_wait(&requests[i]), 0);
		}
		CHECK(!requests[i]);
		CHECK_EQ(weir_test(&requests[i]), 1);
		CHECK_EQ(weir_wait(&requests[i]), 0);
		CHECK_EQ(vector_wrong(vectors[i], count, 4, i), 0);
		free(vectors[i]);
	}
}

static void requests_outstanding(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 4);
	cluster.box.faults.loss = 0.01;
	cluster_run(&cluster, many_requests, NULL);
}

static void leave_requests(struct worker *worker)
{
	static int32_t in[100 * G];
	static int32_t out[2][100 * G];
	struct weir_request *request;

	for (unsigned int i = 0; i < 3; i++)
		expect(worker, iallreduce_int32(worker->comm, in, out[worker->rank], 100 * G,
						     &request), 0);
}

static void close_with_requests(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 2);
	cluster_run(&cluster, leave_requests, NULL);
}

/* Rank 0 has seen that a signal ends its wait. */
static atomic_bool was_interrupted;

static void on_signal(int number)
{
	(void)number;
}

static void interrupted(struct worker *worker)
{
	struct weir_request *request;
	int32_t in[G], out[G];
	timer_t timer;
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1,
		._sigev_un._tid = gettid(),
	};
	struct itimerspec when = { .it_value.tv_nsec = 50000000, .it_interval.tv_nsec = 50000000 };
	int err;

	vector_fill(in, G, worker->rank, 0);
	if (worker->rank == 1) {
		while (!atomic_load(&was_interrupted) && !ktap_failed())
			wait_ms(5);
		one_int32(worker, G, 0, false);
		return;
	}
	expect(worker, iallreduce_int32(worker->comm, in, out, G, &request), 0);
	CHECK(!timer_create(CLOCK_MONOTONIC, &event, &timer));
	CHECK(!timer_settime(timer, 0, &when, NULL));
	while ((err = weir_wait(&request)) == -EINTR) {
		atomic_store(&was_interrupted, true);
		CHECK(request);
	}
	timer_delete(timer);
	expect(worker, err, 0);
	CHECK(atomic_load(&was_interrupted));
	CHECK_EQ(vector_wrong(out, G, 2, 0), 0);
}

static void signals_interrupt(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct cluster cluster;

	sigaction(SIGUSR1, &action, NULL);
	atomic_store(&was_interrupted, false);
	cluster_init(&cluster, 2);
	cluster_run(&cluster, interrupted, NULL);
}

static void reopen(void)
{
	struct cluster cluster;
	struct worker *worker = &cluster.workers[0];
	struct weir_options options;
	char address[64];

	cluster_init(&cluster, 1);
	if (!cluster_start_box(&cluster))
		return;
	cluster_worker_options(&cluster, 0, address, &options);
	for (unsigned int i = 0; i < 3; i++) {
		*worker = (struct worker) { .cluster = &cluster };
		CHECK_EQ(weir_open(&worker->comm, &options), 0);
		one_int32(worker, 5 * G, i, false);
		worker->stats.size = sizeof(worker->stats);
		weir_get_stats(worker->comm, &worker->stats);
		CHECK_EQ(worker->stats.generation, i);
		weir_close(worker->comm);
	}
	cluster_stop_box(&cluster);
}

/* Values. */

/* Rank 1's values are bad: it is told which, and rank 0 that there are such. */
static void expect_bad(struct worker *worker, float value, int err, const char *words)
{
	float in[3 * G] = { 0 }, out[3 * G];

	in[2 * G] = worker->rank ? value : 0;
	expect(worker, allreduce_float(worker->comm, in, out, 3 * G, 2), err);
	if (!CHECK(strstr(weir_error(worker->comm), worker->rank ? words : "of some rank")))
		ktap_complain(__FILE__, __LINE__, "%s", weir_error(worker->comm));
	CHECK(strstr(weir_error(worker->comm), "All ranks have this error"));
}

static void bad_values(struct worker *worker)
{
	float vector[3 * G] = { 0 };

	expect_bad(worker, NAN, -EDOM, "element 128 is nan");
	expect_bad(worker, -INFINITY, -EDOM, "element 128 is -inf");
	expect_bad(worker, 3e9f, -ERANGE, "use a scale of at most 0.71");
	/* On both, in different ways. */
	vector[G] = worker->rank ? NAN : 3e9f;
	expect(worker, allreduce_float(worker->comm, vector, vector, 3 * G, 2), -EDOM);
	/* Nothing of these is sent, on any rank. */
	expect(worker, allreduce_float(worker->comm, vector, vector, 3 * G, -1), -EINVAL);
	expect(worker, allreduce_float(worker->comm, vector, vector, 3 * G, NAN), -EINVAL);
	one_float(worker, 3 * G, 1);
}

static void bad_floats_are_told_to_all(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 2);
	cluster_run(&cluster, bad_values, NULL);
	CHECK_EQ(cluster.counters.blocks, 15);
}

static void bad_arguments(struct worker *worker)
{
	int32_t vector[2 * G] = { 0 };
	struct weir *comm = worker->comm;
	struct weir_request *request = (void *)vector;

	expect(worker, allreduce_int32(comm, vector, vector + 1, 2 * G - 1), -EINVAL);
	expect(worker, allreduce_int32(comm, vector + 1, vector, 2 * G - 1), -EINVAL);
	expect(worker, allreduce_int32(comm, NULL, vector, G), -EINVAL);
	expect(worker, allreduce_int32(comm, vector, NULL, G), -EINVAL);
	expect(worker, allreduce_int32(comm, (void *)((char *)vector + 1), vector + G, 1), -EINVAL);
	expect(worker, allreduce_int32(comm, vector, vector, SIZE_MAX / 2), -EINVAL);
	expect(worker, iallreduce_int32(comm, NULL, vector, G, &request), -EINVAL);
	CHECK(!request);
	expect(worker, allreduce_int32(comm, NULL, NULL, 0), 0);
	one_int32(worker, G, 1, false);
}

static void bad_arguments_are_refused(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 1);
	cluster_run(&cluster, bad_arguments, NULL);
	CHECK_EQ(cluster.counters.blocks, 1);
}

static void too_large(struct worker *worker)
{
	struct weir_info info = { .size = sizeof(info) };
	bool accepted = worker->cluster->options.flags & WEIR_ACCEPT_OVERFLOW;
	int32_t vector[3 * G] = { 0 };

	vector[G] = INT32_MAX;
	expect(worker, allreduce_int32(worker->comm, vector, vector, 3 * G),
	       accepted ? 0 : -EOVERFLOW);
	if (!accepted)
		CHECK(strstr(weir_error(worker->comm), "1 of 3 blocks"));
	CHECK_EQ(weir_get_info(worker->comm, &info), 0);
	CHECK_EQ(info.blocks, 3);
	CHECK_EQ(info.overflow_blocks, 1);
	CHECK_EQ(info.degraded_blocks, 0);
	CHECK_EQ(info.min_ranks, 2);
	CHECK_EQ(vector[G], -2);
	one_int32(worker, 5 * G, 1, false);
	weir_get_info(worker->comm, &info);
	CHECK_EQ(info.overflow_blocks, 0);
}

static void overflow_is_an_error(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 2);
	cluster_run(&cluster, too_large, NULL);
	CHECK_EQ(cluster.counters.overflows, 1);
}

static void overflow_can_be_accepted(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 2);
	cluster.options.flags = WEIR_ACCEPT_OVERFLOW;
	cluster_run(&cluster, too_large, NULL);
}

static void without_one(struct worker *worker)
{
	struct weir_info info = { .size = sizeof(info) };
	bool accepted = worker->cluster->options.flags & WEIR_ACCEPT_DEGRADED;
	int32_t vector[2 * G];

	for (unsigned int i = 0; i < 2 * G; i++)
		vector[i] = (int32_t)i;
	expect(worker, allreduce_int32(worker->comm, vector, vector, 2 * G),
	       accepted ? 0 : -ENODATA);
	weir_get_info(worker->comm, &info);
	CHECK_EQ(info.degraded_blocks, 2);
	CHECK_EQ(info.min_ranks, 3);
	for (unsigned int i = 0; i < 2 * G; i++)
		CHECK_EQ(vector[i], 3 * i);
}

static void degraded_is_an_error(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 4);
	cluster.box.quorum = 3;
	cluster_run(&cluster, without_one, NULL);
}

static void degraded_can_be_accepted(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 4);
	cluster.box.quorum = 3;
	cluster.options.flags = WEIR_ACCEPT_DEGRADED;
	cluster_run(&cluster, without_one, NULL);
}

/* Faults of the box. */

/* Opens rank 0 alone; returns the error, which must be told in these words. */
static int open_one(struct cluster *cluster, const char *words)
{
	struct weir_options options;
	struct weir *comm = (void *)cluster;
	char address[64];
	int err;

	cluster_worker_options(cluster, 0, address, &options);
	err = weir_open(&comm, &options);
	CHECK(!comm == !!err);
	if (words && !strstr(weir_error(NULL), words))
		ktap_complain(__FILE__, __LINE__, "\"%s\" does not say \"%s\"", weir_error(NULL),
			      words);
	weir_close(comm);
	return err;
}

static void wrong_ranks(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 4);
	cluster.options.ranks = 3;
	if (!cluster_start_box(&cluster))
		return;
	CHECK_EQ(open_one(&cluster, "has 4 sources, and rank 0 was told of 3 ranks: set ranks to 4"),
		 -EPROTO);
	cluster_stop_box(&cluster);
	CHECK(cluster.counters.misfits > 0);
}

static void wrong_grads(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 1);
	cluster.options.grads = G + 1;
	if (!cluster_start_box(&cluster))
		return;
	CHECK_EQ(open_one(&cluster, "takes 64 gradients a block, and grads is 65: set grads to 64"),
		 -EPROTO);
	cluster_stop_box(&cluster);
}

static void one_slot_is_too_few(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 1);
	cluster.box.blocks = 1;
	if (!cluster_start_box(&cluster))
		return;
	CHECK_EQ(open_one(&cluster, "has 1 block slots"), -EPROTO);
	cluster_stop_box(&cluster);
}

static void nobody_there(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 1);
	CHECK_EQ(open_one(&cluster, "'port unreachable' for UDP port 12000: no job 7 of format trio has this address"),
		 -ECONNREFUSED);
	if (!own_network)
		return;
	cluster.v6 = true;
	cluster.options.address = CLUSTER_BOX6;
	CHECK_EQ(open_one(&cluster, "'port unreachable'"), -ECONNREFUSED);
}

static void nobody_answers(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 2);
	cluster.options.ranks_timeout_ms = 2300;
	if (!cluster_start_box(&cluster))
		return;
	CHECK_EQ(open_one(&cluster, " It waits for rank 1. "), -ETIMEDOUT);
	cluster_stop_box(&cluster);
	CHECK(cluster.counters.joins > 1);
}

static void wait_for_ranks_is_cancelled(void)
{
	struct cluster cluster;
	int ends[2];

	cluster_init(&cluster, 2);
	if (!CHECK(!pipe(ends)) || !cluster_start_box(&cluster))
		return;
	cluster.options.flags |= WEIR_CANCEL;
	cluster.options.cancel_fd = ends[0];
	CHECK_EQ(write(ends[1], "x", 1), 1);
	CHECK_EQ(open_one(&cluster, "the wait for the other ranks was cancelled"), -ECANCELED);
	cluster_stop_box(&cluster);
	close(ends[0]);
	close(ends[1]);
}

static void one_stops(struct worker *worker)
{
	int32_t vector[2 * G] = { 0 };

	one_int32(worker, 10 * G, 0, false);
	if (worker->rank == 1)
		return;
	for (unsigned int i = 0; i < 2; i++) {
		/* The second time at once, in the same words. */
		expect(worker, allreduce_int32(worker->comm, vector, vector, 2 * G), -ETIMEDOUT);
		CHECK(strstr(weir_error(worker->comm), CLUSTER_BOX " answers, but block 10 of job 7 "
			     "is not complete, for "));
		CHECK(strstr(weir_error(worker->comm), " s: 1 of 2 ranks are in it, rank 0 too. "
			     "It lacks rank 1. "));
	}
}

static void a_rank_stops(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 2);
	cluster.options.ranks_timeout_ms = 3000;
	cluster_run(&cluster, one_stops, NULL);
}

static void the_box_goes(void)
{
	struct cluster cluster;
	struct worker *worker = &cluster.workers[0];
	struct weir_request *requests[2];
	struct weir_options options;
	int32_t vector[2 * G] = { 0 };
	char address[64];

	cluster_init(&cluster, 1);
	cluster.options.timeout_ms = 1500;
	*worker = (struct worker) { .cluster = &cluster };
	if (!cluster_start_box(&cluster))
		return;
	cluster_worker_options(&cluster, 0, address, &options);
	CHECK_EQ(weir_open(&worker->comm, &options), 0);
	one_int32(worker, 5 * G, 0, false);
	cluster_stop_box(&cluster);
	expect(worker, iallreduce_int32(worker->comm, vector, vector, G, &requests[0]), 0);
	expect(worker, weir_wait(&requests[0]), -ECONNREFUSED);
	CHECK(!requests[0]);
	CHECK(strstr(weir_error(worker->comm), "'port unreachable' for UDP port 12000, and rank 0 waits "
		     "for block 5 for "));
	expect(worker, iallreduce_int32(worker->comm, vector, vector, G, &requests[1]),
	       -ECONNREFUSED);
	CHECK(!requests[1]);
	weir_close(worker->comm);
}

/* The refusal of a burst's first packet comes before the second is sent. */
static void the_box_goes_before_a_burst(void)
{
	static int32_t vector[30 * G];
	struct weir_stats stats = { .size = sizeof(stats) };
	struct weir_request *request;
	struct weir_options options;
	struct cluster cluster;
	struct weir *comm;
	char address[64];

	cluster_init(&cluster, 1);
	/* More than there are: no block is ever answered. */
	cluster.box.quorum = 2;
	cluster.options.timeout_ms = 2000;
	if (!cluster_start_box(&cluster))
		return;
	cluster_worker_options(&cluster, 0, address, &options);
	CHECK_EQ(weir_open(&comm, &options), 0);
	CHECK_EQ(iallreduce_int32(comm, vector, vector, 30 * G, &request), 0);
	while (stats.timeouts < 2 && !weir_test(&request))
		weir_get_stats(comm, &stats);
	cluster_stop_box(&cluster);
	CHECK_EQ(weir_wait(&request), -ECONNREFUSED);
	weir_close(comm);
}

static void too_long_for_the_path(void)
{
	struct cluster cluster;

	if (!own_network) {
		ktap_skip("needs a network namespace");
		return;
	}
	cluster_init(&cluster, 1);
	cluster.options.type = WEIR_INT32;
	cluster.options.grads = 365;
	CHECK(!system("ip link set lo mtu 1500"));
	CHECK_EQ(open_one(&cluster, "carries 1500: set grads to 364 or less"), -EMSGSIZE);
	cluster.options.grads = 364;
	CHECK_EQ(open_one(&cluster, NULL), -ECONNREFUSED);
	cluster.v6 = true;
	cluster.options.address = CLUSTER_BOX6;
	CHECK_EQ(open_one(&cluster, "carries 1500: set grads to 359 or less"), -EMSGSIZE);
	/* More ranks have more to name. */
	cluster.options.ranks = 33;
	CHECK_EQ(open_one(&cluster, "carries 1500: set grads to 358 or less"), -EMSGSIZE);
	CHECK(!system("ip link set lo mtu 65536"));
}

static void narrow(struct worker *worker)
{
	int32_t vector[10 * 1000] = { 0 };

	one_int32(worker, 1000, 0, false);
	CHECK(!system("ip link set lo mtu 1500"));
	expect(worker, allreduce_int32(worker->comm, vector, vector, 10 * 1000), -EMSGSIZE);
	CHECK(strstr(weir_error(worker->comm), "set grads to 364 or less"));
	CHECK(!system("ip link set lo mtu 65536"));
}

static void path_becomes_narrow(void)
{
	struct cluster cluster;

	if (!own_network) {
		ktap_skip("needs a network namespace");
		return;
	}
	cluster_init(&cluster, 1);
	cluster.box.grads = 1000;
	cluster.options.grads = 1000;
	cluster_run(&cluster, narrow, NULL);
}

/* Addresses. */

static void ipv6(void)
{
	struct cluster cluster;

	if (!own_network) {
		ktap_skip("needs a network namespace");
		return;
	}
	cluster_init(&cluster, 4);
	cluster.v6 = true;
	cluster.box.address = cluster.options.address = CLUSTER_BOX6;
	cluster_run(&cluster, all_sizes, NULL);
}

static void run_group(bool v6)
{
	struct cluster cluster;

	if (!own_network) {
		ktap_skip("needs a network namespace");
		return;
	}
	cluster_init(&cluster, 4);
	cluster.v6 = v6;
	if (v6)
		cluster.box.address = cluster.options.address = CLUSTER_BOX6;
	cluster.box.group = v6 ? CLUSTER_GROUP6 : CLUSTER_GROUP;
	cluster.options.group = v6 ? CLUSTER_GROUP6 "%" CLUSTER_GROUP6_DEVICE : CLUSTER_GROUP;
	cluster.options.interface = v6 ? NULL : "lo";
	cluster.box.faults.loss = 0.01;
	cluster_run(&cluster, all_sizes, NULL);
	/* One copy of a result serves all. */
	CHECK_EQ(cluster.counters.results, cluster.counters.blocks + cluster.counters.repeats);
	CHECK(cluster.counters.repeats < cluster.counters.blocks);
}

static void multicast(void) { run_group(false); }
static void multicast_ipv6(void) { run_group(true); }

static void other_ports(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 2);
	cluster.box.port = 12345;
	cluster.options.port = 12345;
	cluster.options.bind_port = 23456;
	cluster_run(&cluster, few_blocks, NULL);
}

static void port_in_use(void)
{
	struct cluster cluster;
	struct weir_options options;
	struct weir *comm;
	char address[64];

	cluster_init(&cluster, 1);
	if (!cluster_start_box(&cluster))
		return;
	cluster_worker_options(&cluster, 0, address, &options);
	CHECK_EQ(weir_open(&comm, &options), 0);
	CHECK_EQ(open_one(&cluster, "UDP port 12000 of 127.77.1.1 is in use"), -EADDRINUSE);
	weir_close(comm);
	cluster_stop_box(&cluster);
}

static void wrong_options(void)
{
	static const struct {
		struct weir_options options;
		int err;
		const char *words;
	} cases[] = {
		{ { .size = 8 }, -EINVAL, "size is 8" },
		{ { .ranks = 1 }, -EINVAL, "address is missing" },
		{ { .ranks = 1, .address = "box" }, -EINVAL, "address is 'box'" },
		{ { .ranks = 1, .address = "239.0.0.1" }, -EINVAL, "is a multicast group" },
		{ { .address = CLUSTER_BOX }, -EINVAL, "ranks is 0: it must be 1 to 4096" },
		{ { .address = CLUSTER_BOX, .ranks = 4097 }, -EINVAL, "ranks is 4097" },
		{ { .address = CLUSTER_BOX, .rank = 256, .ranks = 257 }, -EINVAL,
		  "rank is 256, and a box has 256 sources" },
		{ { .address = CLUSTER_BOX, .ranks = 257, .source = 256, .flags = WEIR_SOURCE }, -EINVAL,
		  "source is 256" },
		{ { .address = CLUSTER_BOX, .ranks = 2, .rank = 2 }, -EINVAL, "it must be 0 to 1" },
		{ { .address = CLUSTER_BOX, .ranks = 2, .grads = 2049 }, -EINVAL, "grads is 2049" },
		{ { .address = CLUSTER_BOX, .ranks = 2, .reserved = 1 }, -EINVAL, "reserved" },
		{ { .address = CLUSTER_BOX, .ranks = 2, .flags = 0x4000 }, -EINVAL, "flags 0x4000" },
		{ { .address = CLUSTER_BOX, .ranks = 2, .bind_address = "::1" }, -EINVAL,
		  "different families" },
		{ { .address = CLUSTER_BOX, .ranks = 2, .bind_address = "192.0.2.77" },
		  -EADDRNOTAVAIL, "192.0.2.77 is not an address of this machine" },
		{ { .address = CLUSTER_BOX, .ranks = 2, .group = "10.0.0.1" }, -EINVAL,
		  "group 10.0.0.1 is not a multicast address" },
		{ { .address = CLUSTER_BOX, .ranks = 2, .group = "ff05::1" }, -EINVAL,
		  "different families" },
		{ { .address = CLUSTER_BOX, .ranks = 2, .interface = "nowhere0" }, -ENODEV,
		  "no interface 'nowhere0'" },
	};
	struct weir *comm;

	CHECK_EQ(weir_open(&comm, NULL), -EINVAL);
	for (unsigned int i = 0; i < ELEMENTS(cases); i++) {
		struct weir_options options = cases[i].options;

		if (!options.size)
			options.size = sizeof(options);
		CHECK_EQ(weir_open(&comm, &options), cases[i].err);
		CHECK(!comm);
		if (!strstr(weir_error(NULL), cases[i].words))
			ktap_complain(__FILE__, __LINE__, "\"%s\" does not say \"%s\"",
				      weir_error(NULL), cases[i].words);
	}
}

/* Callers that were made for another version of the library. */
static void other_versions(void)
{
	struct {
		struct weir_options options;
		uint64_t later;
	} longer = { .options = { .size = sizeof(longer), .address = "box", .ranks = 1 } };
	struct weir *comm;

	CHECK_EQ(weir_open(&comm, &longer.options), -EINVAL);
	CHECK(strstr(weir_error(NULL), "address is 'box'"));
	longer.later = 1;
	CHECK_EQ(weir_open(&comm, &longer.options), -E2BIG);
	CHECK(strstr(weir_error(NULL), weir_version()));
}

static void short_and_long(struct worker *worker)
{
	struct {
		struct weir_stats stats;
		uint64_t later;
	} longer = { .stats.size = sizeof(longer), .later = 77 };
	struct weir_stats shorter = { .size = 24, .retransmits = 77 };
	struct {
		struct weir_extra extra;
		uint64_t later;
	} more = { .extra.size = sizeof(more), .later = 0 };
	struct weir_info info = { .size = 0 };
	int32_t v = 1;

	one_int32(worker, G, 1, false);
	CHECK_EQ(weir_get_stats(worker->comm, &longer.stats), 0);
	CHECK_EQ(longer.later, 0);
	CHECK_EQ(longer.stats.size, sizeof(longer));
	CHECK_EQ(longer.stats.packets_sent, 1);
	CHECK_EQ(weir_get_stats(worker->comm, &shorter), 0);
	CHECK_EQ(shorter.size, 24);
	CHECK_EQ(shorter.packets_sent, 1);
	CHECK_EQ(shorter.retransmits, 77);
	CHECK_EQ(weir_get_info(worker->comm, &info), -EINVAL);
	expect(worker, weir_allreduce(worker->comm, &v, &v, 1, WEIR_INT32, WEIR_SUM, 0, &more.extra),
	       0);
	more.later = 1;
	expect(worker, weir_allreduce(worker->comm, &v, &v, 1, WEIR_INT32, WEIR_SUM, 0, &more.extra),
	       -E2BIG);
	more.extra.size = 8;
	expect(worker, weir_allreduce(worker->comm, &v, &v, 1, WEIR_INT32, WEIR_SUM, 0, &more.extra),
	       -EINVAL);
}

static void sized_structures(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 1);
	cluster_run(&cluster, short_and_long, NULL);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(ranks_1),
	KTAP_TEST(ranks_2),
	KTAP_TEST(ranks_4),
	KTAP_TEST(ranks_16),
	KTAP_TEST(ranks_256),
	KTAP_TEST(window_1),
	KTAP_TEST(window_is_clamped_to_the_box),
	KTAP_TEST(large_blocks),
	KTAP_TEST(blocks_of_one),
	KTAP_TEST(block_ids_wrap),
	KTAP_TEST(loss_1_percent),
	KTAP_TEST(loss_5_percent),
	KTAP_TEST(loss_30_percent),
	KTAP_TEST(duplicates),
	KTAP_TEST(reordering),
	KTAP_TEST(malformed_results),
	KTAP_TEST(all_faults),
	KTAP_TEST(deaf_box),
	KTAP_TEST(no_storm_while_waiting),
	KTAP_TEST(timer_learns_of_late_ranks),
	KTAP_TEST(answers_to_questions_are_quick),
	KTAP_TEST(answers_to_what_is_wanted_are_quick),
	KTAP_TEST(absence_is_no_stall),
	KTAP_TEST(event_loops),
	KTAP_TEST(requests_outstanding),
	KTAP_TEST(close_with_requests),
	KTAP_TEST(signals_interrupt),
	KTAP_TEST(reopen),
	KTAP_TEST(bad_floats_are_told_to_all),
	KTAP_TEST(bad_arguments_are_refused),
	KTAP_TEST(overflow_is_an_error),
	KTAP_TEST(overflow_can_be_accepted),
	KTAP_TEST(degraded_is_an_error),
	KTAP_TEST(degraded_can_be_accepted),
	KTAP_TEST(wrong_ranks),
	KTAP_TEST(wrong_grads),
	KTAP_TEST(one_slot_is_too_few),
	KTAP_TEST(nobody_there),
	KTAP_TEST(nobody_answers),
	KTAP_TEST(wait_for_ranks_is_cancelled),
	KTAP_TEST(a_rank_stops),
	KTAP_TEST(the_box_goes),
	KTAP_TEST(the_box_goes_before_a_burst),
	KTAP_TEST(too_long_for_the_path),
	KTAP_TEST(path_becomes_narrow),
	KTAP_TEST(ipv6),
	KTAP_TEST(multicast),
	KTAP_TEST(multicast_ipv6),
	KTAP_TEST(other_ports),
	KTAP_TEST(port_in_use),
	KTAP_TEST(wrong_options),
	KTAP_TEST(other_versions),
	KTAP_TEST(sized_structures),
};

const struct test_table comm_table = { tests, ELEMENTS(tests) };
