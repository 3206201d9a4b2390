// SPDX-License-Identifier: GPL-2.0
/* Headers of frames, built here byte for byte; and rules about them. */
#include "kernel.h"

#include "xdp/packet/headers.h"
#include "xdp/packet/rule.h"
#include "unit.h"

/**
 * struct frame - a frame that is built
 * @at: where the next byte goes; ASan sees reads behind the memory
 */
struct frame {
	u8 *bytes;
	unsigned int at;
};

static void put8(struct frame *frame, u8 byte)
{
	frame->bytes[frame->at++] = byte;
}

static void put16(struct frame *frame, u16 number)
{
	put8(frame, number >> 8);
	put8(frame, number);
}

static void put32(struct frame *frame, u32 number)
{
	put16(frame, number >> 16);
	put16(frame, number);
}

static void put_link(struct frame *frame, const u16 *vlans, unsigned int tags, u16 proto)
{
	unsigned int i;

	for (i = 0; i < 12; i++)
		put8(frame, i);
	for (i = 0; i < tags; i++) {
		put16(frame, 0x8100);
		put16(frame, 0xe000 | vlans[i]);
	}
	put16(frame, proto);
}

/* @words: of options; @fragment: the field with offset and flags */
static void put_ipv4(struct frame *frame, u8 proto, unsigned int words, u16 fragment)
{
	put8(frame, 0x45 + words);
	put8(frame, 0xb9);
	put16(frame, 1000);
	put16(frame, 7);
	put16(frame, fragment);
	put8(frame, 64);
	put8(frame, proto);
	put16(frame, 0);
	put32(frame, 0x0a000001);
	put32(frame, 0x0a000102);
	while (words--)
		put32(frame, 0x01010101);
}

static void put_ipv6(struct frame *frame, u8 next)
{
	unsigned int i;

	put32(frame, 0x6b912345);
	put16(frame, 1000);
	put8(frame, next);
	put8(frame, 64);
	for (i = 0; i < 32; i++)
		put8(frame, 0x20 + i);
}

/* The first 14 bytes of TCP's header, or ports and six more of others. */
static void put_ports(struct frame *frame)
{
	put16(frame, 4791);
	put16(frame, 5004);
	put32(frame, 1);
	put32(frame, 2);
	put8(frame, 0x50);
	put8(frame, 0x12);
}

/* A frame in memory that ends with it. */
static struct weir_headers parse(const struct frame *frame, unsigned int len)
{
	u8 *copy = malloc(len ?: 1);
	struct xdp_buff xdp = { .data = copy, .data_end = copy + len };
	struct weir_headers headers;

	memcpy(copy, frame->bytes, len);
	memset(&headers, 0xa5, sizeof(headers));
	weir_headers_parse(&headers, &xdp);
	free(copy);
	return headers;
}

static void is_ports(const struct weir_headers *headers, u16 sport, u16 dport)
{
	CHECK_EQ(ntohs(headers->key.sport), sport);
	CHECK_EQ(ntohs(headers->key.dport), dport);
}

/* A header of TCP that is complete is read at another place than one that is cut after its flags. */
static void headers_ipv4(void)
{
	struct frame frame = { .bytes = (u8[128]){} };
	struct weir_headers headers;
	unsigned int len;

	put_link(&frame, NULL, 0, 0x0800);
	put_ipv4(&frame, IPPROTO_TCP, 0, 0x4000);
	put_ports(&frame);
	for (len = frame.at; len <= frame.at + sizeof(struct tcphdr); len++) {
		headers = parse(&frame, len);
		CHECK_EQ(headers.key.ip, 4);
		CHECK_EQ(headers.key.proto, IPPROTO_TCP);
		CHECK_EQ(ntohl(headers.key.src[0]), 0x0a000001);
		CHECK_EQ(ntohl(headers.key.dst[0]), 0x0a000102);
		CHECK(!headers.key.src[1] && !headers.key.dst[3]);
		CHECK_EQ(headers.tos, 0xb9);
		CHECK_EQ(headers.tcp_flags, 0x12);
		CHECK_EQ(headers.l3, 14);
		CHECK_EQ(headers.l4, 34);
		CHECK_EQ(headers.len, len);
		CHECK_EQ(headers.flags, 0);
		is_ports(&headers, 4791, 5004);
	}
}

static void headers_tags(void)
{
	const u16 vlans[] = { 100, 200, 300 };
	struct frame frame = { .bytes = (u8[128]){} };
	struct weir_headers headers;
	unsigned int tags;

	for (tags = 1; tags <= 3; tags++) {
		frame.at = 0;
		put_link(&frame, vlans, tags, 0x0800);
		put_ipv4(&frame, IPPROTO_UDP, 0, 0);
		put_ports(&frame);
		headers = parse(&frame, frame.at);
		CHECK_EQ(headers.key.vlan, 100);
		CHECK_EQ(headers.key.ip, tags > 2 ? 0 : 4);
		is_ports(&headers, tags > 2 ? 0 : 4791, tags > 2 ? 0 : 5004);
		CHECK_EQ(headers.tcp_flags, 0);
	}
}

