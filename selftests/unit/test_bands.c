// SPDX-License-Identifier: GPL-2.0
/* The two bands of a port: limits, victims, and shares of the link. */
#include "kernel.h"

#include <uapi/weir.h>

#include "trim/bands.h"
#include "unit.h"

static struct weir_bands bands;

static void put(enum weir_band_id band, unsigned int n, u32 len)
{
	while (n--)
		weir_bands_add(&bands, band, len);
}

static bool data_full(const struct weir_bands_limits *limits, u32 len, u64 waited)
{
	return weir_bands_data_full(&bands, limits, len, waited);
}

static void bands_data_limits(void)
{
	const struct weir_bands_limits packets = { .packets = 3 };
	const struct weir_bands_limits bytes = { .bytes = 3000 };
	const struct weir_bands_limits time = { .time = 1000 };

	bands = (struct weir_bands) { };
	/* One packet of any length fits into an empty band. */
	CHECK(!data_full(&bytes, 9000, 0));
	CHECK(!data_full(&time, 9000, 5000));
	put(WEIR_BAND_DATA, 2, 1000);
	CHECK(!data_full(&packets, 60000, 0));
	CHECK(!data_full(&bytes, 1000, 0));
	CHECK(data_full(&bytes, 1001, 0));
	CHECK(!data_full(&time, 60000, 1000));
	CHECK(data_full(&time, 1, 1001));
	put(WEIR_BAND_DATA, 1, 1);
	CHECK(data_full(&packets, 1, 0));
	weir_bands_del(&bands, WEIR_BAND_DATA, 1000);
	CHECK(!data_full(&packets, 1, 0));
	CHECK(!data_full(&bytes, 1999, 0));
	CHECK(data_full(&bytes, 2000, 0));
}

/* Headers do not fill the data band, nor the other way round. */
static void bands_header_limits(void)
{
	const struct weir_bands_limits limits = {
		.packets = 1, .headers = 2, .header_time = 1000,
	};

	bands = (struct weir_bands) { };
	put(WEIR_BAND_HEADER, 1, 128);
	CHECK(!data_full(&limits, 1500, 0));
	CHECK(!weir_bands_header_full(&bands, &limits, 1000));
	CHECK(weir_bands_header_full(&bands, &limits, 1001));
	put(WEIR_BAND_DATA, 1, 1500);
	CHECK(!weir_bands_header_full(&bands, &limits, 0));
	put(WEIR_BAND_HEADER, 1, 128);
	CHECK(weir_bands_header_full(&bands, &limits, 0));
	bands = (struct weir_bands) { };
	CHECK(!weir_bands_header_full(&bands, &limits, 5000));
}

static void bands_victims(void)
{
	struct weir_bands_limits limits = {
		.packets = 2, .bytes = 3000, .victim = WEIR_TRIM_VICTIM_ARRIVING,
	};

	bands = (struct weir_bands) { };
	put(WEIR_BAND_DATA, 2, 1000);
	CHECK(!weir_bands_swap(&bands, &limits, 1000, 1000, 1));
	limits.victim = WEIR_TRIM_VICTIM_TAIL;
	CHECK(weir_bands_swap(&bands, &limits, 1000, 1000, 0));
	CHECK(!weir_bands_swap(&bands, &limits, 1000, 0, 0));
	limits.victim = WEIR_TRIM_VICTIM_COIN;
	CHECK(weir_bands_swap(&bands, &limits, 1000, 1000, 1));
	CHECK(!weir_bands_swap(&bands, &limits, 1000, 1000, 2));
	/* The band must have room for the packet once the tail is gone. */
	limits.victim = WEIR_TRIM_VICTIM_TAIL;
	CHECK(weir_bands_swap(&bands, &limits, 2000, 1000, 0));
	CHECK(!weir_bands_swap(&bands, &limits, 2001, 1000, 0));
	bands = (struct weir_bands) { };
	put(WEIR_BAND_DATA, 1, 100);
	CHECK(weir_bands_swap(&bands, &limits, 9000, 100, 0));
}

