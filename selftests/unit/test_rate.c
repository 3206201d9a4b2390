// SPDX-License-Identifier: GPL-2.0
/* Policers: the packets that they let pass, over simulated time. */
#include "kernel.h"

#include "core/base/rate.h"
#include "unit.h"

static struct weir_rate rate;

static void setup(const struct weir_rate_config *config)
{
	mock_ns = 5 * NSEC_PER_SEC;
	weir_rate_init(&rate, config);
}

static bool take(u64 at, u32 bytes)
{
	return weir_rate_take(&rate, at, 1, bytes);
}

/* Return how many of @n packets of @bytes pass at one time. */
static u64 pass(u64 at, u64 n, u32 bytes)
{
	u64 passed = 0;

	while (n--)
		passed += take(at, bytes);
	return passed;
}

static void rate_none(void)
{
	setup(&(struct weir_rate_config){ });
	CHECK(!weir_rate_is_set(&rate.config));
	CHECK_EQ(pass(mock_ns, 1000, 65535), 1000);
}

/* A full bucket, then one packet each time that its price has gone by. */
static void packets_exactly(u32 packets, u32 burst)
{
	u64 t, step = NSEC_PER_SEC / packets;
	int i;

	setup(&(struct weir_rate_config){ .packets = packets,
					  .packets_burst = burst });
	t = mock_ns;
	CHECK(weir_rate_is_set(&rate.config));
	CHECK_EQ(pass(t, burst + 10ULL, 100), burst);
	for (i = 0; i < 1000; i++) {
		CHECK_EQ(take(t + step - 1, 100), 0);
		t += step;
		CHECK_EQ(pass(t, 2, 100), 1);
	}
	/* Idle for half the bucket, and far longer than it holds. */
	t += step * (burst / 2);
	CHECK_EQ(pass(t, burst + 10ULL, 100), burst / 2);
	t += 3 * step * burst;
	CHECK_EQ(pass(t, burst + 10ULL, 100), burst);
}

/*
 * Ticks wrap after nine years of a policer. It polices on, whether packets came all the time or
 * not, and so do the levels of sources.
 */
static void rate_decades(void)
{
	const u64 year = 365 * 24 * 3600 * NSEC_PER_SEC;
	struct weir_rate_level level = {};
	u64 t, i;

	setup(&(struct weir_rate_config){ .packets = 1000, .packets_burst = 10,
					  .bytes = 1000000, .bytes_burst = 100000 });
	for (i = 0; i < 400; i++) {
		t = mock_ns + i * (year / 10);
		CHECK_EQ(pass(t, 100, 100), 10);
		CHECK(weir_rate_level_is_full(&rate, &level, t));
		CHECK(weir_rate_level_take(&rate, &level, t, 100));
		CHECK(!weir_rate_level_is_full(&rate, &level, t));
	}
	for (i = 0; i < 100; i++) {
		setup(&(struct weir_rate_config){ .packets = 1000, .packets_burst = 10 });
		CHECK_EQ(pass(mock_ns, 100, 100), 10);
		CHECK_EQ(pass(mock_ns + (i + 1) * year, 100, 100), 10);
	}
}

/* A CPU that has read the clock a moment ago finds an empty bucket empty. */
static void rate_skew(void)
{
	setup(&(struct weir_rate_config){ .packets = 1000, .packets_burst = 10 });
	CHECK_EQ(pass(mock_ns + 1000000, 100, 100), 10);
	CHECK_EQ(pass(mock_ns + 900000, 100, 100), 0);
}

static void rate_packets_exactly(void)
{
	packets_exactly(1, 1);
	packets_exactly(1, 10);
	packets_exactly(1000, 100);
	packets_exactly(1000000, 5000);
	packets_exactly(100000000, 100000);
}

