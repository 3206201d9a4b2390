// SPDX-License-Identifier: GPL-2.0
/* Acknowledgments, results that come before a rank calls for them, and ranks that fall behind. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"
#include "cluster.h"
#include "ktap.h"
#include "tests.h"
#include "vectors.h"

#define ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))
#define G CLUSTER_GRADS

#define PATIENCE_MS 20000

/* A quarter of the largest window: an acknowledgment takes so many results at least. */
#define QUARTER (CLUSTER_BLOCKS / 8)

static struct weir_stats stats_of(struct worker *worker)
{
	struct weir_stats stats = { .size = sizeof(stats) };

	CHECK_EQ(weir_get_stats(worker->comm, &stats), 0);
	return stats;
}

/* Acknowledgments. */

#define LONG (10 * QUARTER)
#define SHORT 100

static void call_long_and_short(struct worker *worker)
{
	uint64_t before;

	one_int32(worker, LONG * G, 0, false);
	before = stats_of(worker).acks;
	CHECK(before >= 1);
	/* One at the end, and one each quarter of a window at most. */
	CHECK(before <= LONG / QUARTER + 1);
	for (unsigned int i = 0; i < SHORT; i++)
		one_int32(worker, G, i, true);
	/* Each may be repeated, with the next contribution. */
	CHECK(stats_of(worker).acks - before <= 2 * (SHORT / QUARTER + 1));
}

static void run_acks(bool merge, unsigned int window)
{
	struct cluster cluster;

	cluster_init(&cluster, 2);
	cluster.box.acks = true;
	cluster.box.merge = merge;
	cluster.options.window = window;
	if (!merge)
		cluster.options.flags = WEIR_UNMERGED;
	cluster_run(&cluster, call_long_and_short, NULL);
	CHECK_EQ(cluster.counters.acks, cluster.workers[0].stats.acks + cluster.workers[1].stats.acks);
	CHECK(cluster.counters.final_acks >= 2);
	CHECK_EQ(cluster.counters.refused, 0);
	CHECK_EQ(cluster.counters.queries, cluster_queries(&cluster));
	CHECK_EQ(cluster.counters.blocks, LONG + SHORT);
}

static void acks(void) { run_acks(false, 0); }
static void acks_go_along(void) { run_acks(true, 0); }
static void acks_of_a_small_window(void) { run_acks(true, 4); }

static void no_acks(struct worker *worker)
{
	one_int32(worker, LONG * G, 0, false);
	CHECK_EQ(stats_of(worker).acks, 0);
}

static void box_without_acks(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 2);
	cluster_run(&cluster, no_acks, NULL);
	CHECK_EQ(cluster.counters.refused, 0);
}

/* Results that come before the call. */

#define COUNT (20 * G + 7)
#define BLOCKS 21

/**
 * struct meeting - where ranks wait for each other outside of the library
 * @ready: all of them
 * @rounds: calls
 */
struct meeting {
	pthread_barrier_t ready;
	unsigned int rounds;
};

static void run_meeting(struct cluster *cluster, void (*work)(struct worker *worker),
			unsigned int rounds)
{
	struct meeting meeting = { .rounds = rounds };

	pthread_barrier_init(&meeting.ready, NULL, cluster->options.ranks);
	cluster_run(cluster, work, &meeting);
	pthread_barrier_destroy(&meeting.ready);
}

static void meet(struct worker *worker)
{
	struct meeting *meeting = worker->data;

	pthread_barrier_wait(&meeting->ready);
}

/* Rank 2 is not waited for, and receives between calls. */
static void early_cluster(struct cluster *cluster)
{
	cluster_init(cluster, 3);
	cluster->box.quorum = 2;
	cluster->box.acks = true;
	cluster->options.flags = WEIR_ACCEPT_DEGRADED | WEIR_PROGRESS;
}

/* Not more than a window, which the socket has room for, so that none is lost. */
static void wait_for_early(struct worker *worker, uint64_t results)
{
	unsigned int left = PATIENCE_MS;

	while (stats_of(worker).early < results && !ktap_failed() && left--)
		usleep(1000);
	CHECK(stats_of(worker).early >= results);
}

