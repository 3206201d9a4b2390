// SPDX-License-Identifier: GPL-2.0
/* The two bands of a port: limits, victims, and shares of the link. */
#include "kernel.h"

#include <uapi/weir_trim_nl.h>

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

static void bands_other_limit(void)
{
	struct weir_bands_limits limits = { .packets = 1 };

	bands = (struct weir_bands) { };
	CHECK(!weir_bands_other_full(&bands, &limits, 0, 0));
	put(WEIR_BAND_DATA, 5, 1500);
	put(WEIR_BAND_OTHER, 1, 1500);
	CHECK(weir_bands_other_full(&bands, &limits, 0, 0));
	CHECK(!weir_bands_other_full(&bands, &limits, 2, 0));
	CHECK(!weir_bands_other_full(&bands, &limits, 0, 1));
	limits.others = U32_MAX;
	CHECK(!weir_bands_other_full(&bands, &limits, 1, U32_MAX));
	/* Packets of the other band do not fill the data band, nor do those fill it. */
	bands = (struct weir_bands) { };
	put(WEIR_BAND_OTHER, 5, 1500);
	CHECK(!weir_bands_data_full(&bands, &limits, 1500, U64_MAX));
}

/**
 * struct sent - bytes that went, a band
 */
struct sent {
	u64 bytes[WEIR_BANDS];
};

/* Sends packets while all bands that had some have one. */
static struct sent race(const struct weir_bands_limits *limits,
			const u32 len[WEIR_BANDS])
{
	struct sent sent = { };
	u32 had[WEIR_BANDS];
	int i;

	for (i = 0; i < WEIR_BANDS; i++)
		had[i] = bands.packets[i];
	for (;;) {
		enum weir_band_id band = weir_bands_next(&bands, limits);

		weir_bands_sent(&bands, limits, band, len[band]);
		sent.bytes[band] += len[band];
		for (i = 0; i < WEIR_BANDS; i++)
			if (had[i] && !bands.packets[i])
				return sent;
	}
}

/* Of two bands of whole packets each gets half of the bytes, whatever its packets' lengths. */
static void bands_other_half(void)
{
	const struct weir_bands_limits limits = { .share = WEIR_TRIM_SHARE_STRICT };
	static const u32 len[][WEIR_BANDS] = {
		{ 1500, 128, 1500 }, { 1500, 128, 64 }, { 9000, 128, 65000 },
	};
	struct sent sent;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(len); i++) {
		bands = (struct weir_bands) { };
		put(WEIR_BAND_DATA, 20000, len[i][WEIR_BAND_DATA]);
		put(WEIR_BAND_OTHER, 20000, len[i][WEIR_BAND_OTHER]);
		sent = race(&limits, len[i]);
		/* To within two packets. */
		CHECK(sent.bytes[WEIR_BAND_DATA] <=
		      sent.bytes[WEIR_BAND_OTHER] + 2 * 65000);
		CHECK(sent.bytes[WEIR_BAND_OTHER] <=
		      sent.bytes[WEIR_BAND_DATA] + 2 * 65000);
		CHECK_EQ(bands.packets[WEIR_BAND_HEADER], 0);
	}
}

/* Headers are paid for by the traffic that was trimmed. */
static void bands_headers_paid(void)
{
	const struct weir_bands_limits limits = {
		.share = WEIR_TRIM_SHARE_RATIO, .share_value = 10,
	};
	const u32 len[WEIR_BANDS] = { 1500, 128, 1500 };
	struct sent sent;

	bands = (struct weir_bands) { };
	put(WEIR_BAND_DATA, 20000, 1500);
	put(WEIR_BAND_HEADER, 20000, 128);
	put(WEIR_BAND_OTHER, 20000, 1500);
	sent = race(&limits, len);
	CHECK(sent.bytes[WEIR_BAND_OTHER] * 100 >=
	      49 * (sent.bytes[0] + sent.bytes[1] + sent.bytes[2]));
	CHECK(sent.bytes[WEIR_BAND_DATA]);
}

/* A band whose one long packet leaves it empty still owes the other one as many bytes. */
static void bands_debt(void)
{
	const struct weir_bands_limits limits = { .share = WEIR_TRIM_SHARE_STRICT };
	u64 data = 0, other = 0;
	int i;

	bands = (struct weir_bands) { };
	put(WEIR_BAND_DATA, 10000, 1500);
	for (i = 0; i < 5000; i++) {
		enum weir_band_id band;

		if (!bands.packets[WEIR_BAND_OTHER])
			put(WEIR_BAND_OTHER, 1, 65000);
		band = weir_bands_next(&bands, &limits);
		weir_bands_sent(&bands, &limits, band,
				band == WEIR_BAND_OTHER ? 65000 : 1500);
		if (band == WEIR_BAND_OTHER)
			other += 65000;
		else
			data += 1500;
	}
	CHECK(other <= data + 65000 && data <= other + 65000);
}

/* No band saves up credit while another is empty, and an idle port forgets debts. */
static void bands_other_idle(void)
{
	const struct weir_bands_limits limits = { .share = WEIR_TRIM_SHARE_STRICT };

	bands = (struct weir_bands) { };
	put(WEIR_BAND_DATA, 1000, 1500);
	run(&limits, 900, 1500, 100);
	put(WEIR_BAND_OTHER, 1000, 1500);
	CHECK_EQ(weir_bands_next(&bands, &limits), WEIR_BAND_DATA);
	run(&limits, 1, 1500, 100);
	CHECK_EQ(weir_bands_next(&bands, &limits), WEIR_BAND_OTHER);
	run(&limits, 1, 1500, 100);
	CHECK_EQ(weir_bands_next(&bands, &limits), WEIR_BAND_DATA);

	bands = (struct weir_bands) { };
	put(WEIR_BAND_OTHER, 1, 65000);
	put(WEIR_BAND_HEADER, 1, 100);
	bands.lead = -10;
	run(&limits, 1, 65000, 100);
	weir_bands_sent(&bands, &limits, WEIR_BAND_OTHER, 65000);
	CHECK_EQ(bands.lead, 0);
	CHECK_EQ(bands.bytes[WEIR_BAND_OTHER], 0);
}

const struct ktap_test bands_tests[] = {
	KTAP_TEST(bands_data_limits),
	KTAP_TEST(bands_header_limits),
	KTAP_TEST(bands_victims),
	KTAP_TEST(bands_strict),
	KTAP_TEST(bands_ratio),
	KTAP_TEST(bands_bytes),
	KTAP_TEST(bands_bytes_idle),
	KTAP_TEST(bands_other_limit),
	KTAP_TEST(bands_other_half),
	KTAP_TEST(bands_headers_paid),
	KTAP_TEST(bands_debt),
	KTAP_TEST(bands_other_idle),
};
SUITE_END(bands);
