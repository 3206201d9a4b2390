// SPDX-License-Identifier: GPL-2.0
/*
 * The trimming code that BPF programs and the module share, in userspace: a
 * table of packets, and the meters. With an argument, the table's trimmed packets
 * are written there as a capture file, for another program to judge.
 */
#include <asm/byteorder.h>
#include <err.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir_trim_nl.h>

#include "bpf/ktap.h"
#include "acl.h"
#include "cases.h"
#include "trim/weir_meter.h"

#include "sum.h"
#include "trim/weir_trim_mark.h"

/* As the module does when a policy is set. */
static void masks(struct weir_trim_policy *p)
{
	unsigned int i;

	for (i = 0; i < p->rules; i++)
		weir_trim_rule_mask(&p->rule[i]);
}

static struct weir_trim_policy policy_of(const struct trim_case *c)
{
	struct weir_trim_policy p = {
		.dscps		= 1ull << TRIM_DSCP,
		.marks		= 1ull << TRIM_TRIMMED | 1ull << TRIM_LASTHOP,
		.controls	= 1ull << TRIM_CONTROL,
		.flags		= WEIR_TRIM_RETURN | WEIR_TRIM_ASKS_ENDS,
		.size		= c->size ? c->size : WEIR_TRIM_SIZE_DEFAULT,
		.dscp		= TRIM_TRIMMED,
		.return_dscp	= TRIM_RETURN,
		.rules		= 3,
	};

	p.rule[0].dscps = p.dscps;
	p.rule[1].dscps = ~0ull;
	p.rule[1].what.port = TRIM_OFF_PORT;
	p.rule[1].disable = 1;
	p.rule[2].dscps = ~0ull;
	p.rule[2].what.sport = TRIM_OFF_PORT;
	p.rule[2].disable = 1;
	masks(&p);
	if (c->keep)
		p.flags |= WEIR_TRIM_KEEP_LENGTH;
	return p;
}

/*
 * A frame as the stack has it: two bytes from a word, so that IP is aligned, and
 * with nothing behind that could be touched unnoticed.
 */
struct frame {
	uint8_t *room;
	struct weir_trim_pkt pkt;
};

static void frame_make(struct frame *f, const struct trim_spec *spec)
{
	uint8_t bytes[TRIM_FRAME_MAX];
	size_t len = trim_build(spec, bytes);

	memset(f, 0, sizeof(*f));
	f->room = malloc(len + 2);
	if (!f->room)
		err(1, "no memory");
	memcpy(f->room + 2, bytes, len);
	f->pkt.start = f->room + 2;
	f->pkt.end = f->room + 2 + len;
	f->pkt.len = len;
}

static int frame_class(struct frame *f, const struct weir_trim_policy *p,
		       bool edge)
{
	int class;

	if (weir_trim_parse(&f->pkt))
		return WEIR_TRIM_OTHER;
	class = weir_trim_classify(p, &f->pkt);
	if (edge && weir_trim_is_marked(class))
		class = weir_trim_distrust(p, &f->pkt, class);
	return class;
}

/* All that a hook does with a packet that there is no room for. */
static size_t frame_trim(struct frame *f, const struct trim_case *c,
			 const struct weir_trim_policy *p, bool turn)
{
	size_t left = f->pkt.len;

	if (c->class == WEIR_TRIM_DATA) {
		left = weir_trim_length(p, &f->pkt);
		weir_trim_mark(p, &f->pkt, left);
	}
	if (c->class == WEIR_TRIM_UNTRUSTED)
		weir_trim_unmark(&f->pkt);
	else if (turn && weir_trim_returns(&f->pkt, c->class))
		weir_trim_return(p, &f->pkt);
	return left;
}

static size_t expected(const struct trim_case *c, bool turn, bool returns,
		       uint8_t *want)
{
	if (c->class == WEIR_TRIM_UNTRUSTED)
		return trim_build_unmarked(c, want);
	if (turn && returns)
		return trim_build_returned(c, want);
	if (c->class == WEIR_TRIM_DATA)
		return trim_build_trimmed(c, want);
	return trim_build(&c->spec, want);
}

/*
 * NDP's control packets are not data that could go back, nor are packets that a routing header
 * leads on.
 */
static bool returns(const struct trim_case *c)
{
	return c->spec.segments < 2 &&
	       (c->class == WEIR_TRIM_DATA ||
		(c->class == WEIR_TRIM_HEADER && !(c->spec.ndp & 0x0e)));
}

