// SPDX-License-Identifier: GPL-2.0
/* Format panama: what a result says, of congestion above all, and which packets have one. */
#include "box.h"
#include "agg/base/payload.h"
#include "agg/format/format.h"
#include "unit.h"

#define TREE (3 * 16 + 5)

/* A contribution of one gradient, of a whole number; what is 0 is the usual. */
struct said {
	u32 vid;
	u16 round;
	float grad;
	u16 cap;
	u8 ecn;
	bool fin;
};

static struct weir_job *panama_job(unsigned int id, unsigned int sources, u32 blocks)
{
	struct weir_job_config cfg = box_config(&weir_format_panama, id, sources, blocks, 16);
	struct weir_job *job = box_job_of(&cfg);

	CHECK(job);
	return job;
}

static struct weir_contrib panama_contrib(const struct weir_job *job, u16 source,
					  const struct said *said)
{
	struct weir_contrib c = box_contrib(job, source, said->vid, 1);

	c.format = WEIR_FORMAT_PANAMA;
	c.dport = c.sport = WEIR_PORT_PANAMA;
	c.generation = said->round;
	c.payload_off = 8 + sizeof(struct weir_panama);
	c.udp_len = c.payload_off + 4;
	c.tos = WEIR_PANAMA_DSCP << 2 | said->ecn;
	c.flags = said->fin ? WEIR_CONTRIB_FINAL : 0;
	c.said[0] = said->cap;
	return c;
}

static int take(const struct weir_contrib *from, float grad)
{
	struct weir_contrib c = *from;
	u8 buf[64] = { };
	struct weir_payload pl = { .n = 1, .seg = { { buf, c.udp_len } } };
	u32 bits;

	memcpy(&bits, &grad, 4);
	put_unaligned_be32(bits, buf + c.payload_off);
	return weir_contribute(&box.dev, &c, &pl, true);
}

/* Returns the reason for which it is refused, or 0. */
static int give(const struct weir_job *job, u16 source, const struct said *said)
{
	struct weir_contrib c = panama_contrib(job, source, said);

	return take(&c, said->grad);
}

#define GIVE(job, source, ...) give(job, source, &(const struct said){ __VA_ARGS__ })

static const struct weir_panama *header(unsigned int i)
{
	return (const void *)box.packet[i].head;
}

static float sum(unsigned int i)
{
	s32 bits = box_result(&box.packet[i], 0);
	float f;

	memcpy(&f, &bits, 4);
	return f;
}

static u16 cap_of(unsigned int i)
{
	return header(i)->cwnd_cap[0] << 8 | header(i)->cwnd_cap[1];
}

static void panama_result(void)
{
	static const u8 want[] = {
		0x12, 0x01, 0, 3, 5, 0, 0, 4, 0, 1, 0, 2, 0x12, 0x34, 0, 2,
	};
	struct weir_job *job;
	unsigned int i;

	box_up();
	job = panama_job(TREE, 2, 8);
	CHECK_EQ(GIVE(job, 0, .round = 0x1234), 0);
	weir_retention_sent(&job->blocks.retention, 0, 0x10001, true);
	weir_retention_sent(&job->blocks.retention, 1, 0x10001, true);
	CHECK_EQ(GIVE(job, 1, .vid = 0x10002, .round = 0x1234, .grad = 1.5, .fin = true), 0);
	CHECK_EQ(GIVE(job, 0, .vid = 0x10002, .round = 0x1234, .grad = 2, .fin = true), 0);
	CHECK_EQ(box.sent, 2);
	for (i = 0; i < 2; i++) {
		CHECK_EQ(box.packet[i].head_len, sizeof(want));
		CHECK(!memcmp(box.packet[i].head, want, sizeof(want)));
		CHECK(sum(i) == 3.5f);
		CHECK_EQ(box.packet[i].tos, 56 << 2);
		CHECK_EQ(box.packet[i].dport, 0);
	}
	box_down();
}

/*
 * A job that is set up again during a round goes on where its workers are, whichever of the packets
 * under way comes first.
 */
