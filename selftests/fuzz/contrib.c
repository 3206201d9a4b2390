// SPDX-License-Identifier: GPL-2.0
/* The parser of contributions (bpf/lib/format/weir_parse.h) against the slow one. */
#include <string.h>
#include <linux/types.h>
#include <stdbool.h>
#include <bpf/bpf_endian.h>

#include "format/weir_parse.h"

#include "fuzz.h"
#include "slow.h"

const volatile struct weir_format_entry weir_formats[WEIR_FORMATS_MAX] = {
	{ .port = 12000, .format = WEIR_FORMAT_TRIO },
	{ .port = 5, .format = WEIR_FORMAT_TRIO },
	{ .port = 8000, .format = WEIR_FORMAT_LAB },
	{ .port = 0x8777, .format = WEIR_FORMAT_LAB_ETHERNET },
	{ .port = 48864, .format = WEIR_FORMAT_SWITCHML },
	{ .port = 6, .format = WEIR_FORMAT_SWITCHML },
	{ .port = 12056, .format = WEIR_FORMAT_PANAMA },
	{ .port = 12064, .format = WEIR_FORMAT_KV },
};

/* IPv6: the fast one follows so many extension headers, and no more. */
static bool is_udp(const struct slow_packet *p)
{
	return p->ip && p->chain && p->extensions <= WEIR_EXTHDRS_MAX && p->proto == 17;
}

static bool is_mapped(const uint8_t *address)
{
	static const uint8_t prefix[12] = { [10] = 0xff, 0xff };

	return !memcmp(address, prefix, sizeof(prefix));
}

static bool is_switchml(uint16_t port)
{
	return port == 48864 || port == 6;
}

/* The expected reason for a whole IP header that leads to one of our ports. */
static int expect_ip(const struct slow_packet *p, const uint8_t *data, uint16_t port)
{
	if (p->more)
		return WEIR_REASON_FRAGMENT;
	if (p->ip == 6)
		return is_mapped(p->src) || is_mapped(p->dst) ? WEIR_REASON_MARTIAN :
								 WEIR_PARSE_OK;
	if (is_switchml(port) && !data[p->ip_off + 10] && !data[p->ip_off + 11])
		return WEIR_PARSE_OK;
	return slow_checksum(data + p->ip_off, p->l4_off - p->ip_off, 0) ?
	       WEIR_REASON_CHECKSUM : WEIR_PARSE_OK;
}

/* Format lab, of which there are @len bytes from @at on. */
static int expect_lab(const uint8_t *data, size_t size, size_t at, int64_t len,
		      struct weir_contrib *c)
{
	int64_t count = slow_read(data, size, at + 4, 4), head;

	if (len < 8 || !slow_has(size, at, 8))
		return WEIR_REASON_RUNT;
	if (count < 1 || count > 16383)
		return WEIR_REASON_LENGTH;
	head = len - 4 * count;
	if (head != 8 && head != 12 && head != 21 && head != 25)
		return WEIR_REASON_LENGTH;
	c->flags = WEIR_CONTRIB_UNNAMED | (c->flags & WEIR_CONTRIB_LINK);
	c->payload_off = at + head;
	c->weight = 1;
	c->count = count;
	c->said[0] = slow_read(data, size, at, 4);
	if (head > 20) {
		if (!slow_has(size, at, 21))
			return WEIR_REASON_RUNT;
		c->said[1] = slow_read(data, size, at + 8, 4);
		c->said[2] = slow_read(data, size, at + 12, 4);
		c->said[3] = slow_read(data, size, at + 16, 4);
		c->generation = data[at + 20];
		if (c->said[1] == 0xffffffff)
			return WEIR_REASON_DIRECTION;
	}
	if (head == 8 || head == 21)
		return WEIR_PARSE_OK;
	if (!slow_has(size, at, head))
		return WEIR_REASON_RUNT;
	c->exponent = slow_read(data, size, at + head - 4, 4);
	c->flags |= WEIR_CONTRIB_EXPONENT;
	return WEIR_PARSE_OK;
}

/* Bytes of a frame that are not there to make it as long as the shortest. */
static int64_t unpadded(const uint8_t *data, size_t size, size_t at, int64_t len)
{
	int64_t basic = 8 + 4 * slow_read(data, size, at + 4, 4), i;

	if (len > 46 || !slow_has(size, at, 8) || basic >= len)
		return len;
	if (len == basic + 4 || len == basic + 13 || len == basic + 17)
		return len;
	for (i = basic; i < 46; i++)
		if (slow_read(data, size, at + i, 1) > 0)
			return len;
	return basic;
}

