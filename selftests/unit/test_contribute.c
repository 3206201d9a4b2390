// SPDX-License-Identifier: GPL-2.0
/* The whole way of a contribution, from the descriptor to the packets sent. */
#include <limits.h>

#include "agg/base/payload.h"
#include "box.h"
#include "unit.h"

static void contribute_and_result(void)
{
	s32 grads[3][1500];
	struct weir_contrib c;
	struct weir_job *job;
	unsigned int i, s;

	box_up();
	job = box_job(7, 3, 4, 2048);
	for (s = 0; s < 3; s++) {
		for (i = 0; i < 1500; i++)
			grads[s][i] = random() % 1000000 - 500000;
		c = box_contrib(job, s, 1, 1500);
		CHECK_EQ(box_send(&c, grads[s], s ? 333 : 0), 0);
	}
	CHECK_EQ(box.sent, 3);
	for (s = 0; s < box.sent; s++) {
		struct box_sent *p = &box.packet[s];
		struct in6_addr to = box_addr(s + 1);

		CHECK(ipv6_addr_equal(&p->to, &to));
		CHECK_EQ(p->hdr.job_id, 7);
		CHECK_EQ(p->hdr.block_id[3], 1);
		CHECK_EQ(p->hdr.src_cnt, 3);
		CHECK_EQ(p->hdr.flags, 0);
		CHECK_EQ(p->hdr.grad_cnt[0] << 8 | p->hdr.grad_cnt[1],
			 1500 | WEIR_TRIO_DOWN);
		CHECK_EQ(p->len, 6000);
		/* Shared, not copied. */
		CHECK(p->pages[0] == box.packet[0].pages[0]);
		for (i = 0; i < 1500; i++)
			if (!CHECK_EQ(box_result(p, i), grads[0][i] +
				      grads[1][i] + grads[2][i]))
				break;
	}
	CHECK_EQ(box_counter(WEIR_C_CONTRIBUTIONS), 3);
	CHECK_EQ(box_counter(WEIR_C_GRADIENTS), 4500);
	CHECK_EQ(box_counter(WEIR_C_BLOCKS), 1);
	CHECK_EQ(box_counter(WEIR_C_RESULTS), 3);
	CHECK_EQ(job->stats->c[WEIR_C_CONTRIBUTIONS], 3);
	CHECK_EQ(box.port.stats->c[WEIR_C_CONTRIBUTIONS], 3);
	CHECK_EQ(weir_source_get(job, 2)->stats->c[WEIR_C_CONTRIBUTIONS], 1);
	box_down();
}

static void contribute_256_sources(void)
{
	struct in6_addr group = box_addr(9);
	struct weir_contrib c;
	struct weir_job *job;
	s32 one = 1;
	int s;

	box_up();
	job = box_job(7, 256, 4, 16);
	weir_job_set(job, &group, NULL);
	for (s = 0; s < 256; s++) {
		c = box_contrib(job, s, 0, 1);
		CHECK_EQ(box_send(&c, &one, 0), 0);
	}
	CHECK_EQ(box.sent, 1);
	CHECK(ipv6_addr_equal(&box.packet[0].to, &group));
	CHECK_EQ(box.packet[0].hdr.src_cnt, 0);
	CHECK_EQ(box_result(&box.packet[0], 0), 256);
	box_down();
}

static void contribute_overflow(void)
{
	s32 large = INT32_MAX, one = 1;
	struct weir_contrib c;
	struct weir_job *job;

	box_up();
	job = box_job(7, 2, 4, 16);
	c = box_contrib(job, 0, 0, 1);
	box_send(&c, &large, 0);
	c = box_contrib(job, 1, 0, 1);
	box_send(&c, &one, 0);
	CHECK_EQ(box.packet[0].hdr.flags, WEIR_TRIO_OVERFLOW);
	CHECK_EQ(box.packet[1].hdr.flags, WEIR_TRIO_OVERFLOW);
	CHECK_EQ(box_counter(WEIR_C_OVERFLOWS), 1);
	/* Asked again, the same. */
	box_send(&c, &one, 0);
	CHECK_EQ(box.packet[2].hdr.flags, WEIR_TRIO_OVERFLOW);
	CHECK_EQ(box_counter(WEIR_C_OVERFLOWS), 1);
	box_down();
}