/* The sum of the others, and all of this rank's elements in the residual. */
static void call_late(struct worker *worker, unsigned int round)
{
	struct weir_info info = { .size = sizeof(info) };
	int32_t *in = malloc(4 * COUNT), *out = malloc(4 * COUNT), *residual = malloc(4 * COUNT);
	size_t bad = 0;

	vector_fill(in, COUNT, worker->rank, round);
	memset(residual, 0x5a, 4 * COUNT);
	expect(worker, allreduce_int32_residual(worker->comm, in, out, residual, COUNT), 0);
	CHECK_EQ(vector_wrong(out, COUNT, 2, round), 0);
	for (size_t i = 0; i < COUNT; i++)
		bad += residual[i] != in[i];
	CHECK_EQ(bad, 0);
	weir_get_info(worker->comm, &info);
	CHECK_EQ(info.missed_blocks, BLOCKS);
	CHECK_EQ(info.degraded_blocks, BLOCKS);
	CHECK_EQ(info.min_ranks, 2);
	free(in);
	free(out);
	free(residual);
}

static void call_in_time(struct worker *worker, unsigned int round)
{
	int32_t *in = malloc(4 * COUNT);

	vector_fill(in, COUNT, worker->rank, round);
	expect(worker, allreduce_int32(worker->comm, in, in, COUNT), 0);
	CHECK_EQ(vector_wrong(in, COUNT, 2, round), 0);
	free(in);
}

/* All results are there: a call sends nothing, and the last one reports that the rank has caught up. */
static void come_late(struct worker *worker)
{
	const struct meeting *meeting = worker->data;
	struct weir_stats before, after;

	if (worker->rank != 2) {
		for (unsigned int round = 0; round < meeting->rounds; round++)
			call_in_time(worker, round);
		meet(worker);
		meet(worker);
		return;
	}
	wait_for_early(worker, (uint64_t)meeting->rounds * BLOCKS);
	meet(worker);
	before = stats_of(worker);
	for (unsigned int round = 0; round < meeting->rounds; round++) {
		call_late(worker, round);
		after = stats_of(worker);
		CHECK_EQ(after.packets_sent, 0);
		CHECK_EQ(after.kept, (round + 1) * BLOCKS);
		CHECK_EQ(after.acks - before.acks, round + 1 == meeting->rounds);
	}
	meet(worker);
}

static void early_results(void)
{
	struct cluster cluster;

	early_cluster(&cluster);
	run_meeting(&cluster, come_late, 3);
	CHECK_EQ(cluster.counters.contributions, 2 * 3 * BLOCKS);
	CHECK_EQ(cluster.counters.blocks, 3 * BLOCKS);
}

/* Without the acknowledgments of rank 2 the others would wait for it in the box's second lap. */
static void nobody_waits(struct worker *worker)
{
	const struct meeting *meeting = worker->data;

	if (worker->rank == 2)
		meet(worker);
	for (unsigned int round = 0; round < meeting->rounds; round++) {
		if (worker->rank == 2)
			call_late(worker, round);
		else
			call_in_time(worker, round);
	}
	if (worker->rank != 2)
		meet(worker);
}

#define MANY (6 * CLUSTER_BLOCKS / BLOCKS)

static void others_go_on(void)
{
	struct cluster cluster;

	early_cluster(&cluster);
	run_meeting(&cluster, nobody_waits, MANY);
	CHECK(cluster.workers[2].stats.kept > 0);
	CHECK_EQ(cluster.counters.blocks, MANY * BLOCKS);
}

/* Results that are lost are asked for before the box may evict them. */
static void others_go_on_with_loss(void)
{
	struct cluster cluster;

	early_cluster(&cluster);
	cluster.box.faults = (struct faults_options) { .seed = 7, .loss = 0.1 };
	run_meeting(&cluster, nobody_waits, MANY);
	CHECK(cluster.workers[2].stats.kept > 0);
	CHECK_EQ(cluster.counters.blocks, MANY * BLOCKS);
}

/*
 * A result is lost, and so are answers to questions about it. The others soon need its memory:
 * nothing comes that would make rank 2 ask again, but the time.
 */