static void panama_middle(void)
{
	static const u32 firsts[] = { 4, 9, 1000, 0x80000000, 0xfffffff0 };
	unsigned int i, source, round, first;
	struct weir_job *job;

	for (i = 0; i < ARRAY_SIZE(firsts) * 4; i++) {
		u32 lowest = firsts[i / 4], vid = lowest + i % 4;

		box_up();
		job = panama_job(TREE, 3, 8);
		first = i % 3;
		CHECK_EQ(GIVE(job, first, .vid = vid, .round = 7, .grad = 1), 0);
		/* All workers send what is not answered, again and again; the order is a hard one. */
		for (round = 0; round < 4; round++)
			for (source = 0; source < 3; source++)
				for (vid = lowest + 4; vid-- > lowest;)
					GIVE(job, source, .vid = vid, .round = 7, .grad = 1);
		CHECK_EQ(box_counter(WEIR_C_RESULTS), 3 * 4);
		/* And the round goes on. */
		for (vid = lowest + 4; vid < lowest + 40 && vid > lowest; vid++)
			for (source = 0; source < 3; source++)
				CHECK_EQ(GIVE(job, source, .vid = vid, .round = 7, .grad = 1), 0);
		/* A newer round begins with VID 0. */
		for (source = 0; source < 3; source++)
			CHECK_EQ(GIVE(job, source, .round = 8, .grad = 1), 0);
		box_down();
	}
}

/*
 * A packet that was still under way when the job was set up again opens a block that never
 * completes, as its sender has the result by now. It does not keep its slot from the others.
 */
static void panama_middle_late(void)
{
	unsigned int source, round;
	struct weir_job *job;
	u32 vid;

	box_up();
	job = panama_job(TREE, 2, 8);
	CHECK_EQ(GIVE(job, 0, .vid = 98, .round = 7, .grad = 1), 0);
	for (vid = 100; vid < 130; vid++) {
		for (round = 0; round < 2; round++)
			for (source = 0; source < 2; source++)
				GIVE(job, source, .vid = vid, .round = 7, .grad = 1);
		CHECK(box_counter(WEIR_C_RESULTS) == 2 * (vid - 99));
	}
	box_down();
}

/* A packet that comes again to a complete block is answered with the same bytes. */
static void panama_repeat(void)
{
	struct weir_job *job;

	box_up();
	job = panama_job(TREE, 2, 8);
	CHECK_EQ(GIVE(job, 0, .grad = 1, .cap = 3, .ecn = 3, .fin = true), 0);
	CHECK_EQ(GIVE(job, 0, .grad = 1, .cap = 3, .ecn = 3), WEIR_REASON_DUPLICATE);
	CHECK_EQ(GIVE(job, 1, .grad = 2, .cap = 4, .ecn = 2, .fin = true), 0);
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(GIVE(job, 1, .grad = 9, .cap = 1), 0);
	CHECK_EQ(box.sent, 3);
	CHECK(!memcmp(box.packet[2].head, box.packet[0].head, sizeof(struct weir_panama)));
	CHECK_EQ(box.packet[2].tos, box.packet[0].tos);
	CHECK(sum(2) == 3);
	CHECK_EQ(cap_of(2), 3);
	box_down();
}

/* The cap is the least that any worker says, half of the table at most; a 0 does not count. */
static void panama_cwnd_cap(void)
{
	static const struct {
		u32 blocks;
		u16 said[3], want;
	} cases[] = {
		{ 64, { 100, 100, 100 }, 32 }, { 64, { 100, 31, 100 }, 31 },
		{ 64, { 1, 31, 100 }, 1 }, { 64, { 9, 31, 8 }, 8 },
		{ 64, { 0, 0, 0 }, 32 }, { 64, { 0, 5, 0 }, 5 }, { 64, { 33, 32, 0 }, 32 },
		{ 2, { 65535, 65535, 65535 }, 1 }, { 1, { 65535, 0, 9 }, 1 },
		{ 65536, { 65535, 65535, 65535 }, 32768 }, { 1024, { 0, 256, 257 }, 256 },
	};
	struct weir_job *job;
	unsigned int i, s;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		box_up();
		job = panama_job(TREE, 3, cases[i].blocks);
		for (s = 0; s < 3; s++)
			CHECK_EQ(GIVE(job, s, .cap = cases[i].said[s]), 0);
		CHECK_EQ(box.sent, 3);
		CHECK_EQ(cap_of(0), cases[i].want);
		box_down();
	}
}