/* @bytes long packets at a rate whose price is a whole number of ns. */
static void bytes_exactly(u64 bytes_s, u64 burst, u32 bytes)
{
	u64 t, step = bytes * NSEC_PER_SEC / bytes_s;
	int i;

	setup(&(struct weir_rate_config){ .bytes = bytes_s,
					  .bytes_burst = burst });
	t = mock_ns;
	CHECK_EQ(pass(t, burst / bytes + 10, bytes), burst / bytes);
	t += burst * NSEC_PER_SEC / bytes_s;
	pass(t, burst / bytes, bytes);
	/* Nothing is left but the remainder. */
	t += step - (burst % bytes) * NSEC_PER_SEC / bytes_s;
	for (i = 0; i < 1000; i++, t += step) {
		CHECK_EQ(take(t - 2, bytes), 0);
		CHECK_EQ(pass(t, 2, bytes), 1);
	}
}

static void rate_bytes_exactly(void)
{
	bytes_exactly(1, 65535, 1000);
	bytes_exactly(1000, 65535, 65535);
	bytes_exactly(125000000, 1000000, 1500);	/* 1 Gbit/s */
	bytes_exactly(12500000000, 65535, 1500);	/* 100 Gbit/s */
	bytes_exactly(12500000000, 1250000000, 9000);
}

/*
 * Rates that come out even nowhere: a flood for a second gets the rate and the
 * burst, to a hundredth.
 */
static void flooded(const struct weir_rate_config *config, u32 bytes,
		    u64 want, u64 gap)
{
	u64 t, passed = 0;

	setup(config);
	for (t = 0; t <= NSEC_PER_SEC; t += gap)
		passed += take(mock_ns + t, bytes);
	CHECK(passed >= want);
	CHECK(passed <= want + want / 100 + 2);
}

static void rate_flooded(void)
{
	flooded(&(struct weir_rate_config){ .packets = 7, .packets_burst = 3 },
		100, 10, 100000);
	flooded(&(struct weir_rate_config){ .packets = 333333,
					    .packets_burst = 33 },
		100, 333366, 500);
	/* Twelve bytes of header behind UDP's, as small as packets get. */
	flooded(&(struct weir_rate_config){ .bytes = 12345678,
					    .bytes_burst = 65535 },
		20, (12345678 + 65535) / 20, 500);
	/* The largest packets at 100 Gbit/s less a prime. */
	flooded(&(struct weir_rate_config){ .bytes = 12499999993,
					    .bytes_burst = 65535 },
		8220, (12499999993 + 65535) / 8220, 300);
}

/* As fast as a wire is, looked at for a thousandth of a second only. */
static void rate_small_packets_at_100_gbit(void)
{
	u64 t, passed = 0, want = 12500000 / 20 + 65535 / 20;

	setup(&(struct weir_rate_config){ .bytes = 12500000000,
					  .bytes_burst = 65535 });
	for (t = 0; t <= NSEC_PER_SEC / 1000; t++)
		passed += pass(mock_ns + t, 2, 20);
	CHECK(passed >= want);
	CHECK(passed <= want + want / 100);
}

static void rate_fastest_packets(void)
{
	setup(&(struct weir_rate_config){ .packets = UINT32_MAX,
					  .packets_burst = UINT32_MAX });
	CHECK_EQ(pass(mock_ns, 1000000, 20), 1000000);
}

/* Each has its say, and a packet too long has spent its token. */
static void rate_both_buckets(void)
{
	setup(&(struct weir_rate_config){ .packets = 1, .packets_burst = 5,
					  .bytes = 1000,
					  .bytes_burst = 65535 });
	CHECK_EQ(take(mock_ns, 60000), 1);
	CHECK_EQ(take(mock_ns, 60000), 0);
	CHECK_EQ(take(mock_ns, 60000), 0);
	CHECK_EQ(pass(mock_ns, 10, 1), 2);
	/* One token, and bytes enough. */
	CHECK_EQ(pass(mock_ns + NSEC_PER_SEC, 10, 1), 1);
	/* A packet that the packets' bucket refuses costs no bytes. */
	CHECK_EQ(take(mock_ns + 100 * NSEC_PER_SEC, 65535), 1);
	CHECK_EQ(pass(mock_ns + 101 * NSEC_PER_SEC, 100, 1), 5);
	CHECK_EQ(take(mock_ns + 102 * NSEC_PER_SEC, 1995), 1);
}