static void contribute_repeat_to_one(void)
{
	struct weir_contrib c;
	struct weir_job *job;

	box_up();
	job = box_job(7, 2, 4, 16);
	c = box_contrib(job, 0, 0, 16);
	box_send(&c, NULL, 0);
	c = box_contrib(job, 1, 0, 16);
	box_send(&c, NULL, 0);
	box_forget();
	CHECK_EQ(box_send(&c, NULL, 0), 0);
	CHECK_EQ(box.sent, 1);
	CHECK_EQ(box_counter(WEIR_C_REPEATS), 1);
	CHECK_EQ(box_counter(WEIR_C_CONTRIBUTIONS), 2);
	box_down();
}

/* Changes of a good contribution, and the reasons for which it is refused then. */
static void contribute_refusals(void)
{
	static const struct in6_addr none;
	struct weir_contrib good, c;
	struct weir_job *job;
	u64 before;

#define REFUSED(r, ...) do {						\
	c = good;							\
	__VA_ARGS__;							\
	before = box_counter(WEIR_C_REFUSED + WEIR_REASON_##r);	\
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_##r);		\
	CHECK_EQ(box_counter(WEIR_C_REFUSED + WEIR_REASON_##r),	\
		 before + 1);						\
	CHECK_EQ(box_counter(WEIR_C_CONTRIBUTIONS), 0);		\
} while (0)

	box_up();
	job = box_job(7, 2, 4, 16);
	weir_blocks_advance(&job->blocks, 3, 0);
	good = box_contrib(job, 0, 0, 16);
	REFUSED(NO_JOB, c.job = 8);
	REFUSED(NO_JOB, c.job = 7 + 256);
	REFUSED(NO_JOB, c.format = 9);
	REFUSED(NO_JOB, c.dport = 12001);
	REFUSED(NOT_LOCAL, c.daddr[3]++);
	REFUSED(NO_SOURCE, c.source = 2);
	REFUSED(NO_SOURCE, c.source = 65535);
	REFUSED(SPOOFED, c.source = 1);
	REFUSED(SPOOFED, memcpy(c.saddr, &none, 16));
	REFUSED(LENGTH, c.udp_len--);
	REFUSED(LENGTH, c.count = 15);
	REFUSED(LENGTH, c.payload_off = 4; c.udp_off = 0; c.udp_len = 68);
	REFUSED(WEIGHT, c.weight = 2);
	REFUSED(TOO_LONG, c.count = 17; c.udp_len = 88);
	REFUSED(GENERATION, c.generation = 2);
	box_port_gone();
	REFUSED(NO_PORT, );
	CHECK_EQ(weir_blocks_open(&job->blocks), 0);
	box_down();
}

static int send_join(struct weir_job *job, u16 source, u32 nonce, u32 ranks,
		     u32 grads)
{
	const struct weir_join join = { .nonce = nonce, .ranks = htonl(ranks),
					.grads = htonl(grads) };

	return box_join_as(job, source, 0, &join);
}

/* As it came but for one number, it is answered with the job's. */
static void refused_join(struct weir_job *job, u8 dtype, u8 op, u8 format)
{
	struct weir_join join = {
		.nonce = 111, .ranks = htonl(2), .grads = htonl(16),
		.dtype = dtype, .op = op, .format = format,
		.cookie = weir_source_cookie(weir_source_get(job, 0), 12000, 111),
	};

	box_forget();
	CHECK_EQ(box_join_without(job, 0, 0, &join), WEIR_REASON_JOIN);
	CHECK_EQ(box.sent, 1);
	CHECK_EQ(box.packet[0].hdr.flags, WEIR_TRIO_CONTROL | WEIR_TRIO_DEGRADED);
	CHECK_EQ(box.packet[0].join.dtype, WEIR_DTYPE_INT32);
	CHECK_EQ(box.packet[0].join.op, WEIR_OP_SUM);
	CHECK_EQ(box.packet[0].join.format, WEIR_FORMAT_TRIO);
}

static void contribute_join_of_other_numbers(void)
{
	struct weir_job *job;

	box_up();
	job = box_job(7, 2, 4, 16);
	refused_join(job, WEIR_DTYPE_FLOAT32, WEIR_OP_SUM, WEIR_FORMAT_TRIO);
	refused_join(job, WEIR_DTYPE_INT32, WEIR_OP_MAX, WEIR_FORMAT_TRIO);
	refused_join(job, WEIR_DTYPE_INT32, WEIR_OP_SUM, 0);
	box_down();
}

/* Where a worker leaves the numbers open, it reads them in the answer. */
static void contribute_join_of_any_numbers(void)
{
	struct weir_join join = {
		.nonce = 111, .ranks = htonl(1), .grads = htonl(16), .format = WEIR_FORMAT_TRIO,
	};
	struct weir_job *job;

	box_up();
	job = box_job(7, 1, 4, 16);
	join.cookie = weir_source_cookie(weir_source_get(job, 0), 12000, 111);
	CHECK_EQ(box_join_without(job, 0, 0, &join), 0);
	CHECK_EQ(box.sent, 1);
	CHECK_EQ(box.packet[0].hdr.flags, WEIR_TRIO_CONTROL);
	CHECK_EQ(box.packet[0].join.dtype, WEIR_DTYPE_INT32);
	CHECK_EQ(box.packet[0].join.op, WEIR_OP_SUM);
	box_down();
}

static void contribute_join(void)
{
	struct weir_job *job;

	box_up();
	mock_random = 41;
	job = box_job(7, 2, 4, 16);
	CHECK_EQ(send_join(job, 0, 111, 2, 16), 0);
	CHECK_EQ(box.sent, 0);
	CHECK_EQ(send_join(job, 1, 222, 2, 16), 0);
	CHECK_EQ(box.sent, 0);
	CHECK_EQ(send_join(job, 0, 111, 2, 16), 0);
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(box.generations, 1);
	CHECK_EQ(weir_blocks_generation(&job->blocks), 42);
	CHECK_EQ(box.packet[0].join.nonce, 111);
	CHECK_EQ(box.packet[1].join.nonce, 222);
	CHECK_EQ(box.packet[0].hdr.flags, WEIR_TRIO_CONTROL);
	CHECK_EQ(box.packet[0].hdr.gen_id[1], 42);
	CHECK_EQ(ntohl(box.packet[0].join.blocks), 4);
	CHECK_EQ(ntohl(box.packet[0].join.grads), 16);
	box_forget();
	CHECK_EQ(send_join(job, 1, 222, 2, 16), 0);
	CHECK_EQ(box.sent, 1);
	CHECK_EQ(weir_blocks_generation(&job->blocks), 42);
	box_down();
}

static void contribute_join_that_does_not_fit(void)
{
	struct weir_job *job;

	box_up();
	job = box_job(7, 2, 4, 16);
	CHECK_EQ(send_join(job, 0, 1, 3, 16), WEIR_REASON_JOIN);
	CHECK_EQ(send_join(job, 0, 1, 2, 17), WEIR_REASON_JOIN);
	CHECK_EQ(send_join(job, 0, 1, 2, 0), WEIR_REASON_JOIN);
	CHECK_EQ(box.sent, 3);
	CHECK_EQ(box.packet[0].hdr.flags, WEIR_TRIO_CONTROL | WEIR_TRIO_DEGRADED);
	CHECK_EQ(ntohl(box.packet[0].join.ranks), 2);
	CHECK_EQ(weir_blocks_generation(&job->blocks), 0);
	box_down();
}

/* Source 0 of a job of two is bound as in @config, and only so. */
static struct weir_contrib identity(struct weir_source_config config)
{
	struct weir_job *job;

	box_up();
	job = box_job(7, 2, 4, 16);
	config.addr = box_addr(1);
	CHECK_EQ(weir_source_bind(job, 0, &config), 0);
	return box_contrib(job, 0, 0, 16);
}

/* An index of a request is any 32 bits; the memory before the table is not the table's. */
static void contribute_ports_by_any_index(void)
{
	static const int none[] = { 0, -1, -3, 3 + WEIR_DEV_BUCKETS, INT_MIN, INT_MAX };
	size_t i;

	box_up();
	CHECK(weir_port_get(&box.wn, 3) == &box.port);
	for (i = 0; i < ARRAY_SIZE(none); i++) {
		CHECK(!weir_port_get(&box.wn, none[i]));
		CHECK(weir_dev_bucket(box.wn.port_table, none[i]) >= box.wn.port_table);
		CHECK(weir_dev_bucket(box.wn.port_table, none[i]) <
		      box.wn.port_table + WEIR_DEV_BUCKETS);
	}
	box_down();
}

static void contribute_port_is_whose(void)
{
	struct weir_contrib c;

	c = identity((struct weir_source_config){ .vlan = WEIR_VLAN_ANY,
						  .port = 4000 });
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_SPOOFED);
	c.sport = 4000;
	CHECK_EQ(box_send(&c, NULL, 0), 0);
	/* Without one any may be used. */
	c.source = 1;
	c.saddr[3] = box_addr(2).s6_addr32[3];
	c.sport = 65535;
	CHECK_EQ(box_send(&c, NULL, 0), 0);
	CHECK_EQ(box.packet[0].port, 4000);
	CHECK_EQ(box.packet[1].port, 0);
	box_down();
}

