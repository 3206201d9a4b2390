// SPDX-License-Identifier: GPL-2.0
/*
 * Values with which requests get far: few ids, so that they meet the same objects;
 * addresses that are the box's or a worker's; devices that are there. Any other value
 * that the grammar allows, and the next ones to those, come besides.
 */
#include <string.h>

#include "message.h"
#include "scene.h"

static uint64_t few_ids(struct rng *rng)
{
	return rng_below(rng, 6);
}

static uint64_t few_sources(struct rng *rng)
{
	return rng_range(rng, 1, 4);
}

static uint64_t powers(struct rng *rng)
{
	return 1ULL << rng_below(rng, rng_percent(rng, 97) ? 9 : 17);
}

static uint64_t few_grads(struct rng *rng)
{
	return rng_range(rng, 1, rng_percent(rng, 90) ? 64 : 2048);
}

static uint64_t zero(struct rng *rng)
{
	(void)rng;
	return 0;
}

static uint64_t few_ranks(struct rng *rng)
{
	return rng_range(rng, rng_percent(rng, 90) ? 32 : 0, rng_percent(rng, 90) ? 64 : 4096);
}

static uint64_t times(struct rng *rng)
{
	static const uint64_t of[] = { 0, 1, 100, 1000, 10000, 100000, 10000000 };

	return RNG_PICK(rng, of);
}

static uint64_t small(struct rng *rng)
{
	return rng_below(rng, 40);
}

static uint64_t rates(struct rng *rng)
{
	static const uint64_t of[] = { 0, 1, 1000, 65535, 1000000, 125000000, 1ULL << 40 };

	return RNG_PICK(rng, of);
}

static uint64_t sizes(struct rng *rng)
{
	return rng_range(rng, 64, 1500);
}

static uint64_t devices(struct rng *rng)
{
	return scene_ifindex(rng);
}

static uint64_t programs(struct rng *rng)
{
	return scene_program(rng);
}

/* Few, so that they meet; weir's own places are among them. */
static uint64_t places(struct rng *rng)
{
	static const uint64_t of[] = { 1, 2, 3, 50, 100, 200 };

	return RNG_PICK(rng, of);
}

static uint64_t sequences(struct rng *rng)
{
	return rng_below(rng, 4);
}

static uint64_t slots(struct rng *rng)
{
	return 1ull << rng_below(rng, 10);
}

static uint64_t cpus(struct rng *rng)
{
	return rng_below(rng, 3);
}

static uint64_t widths(struct rng *rng)
{
	return 8 * rng_range(rng, 1, 4);
}

static uint64_t hooks(struct rng *rng)
{
	return rng_range(rng, 1, 4);
}

/* The DSCPs of rules are others than those of trimmed packets. */
static uint64_t dscp_of_data(struct rng *rng)
{
	return rng_range(rng, 0, 20);
}

static uint64_t dscp_of_trimmed(struct rng *rng)
{
	return rng_range(rng, 30, 50);
}

static uint64_t dscp_of_returned(struct rng *rng)
{
	return rng_range(rng, 51, 63);
}

static uint64_t ports(struct rng *rng)
{
	return rng_percent(rng, 80) ? 12000 : rng_range(rng, 1, 65535);
}

static size_t dscps(struct rng *rng, uint8_t *to)
{
	int i;

	for (i = 0; i < 8; i++)
		to[i] = rng_below(rng, 63);
	return 8;
}

static size_t ipv6(uint8_t *to, uint8_t first, uint8_t last)
{
	memset(to, 0, 16);
	to[0] = first;
	to[1] = first == 0xff ? 0x15 : 0x99;
	to[15] = last;
	return 16;
}

static size_t ipv4(uint8_t *to, uint8_t first, uint8_t last)
{
	const uint8_t addr[4] = { first, 99, 0, last };

	memcpy(to, addr, 4);
	return 4;
}

static size_t box(struct rng *rng, uint8_t *to)
{
	return rng_percent(rng, 75) ? ipv4(to, 10, 254) : ipv6(to, 0xfd, 0xfe);
}

static size_t worker(struct rng *rng, uint8_t *to)
{
	uint8_t last = rng_range(rng, 1, 4);

	return rng_percent(rng, 75) ? ipv4(to, 10, last) : ipv6(to, 0xfd, last);
}

static size_t group(struct rng *rng, uint8_t *to)
{
	switch (rng_below(rng, 4)) {
	case 0: return ipv4(to, 0, 0);
	case 1: return ipv6(to, 0xff, rng_range(rng, 1, 3));
	default: return ipv4(to, 239, rng_range(rng, 1, 3));
	}
}

#define OFTEN(of, name, often)		{ .set = of, .attr = name, .percent = often }
#define NUMBER(of, name, often, from)	\
	{ .set = of, .attr = name, .percent = often, .value = from }
#define BYTES(of, name, often, from)	\
	{ .set = of, .attr = name, .percent = often, .bytes = from }

