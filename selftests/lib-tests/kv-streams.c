// SPDX-License-Identifier: GPL-2.0
/* Mappers and a reducer, over paths that lose, double and reorder packets. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kv-relay.h"
#include "kv-served.h"
#include "libweir.h"
#include "tests.h"

#define PORT	12064
#define RELAYS	13000
#define MAPPERS	3
#define KEYS	1500
#define PAIRS	20000

/**
 * struct mapper - one of them
 * @options: of its stream
 * @pairs: how many it puts
 * @restarts: how often its run was void
 * @pause_at: when so many pairs are put, it waits once for @go
 * @paused: posted then
 * @opened: posted when its stream is open
 * @err: what ended it
 */
struct mapper {
	struct weir_kv_options options;
	unsigned int pairs;
	unsigned int restarts;
	unsigned int pause_at;
	sem_t paused;
	sem_t go;
	sem_t opened;
	int err;
	pthread_t thread;
};

/**
 * struct job - mappers, and what they are to bring together
 * @reducer: which a thread of its own waits in
 * @wanted: what is to become of each key
 * @brought: and what has
 */
struct job {
	struct weir_stream *reducer;
	pthread_t thread;
	struct mapper mapper[MAPPERS];
	struct relay relay[MAPPERS];
	double wanted[KEYS];
	double brought[KEYS];
};

/* The same pairs each time: small keys come often. */
static unsigned int key_of(unsigned int mapper, unsigned int pair)
{
	unsigned int mixed = (pair + 1) * 2654435761u ^ (mapper + 7) * 40503u;

	mixed ^= mixed >> 15;
	return mixed % (mixed >> 16 & 1 ? 20 : KEYS);
}

static double value_of(unsigned int mapper, unsigned int pair)
{
	return (double)((pair * 31 + mapper) % 201) - 100;
}

static size_t name(char text[16], unsigned int key)
{
	return (size_t)snprintf(text, 16, "key %u", key);
}

static void pause_once(struct mapper *mapper, unsigned int pair)
{
	if (!mapper->pause_at || pair != mapper->pause_at)
		return;
	mapper->pause_at = 0;
	sem_post(&mapper->paused);
	sem_wait(&mapper->go);
}

static int put_all(struct weir_stream *stream, struct mapper *mapper)
{
	char text[16];
	int err = 0;

	for (unsigned int i = 0; !err && i < mapper->pairs; i++) {
		unsigned int source = mapper->options.source;
		size_t length = name(text, key_of(source, i));

		pause_once(mapper, i);
		err = weir_kv_put(stream, text, length, value_of(source, i));
		if (!err && i == mapper->pairs / 2)
			err = weir_kv_collect(stream);
	}
	return err ?: weir_kv_finish(stream);
}

static void *map(void *data)
{
	struct mapper *mapper = data;
	struct weir_stream *stream;
	int err = weir_kv_open(&stream, &mapper->options);

	sem_post(&mapper->opened);
	if (!err)
		err = put_all(stream, mapper);
	while (err == -ERESTART) {
		mapper->restarts++;
		err = weir_kv_restart(stream) ?: put_all(stream, mapper);
	}
	mapper->err = err;
	if (err)
		ktap_complain(__FILE__, __LINE__, "mapper: %s", weir_kv_error(stream));
	weir_kv_close(stream);
	return NULL;
}

static void want(struct job *job, enum weir_operation operation)
{
	bool known[KEYS] = { false };

	for (unsigned int m = 0; m < MAPPERS; m++) {
		for (unsigned int i = 0; i < job->mapper[m].pairs; i++) {
			double *wanted = &job->wanted[key_of(m, i)];
			double value = value_of(m, i);

			if (!known[key_of(m, i)])
				*wanted = value;
			else if (operation == WEIR_SUM)
				*wanted += value;
			else if (operation == WEIR_MIN ? value < *wanted : value > *wanted)
				*wanted = value;
			known[key_of(m, i)] = true;
		}
	}
}

static void *reduce(void *data)
{
	CHECK_EQ(weir_kv_wait(data), 0);
	return NULL;
}

/* @paths: by relays that do to packets what this says; NULL: straight. */
static struct job *begin(const struct weir_kv_options *options, const struct faults_options *paths)
{
	struct job *job = calloc(1, sizeof(*job));
	struct weir_kv_options reducer = {
		.size = sizeof(reducer), .address = "127.0.0.1", .sources = MAPPERS,
		.type = options->type, .operation = options->operation, .job = 7,
	};