static void test_case(const struct trim_case *c, bool turn)
{
	struct weir_trim_policy p = policy_of(c);
	uint8_t want[TRIM_FRAME_MAX];
	struct frame f;
	size_t len, want_len;
	bool ok = true;
	int class;

	frame_make(&f, &c->spec);
	class = frame_class(&f, &p, c->edge);
	if (class != (int)c->class) {
		printf("# class %d, not %d\n", class, c->class);
		ok = false;
	} else {
		len = frame_trim(&f, c, &p, turn);
		want_len = expected(c, turn, returns(c), want);
		ok = trim_same(f.pkt.start, len, want, want_len);
		if (c->left && c->left != want_len) {
			printf("# the table wants %zu bytes\n", c->left);
			ok = false;
		}
	}
	free(f.room);
	ktap_ok(ok, "%s: %s", turn ? "returned" : "trimmed", c->name);
}

/* For each length no byte behind the frame is touched, and none is left. */
static void test_runts(void)
{
	size_t i, len, whole;
	int class;

	for (i = 0; i < trim_cases_count; i++) {
		struct weir_trim_policy p = policy_of(&trim_cases[i]);
		struct trim_spec spec = trim_cases[i].spec;
		uint8_t bytes[TRIM_FRAME_MAX];

		whole = trim_build(&spec, bytes) + spec.lost;
		for (len = 0; len < whole && len < 200; len++) {
			struct frame f;

			spec.lost = whole - len;
			frame_make(&f, &spec);
			class = frame_class(&f, &p, false);
			if (class == WEIR_TRIM_DATA)
				weir_trim_mark(&p, &f.pkt,
					       weir_trim_length(&p, &f.pkt));
			else if (class == WEIR_TRIM_HEADER)
				weir_trim_return(&p, &f.pkt);
			free(f.room);
			if (class == WEIR_TRIM_DATA && !spec.pad) {
				printf("# %s\n", trim_cases[i].name);
				ktap_ok(false, "a frame that lacks bytes is not data");
				return;
			}
		}
	}
	ktap_ok(true, "frames that end anywhere");
}

/* Three tags are too many, whether the outer one lies in the frame or beside it. */
static void test_tags_beside_count(void)
{
	struct trim_spec spec = { .vlans = 2, .payload = 1400 };
	struct trim_case c = { .spec = spec };
	struct weir_trim_policy p = policy_of(&c);
	struct frame f;

	frame_make(&f, &spec);
	f.pkt.vlan = 100;
	f.pkt.beside = 4;
	ktap_ok(frame_class(&f, &p, false) == WEIR_TRIM_OTHER,
		"two tags in the frame and one beside it");
	free(f.room);
	spec.vlans = 1;
	frame_make(&f, &spec);
	f.pkt.vlan = 100;
	f.pkt.beside = 4;
	ktap_ok(frame_class(&f, &p, false) == WEIR_TRIM_DATA,
		"one tag in the frame and one beside it");
	free(f.room);
}

/* Addresses as a rule has them. */
#define IP4(a, b, c, d)		__constant_htonl((uint32_t)(a) << 24 | (b) << 16 | (c) << 8 | (d))
#define PREFIX(a, bits)		{ { [0] = a }, { [0] = bits } }

/* A tag that lies beside the frame counts as four of its bytes. */
static void test_beside(void)
{
	const struct trim_case c = { .spec = { .payload = 1400 },
				     .class = WEIR_TRIM_DATA };
	struct weir_trim_policy p = policy_of(&c);
	struct frame f;

	frame_make(&f, &c.spec);
	f.pkt.vlan = 100;
	f.pkt.beside = 4;
	p.rule[0].what.vlan = 100;
	masks(&p);
	ktap_ok(frame_class(&f, &p, false) == WEIR_TRIM_DATA &&
		weir_trim_length(&p, &f.pkt) == 124, "a tag beside the frame");
	free(f.room);
}