static void contribute_vlan_is_whose(void)
{
	struct weir_contrib c;

	c = identity((struct weir_source_config){ .vlan = 12 });
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_SPOOFED);
	c.vlan = 13;
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_SPOOFED);
	c.vlan = 12;
	CHECK_EQ(box_send(&c, NULL, 0), 0);
	box_down();
	/* 0 is untagged, and not any. */
	c = identity((struct weir_source_config){ .vlan = 0 });
	c.vlan = 12;
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_SPOOFED);
	c.vlan = 0;
	CHECK_EQ(box_send(&c, NULL, 0), 0);
	box_down();
	c = identity((struct weir_source_config){ .vlan = WEIR_VLAN_ANY });
	c.vlan = 12;
	CHECK_EQ(box_send(&c, NULL, 0), 0);
	box_down();
}

static void contribute_device_is_whose(void)
{
	struct weir_contrib c;

	c = identity((struct weir_source_config){ .vlan = WEIR_VLAN_ANY,
						  .ifindex = 4 });
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_SPOOFED);
	box_port_gone();
	box.dev.ifindex = 4;
	box.port.ifindex = 4;
	box_port_back();
	CHECK_EQ(box_send(&c, NULL, 0), 0);
	box_down();
}

/* Packets of another sender, or broken ones, do not keep the source alive either. */
static void contribute_spoofed_is_not_heard(void)
{
	struct weir_contrib c;
	struct weir_job *job;

	box_up();
	job = box_job(7, 2, 4, 16);
	c = box_contrib(job, 0, 0, 1);
	c.saddr[3]++;
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_SPOOFED);
	CHECK(!job->watch.watched[0].heard);
	c.saddr[3]--;
	c.count = 2;
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_LENGTH);
	CHECK(!job->watch.watched[0].heard);
	c.count = 1;
	CHECK_EQ(box_send(&c, NULL, 0), 0);
	CHECK(job->watch.watched[0].heard);
	CHECK(!job->watch.watched[1].heard);
	box_down();
}

