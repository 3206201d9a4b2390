// SPDX-License-Identifier: GPL-2.0
/* A pool of buffer that ports share: thresholds, and its bound when CPUs race. */
#include "kernel.h"

#include "trim/bands.h"
#include "trim/pool.h"
#include "unit.h"

static struct weir_trim_pool pool;

static void fresh(u64 size)
{
	pool = (struct weir_trim_pool) { .size = size };
}

static bool take(u32 alpha, u64 *taken, u32 len)
{
	const struct weir_bands_limits limits = { .alpha = alpha };

	return weir_trim_pool_take(&pool, &limits, taken, len);
}

/* Fills a queue with packets of one length. Return: its bytes. */
static u64 fill(u32 alpha, u64 *taken, u32 len)
{
	while (take(alpha, taken, len))
		;
	return *taken;
}

/* Without a threshold the size alone counts, to the byte. */
static void trim_pool_size(void)
{
	u64 one = 0, two = 0;

	fresh(10000);
	CHECK_EQ(fill(0, &one, 1000), 10000);
	CHECK(!take(0, &two, 1));
	CHECK_EQ(two, 0);
	CHECK_EQ(atomic64_read(&pool.used), 10000);
	weir_trim_pool_settle(&pool, &one, 4000);
	CHECK_EQ(atomic64_read(&pool.used), 4000);
	CHECK(!take(0, &two, 6001));
	CHECK(take(0, &two, 6000));
	CHECK_EQ(pool.max, 10000);
}

/* The powers of SAI, and what lies between: alpha / (1 + alpha) of the pool for a queue alone. */
static void trim_pool_alone(void)
{
	static const u32 alphas[] = { 1, 2, 4, 8, 16, 32, 64, 128, 192, 256, 512, 1024, 2048, 4096,
				      8192, 16384, 32768, 65536 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(alphas); i++) {
		u64 taken = 0, size = 1000000;

		fresh(size);
		fill(alphas[i], &taken, 1);
		CHECK(taken * 256 <= alphas[i] * (size - taken));
		CHECK((taken + 1) * 256 > alphas[i] * (size - taken - 1) ||
		      taken + 1 == size);
	}
}

/* The largest alpha of the largest pool does not overflow. */
static void trim_pool_largest(void)
{
	u64 taken = 0;

	fresh(WEIR_TRIM_POOL_SIZE_MAX);
	CHECK(take(WEIR_TRIM_ALPHA_MAX, &taken, U32_MAX));
	weir_trim_pool_settle(&pool, &taken, WEIR_TRIM_POOL_SIZE_MAX / 2);
	CHECK(take(WEIR_TRIM_ALPHA_MAX, &taken, U32_MAX));
	weir_trim_pool_settle(&pool, &taken, WEIR_TRIM_POOL_SIZE_MAX - 1000);
	CHECK(!take(WEIR_TRIM_ALPHA_MAX, &taken, 1));
}

/* The threshold shrinks as other queues fill, and grows as they drain. */
static void trim_pool_shares(void)
{
	u64 one = 0, two = 0, three = 0;

	fresh(12000);
	CHECK_EQ(fill(256, &one, 100), 6000);
	/* 6000 are free: the next may have half of them, and the first one has too many now. */
	CHECK_EQ(fill(256, &two, 100), 3000);
	CHECK(!take(256, &one, 100));
	CHECK_EQ(fill(256, &three, 100), 1500);
	weir_trim_pool_settle(&pool, &one, 0);
	CHECK_EQ(fill(256, &two, 100), 5200);
	weir_trim_pool_settle(&pool, &two, 0);
	weir_trim_pool_settle(&pool, &three, 0);
	CHECK_EQ(atomic64_read(&pool.used), 0);
	CHECK_EQ(fill(256, &one, 100), 6000);
}

/* Each queue has a threshold of its own. */
static void trim_pool_alphas(void)
{
	u64 small = 0, large = 0;

	fresh(9000);
	CHECK_EQ(fill(128, &small, 100), 3000);
	CHECK_EQ(fill(2048, &large, 100), 5300);
	CHECK(!take(128, &small, 100));
}

/* A pool that has become too small for what waits takes nothing until it fits again. */
static void trim_pool_shrinks(void)
{
	u64 one = 0, two = 0;

	fresh(10000);
	fill(0, &one, 1000);
	pool.size = 3000;
	CHECK(!take(0, &two, 1));
	CHECK(!take(WEIR_TRIM_ALPHA_MAX, &two, 1));
	weir_trim_pool_settle(&pool, &one, 2000);
	CHECK(take(0, &two, 1000));
	CHECK(!take(0, &two, 1));
}

/* A child may hold more than was asked for, and a packet may not come to wait at all. */
static void trim_pool_settles(void)
{
	u64 taken = 0;

	fresh(10000);
	CHECK(take(0, &taken, 1000));
	weir_trim_pool_settle(&pool, &taken, 1066);
	CHECK_EQ(atomic64_read(&pool.used), 1066);
	CHECK(take(0, &taken, 500));
	weir_trim_pool_settle(&pool, &taken, 1066);
	CHECK_EQ(atomic64_read(&pool.used), 1066);
	weir_trim_pool_settle(&pool, &taken, 0);
	CHECK_EQ(atomic64_read(&pool.used), 0);
}

static u64 others;

/* Another CPU takes the last room, once. */
static void other_cpu(void)
{
	mock_meanwhile = NULL;
	CHECK(take(0, &others, 1000));
}

static void trim_pool_races(void)
{
	u64 taken = 0;

	fresh(1500);
	others = 0;
	mock_meanwhile = other_cpu;
	CHECK(!take(0, &taken, 1000));
	CHECK_EQ(taken, 0);
	CHECK_EQ(others, 1000);
	CHECK_EQ(atomic64_read(&pool.used), 1000);
	/* There is room for both: the second try succeeds. */
	fresh(2000);
	others = 0;
	mock_meanwhile = other_cpu;
	CHECK(take(0, &taken, 1000));
	CHECK_EQ(atomic64_read(&pool.used), 2000);
	CHECK_EQ(pool.max, 2000);
	mock_meanwhile = NULL;
}

const struct ktap_test trim_pool_tests[] = {
	KTAP_TEST(trim_pool_size),
	KTAP_TEST(trim_pool_alone),
	KTAP_TEST(trim_pool_largest),
	KTAP_TEST(trim_pool_shares),
	KTAP_TEST(trim_pool_alphas),
	KTAP_TEST(trim_pool_shrinks),
	KTAP_TEST(trim_pool_settles),
	KTAP_TEST(trim_pool_races),
};
SUITE_END(trim_pool);
