// SPDX-License-Identifier: GPL-2.0
/* Types of numbers and operations: the library's conversions of vectors for each kind of job. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <weir.h>

#include "calls.h"
#include "cluster.h"
/* From the library's inside: a test looks at the byte order that was agreed on. */
#include "comm/comm.h"
#include "number/exponent.h"
#include "tests.h"
#include "vectors.h"

#define G CLUSTER_GRADS
#define LAG (CLUSTER_BLOCKS / 2)

/* Small integers, which every type has, and their sums, too. */
static int element(unsigned int rank, unsigned int round, size_t i)
{
	return (int)((rank * 5 + i * 7 + round) % 17) - 8;
}

static int combined(unsigned int ranks, unsigned int round, size_t i, enum weir_operation op)
{
	int all = element(0, round, i);

	for (unsigned int rank = 1; rank < ranks; rank++) {
		int x = element(rank, round, i);

		if (op == WEIR_SUM)
			all += x;
		else if ((x < all) == (op == WEIR_MIN))
			all = x;
	}
	return all;
}

static size_t size_of(enum weir_type type)
{
	switch (type) {
	case WEIR_INT64:
	case WEIR_FLOAT64:
		return 8;
	case WEIR_BFLOAT16:
	case WEIR_FLOAT16:
		return 2;
	default:
		return 4;
	}
}

#define BIG	1000000007LL

static void put(void *vector, enum weir_type type, size_t i, float x)
{
	uint32_t bits;
	_Float16 half = (_Float16)x;

	memcpy(&bits, &x, sizeof(bits));
	switch (type) {
	case WEIR_INT32:
		((int32_t *)vector)[i] = (int32_t)x;
		break;
	case WEIR_FLOAT32:
		((float *)vector)[i] = x;
		break;
	case WEIR_INT64:
		/* A number that differs without its upper half. */
		((int64_t *)vector)[i] = (int64_t)x * BIG;
		break;
	case WEIR_FLOAT64:
		((double *)vector)[i] = (double)x * (1 + 0x1p-30);
		break;
	case WEIR_BFLOAT16:
		((uint16_t *)vector)[i] = (uint16_t)(bits >> 16);
		break;
	default:
		memcpy((uint16_t *)vector + i, &half, sizeof(half));
		break;
	}
}

static float get(const void *vector, enum weir_type type, size_t i)
{
	uint32_t bits;
	_Float16 half;
	float x;

	switch (type) {
	case WEIR_INT32:
		return (float)((const int32_t *)vector)[i];
	case WEIR_FLOAT32:
		return ((const float *)vector)[i];
	case WEIR_INT64:
		if (((const int64_t *)vector)[i] % BIG)
			return NAN;
		return (float)(((const int64_t *)vector)[i] / BIG);
	case WEIR_FLOAT64:
		x = (float)((const double *)vector)[i];
		return (double)x * (1 + 0x1p-30) == ((const double *)vector)[i] ? x : NAN;
	case WEIR_BFLOAT16:
		bits = (uint32_t)((const uint16_t *)vector)[i] << 16;
		memcpy(&x, &bits, sizeof(x));
		return x;
	default:
		memcpy(&half, (const uint16_t *)vector + i, sizeof(half));
		return (float)half;
	}
}

/* One allreduce of a type; of floats in a job of int32 without a scale. */
static void one(struct worker *worker, enum weir_type type, size_t count, unsigned int round)
{
	enum weir_operation op = worker->cluster->box.op;
	unsigned int ranks = worker->cluster->options.ranks;
	unsigned char *in = calloc(count + 1, 8);
	unsigned char *out = round & 1 ? in : calloc(count + 1, 8);
	size_t wrong = 0;

	for (size_t i = 0; i < count; i++)
		put(in, type, i, (float)element(worker->rank, round, i));
	memset(out + count * size_of(type), 0x5a, size_of(type));
	if (expect(worker, weir_allreduce(worker->comm, in, out, count, type, op, 0, NULL), 0))
		for (size_t i = 0; i < count; i++)
			wrong += get(out, type, i) != (float)combined(ranks, round, i, op);
	CHECK_EQ(wrong, 0);
	CHECK_EQ(out[count * size_of(type)], 0x5a);
	if (out != in)
		free(out);
	free(in);
}