/* A source that may send @own packets at once, in a job that may send @all. */
static struct weir_job *policed(u32 own, u32 all)
{
	const struct weir_rate_config rate = { .packets = 1,
					       .packets_burst = all };
	struct weir_source_config config = {
		.addr = box_addr(1), .vlan = WEIR_VLAN_ANY,
		.rate = { .packets = 1, .packets_burst = own },
	};
	struct weir_job *job;

	box_up();
	job = box_job(7, 2, 4, 16);
	CHECK_EQ(weir_source_bind(job, 0, &config), 0);
	CHECK_EQ(weir_job_set(job, NULL, &rate), 0);
	return job;
}

/* A packet above a source's rate is counted everywhere, and costs the job's rate nothing. */
static void contribute_source_is_policed(void)
{
	struct weir_job *job = policed(1, 2);
	struct weir_contrib c = box_contrib(job, 0, 0, 16);
	const struct weir_stats *own = weir_source_get(job, 0)->stats;

	CHECK_EQ(box_send(&c, NULL, 0), 0);
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_SOURCE_RATE);
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_SOURCE_RATE);
	CHECK_EQ(own->c[WEIR_C_POLICED_BYTES], 2 * 84);
	CHECK_EQ(own->c[WEIR_C_REFUSED + WEIR_REASON_SOURCE_RATE], 2);
	CHECK_EQ(job->stats->c[WEIR_C_POLICED_BYTES], 2 * 84);
	CHECK_EQ(box.port.stats->c[WEIR_C_POLICED_BYTES], 2 * 84);
	CHECK_EQ(box_counter(WEIR_C_POLICED_BYTES), 2 * 84);
	CHECK_EQ(box_give(job, 1, 0, 1), WEIR_REASON_COUNT);
	CHECK_EQ(box_give(job, 1, 0, 1), WEIR_REASON_JOB_RATE);
	mock_ns += NSEC_PER_SEC;
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_DUPLICATE);
	box_down();
}