/* The rules: DSCP, protocol, port and VLAN, and exceptions. */
static void test_rules(void)
{
	struct weir_trim_policy p = {
		.marks = 1ull << TRIM_TRIMMED, .dscp = TRIM_TRIMMED, .rules = 1,
	};
	static const struct {
		struct weir_trim_rule rule;
		bool matches;
	} rules[] = {
		{ { .dscps = ~0ull }, true },
		{ { .dscps = ~(1ull << TRIM_DSCP) }, false },
		{ { .dscps = ~0ull, .what.proto = 17 }, true },
		{ { .dscps = ~0ull, .what.proto = 6 }, false },
		{ { .dscps = ~0ull, .what.port = 5000 }, true },
		{ { .dscps = ~0ull, .what.port = 40000 }, false },
		{ { .dscps = ~0ull, .what.vlan = 100 }, true },
		{ { .dscps = ~0ull, .what.vlan = 101 }, false },
	};
	const struct trim_spec spec = { .vlans = 2, .payload = 1400 };
	struct frame f;
	bool ok = true;
	unsigned int i;

	for (i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		p.rule[0] = rules[i].rule;
		masks(&p);
		p.dscps = rules[i].rule.dscps;
		frame_make(&f, &spec);
		if ((frame_class(&f, &p, false) == WEIR_TRIM_DATA) !=
		    rules[i].matches) {
			printf("# rule %u\n", i);
			ok = false;
		}
		free(f.room);
	}
	ktap_ok(ok, "rules match what they say");
	p.rules = 0;
	frame_make(&f, &spec);
	ktap_ok(frame_class(&f, &p, false) == WEIR_TRIM_OTHER,
		"without a rule nothing is eligible");
	free(f.room);
}

/* A rule's conditions on a packet's ends; all its others hold. */
static void test_ends(void)
{
	static const struct {
		const char *name;
		struct weir_trim_rule rule;
		bool ipv6;
		bool matches;
	} rules[] = {
		{ "its source port", { .what.sport = 40000 }, false, true },
		{ "another source port", { .what.sport = 5000 }, false, false },
		{ "the device", { .from = 7 }, false, true },
		{ "another device", { .from = 8 }, false, false },
		{ "IPv4", { .what.ip = 4 }, false, true },
		{ "IPv4, of IPv6", { .what.ip = 4 }, true, false },
		{ "its source", { .what.ip = 4, .src = PREFIX(IP4(10, 0, 0, 2), ~0u) }, false, true },
		{ "its destination as source", { .what.ip = 4, .src = PREFIX(IP4(10, 0, 0, 1), ~0u) },
		  false, false },
		{ "its destination", { .what.ip = 4, .dst = PREFIX(IP4(10, 0, 0, 1), ~0u) }, false, true },
		{ "a prefix", { .what.ip = 4, .dst = PREFIX(IP4(10, 0, 0, 0), IP4(255, 0, 0, 0)) },
		  false, true },
		{ "the prefix beside it", { .what.ip = 4, .dst = PREFIX(IP4(11, 0, 0, 0),
								   IP4(255, 0, 0, 0)) },
		  false, false },
		{ "an IPv6 prefix", { .what.ip = 6, .src = PREFIX(IP4(0xfd, 0x99, 0, 0),
							     IP4(0xff, 0xff, 0, 0)) }, true, true },
		{ "the end of an IPv6 source", { .what.ip = 6, .src = { { [3] = IP4(0, 0, 0, 2) },
								   { [3] = ~0u } } }, true, true },
		{ "another end of it", { .what.ip = 6, .src = { { [3] = IP4(0, 0, 0, 1) },
							   { [3] = ~0u } } }, true, false },
		{ "the end of an IPv6 destination", { .what.ip = 6, .dst = { { [3] = IP4(0, 0, 0, 1) },
									{ [3] = ~0u } } }, true, true },
		{ "the source and another device", { .what.ip = 4, .from = 8,
						     .src = PREFIX(IP4(10, 0, 0, 2), ~0u) },
		  false, false },
	};
	struct weir_trim_policy p = {
		.marks = 1ull << TRIM_TRIMMED, .dscp = TRIM_TRIMMED, .rules = 1,
		.flags = WEIR_TRIM_ASKS_ENDS, .dscps = ~0ull,
	};
	struct frame f;
	unsigned int i;

	for (i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		p.rule[0] = rules[i].rule;
		p.rule[0].dscps = ~0ull;
		masks(&p);
		frame_make(&f, &(struct trim_spec){ .ipv6 = rules[i].ipv6, .payload = 1400 });
		f.pkt.from = 7;
		ktap_ok((frame_class(&f, &p, false) == WEIR_TRIM_DATA) == rules[i].matches,
			"a rule names %s", rules[i].name);
		free(f.room);
	}
}