/* Numbers of 8 bytes only by jobs of their type, and integers by no jobs of floats. */
static bool is_taken(enum weir_type type, uint8_t dtype)
{
	if (size_of(type) == 8 || dtype == WEIR_DTYPE_INT64 || dtype == WEIR_DTYPE_FLOAT64)
		return (uint8_t)type == dtype;
	return type != WEIR_INT32 || dtype == WEIR_DTYPE_INT32;
}

static void all_types(struct worker *worker)
{
	static const size_t sizes[] = { 0, 1, G - 1, G, G + 1, 7 * G + 5 };

	CHECK_EQ(worker->comm->member.little, worker->cluster->box.order == REFBOX_LITTLE);
	for (enum weir_type type = WEIR_INT32; type <= WEIR_FLOAT64; type++)
		for (unsigned int i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
			if (is_taken(type, worker->cluster->box.dtype))
				one(worker, type, sizes[i], i);
}

/* Sums, minima and maxima; sums and minima by a box that knows network byte order alone, too. */
static void run_job(uint8_t dtype)
{
	struct cluster cluster;

	for (unsigned int i = 0; i < 5; i++) {
		uint8_t op = (uint8_t)(WEIR_OP_SUM + i % 3);

		cluster_init(&cluster, 4);
		cluster.box.order = i < 3 ? REFBOX_LITTLE : REFBOX_NETWORK;
		cluster.box.dtype = dtype;
		cluster.box.op = op;
		cluster_run(&cluster, all_types, NULL);
		CHECK_EQ(cluster_malformed(&cluster), 0);
		CHECK_EQ(cluster.workers[3].stats.type, dtype);
		CHECK_EQ(cluster.workers[3].stats.operation, op);
	}
}

static void jobs_of_int32(void) { run_job(WEIR_DTYPE_INT32); }
static void jobs_of_float32(void) { run_job(WEIR_DTYPE_FLOAT32); }
static void jobs_of_bfloat16(void) { run_job(WEIR_DTYPE_BFLOAT16); }
static void jobs_of_float16(void) { run_job(WEIR_DTYPE_FLOAT16); }
static void jobs_of_int64(void) { run_job(WEIR_DTYPE_INT64); }
static void jobs_of_float64(void) { run_job(WEIR_DTYPE_FLOAT64); }

/* The mean of doubles, and of integers the sum; a sum beyond int64 is one that has overflowed. */
static void means_and_overflow(struct worker *worker)
{
	bool floats = worker->cluster->box.dtype == WEIR_DTYPE_FLOAT64;
	enum weir_type type = floats ? WEIR_FLOAT64 : WEIR_INT64;
	double d[G], mean[G];
	int64_t l[G], sum[G];

	for (size_t i = 0; i < G; i++) {
		d[i] = (double)i + worker->rank + 0x1p-40;
		l[i] = i == G - 1 ? INT64_MAX : (int64_t)i << 40;
	}
	expect(worker, weir_allreduce(worker->comm, floats ? (void *)d : l, floats ? (void *)mean : sum,
				      G - 1, type, WEIR_SUM, WEIR_AVERAGE, NULL), 0);
	for (size_t i = 0; i < G - 1; i++)
		CHECK(floats ? mean[i] == (double)i + 0.5 + 0x1p-40 : sum[i] == (int64_t)i << 41);
	if (floats)
		return;
	expect(worker, weir_allreduce(worker->comm, l, sum, G, type, WEIR_SUM, 0, NULL), -EOVERFLOW);
}

static void means_of_8_bytes(void)
{
	static const uint8_t dtypes[] = { WEIR_DTYPE_INT64, WEIR_DTYPE_FLOAT64 };
	struct cluster cluster;

	for (unsigned int i = 0; i < 2; i++) {
		cluster_init(&cluster, 2);
		cluster.box.dtype = dtypes[i];
		cluster_run(&cluster, means_and_overflow, NULL);
		CHECK_EQ(cluster_malformed(&cluster), 0);
	}
}

/* Blocks whose elements are of very different sizes. */
static float scaled(unsigned int rank, size_t i)
{
	return ldexpf((float)vector_element(rank, 3, i) / (1 << 23), (int)(i / G % 90) - 60);
}

/* The bounds of block floating point, see libweir.h; @e: the block's exponent. */
static bool is_near(float got, double want, int e, unsigned int ranks)
{
	unsigned int r = 1;

	while (r < ranks)
		r *= 2;
	return fabs((double)got - want) <= ranks * ldexp(r, e - 32) + fabs(want) * 0x1p-24;
}

static int block_exponent(unsigned int ranks, size_t from, size_t to)
{
	int exponent = EXPONENT_ZERO;

	for (unsigned int rank = 0; rank < ranks; rank++)
		for (size_t i = from; i < to; i++) {
			float x = scaled(rank, i);
			int e = exponent_of(&x, WEIR_FLOAT32, 1, false);

			exponent = e > exponent ? e : exponent;
		}
	return exponent;
}

/* The first blocks share an exponent, of the others each has its own. */
static void check_scaled(struct worker *worker, const float *out, size_t count)
{
	unsigned int ranks = worker->cluster->options.ranks;
	int e = block_exponent(ranks, 0, count < LAG * G ? count : LAG * G);
	size_t wrong = 0;

	for (size_t i = 0; i < count; i++) {
		double sum = 0;

		if (i >= LAG * G && !(i % G))
			e = block_exponent(ranks, i, count < i + G ? count : i + G);
		for (unsigned int rank = 0; rank < ranks; rank++)
			sum += (double)scaled(rank, i);
		wrong += !is_near(out[i], sum, e, ranks);
	}
	CHECK_EQ(wrong, 0);
}

static void one_scaled(struct worker *worker, size_t count)
{
	float *in = calloc(count, 4), *out = calloc(count, 4);

	for (size_t i = 0; i < count; i++)
		in[i] = scaled(worker->rank, i);
	if (expect(worker, weir_allreduce(worker->comm, in, out, count, WEIR_FLOAT32, WEIR_SUM, 0,
					  NULL), 0))
		check_scaled(worker, out, count);
	free(in);
	free(out);
}

static void scaled_vectors(struct worker *worker)
{
	static const size_t sizes[] = { 1, G + 1, LAG * G, LAG * G + 1, 3 * LAG * G + 17 };

	for (unsigned int i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		one_scaled(worker, sizes[i]);
}

static void run_scaled(unsigned int ranks, const struct faults_options *faults)
{
	struct cluster cluster;

	cluster_init(&cluster, ranks);
	if (faults)
		cluster.box.faults = *faults;
	cluster_run(&cluster, scaled_vectors, NULL);
	CHECK_EQ(cluster.counters.overflows, 0);
	CHECK_EQ(cluster.counters.contributions, ranks * cluster.counters.blocks);
}

static void exponents_are_agreed_on(void) { run_scaled(4, NULL); }
static void exponents_of_one_rank(void) { run_scaled(1, NULL); }

static void exponents_over_bad_links(void)
{
	run_scaled(3, &(struct faults_options) {
		.seed = 11, .loss = 0.03, .duplicate = 0.1, .reorder = 0.2, .malformed = 0.1,
	});
}

static void one_block(struct worker *worker)
{
	one_scaled(worker, G);
}

/* A bit less is used of so many, as the largest element could be rounded up. */
static void exponents_of_256_ranks(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 256);
	/* As in ranks_256(). */
	cluster.options.timeout_ms = 300000;
	cluster.options.ranks_timeout_ms = 300000;
	cluster_run(&cluster, one_block, NULL);
	CHECK_EQ(cluster.counters.overflows, 0);
}

/* Several at once, scaled and not. */
static void outstanding(struct worker *worker)
{
	enum { N = 6, COUNT = 5 * G + 3 };
	struct weir_request *requests[N];
	float in[COUNT], out[N][COUNT];
	int32_t integers[COUNT];

	for (size_t i = 0; i < COUNT; i++)
		in[i] = scaled(worker->rank, i);
	vector_fill(integers, COUNT, worker->rank, 1);
	for (unsigned int i = 0; i < N; i++) {
		if (i == 3)
			expect(worker, iallreduce_int32(worker->comm, integers, integers, COUNT,
							&requests[i]), 0);
		else
			expect(worker, weir_iallreduce(worker->comm, in, out[i], COUNT, WEIR_FLOAT32,
						       WEIR_SUM, 0, NULL, &requests[i]), 0);
	}
	for (unsigned int i = N; i--;)
		expect(worker, weir_wait(&requests[i]), 0);
	for (unsigned int i = 0; i < N; i++)
		if (i != 3)
			check_scaled(worker, out[i], COUNT);
	CHECK_EQ(vector_wrong(integers, COUNT, worker->cluster->options.ranks, 1), 0);
}

static void many_at_once(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 3);
	cluster.box.faults.loss = 0.02;
	cluster_run(&cluster, outstanding, NULL);
}

