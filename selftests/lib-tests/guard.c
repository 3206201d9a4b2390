// SPDX-License-Identifier: GPL-2.0
/* Calls of other threads and processes, which would change the sums of all ranks. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"
#include "cluster.h"
/* From the library's inside: whether a call is. */
#include "comm/comm.h"
#include "tests.h"
#include "vectors.h"

#define G CLUSTER_GRADS

/**
 * struct visit - another thread, while rank 0 waits for rank 1
 * @comm: rank 0's
 * @request: which it waits for
 * @was_refused: the other thread's calls were
 */
struct visit {
	struct weir *comm;
	struct weir_request *request;
	atomic_bool was_refused;
};

static void *call_meanwhile(void *data)
{
	struct weir_poll poll = { .size = sizeof(poll) };
	struct visit *visit = data;
	int32_t vector[G] = { 0 };
	struct weir_request *mine;

	/* Rank 0 stays inside until rank 1 comes. */
	while (!atomic_load(&visit->comm->guard.inside))
		usleep(1000);
	CHECK_EQ(weir_behind(visit->comm), -EBUSY);
	CHECK_EQ(allreduce_int32(visit->comm, vector, vector, G), -EBUSY);
	CHECK_EQ(iallreduce_int32(visit->comm, vector, vector, G, &mine), -EBUSY);
	CHECK(!mine);
	mine = visit->request;
	CHECK_EQ(weir_test(&mine), -EBUSY);
	CHECK_EQ(weir_wait(&mine), -EBUSY);
	CHECK(mine == visit->request);
	CHECK_EQ(weir_get_poll(visit->comm, &poll), -EBUSY);
	CHECK(strstr(weir_error(visit->comm), "a call of another thread is inside"));
	atomic_store(&visit->was_refused, true);
	return NULL;
}

static void visited(struct worker *worker)
{
	struct visit *visit = worker->data;
	int32_t in[3 * G], out[3 * G];
	struct weir_request *request;
	pthread_t thread;

	vector_fill(in, 3 * G, worker->rank, 0);
	while (worker->rank && !atomic_load(&visit->was_refused))
		usleep(1000);
	expect(worker, iallreduce_int32(worker->comm, in, out, 3 * G, &request), 0);
	if (!worker->rank) {
		visit->comm = worker->comm;
		visit->request = request;
		CHECK(!pthread_create(&thread, NULL, call_meanwhile, visit));
	}
	expect(worker, weir_wait(&request), 0);
	CHECK_EQ(vector_wrong(out, 3 * G, 2, 0), 0);
	CHECK(!strcmp(weir_error(worker->comm), ""));
	if (!worker->rank)
		pthread_join(thread, NULL);
}

static void another_thread_is_refused(void)
{
	struct visit visit = { 0 };
	struct cluster cluster;

	cluster_init(&cluster, 2);
	cluster_run(&cluster, visited, &visit);
}

static void call_back(void *context, const struct weir_block_info *block)
{
	struct worker *worker = context;

	CHECK_EQ(block->ranks, 1);
	CHECK_EQ(weir_behind(worker->comm), -EBUSY);
	CHECK(strstr(weir_error(worker->comm), "the caller is one of its callbacks"));
}

static void callback_is_refused(void)
{
	struct worker worker = { 0 };
	struct weir_options options;
	struct cluster cluster;
	char address[64];

	cluster_init(&cluster, 1);
	worker.cluster = &cluster;
	if (!cluster_start_box(&cluster))
		return;
	cluster_worker_options(&cluster, 0, address, &options);
	options.on_block = call_back;
	options.on_block_context = &worker;
	CHECK_EQ(weir_open(&worker.comm, &options), 0);
	one_int32(&worker, 2 * G, 0, false);
	weir_close(worker.comm);
	cluster_stop_box(&cluster);
}

/* Use a communicator of the parent in a child. Return 0 if each call is refused as it must be. */
static int use_in_child(struct weir *comm, struct weir_request *request)
{
	struct weir_poll poll = { .size = sizeof(poll) };
	int32_t vector[G] = { 0 };
	struct weir_request *mine, *its = request;
	bool refused;

	refused = allreduce_int32(comm, vector, vector, G) == -ECHILD &&
		  iallreduce_int32(comm, vector, vector, G, &mine) == -ECHILD && !mine &&
		  weir_test(&its) == -ECHILD && weir_wait(&its) == -ECHILD && its == request &&
		  weir_behind(comm) == -ECHILD && weir_get_poll(comm, &poll) == -ECHILD &&
		  strstr(weir_error(comm), "is of the parent process");
	weir_close(comm);
	return !refused;
}

static void forked(struct worker *worker)
{
	int32_t in[40 * G], out[40 * G];
	struct weir_request *request;
	int status = -1;
	pid_t child;

	one_int32(worker, 5 * G, 0, false);
	vector_fill(in, 40 * G, worker->rank, 1);
	expect(worker, iallreduce_int32(worker->comm, in, out, 40 * G, &request), 0);
	child = fork();
	if (!child)
		_exit(use_in_child(worker->comm, request));
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	expect(worker, weir_wait(&request), 0);
	CHECK_EQ(vector_wrong(out, 40 * G, 2, 1), 0);
	one_int32(worker, 5 * G, 2, false);
}

static void child_is_refused(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 2);
	cluster_run(&cluster, forked, NULL);
	CHECK_EQ(cluster.counters.blocks, 50);
}

/* A child opens its own, and that is its. */
static void child_has_its_own(void)
{
	struct weir_options options;
	struct cluster cluster;
	struct worker worker;
	int status = -1;
	char address[64];
	pid_t child;

	cluster_init(&cluster, 1);
	if (!cluster_start_box(&cluster))
		return;
	cluster_worker_options(&cluster, 0, address, &options);
	child = fork();
	if (!child) {
		worker = (struct worker) { .cluster = &cluster };
		if (CHECK(!weir_open(&worker.comm, &options)))
			one_int32(&worker, 5 * G, 0, false);
		_exit(ktap_failed());
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	cluster_stop_box(&cluster);
	CHECK_EQ(cluster.counters.blocks, 5);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(another_thread_is_refused),
	KTAP_TEST(callback_is_refused),
	KTAP_TEST(child_is_refused),
	KTAP_TEST(child_has_its_own),
};

const struct test_table guard_table = { tests, sizeof(tests) / sizeof(tests[0]) };
