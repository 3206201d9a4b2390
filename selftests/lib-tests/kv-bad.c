// SPDX-License-Identifier: GPL-2.0
/* Packets that no mapper should send, and callers that ask for what there is not. */
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/time.h"
#include "flow/rtt.h"
#include "kv/wire.h"
#include "kv-served.h"
#include "libweir.h"
#include "tests.h"

#define PORT 12064

/**
 * struct bench - a reducer, and a socket that says to it what the tests want
 * @reducer: it
 * @fd: the socket, connected to the reducer
 * @header: of what is sent next
 * @answer: the last
 */
struct bench {
	struct weir_stream *reducer;
	int fd;
	struct kv_header header;
	struct kv_header answer;
};

static int talker(void)
{
	const struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons(PORT),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	CHECK(!connect(fd, (const struct sockaddr *)&to, sizeof(to)));
	return fd;
}

static struct weir_kv_stats stats_of(const struct weir_stream *stream)
{
	struct weir_kv_stats stats = { .size = sizeof(stats) };

	CHECK_EQ(weir_kv_get_stats(stream, &stats), 0);
	return stats;
}

/* Sends header and pairs, and has the reducer look at them. True: it has answered. */
static bool say(struct bench *bench, const void *pairs, size_t length)
{
	uint8_t packet[KV_PACKET_MAX + 1] = { 0 };
	ssize_t got;

	kv_header_write(packet, &bench->header);
	if (length)
		memcpy(packet + KV_HEADER, pairs, length);
	CHECK_EQ(send(bench->fd, packet, KV_HEADER + length, 0), KV_HEADER + length);
	weir_kv_progress(bench->reducer);
	got = recv(bench->fd, packet, sizeof(packet), MSG_DONTWAIT);
	return got > 0 && CHECK_EQ(got, KV_HEADER) &&
	       kv_header_read(&bench->answer, packet, (size_t)got);
}

/* By its two steps. Returns the status in the second answer. */
static enum weir_kv_status open_session(struct bench *bench, uint32_t instance, uint32_t follows)
{
	const struct kv_header usual = bench->header;

	bench->header.flags = WEIR_KV_CPA | WEIR_KV_OPEN;
	bench->header.session = instance;
	bench->header.seq = follows;
	bench->header.more = 0;
	if (CHECK(say(bench, NULL, 0)) && bench->answer.pairs == WEIR_KV_STATUS_COOKIE) {
		bench->header.more = bench->answer.more;
		CHECK(say(bench, NULL, 0));
	}
	bench->header = usual;
	if (bench->answer.pairs == WEIR_KV_STATUS_OPENED)
		bench->header.session = bench->answer.seq;
	return bench->answer.pairs;
}

static bool set_up(struct bench *bench, uint16_t sources)
{
	const struct weir_kv_options options = {
		.size = sizeof(options), .address = "127.0.0.1", .sources = sources, .job = 7,
	};

	if (!own_network) {
		ktap_skip("no network namespace");
		return false;
	}
	*bench = (struct bench) {
		.header = {
			.kind = WEIR_KV_UP, .flags = WEIR_KV_CPA | WEIR_KV_PACKED,
			.op = WEIR_SUM, .dtype = WEIR_INT32, .job = 7,
		},
	};
	if (!CHECK_EQ(weir_kv_listen(&bench->reducer, &options), 0))
		return false;
	bench->fd = talker();
	return CHECK_EQ(open_session(bench, 99, 0), WEIR_KV_STATUS_OPENED) &&
	       CHECK(bench->answer.window);
}

static void clear_away(struct bench *bench)
{
	close(bench->fd);
	weir_kv_close(bench->reducer);
}

/* A pair that nothing is wrong with. */
#define GOOD "\1a\0\0\0\1"

/* A packet that is wrong in one thing is counted so, and nothing of it is taken. */
#define CHECK_BAD(bench, reason, bytes, size) do { \
	uint64_t before = stats_of((bench)->reducer).reason; \
	say(bench, bytes, size); \
	CHECK_EQ(stats_of((bench)->reducer).reason, before + 1); \
	CHECK_EQ(stats_of((bench)->reducer).keys, 0); \
	CHECK_EQ(stats_of((bench)->reducer).pairs, 0); \
	(bench)->header = good; \
} while (0)

