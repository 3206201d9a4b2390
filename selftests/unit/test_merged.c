// SPDX-License-Identifier: GPL-2.0
/* Packets that are many contributions in one, from their bytes to the packets sent. */
#include "agg/base/payload.h"
#include "agg/hook/merged.h"
#include "agg/type/vector.h"
#include "core/base/rate.h"
#include "box.h"
#include "unit.h"

#define HEADERS	42	/* of Ethernet, IPv4 and UDP */
#define HEAD	12	/* of Trio-ML */

/* A packet that is being put together, as of a job's source. */
static struct {
	u8 bytes[HEADERS + 66000];
	u32 len;
	u32 size;
	struct weir_contrib c;
	struct sk_buff skb, second;
	u8 pieces[HEADERS + 66000];
} packet;

static void begin(const struct weir_job *job, u16 source)
{
	memset(&packet, 0, sizeof(packet));
	packet.c = box_contrib(job, source, 0, 0);
	packet.c.format = job->format->id;
	packet.c.flags = 0;
	packet.c.udp_off = HEADERS - sizeof(struct udphdr);
	packet.len = HEADERS;
}

/* A job of two sources, with blocks of ten gradients. */
static struct weir_job *up(void)
{
	box_up();
	return box_job(7, 2, 64, 10);
}

/* The next datagram, whose gradients are @value, @value + 1 and so on. The first says the size. */
static struct weir_trio *put(const struct weir_job *job, u16 source, u32 block, u16 count,
			     s32 value)
{
	struct weir_trio *hdr = (void *)(packet.bytes + packet.len);
	u16 generation = weir_blocks_generation(&job->blocks);
	u32 i;

	if (!packet.size)
		packet.size = HEAD + 4 * count;
	hdr->job_id = job->id;
	put_unaligned_be32(block, hdr->block_id);
	hdr->src_id = source;
	hdr->src_cnt = 1;
	put_unaligned_be16(generation, hdr->gen_id);
	put_unaligned_be16(count | (job->joined ? WEIR_TRIO_JOINED : 0), hdr->grad_cnt);
	for (i = 0; i < count; i++)
		put_unaligned_be32(value + i, (u8 *)hdr + HEAD + 4 * i);
	packet.len += HEAD + 4 * count;
	return hdr;
}

/* @head bytes are linear, and the rest lies in fragments of @piece bytes, the later the lower. */
static void cut(u32 head, u32 piece)
{
	struct sk_buff *skb = &packet.skb;
	u32 off, n;

	skb->data = packet.bytes;
	skb->tail = packet.bytes + head;
	skb->dev = &box.dev;
	for (off = head; off < packet.len; off += n) {
		skb_frag_t *frag;

		if (skb->shinfo.nr_frags == MAX_SKB_FRAGS) {
			packet.skb.shinfo.frag_list = &packet.second;
			skb = &packet.second;
			skb->data = packet.bytes + off;
			skb->tail = skb->data;
		}
		n = min(piece, packet.len - off);
		frag = &skb->shinfo.frags[skb->shinfo.nr_frags++];
		frag->data = memcpy(packet.pieces + sizeof(packet.pieces) - off - n, packet.bytes + off, n);
		frag->size = n;
		memset(packet.bytes + off, 0xee, n);
	}
}

static int hand_over(void)
{
	int ret;

	packet.skb.shinfo.gso_size = packet.size;
	packet.c.udp_len = packet.len - packet.c.udp_off;
	ret = weir_contribute_merged(&packet.skb, &packet.c, true);
	CHECK_EQ(mock_fpu, 0);
	return ret;
}

static int hand_over_whole(void)
{
	cut(packet.len, 1);
	return hand_over();
}

/* So many blocks of a source, in one packet. */
static int give(const struct weir_job *job, u16 source, u32 from, u32 n, u16 count)
{
	u32 i;

	begin(job, source);
	for (i = 0; i < n; i++)
		put(job, source, from + i, count, 1000 * source + i);
	return hand_over_whole();
}

static u64 refused(unsigned int reason)
{
	return box_counter(WEIR_C_REFUSED + reason);
}