/* The DSCP before a mark: a rule that forbids one DSCP does not clear it. */
static void test_mark_of_others(void)
{
	static const struct {
		const char *name;
		struct weir_trim_rule trims;
		struct weir_trim_rule not;
		int class;
	} rules[] = {
		{ "that a rule trims", { .dscps = 2 }, { }, WEIR_TRIM_UNTRUSTED },
		{ "of another protocol", { .dscps = 2, .what.proto = 6 }, { }, WEIR_TRIM_OTHER },
		{ "that a rule forbids", { .dscps = 6 }, { .dscps = 6, .what.port = 5000, .disable = 1 },
		  WEIR_TRIM_OTHER },
		{ "that a rule forbids for one DSCP", { .dscps = 6 },
		  { .dscps = 2, .what.port = 5000, .disable = 1 }, WEIR_TRIM_UNTRUSTED },
	};
	const struct trim_spec spec = { .dscp = TRIM_TRIMMED, .payload = 1400 };
	struct weir_trim_policy p = {
		.marks = 1ull << TRIM_TRIMMED, .dscp = TRIM_TRIMMED, .rules = 2,
	};
	struct frame f;
	unsigned int i;

	for (i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		p.rule[0] = rules[i].trims;
		p.rule[1] = rules[i].not;
		masks(&p);
		p.dscps = rules[i].trims.dscps;
		frame_make(&f, &spec);
		ktap_ok(frame_class(&f, &p, true) == rules[i].class,
			"marked, from an edge, %s", rules[i].name);
		free(f.room);
	}
}

/* Its own rules trim all packets of a port; the first rule of its ACL that matches one decides. */
static void test_acl(void)
{
	const struct weir_trim_rule forbids = { .dscps = ~0ull, .what.port = 5000, .disable = 1 };
	const struct weir_trim_rule passes = { .dscps = ~0ull, .what.proto = 17 };
	const struct weir_trim_rule other = { .dscps = ~0ull, .what.port = 5001, .disable = 1 };
	const struct weir_trim_rule one_dscp = { .dscps = 2, .what.port = 5000, .disable = 1 };
	const struct weir_trim_rule its_source = {
		.dscps = ~0ull, .what.ip = 4, .src = PREFIX(IP4(10, 0, 0, 2), ~0u), .disable = 1,
	};
	const struct {
		const char *name;
		struct weir_trim_rule first, second;
		bool marked;
		int class;
		__u32 prio;
	} acls[] = {
		{ "forbids", forbids, passes, false, WEIR_TRIM_OTHER, 1 },
		{ "passes before one that forbids", passes, forbids, false, WEIR_TRIM_DATA, 1 },
		{ "forbids after one for others", other, forbids, false, WEIR_TRIM_OTHER, 2 },
		{ "forbids its source", its_source, passes, false, WEIR_TRIM_OTHER, 1 },
		{ "is for others", other, other, false, WEIR_TRIM_DATA, 0 },
		{ "forbids, and the packet is marked", forbids, passes, true, WEIR_TRIM_OTHER, 0 },
		{ "passes, and the packet is marked", passes, forbids, true, WEIR_TRIM_UNTRUSTED, 0 },
		{ "forbids one DSCP, and the packet is marked", one_dscp, other, true,
		  WEIR_TRIM_UNTRUSTED, 0 },
	};
	struct weir_trim_policy p = {
		.marks = 1ull << TRIM_TRIMMED, .dscp = TRIM_TRIMMED, .rules = 1,
		.flags = WEIR_TRIM_ASKS_ENDS | WEIR_TRIM_ASKS_ACL, .dscps = ~(1ull << TRIM_TRIMMED),
		.rule[0].dscps = ~0ull,
	};
	struct trim_spec spec = { .payload = 1400 };
	struct frame f;
	unsigned int i;

	trim_acl_rules = 2;
	for (i = 0; i < sizeof(acls) / sizeof(*acls); i++) {
		trim_acl_rule[0] = acls[i].first;
		trim_acl_rule[1] = acls[i].second;
		weir_trim_rule_mask(&trim_acl_rule[0]);
		weir_trim_rule_mask(&trim_acl_rule[1]);
		spec.dscp = acls[i].marked ? TRIM_TRIMMED : 0;
		frame_make(&f, &spec);
		ktap_ok(frame_class(&f, &p, true) == acls[i].class &&
			f.pkt.ruled == (acls[i].prio << WEIR_TRIM_RULED_PRIO |
					(acls[i].class == WEIR_TRIM_DATA)),
			"a rule of an ACL %s", acls[i].name);
		free(f.room);
	}
	trim_acl_rules = 0;
}