/*
 * All ranks get an error for an element that is not finite on one, wherever it is; the
 * communicator stays usable.
 */
static void not_finite_somewhere(struct worker *worker)
{
	static const size_t places[] = { 0, LAG * G - 1, LAG * G, (LAG + 3) * G - 1 };
	const size_t count = (LAG + 3) * G;
	float *in = calloc(count, 4), *out = calloc(count, 4);

	for (unsigned int i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		for (size_t k = 0; k < count; k++)
			in[k] = 1;
		if (worker->rank == i % worker->cluster->options.ranks)
			in[places[i]] = i & 1 ? NAN : -INFINITY;
		expect(worker, weir_allreduce(worker->comm, in, out, count, WEIR_FLOAT32, WEIR_SUM,
					      0, NULL), -EDOM);
		CHECK(strstr(weir_error(worker->comm), "an element of some rank is not finite"));
	}
	free(in);
	free(out);
	one_scaled(worker, 5 * G);
}

static void not_finite_is_told_to_all(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 3);
	cluster_run(&cluster, not_finite_somewhere, NULL);
}

/* With a scale, elements are cut to half of what int32 holds, as there are two ranks. */
static void saturated(struct worker *worker)
{
	const float in[] = { worker->rank ? 1 : INFINITY, worker->rank ? 1 : NAN,
			     worker->rank ? -3e9f : -INFINITY, 3e9f };
	const struct weir_extra scale = { .size = sizeof(scale), .scale = 1 };
	struct weir_info info = { .size = sizeof(info) };
	const float half = 1 << 30;
	float out[4];

	expect(worker, weir_allreduce(worker->comm, in, out, 4, WEIR_FLOAT32, WEIR_SUM, WEIR_SATURATE,
				      &scale), 0);
	CHECK(out[0] == half && out[1] == 1 && out[2] == -2 * half && out[3] == 2 * half);
	CHECK_EQ(weir_get_info(worker->comm, &info), 0);
	CHECK_EQ(info.cut_blocks, 1);
	expect(worker, weir_allreduce(worker->comm, in, out, 4, WEIR_FLOAT32, WEIR_SUM, WEIR_SATURATE,
				      NULL), 0);
	CHECK(out[0] > 3.4e38f && isfinite(out[0]) && out[1] == 0 && out[2] < -3.4e38f);
}