static void merged_sums_and_results(void)
{
	struct weir_job *job;
	unsigned int i;
	u16 s;

	box_up();
	job = box_job(7, 3, 64, 100);
	for (s = 0; s < 3; s++)
		CHECK_EQ(give(job, s, 0, 20, 100), 0);
	CHECK_EQ(box.merged, 3);
	CHECK_EQ(box.sent, 60);
	for (i = 0; i < box.sent; i++) {
		struct in6_addr to = box_addr(i / 20 + 1);

		CHECK(ipv6_addr_equal(&box.packet[i].to, &to));
		CHECK_EQ(box_block(&box.packet[i]), i % 20);
		CHECK_EQ(box.packet[i].hdr.src_cnt, 3);
		CHECK_EQ(box_result(&box.packet[i], 99), 3000 + 3 * (i % 20 + 99));
	}
	CHECK_EQ(box_counter(WEIR_C_CONTRIBUTIONS), 60);
	CHECK_EQ(box_counter(WEIR_C_GRADIENTS), 6000);
	CHECK_EQ(box_counter(WEIR_C_BYTES), 60 * (8 + HEAD + 400));
	CHECK_EQ(box_counter(WEIR_C_BLOCKS), 20);
	CHECK_EQ(box_counter(WEIR_C_RESULTS), 60);
	CHECK_EQ(weir_source_get(job, 1)->stats->c[WEIR_C_CONTRIBUTIONS], 20);
	CHECK_EQ(weir_source_get(job, 1)->stats->c[WEIR_C_RESULTS], 20);
	CHECK_EQ(job->stats->c[WEIR_C_CONTRIBUTIONS], 60);
	CHECK_EQ(box.port.stats->c[WEIR_C_CONTRIBUTIONS], 60);
	box_down();
}

static void merged_to_a_group(void)
{
	struct in6_addr group = box_addr(9);
	struct weir_job *job;

	job = up();
	weir_job_set(job, &group, NULL);
	give(job, 0, 0, 5, 10);
	give(job, 1, 0, 5, 10);
	CHECK_EQ(box.merged, 1);
	CHECK_EQ(box.sent, 5);
	CHECK(ipv6_addr_equal(&box.packet[4].to, &group));
	box_down();
}

/* Of results of other lengths only the last is merged, and it ends the packet. */
static void merged_last_is_short(void)
{
	struct weir_job *job;
	u16 s;

	box_up();
	job = box_job(7, 2, 64, 100);
	for (s = 0; s < 2; s++) {
		begin(job, s);
		put(job, s, 0, 100, 1);
		put(job, s, 1, 100, 1);
		put(job, s, 2, 7, 5);
		CHECK_EQ(hand_over_whole(), 0);
	}
	CHECK_EQ(box.merged, 2);
	CHECK_EQ(box.sent, 6);
	CHECK_EQ(box.packet[2].len, 28);
	CHECK_EQ(box_result(&box.packet[2], 6), 22);
	box_down();
}

static void merged_lies_in_pieces(void)
{
	static const u32 pieces[] = { 1, 3, 17, 64, 100, 411, 4096 };
	struct weir_job *job;
	unsigned int i, p;
	u16 s;

	box_up();
	job = box_job(7, 2, 64, 40);
	for (p = 0; p < ARRAY_SIZE(pieces); p++) {
		for (s = 0; s < 2; s++) {
			begin(job, s);
			for (i = 0; i < 8; i++)
				put(job, s, 8 * p + i, 40, 100 * i);
			cut(max_t(u32, HEADERS, packet.len - min(packet.len - HEADERS,
								 34 * pieces[p])), pieces[p]);
			CHECK_EQ(hand_over(), 0);
		}
		CHECK_EQ(box.sent, 16);
		for (i = 0; i < box.sent; i++)
			CHECK_EQ(box_result(&box.packet[i], 39), 2 * (100 * (i % 8) + 39));
		box_forget();
	}
	box_down();
}

