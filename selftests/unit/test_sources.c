// SPDX-License-Identifier: GPL-2.0
/* Sources that are policed by themselves: each beside a policer that it has alone. */
#include "kernel.h"

#include <uapi/weir_xdp_nl.h>

#include "xdp/base/notify.h"
#include "xdp/filter/sources.h"
#include "xdp/packet/headers.h"
#include "unit.h"

#define SOURCES	64

static const struct weir_rate_config config = {
	.packets = 1000, .packets_burst = 20, .bytes = 100000, .bytes_burst = 65535,
};

static const struct weir_sources_owner owner = { .ifindex = 3, .prio = 7 };

/* Events that listeners have received. */
static struct weir_sources_seen heard[64];
static u32 heard_count;

static void hear(const struct weir_sources_owner *of, const struct weir_sources_seen *seen)
{
	CHECK_EQ(of->ifindex, owner.ifindex);
	CHECK_EQ(of->prio, owner.prio);
	CHECK_EQ(mock_locks, 0);
	if (heard_count < ARRAY_SIZE(heard))
		heard[heard_count++] = *seen;
}

static const struct weir_xdp_notify listener = { .filter_source = hear };

static struct weir_headers packet(u32 source, u8 ip, u32 len)
{
	struct weir_headers headers = { .len = len };

	headers.key.ip = ip;
	headers.key.src[0] = htonl(source);
	headers.key.src[3] = htonl(source * 7);
	return headers;
}

static enum weir_sources_verdict take_packet(struct weir_sources *sources,
					     const struct weir_headers *headers, const u8 *mac)
{
	struct weir_source_key key;

	weir_source_key(&key, headers, mac);
	return weir_sources_take(sources, &key, headers->len, mock_ns);
}

static enum weir_sources_verdict take(struct weir_sources *sources, u32 source, u32 len)
{
	const struct weir_headers headers = packet(source, 4, len);

	return take_packet(sources, &headers, (u8[ETH_ALEN]){});
}

/* Once over all rows. */
static void scan(struct weir_sources *sources)
{
	do {
		sources->scan.work.func(&sources->scan.work);
	} while (sources->next);
}

static void sources_alone(void)
{
	struct weir_sources *sources = weir_sources_make(&config, 4096, 0);
	struct weir_rate rate[SOURCES];
	u32 i, over = 0;

	for (i = 0; i < SOURCES; i++)
		weir_rate_init(&rate[i], &config);
	for (i = 0; i < 200000; i++) {
		u32 source = random() % SOURCES, len = 60 + random() % 1400;
		bool below = weir_rate_spend(&rate[source], mock_ns, 1, len);

		CHECK_EQ(take(sources, source, len), below ? WEIR_SOURCES_PASS : WEIR_SOURCES_OVER);
		over += !below;
		mock_ns += random() % 200000;
		if (!(random() % 100))
			scan(sources);
	}
	CHECK(over > 10000 && over < 190000);
	weir_sources_free(sources);
}

/* Each key is another source: the second packet of a key is above the rate, the first is not. */
static void is_source_of_its_own(struct weir_sources *sources, const struct weir_headers *headers,
				 const u8 *mac)
{
	CHECK_EQ(take_packet(sources, headers, mac), WEIR_SOURCES_PASS);
	CHECK_EQ(take_packet(sources, headers, mac), WEIR_SOURCES_OVER);
}

/* An address of IPv4 and the same first bits of IPv6 are two; the rest of IPv6 does not count. */
static void sources_versions(void)
{
	static const struct weir_rate_config one = { .packets = 1, .packets_burst = 1 };
	struct weir_sources *sources = weir_sources_make(&one, 64, 0);
	struct weir_headers v4 = packet(1, 4, 60), v6 = packet(1, 6, 60);
	const u8 mac[ETH_ALEN] = { 2 };

	is_source_of_its_own(sources, &v4, mac);
	is_source_of_its_own(sources, &v6, mac);
	v6.key.src[2] = htonl(77);
	CHECK_EQ(take_packet(sources, &v6, mac), WEIR_SOURCES_OVER);
	v6.key.src[1] = htonl(77);
	is_source_of_its_own(sources, &v6, mac);
	weir_sources_free(sources);
}