static void bad_pairs_change_nothing(void)
{
	const char too_long[6 + 1 + 65 + 4] = GOOD "\101a";
	struct kv_header good;
	struct bench bench;

	if (!set_up(&bench, 2))
		return;
	bench.header.pairs = 2;
	good = bench.header;
	CHECK_BAD(&bench, bad_key, GOOD "\0\0\0\0\1", 11);
	CHECK_BAD(&bench, bad_key, too_long, sizeof(too_long));
	CHECK_BAD(&bench, bad_pairs, GOOD "\2a\0\0\0\1", 12);
	CHECK_BAD(&bench, bad_pairs, GOOD, 6);
	CHECK_BAD(&bench, bad_pairs, GOOD GOOD GOOD, 18);
	bench.header.pairs = 0;
	CHECK_BAD(&bench, bad_pairs, GOOD, 6);
	CHECK(say(&bench, GOOD GOOD, 12));
	CHECK_EQ(bench.answer.seq, 1);
	CHECK_EQ(stats_of(bench.reducer).pairs, 2);
	clear_away(&bench);
}

static void bad_headers_change_nothing(void)
{
	struct kv_header good;
	struct bench bench;

	if (!set_up(&bench, 2))
		return;
	bench.header.pairs = 1;
	good = bench.header;
	CHECK_EQ(send(bench.fd, "short", 5, 0), 5);
	weir_kv_progress(bench.reducer);
	CHECK_EQ(stats_of(bench.reducer).bad_header, 1);
	bench.header.kind = WEIR_KV_DOWN;
	CHECK_BAD(&bench, bad_header, GOOD, 6);
	bench.header.kind = 0x21;
	CHECK_BAD(&bench, bad_header, GOOD, 6);
	bench.header.flags |= WEIR_KV_CPK;
	CHECK_BAD(&bench, bad_header, GOOD, 6);
	bench.header.flags |= WEIR_KV_OPEN;
	CHECK_BAD(&bench, bad_header, GOOD, 6);
	bench.header.op = WEIR_MAX;
	CHECK_BAD(&bench, bad_numbers, GOOD, 6);
	bench.header.dtype = WEIR_FLOAT32;
	CHECK_BAD(&bench, bad_numbers, GOOD, 6);
	bench.header.job = 8;
	CHECK_BAD(&bench, bad_source, GOOD, 6);
	bench.header.source = 2;
	CHECK_BAD(&bench, bad_source, GOOD, 6);
	bench.header.session++;
	CHECK_BAD(&bench, bad_session, GOOD, 6);
	bench.header.seq = WEIR_KV_WINDOW;
	CHECK_BAD(&bench, bad_sequence, GOOD, 6);
	clear_away(&bench);
}

/* A packet with the right session from somewhere else is not its mapper's. */
static void other_addresses_change_nothing(void)
{
	struct kv_header good;
	struct bench bench;

	if (!set_up(&bench, 2))
		return;
	bench.header.pairs = 1;
	good = bench.header;
	close(bench.fd);
	bench.fd = talker();
	CHECK_BAD(&bench, bad_source, GOOD, 6);
	clear_away(&bench);
}

static void packets_count_once(void)
{
	struct bench bench;

	if (!set_up(&bench, 2))
		return;
	bench.header.pairs = 1;
	bench.header.seq = 2;
	CHECK(say(&bench, GOOD, 6));
	CHECK_EQ(bench.answer.seq, 0);
	CHECK_EQ(bench.answer.more, 2);
	CHECK(say(&bench, GOOD, 6));
	CHECK_EQ(stats_of(bench.reducer).pairs, 1);
	CHECK_EQ(stats_of(bench.reducer).duplicates, 1);
	clear_away(&bench);
}

/* A cookie is of one address, and is answered with no more than was sent. */
static void cookies_are_of_one_address(void)
{
	struct bench bench;
	uint64_t cookie;

	if (!set_up(&bench, 2))
		return;
	bench.header.flags |= WEIR_KV_OPEN;
	bench.header.source = 1;
	bench.header.session = 5;
	CHECK(say(&bench, NULL, 0));
	CHECK_EQ(bench.answer.pairs, WEIR_KV_STATUS_COOKIE);
	cookie = bench.answer.more;
	close(bench.fd);
	bench.fd = talker();
	bench.header.more = cookie;
	CHECK(say(&bench, NULL, 0));
	CHECK_EQ(bench.answer.pairs, WEIR_KV_STATUS_COOKIE);
	CHECK(bench.answer.more != cookie);
	clear_away(&bench);
}

