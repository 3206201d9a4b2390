// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "slow.h"
#include "trim_check.h"

#define UDP	17
#define TCP	6
#define NDP	199

/* Returns the first thing that does not hold, in its own words. */
#define HOLDS_OR_SAY(condition) do {	\
	if (!(condition))		\
		return #condition;	\
} while (0)

static uint16_t ip_checksum(const uint8_t *f, const struct slow_packet *p)
{
	return slow_checksum(f + p->ip_off, f[p->ip_off] % 16 * 4, 0);
}

/* The pseudo header's addresses, protocol and length. */
static uint32_t pseudo(const struct slow_packet *p, size_t l4_len)
{
	const uint8_t *src = p->ip == 4 ? p->src + 12 : p->src;
	const uint8_t *dst = p->ip == 4 ? p->dst + 12 : p->dst;
	uint32_t sum = p->proto + l4_len;
	int i;

	for (i = 0; i < (p->ip == 4 ? 4 : 16); i += 2)
		sum += src[i] * 256 + src[i + 1] + dst[i] * 256 + dst[i + 1];
	return sum;
}

/* The error of a checksum, for any addresses in its pseudo header; 0 has two forms. */
static uint16_t wrong_by(const uint8_t *f, const struct slow_packet *p, size_t l4_len)
{
	uint16_t wrong = slow_checksum(f + p->l4_off, l4_len, pseudo(p, l4_len));

	return wrong == 0xffff ? 0 : wrong;
}

/* A checksum that was left to be filled in may have any value. */
static bool as_good(const struct trim_was *was, uint16_t before, uint16_t after)
{
	return after == before || was->filled;
}

static const char *udp_fault(const uint8_t *f, size_t len, const struct slow_packet *p,
			     const struct trim_was *was, const struct slow_packet *before)
{
	size_t left = len - p->l4_off, whole = before->ip_off + before->ip_len - before->l4_off;
	size_t had = slow_read(was->data, was->len, p->l4_off + 4, 2);
	size_t has = slow_read(f, len, p->l4_off + 4, 2);
	uint16_t check = slow_read(f, len, p->l4_off + 6, 2);

	/* Of a datagram that is longer than its packet nothing can be made good. */
	if (had > whole) {
		HOLDS_OR_SAY(has == had);
		return NULL;
	}
	HOLDS_OR_SAY(has == (had < left ? had : left));
	HOLDS_OR_SAY(was->filled || !check == !slow_read(was->data, was->len, p->l4_off + 6, 2));
	if (check && has >= 8)
		HOLDS_OR_SAY(as_good(was, wrong_by(was->data, before, had), wrong_by(f, p, has)));
	return NULL;
}

/*
 * Lengths of a packet that was cut, when they are to be true; checksums are as good as they
 * were.
 */
static const char *lengths_fault(const uint8_t *f, size_t len, const struct slow_packet *p,
				 const struct trim_was *was, const struct slow_packet *before)
{
	size_t left = len - p->l4_off, whole = before->ip_off + before->ip_len - before->l4_off;

	HOLDS_OR_SAY(p->ip_off + p->ip_len == len);
	if (p->proto == UDP)
		return udp_fault(f, len, p, was, before);
	if (p->proto == TCP)
		HOLDS_OR_SAY(as_good(was, wrong_by(was->data, before, whole), wrong_by(f, p, left)));
	return NULL;
}

/* Behind which nothing may change. */
static size_t headers_end(const struct slow_packet *p, const uint8_t *f, size_t len)
{
	switch (p->proto) {
	case UDP:
		return p->l4_off + (slow_read(f, len, p->l4_off + 2, 2) == 666 ? 16 : 8);
	case TCP:
		return slow_has(len, p->l4_off, 13) ? p->l4_off + f[p->l4_off + 12] / 16 * 4 : len;
	case NDP:
		return p->l4_off + 20;
	default:
		return p->l4_off;
	}
}

static const char *ip_fault(const struct trim_was *was, const struct slow_packet *before,
			    const uint8_t *f, const struct slow_packet *after)
{
	size_t at = after->ip_off + 1;

	HOLDS_OR_SAY(after->ip == before->ip && after->ip_off == before->ip_off);
	HOLDS_OR_SAY(after->proto == before->proto && after->l4_off == before->l4_off);
	HOLDS_OR_SAY(after->dscp == was->dscp && after->vlan == before->vlan);
	/* ECN: the two bits below the DSCP. */
	if (after->ip == 4) {
		HOLDS_OR_SAY(!((f[at] ^ was->data[at]) & 3));
		HOLDS_OR_SAY(!!ip_checksum(f, after) == !!ip_checksum(was->data, before));
	} else {
		HOLDS_OR_SAY(!((f[at] ^ was->data[at]) & 0x3f));
	}
	return NULL;
}

const char *trim_marked_fault(const struct trim_was *was, const uint8_t *f, size_t len)
{
	struct slow_packet before, after;
	bool cut = len < was->len;
	const char *fault;
	size_t i;

	slow_parse(&before, was->data, was->len);
	slow_parse(&after, f, len);
	HOLDS_OR_SAY(after.ip && len <= was->len);
	fault = ip_fault(was, &before, f, &after);
	if (!fault && cut && !was->keep)
		fault = lengths_fault(f, len, &after, was, &before);
	if (fault)
		return fault;
	HOLDS_OR_SAY((cut && !was->keep) || after.ip_len == before.ip_len);
	/* Addresses and the bytes behind the headers are the packet's own. */
	HOLDS_OR_SAY(!memcmp(f, was->data, after.ip_off));
	HOLDS_OR_SAY(!memcmp(after.src, before.src, 16) && !memcmp(after.dst, before.dst, 16));
	for (i = headers_end(&before, was->data, was->len); i < len; i++)
		HOLDS_OR_SAY(f[i] == was->data[i]);
	return NULL;
}

const char *trim_eligible_fault(const uint8_t *f, size_t len)
{
	struct slow_packet p;

	slow_parse(&p, f, len);
	HOLDS_OR_SAY(p.ip && p.chain && !p.more && !p.offset && !(f[0] & 1));
	HOLDS_OR_SAY(p.ip_off + p.ip_len <= len);
	return NULL;
}

static void swap(uint8_t *a, uint8_t *b, size_t len)
{
	uint8_t byte;

	while (len--) {
		byte = *a;
		*a++ = *b;
		*b++ = byte;
	}
}

void trim_turn(uint8_t *f, size_t len)
{
	struct slow_packet p;

	slow_parse(&p, f, len);
	swap(f, f + 6, 6);
	if (p.ip == 4)
		swap(f + p.ip_off + 12, f + p.ip_off + 16, 4);
	else if (p.ip == 6)
		swap(f + p.ip_off + 8, f + p.ip_off + 24, 16);
	if ((p.proto == UDP || p.proto == TCP) && slow_has(len, p.l4_off, 4))
		swap(f + p.l4_off, f + p.l4_off + 2, 2);
}

const char *trim_returned_fault(const struct trim_was *was, const uint8_t *f, size_t len)
{
	const char *fault = "no memory";
	uint8_t *turned = malloc(len);

	if (turned) {
		memcpy(turned, f, len);
		trim_turn(turned, len);
		fault = trim_marked_fault(was, turned, len);
	}
	free(turned);
	return fault;
}
