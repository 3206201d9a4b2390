// SPDX-License-Identifier: GPL-2.0
/*
 * What trimming does to any frame (bpf/lib/weir_trim_*.h), against the slow parser
 * and checksums made byte by byte. The input: a byte of flags, the policy's size
 * in two bytes, then a frame.
 */
#include <string.h>
#include <linux/types.h>

#include "weir_trim_class.h"

#include "trim/sum.h"
#include "weir_trim_mark.h"

#include "fuzz.h"
#include "slow.h"

#define INPUT_KEEP	0x1
#define INPUT_RETURN	0x2
#define INPUT_EDGE	0x4

#define TRIMMED		48
#define RETURNED	40

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

/* Lengths and checksums of what was cut, when they are to be true. */
static void check_lengths(const uint8_t *f, size_t len, const struct slow_packet *p)
{
	size_t l4_len = len - p->l4_off;

	HOLDS(p->ip_off + p->ip_len == len);
	if (p->proto == 17) {
		HOLDS(slow_read(f, len, p->l4_off + 4, 2) == (int64_t)l4_len);
		if (slow_read(f, len, p->l4_off + 6, 2))
			HOLDS(slow_checksum(f + p->l4_off, l4_len, pseudo(p, l4_len)) == 0);
	} else if (p->proto == 6) {
		HOLDS(slow_checksum(f + p->l4_off, l4_len, pseudo(p, l4_len)) == 0);
	}
}

static void check_marked(const uint8_t *was, const uint8_t *f, size_t len,
			 const struct weir_trim_policy *policy,
			 const struct weir_trim_pkt *pkt)
{
	struct slow_packet before, after;
	bool cut = len < pkt->len;
	size_t i;

	slow_parse(&before, was, pkt->len);
	slow_parse(&after, f, len);
	HOLDS(after.ip == before.ip && after.ip_off == before.ip_off);
	HOLDS(after.proto == before.proto && after.l4_off == before.l4_off);
	HOLDS(after.dscp == policy->dscp && after.vlan == before.vlan);
	/* ECN: the two bits below the DSCP. */
	if (after.ip == 4) {
		HOLDS(!((f[after.ip_off + 1] ^ was[after.ip_off + 1]) & 3));
		HOLDS(!!ip_checksum(f, &after) == !!ip_checksum(was, &before));
	} else {
		HOLDS(!((f[after.ip_off + 1] ^ was[after.ip_off + 1]) & 0x3f));
	}
	if (cut && !(policy->flags & WEIR_TRIM_KEEP_LENGTH))
		check_lengths(f, len, &after);
	else
		HOLDS(after.ip_len == before.ip_len);
	/* Addresses and what lies behind the headers are the packet's own. */
	HOLDS(!memcmp(f, was, after.ip_off));
	HOLDS(!memcmp(after.src, before.src, 16) && !memcmp(after.dst, before.dst, 16));
	for (i = pkt->headers; i < len; i++)
		HOLDS(f[i] == was[i]);
}

static void check_returned(const uint8_t *was, const uint8_t *f, size_t len)
{
	struct slow_packet before, after;

	slow_parse(&before, was, len);
	slow_parse(&after, f, len);
	HOLDS(!memcmp(f, was + 6, 6) && !memcmp(f + 6, was, 6));
	HOLDS(!memcmp(after.src, before.dst, 16) && !memcmp(after.dst, before.src, 16));
	HOLDS(after.dscp == RETURNED && after.ip_len == before.ip_len);
	if (after.ip == 4)
		HOLDS(!!ip_checksum(f, &after) == !!ip_checksum(was, &before));
}

/* What may be trimmed is what the slow parser takes for a whole unicast packet. */
static void check_eligible(const uint8_t *f, size_t len)
{
	struct slow_packet p;

	slow_parse(&p, f, len);
	HOLDS(p.ip && p.chain && !p.more && !p.offset && !(f[0] & 1));
	HOLDS(p.ip_off + p.ip_len <= len);
}

static void trim(const struct weir_trim_policy *policy, struct weir_trim_pkt *pkt,
		 const uint8_t *was)
{
	uint32_t len = weir_trim_length(policy, pkt);
	uint8_t *marked;

	HOLDS(len >= pkt->headers && len <= pkt->len);
	HOLDS(len == pkt->len || len == policy->size || len == pkt->headers);
	weir_trim_mark(policy, pkt, len);
	check_marked(was, pkt->start, len, policy, pkt);
	marked = malloc(len);
	if (!marked)
		return;
	memcpy(marked, pkt->start, len);
	weir_trim_return(policy, pkt);
	check_returned(marked, pkt->start, len);
	free(marked);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct weir_trim_policy policy = {
		.dscps = ~(1ULL << TRIMMED | 1ULL << RETURNED),
		.dscp = TRIMMED, .return_dscp = RETURNED, .rules = 1,
	};
	struct weir_trim_pkt pkt = { };
	uint8_t *copy;
	int class;

	if (size < 3)
		return 0;
	policy.rule[0].dscps = policy.dscps;
	policy.flags = (data[0] & INPUT_KEEP ? WEIR_TRIM_KEEP_LENGTH : 0) |
		       (data[0] & INPUT_RETURN ? WEIR_TRIM_RETURN : 0);
	policy.size = WEIR_TRIM_SIZE_MIN + (data[1] * 256 + data[2]) %
		      (WEIR_TRIM_SIZE_MAX - WEIR_TRIM_SIZE_MIN + 1);
	size -= 3;
	copy = malloc(size + 2);
	if (!copy)
		return 0;
	/* As a driver lays it: the IP header is aligned. */
	memcpy(copy + 2, data + 3, size);
	pkt.start = copy + 2;
	pkt.end = copy + 2 + size;
	pkt.len = size;
	if (!weir_trim_parse(&pkt)) {
		class = weir_trim_classify(&policy, &pkt);
		if (data[0] & INPUT_EDGE && weir_trim_is_marked(class))
			class = weir_trim_distrust(&policy, &pkt, class);
		if (class == WEIR_TRIM_DATA) {
			check_eligible(data + 3, size);
			trim(&policy, &pkt, data + 3);
		} else if (class == WEIR_TRIM_UNTRUSTED) {
			weir_trim_unmark(&pkt);
		}
	}
	free(copy);
	return 0;
}
