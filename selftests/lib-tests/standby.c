// SPDX-License-Identifier: GPL-2.0
/* The library and several boxes that have its job. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"
#include "cluster.h"
/* From the library's inside: the limit of back-off. */
#include "comm/comm.h"
#include "ktap.h"
#include "tests.h"
#include "vectors.h"

#define SECOND_BOX	"127.77.0.253"
#define NO_BOX		"127.77.0.252"
#define FAILOVER_MS	300
#define RANKS		3
#define COUNT		(150 * CLUSTER_GRADS + 5)

/* The job's two boxes; the workers are the first cluster's. */
static struct cluster first, second;
static atomic_uint harmed;

static void two_boxes_of(unsigned int ranks)
{
	cluster_init(&first, ranks);
	cluster_init(&second, ranks);
	second.box.address = SECOND_BOX;
	first.options.address = CLUSTER_BOX "," SECOND_BOX;
	first.options.failover_ms = FAILOVER_MS;
	atomic_store(&harmed, 0);
}

static void two_boxes(void) { two_boxes_of(RANKS); }

static uint64_t moves(const struct cluster *cluster)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < cluster->options.ranks; i++)
		sum += cluster->workers[i].stats.moves;
	return sum;
}

/*
 * Rounds until rank 0 wants no more, which its last element says to all. In the middle of the
 * first one rank 0 does its harm. Without a @wait of its own a plan has weir_wait().
 */
struct plan {
	void (*harm)(void);
	bool (*is_enough)(const struct worker *worker, unsigned int round);
	int (*wait)(struct worker *worker, struct weir_request **request);
};

static bool one_round(struct worker *worker, unsigned int round, int32_t *vector)
{
	const struct plan *plan = worker->data;
	struct weir_request *request;
	bool last = !worker->rank && plan->is_enough(worker, round);

	vector_fill(vector, COUNT, worker->rank, round);
	vector[COUNT] = last;
	if (!expect(worker, iallreduce_int32(worker->comm, vector, vector, COUNT + 1, &request), 0))
		return false;
	if (!worker->rank && !round && plan->harm) {
		while (refbox_read(first.running).blocks < 40 && weir_test(&request) == 0)
			;
		plan->harm();
	}
	if (!expect(worker, plan->wait ? plan->wait(worker, &request) : weir_wait(&request), 0))
		return false;
	CHECK_EQ(vector_wrong(vector, COUNT, first.options.ranks, round), 0);
	return !vector[COUNT];
}

static void rounds(struct worker *worker)
{
	int32_t *vector = malloc(sizeof(*vector) * (COUNT + 1));

	for (unsigned int round = 0; one_round(worker, round, vector); round++)
		;
	free(vector);
}

static bool after_four(const struct worker *worker, unsigned int round)
{
	(void)worker;
	return round == 3;
}

static void mute_first(void) { refbox_mute(first.running); }

/* Contributions that the silent box has taken with it are summed at the other, once. */
static void box_dies(void)
{
	struct plan plan = { .harm = mute_first, .is_enough = after_four };

	two_boxes();
	if (!cluster_start_box(&second))
		return;
	cluster_run(&first, rounds, &plan);
	cluster_stop_box(&second);
	CHECK(second.counters.blocks > 0);
	CHECK_EQ(cluster_malformed(&first), 0);
	CHECK(moves(&first) >= RANKS);
}

static void box_dies_and_links_lose(void)
{
	struct plan plan = { .harm = mute_first, .is_enough = after_four };

	two_boxes();
	first.box.faults = (struct faults_options) { .seed = 3, .loss = 0.05 };
	second.box.faults = (struct faults_options) { .seed = 4, .loss = 0.05 };
	if (!cluster_start_box(&second))
		return;
	cluster_run(&first, rounds, &plan);
	cluster_stop_box(&second);
	CHECK(second.counters.blocks > 0);
}

/* All find the second one by themselves. */
static void first_box_was_never_there(void)
{
	struct plan plan = { .is_enough = after_four };

	two_boxes();
	first.options.address = NO_BOX "," CLUSTER_BOX;
	cluster_run(&first, rounds, &plan);
	CHECK(first.counters.blocks > 0);
}

