// SPDX-License-Identifier: GPL-2.0
/* Packets, and their expected form after trimming. */
#include <stdio.h>
#include <string.h>

#include "cases.h"

#define UDP	17
#define TCP	6
#define NDP	199
#define ESP	50

const uint8_t trim_mac_to[6] = { 2, 0, 0, 0, 0, 1 };
const uint8_t trim_mac_from[6] = { 2, 0, 0, 0, 0, 2 };

#define DATA(n)		.class = WEIR_TRIM_DATA, .left = n
#define OTHER		.class = WEIR_TRIM_OTHER
#define HEADER		.class = WEIR_TRIM_HEADER
#define RETURNED	.class = WEIR_TRIM_RETURNED
#define CONTROL		.class = WEIR_TRIM_CONTROL
#define UNTRUSTED	.class = WEIR_TRIM_UNTRUSTED, .edge = true
#define KEEP		.keep = true
#define V6		.ipv6 = true

const struct trim_case trim_cases[] = {
	/* Packets that are cut, and where. */
	{ "IPv4 UDP", { .payload = 1400 }, DATA(128) },
	{ "IPv4 UDP, keep", { .payload = 1400 }, KEEP, DATA(128) },
	{ "IPv6 UDP", { V6, .payload = 1400 }, DATA(128) },
	{ "IPv6 UDP, keep", { V6, .payload = 1400 }, KEEP, DATA(128) },
	{ "an odd number of bytes", { .payload = 1400 }, .size = 129, DATA(129) },
	{ "an odd number, IPv6", { V6, .payload = 1401 }, .size = 255, DATA(255) },
	{ "the smallest size", { .payload = 1400 }, .size = 64, DATA(64) },
	{ "IPv4 TCP", { .proto = TCP, .payload = 1400 }, DATA(128) },
	{ "IPv4 TCP, keep", { .proto = TCP, .payload = 1400 }, KEEP, DATA(128) },
	{ "IPv6 TCP", { V6, .proto = TCP, .payload = 1400 }, DATA(128) },
	{ "TCP with options", { .proto = TCP, .tcp_options = 12,
	  .payload = 1400 }, DATA(128) },
	{ "size within TCP's options", { .proto = TCP, .tcp_options = 40,
	  .payload = 1400 }, .size = 64, DATA(94) },
	{ "size within the headers, IPv6", { V6, .exthdrs = 2, .proto = TCP,
	  .tcp_options = 40, .payload = 1000 }, .size = 64, DATA(130) },
	{ "802.1Q", { .vlans = 1, .payload = 1400 }, DATA(128) },
	{ "QinQ", { .vlans = 2, V6, .payload = 1400 }, DATA(128) },
	{ "QinQ, keep", { .vlans = 2, .payload = 1400 }, KEEP, DATA(128) },
	{ "IPv4 options", { .options = 8, .payload = 1400 }, DATA(128) },
	{ "all IPv4 options", { .options = 40, .payload = 1400 }, .size = 64,
	  DATA(82) },
	{ "all IPv4 options, keep", { .options = 40, .payload = 1400 }, KEEP,
	  DATA(128) },
	{ "IPv6 extension headers", { V6, .exthdrs = 3, .payload = 1400 },
	  DATA(128) },
	{ "IPv6 extension headers, keep", { V6, .exthdrs = 3, .payload = 1400 },
	  KEEP, DATA(128) },
	{ "routing header", { V6, .segments = 2, .payload = 1400 }, DATA(128) },
	{ "routing header, an odd number", { V6, .segments = 2, .payload = 1400 },
	  .size = 151, DATA(151) },
	{ "routing header, keep", { V6, .segments = 2, .payload = 1400 }, KEEP,
	  DATA(128) },
	{ "routing header, TCP", { V6, .segments = 2, .proto = TCP,
	  .payload = 1400 }, DATA(128) },
	{ "routing header that has been followed", { V6, .segments = 1, .exthdrs = 1,
	  .payload = 1400 }, DATA(128) },
	{ "a wrong checksum", { .wrong = 0x101, .payload = 1400 }, DATA(128) },
	{ "a wrong checksum, TCP", { V6, .proto = TCP, .wrong = 0xfffe,
	  .payload = 1401 }, .size = 131, DATA(131) },
	{ "cut behind the datagram", { .surplus = 1300, .payload = 30 }, DATA(128) },
	{ "cut in the datagram", { V6, .surplus = 50, .payload = 1350 }, DATA(128) },
	{ "atomic fragment", { V6, .fragment = 3, .payload = 1400 }, DATA(128) },
	{ "no UDP checksum", { .no_csum = true, .payload = 1400 }, DATA(128) },
	{ "no UDP checksum, IPv6", { V6, .no_csum = true, .payload = 1400 },
	  DATA(128) },
	{ "another protocol", { .proto = ESP, .payload = 1400 }, DATA(128) },
	{ "another protocol, IPv6", { V6, .proto = ESP, .payload = 1400 },
	  DATA(128) },
	{ "VXLAN", { .dport = 4789, .no_csum = true, .payload = 1450 },
	  DATA(128) },
	{ "VXLAN, IPv6", { V6, .dport = 4789, .payload = 1430 }, DATA(128) },
	{ "jumbo frame", { .payload = 8900 }, .size = 4084, DATA(4084) },
	{ "jumbo frame, IPv6", { V6, .payload = 8900 }, .size = 4083,
	  DATA(4083) },
	{ "jumbo frame, small size", { V6, .proto = TCP, .payload = 8900 },
	  DATA(128) },
	{ "NDP", { .proto = NDP, .payload = 1400 }, DATA(128) },
	{ "NDP, keep", { .proto = NDP, .payload = 1400 }, KEEP, DATA(128) },
	{ "NDP, IPv6", { V6, .proto = NDP, .payload = 1400 }, .size = 64,
	  DATA(74) },
	{ "NDP over UDP", { .dport = 666, .payload = 1400 }, DATA(128) },
	{ "NDP over UDP, keep", { .dport = 666, .payload = 1400 }, KEEP,
	  DATA(128) },
	{ "NDP over UDP, no checksum", { V6, .dport = 666, .no_csum = true,
	  .payload = 1400 }, KEEP, DATA(128) },
	{ "size within NDP's shim", { V6, .dport = 666, .payload = 1400 },
	  .size = 64, DATA(70) },
	{ "ECN: ECT(1)", { .ecn = 1, .payload = 1400 }, DATA(128) },
	{ "ECN: ECT(0)", { V6, .ecn = 2, .payload = 1400 }, DATA(128) },
	{ "ECN: CE", { .ecn = 3, .payload = 1400 }, DATA(128) },
	{ "ECN: CE, IPv6", { V6, .ecn = 3, .payload = 1400 }, KEEP, DATA(128) },
	{ "padding behind a long packet", { .payload = 200, .pad = 9 },
	  DATA(128) },
	{ "one byte to cut", { .payload = 87 }, DATA(128) },

	/* Packets that are marked, but not cut. */
	{ "as long as the size", { .payload = 86 }, DATA(0) },
	{ "shorter than the size", { .payload = 30 }, DATA(0) },
	{ "shorter than the size, IPv6", { V6, .payload = 1 }, DATA(0) },
	{ "a padded frame", { .payload = 2, .pad = 16 }, DATA(0) },
	{ "padding alone to cut", { .payload = 80, .pad = 60 }, DATA(0) },
	{ "NDP without payload", { .proto = NDP }, .size = 64, DATA(0) },

	/* Packets that come marked. */
	{ "trimmed before", { .dscp = TRIM_TRIMMED, .payload = 1400 }, HEADER },
	{ "trimmed before, IPv6", { V6, .dscp = TRIM_TRIMMED, .ecn = 3,
	  .payload = 80 }, HEADER },
	{ "trimmed before, lengths kept", { .dscp = TRIM_TRIMMED,
	  .payload = 1400, .lost = 1300 }, HEADER },
	{ "trimmed by another box", { .dscp = TRIM_LASTHOP, .payload = 80 }, HEADER },
	{ "trimmed by another box, IPv6", { V6, .dscp = TRIM_LASTHOP,
	  .payload = 1400 }, HEADER },
	{ "trimmed by another box, from an edge", { .dscp = TRIM_LASTHOP,
	  .payload = 80 }, UNTRUSTED },
	{ "control", { .dscp = TRIM_CONTROL, .payload = 80 }, CONTROL },
	{ "control, IPv6", { V6, .dscp = TRIM_CONTROL, .payload = 1400 }, CONTROL },
	{ "control, from an edge", { .dscp = TRIM_CONTROL, .payload = 80 },
	  .edge = true, OTHER },
	{ "NDP that was chopped", { .proto = NDP, .ndp = 0x80, .payload = 40 },
	  HEADER },
	{ "NDP's ACK", { .proto = NDP, .ndp = 0x02, .payload = 40 }, HEADER },
	{ "NDP's PULL over UDP", { V6, .dport = 666, .ndp = 0x08,
	  .payload = 8 }, HEADER },
	{ "on its way back", { .dscp = TRIM_RETURN, .payload = 80 }, RETURNED },
	{ "trimmed before, from an edge", { .dscp = TRIM_TRIMMED,
	  .payload = 1400 }, UNTRUSTED },
	{ "trimmed before, from an edge, IPv6", { V6, .vlans = 1, .ecn = 1,
	  .dscp = TRIM_TRIMMED, .payload = 1400 }, UNTRUSTED },
	{ "on its way back, from an edge", { .dscp = TRIM_RETURN, .ecn = 2,
	  .payload = 80 }, UNTRUSTED },
	{ "NDP that was chopped, from an edge", { .proto = NDP, .ndp = 0x80,
	  .payload = 1400 }, .edge = true, DATA(128) },
	{ "eligible, from an edge", { .payload = 1400 }, .edge = true,
	  DATA(128) },
	{ "marked, from an edge, by another than weir", { .proto = TCP,
	  .dport = TRIM_OFF_PORT, .dscp = TRIM_TRIMMED, .payload = 1400 },
	  .edge = true, OTHER },
	{ "the same on its way back", { .proto = TCP, .sport = TRIM_OFF_PORT,
	  .dscp = TRIM_TRIMMED, .payload = 1400 }, .edge = true, OTHER },
	{ "the same from no edge", { .proto = TCP, .dport = TRIM_OFF_PORT,
	  .dscp = TRIM_TRIMMED, .payload = 1400 }, HEADER },

	/* Packets that are left alone. */
	{ "another DSCP", { .dscp = -1, .payload = 1400 }, OTHER },
	{ "another DSCP, IPv6", { V6, .dscp = 46, .payload = 1400 }, OTHER },
	{ "a rule that forbids it", { .dport = TRIM_OFF_PORT, .payload = 1400 },
	  OTHER },
	{ "a source port that a rule forbids", { .sport = TRIM_OFF_PORT,
	  .payload = 1400 }, OTHER },
	{ "a source port that a rule forbids, IPv6, TCP", { V6, .proto = TCP,
	  .sport = TRIM_OFF_PORT, .payload = 1400 }, OTHER },
	{ "ARP", { .ethertype = 0x0806, .payload = 20 }, OTHER },
	{ "three tags", { .vlans = 3, .payload = 1400 }, OTHER },
	{ "multicast", { .multicast = true, .payload = 1400 }, OTHER },
	{ "multicast, IPv6", { V6, .multicast = true, .payload = 1400 }, OTHER },
	{ "first fragment", { .fragment = 1, .payload = 1400 }, OTHER },
	{ "later fragment", { .fragment = 2, .payload = 1400 }, OTHER },
	{ "first fragment, IPv6", { V6, .fragment = 1, .payload = 1400 },
	  OTHER },
	{ "later fragment, IPv6", { V6, .fragment = 2, .payload = 1400 },
	  OTHER },
	{ "seven extension headers", { V6, .exthdrs = 7, .payload = 1000 },
	  OTHER },
	{ "shorter than it says", { .payload = 1400, .lost = 100 }, OTHER },
	{ "cut in the UDP header", { .lost = 4 }, OTHER },
	{ "cut in the IPv6 header", { V6, .lost = 20 }, OTHER },
	{ "cut in the TCP header", { .proto = TCP, .tcp_options = 12,
	  .lost = 8 }, OTHER },
	{ "nothing behind the Ethernet header", { .ethertype = 0x0800,
	  .lost = 28 }, OTHER },
};