/* A block's mark begins anew in the slot that another has had. */
static void panama_marks(void)
{
	struct weir_job *job;

	box_up();
	job = panama_job(TREE, 1, 2);
	CHECK_EQ(GIVE(job, 0, .vid = 0, .cap = 1, .ecn = 3), 0);
	CHECK_EQ(GIVE(job, 0, .vid = 1), 0);
	CHECK_EQ(GIVE(job, 0, .vid = 2, .ecn = 1, .fin = true), 0);
	CHECK_EQ(box.sent, 3);
	CHECK_EQ(box.packet[0].tos & 3, 3);
	CHECK_EQ(box.packet[1].tos & 3, 0);
	CHECK_EQ(box.packet[2].tos & 3, 2);
	CHECK_EQ(header(0)->flags, 0);
	CHECK_EQ(header(2)->flags, WEIR_PANAMA_FIN);
	box_down();
}

/* Not-ECT 0, ECT(1) 1, ECT(0) 2, CE 3: of two contributions, in both orders. */
static void panama_ecn(void)
{
	static const u8 want[4][4] = {
		{ 0, 0, 0, 3 }, { 0, 2, 2, 3 }, { 0, 2, 2, 3 }, { 3, 3, 3, 3 },
	};
	struct weir_job *job;
	unsigned int a, b;

	for (a = 0; a < 4; a++) {
		for (b = 0; b < 4; b++) {
			box_up();
			job = panama_job(TREE, 2, 2);
			CHECK_EQ(GIVE(job, 0, .ecn = a), 0);
			CHECK_EQ(GIVE(job, 1, .ecn = b), 0);
			CHECK_EQ(box.packet[1].tos, 56 << 2 | want[a][b]);
			box_down();
		}
	}
}

static void panama_fin(void)
{
	struct weir_job *job;
	unsigned int a, b;

	for (a = 0; a < 2; a++) {
		for (b = 0; b < 2; b++) {
			box_up();
			job = panama_job(TREE, 2, 2);
			CHECK_EQ(GIVE(job, 0, .fin = a), 0);
			CHECK_EQ(GIVE(job, 1, .fin = b), 0);
			CHECK_EQ(header(0)->flags, a && b ? WEIR_PANAMA_FIN : 0);
			box_down();
		}
	}
}

/* VIDs begin anew with each round; of the one before, results are there until all go on. */
static void panama_rounds(void)
{
	struct weir_job *job;

	box_up();
	job = panama_job(TREE, 2, 8);
	CHECK_EQ(GIVE(job, 0, .round = 65535, .grad = 1, .fin = true), 0);
	CHECK_EQ(GIVE(job, 1, .round = 65535, .grad = 2, .fin = true), 0);
	CHECK_EQ(GIVE(job, 0, .round = 0, .grad = 10), 0);
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(GIVE(job, 1, .round = 65535, .grad = 2, .fin = true), 0);
	CHECK_EQ(box.sent, 3);
	CHECK(sum(2) == 3);
	CHECK_EQ(GIVE(job, 1, .round = 0, .grad = 20), 0);
	CHECK_EQ(box.sent, 5);
	CHECK(sum(3) == 30);
	CHECK_EQ(GIVE(job, 1, .round = 65534), WEIR_REASON_GENERATION);
	CHECK_EQ(GIVE(job, 1, .round = 0, .vid = 99), WEIR_REASON_AHEAD);
	box_down();
}

/* One that does not come is missing in the number that a result says. */
static void panama_partial(void)
{
	struct weir_job *job;

	box_up();
	box.policy.mode = WEIR_POLICY_PARTIAL;
	box.policy.quorum = 2;
	job = panama_job(TREE, 3, 8);
	CHECK_EQ(GIVE(job, 2, .grad = 1, .cap = 3), 0);
	CHECK_EQ(GIVE(job, 0, .grad = 2, .cap = 2), 0);
	CHECK_EQ(box.sent, 3);
	CHECK_EQ(header(1)->sources[1], 2);
	CHECK_EQ(box.packet[1].bytes, sizeof(struct weir_panama) + 4);
	/* A late source is answered, and no field of the answer has a part of it. */
	CHECK_EQ(GIVE(job, 1, .grad = 4, .cap = 1, .ecn = 3), 0);
	CHECK_EQ(box.sent, 4);
	CHECK_EQ(cap_of(3), 2);
	CHECK_EQ(box.packet[3].tos & 3, 0);
	CHECK(sum(3) == 3);
	box_down();
}

