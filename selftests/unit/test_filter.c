// SPDX-License-Identifier: GPL-2.0
/*
 * The classifier beside a model that goes through all rules one by one: rules and packets are made
 * of few values, so that many match, and fields differ by a bit.
 */
#include <uapi/weir_xdp_nl.h>

#include "kernel.h"

#include "xdp/filter/classify.h"
#include "xdp/filter/filter_rule.h"
#include "xdp/packet/rule.h"
#include "unit.h"

#define RULES	7
#define MATCHES	40
#define ROUNDS	400
#define PACKETS	300

static struct xarray rules;
static u32 matches;

static bool coin(void)
{
	return dice(2);
}

/* One of few addresses, which have prefixes in common. */
static void make_addr(__be32 addr[4], u8 ip)
{
	addr[0] = htonl(0x0a000000 | dice(4) << 16 | dice(3));
	addr[1] = ip == 6 ? htonl(dice(2)) : 0;
	addr[2] = 0;
	addr[3] = ip == 6 ? htonl(dice(3)) : 0;
}

static void make_prefix(struct weir_trim_prefix *prefix, u8 ip)
{
	static const u8 lengths[] = { 8, 15, 16, 24, 31, 32, 64, 127, 128 };
	u32 i, bits = lengths[dice(ip == 6 ? 9 : 6)];

	make_addr(prefix->addr, ip);
	for (i = 0; i < bits; i++)
		((u8 *)prefix->mask)[i / 8] |= 0x80 >> i % 8;
	for (i = 0; i < 4; i++)
		prefix->addr[i] &= prefix->mask[i];
}

static void make_rest(struct weir_filter_match *match)
{
	match->length_last = U32_MAX;
	if (!dice(4)) {
		match->length = dice(100);
		match->length_last = match->length + dice(50);
	}
	if (!dice(4)) {
		match->tcp_set = dice(4);
		match->tcp_clear = dice(4) & ~match->tcp_set;
	}
	if (!dice(4)) {
		match->flags_mask = dice(8);
		match->flags = dice(8) & match->flags_mask;
	}
}

static void make_match(struct weir_filter_match *match)
{
	struct weir_trim_rule *rule = &match->rule;
	u8 ip = coin() ? 4 : 6;

	rule->dscps = dice(4) ? U64_MAX : 3ULL << dice(3);
	rule->what.proto = coin() ? 0 : coin() ? IPPROTO_TCP : IPPROTO_UDP;
	rule->what.port = dice(3) ? 0 : 1 + dice(3);
	rule->what.sport = dice(3) ? 0 : 1 + dice(3);
	rule->what.vlan = dice(4) ? 0 : 1 + dice(2);
	if (coin())
		make_prefix(&rule->src, rule->what.ip = ip);
	if (!dice(3))
		make_prefix(&rule->dst, rule->what.ip = ip);
	weir_trim_rule_mask(rule);
	make_rest(match);
}

static void make_rules(void)
{
	u32 prio, i, count;

	matches = 0;
	for (prio = 1; prio <= RULES; prio++) {
		struct weir_filter_rule *rule;

		count = 1 + dice(MATCHES);
		rule = mock_alloc(sizeof(*rule) + count * sizeof(rule->match[0]));
		rule->config.prio = prio;
		rule->matches = count;
		for (i = 0; i < count; i++)
			make_match(&rule->match[i]);
		rules.slot[prio] = rule;
		matches += count;
	}
}

static void free_rules(void)
{
	u32 prio;

	for (prio = 1; prio <= RULES; prio++)
		kfree(rules.slot[prio]);
	memset(&rules, 0, sizeof(rules));
}

static void make_packet(struct weir_headers *headers)
{
	u8 ip = dice(8) ? coin() ? 4 : 6 : 0;

	memset(headers, 0, sizeof(*headers));
	headers->len = dice(150);
	headers->key.vlan = dice(3);
	headers->flags = dice(2) * WEIR_HEADERS_UNPARSED;
	if (!ip)
		return;
	headers->key.ip = ip;
	headers->key.proto = coin() ? IPPROTO_TCP : IPPROTO_UDP;
	headers->tos = dice(5) << 2 | dice(4);
	headers->flags |= dice(4);
	make_addr(headers->key.src, ip);
	make_addr(headers->key.dst, ip);
	if (headers->flags & WEIR_HEADERS_FRAGMENT)
		return;
	headers->l4 = 34;
	headers->key.sport = htons(dice(5));
	headers->key.dport = htons(dice(5));
	if (headers->key.proto == IPPROTO_TCP)
		headers->tcp_flags = dice(4);
}

