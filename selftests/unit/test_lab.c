// SPDX-License-Identifier: GPL-2.0
/*
 * The formats lab and lab-ethernet: which chunk a packet is for, whatever is lost, late or
 * comes twice, and what a result says.
 */
#include "box.h"
#include "agg/base/payload.h"
#include "agg/format/format.h"
#include "agg/type/reduce.h"
#include "unit.h"

#define SECOND NSEC_PER_SEC

/* A contribution of up to two gradients; without a chunk it is of the basic variant. */
struct said {
	u32 chunk, total;
	s32 grad;
	bool scaled;
	s32 scale;
	u32 workers, rank;		/* what is said less what is right */
	int slot;			/* likewise */
	int count;			/* gradients, 1 where it is 0 */
};

static struct weir_job *lab_job_of(const struct weir_format_ops *format, unsigned int id,
				   unsigned int sources)
{
	struct weir_job_config cfg = box_config(format, id, sources, 2, 16);
	struct netlink_ext_ack extack = { };
	struct weir_job *job;
	unsigned int i;

	if (format->link)
		weir_addr_set_link(&cfg.address, (const u8 *)"\xff\xff\xff\xff\xff\xff");
	job = weir_job_add(&box.wn, &cfg, &extack);
	if (!CHECK(!IS_ERR(job)))
		return NULL;
	for (i = 0; i < sources; i++) {
		struct weir_source_config source = {
			.addr = box_addr(i + 1), .vlan = WEIR_VLAN_ANY,
		};

		if (format->link) {
			weir_addr_set_link(&source.addr, (const u8[]){ 2, 0, 0, 0, 0, i });
			/* Two on each device. */
			source.ifindex = 3 + i / 2;
		}
		CHECK_EQ(weir_source_bind(job, i, &source), 0);
	}
	return job;
}

static struct weir_job *lab_job(unsigned int sources)
{
	return lab_job_of(&weir_format_lab, 9, sources);
}

static int head_of(const struct said *said)
{
	return 8 + (said->chunk || said->total ? 13 : 0) + (said->scaled ? 4 : 0);
}

static struct weir_contrib lab_contrib(const struct weir_job *job, u16 source,
				       const struct said *said)
{
	struct weir_contrib c = box_contrib(job, source, 0, said->count ?: 1);
	bool link = job->format->link;

	memcpy(c.saddr, &weir_source_get(job, source)->config.addr, sizeof(c.saddr));
	c.job = c.source = 77;
	c.format = job->format->id;
	c.dport = c.sport = job->format->udp;
	c.flags = WEIR_CONTRIB_UNNAMED | (said->scaled ? WEIR_CONTRIB_EXPONENT : 0) |
		  (link ? WEIR_CONTRIB_LINK : 0);
	c.exponent = said->scale;
	c.payload_off = (link ? 0 : 8) + head_of(said);
	c.udp_len = c.payload_off + 4 * c.count;
	c.generation = (u8)((said->chunk & 1) + said->slot);
	c.said[0] = job->blocks.sources + said->workers;
	c.said[1] = source + said->rank;
	c.said[2] = said->chunk;
	c.said[3] = said->total;
	return c;
}

/* Returns the reason for which it is refused, or 0. */
static int give(const struct weir_job *job, u16 source, const struct said *said)
{
	struct weir_contrib c = lab_contrib(job, source, said);
	u8 buf[128] = { };
	struct weir_payload pl = { .n = 1, .seg = { { buf, c.udp_len } } };
	int i;

	for (i = 0; i < c.count && c.count < 16; i++)
		put_unaligned_be32(said->grad + i, buf + c.payload_off + 4 * i);
	return weir_contribute(&box.dev, &c, &pl, job->format->link);
}

#define GIVE(job, source, ...) give(job, source, &(const struct said){ __VA_ARGS__ })

static u32 word(const struct box_sent *packet, unsigned int at)
{
	return get_unaligned_be32(packet->head + at);
}

static void lab_basic(void)
{
	struct weir_job *job;

	box_up();
	job = lab_job(2);
	CHECK_EQ(GIVE(job, 0, .grad = 1), 0);
	CHECK_EQ(GIVE(job, 0, .grad = 1), WEIR_REASON_DUPLICATE);
	CHECK_EQ(box.sent, 0);
	CHECK_EQ(GIVE(job, 1, .grad = 2), 0);
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(box.packet[0].head_len, 8);
	CHECK_EQ(word(&box.packet[0], 0), 2);
	CHECK_EQ(word(&box.packet[0], 4), 1);
	CHECK_EQ(box_result(&box.packet[0], 0), 3);
	CHECK_EQ(box_result(&box.packet[1], 0), 3);
	CHECK_EQ(box.packet[0].dport, 0);
	/* The next chunk is the next packet of each, in whatever order they come. */
	CHECK_EQ(GIVE(job, 1, .grad = 10, .count = 2), 0);
	CHECK_EQ(GIVE(job, 0, .grad = 20), WEIR_REASON_COUNT);
	CHECK_EQ(GIVE(job, 0, .grad = 20, .count = 2), 0);
	CHECK_EQ(box.sent, 4);
	CHECK_EQ(word(&box.packet[3], 4), 2);
	CHECK_EQ(box_result(&box.packet[3], 0), 30);
	CHECK_EQ(box_result(&box.packet[3], 1), 32);
	box_down();
}

