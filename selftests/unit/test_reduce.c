// SPDX-License-Identifier: GPL-2.0
/*
 * Sums of integers against 64-bit ones, bit for bit, in plain C and with vectors; and of
 * all reductions, that it does not matter how a packet and a block are cut into pieces.
 */
#include "kernel.h"

#include <uapi/weir.h>

#include "agg/base/payload.h"
#include "agg/slots/pool.h"
#include "agg/type/reduce.h"
#include "agg/type/copy.h"
#include "agg/type/vector.h"
#include "agg/type/reduce_ops.h"
#include "unit.h"

#define MAX	2048	/* gradients of a packet */
#define BYTES	8192	/* and what they take at most */

static const struct weir_reduction *int32_sum;
static struct page *pages[WEIR_BLOCK_PAGES];
static u8 packet[BYTES + 64];
static s32 grads[MAX];
static s64 sums[MAX];

static void setup(bool vector)
{
	unsigned int i;

	mock_cpu_has_vectors = vector;
	weir_vector_init();
	int32_sum = weir_reduction_find(WEIR_DTYPE_INT32, WEIR_OP_SUM, WEIR_ORDER_ARRIVAL);
	for (i = 0; i < WEIR_BLOCK_PAGES; i++)
		pages[i] = alloc_page(0);
}

static void teardown(void)
{
	unsigned int i;

	for (i = 0; i < WEIR_BLOCK_PAGES; i++)
		put_page(pages[i]);
	mock_cpu_has_vectors = true;
	CHECK_EQ(mock_pages, 0);
	CHECK_EQ(mock_locks, 0);
}

static s32 acc(unsigned int i)
{
	return ((s32 *)page_address(pages[i / 1024]))[i % 1024];
}

static s32 any_gradient(void)
{
	switch (random() % 6) {
	case 0: return 0;
	case 1: return INT32_MAX - random() % 3;
	case 2: return INT32_MIN + random() % 3;
	case 3: return random() % 2001 - 1000;
	default: return (s32)((u32)random() << 1 ^ random());
	}
}

/* Segments of any length, or one. */
static void cut_packet(struct weir_payload *pl, u8 *p, u32 left, bool cut)
{
	u32 len;

	pl->n = 0;
	while (left) {
		len = cut && pl->n < WEIR_PAYLOAD_SEGS_MAX - 1 ?
		      1 + random() % (random() % 2 ? left : min(left, 5U)) : left;
		pl->seg[pl->n].data = p;
		pl->seg[pl->n++].len = len;
		p += len;
		left -= len;
	}
}

/* @n gradients in a packet, at any alignment, cut into segments anywhere. */
static void make_packet(struct weir_payload *pl, unsigned int n, bool cut)
{
	u8 *p = packet + random() % 64;
	unsigned int i;
	u32 g;

	for (i = 0; i < n; i++) {
		g = htonl(grads[i]);
		memcpy(p + 4 * i, &g, 4);
	}
	cut_packet(pl, p, 4 * n, cut);
}

static void random_sums(unsigned int n, bool cut)
{
	unsigned int sources = 1 + random() % 5, s, i, rounds = 0;
	u32 bias = weir_reduce_bias(sources), guard;
	struct weir_payload pl;
	bool wide = false, over = false, want_over = false, want_wide;

	memset(sums, 0, sizeof(sums));
	for (s = 0; s < sources; s++) {
		want_wide = false;
		for (i = 0; i < n; i++) {
			s64 before = (s32)sums[i];

			grads[i] = any_gradient();
			want_wide |= grads[i] < -(s64)bias ||
				     grads[i] >= (s64)bias;
			want_over |= before + grads[i] != (s32)(before + grads[i]);
			sums[i] = (s32)(before + grads[i]);
		}
		make_packet(&pl, n, cut);
		guard = s ? weir_reduce_add(int32_sum, false, pages, &pl, n, bias) :
			    weir_reduce_set(int32_sum, false, pages, &pl, n, bias);
		CHECK_EQ(weir_reduce_wide(guard, bias), want_wide);
		wide |= want_wide;
		if (s && weir_reduce_check(int32_sum, false, pages, &pl, n))
			over = true;
		rounds++;
	}
	CHECK_EQ(over, want_over);
	CHECK(!over || wide);
	for (i = 0; i < n; i++)
		if (!CHECK_EQ(acc(i), (s32)sums[i]))
			return;
	weir_reduce_finish(int32_sum, false, pages, n);
	for (i = 0; i < n; i++)
		if (!CHECK_EQ(acc(i), (s32)htonl(sums[i])))
			return;
}