static void saturates_by_choice(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 2);
	cluster_run(&cluster, saturated, NULL);
	CHECK_EQ(cluster.counters.overflows, 0);
}

/* Floats have infinities, and NaN where there is no sum. */
static void infinite(struct worker *worker)
{
	float v[3] = { worker->rank ? 1 : INFINITY, worker->rank ? INFINITY : -INFINITY,
		       worker->rank ? 1 : NAN };

	expect(worker, weir_allreduce(worker->comm, v, v, 3, WEIR_FLOAT32, WEIR_SUM, 0, NULL), 0);
	CHECK(isinf(v[0]) && isnan(v[1]) && isnan(v[2]));
}

static void floats_may_be_infinite(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 2);
	cluster.box.dtype = WEIR_DTYPE_FLOAT32;
	cluster_run(&cluster, infinite, NULL);
}

/* Rank 0's exponent is answered before rank 1 comes. */
struct agreement {
	pthread_barrier_t sent;
};

static void waits_for_its_elements(struct worker *worker, struct weir_request **request)
{
	struct weir_stats stats = { .size = sizeof(stats) };

	while (stats.packets_sent < 2 && !weir_test(request))
		weir_get_stats(worker->comm, &stats);
}

static void cut_by_the_others(struct worker *worker)
{
	struct agreement *agreement = worker->data;
	struct weir_info info = { .size = sizeof(info) };
	float in[2] = { worker->rank ? 1000 : 1, worker->rank ? 0.5f : 0.25f };
	float out[2], residual[2] = { 7, 7 };
	const struct weir_extra extra = extra_of(0, residual);
	struct weir_request *request;

	if (worker->rank)
		pthread_barrier_wait(&agreement->sent);
	expect(worker, weir_iallreduce(worker->comm, in, out, 2, WEIR_FLOAT32, WEIR_SUM, 0, &extra,
				       &request), 0);
	if (!worker->rank) {
		waits_for_its_elements(worker, &request);
		pthread_barrier_wait(&agreement->sent);
	}
	expect(worker, weir_wait(&request), 0);
	weir_get_info(worker->comm, &info);
	CHECK_EQ(info.blocks, 1);
	CHECK_EQ(info.degraded_blocks, 0);
	CHECK_EQ(info.cut_blocks, worker->rank);
	/* 2^1 is the power above rank 0's. */
	CHECK(fabsf(out[0] - 3) < 1e-6f && out[1] == 0.75f);
	CHECK(fabsf(residual[0] - (worker->rank ? 998 : 0)) < 1e-4f && residual[1] == 0);
}