/* Packets that another format's programs might hand in: none of them is answered. */
static void panama_refusals(void)
{
	struct weir_contrib c;
	struct weir_job *job;

	box_up();
	job = panama_job(TREE, 2, 8);
	c = panama_contrib(job, 0, &(const struct said){ });
	c.count = 0;
	c.udp_len -= 4;
	CHECK_EQ(take(&c, 0), WEIR_REASON_LENGTH);
	c = panama_contrib(job, 0, &(const struct said){ });
	c.flags = WEIR_CONTRIB_JOIN;
	c.udp_len = c.payload_off + sizeof(struct weir_join);
	CHECK_EQ(take(&c, 0), WEIR_REASON_JOIN);
	c = panama_contrib(job, 0, &(const struct said){ });
	c.flags = WEIR_CONTRIB_UNNAMED;
	CHECK_EQ(take(&c, 0), WEIR_REASON_NO_JOB);
	c = panama_contrib(job, 0, &(const struct said){ });
	c.job--;
	CHECK_EQ(take(&c, 0), WEIR_REASON_NO_JOB);
	c = panama_contrib(job, 0, &(const struct said){ });
	c.weight = 2;
	CHECK_EQ(take(&c, 0), WEIR_REASON_WEIGHT);
	c = panama_contrib(job, 0, &(const struct said){ });
	c.source = 1;
	CHECK_EQ(take(&c, 0), WEIR_REASON_SPOOFED);
	CHECK_EQ(box.sent, 0);
	CHECK_EQ(box_counter(WEIR_C_CONTRIBUTIONS), 0);
	box_down();
}

/* The parent, as a host of the box's link, and this box as a source of it. */
#define PARENT		200
#define PARENT_SOURCE	9

static struct weir_job *tier_job(unsigned int sources, u32 blocks)
{
	struct weir_job_config cfg = box_config(&weir_format_panama, TREE, sources, blocks, 16);
	struct weir_job *job;

	cfg.blocks.above = true;
	cfg.has_parent = true;
	cfg.parent = (struct weir_parent_config) {
		.addr = box_addr(PARENT), .port = WEIR_PORT_PANAMA, .source = PARENT_SOURCE,
		.vlan = WEIR_VLAN_ANY,
	};
	job = box_job_of(&cfg);
	CHECK(job);
	return job;
}

/* A result of the parent, of so many workers. */
static struct weir_contrib parent_result(const struct weir_job *job, const struct said *said,
					 u16 workers)
{
	struct weir_contrib c = panama_contrib(job, 0, said);
	struct in6_addr parent = box_addr(PARENT);

	memcpy(c.saddr, &parent, sizeof(parent));
	c.flags |= WEIR_CONTRIB_DOWN;
	c.weight = workers;
	c.said[1] = said->fin ? WEIR_PANAMA_FIN : 0;
	return c;
}

#define PARENT_GIVES(job, workers, value, ...) ({					\
	struct weir_contrib down = parent_result(job, &(const struct said){ __VA_ARGS__ },	\
						 workers);				\
	take(&down, value);								\
})

static bool to_parent(unsigned int i)
{
	struct in6_addr parent = box_addr(PARENT);

	return ipv6_addr_equal(&box.packet[i].to, &parent);
}

/* The least cap, CE and FIN of all go up with the sum; what comes down goes to the workers. */
static void panama_tier(void)
{
	static const u8 up[] = {
		0x11, 0x03, 0, 3, 5, 9, 0, 3, 0, 0, 0, 0, 0x12, 0x34, 0, 2,
	};
	static const u8 down[] = {
		0x12, 0x01, 0, 3, 5, 0, 0, 2, 0, 0, 0, 0, 0x12, 0x34, 0, 7,
	};
	struct weir_job *job;
	unsigned int i;

	box_up();
	job = tier_job(2, 8);
	CHECK_EQ(GIVE(job, 0, .round = 0x1234, .grad = 1, .cap = 5, .ecn = 3, .fin = true), 0);
	CHECK_EQ(box.sent, 0);
	CHECK_EQ(GIVE(job, 1, .round = 0x1234, .grad = 2, .cap = 3, .ecn = 2, .fin = true), 0);
	CHECK_EQ(box.sent, 1);
	CHECK(to_parent(0));
	CHECK_EQ(box.packet[0].head_len, sizeof(up));
	CHECK(!memcmp(box.packet[0].head, up, sizeof(up)));
	CHECK_EQ(box.packet[0].tos, 56 << 2 | 3);
	CHECK(sum(0) == 3);
	CHECK_EQ(box_counter(WEIR_C_PARENT_SUMS), 1);
	CHECK_EQ(box_counter(WEIR_C_BLOCKS), 0);
	box_forget();
	CHECK_EQ(PARENT_GIVES(job, 7, 100, .round = 0x1234, .cap = 2, .ecn = 2, .fin = true), 0);
	CHECK_EQ(box.sent, 2);
	for (i = 0; i < 2; i++) {
		CHECK(!memcmp(box.packet[i].head, down, sizeof(down)));
		/* The mark of this box's own links is kept. */
		CHECK_EQ(box.packet[i].tos, 56 << 2 | 3);
		CHECK(sum(i) == 100);
		CHECK_EQ(box.packet[i].bytes, sizeof(down) + 4);
	}
	CHECK_EQ(box_counter(WEIR_C_PARENT_RESULTS), 1);
	/* A worker that lost the result gets the same. */
	CHECK_EQ(GIVE(job, 1, .round = 0x1234, .grad = 2), 0);
	CHECK_EQ(box.sent, 3);
	CHECK(!memcmp(box.packet[2].head, down, sizeof(down)));
	CHECK(sum(2) == 100);
	box_down();
}