static void lose_one(struct worker *worker)
{
	const struct meeting *meeting = worker->data;

	if (!worker->rank)
		refbox_lose(worker->cluster->running, 2, 10, 6);
	meet(worker);
	if (worker->rank == 2)
		meet(worker);
	for (unsigned int round = 0; round < meeting->rounds; round++) {
		if (worker->rank == 2)
			call_late(worker, round);
		else
			call_in_time(worker, round);
	}
	if (worker->rank != 2)
		meet(worker);
}

static void lost_result_is_asked_for_again(void)
{
	struct cluster cluster;

	early_cluster(&cluster);
	run_meeting(&cluster, lose_one, MANY);
	CHECK_EQ(cluster.counters.blocks, MANY * BLOCKS);
}

/* A rank that follows is not to be waited for; one that contributes again is. */
static void follow_and_return(struct worker *worker)
{
	int32_t vector[5 * G] = { 0 };

	if (worker->rank == 2)
		meet(worker);
	for (unsigned int i = 0; i < 3; i++)
		expect(worker, worker->rank == 2 ? follow_int32(worker->comm, vector, 5 * G) :
		       allreduce_int32(worker->comm, vector, vector, 5 * G), 0);
	if (worker->rank != 2)
		meet(worker);
	else
		CHECK_EQ(stats_of(worker).acks, 0);
	meet(worker);
	expect(worker, allreduce_int32(worker->comm, vector, vector, G), 0);
	if (worker->rank == 2)
		CHECK(stats_of(worker).acks > 0);
	/* Two have to contribute: the box has read what rank 2 sent before. */
	meet(worker);
	expect(worker, worker->rank == 1 ? follow_int32(worker->comm, vector, G) :
	       allreduce_int32(worker->comm, vector, vector, G), 0);
}

static void followers_are_not_awaited(void)
{
	struct cluster cluster;

	early_cluster(&cluster);
	cluster.box.merge = true;
	run_meeting(&cluster, follow_and_return, 3);
	CHECK(cluster.counters.final_acks > 0);
}

/* Beyond the limit they are asked for, which the box has as long as it is not needed. */
static void limited(struct worker *worker)
{
	if (worker->rank != 2) {
		call_in_time(worker, 0);
		meet(worker);
		return;
	}
	wait_for_early(worker, BLOCKS);
	meet(worker);
	call_late(worker, 0);
}

static void run_limited(uint64_t bytes, uint64_t kept)
{
	struct cluster cluster;

	early_cluster(&cluster);
	cluster.options.early_bytes = bytes;
	run_meeting(&cluster, limited, 1);
	CHECK_EQ(cluster.workers[2].stats.kept, kept);
}

static void early_limit(void)
{
	run_limited(1, 0);
	/* A packet, with its exponent and the bitmap of contributors, takes 276 bytes, rounded up to 280. */
	run_limited(5 * 280, 5);
}

/* Exponents are agreed on by blocks before: results are of use in their order alone. */
static void floats_come_late(struct worker *worker)
{
	enum { N = 100 * G };
	float *in = malloc(4 * N), *out = malloc(4 * N), *residual = malloc(4 * N);
	size_t bad = 0;

	for (unsigned int i = 0; i < N; i++)
		in[i] = (float)(i % 1000) * (float)(1 << (i / G % 20));
	if (worker->rank == 2) {
		wait_for_early(worker, 101);
		meet(worker);
	}
	expect(worker, allreduce_float_residual(worker->comm, in, out, residual, N, 0), 0);
	for (unsigned int i = 0; i < N; i++)
		bad += out[i] != 2 * in[i] || residual[i] != (worker->rank == 2 ? in[i] : 0);
	CHECK_EQ(bad, 0);
	if (worker->rank != 2)
		meet(worker);
	else
		CHECK_EQ(stats_of(worker).kept, 101);
	free(in);
	free(out);
	free(residual);
}

static void early_floats(void)
{
	struct cluster cluster;

	early_cluster(&cluster);
	run_meeting(&cluster, floats_come_late, 1);
}

/* A result that was kept is checked as any other. */
static void call_for_else(struct worker *worker)
{
	int32_t vector[5 * G] = { 0 };

	if (worker->rank == 2) {
		wait_for_early(worker, 4);
		meet(worker);
		expect(worker, allreduce_int32(worker->comm, vector, vector, 5 * G), -EBADMSG);
		return;
	}
	expect(worker, allreduce_int32(worker->comm, vector, vector, 4 * G), 0);
	meet(worker);
}