#define GBIT	125000000ull	/* bytes a second */
#define SECOND	1000000000ull
#define YEAR	(31557600 * SECOND)

/* As the module converts a rate: ticks a byte, shifted. */
static __u64 cost_of(__u64 rate)
{
	return (SECOND << (WEIR_TRIM_TICK_SHIFT + WEIR_TRIM_COST_SHIFT)) / rate;
}

static struct weir_trim_port port_of(__u64 rate, __u32 kind)
{
	struct weir_trim_port port = { .meters = {
		.cost		= { cost_of(rate), cost_of(rate) * 2,
				    cost_of(rate) * 4 },
		.limit		= weir_meter_now(20000),
		.header_limit	= weir_meter_now(1000000),
		.t0		= 6000,
		.t1		= 24000,
		.kind		= kind,
	} };

	return port;
}

/* Bytes that go through whole when more comes than the rate, for a time. */
static __u64 saturate(struct weir_trim_port *port, __u64 from, __u64 ns, __u64 gap)
{
	const struct weir_meter_packet packet = {
		.len = 1514, .trimmed = 1514, .eligible = true,
	};
	struct weir_trim_cpu cpu = { .queue = { weir_meter_now(from) } };
	__u64 t, bytes = 0;

	port->queue = weir_meter_now(from);
	for (t = 0; t < ns; t += gap)
		if (weir_meter(port, &cpu, from + t, &packet) == WEIR_METER_WHOLE)
			bytes += packet.len;
	return bytes;
}

/*
 * Never more than the rate and the limit; and less only by the tick that each packet is rounded up
 * by, and by the packet that is under way at the end.
 */
static void test_rate(__u64 gbits, __u32 kind, __u64 from)
{
	struct weir_trim_port port = port_of(gbits * GBIT, kind);
	__u64 ns = SECOND / (gbits < 10 ? 1 : 10), rate, ticks, most, least, got;

	/* Headers take none of it: nothing but whole packets fits. */
	port.meters.header_limit = 0;
	got = saturate(&port, from, ns, 12000 / gbits / 3 + 1);
	rate = gbits * GBIT / (SECOND / 1000) * (ns / 1000);
	ticks = weir_meter_now(1514) * SECOND / (gbits * GBIT);
	most = rate + gbits * GBIT * 20 / 1000000 + 1514;
	least = rate - rate / ticks - 1514;
	/* The cost of a byte is rounded, too, by less than a millionth. */
	most += most / 1000000;
	if (got < least || got > most)
		printf("# %llu bytes, not %llu to %llu\n", got, least, most);
	ktap_ok(got >= least && got <= most, "%s meter: %llu Gbit/s%s",
		kind == WEIR_TRIM_METER_SHARED ? "shared" : "percpu", gbits,
		from == SECOND ? "" : ", the clock wraps");
}

/* The verdict at each depth of the queue. */
static void test_verdicts(void)
{
	struct weir_trim_port port = port_of(GBIT, WEIR_TRIM_METER_SHARED);
	const struct weir_meter_packet data = { 1514, 128, true, false };
	const struct weir_meter_packet brief = { 64, 64, true, false };
	const struct weir_meter_packet head = { 128, 128, false, false };
	const struct weir_meter_packet other = { 1514, 1514, false, true };
	struct weir_trim_cpu cpu = {};
	__u64 now = SECOND;

	ktap_ok(weir_meter(&port, &cpu, now, &data) == WEIR_METER_WHOLE,
		"an empty queue takes any packet");
	port.queue = weir_meter_now(now + 20000 - 12000);
	ktap_ok(weir_meter(&port, &cpu, now, &data) == WEIR_METER_TRIM &&
		port.queue == weir_meter_now(now + 20000 - 12000 + 1024),
		"a trimmed packet takes the room of its header");
	port.queue = weir_meter_now(now + 19900);
	ktap_ok(weir_meter(&port, &cpu, now, &brief) == WEIR_METER_TRIM,
		"a short packet is marked when there is no room");
	ktap_ok(weir_meter(&port, &cpu, now, &head) == WEIR_METER_WHOLE,
		"a header is whole as long as headers have room");
	port.queue = weir_meter_now(now + 20000 + 1000000);
	ktap_ok(weir_meter(&port, &cpu, now, &data) == WEIR_METER_DROP &&
		weir_meter(&port, &cpu, now, &head) == WEIR_METER_DROP &&
		weir_meter(&port, &cpu, now, &brief) == WEIR_METER_DROP &&
		port.queue == weir_meter_now(now + 20000 + 1000000),
		"what is dropped takes no room");
	ktap_ok(weir_meter(&port, &cpu, now, &other) == WEIR_METER_WHOLE &&
		port.queue == weir_meter_now(now + 20000 + 1000000),
		"what is not eligible goes on, and the queue is no longer than full");
}

