// SPDX-License-Identifier: GPL-2.0
/* Segments of a packet, against the same bytes in one piece. */
#include "kernel.h"

#include "agg/base/payload.h"
#include "unit.h"

static u8 bytes[4000];

static void fill(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = random();
}

static u32 length(const struct weir_payload *pl)
{
	unsigned int i;
	u32 len = 0;

	for (i = 0; i < pl->n; i++) {
		CHECK(pl->seg[i].len);
		len += pl->seg[i].len;
	}
	return len;
}

static void is(const struct weir_payload *pl, u32 off, u32 len)
{
	u8 copy[sizeof(bytes)];

	CHECK_EQ(length(pl), len);
	CHECK_EQ(weir_payload_copy(pl, copy, sizeof(copy)), len);
	CHECK(!memcmp(copy, bytes + off, len));
}

/* The first @head bytes linear, the rest in fragments of up to @size. */
static u8 cut(struct skb_shared_info *sinfo, u32 head, u32 size)
{
	sinfo->nr_frags = 0;
	for (; head < sizeof(bytes); head += size) {
		skb_frag_t *frag = &sinfo->frags[sinfo->nr_frags++];

		frag->data = bytes + head;
		frag->size = min(size, (u32)sizeof(bytes) - head);
	}
	return sinfo->nr_frags;
}

static void payload_xdp(void)
{
	struct xdp_buff xdp = { .data = bytes, .frags = true };
	struct weir_payload pl;
	u32 off, len, head;
	int i;

	fill();
	for (i = 0; i < 2000; i++) {
		head = random() % 3000;
		xdp.data_end = bytes + head;
		cut(&xdp.shinfo, head, 237 + random() % 2000);
		off = random() % sizeof(bytes);
		len = random() % (sizeof(bytes) - off + 1);
		CHECK_EQ(weir_payload_from_xdp(&pl, &xdp, off, len), 0);
		is(&pl, off, len);
		CHECK_EQ(weir_payload_from_xdp(&pl, &xdp, off,
					       sizeof(bytes) - off + 1),
			 -ENODATA);
	}
}

static void payload_xdp_linear(void)
{
	struct xdp_buff xdp = { .data = bytes, .data_end = bytes + 100 };
	struct weir_payload pl;

	fill();
	CHECK_EQ(weir_payload_from_xdp(&pl, &xdp, 42, 58), 0);
	is(&pl, 42, 58);
	CHECK_EQ(weir_payload_from_xdp(&pl, &xdp, 42, 59), -ENODATA);
	CHECK_EQ(weir_payload_from_xdp(&pl, &xdp, 101, 0), 0);
	CHECK_EQ(pl.n, 0);
}

/* Linear, fragments, and a list of further packets, as GRO makes them. */
static void payload_skb(void)
{
	struct sk_buff first = { }, second = { };
	struct weir_payload pl;
	u32 off, len;
	int i;

	fill();
	first.data = bytes;
	first.tail = bytes + 500;
	first.shinfo.nr_frags = 2;
	first.shinfo.frags[0] = (skb_frag_t){ .data = bytes + 500, .size = 700 };
	first.shinfo.frags[1] = (skb_frag_t){ .data = bytes + 1200, .size = 1 };
	first.shinfo.frag_list = &second;
	second.data = bytes + 1201;
	second.tail = bytes + 2000;
	second.shinfo.nr_frags = 1;
	second.shinfo.frags[0] = (skb_frag_t){ .data = bytes + 2000, .size = 2000 };
	for (i = 0; i < 2000; i++) {
		off = random() % sizeof(bytes);
		len = random() % (sizeof(bytes) - off + 1);
		CHECK_EQ(weir_payload_from_skb(&pl, &first, off, len), 0);
		is(&pl, off, len);
	}
	CHECK_EQ(weir_payload_from_skb(&pl, &first, 0, sizeof(bytes) + 1),
		 -ENODATA);
}

