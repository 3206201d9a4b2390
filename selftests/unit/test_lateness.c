// SPDX-License-Identifier: GPL-2.0
/* The histogram of how late contributions come. */
#include "kernel.h"

#include "core/base/lateness.h"
#include "unit.h"

/* Return the bucket that a contribution is counted in, or -1 unless it is in exactly one. */
static int bucket(u64 ns)
{
	struct weir_lateness lateness = { };
	int i, found = -1, n = 0;

	weir_lateness_count(&lateness, ns);
	for (i = 0; i < WEIR_LATENESS_BUCKETS; i++) {
		if (lateness.bucket[i])
			found = i;
		n += lateness.bucket[i];
	}
	return n == 1 ? found : -1;
}

static void lateness_first_bucket(void)
{
	CHECK_EQ(bucket(0), 0);
	CHECK_EQ(bucket(999), 0);
	CHECK_EQ(bucket(1999), 0);
	CHECK_EQ(bucket(2000), 1);
}

static void lateness_powers_of_two(void)
{
	int i;

	for (i = 1; i < WEIR_LATENESS_BUCKETS; i++) {
		CHECK_EQ(bucket((NSEC_PER_USEC << i) - 1), i - 1);
		CHECK_EQ(bucket(NSEC_PER_USEC << i), i);
	}
}

static void lateness_last_bucket(void)
{
	CHECK_EQ(bucket(NSEC_PER_USEC << WEIR_LATENESS_BUCKETS),
		 WEIR_LATENESS_BUCKETS - 1);
	CHECK_EQ(bucket(3600 * NSEC_PER_SEC), WEIR_LATENESS_BUCKETS - 1);
	CHECK_EQ(bucket(UINT64_MAX), WEIR_LATENESS_BUCKETS - 1);
}

const struct ktap_test lateness_tests[] = {
	KTAP_TEST(lateness_first_bucket),
	KTAP_TEST(lateness_powers_of_two),
	KTAP_TEST(lateness_last_bucket),
};
SUITE_END(lateness);