/* Sends @n packets and says how many bytes of them were headers. */
static u64 run(const struct weir_bands_limits *limits, unsigned int n,
	       u32 data, u32 header)
{
	u64 headers = 0;

	while (n--) {
		enum weir_band_id band = weir_bands_next(&bands, limits);
		u32 len = band == WEIR_BAND_HEADER ? header : data;

		CHECK(bands.packets[band]);
		weir_bands_sent(&bands, limits, band, len);
		if (band == WEIR_BAND_HEADER)
			headers += len;
	}
	return headers;
}

static void bands_strict(void)
{
	const struct weir_bands_limits limits = { .share = WEIR_TRIM_SHARE_STRICT };

	bands = (struct weir_bands) { };
	put(WEIR_BAND_DATA, 10, 1500);
	put(WEIR_BAND_HEADER, 10, 100);
	CHECK_EQ(run(&limits, 10, 1500, 100), 1000);
	CHECK_EQ(run(&limits, 10, 1500, 100), 0);
	CHECK_EQ(bands.packets[0] + bands.packets[1], 0);
	CHECK_EQ(bands.bytes[0] + bands.bytes[1], 0);
	CHECK_EQ(weir_bands_next(&bands, &limits), WEIR_BAND_DATA);
}

/* k headers, then one packet, as long as both wait. */
static void bands_ratio(void)
{
	const struct weir_bands_limits limits = {
		.share = WEIR_TRIM_SHARE_RATIO, .share_value = 4,
	};
	int i;

	bands = (struct weir_bands) { };
	put(WEIR_BAND_HEADER, 103, 100);
	/* Alone they go on, and owe nothing for it. */
	CHECK_EQ(run(&limits, 3, 1500, 100), 300);
	put(WEIR_BAND_DATA, 20, 1500);
	for (i = 0; i < 20; i++) {
		CHECK_EQ(run(&limits, 4, 1500, 100), 400);
		CHECK_EQ(run(&limits, 1, 1500, 100), 0);
	}
	CHECK_EQ(bands.packets[WEIR_BAND_DATA], 0);
	CHECK_EQ(run(&limits, 20, 1500, 100), 2000);
	put(WEIR_BAND_DATA, 5, 1500);
	CHECK_EQ(run(&limits, 5, 1500, 100), 0);
}

static void share_bytes(u32 percent)
{
	const struct weir_bands_limits limits = {
		.share = WEIR_TRIM_SHARE_BYTES, .share_value = percent,
	};
	u64 headers, all;

	bands = (struct weir_bands) { };
	put(WEIR_BAND_DATA, 100000, 1500);
	put(WEIR_BAND_HEADER, 100000, 128);
	all = bands.bytes[0] + bands.bytes[1];
	headers = run(&limits, 20000, 1500, 128);
	CHECK(bands.packets[0] && bands.packets[1]);
	all -= bands.bytes[0] + bands.bytes[1];
	/* To within one packet. */
	CHECK(headers * 100 + 150000 >= all * percent);
	CHECK(headers * 100 <= all * percent + 150000);
}

static void bands_bytes(void)
{
	share_bytes(1);
	share_bytes(25);
	share_bytes(50);
	share_bytes(90);
}

/* A band that was idle has not saved up, and one of another policy owes nothing. */
static void bands_bytes_idle(void)
{
	struct weir_bands_limits limits = {
		.share = WEIR_TRIM_SHARE_BYTES, .share_value = 50,
	};

	bands = (struct weir_bands) { };
	put(WEIR_BAND_DATA, 1000, 1500);
	run(&limits, 900, 1500, 100);
	put(WEIR_BAND_HEADER, 1000, 100);
	CHECK_EQ(run(&limits, 2, 1500, 100), 100);
	limits = (struct weir_bands_limits) {
		.share = WEIR_TRIM_SHARE_RATIO, .share_value = 1000,
	};
	CHECK_EQ(run(&limits, 500, 1500, 100), 50000);
	limits = (struct weir_bands_limits) {
		.share = WEIR_TRIM_SHARE_BYTES, .share_value = 50,
	};
	CHECK_EQ(run(&limits, 2, 1500, 100), 100);
}

const struct ktap_test bands_tests[] = {
	KTAP_TEST(bands_data_limits),
	KTAP_TEST(bands_header_limits),
	KTAP_TEST(bands_victims),
	KTAP_TEST(bands_strict),
	KTAP_TEST(bands_ratio),
	KTAP_TEST(bands_bytes),
	KTAP_TEST(bands_bytes_idle),
};
SUITE_END(bands);