/* Sources that have joined hear that they do not agree; one that has not is refused alone. */
static void contribute_unlike(void)
{
	struct weir_contrib c;
	struct weir_job *job;

	box_up();
	job = box_job(7, 2, 4, 16);
	CHECK_EQ(box_give(job, 0, 0, 1), 0);
	c = box_contrib(job, 1, 0, 2);
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_COUNT);
	CHECK_EQ(box.sent, 0);
	box_all_joined(job);
	c = box_contrib(job, 1, 0, 2);
	c.flags |= WEIR_CONTRIB_JOINED;
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_COUNT);
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(box.packet[0].hdr.flags, WEIR_TRIO_UNLIKE);
	CHECK_EQ(box.packet[1].hdr.flags, WEIR_TRIO_UNLIKE);
	CHECK_EQ(box.packet[1].hdr.src_cnt, 2);
	CHECK_EQ(box_counter(WEIR_C_CONTRIBUTIONS), 1);
	CHECK_EQ(box_counter(WEIR_C_BLOCKS), 1);
	CHECK_EQ(box_counter(WEIR_C_REFUSED + WEIR_REASON_COUNT), 2);
	box_down();
}

static void contribute_job_is_policed(void)
{
	struct weir_job *job = policed(10, 1);
	struct weir_contrib c = box_contrib(job, 0, 0, 16);

	CHECK_EQ(box_send(&c, NULL, 0), 0);
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_JOB_RATE);
	CHECK_EQ(job->stats->c[WEIR_C_REFUSED + WEIR_REASON_JOB_RATE], 1);
	CHECK_EQ(job->stats->c[WEIR_C_POLICED_BYTES], 84);
	CHECK_EQ(box_counter(WEIR_C_CONTRIBUTIONS), 1);
	box_down();
}

/* The answers to questions, too, are no more than the source's rate, or the job's. */
static void answers_are_policed(bool own)
{
	struct weir_rate_config rate = { .bytes = 1000, .bytes_burst = 1000 };
	struct weir_source_config config = { .addr = box_addr(1),
					     .vlan = WEIR_VLAN_ANY };
	struct weir_contrib c;
	struct weir_job *job;
	unsigned int i, answered = 0;

	box_up();
	job = box_job(7, 1, 4, 16);
	if (own)
		config.rate = rate;
	CHECK_EQ(weir_source_bind(job, 0, &config), 0);
	CHECK_EQ(weir_job_set(job, NULL, own ? NULL : &rate), 0);
	weir_source_get(job, 0)->hears = true;
	c = box_contrib(job, 0, 0, 16);
	CHECK_EQ(box_send(&c, NULL, 0), 0);
	for (i = 0; i < 100; i++)
		answered += !box_ask(job, 0, 0);
	/* 84 bytes for the block, 20 for each question and 64 more for its answer. */
	CHECK_EQ(answered, (1000 - 84) / 84);
	CHECK_EQ(box_counter(WEIR_C_REPEATS), answered);
	CHECK_EQ(box_counter(WEIR_C_QUERIES), answered);
	CHECK_EQ(job->stats->c[WEIR_C_REFUSED + (own ? WEIR_REASON_SOURCE_RATE :
						       WEIR_REASON_JOB_RATE)],
		 100 - answered);
	box_down();
}

