// SPDX-License-Identifier: GPL-2.0
/* Pages that receivers hold are left to them. */
#include "kernel.h"

#include "agg/slots/pool.h"
#include "unit.h"

static struct page *slot[WEIR_BLOCK_PAGES];

static void up(unsigned int unit)
{
	unsigned int i;

	weir_pool_init();
	for (i = 0; i < 4; i += unit)
		CHECK_EQ(weir_pool_alloc(&slot[i], unit), 0);
}

static void down(unsigned int unit)
{
	unsigned int i;

	for (i = 0; i < 4; i += unit)
		put_page(slot[i]);
	CHECK_EQ(mock_pages, 0);
}

static void pool_without_readers(void)
{
	struct page *was[4];

	up(1);
	memcpy(was, slot, sizeof(was));
	mock_fail_after = 0;
	CHECK_EQ(weir_pool_refresh(slot, 4, 1), 0);
	mock_fail_after = -1;
	CHECK(!memcmp(was, slot, sizeof(was)));
	down(1);
}

/* However many a receiver holds: the slot has as many pages as before, and none with a reader. */
static void pool_receivers_hold(void)
{
	struct page *held[300];
	int i;

	up(1);
	for (i = 0; i < 300; i++) {
		held[i] = slot[0];
		get_page(slot[0]);
		CHECK_EQ(weir_pool_refresh(slot, 4, 1), 1);
		CHECK_EQ(slot[0]->refs, 1);
		CHECK_EQ(slot[1]->refs, 1);
	}
	CHECK_EQ(mock_pages, 4 + 300);
	for (i = 0; i < 300; i++)
		put_page(held[i]);
	down(1);
}

/* Of several pages some may have been replaced before the memory was at an end; none is lost. */
static void pool_out_of_memory(void)
{
	struct page *held[3];
	int i;

	up(1);
	for (i = 0; i < 3; i++)
		get_page(held[i] = slot[i + 1]);
	mock_fail_after = 1;
	CHECK_EQ(weir_pool_refresh(slot, 4, 1), -ENOMEM);
	CHECK_EQ(slot[1]->refs, 1);
	CHECK(slot[2] == held[1] && slot[3] == held[2]);
	mock_fail_after = -1;
	CHECK_EQ(weir_pool_refresh(slot, 4, 1), 2);
	for (i = 0; i < 3; i++)
		put_page(held[i]);
	down(1);
}

/* Pages that lie together are held together, and replaced together. */
static void pool_of_pairs(void)
{
	struct page *held;
	unsigned int i;

	up(2);
	held = slot[3];
	get_page(held);
	CHECK_EQ(weir_pool_refresh(slot, 4, 2), 2);
	CHECK(slot[3] != held);
	for (i = 0; i < 4; i += 2) {
		CHECK(page_address(slot[i + 1]) == page_address(slot[i]) + PAGE_SIZE);
		CHECK_EQ(page_ref_count(slot[i]), 1);
	}
	put_page(held);
	down(2);
}

static void pool_charges(void)
{
	weir_pool_init();
	CHECK_EQ(weir_pool_charge(weir_pool_limit()), 0);
	CHECK_EQ(weir_pool_charge(1), -EDQUOT);
	CHECK_EQ(weir_pool_used(), weir_pool_limit());
	weir_pool_uncharge(weir_pool_limit());
}

const struct ktap_test pool_tests[] = {
	KTAP_TEST(pool_without_readers),
	KTAP_TEST(pool_receivers_hold),
	KTAP_TEST(pool_out_of_memory),
	KTAP_TEST(pool_of_pairs),
	KTAP_TEST(pool_charges),
};
SUITE_END(pool);