/* Bytes in a device's memory have no address, wanted or only on the way. */
static void payload_unreadable(void)
{
	struct xdp_buff xdp = { .data = bytes, .data_end = bytes + 100,
				.frags = true };
	struct sk_buff skb = { .data = bytes, .tail = bytes + 100 };
	struct weir_payload pl;

	fill();
	cut(&xdp.shinfo, 100, 500);
	xdp.shinfo.frags[1].unreadable = true;
	skb.shinfo = xdp.shinfo;
	CHECK_EQ(weir_payload_from_xdp(&pl, &xdp, 0, 600), 0);
	is(&pl, 0, 600);
	CHECK_EQ(weir_payload_from_xdp(&pl, &xdp, 0, 601), -EFAULT);
	CHECK_EQ(weir_payload_from_xdp(&pl, &xdp, 1200, 10), -EFAULT);
	CHECK_EQ(weir_payload_from_skb(&pl, &skb, 0, 600), 0);
	is(&pl, 0, 600);
	CHECK_EQ(weir_payload_from_skb(&pl, &skb, 500, 300), -EFAULT);
	xdp.shinfo.frags[1].unreadable = false;
}

static void payload_too_many_segments(void)
{
	struct sk_buff skb[4] = { };
	struct weir_payload pl;
	int i, f;

	fill();
	for (i = 0; i < 4; i++) {
		skb[i].data = skb[i].tail = bytes;
		skb[i].shinfo.nr_frags = MAX_SKB_FRAGS;
		for (f = 0; f < MAX_SKB_FRAGS; f++)
			skb[i].shinfo.frags[f] = (skb_frag_t){ .data = bytes, .size = 1 };
		skb[i].next = i + 1 < 4 ? &skb[i + 1] : NULL;
	}
	skb[0].shinfo.frag_list = &skb[1];
	skb[0].next = NULL;
	CHECK_EQ(weir_payload_from_skb(&pl, &skb[0], 0, 4 * MAX_SKB_FRAGS),
		 -E2BIG);
	CHECK_EQ(weir_payload_from_skb(&pl, &skb[0], 0, 2 * MAX_SKB_FRAGS), 0);
}

static void payload_pull(void)
{
	struct xdp_buff xdp = { .data = bytes, .frags = true };
	struct weir_payload pl;
	u32 n, head;
	int i;

	fill();
	for (i = 0; i < 2000; i++) {
		head = random() % 100;
		xdp.data_end = bytes + head;
		cut(&xdp.shinfo, head, 300);
		weir_payload_from_xdp(&pl, &xdp, 0, sizeof(bytes));
		n = random() % (sizeof(bytes) + 1);
		weir_payload_pull(&pl, n);
		is(&pl, n, sizeof(bytes) - n);
	}
}

static void payload_csum(void)
{
	struct xdp_buff xdp = { .data = bytes, .frags = true };
	struct weir_payload pl;
	__sum16 want, got;
	u32 head, len;
	int i;

	fill();
	for (i = 0; i < 500; i++) {
		head = 1 + random() % 100;
		len = 1 + random() % sizeof(bytes);
		xdp.data_end = bytes + head;
		cut(&xdp.shinfo, head, 301 + random() % 7);
		weir_payload_from_xdp(&pl, &xdp, 0, len);
		want = csum_tcpudp_magic(0, 0, 0, 0,
					 csum_partial(bytes, len, 0));
		got = csum_tcpudp_magic(0, 0, 0, 0, weir_payload_csum(&pl));
		if (!CHECK_EQ(got, want))
			return;
	}
}

/* FNV-1a of all bytes, wherever they lie. */
static void payload_hash(void)
{
	struct weir_payload pl = { .n = 1, .seg = { { (const u8 *)"foobar", 6 } } };
	struct xdp_buff xdp = { .data = bytes, .frags = true };
	u64 whole;
	int i;

	CHECK(weir_payload_hash(&pl, 0) == 0x85944171f73967e8);
	CHECK(weir_payload_hash(&pl, 1) != 0x85944171f73967e8);
	fill();
	pl.seg[0] = (struct weir_seg){ bytes, sizeof(bytes) };
	whole = weir_payload_hash(&pl, 7);
	for (i = 1; i < 500; i++) {
		xdp.data_end = bytes + i;
		cut(&xdp.shinfo, i, 237 + random() % 2000);
		CHECK_EQ(weir_payload_from_xdp(&pl, &xdp, 0, sizeof(bytes)), 0);
		CHECK(weir_payload_hash(&pl, 7) == whole);
	}
}

const struct ktap_test payload_tests[] = {
	KTAP_TEST(payload_xdp),
	KTAP_TEST(payload_xdp_linear),
	KTAP_TEST(payload_skb),
	KTAP_TEST(payload_unreadable),
	KTAP_TEST(payload_too_many_segments),
	KTAP_TEST(payload_pull),
	KTAP_TEST(payload_csum),
	KTAP_TEST(payload_hash),
};
SUITE_END(payload);