const size_t trim_cases_count = sizeof(trim_cases) / sizeof(*trim_cases);

static uint8_t *put16(uint8_t *at, unsigned int value)
{
	at[0] = value >> 8;
	at[1] = value;
	return at + 2;
}

/* One byte after the other, as if there were no better way. */
static uint32_t add_up(uint32_t sum, const uint8_t *data, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		sum += i & 1 ? data[i] : data[i] << 8;
		if (sum > 0xffff)
			sum -= 0xffff;
	}
	return sum;
}

static int proto_of(const struct trim_spec *s)
{
	return s->proto ? s->proto : UDP;
}

static int dscp_of(const struct trim_spec *s)
{
	return s->dscp == -1 ? 0 : s->dscp ? s->dscp : TRIM_DSCP;
}

static uint8_t *put_eth(const struct trim_spec *s, uint8_t *at)
{
	int i;

	memcpy(at, s->turned ? trim_mac_from : trim_mac_to, 6);
	memcpy(at + 6, s->turned ? trim_mac_to : trim_mac_from, 6);
	if (s->multicast)
		at[0] |= 1;
	at += 12;
	for (i = 0; i < s->vlans; i++) {
		at = put16(at, i + 1 < s->vlans ? 0x88a8 : 0x8100);
		at = put16(at, 0x2000 | (100 + i));
	}
	return put16(at, s->ethertype ? s->ethertype : s->ipv6 ? 0x86dd :
								 0x0800);
}