static void lab_scaled(void)
{
	struct weir_job *job;

	box_up();
	job = lab_job(2);
	CHECK_EQ(GIVE(job, 0, .grad = 1, .scaled = true, .scale = -7), 0);
	CHECK_EQ(GIVE(job, 1, .grad = 2), WEIR_REASON_COUNT);
	CHECK_EQ(GIVE(job, 1, .grad = 2, .scaled = true, .scale = -3), 0);
	CHECK_EQ(box.packet[1].head_len, 12);
	CHECK_EQ((s32)word(&box.packet[1], 8), -3);
	box_down();
	box_up();
	job = lab_job(2);
	CHECK_EQ(GIVE(job, 1, .chunk = 1, .total = 3, .scaled = true, .scale = 5), 0);
	CHECK_EQ(GIVE(job, 0, .chunk = 1, .total = 3, .scaled = true, .scale = -9), 0);
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(box.packet[1].head_len, 25);
	CHECK_EQ((s32)word(&box.packet[1], 21), 5);
	box_down();
}

static void lab_reliable(void)
{
	struct weir_job *job;

	box_up();
	job = lab_job(2);
	CHECK_EQ(GIVE(job, 0, .chunk = 1, .total = 4, .grad = 1), 0);
	/* It is sent until it is answered, and counts once. */
	CHECK_EQ(GIVE(job, 0, .chunk = 1, .total = 4, .grad = 1), WEIR_REASON_DUPLICATE);
	CHECK_EQ(GIVE(job, 1, .chunk = 1, .total = 4, .grad = 2), 0);
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(box.packet[0].head_len, 21);
	CHECK_EQ(word(&box.packet[0], 0), 2);
	CHECK_EQ(word(&box.packet[0], 4), 1);
	CHECK_EQ(word(&box.packet[0], 8), WEIR_LAB_DOWN);
	CHECK_EQ(word(&box.packet[0], 12), 1);
	CHECK_EQ(word(&box.packet[0], 16), 4);
	CHECK_EQ(box.packet[0].head[20], 1);
	CHECK(!memcmp(box.packet[0].head, box.packet[1].head, 21));
	CHECK_EQ(box_result(&box.packet[0], 0), 3);
	/* The result was lost, and is sent again to the one that asks. */
	CHECK_EQ(GIVE(job, 1, .chunk = 1, .total = 4, .grad = 2), 0);
	CHECK_EQ(box.sent, 3);
	CHECK_EQ(box_counter(WEIR_C_REPEATS), 1);
	/* Another has gone on meanwhile. */
	CHECK_EQ(GIVE(job, 0, .chunk = 2, .total = 4, .grad = 5), 0);
	CHECK_EQ(GIVE(job, 1, .chunk = 1, .total = 4, .grad = 2), 0);
	CHECK_EQ(box.sent, 4);
	CHECK_EQ(word(&box.packet[3], 12), 1);
	CHECK_EQ(box_result(&box.packet[3], 0), 3);
	CHECK(!memcmp(box.packet[3].head, box.packet[0].head, 21));
	CHECK_EQ(GIVE(job, 1, .chunk = 2, .total = 4, .grad = 6), 0);
	CHECK_EQ(box.packet[4].head[20], 0);
	CHECK_EQ(box_result(&box.packet[4], 0), 11);
	CHECK_EQ(box_counter(WEIR_C_CONTRIBUTIONS), 4);
	box_down();
}

