// SPDX-License-Identifier: GPL-2.0
/* The parser of contributions (bpf/lib/weir_parse.h) against the slow one. */
#include <string.h>
#include <linux/types.h>
#include <stdbool.h>
#include <bpf/bpf_endian.h>

#include "weir_parse.h"

#include "fuzz.h"
#include "slow.h"

const volatile struct weir_format_entry weir_formats[WEIR_FORMATS_MAX] = {
	{ .port = 12000, .format = WEIR_FORMAT_TRIO },
	{ .port = 5, .format = WEIR_FORMAT_TRIO },
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

/* What is wrong with a whole IP header that leads to one of our ports. */
static int expect_ip(const struct slow_packet *p, const uint8_t *data)
{
	if (p->more)
		return WEIR_REASON_FRAGMENT;
	if (p->ip == 6)
		return is_mapped(p->src) || is_mapped(p->dst) ? WEIR_REASON_MARTIAN :
								 WEIR_PARSE_OK;
	return slow_checksum(data + p->ip_off, p->l4_off - p->ip_off, 0) ?
	       WEIR_REASON_CHECKSUM : WEIR_PARSE_OK;
}

static int expect(const struct slow_packet *p, const uint8_t *data, size_t size,
		  struct weir_contrib *c)
{
	size_t at = p->l4_off;
	int64_t len;

	if (!is_udp(p) || p->offset || !slow_has(size, at, 8))
		return WEIR_PARSE_OTHER;
	c->dport = slow_read(data, size, at + 2, 2);
	if (c->dport != 12000 && c->dport != 5)
		return WEIR_PARSE_OTHER;
	if (expect_ip(p, data))
		return expect_ip(p, data);
	len = slow_read(data, size, at + 4, 2);
	if (at - p->ip_off + len != p->ip_len)
		return WEIR_REASON_LENGTH;
	if (!slow_has(size, at + 8, 12))
		return WEIR_REASON_RUNT;
	c->sport = slow_read(data, size, at, 2);
	c->udp_off = at;
	c->udp_len = len;
	c->payload_off = at + 20 + (data[at + 18] & 0x20 ? 4 : 0);
	c->job = data[at + 8];
	c->block = slow_read(data, size, at + 9, 4);
	c->source = data[at + 14];
	c->weight = data[at + 15];
	c->generation = slow_read(data, size, at + 16, 2);
	c->count = slow_read(data, size, at + 18, 2) % 4096;
	if (data[at + 18] & (WEIR_TRIO_DOWN >> 8))
		return WEIR_REASON_DIRECTION;
	if (data[at + 13] & (WEIR_TRIO_AGE_OP | WEIR_TRIO_DEGRADED | WEIR_TRIO_OVERFLOW))
		return WEIR_REASON_FLAGS;
	if (!(data[at + 18] & 0x20))
		return WEIR_PARSE_OK;
	if (!slow_has(size, at + 20, 4))
		return WEIR_REASON_RUNT;
	c->exponent = slow_read(data, size, at + 20, 4);
	return WEIR_PARSE_OK;
}

static void parse(const uint8_t *data, size_t size)
{
	struct weir_contrib fast = { }, slow = { };
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
	slow_parse(&p, data, size);
	HOLDS(ret == expect(&p, data, size, &slow));
	if (ret == WEIR_PARSE_OK) {
		HOLDS(fast.vlan == p.vlan);
		HOLDS(!memcmp(fast.saddr, p.src, 16) && !memcmp(fast.daddr, p.dst, 16));
		HOLDS(fast.sport == slow.sport && fast.dport == slow.dport);
		HOLDS(fast.udp_off == slow.udp_off && fast.udp_len == slow.udp_len);
		HOLDS(fast.payload_off == slow.payload_off);
		HOLDS(fast.job == slow.job && fast.block == slow.block);
		HOLDS(fast.source == slow.source && fast.weight == slow.weight);
		HOLDS(fast.generation == slow.generation && fast.count == slow.count);
		HOLDS(fast.exponent == slow.exponent);
		HOLDS(!(fast.flags & WEIR_CONTRIB_EXPONENT) == (fast.payload_off == p.l4_off + 20));
	}
	free(copy);
}

/* Few find a right checksum by chance: what lies behind one is looked at, too. */
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