static void addr4(const struct trim_spec *s, bool sender, uint8_t *at)
{
	memcpy(at, "\x0a\x00\x00", 3);
	at[3] = sender != s->turned ? 2 : 1;
	if (s->multicast && !sender)
		at[0] = 239;
}

static void addr6(const struct trim_spec *s, bool sender, uint8_t *at)
{
	memcpy(at, "\xfd\x99\x12\x34\x56\x78\x9a\xbc\x00\x00\x00\x00\x00\x00\x00",
	       15);
	at[15] = sender != s->turned ? 2 : 1;
	if (s->multicast && !sender)
		at[0] = 0xff;
}

static uint8_t *put_ipv4(const struct trim_spec *s, uint8_t *at, int behind)
{
	int len = 20 + s->options;

	memset(at, 0, 20);
	memset(at + 20, 1, s->options);
	at[0] = 0x40 | len / 4;
	at[1] = dscp_of(s) << 2 | s->ecn;
	put16(at + 2, len + behind);
	put16(at + 4, 0x1234);
	put16(at + 6, s->fragment == 1 ? 0x2000 : s->fragment == 2 ? 0x00b9 :
								   0x4000);
	at[8] = 64;
	at[9] = proto_of(s);
	addr4(s, true, at + 12);
	addr4(s, false, at + 16);
	put16(at + 10, ~add_up(0, at, len));
	return at + len;
}