	CHECK_EQ(weir_kv_listen(&job->reducer, &reducer), 0);
	CHECK(!pthread_create(&job->thread, NULL, reduce, job->reducer));
	for (uint16_t i = 0; i < MAPPERS; i++) {
		struct mapper *mapper = &job->mapper[i];

		mapper->options = *options;
		mapper->options.size = sizeof(mapper->options);
		mapper->options.address = "127.0.0.1";
		mapper->options.job = 7;
		mapper->options.source = i;
		mapper->pairs = PAIRS;
		sem_init(&mapper->paused, 0, 0);
		sem_init(&mapper->go, 0, 0);
		sem_init(&mapper->opened, 0, 0);
		if (paths) {
			mapper->options.port = RELAYS + i;
			relay_start(&job->relay[i], RELAYS + i, PORT, paths);
		}
	}
	want(job, options->operation ?: WEIR_SUM);
	return job;
}

static void start(struct mapper *mapper)
{
	CHECK(!pthread_create(&mapper->thread, NULL, map, mapper));
}

static void take_result(struct job *job, bool integers)
{
	struct weir_kv_pair pair = { .size = sizeof(pair) };
	unsigned int key;
	char text[80];

	while (weir_kv_next(job->reducer, &pair) == 1) {
		snprintf(text, sizeof(text), "%.*s", (int)pair.length, (const char *)pair.key);
		if (CHECK(sscanf(text, "key %u", &key) == 1 && key < KEYS))
			job->brought[key] += integers ? (double)pair.integer : pair.real;
	}
}

static struct weir_kv_stats stats_of(const struct weir_stream *stream)
{
	struct weir_kv_stats stats = { .size = sizeof(stats) };

	CHECK_EQ(weir_kv_get_stats(stream, &stats), 0);
	return stats;
}

static void end(struct job *job, bool relays)
{
	for (unsigned int i = 0; i < MAPPERS; i++) {
		if (job->mapper[i].thread)
			pthread_join(job->mapper[i].thread, NULL);
		CHECK_EQ(job->mapper[i].err, 0);
		if (relays)
			relay_stop(&job->relay[i]);
	}
	weir_kv_close(job->reducer);
	free(job);
}

static void check_result(struct job *job, bool integers)
{
	pthread_join(job->thread, NULL);
	take_result(job, integers);
	for (unsigned int i = 0; i < KEYS; i++)
		CHECK_EQ(job->brought[i], job->wanted[i]);
}

static void run(const struct weir_kv_options *options, const struct faults_options *paths)
{
	struct job *job;

	if (!own_network) {
		ktap_skip("no network namespace");
		return;
	}
	job = begin(options, paths);
	for (unsigned int i = 0; i < MAPPERS; i++)
		start(&job->mapper[i]);
	check_result(job, options->type != WEIR_FLOAT32);
	CHECK_EQ(stats_of(job->reducer).voids, 0);
	end(job, paths);
}

static void run_at(double loss)
{
	const struct weir_kv_options options = { .size = sizeof(options) };
	const struct faults_options paths = {
		.seed = 11, .loss = loss, .duplicate = 0.05, .reorder = 0.1,
	};

	run(&options, &paths);
}

static void straight(void)
{
	const struct weir_kv_options options = { .size = sizeof(options) };

	run(&options, NULL);
}

static void reordered(void)
{
	run_at(0);
}

static void one_percent_lost(void)
{
	run_at(0.01);
}

static void ten_percent_lost(void)
{
	run_at(0.1);
}

static void twenty_percent_lost(void)
{
	run_at(0.2);
}

static void floats(void)
{
	const struct weir_kv_options options = { .type = WEIR_FLOAT32 };

	run(&options, NULL);
}

static void the_least(void)
{
	const struct weir_kv_options options = { .operation = WEIR_MIN };

	run(&options, NULL);
}

static void the_greatest(void)
{
	const struct weir_kv_options options = {
		.operation = WEIR_MAX, .type = WEIR_FLOAT32, .local_keys = 100,
	};

	run(&options, NULL);
}

/* Fewer pairs go, and the sums are the same. */
static void reduced_at_the_mapper(void)
{
	const struct weir_kv_options options = { .local_keys = KEYS };
	struct job *job;

	if (!own_network) {
		ktap_skip("no network namespace");
		return;
	}
	job = begin(&options, NULL);
	for (unsigned int i = 0; i < MAPPERS; i++)
		start(&job->mapper[i]);
	check_result(job, true);
	/* All keys at the collection in the middle, and again at the end. */
	CHECK(stats_of(job->reducer).pairs <= MAPPERS * 2 * KEYS);
	end(job, false);
}

