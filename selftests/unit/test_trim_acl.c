// SPDX-License-Identifier: GPL-2.0
/* Rules of an ACL beside a model that compares them one after another. */
#include "kernel.h"

#include "core/packet/classifier.h"
#include "trim/acl.h"
#include <trim/weir_trim_match.h>
#include "unit.h"

#define RULES	7
#define ROUNDS	500
#define PACKETS	200

static struct weir_trim_acl_rule rules[RULES + 1];
static struct weir_trim_acl acl;

static void make_prefix(struct weir_trim_prefix *prefix)
{
	u32 bits = 8 * dice(5);

	prefix->mask[0] = bits ? htonl(U32_MAX << (32 - bits)) : 0;
	prefix->addr[0] = htonl(0x0a000000 | dice(2) << 16 | dice(2) << 8 | dice(2)) & prefix->mask[0];
}

static void make_rule(struct weir_trim_rule *rule)
{
	*rule = (struct weir_trim_rule) {
		.dscps		= dice(2) ? U64_MAX : 1 + dice(7),
		.from		= dice(3) ? 0 : 1 + dice(2),
		.disable	= dice(2),
		.what.port	= dice(3) ? 0 : 1 + dice(2),
		.what.sport	= dice(3) ? 0 : 1 + dice(2),
		.what.proto	= dice(2) ? 0 : IPPROTO_UDP,
		.what.ip	= 4,
	};
	make_prefix(&rule->src);
	make_prefix(&rule->dst);
	weir_trim_rule_mask(rule);
}

static void make_acl(void)
{
	u32 prio;

	memset(&acl, 0, sizeof(acl));
	for (prio = 1; prio <= RULES; prio++) {
		rules[prio].prio = prio;
		make_rule(&rules[prio].rule);
		acl.rules.slot[prio] = &rules[prio];
	}
	acl.count = RULES;
}

/* struct iphdr and struct udphdr behind each other, as far as they are read. */
struct packet {
	struct iphdr ip;
	struct udphdr udp;
};

static void make_packet(struct packet *packet, struct weir_trim_ends *ends)
{
	*packet = (struct packet) {
		.ip.saddr	= htonl(0x0a000000 | dice(2) << 16 | dice(2) << 8 | dice(2)),
		.ip.daddr	= htonl(0x0a000000 | dice(2) << 16 | dice(2) << 8 | dice(2)),
		.udp.source	= htons(1 + dice(3)),
	};
	*ends = (struct weir_trim_ends) {
		.dscps		= 1ULL << dice(4),
		.from		= 1 + dice(3),
		.l4		= offsetof(struct packet, udp),
		.what.ip	= 4,
		.what.proto	= IPPROTO_UDP,
		.what.port	= 1 + dice(3),
	};
	if (!dice(4))
		ends->dscps |= 1ULL << dice(4);
}

static bool matches(const struct weir_trim_rule *rule, const struct packet *packet,
		    const struct weir_trim_ends *ends)
{
	return (rule->disable ? !(ends->dscps & ~rule->dscps) : ends->dscps & rule->dscps) &&
	       (!rule->from || rule->from == ends->from) &&
	       (!rule->what.port || rule->what.port == ends->what.port) &&
	       (!rule->what.sport || rule->what.sport == ntohs(packet->udp.source)) &&
	       (!rule->what.proto || rule->what.proto == ends->what.proto) &&
	       !((packet->ip.saddr ^ rule->src.addr[0]) & rule->src.mask[0]) &&
	       !((packet->ip.daddr ^ rule->dst.addr[0]) & rule->dst.mask[0]);
}

static u32 model(u32 except, const struct packet *packet, const struct weir_trim_ends *ends)
{
	u32 prio;

	for (prio = 1; prio <= RULES; prio++)
		if (prio != except && matches(&rules[prio].rule, packet, ends))
			return prio | (rules[prio].rule.disable ? WEIR_TRIM_ACL_FORBIDS : 0);
	return 0;
}

/* Return: number of packets that a rule decided about. */
static u32 compare(u32 except)
{
	struct weir_classifier *classifier;
	struct weir_trim_ends ends;
	struct packet packet;
	u32 i, want, found = 0;

	classifier = weir_trim_acl_classifier(&acl, except ? &rules[except] : NULL);
	CHECK(!IS_ERR(classifier));
	rcu_assign_pointer(acl.classifier, classifier);
	for (i = 0; i < PACKETS; i++) {
		make_packet(&packet, &ends);
		want = model(except, &packet, &ends);
		found += !!want;
		CHECK_EQ(weir_trim_acl_find(&acl, &ends, &packet, &packet + 1), want);
	}
	weir_classifier_free(classifier);
	return found;
}

static void trim_acl_rules(void)
{
	u32 i, found = 0;

	weir_flow_hash_init();
	for (i = 0; i < ROUNDS; i++) {
		make_acl();
		found += compare(0);
		found += compare(1 + dice(RULES));
	}
	CHECK(found > ROUNDS * PACKETS / 2 && found < ROUNDS * PACKETS * 2);
}

/* A header that does not end before the packet does is not read. */
static void trim_acl_short_packet(void)
{
	struct weir_trim_ends ends = {
		.dscps = 1, .l4 = offsetof(struct packet, udp), .what.ip = 4, .what.proto = IPPROTO_UDP,
	};
	struct packet packet = { .ip.saddr = htonl(0x0a000001), .udp.source = htons(7) };
	struct weir_classifier *classifier;

	memset(&acl, 0, sizeof(acl));
	rules[1] = (struct weir_trim_acl_rule) { .prio = 1, .rule = { .dscps = U64_MAX, .what.sport = 7 } };
	acl.rules.slot[1] = &rules[1];
	acl.count = 1;
	classifier = weir_trim_acl_classifier(&acl, NULL);
	CHECK(!IS_ERR(classifier));
	CHECK_EQ(weir_trim_acl_find(&acl, &ends, &packet, &packet + 1), 0);
	rcu_assign_pointer(acl.classifier, classifier);
	CHECK_EQ(weir_trim_acl_find(&acl, &ends, &packet, &packet + 1), 1);
	CHECK_EQ(weir_trim_acl_find(&acl, &ends, &packet, (char *)(&packet + 1) - 1), 0);
	ends.l4 = U16_MAX;
	CHECK_EQ(weir_trim_acl_find(&acl, &ends, &packet, &packet + 1), 0);
	weir_classifier_free(classifier);
}

/* A rule that is gone counts nothing. */
static void trim_acl_counts(void)
{
	struct weir_trim_hits hits = {};

	memset(&acl, 0, sizeof(acl));
	rules[2] = (struct weir_trim_acl_rule) { .prio = 2, .hits = &hits };
	acl.rules.slot[2] = &rules[2];
	CHECK_EQ(weir_trim_acl_count(&acl, 2, 3, 4000), 0);
	CHECK_EQ(weir_trim_acl_count(&acl, 2, 1, 100), 0);
	CHECK_EQ(weir_trim_acl_count(&acl, 3, 1, 100), -ENOENT);
	CHECK_EQ(hits.packets, 4);
	CHECK_EQ(hits.bytes, 4100);
}

const struct ktap_test trim_acl_tests[] = {
	KTAP_TEST(trim_acl_rules),
	KTAP_TEST(trim_acl_short_packet),
	KTAP_TEST(trim_acl_counts),
};
SUITE_END(trim_acl);