static bool holds(const struct weir_filter_match *match, const struct weir_headers *headers)
{
	bool tcp = headers->key.proto == IPPROTO_TCP && !(headers->flags & WEIR_HEADERS_FRAGMENT);
	u8 flag;

	for (flag = 1; flag; flag <<= 1) {
		if (match->flags_mask & flag & ~WEIR_HEADERS_UNPARSED && !headers->key.ip)
			return false;
		if (match->flags_mask & flag && (match->flags & flag) != (headers->flags & flag))
			return false;
		if (match->tcp_set & flag && !(tcp && headers->tcp_flags & flag))
			return false;
		if (match->tcp_clear & flag && !(tcp && !(headers->tcp_flags & flag)))
			return false;
	}
	return headers->len >= match->length && headers->len <= match->length_last &&
	       weir_rule_match(&match->rule, headers, 0);
}

static struct weir_filter_rule *model(const struct weir_headers *headers, u32 after, u32 except)
{
	u32 prio, i;

	for (prio = after + 1; prio <= RULES; prio++) {
		struct weir_filter_rule *rule = rules.slot[prio];

		for (i = 0; prio != except && i < rule->matches; i++)
			if (holds(&rule->match[i], headers))
				return rule;
	}
	return NULL;
}

/* Each rule that has the packet, in their order. Return: how many. */
static u32 compare(const struct weir_classifier *classifier, u32 except)
{
	struct weir_filter_rule *found, *wanted;
	struct weir_headers headers;
	u32 after = 0, count = 0;

	make_packet(&headers);
	do {
		found = weir_filter_classify(classifier, &headers, after);
		wanted = model(&headers, after, except);
		CHECK(found == wanted);
		if (found != wanted)
			return 0;
		after = found ? found->config.prio : 0;
		count += !!found;
	} while (found);
	return count;
}

static void filter_model(void)
{
	struct weir_classifier *classifier;
	u32 i, round, found = 0;

	weir_flow_hash_init();
	for (round = 0; round < ROUNDS; round++) {
		make_rules();
		classifier = weir_filter_classifier(&rules, NULL, matches);
		CHECK(!IS_ERR(classifier));
		for (i = 0; i < PACKETS; i++)
			found += compare(classifier, 0);
		weir_classifier_free(classifier);
		free_rules();
	}
	/* Most packets have some rule, and not each has all. */
	CHECK(found > ROUNDS * PACKETS / 2 && found < ROUNDS * PACKETS * (RULES - 1));
}

static void filter_without(void)
{
	struct weir_classifier *classifier;
	struct weir_filter_rule *except;
	u32 i, round;

	for (round = 0; round < 20; round++) {
		make_rules();
		except = rules.slot[1 + round % RULES];
		classifier = weir_filter_classifier(&rules, except, matches - except->matches);
		for (i = 0; i < PACKETS; i++)
			compare(classifier, except->config.prio);
		weir_classifier_free(classifier);
		free_rules();
	}
}

/* A prefix length of either address is a tuple of its own. */
static struct weir_filter_rule *make_tuples(u32 count)
{
	struct weir_filter_rule *rule;
	u32 i, bit;

	rule = mock_alloc(sizeof(*rule) + count * sizeof(rule->match[0]));
	rule->matches = count;
	for (i = 0; i < count; i++) {
		struct weir_filter_match *match = &rule->match[i];

		match->rule.dscps = U64_MAX;
		match->length_last = U32_MAX;
		match->rule.what.ip = 4;
		for (bit = 0; bit < i % 32; bit++)
			((u8 *)match->rule.src.mask)[bit / 8] |= 0x80 >> bit % 8;
		for (bit = 0; bit < i / 32; bit++)
			((u8 *)match->rule.dst.mask)[bit / 8] |= 0x80 >> bit % 8;
	}
	return rule;
}

static void filter_tuples(void)
{
	u32 count = WEIR_XDP_FILTER_TUPLES_MAX + 1;
	struct weir_classifier *classifier;
	struct weir_filter_rule *rule;

	rule = make_tuples(count);
	rules.slot[1] = rule;
	CHECK_EQ(PTR_ERR(weir_filter_classifier(&rules, NULL, count)), -ENOSPC);
	rule->matches = count - 1;
	classifier = weir_filter_classifier(&rules, NULL, count - 1);
	CHECK(!IS_ERR(classifier));
	CHECK_EQ(classifier->count[1], WEIR_XDP_FILTER_TUPLES_MAX);
	CHECK_EQ(classifier->count[0], 0);
	CHECK_EQ(classifier->count[2], 0);
	weir_classifier_free(classifier);
	kfree(rule);
	memset(&rules, 0, sizeof(rules));
}

static void filter_memory(void)
{
	struct weir_classifier *classifier;
	long i;

	make_rules();
	for (i = 0;; i++) {
		mock_fail_after = i;
		classifier = weir_filter_classifier(&rules, NULL, matches);
		mock_fail_after = -1;
		if (!IS_ERR(classifier))
			break;
		CHECK_EQ(PTR_ERR(classifier), -ENOMEM);
	}
	CHECK_EQ(i, 3);
	weir_classifier_free(classifier);
	free_rules();
}

const struct ktap_test filter_tests[] = {
	KTAP_TEST(filter_model),
	KTAP_TEST(filter_without),
	KTAP_TEST(filter_tuples),
	KTAP_TEST(filter_memory),
};
SUITE_END(filter);