static void contribute_answers_are_policed(void)
{
	answers_are_policed(true);
	answers_are_policed(false);
}

/* All packets: joins, queries, and those that would be refused later. */
static void contribute_all_is_policed(void)
{
	struct weir_job *job = policed(0, 100);
	struct weir_contrib c = box_contrib(job, 0, 0, 16);

	CHECK_EQ(box_join(job, 0, 1), WEIR_REASON_SOURCE_RATE);
	CHECK_EQ(box_ask(job, 0, 0), WEIR_REASON_SOURCE_RATE);
	c.weight = 2;
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_SOURCE_RATE);
	c.count = 15;
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_SOURCE_RATE);
	/* But not packets that are not weir's. */
	c.daddr[3]++;
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_NOT_LOCAL);
	CHECK_EQ(box_counter(WEIR_C_JOINS), 0);
	CHECK_EQ(box_counter(WEIR_C_POLICED_BYTES), 52 + 20 + 2 * 84);
	box_down();
}

/* An excluded source gets a notice, in any generation, but may join. */
static void contribute_excluded(void)
{
	struct weir_contrib c;
	struct weir_job *job;

	box_up();
	job = box_job(7, 2, 4, 16);
	set_bit(1, job->blocks.excluded);
	/* A client that has only the paper would take a notice for a result. */
	c = box_contrib(job, 1, 3, 16);
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_EXCLUDED);
	CHECK_EQ(box.sent, 0);
	c.flags = WEIR_CONTRIB_JOINED;
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_EXCLUDED);
	c.generation = 9;
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_EXCLUDED);
	CHECK_EQ(weir_blocks_generation(&job->blocks), 0);
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(box.packet[0].hdr.flags & WEIR_TRIO_NOTICE, WEIR_TRIO_NOTICE);
	CHECK_EQ(box_block(&box.packet[0]), 3);
	CHECK_EQ(box_join(job, 1, 5), 0);
	CHECK_EQ(box_counter(WEIR_C_JOINS), 1);
	CHECK_EQ(weir_blocks_open(&job->blocks), 0);
	box_down();
}

/* Each contribution, in time or late, has its place in the histogram. */
static void contribute_lateness(void)
{
	struct weir_lateness *lateness;
	struct weir_job *job;

	box_up();
	job = box_job(7, 3, 4, 16);
	box_all_joined(job);
	job->blocks.quorum = 2;
	lateness = weir_source_get(job, 1)->lateness;
	box_give(job, 0, 0, 1);
	mock_ns += 5 * NSEC_PER_USEC;
	box_give(job, 1, 0, 1);
	CHECK_EQ(lateness->bucket[2], 1);
	CHECK_EQ(weir_source_get(job, 0)->lateness->bucket[0], 1);
	/* Asking again is no contribution. */
	box_give(job, 1, 0, 1);
	box_ask(job, 1, 0);
	CHECK_EQ(lateness->bucket[2], 1);
	mock_ns += 1100 * NSEC_PER_USEC;
	box_give(job, 2, 0, 1);
	CHECK_EQ(weir_source_get(job, 2)->lateness->bucket[10], 1);
	box_give(job, 2, 0, 1);
	CHECK_EQ(weir_source_get(job, 2)->lateness->bucket[10], 1);
	CHECK_EQ(box_counter(WEIR_C_LATE), 1);
	CHECK_EQ(weir_source_get(job, 2)->stats->c[WEIR_C_LATE], 1);
	CHECK_EQ(box_counter(WEIR_C_REPEATS), 4);
	box_down();
}