static void expect_link_addr(__be32 *to, const uint8_t *mac)
{
	uint8_t addr[16] = { [9] = 1 };

	memcpy(addr + 10, mac, 6);
	memcpy(to, addr, sizeof(addr));
}

/* A frame of @len bytes without IP, as far as its kind. */
static int expect_frame(const struct slow_packet *p, const uint8_t *data, size_t size,
			size_t len, struct weir_contrib *c)
{
	if (p->type == 0x0806)
		return WEIR_PARSE_ARP;
	if (p->type != 0x8777)
		return WEIR_PARSE_OTHER;
	c->flags = WEIR_CONTRIB_LINK;
	c->udp_off = p->ip_off;
	expect_link_addr(c->saddr, data + 6);
	expect_link_addr(c->daddr, data);
	len = unpadded(data, size, p->ip_off, len - p->ip_off);
	if (len > 65535)
		return WEIR_REASON_LENGTH;
	c->udp_len = len;
	return expect_lab(data, size, p->ip_off, len, c);
}

/* SwitchML, in the UDP datagram at @at. */
static int expect_switchml(const uint8_t *data, size_t size, size_t at, struct weir_contrib *c)
{
	size_t head = at + 8;
	int i;

	if (!slow_has(size, head, 10))
		return WEIR_REASON_RUNT;
	c->payload_off = head + 10;
	if (c->sport == c->dport)
		return WEIR_REASON_DIRECTION;
	if (data[head] / 16 != 1 || (data[head] % 16 != 1 && data[head] % 16 != 3))
		return WEIR_REASON_FLAGS;
	c->count = data[head] % 16 == 1 ? 64 : 256;
	c->weight = 1;
	c->generation = data[head + 1];
	for (i = 0; i < 4; i++)
		c->block += (uint32_t)data[head + 2 + i] << 8 * i;
	c->said[0] = data[head];
	c->said[1] = slow_read(data, size, head + 6, 2);
	c->said[2] = data[head + 8] + 256 * data[head + 9];
	c->flags = WEIR_CONTRIB_UNNAMED;
	return WEIR_PARSE_OK;
}

/* An acknowledgment, which comes from a worker that has joined, and has nothing else. */
static bool is_ack(const uint8_t *data, size_t at)
{
	return (data[at + 13] & 0xf7) == 0x40 && data[at + 18] == 0x80 && !data[at + 19];
}

/* A contribution without gradients, or without need of the result's, of a worker that has joined. */
static bool is_share(const uint8_t *data, size_t at)
{
	return data[at + 13] & 0x50 && !(data[at + 13] & 0x27) && data[at + 18] & 0x80 &&
	       (data[at + 18] & 0x0f || data[at + 19]);
}

static uint16_t expect_trio_flags(const uint8_t *data, size_t at)
{
	if (data[at + 18] & 0x50)
		return (data[at + 18] & 0x40 ? WEIR_CONTRIB_DOWN : 0) |
		       (data[at + 18] & 0x10 ? WEIR_CONTRIB_UP : 0);
	if (is_ack(data, at))
		return WEIR_CONTRIB_ACK;
	return (data[at + 13] & 0x40 ? WEIR_CONTRIB_EMPTY : 0) |
	       (data[at + 13] & 0x10 ? WEIR_CONTRIB_BRIEF : 0);
}

/* Trio-ML, in the UDP datagram at @at. */
static int expect_trio(const uint8_t *data, size_t size, size_t at, struct weir_contrib *c)
{
	if (!slow_has(size, at + 8, 12))
		return WEIR_REASON_RUNT;
	c->payload_off = at + 20 + (data[at + 18] & 0x20 ? 4 : 0);
	c->job = data[at + 8];
	c->block = slow_read(data, size, at + 9, 4);
	c->source = data[at + 14];
	c->weight = data[at + 15];
	c->generation = slow_read(data, size, at + 16, 2);
	c->count = slow_read(data, size, at + 18, 2) % 4096;
	if (data[at + 18] & 0x50)
		c->said[0] = data[at + 13];
	else if (data[at + 13] & (WEIR_TRIO_AGE_OP | WEIR_TRIO_DEGRADED | WEIR_TRIO_OVERFLOW) &&
		 !is_ack(data, at) && !is_share(data, at) &&
		 ((data[at + 13] & 0xf7) != 0x80 || !(data[at + 18] & 0x80)))
		return WEIR_REASON_FLAGS;
	c->flags = expect_trio_flags(data, at) |
		   (data[at + 13] & 1 ? WEIR_CONTRIB_JOIN : 0) |
		   (data[at + 13] & 8 ? WEIR_CONTRIB_FINAL : 0) |
		   (data[at + 13] & 0x80 ? WEIR_CONTRIB_LITTLE : 0) |
		   (data[at + 18] & 0x80 ? WEIR_CONTRIB_JOINED : 0);
	if (!(data[at + 18] & 0x20))
		return WEIR_PARSE_OK;
	if (!slow_has(size, at + 20, 4))
		return WEIR_REASON_RUNT;
	c->exponent = slow_read(data, size, at + 20, 4);
	c->flags |= WEIR_CONTRIB_EXPONENT;
	return WEIR_PARSE_OK;
}