static void larger_than_agreed_is_cut(void)
{
	struct agreement agreement;
	struct cluster cluster;

	pthread_barrier_init(&agreement.sent, NULL, 2);
	cluster_init(&cluster, 2);
	/* As long as rank 1 may take to come, when it is called. */
	cluster.box.timeout_ms = 1500;
	cluster.options.flags = WEIR_ACCEPT_DEGRADED;
	cluster_run(&cluster, cut_by_the_others, &agreement);
	CHECK_EQ(cluster.counters.overflows, 0);
	CHECK_EQ(cluster.counters.degraded, 1);
	pthread_barrier_destroy(&agreement.sent);
}

static void means(struct worker *worker)
{
	float v[2] = { (float)worker->rank, 1 };
	int32_t n = 3;

	expect(worker, weir_allreduce(worker->comm, v, v, 2, WEIR_FLOAT32, WEIR_SUM, WEIR_AVERAGE,
				      NULL), 0);
	CHECK(v[0] == 1 && v[1] == 1);
	if (worker->cluster->box.dtype == WEIR_DTYPE_INT32) {
		expect(worker, weir_allreduce(worker->comm, &n, &n, 1, WEIR_INT32, WEIR_SUM,
					      WEIR_AVERAGE, NULL), 0);
		CHECK_EQ(n, 9);
	}
	expect(worker, weir_allreduce(worker->comm, v, v, 2, WEIR_FLOAT32, WEIR_SUM, 0, NULL), 0);
	CHECK(v[0] == 3 && v[1] == 3);
}

static void averages_by_call(void)
{
	static const uint8_t dtypes[] = { WEIR_DTYPE_INT32, WEIR_DTYPE_FLOAT32, WEIR_DTYPE_FLOAT16 };
	struct cluster cluster;

	for (unsigned int i = 0; i < sizeof(dtypes); i++) {
		cluster_init(&cluster, 3);
		cluster.box.dtype = dtypes[i];
		cluster_run(&cluster, means, NULL);
	}
}

/* Refused at once; the communicator stays usable. */
static void refused(struct worker *worker, int err, const char *words)
{
	expect(worker, err, -EPROTO);
	if (!strstr(weir_error(worker->comm), words))
		ktap_complain(__FILE__, __LINE__, "\"%s\" does not say \"%s\"",
			      weir_error(worker->comm), words);
}

static void other_numbers(struct worker *worker)
{
	float v[G] __attribute__((aligned(8))) = { 0 };
	const struct weir_extra extra = extra_of(5, NULL);

	refused(worker, weir_allreduce(worker->comm, v, v, G, WEIR_FLOAT32, WEIR_MAX, 0, NULL),
		"has the operation sum, and this call asks for max");
	refused(worker, weir_allreduce(worker->comm, v, v, G, WEIR_INT32, WEIR_SUM, 0, NULL),
		"is one of bfloat16, and the vector one of int32");
	expect(worker, weir_allreduce(worker->comm, v, v, G, WEIR_FLOAT32, WEIR_SUM, 0, &extra),
	       -EINVAL);
	CHECK(strstr(weir_error(worker->comm), "a scale is for floats in a job of int32"));
	refused(worker, weir_allreduce(worker->comm, v, v, G / 2, WEIR_FLOAT64, WEIR_SUM, 0, NULL),
		"is one of bfloat16, and the vector one of float64");
	expect(worker, weir_allreduce(worker->comm, v, v, G, 7, WEIR_SUM, 0, NULL), -EINVAL);
	expect(worker, weir_allreduce(worker->comm, v, v, G, WEIR_FLOAT32, 0, 0, NULL), -EINVAL);
	expect(worker, weir_allreduce(worker->comm, v, v, G, WEIR_FLOAT32, WEIR_SUM, 0x80, NULL),
	       -EINVAL);
	/* Half an element. */
	expect(worker, weir_allreduce(worker->comm, (char *)v + 1, (char *)v + 1, G, WEIR_FLOAT16,
				      WEIR_SUM, 0, NULL), -EINVAL);
	one(worker, WEIR_FLOAT32, 3 * G, 0);
}