/* The same address in two VLANs is two sources, of IP and of the link. */
static void sources_vlans(void)
{
	static const struct weir_rate_config one = { .packets = 1, .packets_burst = 1 };
	struct weir_sources *sources = weir_sources_make(&one, 64, 0);
	struct weir_headers v4 = packet(1, 4, 60), none = { .len = 60 };
	const u8 mac[ETH_ALEN] = { 2 };
	u16 vlan;

	for (vlan = 0; vlan < 3; vlan++) {
		v4.key.vlan = none.key.vlan = vlan;
		is_source_of_its_own(sources, &v4, mac);
		is_source_of_its_own(sources, &none, mac);
	}
	weir_sources_free(sources);
}

/*
 * The last 64 bits of a link-local address identify a source, the first 64 of any other one. A
 * neighbour and a network with the same 64 bits are two sources.
 */
static void sources_neighbours(void)
{
	static const struct weir_rate_config one = { .packets = 1, .packets_burst = 1 };
	struct weir_sources *sources = weir_sources_make(&one, 64, 0);
	struct weir_headers local = packet(0, 6, 60), none = { .len = 60 }, far = packet(0, 6, 60);
	u8 mac[ETH_ALEN] = { 2 };
	u32 i;

	local.key.src[0] = htonl(0xfe800000);
	for (i = 1; i < 4; i++) {
		local.key.src[3] = htonl(i);
		mac[5] = i;
		far.key.src[1] = htonl(i);
		is_source_of_its_own(sources, &local, mac);
		is_source_of_its_own(sources, &none, mac);
		is_source_of_its_own(sources, &far, mac);
	}
	weir_sources_free(sources);
}

/* One row: the first have room, and all others one rate together. */
static void sources_crowded(void)
{
	static const struct weir_rate_config ten = { .packets = 1000, .packets_burst = 10 };
	struct weir_sources *sources = weir_sources_make(&ten, 1, 0);
	u32 i, passed = 0;

	CHECK_EQ(sources->rows, 1);
	for (i = 0; i < WEIR_SOURCES_WAYS; i++)
		CHECK_EQ(take(sources, i, 60), WEIR_SOURCES_PASS);
	for (i = 0; i < 100; i++) {
		enum weir_sources_verdict verdict = take(sources, 100 + i, 60);

		CHECK(verdict == WEIR_SOURCES_CROWDED || verdict == WEIR_SOURCES_CROWDED_OVER);
		passed += verdict == WEIR_SOURCES_CROWDED;
	}
	CHECK_EQ(passed, 10);
	/* The known ones have what they had, and no more than that. */
	for (i = 0; i < WEIR_SOURCES_WAYS * 9; i++)
		CHECK_EQ(take(sources, i % WEIR_SOURCES_WAYS, 60), WEIR_SOURCES_PASS);
	CHECK_EQ(take(sources, 0, 60), WEIR_SOURCES_OVER);
	weir_sources_free(sources);
}

/* A place is free when its bucket is full, and not before; nobody gains by being forgotten. */
static void sources_forgotten(void)
{
	static const struct weir_rate_config two = { .packets = 1000, .packets_burst = 2 };
	struct weir_sources *sources = weir_sources_make(&two, 1, 0);
	u32 i;

	for (i = 0; i < WEIR_SOURCES_WAYS; i++)
		take(sources, i, 60);
	mock_ns += NSEC_PER_SEC / 1000 - 1;
	scan(sources);
	CHECK_EQ(sources->known, WEIR_SOURCES_WAYS);
	CHECK_EQ(take(sources, 100, 60), WEIR_SOURCES_CROWDED);
	mock_ns += 1;
	CHECK_EQ(take(sources, 101, 60), WEIR_SOURCES_PASS);
	scan(sources);
	CHECK_EQ(sources->known, 1);
	CHECK_EQ(take(sources, 101, 60), WEIR_SOURCES_PASS);
	CHECK_EQ(take(sources, 101, 60), WEIR_SOURCES_OVER);
	weir_sources_free(sources);
}