/* The fields of a packet are checked against the job and against each other. */
static void lab_refusals(void)
{
	struct weir_contrib c;
	struct weir_job *job;

	box_up();
	job = lab_job(2);
	CHECK_EQ(GIVE(job, 0, .workers = 1), WEIR_REASON_WORKERS);
	CHECK_EQ(GIVE(job, 0, .chunk = 1, .total = 4, .workers = -1), WEIR_REASON_WORKERS);
	CHECK_EQ(GIVE(job, 0, .chunk = 1, .total = 4, .rank = 1), WEIR_REASON_SPOOFED);
	CHECK_EQ(GIVE(job, 0, .chunk = 0, .total = 4), WEIR_REASON_CHUNK);
	CHECK_EQ(GIVE(job, 0, .chunk = 5, .total = 4), WEIR_REASON_CHUNK);
	CHECK_EQ(GIVE(job, 0, .chunk = 1, .total = 0), WEIR_REASON_CHUNK);
	CHECK_EQ(GIVE(job, 0, .chunk = 1, .total = 4, .slot = 1), WEIR_REASON_CHUNK);
	CHECK_EQ(GIVE(job, 0, .chunk = 1, .total = 4, .slot = -1), WEIR_REASON_CHUNK);
	CHECK_EQ(GIVE(job, 0, .chunk = 1, .total = 4, .slot = 2), WEIR_REASON_CHUNK);
	CHECK_EQ(GIVE(job, 0, .count = 17), WEIR_REASON_TOO_LONG);
	/* No parser of ours hands over such packets. */
	c = lab_contrib(job, 0, &(const struct said){ .grad = 1 });
	c.flags |= WEIR_CONTRIB_JOIN;
	c.udp_len = c.payload_off + sizeof(struct weir_join);
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_JOIN);
	c = lab_contrib(job, 0, &(const struct said){ .grad = 1 });
	c.flags |= WEIR_CONTRIB_LINK;
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_NO_JOB);
	c = lab_contrib(job, 0, &(const struct said){ .grad = 1 });
	c.count = 0;
	c.udp_len = c.payload_off;
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_LENGTH);
	/* Nothing of all that was taken or answered. */
	CHECK_EQ(box.sent, 0);
	CHECK_EQ(box_counter(WEIR_C_CONTRIBUTIONS), 0);
	CHECK_EQ(GIVE(job, 0, .chunk = 1, .total = 4), 0);
	/* Nor is a packet of a chunk where no source can be: ahead of the others, or long gone. */
	CHECK_EQ(GIVE(job, 1, .chunk = 2, .total = 4), WEIR_REASON_AHEAD);
	CHECK_EQ(GIVE(job, 1, .chunk = 3, .total = 4), WEIR_REASON_STALE);
	CHECK_EQ(GIVE(job, 1, .chunk = 3, .total = 4), WEIR_REASON_STALE);
	CHECK_EQ(GIVE(job, 1, .chunk = 2, .total = 3), WEIR_REASON_STALE);
	CHECK_EQ(GIVE(job, 1, .grad = 1), WEIR_REASON_COUNT);
	CHECK_EQ(box.sent, 0);
	box_down();
}

/* All sources of a job of two give one chunk, and hear its sum. */
static bool both(const struct weir_job *job, struct said said)
{
	bool ok;
	int s;

	box_forget();
	for (s = 0; s < 2; s++, said.grad *= 10)
		if (!CHECK_EQ(give(job, s, &said), 0))
			return false;
	ok = CHECK_EQ(box.sent, 2) && CHECK_EQ(box_result(&box.packet[1], 0), said.grad / 100 * 11);
	if (ok && said.chunk)
		ok = CHECK_EQ(word(&box.packet[1], 12), said.chunk);
	return ok;
}

#define BOTH(job, ...) both(job, (struct said){ __VA_ARGS__ })

/* All sources of a job of two say, until they are believed, that they are at a chunk. */
static void insist(const struct weir_job *job, u32 chunk, u32 total, s32 grad)
{
	int i, s;

	for (i = 1; i <= 4; i++)
		for (s = 0; s < 2; s++)
			CHECK_EQ(GIVE(job, s, .chunk = chunk, .total = total,
				      .grad = s ? grad * 10 : grad),
				 i == 4 && s ? 0 : WEIR_REASON_STALE);
}

static void lab_iterations(void)
{
	u32 total, iteration, chunk;
	struct weir_job *job;

	for (total = 1; total < 6; total++) {
		box_up();
		job = lab_job(2);
		for (iteration = 1; iteration < 8; iteration++)
			for (chunk = 1; chunk <= total; chunk++)
				BOTH(job, .chunk = chunk, .total = total,
				     .grad = 100 * iteration + chunk);
		/* Iterations may be of other lengths from one to the next. */
		for (iteration = 1; iteration < 5; iteration++)
			for (chunk = 1; chunk <= iteration; chunk++)
				BOTH(job, .chunk = chunk, .total = iteration,
				     .grad = 1000 * iteration + chunk);
		CHECK_EQ(weir_blocks_generation(&job->blocks), 1);
		box_down();
	}
}