/* Each is refused by itself, and the others are taken. */
static void merged_has_a_bad_one(void)
{
	struct weir_job *job;

	job = up();
	begin(job, 0);
	put(job, 0, 0, 10, 1);
	put(job, 0, 1, 10, 1)->flags = WEIR_TRIO_DEGRADED;
	put(job, 0, 2, 10, 1)->src_cnt = 2;
	put(job, 0, 0, 10, 1);
	put(job, 0, 3, 10, 1)->grad_cnt[1]--;
	put(job, 0, 4, 10, 1)->job_id = 9;
	put(job, 0, 5, 10, 1)->src_id = 1;
	put(job, 0, 6, 10, 1);
	CHECK_EQ(hand_over_whole(), 0);
	CHECK_EQ(box_counter(WEIR_C_CONTRIBUTIONS), 2);
	CHECK_EQ(refused(WEIR_REASON_FLAGS), 1);
	CHECK_EQ(refused(WEIR_REASON_WEIGHT), 1);
	CHECK_EQ(refused(WEIR_REASON_DUPLICATE), 1);
	CHECK_EQ(refused(WEIR_REASON_LENGTH), 1);
	CHECK_EQ(refused(WEIR_REASON_NO_JOB), 1);
	CHECK_EQ(refused(WEIR_REASON_SPOOFED), 1);
	CHECK_EQ(weir_source_get(job, 0)->stats->c[WEIR_C_CONTRIBUTIONS], 2);
	CHECK_EQ(weir_source_get(job, 1)->stats->c[WEIR_C_CONTRIBUTIONS], 0);
	box_down();
}

/* If the first datagram is refused, here as one that is not for the box, all are. */
static void merged_is_not_for_the_box(void)
{
	struct weir_job *job;

	job = up();
	begin(job, 0);
	put(job, 0, 0, 10, 1);
	put(job, 0, 1, 10, 1);
	packet.c.daddr[3]++;
	CHECK_EQ(hand_over_whole(), WEIR_REASON_NOT_LOCAL);
	CHECK_EQ(refused(WEIR_REASON_NOT_LOCAL), 1);
	CHECK_EQ(box_counter(WEIR_C_CONTRIBUTIONS), 0);
	box_port_gone();
	CHECK_EQ(give(job, 0, 0, 2, 10), WEIR_REASON_NO_PORT);
	box_port_back();
	box_down();
}

/* A host with several workers sends for all of them by one address. */
static void merged_of_two_jobs(void)
{
	struct weir_job *a, *b;

	box_up();
	a = box_job(7, 2, 64, 10);
	b = box_job(8, 2, 64, 10);
	begin(a, 0);
	put(a, 0, 0, 10, 1);
	put(b, 0, 0, 10, 1);
	put(b, 0, 1, 10, 1);
	put(a, 0, 1, 10, 1);
	CHECK_EQ(hand_over_whole(), 0);
	CHECK_EQ(a->stats->c[WEIR_C_CONTRIBUTIONS], 2);
	CHECK_EQ(b->stats->c[WEIR_C_CONTRIBUTIONS], 2);
	CHECK_EQ(b->stats->c[WEIR_C_BYTES], 2 * (8 + HEAD + 40));
	begin(a, 1);
	put(b, 1, 0, 10, 1);
	put(b, 1, 1, 10, 1);
	put(a, 1, 0, 10, 1);
	CHECK_EQ(hand_over_whole(), 0);
	/* One packet a job and source. */
	CHECK_EQ(box.merged, 4);
	CHECK_EQ(box.sent, 6);
	box_down();
}

/* As many as the policer's tokens, as if they had come one by one. */
static void merged_above_a_rate(void)
{
	const struct weir_source_config cfg = {
		.addr = box_addr(1), .vlan = WEIR_VLAN_ANY,
		.rate = { .packets = 1, .packets_burst = 5 },
	};
	struct weir_job *job;

	job = up();
	weir_source_unbind(job, 0);
	weir_source_bind(job, 0, &cfg);
	CHECK_EQ(give(job, 0, 0, 8, 10), 0);
	CHECK_EQ(box_counter(WEIR_C_CONTRIBUTIONS), 5);
	CHECK_EQ(refused(WEIR_REASON_SOURCE_RATE), 3);
	CHECK_EQ(box_counter(WEIR_C_POLICED_BYTES), 3 * (8 + HEAD + 40));
	box_down();
}

static void merged_of_too_many(void)
{
	struct weir_job *job;

	box_up();
	job = box_job(7, 2, 512, 10);
	CHECK_EQ(give(job, 0, 0, 128, 10), 0);
	CHECK_EQ(box_counter(WEIR_C_CONTRIBUTIONS), 128);
	CHECK_EQ(give(job, 0, 128, 129, 10), WEIR_REASON_MERGED);
	CHECK_EQ(refused(WEIR_REASON_MERGED), 1);
	CHECK_EQ(box_counter(WEIR_C_CONTRIBUTIONS), 128);
	box_down();
}