static u64 addr_of(u32 source)
{
	return packet(source, 4, 0).key.word[0];
}

/*
 * Whatever the secret, a network's addresses find the room that others find: of 40,000 secrets the worst
 * left 465 of 500 known.
 */
static void sources_in_sequence(void)
{
	struct weir_sources *sources;
	u32 round, i, first;

	for (round = 0; round < 200; round++) {
		sources = weir_sources_make(&config, 1024, 0);
		first = random();
		for (i = 0; i < 500; i++)
			take(sources, first + i, 60);
		scan(sources);
		CHECK(sources->known >= 440);
		weir_sources_free(sources);
	}
}

/* A source above the rate is dropped for the time, then as any other; both are told once. */
static void sources_guarded(void)
{
	static const struct weir_rate_config five = { .packets = 1000, .packets_burst = 5 };
	struct weir_sources *sources = weir_sources_make(&five, 64, NSEC_PER_SEC);
	const struct weir_xdp_notify *before = weir_xdp_notify;
	u32 i;

	weir_xdp_notify = &listener;
	heard_count = 0;
	weir_sources_start(sources, &owner);
	for (i = 0; i < 5; i++)
		CHECK_EQ(take(sources, 1, 60), WEIR_SOURCES_PASS);
	CHECK_EQ(take(sources, 1, 60), WEIR_SOURCES_BLOCK);
	CHECK_EQ(take(sources, 2, 60), WEIR_SOURCES_PASS);
	scan(sources);
	scan(sources);
	CHECK_EQ(heard_count, 1);
	CHECK(heard[0].state == WEIR_XDP_FILTER_STATE_BLOCKED && heard[0].key.addr == addr_of(1) &&
	      heard[0].key.kind == WEIR_SOURCE_IPV4 && heard[0].left == NSEC_PER_SEC && heard[0].dropped == 1);
	CHECK_EQ(sources->known, 2);
	CHECK_EQ(sources->blocked, 1);
	/* Its bucket is full long before. */
	mock_ns += NSEC_PER_SEC - 1;
	for (i = 0; i < 10; i++)
		CHECK_EQ(take(sources, 1, 60), WEIR_SOURCES_OVER);
	scan(sources);
	CHECK_EQ(sources->known, 1);
	mock_ns += 1;
	scan(sources);
	CHECK_EQ(heard_count, 2);
	CHECK(heard[1].state == WEIR_XDP_FILTER_STATE_FREE && heard[1].key.addr == addr_of(1) &&
	      !heard[1].left && heard[1].dropped == 11);
	CHECK_EQ(take(sources, 1, 60), WEIR_SOURCES_PASS);
	scan(sources);
	CHECK_EQ(heard_count, 2);
	weir_xdp_notify = before;
	weir_sources_free(sources);
}

/* A source that is blocked again before listeners have heard that it was free is reported again. */
static void sources_blocked_again(void)
{
	static const struct weir_rate_config one = { .packets = 1000, .packets_burst = 1 };
	struct weir_sources *sources = weir_sources_make(&one, 64, NSEC_PER_SEC);
	const struct weir_xdp_notify *before = weir_xdp_notify;
	u32 i;

	weir_xdp_notify = &listener;
	heard_count = 0;
	weir_sources_start(sources, &owner);
	for (i = 1; i <= 3; i++) {
		CHECK_EQ(take(sources, 1, 60), WEIR_SOURCES_PASS);
		CHECK_EQ(take(sources, 1, 60), WEIR_SOURCES_BLOCK);
		scan(sources);
		CHECK_EQ(heard_count, i);
		CHECK_EQ(heard[i - 1].state, WEIR_XDP_FILTER_STATE_BLOCKED);
		CHECK_EQ(heard[i - 1].dropped, 1);
		mock_ns += NSEC_PER_SEC;
	}
	weir_xdp_notify = before;
	weir_sources_free(sources);
}

