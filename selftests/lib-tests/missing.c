// SPDX-License-Identifier: GPL-2.0
/* Ranks that are late, or do not come, while the box answers. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "calls.h"
#include "cluster.h"
#include "tests.h"
#include "vectors.h"

#define G CLUSTER_GRADS
#define WORDS 512

/**
 * struct told - a rank was told of others that are missing
 * @times: how often
 * @missing: as of the last time
 * @sentence: the sentence of the last time
 */
struct told {
	atomic_uint times;
	struct weir_missing missing;
	char sentence[WORDS];
};

static void on_missing(void *context, const struct weir_missing *missing)
{
	struct told *told = context;

	told->missing = *missing;
	snprintf(told->sentence, sizeof(told->sentence), "%s", missing->sentence);
	atomic_fetch_add(&told->times, 1);
}

static void wait_for(atomic_uint *counter)
{
	while (!atomic_load(counter))
		usleep(1000);
}

/* The warning comes long after the time that a silent box has. */
static void be_patient(struct cluster *cluster, unsigned int ranks, struct told *told)
{
	cluster_init(cluster, ranks);
	cluster->options.timeout_ms = 500;
	cluster->options.ranks_warning_ms = 1600;
	cluster->options.on_missing = on_missing;
	cluster->options.on_missing_context = told;
}

static void check_told(const struct told *told, uint64_t ranks, uint64_t block)
{
	CHECK_EQ(told->times, 1);
	CHECK_EQ(told->missing.size, sizeof(told->missing));
	CHECK_EQ(told->missing.ranks[0], ranks);
	CHECK_EQ(told->missing.block, block);
	CHECK(told->missing.waited_ms >= 1600);
}

static void one_is_late(struct worker *worker)
{
	struct told *told = worker->data;

	one_int32(worker, 10 * G, 0, false);
	if (worker->rank == 1)
		wait_for(&told->times);
	one_int32(worker, 3 * G, 1, false);
}

/* Others wait for it, and are told once; one that is late itself is not. */
static void late_rank_is_waited_for(void)
{
	struct told told = { 0 };
	struct cluster cluster;

	be_patient(&cluster, 2, &told);
	cluster_run(&cluster, one_is_late, &told);
	check_told(&told, 1 << 1, 10);
	CHECK(strstr(told.sentence, "rank 0 of job 7 on 127.77.0.254 waits for rank 1 in block 10 for "));
	CHECK(strstr(told.sentence, ", and gives up after 20.0 s"));
}

/* With many blocks under way, no round passes without a reply or a question. */
static void one_is_late_for_a_loop(struct worker *worker)
{
	struct weir_poll wanted = { .size = sizeof(wanted) };
	struct pollfd socket = { .events = POLLIN };
	struct told *told = worker->data;
	int32_t vector[40 * G] = { 0 };
	struct weir_request *request;

	one_int32(worker, 10 * G, 0, false);
	if (worker->rank == 1)
		wait_for(&told->times);
	expect(worker, iallreduce_int32(worker->comm, vector, vector, 40 * G, &request), 0);
	while (!worker->rank && !atomic_load(&told->times)) {
		CHECK_EQ(weir_test(&request), 0);
		CHECK_EQ(weir_get_poll(worker->comm, &wanted), 0);
		socket.fd = wanted.fd;
		poll(&socket, 1, (int)(wanted.timeout_us / 1000 + 1));
	}
	expect(worker, weir_wait(&request), 0);
}

static void late_rank_is_told_to_an_event_loop(void)
{
	struct told told = { 0 };
	struct cluster cluster;

	be_patient(&cluster, 2, &told);
	cluster_run(&cluster, one_is_late_for_a_loop, &told);
	check_told(&told, 1 << 1, 10);
}

static void *open_rank_0(void *data)
{
	struct cluster *cluster = data;
	struct worker *worker = &cluster->workers[0];
	struct weir_options options;
	char address[64];

	cluster_worker_options(cluster, 0, address, &options);
	CHECK_EQ(weir_open(&worker->comm, &options), 0);
	return NULL;
}

static void late_joiner_is_waited_for(void)
{
	struct told told = { 0 };
	struct weir_options options;
	struct cluster cluster;
	struct weir *late;
	char address[64];
	pthread_t thread;

	be_patient(&cluster, 2, &told);
	if (!cluster_start_box(&cluster))
		return;
	CHECK(!pthread_create(&thread, NULL, open_rank_0, &cluster));
	wait_for(&told.times);
	cluster_worker_options(&cluster, 1, address, &options);
	CHECK_EQ(weir_open(&late, &options), 0);
	pthread_join(thread, NULL);
	check_told(&told, 1 << 1, UINT64_MAX);
	CHECK(strstr(told.sentence, " waits for rank 1 to join for "));
	weir_close(late);
	weir_close(cluster.workers[0].comm);
	cluster_stop_box(&cluster);
}