static void early_results_of_another_call(void)
{
	struct cluster cluster;

	early_cluster(&cluster);
	run_meeting(&cluster, call_for_else, 1);
}

/*
 * The box loses its state: the slow rank has the results of all blocks before, and joins again when it
 * comes to the next one.
 */
static void reloaded(struct worker *worker)
{
	const struct meeting *meeting = worker->data;
	unsigned int half = meeting->rounds / 2;
	int32_t *vector = malloc(4 * COUNT);

	if (worker->rank == 2)
		wait_for_early(worker, (uint64_t)half * BLOCKS);
	for (unsigned int round = 0; round < half; round++) {
		if (worker->rank == 2)
			call_late(worker, round);
		else
			call_in_time(worker, round);
	}
	meet(worker);
	if (!worker->rank)
		refbox_reload(worker->cluster->running);
	meet(worker);
	for (unsigned int round = half; round < meeting->rounds; round++) {
		vector_fill(vector, COUNT, worker->rank, round);
		expect(worker, allreduce_int32(worker->comm, vector, vector, COUNT), 0);
	}
	free(vector);
}

static void box_is_set_up_again(void)
{
	struct cluster cluster;

	early_cluster(&cluster);
	cluster.box.merge = true;
	run_meeting(&cluster, reloaded, 10);
	CHECK(cluster.workers[2].stats.kept > 0);
}

/* Ranks that fall behind. */

/* Calls after the one that rank 2 stops at; they take the box's slots many times. */
#define CALLS 60

/* Results that rank 2 keeps in some tests. */
#define KEPT 50

/**
 * struct away - a rank that is stopped, and comes back
 * @meeting: of all
 * @other: the box of a second tree
 * @position: of rank 0, of the first call,
 * @newest: and of a later one
 * @wanted: rank 2 wants @newest
 * @given: it is there
 * @resumed: rank 2 is there, too
 * @has: a rank has the result of a call,
 * @out: namely this
 */
struct away {
	struct meeting meeting;
	struct refbox *other;
	struct weir_position position;
	struct weir_position newest;
	atomic_bool wanted;
	atomic_bool given;
	atomic_bool resumed;
	bool has[3][CALLS];
	int32_t out[3][CALLS][COUNT];
};

/* The box waits for ranks unless it is told that it has gone on without one. */
static void away_cluster(struct cluster *cluster)
{
	cluster_init(cluster, 3);
	cluster->box.acks = true;
	cluster->box.evict = true;
	cluster->box.merge = true;
	cluster->options.flags = WEIR_ACCEPT_DEGRADED;
}

static void give_position(struct worker *worker, struct away *away)
{
	if (!atomic_load(&away->wanted) || atomic_load(&away->given))
		return;
	expect(worker, weir_position(worker->comm, &away->newest), 0);
	atomic_store(&away->given, true);
}

/* Keep the result for a comparison. */
static unsigned int call_any(struct worker *worker, unsigned int round)
{
	struct weir_info info = { .size = sizeof(info) };
	struct away *away = worker->data;
	int32_t *in = malloc(4 * COUNT);

	vector_fill(in, COUNT, worker->rank, round);
	if (expect(worker, allreduce_int32(worker->comm, in, away->out[worker->rank][round], COUNT), 0))
		away->has[worker->rank][round] = true;
	weir_get_info(worker->comm, &info);
	free(in);
	return info.min_ranks;
}

/*
 * The others go on; a few calls before the end rank 0 waits until rank 2 has come back. It tells its
 * position there: before, the box might evict results behind it by the time that rank 2 calls.
 */
static void go_on(struct worker *worker, struct away *away)
{
	for (unsigned int round = 1; round < CALLS; round++) {
		if (round == CALLS / 2)
			meet(worker);
		while (!worker->rank && round == CALLS - 5 && !atomic_load(&away->resumed) &&
		       !ktap_failed()) {
			give_position(worker, away);
			usleep(1000);
		}
		call_any(worker, round);
	}
}