static void *worker_that_cannot_reach_it(void *data)
{
	struct worker *worker = data;
	struct weir_options options;
	char address[64];

	cluster_worker_options(worker->cluster, worker->rank, address, &options);
	if (worker->rank == 1)
		options.address = NO_BOX "," SECOND_BOX;
	if (!expect(worker, weir_open(&worker->comm, &options), 0))
		return NULL;
	rounds(worker);
	weir_close(worker->comm);
	return NULL;
}

/* For one rank the first box is not there: the others, which it answers, come to the second. */
static void run_apart(unsigned int ranks, struct plan *plan)
{
	pthread_t threads[REFBOX_SOURCES];

	two_boxes_of(ranks);
	if (!cluster_start_box(&first) || !cluster_start_box(&second))
		return;
	for (unsigned int i = 0; i < ranks; i++) {
		first.workers[i] = (struct worker) { .cluster = &first, .rank = i, .data = plan };
		CHECK(!pthread_create(&threads[i], NULL, worker_that_cannot_reach_it,
				      &first.workers[i]));
	}
	for (unsigned int i = 0; i < ranks; i++)
		pthread_join(threads[i], NULL);
	cluster_stop_box(&first);
	cluster_stop_box(&second);
	CHECK_EQ(first.counters.blocks, 0);
	CHECK(second.counters.blocks > 0);
}

static void one_rank_reaches_the_second_alone(void)
{
	struct plan plan = { .is_enough = after_four };

	run_apart(RANKS, &plan);
}

static uint64_t moves_of(struct weir *comm)
{
	struct weir_stats stats = { .size = sizeof(stats) };

	CHECK_EQ(weir_get_stats(comm, &stats), 0);
	return stats.moves;
}

static bool has_moved_thrice(const struct worker *worker, unsigned int round)
{
	(void)round;
	return moves_of(worker->comm) >= 3;
}

/* Rank 0 finds the first box alive, waits there for the one that does not come, and is back. */
static void rank_0_goes_back_in_vain(void)
{
	struct plan plan = { .is_enough = has_moved_thrice };

	run_apart(RANKS, &plan);
}

/* Two ranks follow rank 0 when it goes back, one of them so much later. */
#define LATE_MS		(3 * FAILOVER_MS)
#define EARLIER		2
#define LATER		3

#define QUESTIONS	24

#define ASK_SECONDS	60

static atomic_uint moved[4];
static atomic_bool stayed;

/*
 * The one that is home asks the first box, which still counts the later one, and stays. It comes home
 * by its third move; after another, for a box that the machine kept from answering, it may not.
 */
static void come_home_late(void)
{
	time_t end = time(NULL) + ASK_SECONDS;
	uint64_t from = refbox_read(first.running).joins;

	while (time(NULL) < end &&
	       (atomic_load(&moved[EARLIER]) < 3 ||
		(atomic_load(&moved[EARLIER]) == 3 &&
		 refbox_read(first.running).joins < from + QUESTIONS)))
		usleep(1000);
	atomic_store(&stayed, atomic_load(&moved[EARLIER]) == 3);
}

/* It follows when rank 0 has been waiting for a while. Returns whether @step is done. */
static bool is_late(unsigned int step)
{
	const struct timespec late = { .tv_nsec = LATE_MS * 1000000L };

	if (step == 0 && atomic_load(&moved[0]) == 2) {
		nanosleep(&late, NULL);
		return true;
	}
	if (step == 1 && atomic_load(&moved[LATER]) == 3) {
		come_home_late();
		return true;
	}
	return false;
}

static int wait_one_by_one(struct worker *worker, struct weir_request **request)
{
	unsigned int step = 0;
	int done;

	while (!(done = weir_test(request))) {
		cluster_wait_for_news(worker);
		atomic_store(&moved[worker->rank], moves_of(worker->comm));
		if (worker->rank == LATER)
			step += is_late(step);
	}
	return done < 0 ? done : 0;
}

static void followers_come_home_one_by_one(void)
{
	struct plan plan = { .is_enough = has_moved_thrice, .wait = wait_one_by_one };

	atomic_store(&stayed, false);
	for (unsigned int tries = 0; tries < 3 && !atomic_load(&stayed); tries++) {
		for (unsigned int i = 0; i < 4; i++)
			atomic_store(&moved[i], 0);
		run_apart(4, &plan);
	}
	CHECK(atomic_load(&stayed));
}