/* CE on the way between boxes comes to the workers. */
static void panama_tier_marks_come_down(void)
{
	struct weir_job *job;

	box_up();
	job = tier_job(1, 8);
	CHECK_EQ(GIVE(job, 0, .ecn = 2), 0);
	CHECK_EQ(box.packet[0].tos & 3, 2);
	CHECK_EQ(PARENT_GIVES(job, 2, 1, .cap = 2, .ecn = 3), 0);
	CHECK_EQ(box.packet[1].tos & 3, 3);
	CHECK_EQ(header(1)->flags, 0);
	box_down();
}

/* Packets have no questions: a worker that sends again has the sum sent again, at a rate. */
static void panama_tier_sends_again(void)
{
	struct weir_job *job;

	box_up();
	job = tier_job(2, 8);
	CHECK_EQ(GIVE(job, 0, .grad = 1), 0);
	CHECK_EQ(GIVE(job, 0, .grad = 1), WEIR_REASON_DUPLICATE);
	CHECK_EQ(GIVE(job, 1, .grad = 2), 0);
	CHECK_EQ(box.sent, 1);
	CHECK_EQ(GIVE(job, 1, .grad = 2), 0);
	CHECK_EQ(box.sent, 2);
	CHECK(to_parent(1));
	CHECK(!memcmp(box.packet[1].head, box.packet[0].head, sizeof(struct weir_panama)));
	CHECK(sum(1) == 3);
	CHECK_EQ(GIVE(job, 0, .grad = 1), 0);
	CHECK_EQ(GIVE(job, 1, .grad = 2), 0);
	CHECK_EQ(box.sent, 2);
	mock_ns += 10 * NSEC_PER_MSEC;
	CHECK_EQ(GIVE(job, 0, .grad = 1), 0);
	CHECK_EQ(GIVE(job, 1, .grad = 2), 0);
	CHECK_EQ(box.sent, 3);
	CHECK_EQ(box_counter(WEIR_C_PARENT_SUMS), 3);
	CHECK_EQ(box_counter(WEIR_C_PARENT_QUERIES), 0);
	box_down();
}

/* The root: a box of three workers and one worker. */
static void panama_tier_root(void)
{
	struct weir_contrib c;
	struct weir_job *job;

	box_up();
	job = panama_job(TREE, 2, 8);
	c = panama_contrib(job, 0, &(const struct said){ .cap = 3, .ecn = 3, .fin = true });
	c.flags |= WEIR_CONTRIB_UP;
	c.said[1] = WEIR_PANAMA_BOX | WEIR_PANAMA_FIN;
	c.weight = 0;
	CHECK_EQ(take(&c, 6), WEIR_REASON_WEIGHT);
	c.weight = 3;
	CHECK_EQ(take(&c, 6), 0);
	CHECK_EQ(GIVE(job, 1, .grad = 1, .cap = 4, .ecn = 2, .fin = true), 0);
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(header(0)->sources[1], 4);
	CHECK_EQ(header(0)->flags, WEIR_PANAMA_FIN);
	CHECK_EQ(cap_of(0), 3);
	CHECK_EQ(box.packet[0].tos & 3, 3);
	CHECK(sum(0) == 7);
	CHECK_EQ(take(&c, 6), 0);
	CHECK_EQ(box.sent, 3);
	CHECK(sum(2) == 7);
	box_down();
}