static void headers_options(void)
{
	struct frame frame = { .bytes = (u8[128]){} };
	struct weir_headers headers;

	put_link(&frame, NULL, 0, 0x0800);
	put_ipv4(&frame, IPPROTO_UDP, 2, 0);
	put_ports(&frame);
	headers = parse(&frame, frame.at);
	CHECK_EQ(headers.flags, WEIR_HEADERS_OPTIONS);
	CHECK_EQ(headers.l4, 42);
	is_ports(&headers, 4791, 5004);
}

/* The ports of a first fragment, which a frame's headers do not have. */
static struct weir_headers parse_first(const struct frame *frame)
{
	struct xdp_buff xdp = { .data = frame->bytes, .data_end = frame->bytes + frame->at };
	struct weir_headers headers;

	weir_headers_parse(&headers, &xdp);
	weir_headers_first(&headers, &xdp);
	return headers;
}

/* All fragments of a datagram are of one flow, so the first one's ports do not count. */
static void headers_fragments(void)
{
	const u16 fields[] = { 0x2000, 0x2010, 0x0020 };
	struct frame frame = { .bytes = (u8[128]){} };
	struct weir_headers headers;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		frame.at = 0;
		put_link(&frame, NULL, 0, 0x0800);
		put_ipv4(&frame, IPPROTO_UDP, 0, fields[i]);
		put_ports(&frame);
		headers = parse(&frame, frame.at);
		CHECK_EQ(headers.flags, WEIR_HEADERS_FRAGMENT);
		CHECK_EQ(headers.l4, 0);
		is_ports(&headers, 0, 0);
		headers = parse_first(&frame);
		CHECK_EQ(headers.l4, fields[i] == 0x2000 ? 34 : 0);
		is_ports(&headers, headers.l4 ? 4791 : 0, headers.l4 ? 5004 : 0);
	}
}

/* Of IPv6 the first fragment is known by its header, behind which further ones may stand. */
static void headers_first_ipv6(void)
{
	const u16 fields[] = { 0x0001, 0x0009, 0x0008 };
	struct frame frame = { .bytes = (u8[160]){} };
	struct weir_headers headers;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		frame.at = 0;
		put_link(&frame, NULL, 0, 0x86dd);
		put_ipv6(&frame, NEXTHDR_FRAGMENT);
		put32(&frame, NEXTHDR_DEST << 24 | fields[i]);
		put32(&frame, 9);
		put32(&frame, IPPROTO_UDP << 24);
		put32(&frame, 0);
		put_ports(&frame);
		headers = parse_first(&frame);
		CHECK_EQ(headers.flags, WEIR_HEADERS_FRAGMENT);
		CHECK_EQ(headers.key.proto, i ? NEXTHDR_DEST : IPPROTO_UDP);
		CHECK_EQ(headers.l4, i ? 0 : 70);
		is_ports(&headers, i ? 0 : 4791, i ? 0 : 5004);
	}
}

static bool is_unparsed(const struct frame *frame)
{
	return parse(frame, frame->at).flags & WEIR_HEADERS_UNPARSED;
}

/* Packets that may have ports that are not found, and packets that have none. */
static void headers_unparsed(void)
{
	const u16 vlans[] = { 100, 200, 300 };
	const struct { u16 proto; bool unparsed; } links[] = {
		{ 0x8847, true }, { 0x8848, true }, { 0x8864, true }, { 0x8100, true },
		{ 0x88a8, true }, { 0x0806, false }, { 0x88cc, false }, { 0x8863, false },
		{ 0x0026, false },
	};
	struct frame frame = { .bytes = (u8[256]){} };
	unsigned int i, count;

	for (i = 0; i < ARRAY_SIZE(links); i++) {
		frame.at = 0;
		put_link(&frame, vlans, 2, links[i].proto);
		frame.at += 40;
		CHECK_EQ(is_unparsed(&frame), links[i].unparsed);
	}
	for (count = 1; count < 9; count++) {
		frame.at = 0;
		put_link(&frame, NULL, 0, 0x86dd);
		put_ipv6(&frame, NEXTHDR_DEST);
		for (i = 1; i <= count; i++) {
			put32(&frame, (i < count ? NEXTHDR_DEST : IPPROTO_TCP) << 24);
			put32(&frame, 0);
		}
		put_ports(&frame);
		CHECK_EQ(is_unparsed(&frame), count > 6);
	}
	/* A protocol without ports, and one whose header is cut. */
	for (i = 0; i < 2; i++) {
		frame.at = 0;
		put_link(&frame, NULL, 0, 0x0800);
		put_ipv4(&frame, i ? IPPROTO_UDP : IPPROTO_ICMP, 0, 0);
		CHECK_EQ(is_unparsed(&frame), i);
	}
	frame.bytes[14] = 0x44;
	CHECK(is_unparsed(&frame));
}