static void merged_is_empty(void)
{
	struct weir_job *job;

	job = up();
	begin(job, 0);
	packet.size = 10;
	CHECK_EQ(hand_over_whole(), WEIR_REASON_RUNT);
	begin(job, 0);
	put(job, 0, 0, 10, 1);
	packet.size = 0;
	CHECK_EQ(hand_over_whole(), WEIR_REASON_RUNT);
	CHECK_EQ(refused(WEIR_REASON_RUNT), 2);
	box_down();
}

/* The vector registers are saved once for all datagrams of a packet. */
static void merged_saves_registers_once(void)
{
	struct weir_job *job;
	int before;
	u16 s;

	weir_vector_init();
	box_up();
	job = box_job(7, 3, 64, 100);
	for (s = 0; s < 2; s++) {
		before = mock_fpu_begins;
		CHECK_EQ(give(job, s, 0, 20, 100), 0);
		CHECK_EQ(mock_fpu_begins - before, !!mock_has_vectors());
	}
	box_down();
}

/* A datagram of no job is not counted as the job's whose datagram was before it. */
static void merged_refusal_of_no_job(void)
{
	const unsigned int counter = WEIR_C_REFUSED + WEIR_REASON_NO_JOB;
	struct weir_job *job = up();

	begin(job, 0);
	put(job, 0, 0, 10, 1);
	put(job, 0, 1, 10, 1)->job_id = job->id + 1;
	CHECK_EQ(hand_over_whole(), 0);
	CHECK_EQ(box_counter(WEIR_C_CONTRIBUTIONS), 1);
	CHECK_EQ(box_counter(counter), 1);
	CHECK_EQ(job->stats->c[counter], 0);
	CHECK_EQ(weir_source_get(job, 0)->stats->c[counter], 0);
	box_down();
}

/* The datagrams that are whole are taken. */
static void merged_ends_too_soon(void)
{
	struct weir_job *job;

	job = up();
	begin(job, 0);
	put(job, 0, 0, 10, 1);
	put(job, 0, 1, 10, 1);
	put(job, 0, 2, 10, 1);
	put(job, 0, 3, 10, 1);
	cut(packet.len - packet.size - 3, 1000);
	packet.skb.shinfo.nr_frags = 0;
	CHECK_EQ(hand_over(), 0);
	CHECK_EQ(box_counter(WEIR_C_CONTRIBUTIONS), 2);
	CHECK_EQ(refused(WEIR_REASON_LENGTH), 1);
	box_down();
}

static void merged_cannot_be_read(void)
{
	struct weir_job *job;

	job = up();
	begin(job, 0);
	put(job, 0, 0, 10, 1);
	put(job, 0, 1, 10, 1);
	cut(HEADERS + packet.size, 1000);
	packet.skb.shinfo.frags[0].unreadable = true;
	CHECK_EQ(hand_over(), 0);
	CHECK_EQ(box_counter(WEIR_C_CONTRIBUTIONS), 1);
	CHECK_EQ(refused(WEIR_REASON_UNREADABLE), 1);
	box_down();
}

/* A checksum that nobody has checked is that of the whole, if there is one. */
static void merged_is_not_verified(void)
{
	struct weir_job *job;

	job = up();
	begin(job, 0);
	put(job, 0, 0, 10, 1);
	put(job, 0, 1, 10, 1);
	cut(packet.len, 1);
	packet.skb.shinfo.gso_size = packet.size;
	packet.c.udp_len = packet.len - packet.c.udp_off;
	((struct udphdr *)(packet.bytes + packet.c.udp_off))->check = 1;
	CHECK_EQ(weir_contribute_merged(&packet.skb, &packet.c, false), WEIR_REASON_CHECKSUM);
	CHECK_EQ(refused(WEIR_REASON_CHECKSUM), 2);
	((struct udphdr *)(packet.bytes + packet.c.udp_off))->check = 0;
	CHECK_EQ(weir_contribute_merged(&packet.skb, &packet.c, false), 0);
	CHECK_EQ(box_counter(WEIR_C_CONTRIBUTIONS), 2);
	box_down();
}