/* One chunk an iteration: its bytes tell what is repeated from what is new. */
static void lab_one_chunk(void)
{
	struct weir_job *job;

	box_up();
	job = lab_job(2);
	BOTH(job, .chunk = 1, .total = 1, .grad = 3);
	/* Lost on the way down. A source that asks once may have got the answer meanwhile. */
	CHECK_EQ(GIVE(job, 0, .chunk = 1, .total = 1, .grad = 3), WEIR_REASON_DUPLICATE);
	CHECK_EQ(GIVE(job, 0, .chunk = 1, .total = 1, .grad = 3), 0);
	CHECK_EQ(box.sent, 3);
	CHECK_EQ(box_result(&box.packet[2], 0), 33);
	CHECK_EQ(GIVE(job, 0, .chunk = 1, .total = 1, .grad = 3), WEIR_REASON_DUPLICATE);
	/* One goes on while the other still lacks it. */
	CHECK_EQ(GIVE(job, 0, .chunk = 1, .total = 1, .grad = 4), 0);
	CHECK_EQ(GIVE(job, 1, .chunk = 1, .total = 1, .grad = 30), WEIR_REASON_DUPLICATE);
	CHECK_EQ(GIVE(job, 1, .chunk = 1, .total = 1, .grad = 30), 0);
	CHECK_EQ(box.sent, 4);
	CHECK_EQ(box_result(&box.packet[3], 0), 33);
	CHECK_EQ(GIVE(job, 1, .chunk = 1, .total = 1, .grad = 40), 0);
	CHECK_EQ(box.sent, 6);
	CHECK_EQ(box_result(&box.packet[5], 0), 44);
	/*
	 * A late duplicate is taken for new, as nothing tells that it is not. The source's next
	 * packet tells, when it has come twice; the others send theirs again.
	 */
	CHECK_EQ(GIVE(job, 0, .chunk = 1, .total = 1, .grad = 3), 0);
	CHECK_EQ(GIVE(job, 0, .chunk = 1, .total = 1, .grad = 5), WEIR_REASON_STALE);
	CHECK_EQ(GIVE(job, 0, .chunk = 1, .total = 1, .grad = 5), 0);
	CHECK_EQ(box.sent, 6);
	/* The block that was given up costs no source the result before it. */
	CHECK_EQ(GIVE(job, 1, .chunk = 1, .total = 1, .grad = 40), WEIR_REASON_DUPLICATE);
	CHECK_EQ(GIVE(job, 1, .chunk = 1, .total = 1, .grad = 40), 0);
	CHECK_EQ(box_result(&box.packet[6], 0), 44);
	CHECK_EQ(GIVE(job, 1, .chunk = 1, .total = 1, .grad = 50), 0);
	CHECK_EQ(box.sent, 9);
	CHECK_EQ(box_result(&box.packet[8], 0), 55);
	CHECK_EQ(weir_blocks_generation(&job->blocks), 1);
	box_down();
}

/*
 * A new chunk with the same bits as in the iteration before cannot be told from a repeat: its
 * source is answered with the result of the iteration before.
 */
static void lab_one_chunk_twice_the_same(void)
{
	struct weir_job *job;

	box_up();
	job = lab_job(2);
	BOTH(job, .chunk = 1, .total = 1, .grad = 3);
	CHECK_EQ(GIVE(job, 0, .chunk = 1, .total = 1, .grad = 3), WEIR_REASON_DUPLICATE);
	CHECK_EQ(GIVE(job, 0, .chunk = 1, .total = 1, .grad = 3), 0);
	CHECK_EQ(box.sent, 3);
	CHECK_EQ(box_result(&box.packet[2], 0), 33);
	/* The scale is part of it. */
	CHECK_EQ(GIVE(job, 1, .chunk = 1, .total = 1, .grad = 4), 0);
	CHECK_EQ(GIVE(job, 0, .chunk = 1, .total = 1, .grad = 4), 0);
	BOTH(job, .chunk = 1, .total = 1, .grad = 5, .scaled = true, .scale = 1);
	BOTH(job, .chunk = 1, .total = 1, .grad = 5, .scaled = true, .scale = 2);
	box_down();
}

/* Two chunks: once the newest is complete, the name of the one before is that of the next. */
static void lab_two_chunks(void)
{
	struct weir_job *job;

	box_up();
	job = lab_job(2);
	BOTH(job, .chunk = 1, .total = 2, .grad = 1);
	CHECK_EQ(GIVE(job, 0, .chunk = 2, .total = 2, .grad = 2), 0);
	CHECK_EQ(GIVE(job, 1, .chunk = 1, .total = 2, .grad = 10), 0);
	CHECK_EQ(box.sent, 3);
	CHECK_EQ(word(&box.packet[2], 12), 1);
	CHECK_EQ(GIVE(job, 1, .chunk = 2, .total = 2, .grad = 20), 0);
	CHECK_EQ(box_result(&box.packet[4], 0), 22);
	/* Gradients may be the same as in the iteration before. */
	BOTH(job, .chunk = 1, .total = 2, .grad = 1);
	BOTH(job, .chunk = 2, .total = 2, .grad = 2);
	/* A late duplicate of a first chunk, and of a second one. */
	CHECK_EQ(GIVE(job, 0, .chunk = 1, .total = 2, .grad = 1), 0);
	CHECK_EQ(GIVE(job, 0, .chunk = 1, .total = 2, .grad = 3), WEIR_REASON_STALE);
	BOTH(job, .chunk = 1, .total = 2, .grad = 3);
	CHECK_EQ(GIVE(job, 1, .chunk = 2, .total = 2, .grad = 20), 0);
	CHECK_EQ(GIVE(job, 1, .chunk = 2, .total = 2, .grad = 40), WEIR_REASON_STALE);
	CHECK_EQ(GIVE(job, 0, .chunk = 2, .total = 2, .grad = 4), 0);
	box_down();
}