static void headers_ipv6(void)
{
	struct frame frame = { .bytes = (u8[128]){} };
	const u8 protos[] = { IPPROTO_UDP, IPPROTO_TCP };
	struct weir_headers headers;
	unsigned int i, len;

	for (i = 0; i < ARRAY_SIZE(protos); i++) {
		frame.at = 0;
		put_link(&frame, NULL, 0, 0x86dd);
		put_ipv6(&frame, protos[i]);
		put_ports(&frame);
		for (len = frame.at; len <= frame.at + sizeof(struct tcphdr); len++) {
			headers = parse(&frame, len);
			CHECK_EQ(headers.key.ip, 6);
			CHECK_EQ(headers.key.proto, protos[i]);
			CHECK_EQ(headers.tos, 0xb9);
			CHECK_EQ(headers.tcp_flags, i ? 0x12 : 0);
			CHECK_EQ(ntohl(headers.key.src[0]), 0x20212223);
			CHECK_EQ(ntohl(headers.key.dst[3]), 0x3c3d3e3f);
			CHECK_EQ(headers.l3, 14);
			CHECK_EQ(headers.l4, 54);
			CHECK_EQ(headers.len, len);
			CHECK_EQ(headers.flags, 0);
			is_ports(&headers, 4791, 5004);
		}
	}
}

static void headers_extensions(void)
{
	struct frame frame = { .bytes = (u8[128]){} };
	struct weir_headers headers;

	put_link(&frame, NULL, 0, 0x86dd);
	put_ipv6(&frame, NEXTHDR_HOP);
	put32(&frame, IPPROTO_UDP << 24 | 1 << 16);
	frame.at += 12;
	put_ports(&frame);
	headers = parse(&frame, frame.at);
	CHECK_EQ(headers.key.proto, IPPROTO_UDP);
	CHECK_EQ(headers.l4, 70);
	is_ports(&headers, 4791, 5004);

	frame.at = 14;
	put_ipv6(&frame, NEXTHDR_FRAGMENT);
	put32(&frame, IPPROTO_UDP << 24);
	put32(&frame, 9);
	put_ports(&frame);
	headers = parse(&frame, frame.at);
	CHECK_EQ(headers.key.proto, IPPROTO_UDP);
	CHECK_EQ(headers.flags, WEIR_HEADERS_FRAGMENT);
	is_ports(&headers, 0, 0);
}

/* Wherever a frame ends, nothing behind is read, and no field is made up. */
static void headers_cut(void)
{
	const u16 vlans[] = { 100 };
	struct frame frame = { .bytes = (u8[128]){} };
	struct weir_headers headers;
	unsigned int len;

	put_link(&frame, vlans, 1, 0x86dd);
	put_ipv6(&frame, NEXTHDR_DEST);
	put32(&frame, IPPROTO_TCP << 24);
	put32(&frame, 0);
	put_ports(&frame);
	for (len = 0; len <= frame.at; len++) {
		headers = parse(&frame, len);
		CHECK_EQ(headers.key.ip, len < 58 ? 0 : 6);
		CHECK_EQ(headers.key.proto, len < 58 ? 0 : len < 66 ? NEXTHDR_DEST : IPPROTO_TCP);
		is_ports(&headers, len < 70 ? 0 : 4791, len < 70 ? 0 : 5004);
		CHECK_EQ(headers.tcp_flags, len < 80 ? 0 : 0x12);
		CHECK_EQ(headers.flags, len < 80 ? WEIR_HEADERS_UNPARSED : 0);
	}
}

static void headers_noise(void)
{
	struct frame frame = { .bytes = (u8[128]){} };
	unsigned int i, round;

	for (round = 0; round < 200000; round++) {
		frame.at = 0;
		put_link(&frame, NULL, 0, round & 1 ? 0x86dd : 0x0800);
		for (i = frame.at; i < 128; i++)
			frame.bytes[i] = random();
		frame.bytes[14] = (round & 1 ? 0x60 : 0x40) | (frame.bytes[14] & 15);
		frame.bytes[20] = round & 1 ? (u8[]){ 0, 43, 44, 60 }[round / 2 % 4] : frame.bytes[20];
		parse(&frame, random() % 129);
	}
}

/* Behind the first word the addresses of IPv4 are 0, and are not in its hash. */
static bool is_zero(const struct weir_flow_key *key, unsigned int bit)
{
	return key->ip == 4 && bit % 128 >= 32 && bit < 8 * offsetof(struct weir_flow_key, sport);
}