/* Repeats, and replies to questions, go to the one who asks. */
static void merged_asks_again(void)
{
	struct in6_addr to = box_addr(1);
	struct weir_job *job;
	unsigned int i;

	job = up();
	give(job, 0, 0, 4, 10);
	CHECK_EQ(give(job, 0, 4, 4, 0), 0);
	CHECK_EQ(box.merged, 1);
	CHECK_EQ(box_counter(WEIR_C_REPLIES), 4);
	CHECK_EQ(box.sent, 4);
	box_forget();
	give(job, 1, 0, 4, 10);
	box_forget();
	box.merged = 0;
	CHECK_EQ(give(job, 0, 0, 4, 10), 0);
	CHECK_EQ(box.merged, 1);
	CHECK_EQ(box.sent, 4);
	CHECK_EQ(box_counter(WEIR_C_REPEATS), 4);
	for (i = 0; i < 4; i++) {
		CHECK(ipv6_addr_equal(&box.packet[i].to, &to));
		CHECK_EQ(box_result(&box.packet[i], 9), 1000 + 2 * (i + 9));
	}
	box_down();
}

static struct weir_job *job_of_two_of_three(void)
{
	struct weir_job *job;

	box.policy = (struct weir_policy_config) { .mode = WEIR_POLICY_PARTIAL, .quorum = 2 };
	job = box_job(7, 3, 64, 10);
	box_all_joined(job);
	weir_blocks_begin(&job->blocks, 1, 0);
	return job;
}

/* A degraded result's bitmap is merged too, where all may have it. */
static void merged_is_degraded(void)
{
	struct weir_job *job;

	box_up();
	job = job_of_two_of_three();
	give(job, 0, 0, 4, 10);
	give(job, 1, 0, 4, 10);
	CHECK_EQ(box.merged, 3);
	CHECK_EQ(box.sent, 12);
	CHECK_EQ(box.packet[11].mask_len, 4);
	CHECK_EQ(box.packet[11].mask[0], 3);
	box_forget();

	/* One source may not hear, and gets no bitmap. */
	weir_source_get(job, 2)->hears = false;
	box.merged = 0;
	give(job, 0, 4, 4, 10);
	give(job, 1, 4, 4, 10);
	CHECK_EQ(box.merged, 0);
	CHECK_EQ(box.sent, 12);
	CHECK_EQ(box.packet[0].mask_len, 4);
	CHECK_EQ(box.packet[2].mask_len, 0);
	box_forget();

	/* A route is too narrow. */
	weir_source_get(job, 2)->hears = true;
	box.mtu = 28 + HEAD + 40;
	give(job, 0, 8, 4, 10);
	give(job, 1, 8, 4, 10);
	CHECK_EQ(box.merged, 0);
	CHECK_EQ(box.sent, 12);
	box_down();
}

/* Without memory to merge them they go one by one. */
static void merged_without_memory(void)
{
	struct weir_job *job;

	job = up();
	give(job, 0, 0, 4, 10);
	box.merge_fails = true;
	give(job, 1, 0, 4, 10);
	CHECK_EQ(box.merged, 0);
	CHECK_EQ(box.sent, 8);
	CHECK_EQ(box_counter(WEIR_C_RESULTS), 8);
	CHECK_EQ(give(job, 1, 0, 2, 10), 0);
	CHECK_EQ(box_counter(WEIR_C_REPEATS), 2);
	CHECK_EQ(give(job, 1, 8, 2, 0), 0);
	CHECK_EQ(box_counter(WEIR_C_REPLIES), 2);
	box_down();
}

static void merged_is_not_sent(void)
{
	struct weir_job *job;

	job = up();
	give(job, 0, 0, 4, 10);
	box.send_error = -ENOBUFS;
	give(job, 1, 0, 4, 10);
	CHECK_EQ(box_counter(WEIR_C_RESULTS), 0);
	CHECK_EQ(box_counter(WEIR_C_RESULT_ERRORS), 8);
	CHECK_EQ(weir_source_get(job, 0)->stats->c[WEIR_C_RESULT_ERRORS], 4);
	box_down();
}

/* Results that were left to a timer, as a packet had completed too many, are merged by it. */
static void merged_by_a_timer(void)
{
	struct weir_job *job;
	unsigned int i;

	box_up();
	box.timers = 1;
	job = box_job(7, 2, 64, 10);
	box.sent_before = 1024;
	for (i = 0; i < 8; i++)
		box_give(job, i % 2, i / 2, 1);
	CHECK_EQ(box.sent, 0);
	mock_run(mock_ns);
	CHECK_EQ(box.merged, 2);
	CHECK_EQ(box.sent, 8);
	CHECK_EQ(box_counter(WEIR_C_BLOCKS), 4);
	box_down();
}