/* All that are under way fail alike. */
static void fail_requests(struct worker *worker)
{
	static int32_t vectors[3][COUNT];
	struct weir_request *requests[3];
	int begun[3];

	/* The box may have answered the first one when the next one begins. */
	for (unsigned int i = 0; i < 3; i++)
		begun[i] = iallreduce_int32(worker->comm, vectors[i], vectors[i], COUNT, &requests[i]);
	expect(worker, begun[0], 0);
	for (unsigned int i = 0; i < 3; i++) {
		expect(worker, begun[i] ?: weir_wait(&requests[i]), -ESTALE);
		CHECK(!requests[i]);
		CHECK(strstr(weir_error(worker->comm), " has fallen behind: it is at block "));
		CHECK(strstr(weir_error(worker->comm), "has results from block "));
	}
}

/* The results that were kept come first. */
static void fail_later(struct worker *worker)
{
	static int32_t vector[COUNT];
	uint64_t notices = stats_of(worker).notices;
	unsigned int calls = 0, left = PATIENCE_MS / 10;
	int err;

	/* It asks for the first one that it did not keep, but no longer if the box had it at first. */
	while (stats_of(worker).notices == notices && !ktap_failed() && left--) {
		CHECK(weir_behind(worker->comm) > 0);
		usleep(1000);
	}
	while (!(err = allreduce_int32(worker->comm, vector, vector, COUNT)))
		calls++;
	expect(worker, err, -ESTALE);
	CHECK_EQ(calls, KEPT / BLOCKS);
	CHECK(strstr(weir_error(worker->comm), " has fallen behind: it is at block "));
}

static void fall_behind(struct worker *worker)
{
	struct weir_position position = { .size = sizeof(position) };
	struct weir_request *request;
	int32_t vector[G] = { 0 };

	if (worker->cluster->options.early_bytes > 1)
		fail_later(worker);
	else
		fail_requests(worker);
	expect(worker, allreduce_int32(worker->comm, vector, vector, G), -ESTALE);
	expect(worker, iallreduce_int32(worker->comm, vector, vector, G, &request), -ESTALE);
	CHECK(!request);
	CHECK_EQ(weir_behind(worker->comm), -ESTALE);
	CHECK_EQ(weir_position(worker->comm, &position), -ESTALE);
	CHECK_EQ(stats_of(worker).behind, 1);
}

static void come_back(struct worker *worker, struct away *away)
{
	struct weir_position other = away->position;
	uint64_t before = stats_of(worker).acks;
	unsigned int ranks = 0;

	expect(worker, weir_resume(worker->comm, &away->position), -ESTALE);
	CHECK(strstr(weir_error(worker->comm), "take one of a rank that is further"));
	other.job++;
	expect(worker, weir_resume(worker->comm, &other), -EINVAL);
	other.size--;
	expect(worker, weir_resume(worker->comm, &other), -EINVAL);
	expect(worker, allreduce_int32(worker->comm, NULL, NULL, 0), -ESTALE);
	atomic_store(&away->wanted, true);
	while (!atomic_load(&away->given) && !ktap_failed())
		usleep(1000);
	expect(worker, weir_resume(worker->comm, &away->newest), 0);
	atomic_store(&away->resumed, true);
	CHECK(stats_of(worker).acks > before);
	CHECK_EQ(stats_of(worker).behind, 0);
	for (unsigned int round = (unsigned int)away->newest.sequence; round < CALLS; round++)
		ranks = call_any(worker, round);
	/* The box waits for it again. What others sent before may have been complete without it. */
	CHECK_EQ(ranks, 3);
}

static void stop_and_resume(struct worker *worker)
{
	struct away *away = worker->data;

	call_any(worker, 0);
	if (!worker->rank)
		expect(worker, weir_position(worker->comm, &away->position), 0);
	meet(worker);
	if (!worker->rank) {
		refbox_overtake(worker->cluster->running, 2);
		if (away->other)
			refbox_overtake(away->other, 2);
	}
	if (worker->rank != 2) {
		go_on(worker, away);
		return;
	}
	meet(worker);
	fall_behind(worker);
	come_back(worker, away);
}