static void hash_of(u8 ip)
{
	struct weir_flow_key key = { .ip = ip, .proto = IPPROTO_UDP }, other;
	u32 hash = weir_flow_key_hash(&key);
	unsigned int i, same = 0;

	for (i = 0; i < 8 * sizeof(key); i++) {
		other = key;
		other.word[i / 64] ^= 1ULL << i % 64;
		CHECK(!weir_flow_key_equal(&key, &other));
		same += !is_zero(&key, i) && weir_flow_key_hash(&other) == hash;
	}
	CHECK(weir_flow_key_equal(&key, &key));
	CHECK(same < 3);
}

/* The most flows in one of 4,096 buckets, of 4,096 with addresses in sequence. */
static u32 longest_chain(u8 ip)
{
	struct weir_flow_key key = { .ip = ip, .proto = IPPROTO_UDP };
	u32 first = random(), longest = 0, i, *in;
	u32 chain[4096] = { };

	for (i = 0; i < ARRAY_SIZE(chain); i++) {
		key.src[ip == 4 ? 0 : 3] = htonl(first + i);
		in = &chain[weir_flow_key_hash(&key) % ARRAY_SIZE(chain)];
		longest = max(longest, ++*in);
	}
	return longest;
}

static void headers_hash_spreads_flows_in_sequence(void)
{
	u32 round, chain, longest = 0, bad = 0;

	/* Of 32,000 secrets 51 made a chain of more than 14 flows, the longest of 23. */
	for (round = 0; round < 3200; round++) {
		weir_flow_hash_init();
		chain = longest_chain(round % 2 ? 4 : 6);
		longest = max(longest, chain);
		bad += chain > 14;
	}
	CHECK(bad <= 14);
	CHECK(longest <= 64);
}

static void headers_hash(void)
{
	weir_flow_hash_init();
	hash_of(4);
	hash_of(6);
}

static struct weir_trim_rule rule_of(u64 dscps)
{
	return (struct weir_trim_rule) { .dscps = dscps };
}

static bool matches(struct weir_trim_rule rule, const struct weir_headers *headers)
{
	weir_trim_rule_mask(&rule);
	return weir_rule_match(&rule, headers, 5);
}

static void rule_fields(void)
{
	struct weir_headers headers = {
		.key = { .src = { htonl(0x0a000001) }, .dst = { htonl(0x0a000102) },
			 .sport = htons(1), .dport = htons(2), .vlan = 3, .proto = 17, .ip = 4 },
		.tos = 46 << 2 | 3,
	};
	struct weir_trim_rule rule = rule_of(U64_MAX);

	CHECK(matches(rule, &headers));
	rule.what = (union weir_trim_what) { .port = 2, .vlan = 3, .sport = 1, .proto = 17, .ip = 4 };
	rule.dscps = 1ULL << 46;
	rule.from = 5;
	rule.src = (struct weir_trim_prefix) { { htonl(0x0a000000) }, { htonl(0xff000000) } };
	rule.dst = (struct weir_trim_prefix) { { htonl(0x0a000102) }, { ~0u } };
	CHECK(matches(rule, &headers));
#define DIFFERS(field, value) do {			\
	struct weir_trim_rule other = rule;		\
	other.field = value;				\
	CHECK(!matches(other, &headers));		\
} while (0)
	DIFFERS(what.port, 3);
	DIFFERS(what.vlan, 4);
	DIFFERS(what.sport, 2);
	DIFFERS(what.proto, 6);
	DIFFERS(what.ip, 6);
	DIFFERS(dscps, ~(1ULL << 46));
	DIFFERS(from, 6);
	DIFFERS(src.addr[0], htonl(0x0b000000));
	DIFFERS(dst.addr[0], htonl(0x0a000103));
}

static void rule_without_ip(void)
{
	const struct weir_headers headers = {};

	CHECK(matches(rule_of(U64_MAX), &headers));
	CHECK(!matches(rule_of(1), &headers));
}

const struct ktap_test headers_tests[] = {
	KTAP_TEST(headers_ipv4),
	KTAP_TEST(headers_tags),
	KTAP_TEST(headers_options),
	KTAP_TEST(headers_fragments),
	KTAP_TEST(headers_first_ipv6),
	KTAP_TEST(headers_unparsed),
	KTAP_TEST(headers_ipv6),
	KTAP_TEST(headers_extensions),
	KTAP_TEST(headers_cut),
	KTAP_TEST(headers_noise),
	KTAP_TEST(headers_hash),
	KTAP_TEST(headers_hash_spreads_flows_in_sequence),
	KTAP_TEST(rule_fields),
	KTAP_TEST(rule_without_ip),
};
SUITE_END(headers);