static bool second_has_blocks(const struct worker *worker, unsigned int round)
{
	(void)worker;
	(void)round;
	return refbox_read(second.running).blocks > 0;
}

/* The box before it has come up in the middle of the work. */
static bool second_works(const struct worker *worker, unsigned int round)
{
	if (round == 2) {
		CHECK(cluster_start_box(&second));
		atomic_store(&harmed, 1);
	}
	return atomic_load(&harmed) && second_has_blocks(worker, round);
}

static void ranks_go_back(void)
{
	struct plan plan = { .is_enough = second_works };

	two_boxes();
	first.options.address = SECOND_BOX "," CLUSTER_BOX;
	cluster_run(&first, rounds, &plan);
	if (atomic_load(&harmed))
		cluster_stop_box(&second);
	CHECK(first.counters.blocks > 0);
	CHECK(second.counters.blocks > 0);
}

/* Until it has asked the box before its own so often that it would be there, or has gone to it. */
static bool asks(struct worker *worker, struct weir_request **request, uint64_t moves)
{
	uint64_t from = refbox_read(second.running).joins;
	int done = 0;

	while (!done && refbox_read(second.running).joins < from + QUESTIONS &&
	       moves_of(worker->comm) == moves) {
		usleep(1000);
		done = weir_test(request);
	}
	return !done;
}

/* Rank 0 has sent all of a call, and the others begin it late. */
static void one_late_round(struct worker *worker)
{
	int32_t *vector = malloc(sizeof(*vector) * CLUSTER_GRADS);
	struct weir_request *request = NULL;
	uint64_t moves = moves_of(worker->comm);

	vector_fill(vector, CLUSTER_GRADS, worker->rank, 0);
	while (worker->rank && !atomic_load(&harmed))
		usleep(1000);
	if (expect(worker, iallreduce_int32(worker->comm, vector, vector, CLUSTER_GRADS, &request), 0) &&
	    !worker->rank) {
		CHECK(cluster_start_box(&second));
		CHECK(asks(worker, &request, moves));
		CHECK_EQ(moves_of(worker->comm), moves);
		atomic_store(&harmed, 1);
	}
	CHECK_EQ(weir_wait(&request), 0);
	free(vector);
}

/* Packets that rank 0 has sent complete the others' blocks, so that these would not miss rank 0. */
static void late_round_and_rounds(struct worker *worker)
{
	one_late_round(worker);
	rounds(worker);
}

static void rank_0_leaves_no_result_behind(void)
{
	struct plan plan = { .is_enough = second_has_blocks };

	two_boxes();
	first.options.address = SECOND_BOX "," CLUSTER_BOX;
	cluster_run(&first, late_round_and_rounds, &plan);
	cluster_stop_box(&second);
	CHECK(second.counters.blocks > 0);
}

static void reload_first(void) { refbox_reload(first.running); }

/* It knows the job, and the ranks join it again: at the same one. */
static void box_loses_its_state(void)
{
	struct plan plan = { .harm = reload_first, .is_enough = after_four };

	two_boxes();
	first.options.failover_ms = 10000;
	if (!cluster_start_box(&second))
		return;
	cluster_run(&first, rounds, &plan);
	cluster_stop_box(&second);
	CHECK_EQ(second.counters.blocks, 0);
	CHECK_EQ(moves(&first), 0);
}

/* Rank 0 does not get the last result, and then hears nothing until it has left the box. */
static void last_result_is_lost(struct worker *worker)
{
	int32_t vector[CLUSTER_GRADS];
	struct weir_request *request;

	vector_fill(vector, CLUSTER_GRADS, worker->rank, 0);
	if (!expect(worker, iallreduce_int32(worker->comm, vector, vector, CLUSTER_GRADS, &request), 0))
		return;
	if (!worker->rank) {
		while (!refbox_read(first.running).blocks)
			usleep(100);
		refbox_mute(first.running);
		while (!moves_of(worker->comm) && weir_test(&request) == 0)
			;
		refbox_unmute(first.running);
	}
	if (expect(worker, weir_wait(&request), 0))
		CHECK_EQ(vector_wrong(vector, CLUSTER_GRADS, RANKS, 0), 0);
}