static void contribute_abandoned_is_counted(void)
{
	struct weir_contrib c;
	struct weir_job *job;

	box_up();
	job = box_job(7, 2, 4, 16);
	box_give(job, 0, 1, 1);
	/* Block 0 of the next one is in slot 2, and block 3 in slot 1. */
	c = box_contrib(job, 1, 3, 1);
	c.generation = 1;
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_BUSY);
	c = box_contrib(job, 0, 3, 1);
	CHECK_EQ(box_send(&c, NULL, 0), 0);
	CHECK_EQ(box_counter(WEIR_C_ABANDONED), 1);
	CHECK_EQ(box_counter(WEIR_C_CONTRIBUTIONS), 2);
	box_down();
}

static void contribute_send_errors(void)
{
	struct weir_contrib c;
	struct weir_job *job;

	box_up();
	job = box_job(7, 1, 4, 16);
	box.send_error = -EHOSTUNREACH;
	c = box_contrib(job, 0, 0, 16);
	CHECK_EQ(box_send(&c, NULL, 0), 0);
	CHECK_EQ(box_counter(WEIR_C_RESULT_ERRORS), 1);
	CHECK_EQ(box_counter(WEIR_C_RESULTS), 0);
	box_down();
}

static void contribute_unbound_source_gets_nothing(void)
{
	struct weir_contrib c;
	struct weir_job *job;

	box_up();
	job = box_job(7, 2, 4, 16);
	c = box_contrib(job, 0, 0, 16);
	box_send(&c, NULL, 0);
	weir_source_unbind(job, 0);
	c = box_contrib(job, 1, 0, 16);
	box_send(&c, NULL, 0);
	CHECK_EQ(box.sent, 1);
	CHECK_EQ(box_counter(WEIR_C_BLOCKS), 1);
	box_down();
}

static __sum16 good_csum(const struct weir_contrib *c, const u8 *dgram)
{
	return csum_tcpudp_magic(c->saddr[3], c->daddr[3], c->udp_len, 17,
				 csum_partial(dgram, c->udp_len, 0));
}

/* The checksum is verified where it was not before. */
static void contribute_checksum(void)
{
	struct weir_contrib c;
	struct weir_job *job;
	struct weir_payload pl;
	u8 dgram[20 + 64];
	__sum16 sum;
	int block = 0;

#define SEND(want) do {							\
	c.block = block++;						\
	pl.n = 1;							\
	pl.seg[0] = (struct weir_seg){ dgram, sizeof(dgram) };		\
	CHECK_EQ(weir_contribute(&box.dev, &c, &pl, false), want);	\
} while (0)

	box_up();
	job = box_job(7, 1, 4, 16);
	c = box_contrib(job, 0, 0, 16);
	memset(dgram, 7, sizeof(dgram));
	memset(dgram + 6, 0, 2);
	SEND(0);
	sum = good_csum(&c, dgram);
	memcpy(dgram + 6, &sum, 2);
	SEND(0);
	dgram[30] ^= 1;
	SEND(WEIR_REASON_CHECKSUM);
	/* The pseudo header's alone: a device was to add the rest. */
	sum = ~csum_tcpudp_magic(c.saddr[3], c.daddr[3], c.udp_len, 17, 0);
	memcpy(dgram + 6, &sum, 2);
	SEND(0);
	box_down();
}