static void reduce_against_reference(bool vector, bool cut)
{
	unsigned int n;

	setup(vector);
	for (n = 1; n <= 140; n++)
		random_sums(n, cut);
	for (n = 0; n < 100; n++)
		random_sums(1 + random() % MAX, cut);
	random_sums(MAX, cut);
	random_sums(1025, cut);
	teardown();
}

static void reduce_vector(void)
{
	reduce_against_reference(true, false);
}

static void reduce_vector_cut(void)
{
	reduce_against_reference(true, true);
}

static void reduce_scalar(void)
{
	reduce_against_reference(false, false);
}

static void reduce_scalar_cut(void)
{
	reduce_against_reference(false, true);
}

static void any_packet(u8 *p, u32 len)
{
	while (len--)
		*p++ = random();
}

/* The bytes of each gradient the other way round. */
static void swap_gradients(u8 *to, const u8 *from, const struct weir_reduction *r, unsigned int n)
{
	unsigned int size = 1U << r->shift, i;

	for (i = 0; i < n * size; i++)
		to[i] = from[i / size * size + size - 1 - i % size];
}

/*
 * Any bits as gradients, of so many sources: the result's bytes are the same where each packet
 * lies in one piece and plain C does it all, and where they are in pieces and vectors do. Those of
 * little-endian packets are the same the other way round.
 */
static void in_pieces(const struct weir_reduction *r, unsigned int sources, unsigned int n)
{
	static u8 all[3][BYTES], want[BYTES], got[BYTES];
	u32 len = weir_reduction_bytes(r, n), at;
	struct weir_payload pl;
	unsigned int s, pass;

	for (s = 0; s < sources; s++)
		any_packet(all[s], len);
	for (pass = 0; pass < 4; pass++) {
		bool cut = pass & 1, little = pass & 2;

		mock_fpu_usable = cut;
		for (s = 0; s < sources; s++) {
			if (little)
				swap_gradients(packet + 1, all[s], r, n);
			else
				memcpy(packet + 1, all[s], len);
			cut_packet(&pl, packet + 1, len, cut);
			if (s)
				weir_reduce_add(r, little, pages, &pl, n, 1);
			else
				weir_reduce_set(r, little, pages, &pl, n, 1);
		}
		weir_reduce_finish(r, little, pages, n);
		for (at = 0; at < len; at++)
			got[at] = ((u8 *)page_address(pages[at / PAGE_SIZE]))[at % PAGE_SIZE];
		if (!pass)
			memcpy(want, got, len);
		if (little)
			swap_gradients(packet, got, r, n);
		if (!CHECK(!memcmp(little ? packet : got, want, len)))
			return;
	}
}

static void reduce_in_pieces(void)
{
	static const unsigned int dtypes[] = {
		WEIR_DTYPE_INT32, WEIR_DTYPE_FLOAT32, WEIR_DTYPE_BFLOAT16, WEIR_DTYPE_FLOAT16,
		WEIR_DTYPE_INT64, WEIR_DTYPE_FLOAT64,
	};
	const struct weir_reduction *r;
	unsigned int d, op, order, n, max;

	setup(true);
	for (d = 0; d < ARRAY_SIZE(dtypes); d++)
		for (op = WEIR_OP_SUM; op <= WEIR_OP_MAX; op++)
			for (order = WEIR_ORDER_ARRIVAL; order <= WEIR_ORDER_FIXED; order++) {
				r = weir_reduction_find(dtypes[d], op, order);
				if (!CHECK(r))
					continue;
				CHECK_EQ(r->dtype, dtypes[d]);
				CHECK_EQ(r->op, op);
				max = weir_reduction_grads_max(r);
				CHECK(weir_reduction_pages(r, max) <= WEIR_BLOCK_PAGES);
				CHECK(weir_reduction_bytes(r, max) <= BYTES);
				for (n = 1; n < 40; n++)
					in_pieces(r, 1 + n % 3, n);
				for (n = 0; n < 20; n++)
					in_pieces(r, 3, 1 + random() % max);
				in_pieces(r, 3, max);
			}
	teardown();
}