static const struct hint hints[] = {
	NUMBER("job", "id", 98, few_ids),
	OFTEN("job", "format", 10),
	OFTEN("job", "dtype", 30),
	OFTEN("job", "op", 30),
	OFTEN("job", "order", 30),
	NUMBER("job", "sources", 98, few_sources),
	NUMBER("job", "blocks", 98, powers),
	NUMBER("job", "grads", 98, few_grads),
	BYTES("job", "address", 98, box),
	NUMBER("job", "port", 15, ports),
	BYTES("job", "group", 20, group),
	NUMBER("job", "timeout", 50, times),
	NUMBER("job", "quorum", 30, few_sources),
	NUMBER("job", "timers", 40, few_grads),
	NUMBER("job", "dead-after", 30, times),
	OFTEN("job", "rate", 30),
	NUMBER("job", "ranks", 20, few_ranks),
	BYTES("job", "parent", 15, worker),
	NUMBER("job", "parent-source", 20, few_ids),
	NUMBER("job", "parent-port", 8, ports),
	NUMBER("job", "parent-ifindex", 10, devices),
	OFTEN("job", "parent-vlan", 10),
	NUMBER("source", "job", 95, few_ids),
	NUMBER("source", "id", 98, few_ids),
	BYTES("source", "address", 90, worker),
	NUMBER("source", "port", 20, ports),
	NUMBER("source", "ifindex", 20, devices),
	OFTEN("source", "vlan", 20),
	OFTEN("source", "rate", 30),
	NUMBER("block", "job", 60, few_ids),
	NUMBER("rate", "packets", 60, rates),
	NUMBER("rate", "packets-burst", 25, rates),
	NUMBER("rate", "bytes", 60, rates),
	NUMBER("rate", "bytes-burst", 25, rates),
	NUMBER("port", "ifindex", 98, devices),
	NUMBER("chain", "ifindex", 98, devices),
	NUMBER("chain", "prio", 98, places),
	NUMBER("chain", "fd", 95, programs),
	NUMBER("chain", "to", 40, places),
	OFTEN("chain", "file", 20),
	OFTEN("chain", "section", 20),
	NUMBER("flow", "ifindex", 98, devices),
	NUMBER("flow", "flows", 60, powers),
	NUMBER("flow", "sample", 20, few_grads),
	NUMBER("flow", "idle", 30, times),
	NUMBER("flow", "active", 30, times),
	OFTEN("flow", "trimmed", 20),
	NUMBER("flow", "rate", 40, rates),
	OFTEN("flow", "share", 30),
	OFTEN("flow", "loss", 30),
	NUMBER("flow", "source", 30, rates),
	NUMBER("flow-record", "ifindex", 50, devices),
	NUMBER("flow-record", "top", 50, few_grads),
	OFTEN("flow-record", "by", 50),
	NUMBER("filter", "ifindex", 98, devices),
	NUMBER("filter", "prio", 90, places),
	OFTEN("filter", "match", 95),
	OFTEN("filter", "file", 10),
	OFTEN("filter", "common", 10),
	OFTEN("filter", "action", 98),
	OFTEN("filter", "rate", 30),
	OFTEN("filter", "each", 20),
	NUMBER("filter", "sources", 10, few_grads),
	OFTEN("filter", "dscp", 25),
	OFTEN("filter", "more", 20),
	OFTEN("filter-match", "rule", 70),
	NUMBER("filter-match", "length", 20, sizes),
	NUMBER("filter-match", "length-last", 15, sizes),
	OFTEN("filter-match", "tcp-set", 15),
	NUMBER("filter-match", "tcp-clear", 15, zero),
	OFTEN("filter-match", "fragment", 15),
	OFTEN("filter-match", "options", 15),
	NUMBER("order", "ifindex", 98, devices),
	NUMBER("order", "prio", 98, places),
	NUMBER("order", "sequence", 60, sequences),
	NUMBER("order", "packets", 60, slots),
	NUMBER("order", "flows", 60, slots),
	NUMBER("order", "cpu", 50, cpus),
	NUMBER("order", "width", 20, widths),
	NUMBER("trim", "ifindex", 98, devices),
	NUMBER("trim", "hook", 80, hooks),
	NUMBER("trim", "size", 30, sizes),
	NUMBER("trim", "dscp", 85, dscp_of_trimmed),
	OFTEN("trim", "tc", 15),
	BYTES("trim", "tc-dscp", 15, dscps),
	NUMBER("trim", "priority", 10, small),
	NUMBER("trim", "queue", 10, zero),
	OFTEN("trim", "rule", 90),
	NUMBER("trim", "limit", 30, small),
	NUMBER("trim", "limit-time", 20, times),
	NUMBER("trim", "headers", 20, few_grads),
	NUMBER("trim", "header-time", 20, times),
	OFTEN("trim", "share", 15),
	NUMBER("trim", "share-value", 20, small),
	OFTEN("trim", "victim", 15),
	OFTEN("trim", "full", 20),
	NUMBER("trim", "return-dscp", 50, dscp_of_returned),
	NUMBER("trim", "rate", 85, rates),
	OFTEN("trim", "optimistic", 10),
	NUMBER("trim", "half", 10, small),
	NUMBER("trim", "pessimistic", 10, small),
	NUMBER("trim", "t0", 20, small),
	NUMBER("trim", "t1", 20, times),
	NUMBER("trim-rule", "dscp", 80, dscp_of_data),
	NUMBER("trim-rule", "dscp-last", 30, dscp_of_data),
	OFTEN("trim-rule", "proto", 20),
	OFTEN("trim-rule", "port", 20),
	OFTEN("trim-rule", "vlan", 20),
	OFTEN("trim-rule", "disable", 10),
};

const struct hint *hint_find(const struct grammar_set *set, const struct grammar_attr *attr)
{
	static const struct hint none = { .percent = 50 };
	size_t i;

	for (i = 0; i < sizeof(hints) / sizeof(*hints); i++)
		if (!strcmp(hints[i].set, set->name) && !strcmp(hints[i].attr, attr->name))
			return &hints[i];
	return &none;
}