/* The receiver, to which the address in the IP header is a step. */
static const uint8_t receiver[16] = { 0xfd, 0x42, [7] = 0x99, [15] = 0x77 };

static uint8_t *put_routing(const struct trim_spec *s, uint8_t *at, int next)
{
	memset(at, 0, 24);
	at[0] = next;
	at[1] = 2;
	at[2] = 2;
	at[3] = s->segments - 1;
	memcpy(at + 8, receiver, sizeof(receiver));
	return at + 24;
}

static uint8_t *put_ipv6(const struct trim_spec *s, uint8_t *at, int behind)
{
	int exts = s->exthdrs + !!s->fragment + (s->segments ? 3 : 0), i, next;
	int last = s->fragment ? 44 : proto_of(s);
	int first = s->segments ? 43 : last;

	memset(at, 0, 40);
	at[0] = 0x60 | dscp_of(s) >> 2;
	at[1] = (dscp_of(s) & 3) << 6 | s->ecn << 4 | 0x0a;
	put16(at + 2, 0xbcde);
	put16(at + 4, exts * 8 + behind);
	at[6] = s->exthdrs ? 60 : first;
	at[7] = 64;
	addr6(s, true, at + 8);
	addr6(s, false, at + 24);
	at += 40;
	for (i = 0; i < s->exthdrs; i++) {
		next = i + 1 < s->exthdrs ? 60 : first;
		memcpy(at, "\0\0\1\4\0\0\0\0", 8);
		at[0] = next;
		at += 8;
	}
	if (s->segments)
		at = put_routing(s, at, last);
	if (s->fragment) {
		memset(at, 0, 8);
		at[0] = proto_of(s);
		put16(at + 2, s->fragment == 1 ? 1 : s->fragment == 2 ? 0x5a8 : 0);
		put16(at + 6, 0x4321);
		at += 8;
	}
	return at;
}

static uint32_t pseudo(const struct trim_spec *s, int len)
{
	uint8_t addr[32];

	if (s->ipv6) {
		addr6(s, true, addr);
		addr6(s, false, addr + 16);
		if (s->segments > 1)
			memcpy(addr + 16, receiver, sizeof(receiver));
		return add_up(proto_of(s) + len, addr, 32);
	}
	addr4(s, true, addr);
	addr4(s, false, addr + 4);
	return add_up(proto_of(s) + len, addr, 8);
}