/* Several are missing, until rank 0 knows all of them. */
static void some_are_late(struct worker *worker)
{
	struct weir_members members = { .size = sizeof(members) };
	atomic_uint *known = worker->data;
	struct weir_request *request;
	int32_t vector[G] = { 0 };

	one_int32(worker, G, 0, false);
	CHECK_EQ(weir_get_members(worker->comm, &members), 0);
	CHECK_EQ(members.missing[0], 0);
	if (worker->rank == 3 || (worker->rank >= 5 && worker->rank <= 7))
		wait_for(known);
	expect(worker, iallreduce_int32(worker->comm, vector, vector, G, &request), 0);
	while (!worker->rank && members.missing[0] != (1 << 3 | 7 << 5)) {
		CHECK_EQ(weir_test(&request), 0);
		CHECK_EQ(weir_get_members(worker->comm, &members), 0);
	}
	if (!worker->rank)
		atomic_store(known, 1);
	expect(worker, weir_wait(&request), 0);
	CHECK_EQ(weir_get_members(worker->comm, &members), 0);
	CHECK_EQ(members.missing[0], 0);
}

static void members_that_are_missing(void)
{
	atomic_uint known = 0;
	struct cluster cluster;

	cluster_init(&cluster, 9);
	cluster_run(&cluster, some_are_late, &known);
}

/* Rank 0 waits for all others. */
static void only_one_comes(struct worker *worker)
{
	int32_t vector[G] = { 0 };

	one_int32(worker, G, 0, false);
	if (worker->rank == 0 || worker->rank == 2)
		expect(worker, allreduce_int32(worker->comm, vector, vector, G), -ETIMEDOUT);
	if (worker->rank == 0)
		CHECK(strstr(weir_error(worker->comm), "2 of 40 ranks are in it, rank 0 too. It lacks "
			     "ranks 1, 3-39. "));
}

static void error_names_ranks(void)
{
	struct told told = { 0 };
	struct cluster cluster;

	be_patient(&cluster, 40, &told);
	cluster.options.timeout_ms = 5000;
	cluster.options.ranks_timeout_ms = 3000;
	cluster.options.ranks_warning_ms = 60000;
	cluster_run(&cluster, only_one_comes, NULL);
	CHECK_EQ(told.times, 0);
}

/* A box that falls silent has the shorter time, although ranks are missing, too. */
static void then_the_box_goes(struct worker *worker)
{
	int32_t vector[G] = { 0 };
	struct told *told = worker->data;

	one_int32(worker, G, 0, false);
	if (worker->rank) {
		wait_for(&told->times);
		refbox_mute(worker->cluster->running);
		return;
	}
	expect(worker, allreduce_int32(worker->comm, vector, vector, G), -ETIMEDOUT);
	CHECK(strstr(weir_error(worker->comm), "nothing comes from 127.77.0.254"));
}

static void box_goes_while_ranks_are_missing(void)
{
	struct told told = { 0 };
	struct cluster cluster;

	be_patient(&cluster, 2, &told);
	cluster.options.timeout_ms = 4000;
	cluster.options.ranks_timeout_ms = 0;
	cluster_run(&cluster, then_the_box_goes, &told);
	CHECK_EQ(told.times, 1);
}

/* Run a cluster, and store in @said what it writes to the standard error meanwhile. */
static void run_heard(struct cluster *cluster, void (*work)(struct worker *), char said[WORDS])
{
	int file = memfd_create("stderr", MFD_CLOEXEC), kept = dup(STDERR_FILENO);

	dup2(file, STDERR_FILENO);
	cluster_run(cluster, work, NULL);
	dup2(kept, STDERR_FILENO);
	close(kept);
	memset(said, 0, WORDS);
	CHECK(pread(file, said, WORDS - 1, 0) >= 0);
	close(file);
}

static void one_stays_away(struct worker *worker)
{
	int32_t vector[G] = { 0 };

	if (!worker->rank)
		expect(worker, allreduce_int32(worker->comm, vector, vector, G), -ETIMEDOUT);
}

static void warning_is_written(void)
{
	struct cluster cluster;
	char said[WORDS];

	cluster_init(&cluster, 2);
	cluster.options.ranks_warning_ms = 2000;
	cluster.options.ranks_timeout_ms = 4000;
	run_heard(&cluster, one_stays_away, said);
	CHECK(strstr(said, "weir: rank 0 of job 7 on 127.77.0.254 waits for rank 1 in block 0 for "));
	CHECK(strchr(said, '\n') == said + strlen(said) - 1);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(late_rank_is_waited_for),
	KTAP_TEST(late_rank_is_told_to_an_event_loop),
	KTAP_TEST(late_joiner_is_waited_for),
	KTAP_TEST(members_that_are_missing),
	KTAP_TEST(error_names_ranks),
	KTAP_TEST(box_goes_while_ranks_are_missing),
	KTAP_TEST(warning_is_written),
};

const struct test_table missing_table = { tests, sizeof(tests) / sizeof(tests[0]) };