/* A packet that a parser refuses is only bad where it is sent to a job. */
static void contribute_refuse(void)
{
	struct weir_contrib c;
	struct weir_job *job;

	box_up();
	job = box_job(7, 1, 4, 16);
	c = box_contrib(job, 0, 0, 16);
	CHECK_EQ(weir_refuse(&box.dev, &c, WEIR_REASON_RUNT), WEIR_REASON_RUNT);
	c.dport = 12001;
	CHECK_EQ(weir_refuse(&box.dev, &c, WEIR_REASON_RUNT),
		 WEIR_REASON_NOT_LOCAL);
	c.dport = 12000;
	c.daddr[3]++;
	CHECK_EQ(weir_refuse(&box.dev, &c, WEIR_REASON_RUNT),
		 WEIR_REASON_NOT_LOCAL);
	box_port_gone();
	CHECK_EQ(weir_refuse(&box.dev, &c, WEIR_REASON_RUNT),
		 WEIR_REASON_NO_PORT);
	CHECK_EQ(box_counter(WEIR_C_REFUSED + WEIR_REASON_RUNT), 1);
	CHECK_EQ(box_counter(WEIR_C_REFUSED + WEIR_REASON_NOT_LOCAL), 2);
	/* A frame that ends early likewise. */
	box_port_back();
	CHECK_EQ(weir_contribute(&box.dev, &c, NULL, true),
		 WEIR_REASON_NOT_LOCAL);
	c.daddr[3]--;
	CHECK_EQ(weir_contribute(&box.dev, &c, NULL, true),
		 WEIR_REASON_LENGTH);
	box_down();
}

/* Another CPU's writes where the BPF program has its descriptor. */
static struct weir_contrib descriptor;

static void descriptor_changes(void)
{
	mock_meanwhile = NULL;
	descriptor.count = 2048;
	descriptor.flags = 0x8000;
}

static void contribute_descriptor(void)
{
	struct weir_contrib c;

	descriptor = (struct weir_contrib) { .count = 16 };
	CHECK(weir_contrib_copy(&c, &descriptor, sizeof(c)));
	CHECK(!weir_contrib_copy(&c, NULL, sizeof(c)));
	CHECK(!weir_contrib_copy(&c, NULL, 0));
	CHECK(!weir_contrib_copy(&c, &descriptor, sizeof(c) - 1));
	CHECK(!weir_contrib_copy(&c, &descriptor, sizeof(c) + 1));
	descriptor.reserved[1] = 1;
	CHECK(!weir_contrib_copy(&c, &descriptor, sizeof(c)));
	descriptor.reserved[1] = 0;
	descriptor.flags = 0x8000;
	CHECK(!weir_contrib_copy(&c, &descriptor, sizeof(c)));
}

/* It is read once, before it is checked. */
static void contribute_descriptor_changes(void)
{
	struct weir_contrib c;

	descriptor = (struct weir_contrib) { .count = 16 };
	mock_meanwhile = descriptor_changes;
	CHECK(weir_contrib_copy(&c, &descriptor, sizeof(c)));
	CHECK(!mock_meanwhile);
	CHECK_EQ(c.count, 16);
	CHECK_EQ(c.flags, 0);
	CHECK_EQ(descriptor.count, 2048);
}

const struct ktap_test contribute_tests[] = {
	KTAP_TEST(contribute_and_result),
	KTAP_TEST(contribute_256_sources),
	KTAP_TEST(contribute_overflow),
	KTAP_TEST(contribute_repeat_to_one),
	KTAP_TEST(contribute_refusals),
	KTAP_TEST(contribute_join),
	KTAP_TEST(contribute_join_of_other_numbers),
	KTAP_TEST(contribute_join_of_any_numbers),
	KTAP_TEST(contribute_join_that_does_not_fit),
	KTAP_TEST(contribute_ports_by_any_index),
	KTAP_TEST(contribute_port_is_whose),
	KTAP_TEST(contribute_vlan_is_whose),
	KTAP_TEST(contribute_device_is_whose),
	KTAP_TEST(contribute_spoofed_is_not_heard),
	KTAP_TEST(contribute_source_is_policed),
	KTAP_TEST(contribute_unlike),
	KTAP_TEST(contribute_job_is_policed),
	KTAP_TEST(contribute_answers_are_policed),
	KTAP_TEST(contribute_all_is_policed),
	KTAP_TEST(contribute_excluded),
	KTAP_TEST(contribute_lateness),
	KTAP_TEST(contribute_abandoned_is_counted),
	KTAP_TEST(contribute_send_errors),
	KTAP_TEST(contribute_unbound_source_gets_nothing),
	KTAP_TEST(contribute_checksum),
	KTAP_TEST(contribute_refuse),
	KTAP_TEST(contribute_descriptor),
	KTAP_TEST(contribute_descriptor_changes),
};
SUITE_END(contribute);
