// SPDX-License-Identifier: GPL-2.0
/* Pages that receivers hold, and the spare ones. */
#include "kernel.h"

#include "sum/pool.h"
#include "unit.h"

#define SPARE	WEIR_SPARE_PAGES

static struct weir_spare spare;
static struct page *slot[WEIR_BLOCK_PAGES];

static void up(void)
{
	spare = (struct weir_spare){};
	weir_pool_init();
	CHECK_EQ(weir_spare_init(&spare, 1), 0);
	slot[0] = alloc_page(0);
	slot[1] = alloc_page(0);
}

static void down(void)
{
	weir_spare_uninit(&spare);
	put_page(slot[0]);
	put_page(slot[1]);
	CHECK_EQ(mock_pages, 0);
}

static void pool_nobody_holds(void)
{
	struct page *was[2];

	up();
	memcpy(was, slot, sizeof(was));
	CHECK_EQ(weir_pool_refresh(&spare, slot, 2), 0);
	CHECK(!memcmp(was, slot, sizeof(was)));
	down();
}

/* However often: no more memory than before, and no page with a reader. */
static void pool_receivers_hold(void)
{
	struct page *held[SPARE];
	long pages;
	int i, round;

	up();
	pages = mock_pages;
	mock_fail_after = 0;
	for (round = 0; round < 5; round++) {
		for (i = 0; i < SPARE; i++) {
			held[i] = slot[0];
			get_page(slot[0]);
			CHECK_EQ(weir_pool_refresh(&spare, slot, 2), 0);
			CHECK_EQ(slot[0]->refs, 1);
			CHECK_EQ(slot[1]->refs, 1);
		}
		for (i = 0; i < SPARE; i++)
			put_page(held[i]);
	}
	mock_fail_after = -1;
	CHECK_EQ(mock_pages, pages);
	down();
}

/* All are held: the slot keeps what it has, until a receiver releases one. */
static void pool_all_held(void)
{
	struct page *held[SPARE + 2], *was[2];
	int i;

	up();
	for (i = 0; i < SPARE; i++)
		get_page(held[i] = spare.page[i]);
	get_page(held[SPARE] = slot[0]);
	get_page(held[SPARE + 1] = slot[1]);
	memcpy(was, slot, sizeof(was));
	mock_fail_after = 0;
	CHECK_EQ(weir_pool_refresh(&spare, slot, 2), -ENOMEM);
	CHECK(!memcmp(was, slot, sizeof(was)));

	/* One is not enough for two pages, and none is lost by it. */
	put_page(held[7]);
	for (i = 0; i < 5; i++) {
		CHECK_EQ(weir_pool_refresh(&spare, slot, 2), -ENOMEM);
		CHECK(!memcmp(was, slot, sizeof(was)));
	}
	put_page(held[33]);
	CHECK_EQ(weir_pool_refresh(&spare, slot, 2), 0);
	mock_fail_after = -1;
	CHECK_EQ(slot[0]->refs, 1);
	CHECK_EQ(slot[1]->refs, 1);
	for (i = 0; i < SPARE + 2; i++)
		if (i != 7 && i != 33)
			put_page(held[i]);
	down();
}

/* Receivers may hold as many as stand by. */
static void pool_bounded(void)
{
	struct page *held[SPARE], *last;
	int i;

	up();
	for (i = 0; i < SPARE; i++) {
		get_page(held[i] = slot[0]);
		CHECK_EQ(weir_pool_refresh(&spare, slot, 1), 0);
	}
	get_page(last = slot[0]);
	CHECK_EQ(weir_pool_refresh(&spare, slot, 1), -ENOMEM);
	put_page(held[0]);
	for (i = 0; i < 5 && weir_pool_refresh(&spare, slot, 1); i++)
		;
	CHECK(i < 5);
	for (i = 1; i < SPARE; i++)
		put_page(held[i]);
	put_page(last);
	down();
}

static void pool_out_of_memory(void)
{
	int i;

	for (i = 0; i < SPARE; i++) {
		spare = (struct weir_spare){};
		mock_fail_after = i;
		CHECK_EQ(weir_spare_init(&spare, 1), -ENOMEM);
		weir_spare_uninit(&spare);
		CHECK_EQ(mock_pages, 0);
	}
	mock_fail_after = -1;
}

/* Pages that lie together are held together, change places together and go together. */
static void pool_of_pairs(void)
{
	struct page *pair[4], *held;
	unsigned int i;

	spare = (struct weir_spare){};
	CHECK_EQ(weir_spare_init(&spare, 2), 0);
	CHECK_EQ(spare.n, SPARE / 2);
	for (i = 0; i < 4; i += 2)
		CHECK_EQ(weir_pool_alloc(&pair[i], 2), 0);
	held = pair[3];
	get_page(held);
	CHECK_EQ(weir_pool_refresh(&spare, pair, 4), 0);
	CHECK(pair[3] != held);
	for (i = 0; i < 4; i += 2) {
		CHECK(page_address(pair[i + 1]) == page_address(pair[i]) + PAGE_SIZE);
		CHECK_EQ(page_ref_count(pair[i]), 1);
	}
	put_page(held);
	put_page(pair[0]);
	put_page(pair[2]);
	weir_spare_uninit(&spare);
	CHECK_EQ(mock_pages, 0);
}

const struct ktap_test pool_tests[] = {
	KTAP_TEST(pool_of_pairs),
	KTAP_TEST(pool_nobody_holds),
	KTAP_TEST(pool_receivers_hold),
	KTAP_TEST(pool_all_held),
	KTAP_TEST(pool_bounded),
	KTAP_TEST(pool_out_of_memory),
};
SUITE_END(pool);