/* A mapper whose source another one has waits; one that says which session it follows does not. */
static void taken_and_followed(void)
{
	struct bench bench;
	uint32_t first;

	if (!set_up(&bench, 2))
		return;
	first = bench.header.session;
	bench.header.pairs = 1;
	CHECK(say(&bench, GOOD, 6));
	CHECK_EQ(open_session(&bench, 100, 0), WEIR_KV_STATUS_TAKEN);
	CHECK_EQ(open_session(&bench, 99, 0), WEIR_KV_STATUS_OPENED);
	CHECK_EQ(bench.header.session, first);
	CHECK_EQ(stats_of(bench.reducer).keys, 1);
	CHECK_EQ(open_session(&bench, 100, first), WEIR_KV_STATUS_OPENED);
	CHECK(bench.header.session != first);
	CHECK_EQ(stats_of(bench.reducer).voids, 1);
	CHECK_EQ(stats_of(bench.reducer).keys, 0);
	bench.header.session = first;
	CHECK(say(&bench, GOOD, 6));
	CHECK_EQ(bench.answer.pairs, WEIR_KV_STATUS_UNKNOWN);
	CHECK_EQ(stats_of(bench.reducer).keys, 0);
	clear_away(&bench);
}

/* The last packet is acknowledged when all have ended, and again until that is confirmed. */
static void ends_together(void)
{
	struct bench bench;
	struct kv_header other;

	if (!set_up(&bench, 2))
		return;
	bench.header.flags |= WEIR_KV_FIN;
	bench.header.pairs = 1;
	CHECK(say(&bench, GOOD, 6));
	CHECK_EQ(bench.answer.seq, 0);
	other = bench.header;
	bench.header.source = 1;
	CHECK_EQ(open_session(&bench, 3, 0), WEIR_KV_STATUS_OPENED);
	CHECK(say(&bench, GOOD, 6));
	CHECK_EQ(bench.answer.seq, 1);
	CHECK_EQ(weir_kv_progress(bench.reducer), 0);
	bench.header.flags = WEIR_KV_CPA;
	bench.header.pairs = 0;
	bench.header.seq = 1;
	say(&bench, NULL, 0);
	bench.header.session = other.session;
	bench.header.source = 0;
	say(&bench, NULL, 0);
	CHECK_EQ(weir_kv_wait(bench.reducer), 0);
	CHECK_EQ(stats_of(bench.reducer).keys, 1);
	clear_away(&bench);
}

static void wrong_options(void)
{
	struct weir_kv_options options = { .size = sizeof(options), .address = "127.0.0.1" };
	struct weir_stream *stream;

	CHECK_EQ(weir_kv_listen(&stream, &options), -EINVAL);
	CHECK(!stream && strstr(weir_kv_error(NULL), "sources is 0: it must be 1 to 256"));
	options.source = 256;
	CHECK_EQ(weir_kv_open(&stream, &options), -EINVAL);
	CHECK(strstr(weir_kv_error(NULL), "source is 256: it must be 0 to 255"));
	options = (struct weir_kv_options) { .size = sizeof(options), .address = "host" };
	CHECK_EQ(weir_kv_open(&stream, &options), -EINVAL);
	CHECK(strstr(weir_kv_error(NULL), "address is 'host'"));
	options.type = WEIR_FLOAT16;
	CHECK_EQ(weir_kv_open(&stream, &options), -EINVAL);
	CHECK(strstr(weir_kv_error(NULL), "type is 4"));
	options.size = 8;
	CHECK_EQ(weir_kv_open(&stream, &options), -EINVAL);
	CHECK_EQ(weir_kv_open(&stream, NULL), -EINVAL);
}

static void nobody_is_there(void)
{
	const struct weir_kv_options options = {
		.size = sizeof(options), .address = "127.0.0.1", .timeout_ms = 100,
	};
	struct weir_stream *stream;

	if (!own_network) {
		ktap_skip("no network namespace");
		return;
	}
	CHECK_EQ(weir_kv_open(&stream, &options), -ECONNREFUSED);
	CHECK(strstr(weir_kv_error(NULL), "nothing has come from 127.0.0.1 port 12064"));
}

static bool begin_served(struct served *served)
{
	const struct weir_kv_options options = {
		.size = sizeof(options), .sources = 1, .operation = WEIR_MAX,
	};

	if (!own_network) {
		ktap_skip("no network namespace");
		return false;
	}
	return served_start(served, &options);
}

static void end_served(struct served *served)
{
	served_stop(served);
	served_close(served);
}

static void another_operation(void)
{
	const struct weir_kv_options options = { .size = sizeof(options), .address = "127.0.0.1" };
	struct weir_stream *stream;
	struct served served;

	if (!begin_served(&served))
		return;
	CHECK_EQ(weir_kv_open(&stream, &options), -EPROTO);
	CHECK(strstr(weir_kv_error(NULL),
		     "has the operation max and values of int32, and this mapper sum and int32"));
	end_served(&served);
}