static void test_modes(void)
{
	struct weir_trim_port port = port_of(GBIT, WEIR_TRIM_METER_PERCPU);
	const struct weir_meter_packet data = { 1514, 128, true, false };
	struct weir_trim_cpu cpu = {};
	bool ok;

	ok = weir_meter_mode(&port, SECOND) == WEIR_TRIM_OPTIMISTIC;
	port.overflow = SECOND;
	ok &= weir_meter_mode(&port, SECOND - 5) == WEIR_TRIM_PESSIMISTIC &&
	      weir_meter_mode(&port, SECOND + 6000) == WEIR_TRIM_PESSIMISTIC &&
	      weir_meter_mode(&port, SECOND + 6001) == WEIR_TRIM_HALF &&
	      weir_meter_mode(&port, SECOND + 24000) == WEIR_TRIM_HALF &&
	      weir_meter_mode(&port, SECOND + 24001) == WEIR_TRIM_OPTIMISTIC;
	ktap_ok(ok, "modes last from t0 to t1");
	weir_meter(&port, &cpu, SECOND, &data);
	weir_meter(&port, &cpu, SECOND + 10000, &data);
	weir_meter(&port, &cpu, SECOND + 50000, &data);
	ktap_ok(cpu.count[WEIR_TRIM_C_PESSIMISTIC] == 1 &&
		cpu.count[WEIR_TRIM_C_HALF] == 1 &&
		cpu.count[WEIR_TRIM_C_OPTIMISTIC] == 1,
		"eligible packets are counted by mode");
}

/* Frames on a link of 1 Gbit/s in a tenth of a second, each with 24 bytes of overhead. */
static void test_overhead(__u32 len, __u32 line, __u32 kind)
{
	struct weir_trim_port port = port_of(GBIT, kind);
	const struct weir_meter_packet packet = { len, len, true, false };
	struct weir_trim_cpu cpu = { .queue = { weir_meter_now(SECOND) } };
	__u64 t, frames = 0, most, gap = len * 8 / 3;

	port.queue = weir_meter_now(SECOND);
	port.meters.header_limit = 0;
	port.meters.overhead = 24;
	port.meters.mpu = 84;
	for (t = 0; t < SECOND / 10; t += gap)
		frames += weir_meter(&port, &cpu, SECOND + t, &packet) == WEIR_METER_WHOLE;
	/* And the limit: 20 us. */
	most = (GBIT / 10 + GBIT * 20 / 1000000) / line + 1;
	if (frames > most || frames < most * 99 / 100)
		printf("# %llu frames, not %llu\n", frames, most);
	ktap_ok(frames <= most && frames >= most * 99 / 100,
		"%s meter: %u bytes are %u on the link",
		kind == WEIR_TRIM_METER_SHARED ? "shared" : "percpu", len, line);
}

/* A queue that ended long ago has room for the next packet, years of uptime later. */
static bool finds_room(__u64 ended, __u64 now, __u32 kind)
{
	struct weir_trim_port port = port_of(GBIT, kind);
	const struct weir_meter_packet data = { 1514, 128, true, false };
	struct weir_trim_cpu cpu = { .queue = {
		weir_meter_now(ended), weir_meter_now(ended), weir_meter_now(ended),
	} };

	port.queue = weir_meter_now(ended);
	return weir_meter(&port, &cpu, now, &data) == WEIR_METER_WHOLE;
}

/* The clock of queues wraps after nine years; half of that is no time to be full. */
static void test_years(void)
{
	static const struct {
		__u64 ended, now;
	} uptimes[] = {
		{ 0, 5 * YEAR }, { 0, 8 * YEAR }, { SECOND, 7 * YEAR },
		{ 3 * YEAR, 11 * YEAR }, { 5 * YEAR, 10 * YEAR },
	};
	bool ok = true;
	unsigned int i;

	for (i = 0; i < sizeof(uptimes) / sizeof(*uptimes); i++) {
		if (finds_room(uptimes[i].ended, uptimes[i].now, WEIR_TRIM_METER_SHARED) &&
		    finds_room(uptimes[i].ended, uptimes[i].now, WEIR_TRIM_METER_PERCPU))
			continue;
		printf("# ended at %llu, asked at %llu\n", uptimes[i].ended, uptimes[i].now);
		ok = false;
	}
	ktap_ok(ok, "a queue that nothing came to for years is empty");
}