/* Sums of 64 bits lie in two pages, and a sum that leaves int64 is seen in each gradient. */
static void reduce_int64_overflows(void)
{
	const struct weir_reduction *r;
	u32 bias = weir_reduce_bias(2), guard;
	struct weir_payload pl;
	unsigned int i, at, max;
	u64 g;

	setup(true);
	r = weir_reduction_find(WEIR_DTYPE_INT64, WEIR_OP_SUM, WEIR_ORDER_ARRIVAL);
	max = weir_reduction_grads_max(r);
	CHECK_EQ(max, MAX / 2);
	CHECK_EQ(weir_reduction_pages(r, max), 2);
	for (at = 0; at < max; at += 1 + at / 8) {
		for (i = 0; i < max; i++) {
			g = cpu_to_be64(i == at ? 1ULL << 62 : i);
			memcpy(packet + 8 * i, &g, 8);
		}
		cut_packet(&pl, packet, 8 * max, at & 1);
		guard = weir_reduce_set(r, false, pages, &pl, max, bias);
		CHECK(weir_reduce_wide(guard, bias));
		guard = weir_reduce_add(r, false, pages, &pl, max, bias);
		CHECK(weir_reduce_wide(guard, bias));
		CHECK(weir_reduce_check(r, false, pages, &pl, max));
		weir_reduce_finish(r, false, pages, max);
		for (i = 0; i < max; i++) {
			memcpy(&g, (u8 *)page_address(pages[i / 512]) + 8 * (i % 512), 8);
			if (!CHECK_EQ(be64_to_cpu(g), i == at ? 1ULL << 63 : 2 * i))
				break;
		}
	}
	memset(packet, 0x7f, 8);
	memset(packet + 8, 0, 8 * max - 8);
	packet[0] = 0x3f;
	cut_packet(&pl, packet, 8 * max, false);
	guard = weir_reduce_set(r, false, pages, &pl, max, bias);
	CHECK(!weir_reduce_wide(guard, bias));
	weir_reduce_add(r, false, pages, &pl, max, bias);
	CHECK(!weir_reduce_check(r, false, pages, &pl, max));
	teardown();
}

/* Half a page of floats of 16 bits is the result of a page. */
static void reduce_halves_are_gathered(void)
{
	const struct weir_reduction *r;
	struct weir_payload pl;
	unsigned int i;
	u16 half;

	setup(true);
	r = weir_reduction_find(WEIR_DTYPE_BFLOAT16, WEIR_OP_SUM, WEIR_ORDER_ARRIVAL);
	CHECK_EQ(weir_reduction_pages(r, MAX), 2);
	for (i = 0; i < MAX; i++) {
		half = htons(i);
		memcpy(packet + 2 * i, &half, 2);
	}
	cut_packet(&pl, packet, 2 * MAX, false);
	weir_reduce_set(r, false, pages, &pl, MAX, 1);
	weir_reduce_finish(r, false, pages, MAX);
	for (i = 0; i < MAX; i++) {
		memcpy(&half, (u8 *)page_address(pages[0]) + 2 * i, 2);
		if (!CHECK_EQ(ntohs(half), i))
			break;
	}
	teardown();
}

/* Where it does not convert binary16 (F16C) the vector unit still does all else. */
static void reduce_without_halves(void)
{
	const struct weir_reduction *r;

	mock_cpu_has_halves = false;
	setup(true);
	r = weir_reduction_find(WEIR_DTYPE_FLOAT16, WEIR_OP_SUM, WEIR_ORDER_ARRIVAL);
	in_pieces(r, 3, 100);
	CHECK(!strcmp(weir_reduce_unit(), WEIR_VECTOR_UNIT));
	mock_cpu_has_halves = true;
	teardown();
}

/* One gradient that is too large is seen wherever it stands. */
static void reduce_sees_each_lane(void)
{
	struct weir_payload pl;
	unsigned int i;
	u32 guard;

	setup(true);
	for (i = 0; i < 100; i++) {
		memset(grads, 0, sizeof(grads));
		grads[i] = i & 1 ? 1 << 20 : -(1 << 20) - 1;
		make_packet(&pl, 100, false);
		guard = weir_reduce_set(int32_sum, false, pages, &pl, 100, 1 << 20);
		CHECK(weir_reduce_wide(guard, 1 << 20));
		guard = weir_reduce_add(int32_sum, false, pages, &pl, 100, 1 << 20);
		CHECK(weir_reduce_wide(guard, 1 << 20));
		grads[i] = INT32_MAX;
		make_packet(&pl, 100, false);
		weir_reduce_set(int32_sum, false, pages, &pl, 100, 1);
		CHECK(!weir_reduce_check(int32_sum, false, pages, &pl, i));
		weir_reduce_add(int32_sum, false, pages, &pl, 100, 1);
		CHECK(weir_reduce_check(int32_sum, false, pages, &pl, 100));
	}
	teardown();
}