/* Chunks of an iteration that is over come late, once: they count for nothing. */
static void lab_late(void)
{
	struct weir_job *job;
	u32 chunk;

	box_up();
	job = lab_job(2);
	for (chunk = 1; chunk <= 5; chunk++)
		BOTH(job, .chunk = chunk, .total = 9, .grad = chunk);
	for (chunk = 1; chunk <= 3; chunk++)
		CHECK_EQ(GIVE(job, 0, .chunk = chunk, .total = 9, .grad = chunk),
			 WEIR_REASON_STALE);
	/* Nor is the one before answered to one that must have its result. */
	CHECK_EQ(GIVE(job, 0, .chunk = 4, .total = 9, .grad = 4), WEIR_REASON_STALE);
	CHECK_EQ(GIVE(job, 0, .chunk = 5, .total = 9, .grad = 5), 0);
	CHECK_EQ(GIVE(job, 0, .chunk = 1, .total = 9, .grad = 1), WEIR_REASON_STALE);
	CHECK_EQ(GIVE(job, 0, .chunk = 7, .total = 9, .grad = 7), WEIR_REASON_STALE);
	CHECK_EQ(GIVE(job, 0, .chunk = 1, .total = 9, .grad = 1), WEIR_REASON_STALE);
	BOTH(job, .chunk = 6, .total = 9, .grad = 6);
	CHECK_EQ(weir_blocks_generation(&job->blocks), 1);
	box_down();
}

/* Late packets stay stale, from any source, where the sources do not agree, or have gone on. */
static void lab_late_and_twice(void)
{
	struct weir_job *job;
	u32 chunk;
	int i, s;

	box_up();
	job = lab_job(2);
	for (chunk = 1; chunk <= 5; chunk++)
		BOTH(job, .chunk = chunk, .total = 9, .grad = chunk);
	/* The chunk before: a source that is in the newest one has its result. */
	for (i = 0; i < 6; i++)
		CHECK_EQ(GIVE(job, i % 2, .chunk = 4, .total = 9, .grad = i % 2 ? 40 : 4),
			 WEIR_REASON_STALE);
	/* Not the same. */
	for (i = 0; i < 6; i++)
		CHECK_EQ(GIVE(job, i % 2, .chunk = 1 + i % 2, .total = 9, .grad = 1),
			 WEIR_REASON_STALE);
	/* Not in a row. */
	BOTH(job, .chunk = 6, .total = 9, .grad = 6);
	for (i = 0; i < 3; i++) {
		for (s = 0; s < 2; s++)
			CHECK_EQ(GIVE(job, s, .chunk = 1, .total = 9, .grad = 1 + 9 * s),
				 WEIR_REASON_STALE);
		BOTH(job, .chunk = 7 + i, .total = 9, .grad = 7 + i);
	}
	CHECK_EQ(weir_blocks_generation(&job->blocks), 1);
	box_down();
}

/* Late packets of all sources, repeated by the network, one after another: the run goes on. */
static void lab_late_and_repeated(void)
{
	struct weir_job *job;
	int i, s;

	box_up();
	job = lab_job(2);
	for (i = 1; i <= 2; i++)
		BOTH(job, .chunk = i, .total = 9, .grad = i);
	CHECK_EQ(GIVE(job, 1, .chunk = 3, .total = 9, .grad = 30), 0);
	for (s = 0; s < 2; s++)
		for (i = 0; i < 3; i++)
			CHECK_EQ(GIVE(job, s, .chunk = 1, .total = 9, .grad = s ? 10 : 1), WEIR_REASON_STALE);
	CHECK_EQ(GIVE(job, 0, .chunk = 3, .total = 9, .grad = 3), 0);
	CHECK_EQ(weir_blocks_generation(&job->blocks), 1);
	box_down();
}

/* A new run begins in the middle of one after four packets of its first chunk from each worker. */
static void lab_restart(void)
{
	struct weir_job *job;
	u32 at, i;

	for (at = 1; at <= 4; at++) {
		box_up();
		job = lab_job(2);
		for (i = 1; i <= at; i++)
			BOTH(job, .chunk = i, .total = 9, .grad = i);
		box_forget();
		if (at > 2)
			CHECK_EQ(GIVE(job, 0, .chunk = at + 1, .total = 9, .grad = 7), 0);
		for (i = 0; i < 5; i++)
			CHECK_EQ(GIVE(job, 1, .chunk = 1, .total = 4, .grad = 500),
				 WEIR_REASON_STALE);
		for (i = 0; i < 3; i++)
			CHECK_EQ(GIVE(job, 0, .chunk = 1, .total = 4, .grad = 50), WEIR_REASON_STALE);
		CHECK_EQ(GIVE(job, 0, .chunk = 1, .total = 4, .grad = 50), 0);
		CHECK_EQ(box.sent, 0);
		CHECK_EQ(GIVE(job, 1, .chunk = 1, .total = 4, .grad = 500), 0);
		CHECK_EQ(box.sent, 2);
		CHECK_EQ(box_result(&box.packet[0], 0), 550);
		CHECK_EQ(weir_blocks_generation(&job->blocks), 2);
		BOTH(job, .chunk = 2, .total = 4, .grad = 2);
		box_down();
	}
}

