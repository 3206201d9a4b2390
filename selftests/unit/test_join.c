// SPDX-License-Identifier: GPL-2.0
/* Sources of a generation, and when it begins. */
#include "kernel.h"

#include "agg/job/join.h"
#include "unit.h"

static struct weir_join_table table;
static const unsigned long nobody[WEIR_SOURCES_MAX / 64];

/* As the job does, generations are counted, and the earliest block is the first. */
static void begin(void)
{
	struct weir_join_words words;

	weir_join_sum_up(&table, &words);
	weir_join_begin(&table, words.lacks, words.little);
	table.generation++;
}

static enum weir_join_verdict join_or_tell(unsigned int source, u32 nonce, u32 lacks,
				   const unsigned long *excluded, u64 now)
{
	enum weir_join_verdict verdict;

	spin_lock(&table.lock);
	verdict = weir_join(&table, source, &(struct weir_join_words) {
		.nonce = nonce, .lacks = lacks,
	}, excluded, now);
	if (verdict == WEIR_JOIN_START)
		begin();
	spin_unlock(&table.lock);
	return verdict;
}

/* Join, and return WEIR_JOIN_WAIT in place of WEIR_JOIN_TELL, which has tests of its own. */
static enum weir_join_verdict join(unsigned int source, u32 nonce, u32 lacks,
				   const unsigned long *excluded, u64 now)
{
	enum weir_join_verdict verdict;

	verdict = join_or_tell(source, nonce, lacks, excluded, now);
	return verdict == WEIR_JOIN_TELL ? WEIR_JOIN_WAIT : verdict;
}

static bool is_member(unsigned int source)
{
	struct weir_membership in;

	return weir_join_member(&table, source, &in);
}