/* A softirq that finds the vector unit in use changes nothing but the time. */
static void reduce_vector_in_use(void)
{
	setup(true);
	mock_fpu_usable = false;
	random_sums(1024, true);
	mock_fpu_usable = true;
	teardown();
}

static void reduce_nothing_beyond(void)
{
	struct weir_payload pl;
	unsigned int i;

	setup(true);
	memset(grads, 0x11, sizeof(grads));
	make_packet(&pl, 100, false);
	weir_reduce_set(int32_sum, false, pages, &pl, 100, 1);
	weir_reduce_add(int32_sum, false, pages, &pl, 100, 1);
	weir_reduce_finish(int32_sum, false, pages, 100);
	for (i = 100; i < MAX; i++)
		if (!CHECK_EQ(acc(i), (s32)0xa5a5a5a5))
			break;
	teardown();
}

static u32 guard_of(bool vector, unsigned int n, u32 bias, bool add)
{
	struct weir_payload pl;
	u32 guard;

	setup(vector);
	make_packet(&pl, n, false);
	guard = weir_reduce_set(int32_sum, false, pages, &pl, n, bias);
	if (add)
		guard = weir_reduce_add(int32_sum, false, pages, &pl, n, bias);
	teardown();
	return guard;
}

/* Of any length: a guard that sees too much would have blocks checked for nothing. */
static void reduce_guards_agree(void)
{
	const u32 bias = 1U << 29;
	unsigned int i, n, add;

	for (n = 1; n <= 70; n++) {
		for (i = 0; i < n; i++)
			grads[i] = random() % (2 * bias) - bias;
		for (add = 0; add < 2; add++) {
			CHECK_EQ(guard_of(true, n, bias, add), guard_of(false, n, bias, add));
			CHECK(!weir_reduce_wide(guard_of(true, n, bias, add), bias));
		}
		grads[random() % n] = bias;
		CHECK(weir_reduce_wide(guard_of(true, n, bias, true), bias));
	}
}

static void reduce_unit_is_named(void)
{
	mock_cpu_has_vectors = false;
	weir_vector_init();
	CHECK(!strcmp(weir_reduce_unit(), "scalar"));
	mock_cpu_has_vectors = true;
	weir_vector_init();
	CHECK(!strcmp(weir_reduce_unit(),
		      mock_has_vectors() ? WEIR_VECTOR_UNIT : "scalar"));
}

/* With the bias no sum overflows; with twice as much one could. */
static void reduce_bias_is_tight(void)
{
	unsigned int n;
	u64 bias;

	for (n = 1; n <= 256; n++) {
		bias = weir_reduce_bias(n);
		CHECK(bias * n <= 1ULL << 31);
		CHECK(2 * bias * n > 1ULL << 31);
		CHECK(!(bias & (bias - 1)));
	}
}

/* Of any length, with the registers, which are not saved for a copy alone, and without. */
static void reduce_copies(void)
{
	int before = mock_fpu_begins;
	u8 from[400], to[400];
	unsigned int len, i;
	int kept;

	for (i = 0; i < sizeof(from); i++)
		from[i] = random();
	weir_vector_init();
	for (kept = 0; kept < 2; kept++) {
		CHECK_EQ(mock_fpu_begins, before);
		if (kept)
			weir_vector_keep();
		for (len = 0; len < sizeof(from); len++) {
			memset(to, 0x5a, sizeof(to));
			weir_copy(to, from, len);
			CHECK(!memcmp(to, from, len));
			CHECK_EQ(to[len], 0x5a);
		}
		weir_vector_drop();
		CHECK_EQ(mock_fpu, 0);
	}
}

const struct ktap_test reduce_tests[] = {
	KTAP_TEST(reduce_copies),
	KTAP_TEST(reduce_vector),
	KTAP_TEST(reduce_vector_cut),
	KTAP_TEST(reduce_scalar),
	KTAP_TEST(reduce_scalar_cut),
	KTAP_TEST(reduce_in_pieces),
	KTAP_TEST(reduce_int64_overflows),
	KTAP_TEST(reduce_halves_are_gathered),
	KTAP_TEST(reduce_without_halves),
	KTAP_TEST(reduce_sees_each_lane),
	KTAP_TEST(reduce_vector_in_use),
	KTAP_TEST(reduce_nothing_beyond),
	KTAP_TEST(reduce_guards_agree),
	KTAP_TEST(reduce_unit_is_named),
	KTAP_TEST(reduce_bias_is_tight),
};
SUITE_END(reduce);