/* PANAMA, in the UDP datagram at @at. */
static int expect_panama(const uint8_t *data, size_t size, size_t at, struct weir_contrib *c)
{
	int64_t job, bytes = c->udp_len - 24;
	bool down;

	if (!slow_has(size, at + 8, 16) || bytes < 0)
		return WEIR_REASON_RUNT;
	down = data[at + 8] == 0x12;
	if (!down && (data[at + 8] != 0x11 || data[at + 9] > 3))
		return WEIR_REASON_FLAGS;
	if (!down && (bytes == 0 || bytes % 4 != 0))
		return WEIR_REASON_LENGTH;
	job = slow_read(data, size, at + 10, 2) * 16 + data[at + 12];
	c->job = job > 255 || data[at + 12] > 15 ? 256 : job;
	c->source = data[at + 13];
	c->said[0] = slow_read(data, size, at + 14, 2);
	c->said[1] = data[at + 9];
	c->block = slow_read(data, size, at + 16, 4);
	c->generation = slow_read(data, size, at + 20, 2);
	c->weight = slow_read(data, size, at + 22, 2);
	c->count = bytes / 4;
	c->flags = (data[at + 9] & 1 ? WEIR_CONTRIB_FINAL : 0) |
		   (down ? WEIR_CONTRIB_DOWN : data[at + 9] & 2 ? WEIR_CONTRIB_UP : 0);
	c->payload_off = at + 24;
	return WEIR_PARSE_OK;
}

/* A key-value stream, in the UDP datagram at @at. */
static int expect_kv(const uint8_t *data, size_t size, size_t at, struct weir_contrib *c)
{
	uint8_t kind, flags;
	bool odd;

	if (!slow_has(size, at + 8, 28) || c->udp_len < 36)
		return WEIR_REASON_RUNT;
	kind = data[at + 8];
	flags = data[at + 9];
	c->payload_off = at + 36;
	if (kind == 0x11)
		odd = flags & 0x41 || (flags & 0x08 && (flags & 0x26 || slow_read(data, size, at + 16, 2)));
	else
		odd = kind != 0x12 || (flags & ~0x09) != 0xc0;
	if (odd || !(flags & 0x80))
		return WEIR_REASON_FLAGS;
	c->job = slow_read(data, size, at + 12, 2);
	c->source = slow_read(data, size, at + 14, 2);
	c->count = slow_read(data, size, at + 16, 2);
	c->generation = slow_read(data, size, at + 18, 2);
	c->block = slow_read(data, size, at + 20, 4);
	c->weight = 1;
	c->said[0] = slow_read(data, size, at + 24, 4);
	c->said[1] = slow_read(data, size, at + 28, 4);
	c->said[2] = slow_read(data, size, at + 32, 4);
	c->said[3] = data[at + 11] * 65536 + data[at + 10] * 256 + flags;
	c->flags = kind == 0x12 ? WEIR_CONTRIB_DOWN : 0;
	return WEIR_PARSE_OK;
}

static bool is_port(const struct slow_packet *p, uint16_t port)
{
	if (port == 12056)
		return p->ip == 4 && p->dscp == 56;
	return port == 12000 || port == 12064 || port == 5 || port == 8000 || is_switchml(port);
}

static int expect_own(const uint8_t *data, size_t size, size_t at, struct weir_contrib *c)
{
	if (c->dport == 12056)
		return expect_panama(data, size, at, c);
	if (c->dport == 12064)
		return expect_kv(data, size, at, c);
	if (c->dport == 8000)
		return expect_lab(data, size, at + 8, c->udp_len - 8, c);
	if (is_switchml(c->dport))
		return expect_switchml(data, size, at, c);
	return expect_trio(data, size, at, c);
}