/* In its first chunk, which is open: what the source has sent for it counts no more. */
static void lab_restart_in_first(void)
{
	struct weir_job *job;

	box_up();
	job = lab_job(2);
	CHECK_EQ(GIVE(job, 0, .chunk = 1, .total = 9, .grad = 1), 0);
	CHECK_EQ(GIVE(job, 0, .chunk = 1, .total = 9, .grad = 5), WEIR_REASON_STALE);
	CHECK_EQ(GIVE(job, 0, .chunk = 1, .total = 9, .grad = 5), 0);
	CHECK_EQ(GIVE(job, 0, .chunk = 1, .total = 9, .grad = 5), WEIR_REASON_DUPLICATE);
	CHECK_EQ(GIVE(job, 1, .chunk = 1, .total = 9, .grad = 50), 0);
	CHECK_EQ(box_result(&box.packet[0], 0), 55);
	box_down();
}

/* A box that is set up anew takes any chunk for its first. */
static void lab_set_up_anew(void)
{
	struct weir_job *job;

	box_up();
	job = lab_job(2);
	BOTH(job, .chunk = 5, .total = 9, .grad = 1);
	BOTH(job, .chunk = 6, .total = 9, .grad = 2);
	box_down();
}

static struct weir_job *timed_job(unsigned int sources)
{
	box.policy.timeout = SECOND;
	return lab_job(sources);
}

/* Contributions of workers that are gone are in no sum of those that come after. */
static void lab_timeout(void)
{
	static const struct said first[] = {
		{ .grad = 1 }, { .chunk = 1, .total = 3, .grad = 1 },
		{ .chunk = 1, .total = 1, .grad = 1 },
	};
	struct weir_job *job;
	struct said said;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(first); i++) {
		box_up();
		job = timed_job(2);
		said = first[i];
		CHECK_EQ(give(job, 0, &said), 0);
		mock_run(mock_ns + SECOND / 2);
		said.grad = 70;
		CHECK(give(job, 0, &said));
		mock_run(mock_ns + SECOND);
		CHECK_EQ(box_counter(WEIR_C_AGED), 1);
		/* The one that had not come before comes first. */
		said.grad = 500;
		CHECK_EQ(give(job, 1, &said), 0);
		CHECK_EQ(box.sent, 0);
		said.grad = 50;
		CHECK_EQ(give(job, 0, &said), 0);
		CHECK_EQ(box.sent, 2);
		CHECK_EQ(box_result(&box.packet[0], 0), 550);
		box_down();
	}
}

/* The timeout costs a source that has only been slow no result. */
static void lab_timeout_of_slow(void)
{
	struct weir_job *job;

	box_up();
	job = timed_job(2);
	BOTH(job, .chunk = 1, .total = 5, .grad = 1);
	CHECK_EQ(GIVE(job, 0, .chunk = 2, .total = 5, .grad = 2), 0);
	mock_run(mock_ns + 2 * SECOND);
	CHECK_EQ(GIVE(job, 0, .chunk = 2, .total = 5, .grad = 2), 0);
	CHECK_EQ(GIVE(job, 0, .chunk = 2, .total = 5, .grad = 2), WEIR_REASON_DUPLICATE);
	/* It still lacks the chunk before. */
	box_forget();
	CHECK_EQ(GIVE(job, 1, .chunk = 1, .total = 5, .grad = 10), 0);
	CHECK_EQ(box.sent, 1);
	CHECK_EQ(box_result(&box.packet[0], 0), 11);
	CHECK_EQ(GIVE(job, 1, .chunk = 2, .total = 5, .grad = 20), 0);
	CHECK_EQ(box.sent, 3);
	CHECK_EQ(box_result(&box.packet[2], 0), 22);
	box_down();
}

/* The next run may be of another variant. */
static void lab_other_variant(void)
{
	struct weir_job *job;

	box_up();
	job = lab_job(2);
	BOTH(job, .grad = 1);
	insist(job, 1, 3, 1);
	CHECK_EQ(GIVE(job, 0, .chunk = 1, .total = 3, .grad = 1), 0);
	CHECK_EQ(box_result(&box.packet[2], 0), 11);
	BOTH(job, .grad = 2);
	BOTH(job, .grad = 3);
	box_down();
}