#define PUSHES	200000

static void *push(void *arg)
{
	const struct weir_meter_packet other = { 1000, 1000, false, true };
	struct weir_trim_cpu cpu = {};
	int i;

	for (i = 0; i < PUSHES; i++)
		weir_meter(arg, &cpu, SECOND, &other);
	return NULL;
}

/* Two threads at once: each packet's room is taken, and is taken once. */
static void test_threads(void)
{
	struct weir_trim_port port = port_of(GBIT, WEIR_TRIM_METER_SHARED);
	pthread_t thread[2];
	__u64 want;
	int i;

	port.meters.header_limit = weir_meter_now(100 * SECOND);
	for (i = 0; i < 2; i++)
		if (pthread_create(&thread[i], NULL, push, &port))
			err(1, "no thread");
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	want = weir_meter_now(SECOND) +
	       2ull * PUSHES * weir_meter_ticks(cost_of(GBIT), 1000);
	if (port.queue != want)
		printf("# %lld ticks too many\n", (long long)(port.queue - want));
	ktap_ok(port.queue == want, "two threads lose nothing of a shared meter");
}

static void test_meters(void)
{
	static const __u64 gbits[] = { 1, 10, 25, 100, 200, 400 };
	unsigned int i;

	for (i = 0; i < sizeof(gbits) / sizeof(*gbits); i++) {
		test_rate(gbits[i], WEIR_TRIM_METER_SHARED, SECOND);
		test_rate(gbits[i], WEIR_TRIM_METER_PERCPU, SECOND);
	}
	/* The tick wraps in the middle of it. */
	test_rate(100, WEIR_TRIM_METER_SHARED,
		  (1ull << (64 - WEIR_TRIM_TICK_SHIFT)) - SECOND / 20);
	test_rate(100, WEIR_TRIM_METER_PERCPU,
		  (1ull << (64 - WEIR_TRIM_TICK_SHIFT)) - SECOND / 20);
	test_verdicts();
	test_modes();
	test_overhead(1514, 1538, WEIR_TRIM_METER_SHARED);
	test_overhead(60, 84, WEIR_TRIM_METER_SHARED);
	test_overhead(42, 84, WEIR_TRIM_METER_SHARED);
	test_overhead(64, 88, WEIR_TRIM_METER_PERCPU);
	test_years();
	test_threads();
}

static void put32(FILE *to, uint32_t value)
{
	fwrite(&value, sizeof(value), 1, to);
}

/* The classic capture format, in the machine's own byte order. */
static void write_capture(const char *path)
{
	FILE *to = fopen(path, "wb");
	size_t i, len;

	if (!to)
		err(1, "%s", path);
	put32(to, 0xa1b2c3d4);
	put32(to, 4 << 16 | 2);
	put32(to, 0);
	put32(to, 0);
	put32(to, 65535);
	put32(to, 1);
	for (i = 0; i < trim_cases_count; i++) {
		const struct trim_case *c = &trim_cases[i];
		struct weir_trim_policy p = policy_of(c);
		struct frame f;

		if (c->class != WEIR_TRIM_DATA || c->spec.wrong)
			continue;
		frame_make(&f, &c->spec);
		frame_class(&f, &p, c->edge);
		len = frame_trim(&f, c, &p, false);
		put32(to, i);
		put32(to, c->keep);
		put32(to, len);
		put32(to, len);
		fwrite(f.pkt.start, len, 1, to);
		free(f.room);
	}
	if (fclose(to))
		err(1, "%s", path);
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc > 1) {
		write_capture(argv[1]);
		return 0;
	}
	ktap_header();
	for (i = 0; i < trim_cases_count; i++) {
		test_case(&trim_cases[i], false);
		test_case(&trim_cases[i], true);
	}
	test_runts();
	test_beside();
	test_tags_beside_count();
	test_rules();
	test_ends();
	test_mark_of_others();
	test_acl();
	test_meters();
	return ktap_end();
}