/* A join among contributions is answered by itself, and the rest goes on. */
static void merged_has_a_join(void)
{
	struct weir_job *job;
	struct weir_trio *hdr;

	box_up();
	job = box_job(7, 2, 64, 8);
	begin(job, 0);
	put(job, 0, 0, 8, 1);
	hdr = put(job, 0, 0, 8, 0);
	hdr->flags = WEIR_TRIO_CONTROL;
	hdr->grad_cnt[0] = 0;
	hdr->grad_cnt[1] = 0;
	put(job, 0, 1, 8, 1);
	CHECK_EQ(hand_over_whole(), 0);
	CHECK_EQ(box_counter(WEIR_C_CONTRIBUTIONS), 2);
	CHECK_EQ(refused(WEIR_REASON_JOIN) + box_counter(WEIR_C_JOINS), 1);
	CHECK_EQ(box.sent, 1);
	box_down();
}

/* Packets of format lab say neither job nor source. */
static void merged_of_unnamed(void)
{
	struct weir_job_config cfg;
	struct weir_job *job;
	u16 s;

	box_up();
	cfg = box_config(&weir_format_lab, 3, 2, 1, 4);
	job = box_job_of(&cfg);
	for (s = 0; s < 2; s++) {
		begin(job, s);
		packet.c.dport = WEIR_PORT_LAB;
		put_unaligned_be32(2, packet.bytes + packet.len);
		put_unaligned_be32(4, packet.bytes + packet.len + 4);
		packet.bytes[packet.len + 11] = 5 + s;
		packet.size = 24;
		packet.len += 2 * 24;
		/* A contribution, and one with no values. */
		CHECK_EQ(hand_over_whole(), 0);
	}
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(box_result(&box.packet[0], 0), 11);
	CHECK_EQ(box_counter(WEIR_C_CONTRIBUTIONS), 2);
	CHECK_EQ(refused(WEIR_REASON_LENGTH), 2);
	box_down();
}

/*
 * Workers of format switchml take any packet for a result: those for no job do not go on to the
 * stack, so each of them is counted here.
 */
static void merged_of_a_quiet_format(void)
{
	struct weir_job *job = up();

	begin(job, 0);
	packet.c.format = WEIR_FORMAT_SWITCHML;
	packet.c.dport = WEIR_PORT_SWITCHML;
	packet.c.sport = 1;
	packet.size = sizeof(struct weir_switchml) + 256;
	packet.bytes[packet.len] = WEIR_SWITCHML_64;
	packet.bytes[packet.len + packet.size] = WEIR_SWITCHML_64;
	packet.len += 2 * packet.size;
	CHECK_EQ(hand_over_whole(), WEIR_REASON_NO_JOB);
	CHECK_EQ(refused(WEIR_REASON_NO_JOB), 2);
	box_down();
}

const struct ktap_test merged_tests[] = {
	KTAP_TEST(merged_of_a_quiet_format),
	KTAP_TEST(merged_sums_and_results),
	KTAP_TEST(merged_to_a_group),
	KTAP_TEST(merged_last_is_short),
	KTAP_TEST(merged_lies_in_pieces),
	KTAP_TEST(merged_has_a_bad_one),
	KTAP_TEST(merged_is_not_for_the_box),
	KTAP_TEST(merged_of_two_jobs),
	KTAP_TEST(merged_above_a_rate),
	KTAP_TEST(merged_of_too_many),
	KTAP_TEST(merged_is_empty),
	KTAP_TEST(merged_saves_registers_once),
	KTAP_TEST(merged_refusal_of_no_job),
	KTAP_TEST(merged_ends_too_soon),
	KTAP_TEST(merged_cannot_be_read),
	KTAP_TEST(merged_is_not_verified),
	KTAP_TEST(merged_asks_again),
	KTAP_TEST(merged_is_degraded),
	KTAP_TEST(merged_without_memory),
	KTAP_TEST(merged_is_not_sent),
	KTAP_TEST(merged_by_a_timer),
	KTAP_TEST(merged_has_a_join),
	KTAP_TEST(merged_of_unnamed),
};
SUITE_END(merged);