static void lab_jobs_of_one_address(void)
{
	struct weir_job *a, *b;
	struct weir_job_config cfg = {
		.id = 10, .format = &weir_format_lab, .port = 8000, .address = box_addr(254),
		.timers = 1,
		.blocks = {
			.size = 2, .slots = 2, .sources = 2, .grads = 16,
			.reduction = weir_reduction_find(WEIR_DTYPE_INT32, WEIR_OP_SUM,
							 WEIR_ORDER_ARRIVAL),
		},
	};
	struct netlink_ext_ack extack = { };

	box_up();
	a = lab_job(2);
	CHECK_EQ(PTR_ERR(weir_job_add(&box.wn, &cfg, &extack)), -EADDRINUSE);
	CHECK(strstr(extack.msg, "job 9 has this address and port"));
	CHECK(!weir_job_unnamed_at(&box.wn, &weir_format_lab, &cfg.address, 8000, a));
	cfg.port = 8001;
	b = weir_job_add(&box.wn, &cfg, &extack);
	CHECK(!IS_ERR(b));
	CHECK(weir_job_unnamed_at(&box.wn, &weir_format_lab, &cfg.address, 8001, a) == b);
	CHECK(!weir_job_unnamed_at(&box.wn, &weir_format_trio, &cfg.address, 8001, NULL));
	box_down();
}

/* Frames: a result goes to all of a link, once a device. */
static void lab_ethernet(void)
{
	struct weir_port second = { .ifindex = 4, .stats = box.port.stats };
	struct weir_contrib c;
	struct weir_job *job;
	int i;

	box_up();
	job = lab_job_of(&weir_format_lab_ethernet, 9, 4);
	second.stats = box.port.stats;
	CHECK_EQ(GIVE(job, 0, .grad = 1), 0);
	CHECK_EQ(GIVE(job, 1, .grad = 2), 0);
	/* It came in by the wrong device. */
	CHECK_EQ(GIVE(job, 2, .grad = 3), WEIR_REASON_NO_SOURCE);
	hlist_add_head_rcu(&second.node, weir_dev_bucket(box.wn.port_table, second.ifindex));
	box.dev.ifindex = 4;
	for (i = 2; i < 4; i++)
		CHECK_EQ(GIVE(job, i, .grad = i + 1), 0);
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(box.packet[0].ifindex, 3);
	CHECK_EQ(box.packet[1].ifindex, 4);
	CHECK_EQ(box_result(&box.packet[0], 0), 10);
	CHECK_EQ(box_counter(WEIR_C_RESULTS), 2);
	/* As if it were a datagram. */
	c = lab_contrib(job, 2, &(const struct said){ .grad = 1 });
	c.flags &= ~WEIR_CONTRIB_LINK;
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_NO_JOB);
	/* To an address that is not the job's. */
	c = lab_contrib(job, 2, &(const struct said){ .grad = 1 });
	c.daddr[3] = htonl(1);
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_NO_JOB);
	/* Repeats go by the device of the one that asks. */
	box_forget();
	for (i = 0; i < 19; i++) {
		box.dev.ifindex = i % 4 < 2 ? 3 : 4;
		GIVE(job, i % 4, .chunk = 1, .total = 3, .grad = i % 4);
	}
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(GIVE(job, 3, .chunk = 1, .total = 3, .grad = 3), 0);
	CHECK_EQ(box.sent, 3);
	CHECK_EQ(box.packet[2].ifindex, 4);
	box.dev.ifindex = 3;
	box_down();
}

/*
 * Workers as the report has them, on links that lose and repeat: each of them is at one chunk,
 * sends it until it is answered, and takes the first answer with that chunk's number.
 */
#define MODEL_WORKERS 4
#define MODEL_QUEUE 6
#define MODEL_CHUNKS 8
#define MODEL_ITERATIONS 64

struct model_packet {
	u32 chunk;
	s32 value;
	bool passed;			/* by another one */
};

struct model_queue {
	struct model_packet packet[MODEL_QUEUE];
	int n;
};

struct model_worker {
	u32 iteration, chunk;
	struct model_queue up, down;
};

static struct model {
	struct weir_job *job;
	int workers;
	u32 total, iterations;
	struct model_worker worker[MODEL_WORKERS];
	s32 value[MODEL_WORKERS][MODEL_ITERATIONS][MODEL_CHUNKS + 1];
	bool reorders;
} model;

static s32 model_sum(u32 iteration, u32 chunk)
{
	s32 sum = 0;
	int w;

	for (w = 0; w < model.workers; w++)
		sum += model.value[w][iteration][chunk];
	return sum;
}

static void model_push(struct model_queue *q, const struct model_packet *p)
{
	if (q->n < MODEL_QUEUE)
		q->packet[q->n++] = *p;
}

/* Links keep the order, or let one packet pass another. */
static struct model_packet model_pop(struct model_queue *q)
{
	int i = model.reorders && q->n > 1 && !q->packet[0].passed ? random() % 2 : 0;
	struct model_packet p = q->packet[i];

	q->packet[0].passed = true;
	memmove(q->packet + i, q->packet + i + 1, (--q->n - i) * sizeof(p));
	return p;
}

/* No worker's chunk is the same in two iterations, see lab_one_chunk_twice_the_same(). */
static void model_begin(void)
{
	int w, i, c;

	model.total = 1 + random() % MODEL_CHUNKS;
	/* A late packet must not be as late as an iteration is long. */
	if (model.reorders)
		model.total = max(model.total, 4U);
	model.iterations = 1 + random() % 6;
	memset(model.worker, 0, sizeof(model.worker));
	for (w = 0; w < model.workers; w++) {
		model.worker[w].chunk = 1;
		for (i = 0; i < MODEL_ITERATIONS; i++)
			for (c = 0; c <= MODEL_CHUNKS; c++)
				model.value[w][i][c] = random() % 1000000 * MODEL_ITERATIONS + i;
	}
}