static void rank_is_left_alone(const char *boxes)
{
	first.options.address = boxes;
	first.options.timeout_ms = 20000;
	first.box.faults = (struct faults_options) { .mute = 1 };
	cluster_run(&first, last_result_is_lost, NULL);
	CHECK_EQ(first.counters.blocks, 1);
	CHECK(first.workers[0].stats.moves >= 2);
}

/* It has nobody to join with at the second box: its result waits at the first. */
static void rank_alone_goes_home(void)
{
	two_boxes();
	if (!cluster_start_box(&second))
		return;
	rank_is_left_alone(CLUSTER_BOX "," SECOND_BOX);
	cluster_stop_box(&second);
	CHECK_EQ(second.counters.blocks, 0);
}

static void rank_alone_goes_home_from_nowhere(void)
{
	two_boxes();
	rank_is_left_alone(CLUSTER_BOX "," NO_BOX);
}

static void has_patience(struct worker *worker)
{
	const uint64_t *expected = worker->data;

	CHECK_EQ(worker->comm->recovery.rtt.patience, *expected);
}

/* As many probe timeouts as make a box silent come within the failover time, however often they were doubled. */
static void back_off_ends_within_the_failover_time(void)
{
	const uint64_t quarter = FAILOVER_MS * NSEC_PER_MSEC / 4, none = 0;

	two_boxes_of(1);
	cluster_run(&first, has_patience, (void *)&quarter);
	first.options.address = CLUSTER_BOX;
	cluster_run(&first, has_patience, (void *)&none);
}

static void no_box_is_left(void)
{
	struct weir_options options;
	char address[64];
	struct weir *comm;

	two_boxes();
	first.options.timeout_ms = 600;
	cluster_worker_options(&first, 0, address, &options);
	CHECK_EQ(weir_open(&comm, &options), -ETIMEDOUT);
	CHECK(strstr(weir_error(NULL), "did not answer"));
	options.failover_ms = 100;
	CHECK_EQ(weir_open(&comm, &options), -EINVAL);
}

static void lists_that_are_none(void)
{
	static const struct {
		const char *list, *says;
	} cases[] = {
		{ "127.0.0.1,127.0.0.1", "names box 127.0.0.1 twice" },
		{ "127.0.0.1,", "address is ''" },
		{ ",127.0.0.1", "address is ''" },
		{ "127.0.0.1,fd77::fe", "different families" },
		{ "127.0.0.1,239.0.0.1", "multicast" },
		{ "10.0.0.1,10.0.0.2,10.0.0.3,10.0.0.4,10.0.0.5,10.0.0.6,10.0.0.7,10.0.0.8,10.0.0.9,"
		  "10.0.1.1,10.0.1.2,10.0.1.3,10.0.1.4,10.0.1.5,10.0.1.6,10.0.1.7,10.0.1.8",
		  "more than 16 boxes" },
	};
	struct weir *comm;

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cluster_init(&first, 2);
		first.options.address = cases[i].list;
		CHECK_EQ(weir_open(&comm, &first.options), -EINVAL);
		if (!CHECK(strstr(weir_error(NULL), cases[i].says)))
			ktap_complain(__FILE__, __LINE__, "%s: %s", cases[i].list, weir_error(NULL));
	}
}

static const struct ktap_test tests[] = {
	KTAP_TEST(box_dies),
	KTAP_TEST(box_dies_and_links_lose),
	KTAP_TEST(first_box_was_never_there),
	KTAP_TEST(one_rank_reaches_the_second_alone),
	KTAP_TEST(rank_0_goes_back_in_vain),
	KTAP_TEST(followers_come_home_one_by_one),
	KTAP_TEST(ranks_go_back),
	KTAP_TEST(rank_0_leaves_no_result_behind),
	KTAP_TEST(box_loses_its_state),
	KTAP_TEST(rank_alone_goes_home),
	KTAP_TEST(rank_alone_goes_home_from_nowhere),
	KTAP_TEST(back_off_ends_within_the_failover_time),
	KTAP_TEST(no_box_is_left),
	KTAP_TEST(lists_that_are_none),
};

const struct test_table standby_table = { tests, sizeof(tests) / sizeof(tests[0]) };