static void calls_of_other_numbers(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 2);
	cluster.box.dtype = WEIR_DTYPE_BFLOAT16;
	cluster.box.op = WEIR_OP_SUM;
	cluster_run(&cluster, other_numbers, NULL);
	CHECK_EQ(cluster.counters.blocks, 3);
}

static int open_alone(struct cluster *cluster, const char *words)
{
	struct weir_options options;
	struct weir *comm;
	char address[64];
	int err;

	cluster_worker_options(cluster, 0, address, &options);
	err = weir_open(&comm, &options);
	if (words && !strstr(weir_error(NULL), words))
		ktap_complain(__FILE__, __LINE__, "\"%s\" does not say \"%s\"", weir_error(NULL),
			      words);
	weir_close(comm);
	return err;
}

static void jobs_of_other_numbers(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 1);
	cluster.box.dtype = WEIR_DTYPE_FLOAT16;
	cluster.box.op = WEIR_OP_MIN;
	if (!cluster_start_box(&cluster))
		return;
	cluster.options.type = WEIR_INT32;
	CHECK_EQ(open_alone(&cluster, "is one of float16, and rank 0 was told of int32"), -EPROTO);
	cluster.options.type = WEIR_FLOAT16;
	cluster.options.operation = WEIR_MAX;
	CHECK_EQ(open_alone(&cluster, "has the operation min, and rank 0 was told of max"), -EPROTO);
	cluster.options.operation = WEIR_MIN;
	CHECK_EQ(open_alone(&cluster, NULL), 0);
	cluster.options.type = 9;
	CHECK_EQ(open_alone(&cluster, "type is 9"), -EINVAL);
	cluster.options.type = 0;
	cluster.options.operation = 4;
	CHECK_EQ(open_alone(&cluster, "operation is 4"), -EINVAL);
	cluster_stop_box(&cluster);
}

/* Only the box may know the job's type. */
static void too_long_as_it_turns_out(void)
{
	struct cluster cluster;

	if (!own_network) {
		ktap_skip("needs a network namespace");
		return;
	}
	cluster_init(&cluster, 1);
	cluster.box.grads = 728;
	cluster.options.grads = 728;
	CHECK(!system("ip link set lo mtu 1500"));
	if (cluster_start_box(&cluster)) {
		CHECK_EQ(open_alone(&cluster, "carries 1500: set grads to 364 or less"), -EMSGSIZE);
		cluster_stop_box(&cluster);
	}
	cluster.box.dtype = WEIR_DTYPE_BFLOAT16;
	if (cluster_start_box(&cluster)) {
		CHECK_EQ(open_alone(&cluster, NULL), 0);
		cluster_stop_box(&cluster);
	}
	CHECK(!system("ip link set lo mtu 65536"));
}

static const struct ktap_test tests[] = {
	KTAP_TEST(jobs_of_int32),
	KTAP_TEST(jobs_of_float32),
	KTAP_TEST(jobs_of_bfloat16),
	KTAP_TEST(jobs_of_float16),
	KTAP_TEST(jobs_of_int64),
	KTAP_TEST(jobs_of_float64),
	KTAP_TEST(means_of_8_bytes),
	KTAP_TEST(exponents_are_agreed_on),
	KTAP_TEST(exponents_of_one_rank),
	KTAP_TEST(exponents_of_256_ranks),
	KTAP_TEST(exponents_over_bad_links),
	KTAP_TEST(many_at_once),
	KTAP_TEST(not_finite_is_told_to_all),
	KTAP_TEST(saturates_by_choice),
	KTAP_TEST(floats_may_be_infinite),
	KTAP_TEST(larger_than_agreed_is_cut),
	KTAP_TEST(averages_by_call),
	KTAP_TEST(calls_of_other_numbers),
	KTAP_TEST(jobs_of_other_numbers),
	KTAP_TEST(too_long_as_it_turns_out),
};

const struct test_table numbers_table = { tests, sizeof(tests) / sizeof(tests[0]) };