/* The clock that a CPU has read may be earlier than another's. */
static void rate_clock_goes_back(void)
{
	u64 t;

	setup(&(struct weir_rate_config){ .packets = 1000,
					  .packets_burst = 2 });
	t = mock_ns;
	CHECK_EQ(pass(t - 1000, 3, 1), 2);
	t += NSEC_PER_SEC;
	CHECK_EQ(pass(t, 3, 1), 2);
	CHECK_EQ(pass(t - NSEC_PER_SEC / 2, 3, 1), 0);
	CHECK_EQ(pass(t + NSEC_PER_SEC, 3, 1), 2);
}

/* Years later it still fills to the brim, and no further. */
static void rate_clock_far_ahead(void)
{
	const u64 year = 365 * 24 * 3600 * NSEC_PER_SEC;
	int i;

	setup(&(struct weir_rate_config){ .packets = 1, .packets_burst = 100,
					  .bytes = 12500000000,
					  .bytes_burst = 65535 });
	for (i = 0; i <= 9; i++) {
		CHECK_EQ(pass(mock_ns + i * year, 65, 1000), 65);
		CHECK_EQ(pass(mock_ns + i * year, 1, 1000), 0);
		CHECK_EQ(pass(mock_ns + i * year + NSEC_PER_SEC, 65, 1000), 35);
	}
}

/* All settings that are accepted, even odd ones. */
static void rate_endless_bursts(void)
{
	setup(&(struct weir_rate_config){ .packets = 1,
					  .packets_burst = UINT32_MAX,
					  .bytes = 1,
					  .bytes_burst = UINT64_MAX });
	CHECK_EQ(pass(mock_ns, 400, 65535), 400);
	CHECK_EQ(pass(mock_ns + NSEC_PER_SEC, 1, 1), 1);
	setup(&(struct weir_rate_config){ .bytes = UINT64_MAX,
					  .bytes_burst = UINT64_MAX });
	CHECK_EQ(pass(mock_ns, 1000000, 65535), 1000000);
}

static void take_meanwhile(void)
{
	mock_meanwhile = NULL;
	CHECK(take(mock_ns, 1));
}

/* Two CPUs at once take two tokens. */
static void rate_two_cpus(void)
{
	setup(&(struct weir_rate_config){ .packets = 1, .packets_burst = 3 });
	mock_meanwhile = take_meanwhile;
	CHECK(take(mock_ns, 1));
	CHECK(!mock_meanwhile);
	CHECK_EQ(pass(mock_ns, 2, 1), 1);
	/* One token between two: the quicker has it. */
	mock_ns += NSEC_PER_SEC;
	mock_meanwhile = take_meanwhile;
	CHECK(!take(mock_ns, 1));
	CHECK(!mock_meanwhile);
}

/* An answer costs bytes, and no packet. */
static void rate_of_an_answer(void)
{
	setup(&(struct weir_rate_config){ .packets = 1, .packets_burst = 2,
					  .bytes = 1, .bytes_burst = 1000 });
	CHECK(weir_rate_take(&rate, mock_ns, 0, 400));
	CHECK(weir_rate_take(&rate, mock_ns, 0, 400));
	CHECK(take(mock_ns, 50));
	CHECK(take(mock_ns, 50));
	CHECK(!take(mock_ns, 50));
	CHECK(weir_rate_take(&rate, mock_ns, 0, 50));
	CHECK(!weir_rate_take(&rate, mock_ns, 0, 51));
}

const struct ktap_test rate_tests[] = {
	KTAP_TEST(rate_none),
	KTAP_TEST(rate_decades),
	KTAP_TEST(rate_skew),
	KTAP_TEST(rate_packets_exactly),
	KTAP_TEST(rate_bytes_exactly),
	KTAP_TEST(rate_flooded),
	KTAP_TEST(rate_small_packets_at_100_gbit),
	KTAP_TEST(rate_fastest_packets),
	KTAP_TEST(rate_both_buckets),
	KTAP_TEST(rate_clock_goes_back),
	KTAP_TEST(rate_clock_far_ahead),
	KTAP_TEST(rate_endless_bursts),
	KTAP_TEST(rate_of_an_answer),
	KTAP_TEST(rate_two_cpus),
};
SUITE_END(rate);