/* The parent went on without this box, or without some of its workers. */
static void panama_tier_goes_on_without(void)
{
	struct weir_job *job;

	box_up();
	job = tier_job(2, 8);
	CHECK_EQ(GIVE(job, 0, .grad = 1), 0);
	CHECK_EQ(PARENT_GIVES(job, 4, 50, .cap = 2), 0);
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(header(0)->sources[1], 4);
	CHECK(sum(0) == 50);
	CHECK_EQ(GIVE(job, 1, .grad = 2), 0);
	CHECK_EQ(box.sent, 3);
	CHECK(sum(2) == 50);
	CHECK_EQ(box_counter(WEIR_C_LATE), 1);
	job->blocks.quorum = 1;
	CHECK_EQ(GIVE(job, 0, .vid = 1, .grad = 1), 0);
	CHECK(to_parent(3));
	CHECK_EQ(header(3)->sources[1], 1);
	box_down();
}

/* A packet that cannot be a result of the parent changes nothing. */
static void panama_tier_refusals(void)
{
	struct weir_contrib c;
	struct weir_job *job;

	box_up();
	job = tier_job(2, 8);
	CHECK_EQ(GIVE(job, 0, .round = 5), 0);
	CHECK_EQ(GIVE(job, 1, .round = 5), 0);
	box_forget();
	CHECK_EQ(PARENT_GIVES(job, 2, 1, .round = 5, .cap = 1, .vid = 1), WEIR_REASON_STALE);
	CHECK_EQ(PARENT_GIVES(job, 2, 1, .round = 9, .cap = 1), WEIR_REASON_GENERATION);
	CHECK_EQ(PARENT_GIVES(job, 0, 1, .round = 5, .cap = 1), WEIR_REASON_WEIGHT);
	CHECK_EQ(PARENT_GIVES(job, 2, 1, .round = 5), WEIR_REASON_WEIGHT);
	c = parent_result(job, &(const struct said){ .round = 5, .cap = 1 }, 2);
	c.said[1] = WEIR_PANAMA_BOX;
	CHECK_EQ(take(&c, 0), WEIR_REASON_FLAGS);
	c = parent_result(job, &(const struct said){ .round = 5, .cap = 1 }, 2);
	c.udp_len += 2;
	CHECK_EQ(take(&c, 0), WEIR_REASON_LENGTH);
	c = parent_result(job, &(const struct said){ .round = 5, .cap = 1 }, 2);
	c.count = 0;
	c.udp_len -= 4;
	CHECK_EQ(take(&c, 0), WEIR_REASON_LENGTH);
	c = parent_result(job, &(const struct said){ .round = 5, .cap = 1 }, 2);
	c.count = 2;
	c.udp_len += 4;
	CHECK_EQ(take(&c, 0), WEIR_REASON_COUNT);
	c = parent_result(job, &(const struct said){ .round = 5, .cap = 1 }, 2);
	c.sport++;
	CHECK_EQ(take(&c, 0), WEIR_REASON_DIRECTION);
	c = parent_result(job, &(const struct said){ .round = 5, .cap = 1 }, 2);
	c.format = WEIR_FORMAT_TRIO;
	CHECK_EQ(take(&c, 0), WEIR_REASON_DIRECTION);
	CHECK_EQ(box.sent, 0);
	CHECK_EQ(PARENT_GIVES(job, 2, 1, .round = 5, .cap = 1), 0);
	CHECK_EQ(PARENT_GIVES(job, 2, 2, .round = 5, .cap = 1), WEIR_REASON_DUPLICATE);
	CHECK_EQ(box.sent, 2);
	box_down();
}

const struct ktap_test panama_tests[] = {
	KTAP_TEST(panama_result),
	KTAP_TEST(panama_middle),
	KTAP_TEST(panama_middle_late),
	KTAP_TEST(panama_repeat),
	KTAP_TEST(panama_cwnd_cap),
	KTAP_TEST(panama_marks),
	KTAP_TEST(panama_ecn),
	KTAP_TEST(panama_fin),
	KTAP_TEST(panama_rounds),
	KTAP_TEST(panama_partial),
	KTAP_TEST(panama_refusals),
	KTAP_TEST(panama_tier),
	KTAP_TEST(panama_tier_marks_come_down),
	KTAP_TEST(panama_tier_sends_again),
	KTAP_TEST(panama_tier_root),
	KTAP_TEST(panama_tier_goes_on_without),
	KTAP_TEST(panama_tier_refusals),
};
SUITE_END(panama);