#define JOIN(v, source, nonce) \
	CHECK_EQ(join(source, nonce, 0, nobody, mock_ns), WEIR_JOIN_##v)
#define LACKS(v, source, nonce, block) \
	CHECK_EQ(join(source, nonce, block, nobody, mock_ns), WEIR_JOIN_##v)
#define MEMBER(source, number, of, block) do {				\
	struct weir_membership __in;					\
	CHECK(weir_join_member(&table, source, &__in));			\
	CHECK_EQ(__in.nonce, number);					\
	CHECK_EQ(__in.generation, of);					\
	CHECK_EQ(__in.start, block);					\
} while (0)

static void setup(unsigned int sources)
{
	memset(&table, 0, sizeof(table));
	CHECK_EQ(weir_join_init(&table, sources), 0);
}

static void teardown(void)
{
	weir_join_uninit(&table);
	CHECK_EQ(mock_locks, 0);
}

/* Joins without end, repeated or new, make a notice each tenth of a second. */
static void join_tells_now_and_then(void)
{
	u64 start = mock_ns, end = start + NSEC_PER_SEC, now;
	unsigned int told = 0, n = 0;

	setup(2);
	for (now = start; now < end; now += NSEC_PER_MSEC)
		told += join_or_tell(0, n++ / 3, 0, nobody, now) == WEIR_JOIN_TELL;
	CHECK_EQ(told, 10);
	/* The first one after a while is told at once. */
	CHECK_EQ(join_or_tell(0, 5000, 0, nobody, now + NSEC_PER_SEC),
		 WEIR_JOIN_TELL);
	teardown();
}

/* Each new number makes the others speak once more. */
static void join_all(void)
{
	setup(3);
	JOIN(WAIT, 0, 10);
	JOIN(WAIT, 2, 12);
	JOIN(WAIT, 0, 10);
	JOIN(WAIT, 1, 11);
	JOIN(WAIT, 1, 11);
	JOIN(WAIT, 0, 10);
	JOIN(START, 2, 12);
	JOIN(AGAIN, 0, 10);
	JOIN(AGAIN, 2, 12);
	MEMBER(1, 11, 1, 0);
	teardown();
}

static void join_one(void)
{
	setup(1);
	JOIN(START, 0, 0);
	JOIN(AGAIN, 0, 0);
	JOIN(START, 0, 1);
	teardown();
}

/* One that comes back waits until all do; the others go on as they were. */
static void join_restart(void)
{
	setup(2);
	JOIN(WAIT, 0, 1);
	JOIN(WAIT, 1, 2);
	JOIN(START, 0, 1);
	JOIN(WAIT, 0, 3);
	JOIN(AGAIN, 1, 2);
	JOIN(WAIT, 0, 3);
	JOIN(WAIT, 1, 4);
	JOIN(START, 0, 3);
	MEMBER(0, 3, 2, 0);
	/* A late packet of the one before. */
	JOIN(WAIT, 0, 1);
	JOIN(AGAIN, 1, 4);
	teardown();
}

/* Workers that died while they waited are in no generation with the living. */
static void join_dead_waiters(void)
{
	setup(3);
	JOIN(WAIT, 0, 1);
	JOIN(WAIT, 1, 2);
	JOIN(WAIT, 0, 1);
	/* All of a new run come; the old numbers of 0 and 1 do not count. */
	JOIN(WAIT, 2, 30);
	JOIN(WAIT, 2, 30);
	JOIN(WAIT, 1, 20);
	JOIN(WAIT, 2, 30);
	JOIN(WAIT, 0, 10);
	JOIN(WAIT, 1, 20);
	JOIN(START, 2, 30);
	MEMBER(0, 10, 1, 0);
	MEMBER(1, 20, 1, 0);
	teardown();
}

/* A generation begins with the earliest block that any of them lacks. */
static void join_in_the_middle(void)
{
	setup(3);
	LACKS(WAIT, 0, 1, 3);
	LACKS(WAIT, 1, 2, 0xfffffffe);
	LACKS(WAIT, 2, 3, 7);
	LACKS(WAIT, 0, 1, 3);
	LACKS(START, 1, 2, 0xfffffffe);
	MEMBER(0, 1, 1, 0xfffffffe);
	MEMBER(2, 3, 1, 0xfffffffe);
	teardown();
}

static const unsigned long second[WEIR_SOURCES_MAX / 64] = { 1 << 1 };

/* Source 1 is excluded. */
#define AFTER(v, ns, source, nonce) \
	CHECK_EQ(join(source, nonce, 0, second, mock_ns + (ns)), WEIR_JOIN_##v)

/* An excluded source has ten seconds to come. */
static void join_excluded(void)
{
	setup(2);
	AFTER(WAIT, 0, 0, 1);
	AFTER(WAIT, 10 * NSEC_PER_SEC - 1, 0, 1);
	AFTER(START, 10 * NSEC_PER_SEC, 0, 1);
	CHECK(!is_member(1));
	teardown();
}

/* All are started anew, and the excluded one comes last. */
static void join_excluded_and_slow(void)
{
	setup(2);
	AFTER(WAIT, 0, 0, 1);
	AFTER(WAIT, 9 * NSEC_PER_SEC, 1, 2);
	AFTER(START, 9 * NSEC_PER_SEC, 0, 1);
	MEMBER(1, 2, 1, 0);
	teardown();
}

/* The excluded one comes first: it is waited for while it sends joins. */
static void join_excluded_waits(void)
{
	unsigned long waiting[WEIR_SOURCES_MAX / 64];
	unsigned long members[WEIR_SOURCES_MAX / 64];
	unsigned int s;

	setup(2);
	for (s = 0; s <= 60; s++)
		AFTER(WAIT, s * NSEC_PER_SEC, 1, 2);
	weir_join_look(&table, members, waiting);
	CHECK_EQ(waiting[0], 1 << 1);
	CHECK_EQ(members[0], 0);
	AFTER(WAIT, 60 * NSEC_PER_SEC, 0, 3);
	AFTER(START, 60 * NSEC_PER_SEC, 1, 2);
	MEMBER(1, 2, 1, 0);
	teardown();
}

/* It speaks for long, and then is silent: the others have waited enough. */
static void join_excluded_goes(void)
{
	unsigned int s;

	setup(2);
	for (s = 0; s <= 60; s++)
		AFTER(WAIT, s * NSEC_PER_SEC, 1, 2);
	AFTER(WAIT, 62 * NSEC_PER_SEC - 1, 0, 3);
	AFTER(START, 62 * NSEC_PER_SEC, 0, 3);
	CHECK(!is_member(1));
	teardown();
}

static void join_in(unsigned int source, u32 nonce, bool little)
{
	spin_lock(&table.lock);
	if (weir_join(&table, source, &(struct weir_join_words) {
		.nonce = nonce, .little = little,
	}, nobody, mock_ns) == WEIR_JOIN_START)
		begin();
	spin_unlock(&table.lock);
}

/* Gradients are little-endian if all sources of the generation can send and receive them. */
static void join_byte_order(void)
{
	struct weir_membership in;
	unsigned int last;

	setup(3);
	for (last = 0; last < 8; last++) {
		join_in(0, 10 * last + 1, last & 1);
		join_in(1, 10 * last + 2, last & 2);
		join_in(2, 10 * last + 3, last & 4);
		join_in(0, 10 * last + 1, last & 1);
		join_in(1, 10 * last + 2, last & 2);
		CHECK(weir_join_member(&table, 2, &in));
		CHECK_EQ(in.generation, last + 1);
		CHECK_EQ(in.little, last == 7);
	}
	teardown();
}

static void join_without_memory(void)
{
	mock_fail_after = 0;
	CHECK_EQ(weir_join_init(&table, 4), -ENOMEM);
	mock_fail_after = -1;
	weir_join_uninit(&table);
}

const struct ktap_test join_tests[] = {
	KTAP_TEST(join_all),
	KTAP_TEST(join_tells_now_and_then),
	KTAP_TEST(join_one),
	KTAP_TEST(join_restart),
	KTAP_TEST(join_dead_waiters),
	KTAP_TEST(join_in_the_middle),
	KTAP_TEST(join_excluded),
	KTAP_TEST(join_excluded_and_slow),
	KTAP_TEST(join_excluded_waits),
	KTAP_TEST(join_excluded_goes),
	KTAP_TEST(join_byte_order),
	KTAP_TEST(join_without_memory),
};
SUITE_END(join);