static bool model_is_done(const struct model_worker *worker)
{
	return worker->iteration == model.iterations;
}

/*
 * One chunk an iteration: nothing tells a repeated answer from the next one, so that a worker
 * may not ask again while its question is under way.
 */
static void model_worker_sends(int w)
{
	struct model_worker *worker = &model.worker[w];
	const struct model_packet p = {
		.chunk = worker->chunk,
		.value = model.value[w][worker->iteration][worker->chunk],
	};

	if (!model_is_done(worker) &&
	    !(model.total == 1 && (worker->up.n || worker->down.n)))
		model_push(&worker->up, &p);
}

/* Each worker hears the packets that the box has sent to it. */
static void model_answers(void)
{
	unsigned int i, w;

	for (i = 0; i < box.sent; i++) {
		const struct model_packet p = {
			.chunk = word(&box.packet[i], 12),
			.value = box_result(&box.packet[i], 0),
		};

		w = ntohl(box.packet[i].to.s6_addr32[3]) - 0x0a000001;
		CHECK(w < model.workers);
		CHECK_EQ(word(&box.packet[i], 16), model.total);
		model_push(&model.worker[w].down, &p);
	}
	box_forget();
}

static void model_box_hears(int w)
{
	struct model_worker *worker = &model.worker[w];
	struct model_packet p;
	int times;

	if (!worker->up.n)
		return;
	p = model_pop(&worker->up);
	times = random() % 5 ? 1 : random() % 3;
	/* Nor may the network repeat it, then. */
	if (model.total == 1)
		times = min(times, 1);
	while (times--) {
		GIVE(model.job, w, .chunk = p.chunk, .total = model.total, .grad = p.value);
		model_answers();
	}
}

static void model_worker_hears(int w)
{
	struct model_worker *worker = &model.worker[w];
	struct model_packet p;

	if (!worker->down.n)
		return;
	p = model_pop(&worker->down);
	if (!(random() % 5) || p.chunk != worker->chunk || model_is_done(worker))
		return;
	CHECK_EQ(p.value, model_sum(worker->iteration, worker->chunk));
	if (++worker->chunk > model.total) {
		worker->chunk = 1;
		worker->iteration++;
	}
}

static bool model_all_done(void)
{
	int w;

	for (w = 0; w < model.workers; w++)
		if (!model_is_done(&model.worker[w]))
			return false;
	return true;
}

/* Until all are done, or for @steps: workers that are stopped leave what they have sent. */
static void model_run(int steps)
{
	int w;

	while (steps-- && !model_all_done() && !ktap_failed()) {
		w = random() % model.workers;
		switch (random() % 3) {
		case 0:
			model_worker_sends(w);
			break;
		case 1:
			model_box_hears(w);
			break;
		case 2:
			model_worker_hears(w);
			break;
		}
	}
}

static void model_rounds(bool reorders)
{
	int round, run;

	for (round = 0; round < 300 && !ktap_failed(); round++) {
		memset(&model, 0, sizeof(model));
		model.reorders = reorders;
		model.workers = 1 + random() % MODEL_WORKERS;
		box_up();
		model.job = timed_job(model.workers);
		for (run = 0; run < 6; run++) {
			model_begin();
			/* Every other run is ended in the middle. */
			model_run(run % 2 ? random() % 300 : 1000000);
			if (!(run % 2))
				CHECK(model_all_done());
			mock_run(mock_ns + 2 * SECOND);
		}
		box_down();
	}
}

static void lab_model(void)
{
	model_rounds(false);
}

static void lab_model_that_reorders(void)
{
	model_rounds(true);
}

const struct ktap_test lab_tests[] = {
	KTAP_TEST(lab_basic),
	KTAP_TEST(lab_scaled),
	KTAP_TEST(lab_reliable),
	KTAP_TEST(lab_refusals),
	KTAP_TEST(lab_iterations),
	KTAP_TEST(lab_one_chunk),
	KTAP_TEST(lab_one_chunk_twice_the_same),
	KTAP_TEST(lab_two_chunks),
	KTAP_TEST(lab_late),
	KTAP_TEST(lab_late_and_twice),
	KTAP_TEST(lab_late_and_repeated),
	KTAP_TEST(lab_restart),
	KTAP_TEST(lab_restart_in_first),
	KTAP_TEST(lab_set_up_anew),
	KTAP_TEST(lab_timeout),
	KTAP_TEST(lab_timeout_of_slow),
	KTAP_TEST(lab_other_variant),
	KTAP_TEST(lab_jobs_of_one_address),
	KTAP_TEST(lab_ethernet),
	KTAP_TEST(lab_model),
	KTAP_TEST(lab_model_that_reorders),
};
SUITE_END(lab);