/* A join is 12 bytes of Trio's header, with 0x01 among the flags, and 32 more. */
static bool is_join(const uint8_t *data, size_t size, size_t at, const struct weir_contrib *c)
{
	return c->udp_len == 8 + 12 + 32 && slow_has(size, at + 8, 12) && data[at + 13] & 1;
}

static int expect_format(const uint8_t *data, size_t size, size_t at, struct weir_contrib *c)
{
	struct weir_contrib own = *c;
	int reason = expect_own(data, size, at, &own);

	if (!reason || !is_join(data, size, at, c)) {
		*c = own;
		return reason;
	}
	return expect_trio(data, size, at, c);
}

static int expect(const struct slow_packet *p, const uint8_t *data, size_t size, size_t len,
		  struct weir_contrib *c)
{
	size_t at = p->l4_off;

	if (p->type != 0x0800 && p->type != 0x86dd)
		return expect_frame(p, data, size, len, c);
	if (!is_udp(p) || p->offset || !slow_has(size, at, 8))
		return WEIR_PARSE_OTHER;
	c->dport = slow_read(data, size, at + 2, 2);
	if (!is_port(p, c->dport))
		return WEIR_PARSE_OTHER;
	if (expect_ip(p, data, c->dport))
		return expect_ip(p, data, c->dport);
	c->udp_len = slow_read(data, size, at + 4, 2);
	if (at - p->ip_off + c->udp_len != p->ip_len)
		return WEIR_REASON_LENGTH;
	memcpy(c->saddr, p->src, sizeof(c->saddr));
	memcpy(c->daddr, p->dst, sizeof(c->daddr));
	c->sport = slow_read(data, size, at, 2);
	c->udp_off = at;
	c->tos = p->ip == 4 ? data[p->ip_off + 1] : data[p->ip_off + 1] >> 4 & 3;
	return expect_format(data, size, at, c);
}

/* Some frames are longer than the part that can be looked at. */
static size_t frame_len(const uint8_t *data, size_t size)
{
	return size > 2 && data[0] & 2 ? size + data[1] * 512 + data[2] : size;
}

static void parse(const uint8_t *data, size_t size)
{
	struct weir_contrib fast = { }, slow = { };
	size_t len = frame_len(data, size);
	struct slow_packet p;
	uint8_t *copy = malloc(size + 2);
	struct weir_cursor c;
	int ret;

	if (!copy)
		return;
	/* As a driver lays it: the IP header is aligned. */
	memcpy(copy + 2, data, size);
	c = (struct weir_cursor){ .start = copy + 2, .pos = copy + 2, .end = copy + 2 + size };
	ret = weir_parse(&c, &fast);
	if (ret == WEIR_PARSE_FRAME)
		ret = weir_parse_frame(&c, &fast, len);
	slow_parse(&p, data, size);
	HOLDS(ret == expect(&p, data, size, len, &slow));
	if (ret == WEIR_PARSE_OK) {
		HOLDS(fast.vlan == p.vlan);
		HOLDS(!memcmp(fast.saddr, slow.saddr, 16) && !memcmp(fast.daddr, slow.daddr, 16));
		HOLDS(fast.sport == slow.sport && fast.dport == slow.dport);
		HOLDS(fast.udp_off == slow.udp_off && fast.udp_len == slow.udp_len);
		HOLDS(fast.payload_off == slow.payload_off);
		HOLDS(fast.job == slow.job && fast.block == slow.block);
		HOLDS(fast.source == slow.source && fast.weight == slow.weight);
		HOLDS(fast.generation == slow.generation && fast.count == slow.count);
		HOLDS(fast.exponent == slow.exponent && fast.flags == slow.flags);
		HOLDS(fast.tos == slow.tos);
		HOLDS(!memcmp(fast.said, slow.said, sizeof(fast.said)));
	}
	if (ret == WEIR_PARSE_ARP)
		HOLDS(fast.udp_off == p.ip_off && fast.vlan == p.vlan);
	free(copy);
}

/* Few find a right checksum by chance: so the bytes behind one are tried with it mended, too. */
static void parse_mended(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size);
	struct slow_packet p;
	uint16_t sum;

	if (!copy)
		return;
	memcpy(copy, data, size);
	slow_parse(&p, data, size);
	if (p.ip == 4 && p.l4_off <= size) {
		memset(copy + p.ip_off + 10, 0, 2);
		sum = slow_checksum(copy + p.ip_off, p.l4_off - p.ip_off, 0);
		copy[p.ip_off + 10] = sum / 256;
		copy[p.ip_off + 11] = sum % 256;
		parse(copy, size);
	}
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	parse(data, size);
	parse_mended(data, size);
	return 0;
}