/* One that breaks off is followed by another one, and its pairs count once. */
static void begun_anew(void)
{
	const struct weir_kv_options options = { .size = sizeof(options) };
	struct weir_stream *broken;
	struct job *job;

	if (!own_network) {
		ktap_skip("no network namespace");
		return;
	}
	job = begin(&options, NULL);
	CHECK_EQ(weir_kv_open(&broken, &job->mapper[0].options), 0);
	for (unsigned int i = 0; i < PAIRS / 2; i++)
		CHECK_EQ(weir_kv_put(broken, "key 1", 5, 1000), 0);
	weir_kv_close(broken);
	job->mapper[1].pause_at = PAIRS / 2;
	start(&job->mapper[1]);
	sem_wait(&job->mapper[1].paused);
	/* Takes the place when the first one has been silent for long enough. */
	start(&job->mapper[0]);
	sem_wait(&job->mapper[0].opened);
	start(&job->mapper[2]);
	sem_post(&job->mapper[1].go);
	check_result(job, true);
	CHECK_EQ(stats_of(job->reducer).voids, 1);
	CHECK_EQ(job->mapper[1].restarts, 1);
	end(job, false);
}

/* Sums are right where they leave int32, at both ends. */
static void sums_beyond_int32(void)
{
	const struct weir_kv_options options = {
		.size = sizeof(options), .address = "::1", .local_keys = 10,
	};
	const struct weir_kv_options reducer = { .size = sizeof(reducer), .sources = 1 };
	struct weir_kv_pair pair = { .size = sizeof(pair) };
	struct weir_stream *from, *to;
	pthread_t thread;

	if (!own_network) {
		ktap_skip("no network namespace");
		return;
	}
	CHECK_EQ(weir_kv_listen(&to, &reducer), 0);
	CHECK(!pthread_create(&thread, NULL, reduce, to));
	CHECK_EQ(weir_kv_open(&from, &options), 0);
	for (int i = 0; i < 3; i++) {
		CHECK_EQ(weir_kv_put(from, "high", 4, INT32_MAX), 0);
		CHECK_EQ(weir_kv_put(from, "low", 3, INT32_MIN), 0);
	}
	CHECK_EQ(weir_kv_finish(from), 0);
	pthread_join(thread, NULL);
	while (weir_kv_next(to, &pair) == 1)
		CHECK_EQ(pair.integer, 3 * (pair.length == 4 ? (int64_t)INT32_MAX : INT32_MIN));
	CHECK_EQ(stats_of(to).keys, 2);
	weir_kv_close(from);
	weir_kv_close(to);
}

/* A box that answers is no reducer: a mapper gives up where the box says that it hears of none. */
static void behind_a_silent_reducer(void)
{
	const struct weir_kv_options options = {
		.size = sizeof(options), .address = "127.0.0.1", .port = RELAYS, .timeout_ms = 2000,
	};
	const struct weir_kv_options reducer = { .size = sizeof(reducer), .sources = 2 };
	const struct faults_options none = { .seed = 1 };
	struct weir_stream *from;
	struct served served;
	struct relay relay;

	if (!own_network) {
		ktap_skip("no network namespace");
		return;
	}
	if (!served_start(&served, &reducer) || !relay_start(&relay, RELAYS, PORT, &none))
		return;
	CHECK_EQ(weir_kv_open(&from, &options), 0);
	atomic_store(&relay.silent, true);
	CHECK_EQ(weir_kv_put(from, "a", 1, 1), 0);
	CHECK_EQ(weir_kv_finish(from), -ETIMEDOUT);
	CHECK(strstr(weir_kv_error(from), "hears nothing of the reducer of job 0"));
	CHECK(stats_of(from).packets_received > 2);
	served_stop(&served);
	/* Nothing has failed in it, and its mappers have never all ended: it would say so for good. */
	CHECK_EQ(weir_kv_progress(served.reducer), -EAGAIN);
	relay_stop(&relay);
	weir_kv_close(from);
	served_close(&served);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(straight),
	KTAP_TEST(reordered),
	KTAP_TEST(one_percent_lost),
	KTAP_TEST(ten_percent_lost),
	KTAP_TEST(twenty_percent_lost),
	KTAP_TEST(floats),
	KTAP_TEST(the_least),
	KTAP_TEST(the_greatest),
	KTAP_TEST(reduced_at_the_mapper),
	KTAP_TEST(begun_anew),
	KTAP_TEST(sums_beyond_int32),
	KTAP_TEST(behind_a_silent_reducer),
};

const struct test_table kv_streams_table = { tests, sizeof(tests) / sizeof(tests[0]) };
