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
	if (p->more)
		return WEIR_REASON_FRAGMENT;
	len = slow_read(data, size, at + 4, 2);
	if (at - p->ip_off + len != p->ip_len)
		return WEIR_REASON_LENGTH;
	if (!slow_has(size, at + 8, 12))
		return WEIR_REASON_RUNT;
	c->sport = slow_read(data, size, at, 2);
	c->udp_off = at;
	c->udp_len = len;
	c->payload_off = at + 20;
	c->job = data[at + 8];
	c->block = slow_read(data, size, at + 9, 4);
	c->source = data[at + 14];
	c->weight = data[at + 15];
	c->generation = slow_read(data, size, at + 16, 2);
	c->count = slow_read(data, size, at + 18, 2) % 4096;
	return data[at + 13] & (WEIR_TRIO_AGE_OP | WEIR_TRIO_DEGRADED | WEIR_TRIO_OVERFLOW) ?
	       WEIR_REASON_FLAGS : WEIR_PARSE_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct weir_contrib fast = { }, slow = { };
	struct slow_packet p;
	uint8_t *copy = malloc(size + 2);
	struct weir_cursor c;
	int ret;

	if (!copy)
		return 0;
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
	}
	free(copy);
	return 0;
}