/* Bytes of the headers behind IP. */
static int l4_len(const struct trim_spec *s)
{
	switch (proto_of(s)) {
	case UDP:
		return s->dport == 666 ? 16 : 8;
	case TCP:
		return 20 + s->tcp_options;
	case NDP:
		return 20;
	default:
		return 0;
	}
}

static void put_l4(const struct trim_spec *s, uint8_t *l4, int len)
{
	int here = s->dport ? s->dport : 5000;
	int there = s->sport ? s->sport : 40000;
	uint32_t sum;

	if (proto_of(s) == UDP || proto_of(s) == TCP) {
		put16(l4, s->turned ? here : there);
		put16(l4 + 2, s->turned ? there : here);
	}
	switch (proto_of(s)) {
	case UDP:
		put16(l4 + 4, len);
		if (s->dport == 666)
			l4[8] = s->ndp;
		if (s->no_csum)
			break;
		sum = ~add_up(pseudo(s, len) + s->wrong, l4, len) & 0xffff;
		put16(l4 + 6, sum ? sum : 0xffff);
		break;
	case TCP:
		put16(l4 + 6, 0x8765);
		l4[12] = (20 + s->tcp_options) / 4 << 4;
		l4[13] = 0x10;
		put16(l4 + 14, 512);
		memset(l4 + 20, 1, s->tcp_options);
		put16(l4 + 16, ~add_up(pseudo(s, len) + s->wrong, l4, len));
		break;
	case NDP:
		l4[1] = s->ndp;
		break;
	}
}

size_t trim_build(const struct trim_spec *s, uint8_t *frame)
{
	int len = l4_len(s) + s->payload, i;
	uint8_t *l4;

	l4 = put_eth(s, frame);
	l4 = s->ipv6 ? put_ipv6(s, l4, len + s->surplus) :
		       put_ipv4(s, l4, len + s->surplus);
	memset(l4, 0, l4_len(s));
	for (i = 0; i < s->payload; i++)
		l4[l4_len(s) + i] = i * 7 + (i >> 8);
	put_l4(s, l4, len);
	memset(l4 + len, 0x55, s->surplus);
	len += s->surplus;
	memset(l4 + len, 0xee, s->pad);
	return l4 + len + s->pad - s->lost - frame;
}

/* @c's spec once it is trimmed: of @c->left bytes, or only marked. */
static struct trim_spec trimmed_spec(const struct trim_case *c)
{
	struct trim_spec s = c->spec;
	uint8_t frame[TRIM_FRAME_MAX];
	size_t len, cut;

	s.dscp = TRIM_TRIMMED;
	if (!c->left)
		return s;
	s.ndp |= 0x80;
	len = trim_build(&s, frame) - s.pad;
	s.pad = 0;
	cut = len - c->left;
	if (c->keep) {
		s.lost = cut;
	} else if (cut > s.surplus) {
		s.payload -= cut - s.surplus;
		s.surplus = 0;
	} else {
		s.surplus -= cut;
	}
	return s;
}

size_t trim_build_trimmed(const struct trim_case *c, uint8_t *frame)
{
	struct trim_spec s = trimmed_spec(c);

	return trim_build(&s, frame);
}

size_t trim_build_returned(const struct trim_case *c, uint8_t *frame)
{
	struct trim_spec s = c->class == WEIR_TRIM_DATA ? trimmed_spec(c) :
							  c->spec;

	s.dscp = TRIM_RETURN;
	s.turned = true;
	return trim_build(&s, frame);
}

size_t trim_build_unmarked(const struct trim_case *c, uint8_t *frame)
{
	struct trim_spec s = c->spec;

	s.dscp = -1;
	return trim_build(&s, frame);
}

bool trim_same(const uint8_t *got, size_t got_len, const uint8_t *want,
	       size_t want_len)
{
	size_t i;

	if (got_len != want_len) {
		printf("# %zu bytes, not %zu\n", got_len, want_len);
		return false;
	}
	for (i = 0; i < got_len; i++) {
		if (got[i] != want[i]) {
			printf("# byte %zu of %zu: %02x, not %02x\n", i,
			       got_len, got[i], want[i]);
			return false;
		}
	}
	return true;
}