/**
 * struct second - a mapper that wants another one's source
 * @err: what it got
 * @over: it has ended
 */
struct second {
	struct weir_kv_options options;
	int err;
	bool sentence;
	atomic_bool over;
};

static void *open_second(void *data)
{
	struct second *second = data;
	struct weir_stream *stream;

	second->err = weir_kv_open(&stream, &second->options);
	second->sentence = strstr(weir_kv_error(NULL), "source 0 of job 0 at 127.0.0.1 is taken");
	weir_kv_close(stream);
	atomic_store(&second->over, true);
	return NULL;
}

/* Between two calls of a mapper after which a box may take it for dead. */
#define AWAY	NSEC_PER_SEC

/* Until the second one knows. Returns whether the machine let the first one be there all the time. */
static bool stay_until_over(struct weir_stream *stream, struct second *second, int *err)
{
	uint64_t before = rtt_now(), now, longest = 0;

	*err = 0;
	while (!atomic_load(&second->over) && !*err) {
		usleep(20000);
		*err = weir_kv_progress(stream);
		now = rtt_now();
		if (now - before > longest)
			longest = now - before;
		before = now;
	}
	return longest < AWAY;
}

/* One that is alive keeps its source, though it has nothing to send. Returns whether it was. */
static bool second_is_refused(void)
{
	struct second second = {
		.options = {
			.size = sizeof(second.options), .address = "127.0.0.1",
			.operation = WEIR_MAX,
		},
	};
	struct weir_stream *stream;
	struct served served;
	pthread_t thread;
	bool was_there;
	int err;

	if (!begin_served(&served))
		return true;
	CHECK_EQ(weir_kv_open(&stream, &second.options), 0);
	CHECK_EQ(weir_kv_put(stream, "a", 1, 1), 0);
	CHECK(!pthread_create(&thread, NULL, open_second, &second));
	was_there = stay_until_over(stream, &second, &err);
	pthread_join(thread, NULL);
	if (was_there) {
		CHECK_EQ(err, 0);
		CHECK_EQ(second.err, -EADDRINUSE);
		CHECK(second.sentence);
		CHECK(stats_of(stream).probes >= 5);
		CHECK_EQ(weir_kv_finish(stream), 0);
	}
	weir_kv_close(stream);
	end_served(&served);
	return was_there;
}

static void two_with_one_number(void)
{
	unsigned int tries = 0;

	while (!second_is_refused() && CHECK(++tries < 10))
		;
}

static void wrong_calls(void)
{
	const struct weir_kv_options options = {
		.size = sizeof(options), .address = "127.0.0.1", .operation = WEIR_MAX,
	};
	struct weir_stream *stream;
	struct served served;
	char key[65] = "";

	if (!begin_served(&served))
		return;
	CHECK_EQ(weir_kv_open(&stream, &options), 0);
	CHECK_EQ(weir_kv_put(stream, "", 0, 1), -EINVAL);
	CHECK_EQ(weir_kv_put(stream, key, sizeof(key), 1), -EINVAL);
	CHECK(strstr(weir_kv_error(stream), "the key has 65 bytes: it must have 1 to 64"));
	CHECK_EQ(weir_kv_put(stream, "a", 1, 2147483648.0), -ERANGE);
	CHECK_EQ(weir_kv_put(stream, "a", 1, 0.5), -ERANGE);
	CHECK_EQ(weir_kv_put(stream, "a", 1, -2147483648.0), 0);
	CHECK_EQ(weir_kv_restart(stream), -EINVAL);
	CHECK_EQ(weir_kv_wait(stream), -EINVAL);
	CHECK_EQ(weir_kv_finish(stream), 0);
	CHECK_EQ(weir_kv_put(stream, "a", 1, 1), -EINVAL);
	weir_kv_close(stream);
	end_served(&served);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(bad_pairs_change_nothing),
	KTAP_TEST(bad_headers_change_nothing),
	KTAP_TEST(other_addresses_change_nothing),
	KTAP_TEST(packets_count_once),
	KTAP_TEST(cookies_are_of_one_address),
	KTAP_TEST(taken_and_followed),
	KTAP_TEST(ends_together),
	KTAP_TEST(wrong_options),
	KTAP_TEST(nobody_is_there),
	KTAP_TEST(another_operation),
	KTAP_TEST(two_with_one_number),
	KTAP_TEST(wrong_calls),
};

const struct test_table kv_bad_table = { tests, sizeof(tests) / sizeof(tests[0]) };