/* Blocked sources keep their places; a thousand at once are few messages. */
static void sources_told(void)
{
	static const struct weir_rate_config none = { .packets = 1, .packets_burst = 1 };
	struct weir_sources *sources = weir_sources_make(&none, 2048, NSEC_PER_SEC);
	const struct weir_xdp_notify *before = weir_xdp_notify;
	u32 i, named = 0, others = 0, blocked = 0;

	weir_xdp_notify = &listener;
	heard_count = 0;
	weir_sources_start(sources, &owner);
	for (i = 0; i < 500; i++) {
		u32 source = random();

		take(sources, source, 60);
		blocked += take(sources, source, 60) == WEIR_SOURCES_BLOCK;
	}
	sources->scan.work.func(&sources->scan.work);
	CHECK_EQ(heard_count, 9);
	CHECK_EQ(heard[8].state, WEIR_XDP_FILTER_STATE_BLOCKED);
	while (sources->next) {
		heard_count = 0;
		sources->scan.work.func(&sources->scan.work);
		for (i = 0; i < heard_count; i++) {
			named += !heard[i].others;
			others += heard[i].others;
		}
	}
	CHECK_EQ(sources->blocked, blocked);
	CHECK(blocked > 450 && named == 15 * 8);
	CHECK(named + others < blocked && named + others > blocked * 14 / 16);
	weir_xdp_notify = before;
	weir_sources_free(sources);
}

static int take_down(void *to, const struct weir_sources_seen *seen)
{
	u32 *room = to;

	if (!*room)
		return -EMSGSIZE;
	--*room;
	heard[heard_count++] = *seen;
	return 0;
}

static void sources_listed(void)
{
	static const struct weir_rate_config one = { .packets = 1, .packets_burst = 1 };
	struct weir_sources *sources = weir_sources_make(&one, 512, NSEC_PER_SEC);
	u32 i, room, blocked = 0;
	long at = 0;

	heard_count = 0;
	for (i = 0; i < 20; i++)
		take(sources, i, 60);
	take(sources, 7, 60);
	for (i = 0; i < 4; i++) {
		room = 6;
		CHECK_EQ(weir_sources_dump(sources, &at, take_down, &room), i < 3 ? -EMSGSIZE : 0);
	}
	CHECK_EQ(heard_count, 20);
	for (i = 0; i < 20; i++)
		blocked += heard[i].state == WEIR_XDP_FILTER_STATE_BLOCKED &&
			   heard[i].key.addr == addr_of(7);
	CHECK_EQ(blocked, 1);
	weir_sources_free(sources);
}

static void sources_memory(void)
{
	struct weir_sources *sources;
	long i;

	for (i = 0; i < 2; i++) {
		mock_fail_after = i;
		CHECK(!weir_sources_make(&config, 4096, 0));
		mock_fail_after = -1;
	}
	sources = weir_sources_make(&config, 4096, 0);
	CHECK_EQ(sources->rows, 512);
	weir_sources_start(sources, &owner);
	CHECK(sources->scan.queued);
	weir_sources_stop(sources);
	CHECK(!sources->scan.queued);
	weir_sources_free(sources);
	weir_sources_free(NULL);
}

const struct ktap_test sources_tests[] = {
	KTAP_TEST(sources_alone),
	KTAP_TEST(sources_versions),
	KTAP_TEST(sources_vlans),
	KTAP_TEST(sources_neighbours),
	KTAP_TEST(sources_crowded),
	KTAP_TEST(sources_in_sequence),
	KTAP_TEST(sources_forgotten),
	KTAP_TEST(sources_guarded),
	KTAP_TEST(sources_blocked_again),
	KTAP_TEST(sources_told),
	KTAP_TEST(sources_listed),
	KTAP_TEST(sources_memory),
};
SUITE_END(sources);
