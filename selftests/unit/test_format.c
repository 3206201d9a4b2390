// SPDX-License-Identifier: GPL-2.0
/*
 * The module's calls to a wire format, with one that is made up: its packets say neither
 * job nor source nor block, a block keeps a word of them, and results go to other ports.
 */
#include "agg/base/payload.h"
#include "box.h"
#include "agg/format/format.h"
#include "agg/type/reduce.h"
#include "unit.h"

#define MADE_UP 99

/* Return the size of the state: the next block of each source. */
static size_t made_up_state(u32 sources, u32 blocks)
{
	(void)blocks;
	return sources * sizeof(u32);
}

static int made_up_place(void *state, struct weir_blocks *blocks, struct weir_contrib *c,
			 const struct weir_payload *pl)
{
	u32 *next = state;

	if (c->said[1])
		return c->said[1];
	c->block = next[c->source]++;
	c->generation = 0;
	return 0;
}

static void made_up_fold(void *mark, const struct weir_contrib *c, bool first)
{
	u32 *all = mark;

	*all = c->said[0] | (first ? 0 : *all);
}

static unsigned int made_up_result(void *head, u8 job, const struct weir_result *res)
{
	/* As long as the box's packets are here. */
	struct weir_trio *hdr = head;

	memset(hdr, 0, sizeof(*hdr));
	hdr->job_id = job;
	put_unaligned_be32(*(const u32 *)res->mark, hdr->block_id);
	return sizeof(*hdr);
}

static u16 made_up_port(const struct weir_result *res, u16 source)
{
	return 5000 + source + *(const u32 *)res->mark;
}

static const struct weir_format_ops made_up = {
	.id	= MADE_UP,
	.unnamed = true,
	.mark	= sizeof(u32),
	.udp	= 7000,
	.state	= made_up_state,
	.place	= made_up_place,
	.fold	= made_up_fold,
	.result	= made_up_result,
	.port	= made_up_port,
};

static struct weir_job *made_up_job(unsigned int id, unsigned int sources, int address)
{
	struct weir_job_config cfg = box_config(&made_up, id, sources, 4, 16);
	struct weir_job *job;

	cfg.address = box_addr(address);
	job = box_job_of(&cfg);
	CHECK(job);
	return job;
}

static struct weir_contrib packet(const struct weir_job *job, u16 source)
{
	struct weir_contrib c = box_contrib(job, source, 77, 1);

	c.job = 200;
	c.source = 200;
	c.format = MADE_UP;
	c.dport = 7000;
	c.flags = WEIR_CONTRIB_UNNAMED;
	return c;
}

static int give(const struct weir_job *job, u16 source, s32 grad, u32 said)
{
	struct weir_contrib c = packet(job, source);

	c.said[0] = said;
	return box_send(&c, &grad, 0);
}

static void format_unnamed(void)
{
	struct weir_job *a, *b;

	box_up();
	a = made_up_job(3, 2, 254);
	b = made_up_job(4, 2, 253);
	/* To two addresses, in turn: two jobs, whose blocks follow each other. */
	CHECK_EQ(give(a, 0, 1, 1), 0);
	CHECK_EQ(give(b, 1, 100, 0), 0);
	CHECK_EQ(box.sent, 0);
	CHECK_EQ(give(a, 1, 2, 8), 0);
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(box.packet[0].hdr.job_id, 3);
	CHECK_EQ(box_block(&box.packet[0]), 9);
	CHECK_EQ(box_result(&box.packet[0], 0), 3);
	CHECK_EQ(box.packet[0].dport, 5009);
	CHECK_EQ(box.packet[1].dport, 5010);
	box_forget();
	CHECK_EQ(give(b, 0, 200, 2), 0);
	CHECK_EQ(box.packet[0].hdr.job_id, 4);
	CHECK_EQ(box_block(&box.packet[0]), 2);
	CHECK_EQ(box_result(&box.packet[1], 0), 300);
	box_forget();
	/* The mark of the slot's next block begins anew. */
	CHECK_EQ(give(a, 0, 5, 16), 0);
	CHECK_EQ(give(a, 1, 5, 16), 0);
	CHECK_EQ(box_block(&box.packet[1]), 16);
	box_down();
}