/* Whoever is in it, all that have a result have the same. */
static void check_results(const struct away *away)
{
	unsigned int compared = 0;

	for (unsigned int rank = 1; rank < 3; rank++)
		for (unsigned int round = 0; round < CALLS; round++) {
			if (!away->has[rank][round])
				continue;
			CHECK(!memcmp(away->out[rank][round], away->out[0][round],
				      sizeof(away->out[0][round])));
			compared++;
		}
	/* Rank 2 has those of the first call and of the last ones. */
	CHECK(compared >= CALLS + 2);
}

static void run_away(struct cluster *cluster, struct refbox *other)
{
	struct away *away = calloc(1, sizeof(*away));

	away->other = other;
	away->position.size = away->newest.size = sizeof(away->newest);
	pthread_barrier_init(&away->meeting.ready, NULL, cluster->options.ranks);
	cluster_run(cluster, stop_and_resume, away);
	pthread_barrier_destroy(&away->meeting.ready);
	check_results(away);
	free(away);
}

/* @early_bytes of 1 keep nothing. */
static void run_stopped(uint32_t flags, uint64_t early_bytes)
{
	struct cluster cluster;

	away_cluster(&cluster);
	cluster.options.flags |= flags;
	cluster.options.early_bytes = early_bytes;
	run_away(&cluster, NULL);
	CHECK(cluster.counters.behind > 0);
	CHECK_EQ(cluster.counters.blocks, CALLS * BLOCKS);
}

static void stopped_rank_resumes(void) { run_stopped(0, 1); }
static void full_memory_is_no_reason_to_wait(void) { run_stopped(WEIR_PROGRESS, 1); }

/*
 * The rank learns that a result is gone before it calls for it, as it asks for what it could not keep:
 * it acknowledges what comes after it, and the box does not answer the call again.
 */
static void results_are_gone_before_the_call(void) { run_stopped(WEIR_PROGRESS, KEPT * 280); }

/* A rank that lacks a block of one tree has fallen behind on all. */
static void run_trees(uint32_t flags)
{
	static const char *const boxes[] = { "127.77.0.240", "127.77.0.241" };
	struct cluster trees[2];

	for (unsigned int i = 0; i < 2; i++) {
		away_cluster(&trees[i]);
		trees[i].box.address = boxes[i];
		trees[i].box.job = (uint8_t)(CLUSTER_JOB + i);
	}
	trees[0].options.address = "127.77.0.240,127.77.0.241";
	trees[0].options.trees = 2;
	trees[0].options.failover_ms = 10000;
	trees[0].options.flags |= flags;
	trees[0].options.early_bytes = 1;
	if (!cluster_start_box(&trees[1]))
		return;
	run_away(&trees[0], trees[1].running);
	cluster_stop_box(&trees[1]);
	CHECK(trees[0].counters.behind + trees[1].counters.behind > 0);
	/* One tells of the trees. */
	CHECK_EQ(trees[0].counters.blocks + trees[1].counters.blocks, CALLS * BLOCKS + 1);
}

static void stopped_rank_resumes_on_trees(void) { run_trees(0); }
static void stopped_rank_resumes_on_driven_trees(void) { run_trees(WEIR_PROGRESS); }

static const struct ktap_test tests[] = {
	KTAP_TEST(acks),
	KTAP_TEST(acks_go_along),
	KTAP_TEST(acks_of_a_small_window),
	KTAP_TEST(box_without_acks),
	KTAP_TEST(early_results),
	KTAP_TEST(others_go_on),
	KTAP_TEST(others_go_on_with_loss),
	KTAP_TEST(lost_result_is_asked_for_again),
	KTAP_TEST(followers_are_not_awaited),
	KTAP_TEST(early_limit),
	KTAP_TEST(early_floats),
	KTAP_TEST(early_results_of_another_call),
	KTAP_TEST(box_is_set_up_again),
	KTAP_TEST(stopped_rank_resumes),
	KTAP_TEST(full_memory_is_no_reason_to_wait),
	KTAP_TEST(results_are_gone_before_the_call),
	KTAP_TEST(stopped_rank_resumes_on_trees),
	KTAP_TEST(stopped_rank_resumes_on_driven_trees),
};

const struct test_table behind_table = { tests, ELEMENTS(tests) };
