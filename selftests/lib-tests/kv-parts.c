// SPDX-License-Identifier: GPL-2.0
/* The parts of key-value streams, one by one, without a network. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kv/flight.h"
#include "kv/hash.h"
#include "kv/session.h"
#include "kv/table.h"
#include "kv/value.h"
#include "kv/wire.h"
#include "tests.h"

static const struct kv_numbers sums = { WEIR_INT32, WEIR_SUM };

/* Of the paper's appendix. */
static void hash_is_siphash(void)
{
	struct kv_secret secret = { { 0x0706050403020100, 0x0f0e0d0c0b0a0908 } };
	uint8_t bytes[15];

	for (uint8_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = i;
	CHECK(kv_hash(&secret, bytes, sizeof(bytes)) == 0xa129ca6149be45e5);
}

static void table_grows(void)
{
	struct kv_table table;
	char key[16];
	size_t length;

	CHECK_EQ(kv_table_init(&table), 0);
	CHECK(!kv_table_find(&table, "a", 1));
	for (int i = 0; i < 20000; i++) {
		length = (size_t)snprintf(key, sizeof(key), "%d", i % 7000);
		CHECK_EQ(kv_table_reserve(&table, 1, length), 0);
		kv_table_take(&table, &sums, key, length, (union kv_value) { .integer = i });
	}
	CHECK_EQ(table.count, 7000);
	CHECK_EQ(kv_table_find(&table, "6999", 4)->value.integer, 6999 + 13999);
	CHECK_EQ(kv_table_find(&table, "0", 1)->value.integer, 0 + 7000 + 14000);
	kv_table_clear(&table);
	CHECK(!kv_table_find(&table, "0", 1));
	kv_table_uninit(&table);
}

/* Sums of int64 are exact in any order; one that does not fit in the end is found. */
static void sums_in_any_order(void)
{
	static const struct kv_numbers longs = { WEIR_INT64, WEIR_SUM };
	static const int64_t value[] = { INT64_MAX, INT64_MAX, -1, INT64_MIN, INT64_MIN, 7 };
	const size_t count = sizeof(value) / sizeof(value[0]);
	const struct kv_entry *entry;
	struct kv_table table;

	CHECK_EQ(kv_table_init(&table), 0);
	for (size_t first = 0; first < count; first++)
		for (size_t step = 1; step < count; step += 4) {
			CHECK_EQ(kv_table_reserve(&table, 2, 2), 0);
			kv_table_take(&table, &longs, "b", 1, (union kv_value) { .integer = 1 });
			for (size_t i = 0; i < count; i++)
				kv_table_take(&table, &longs, "a", 1,
					      (union kv_value) { .integer = value[(first + i * step) % count] });
			CHECK_EQ(kv_table_find(&table, "a", 1)->value.integer, 4);
			CHECK(!kv_table_overflow(&table));
			kv_table_take(&table, &longs, "a", 1, (union kv_value) { .integer = INT64_MAX });
			entry = kv_table_overflow(&table);
			CHECK(entry && *kv_table_key(&table, entry) == 'a');
			kv_table_clear(&table);
			CHECK(!kv_table_overflow(&table));
		}
	kv_table_uninit(&table);
}

static union kv_value real(double value)
{
	return (union kv_value) { .real = value };
}

/* Both together; there is room. */
static union kv_value both(const struct kv_numbers *numbers, union kv_value a, union kv_value b)
{
	CHECK(kv_value_combine(numbers, &a, b));
	return a;
}

static void values_are_the_boxs(void)
{
	const struct kv_numbers least = { WEIR_FLOAT32, WEIR_MIN };
	const struct kv_numbers most = { WEIR_FLOAT32, WEIR_MAX };
	const struct kv_numbers least_integer = { WEIR_INT32, WEIR_MIN };
	const struct kv_numbers long_sums = { WEIR_INT64, WEIR_SUM };
	union kv_value low = kv_value_read(&sums, 0x80000000), much = { .integer = INT64_MAX };

	CHECK(signbit(both(&least, real(0), real(-0.0)).real));
	CHECK(!signbit(both(&most, real(-0.0), real(0)).real));
	CHECK(isnan(both(&least, real(1), real(NAN)).real));
	CHECK(isnan(both(&most, real(NAN), real(1)).real));
	CHECK_EQ(both(&sums, low, low).integer, -4294967296);
	CHECK_EQ(both(&least_integer, low, (union kv_value) { .integer = 3 }).integer, INT32_MIN);
	CHECK_EQ(kv_value_bits(&least, real(1.5)), 0x3fc00000);
	CHECK(!kv_value_fits(&least, real(1e39)));
	CHECK_EQ(kv_value_read(&long_sums, kv_value_bits(&long_sums, much)).integer, INT64_MAX);
	CHECK_EQ(kv_value_read(&long_sums, ~0ULL).integer, -1);
	CHECK(!kv_value_combine(&long_sums, &much, (union kv_value) { .integer = 1 }));
	CHECK_EQ(much.integer, INT64_MAX);
}

/* Looks at pairs behind a header; returns the reason why they are refused. */
static enum kv_fault look_at(const void *pairs, size_t length, uint8_t flags, unsigned int count)
{
	uint8_t packet[KV_PACKET_MAX + 8] = { 0 };
	struct kv_header header = { .flags = flags };
	size_t bytes;

	if (pairs)
		memcpy(packet + KV_HEADER, pairs, length);
	return kv_pairs_check(kv_pairs(&header, packet, KV_HEADER + length), count, &bytes);
}

static void pairs_that_are_wrong(void)
{
	const uint8_t paper[2 * (WEIR_KV_KEY_MAX + 4)] = "key";
	const uint8_t too_long[1 + 65 + 4] = { 65, 'a' };
	const uint8_t packed = WEIR_KV_PACKED;

	CHECK_EQ(look_at("\1a\0\0\0\1", 6, packed, 1), KV_FINE);
	CHECK_EQ(look_at("\0\0\0\0\1", 5, packed, 1), KV_BAD_KEY);
	CHECK_EQ(look_at("\2a\0\0\0\1", 6, packed, 1), KV_BAD_PAIRS);
	CHECK_EQ(look_at("\1a\0\0\0\1", 6, packed, 2), KV_BAD_PAIRS);
	CHECK_EQ(look_at("\1a\0\0\0\1\1b\0\0\0\1", 12, packed, 1), KV_BAD_PAIRS);
	CHECK_EQ(look_at(too_long, sizeof(too_long), packed, 1), KV_BAD_KEY);
	CHECK_EQ(look_at(NULL, WEIR_KV_BYTES_MAX + 1, packed, 1), KV_BAD_PAIRS);
	CHECK_EQ(look_at(paper, WEIR_KV_KEY_MAX + 4, 0, 1), KV_FINE);
	CHECK_EQ(look_at(paper, WEIR_KV_KEY_MAX + 3, 0, 1), KV_BAD_PAIRS);
	CHECK_EQ(look_at(paper, sizeof(paper), 0, 2), KV_BAD_KEY);
	CHECK_EQ(look_at("abc", 3, 0, 1), KV_BAD_PAIRS);
}

static void packets_in_any_order(void)
{
	struct kv_session session = { .number = 1, .base = UINT32_MAX };

	CHECK(kv_session_expects(&session, 1, false));
	CHECK(!kv_session_expects(&session, 63, false));
	kv_session_take(&session, 1, false);
	CHECK(kv_session_has(&session, 1) && !kv_session_has(&session, 0));
	CHECK(!kv_session_expects(&session, 0, true));
	kv_session_take(&session, UINT32_MAX, false);
	CHECK_EQ(session.base, 0);
	kv_session_take(&session, 0, false);
	CHECK_EQ(session.base, 2);
	CHECK(!session.more);
	kv_session_take(&session, 3, true);
	CHECK(!kv_session_is_whole(&session));
	CHECK(kv_session_has(&session, 3));
	CHECK(!kv_session_expects(&session, 4, false) && !kv_session_expects(&session, 2, true));
	kv_session_take(&session, 2, false);
	CHECK(kv_session_is_whole(&session));
}

static void acknowledge(struct kv_flight *flight, uint32_t seq, uint64_t more, uint64_t now)
{
	const struct kv_header header = { .seq = seq, .more = more, .window = 64 };

	CHECK(kv_flight_acked(flight, &header, now));
}

/* Three later ones tell of a loss; the timer of one that had none behind it. */
static void losses_are_found(void)
{
	static struct kv_flight flight;
	uint64_t now = NSEC_PER_SEC;

	CHECK_EQ(kv_flight_init(&flight, 16), 0);
	flight.next = 6;
	CHECK(kv_flight_may_send(&flight));
	kv_flight_sent(&flight, kv_flight_packet(&flight, 0), now);
	CHECK(!kv_flight_may_send(&flight));
	acknowledge(&flight, 1, 0, now + 1);
	while (kv_flight_may_send(&flight))
		kv_flight_sent(&flight, kv_flight_packet(&flight, flight.unsent), now + 2);
	CHECK_EQ(flight.under_way, 5);
	acknowledge(&flight, 1, 3, now + 3);
	CHECK(!kv_flight_lost(&flight, now + 3));
	acknowledge(&flight, 1, 7, now + 4);
	CHECK(kv_flight_lost(&flight, now + 4) == kv_flight_packet(&flight, 1));
	kv_flight_sent(&flight, kv_flight_packet(&flight, 1), now + 4);
	CHECK(!kv_flight_lost(&flight, now + 4));
	acknowledge(&flight, 5, 0, now + 5);
	CHECK_EQ(flight.under_way, 1);
	now = kv_flight_expiry(&flight);
	kv_flight_expire(&flight, now);
	CHECK(kv_flight_lost(&flight, now) == kv_flight_packet(&flight, 5));
	kv_flight_sent(&flight, kv_flight_packet(&flight, 5), now);
	CHECK(kv_flight_expiry(&flight) >= now + 2 * RTO_FLOOR);
	CHECK(!kv_flight_acked(&flight, &(struct kv_header) { .seq = 7 }, now));
	kv_flight_uninit(&flight);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(hash_is_siphash),
	KTAP_TEST(table_grows),
	KTAP_TEST(sums_in_any_order),
	KTAP_TEST(values_are_the_boxs),
	KTAP_TEST(pairs_that_are_wrong),
	KTAP_TEST(packets_in_any_order),
	KTAP_TEST(losses_are_found),
};

const struct test_table kv_parts_table = { tests, sizeof(tests) / sizeof(tests[0]) };