static void format_refusals(void)
{
	struct weir_job *job, *trio;
	struct weir_contrib c;

	box_up();
	job = made_up_job(3, 2, 254);
	trio = box_job(7, 2, 4, 16);
	CHECK_EQ(give(job, 2, 1, 1), WEIR_REASON_NO_SOURCE);
	c = packet(job, 0);
	c.dport = 7001;
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_NO_JOB);
	/* The format says what is wrong with this packet. */
	c = packet(job, 0);
	c.said[1] = WEIR_REASON_STALE;
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_STALE);
	/* A packet that says its job, to one whose packets do not, and the other way round. */
	c = packet(job, 0);
	c.flags = 0;
	c.job = 3;
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_NO_JOB);
	c = box_contrib(trio, 0, 0, 1);
	c.flags = WEIR_CONTRIB_UNNAMED;
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_NO_JOB);
	/* One that is deleted is not found any more. */
	weir_job_unpublish(job);
	CHECK_EQ(give(job, 0, 1, 1), WEIR_REASON_NO_JOB);
	weir_job_free(job);
	box_down();
}

static void format_without_memory(void)
{
	int fail;

	for (fail = 0; fail < 4; fail++) {
		struct weir_job_config cfg = {
			.id = 3, .format = &made_up, .timers = 1,
			.blocks = {
				.size = 4, .sources = 2, .grads = 16,
				.reduction = weir_reduction_find(WEIR_DTYPE_INT32, WEIR_OP_SUM,
								 WEIR_ORDER_ARRIVAL),
			},
		};
		struct netlink_ext_ack extack = { };

		box_up();
		mock_fail_after = fail;
		CHECK(IS_ERR(weir_job_add(&box.wn, &cfg, &extack)));
		mock_fail_after = -1;
		CHECK(!box.wn.unnamed.first);
		box_down();
	}
}

static int join_from(const struct weir_job *job, u8 format, u16 flags)
{
	struct weir_join join = {
		.nonce = 1, .ranks = htonl(2), .grads = htonl(16), .format = format,
	};
	struct weir_contrib c = packet(job, 0);
	u8 head[20] = { };
	struct weir_payload pl = {
		.n = 2,
		.seg = { { head, sizeof(head) }, { (const u8 *)&join, sizeof(join) } },
	};

	c.job = job->id;
	c.source = 0;
	c.format = WEIR_FORMAT_TRIO;
	c.count = 0;
	c.flags = WEIR_CONTRIB_JOIN | flags;
	c.udp_len = sizeof(head) + sizeof(join);
	c.payload_off = c.udp_off + sizeof(head);
	return weir_contribute(&box.dev, &c, &pl, true);
}

/* Its answer says which format the job has, whatever the join says; and no generation begins. */
static void format_join_of_trio(void)
{
	static const u8 says[] = { WEIR_FORMAT_TRIO, MADE_UP };
	struct weir_job *job;
	unsigned int i;

	box_up();
	job = made_up_job(3, 2, 254);
	for (i = 0; i < ARRAY_SIZE(says); i++) {
		box_forget();
		CHECK_EQ(join_from(job, says[i], 0), WEIR_REASON_JOIN);
		CHECK_EQ(box.sent, 1);
		CHECK_EQ(box.packet[0].hdr.flags, WEIR_TRIO_CONTROL | WEIR_TRIO_DEGRADED);
		CHECK_EQ(box.packet[0].join.format, MADE_UP);
		CHECK_EQ(box.packet[0].join.cookie, 0);
	}
	box_forget();
	CHECK_EQ(join_from(job, WEIR_FORMAT_TRIO, WEIR_CONTRIB_UNNAMED), WEIR_REASON_NO_JOB);
	CHECK_EQ(box.sent, 0);
	CHECK(!job->join.joiner[0].is_waiting);
	box_down();
}

/* Each format of the table is found by its number, and says how results begin. */
static void format_table(void)
{
	unsigned int id, n = 0, last = 0;

	for (id = 0; id < MADE_UP; id++) {
		const struct weir_format_ops *format = weir_format_find(id);

		if (!format)
			continue;
		n++;
		last = id;
		CHECK_EQ(format->id, id);
		CHECK(!format->result == format->kv);
		CHECK(format->mark <= WEIR_MARK_MAX);
		CHECK(!format->mark == !format->fold);
		CHECK(!format->pair || !format->place);
	}
	/* A request may name any format of the enumeration. */
	CHECK(last >= WEIR_FORMAT_KV);
	CHECK_EQ(n, last);
	CHECK(!weir_format_find(0));
	CHECK(!weir_format_find(MADE_UP));
}

const struct ktap_test format_tests[] = {
	KTAP_TEST(format_unnamed),
	KTAP_TEST(format_refusals),
	KTAP_TEST(format_without_memory),
	KTAP_TEST(format_join_of_trio),
	KTAP_TEST(format_table),
};
SUITE_END(format);
