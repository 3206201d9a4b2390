// SPDX-License-Identifier: GPL-2.0
/* Both implementations against 64-bit sums, bit for bit. */
#include "kernel.h"

#include "base/payload.h"
#include "type/reduce.h"
#include "type/reduce_ops.h"
#include "unit.h"

#define MAX 2048

static struct page *pages[2];
static u8 packet[4 * MAX + 64];
static s32 grads[MAX];
static s64 sums[MAX];

static void setup(bool vector)
{
	mock_cpu_has_avx2 = vector;
	weir_reduce_init();
	pages[0] = alloc_page(0);
	pages[1] = alloc_page(0);
}

static void teardown(void)
{
	put_page(pages[0]);
	put_page(pages[1]);
	mock_cpu_has_avx2 = true;
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

/* @n gradients in a packet, at any alignment, cut into segments anywhere. */
static void make_packet(struct weir_payload *pl, unsigned int n, bool cut)
{
	u8 *p = packet + random() % 64;
	u32 left = 4 * n, len, g;
	unsigned int i;

	for (i = 0; i < n; i++) {
		g = htonl(grads[i]);
		memcpy(p + 4 * i, &g, 4);
	}
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
		guard = s ? weir_reduce_add(pages, &pl, n, bias) :
			    weir_reduce_set(pages, &pl, n, bias);
		CHECK_EQ(weir_reduce_wide(guard, bias), want_wide);
		wide |= want_wide;
		if (s && weir_reduce_check(pages, &pl, n))
			over = true;
		rounds++;
	}
	CHECK_EQ(over, want_over);
	CHECK(!over || wide);
	for (i = 0; i < n; i++)
		if (!CHECK_EQ(acc(i), (s32)sums[i]))
			return;
	weir_reduce_swap(pages, n);
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
		guard = weir_reduce_set(pages, &pl, 100, 1 << 20);
		CHECK(weir_reduce_wide(guard, 1 << 20));
		guard = weir_reduce_add(pages, &pl, 100, 1 << 20);
		CHECK(weir_reduce_wide(guard, 1 << 20));
		grads[i] = INT32_MAX;
		make_packet(&pl, 100, false);
		weir_reduce_set(pages, &pl, 100, 1);
		CHECK(!weir_reduce_check(pages, &pl, i));
		weir_reduce_add(pages, &pl, 100, 1);
		CHECK(weir_reduce_check(pages, &pl, 100));
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
	weir_reduce_set(pages, &pl, 100, 1);
	weir_reduce_add(pages, &pl, 100, 1);
	weir_reduce_swap(pages, 100);
	for (i = 100; i < MAX; i++)
		if (!CHECK_EQ(acc(i), (s32)0xa5a5a5a5))
			break;
	teardown();
}

static void reduce_unit_is_named(void)
{
	mock_cpu_has_avx2 = false;
	weir_reduce_init();
	CHECK(!strcmp(weir_reduce_unit(), "scalar"));
	mock_cpu_has_avx2 = true;
	weir_reduce_init();
	CHECK(!strcmp(weir_reduce_unit(),
		      __builtin_cpu_supports("avx2") ? "avx2" : "scalar"));
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

const struct ktap_test reduce_tests[] = {
	KTAP_TEST(reduce_vector),
	KTAP_TEST(reduce_vector_cut),
	KTAP_TEST(reduce_scalar),
	KTAP_TEST(reduce_scalar_cut),
	KTAP_TEST(reduce_sees_each_lane),
	KTAP_TEST(reduce_vector_in_use),
	KTAP_TEST(reduce_nothing_beyond),
	KTAP_TEST(reduce_unit_is_named),
	KTAP_TEST(reduce_bias_is_tight),
};
SUITE_END(reduce);
