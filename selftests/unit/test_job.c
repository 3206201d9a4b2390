// SPDX-License-Identifier: GPL-2.0
/* Jobs and sources: made, changed, removed, and short of memory. */
#include "box.h"
#include "agg/format/format.h"
#include "agg/type/reduce.h"
#include "unit.h"

static struct weir_job_config config(void)
{
	return (struct weir_job_config){
		.id = 7, .format = &weir_format_trio, .settings.order = WEIR_ORDER_ARRIVAL,
		.blocks = {
			.size = 4, .slots = 4, .sources = 3, .grads = 1024,
			.reduction = weir_reduction_find(WEIR_DTYPE_INT32, WEIR_OP_SUM,
							 WEIR_ORDER_ARRIVAL),
		},
		.port = 12000, .address = box_addr(254),
	};
}

static void job_add_and_flush(void)
{
	box_up();
	CHECK(box_job(7, 3, 4, 1024));
	CHECK(box_job(0, 1, 1, 1));
	CHECK(box_job(255, 256, 2, 2048));
	CHECK(weir_job_get(&box.wn, 7));
	CHECK(!weir_job_get(&box.wn, 8));
	CHECK(!weir_job_get(&box.wn, 256));
	mock_grace_periods = 0;
	weir_job_flush(&box.wn);
	CHECK_EQ(mock_grace_periods, 1);
	CHECK(!weir_job_get(&box.wn, 7));
	box_down();
}

static void job_id_in_use(void)
{
	struct weir_job_config cfg = config();
	struct netlink_ext_ack extack = { };

	box_up();
	box_job(7, 3, 4, 1024);
	CHECK_EQ(PTR_ERR(weir_job_add(&box.wn, &cfg, &extack)), -EEXIST);
	CHECK(strstr(extack.msg, "job 7 exists"));
	box_down();
}

static void job_over_the_limit(void)
{
	struct weir_job_config cfg = config();
	struct netlink_ext_ack extack = { };

	box_up();
	mock_ram_pages = 4 * 4;	/* 4 pages for blocks */
	weir_pool_init();
	CHECK_EQ(PTR_ERR(weir_job_add(&box.wn, &cfg, &extack)), -EDQUOT);
	CHECK(strstr(extack.msg, "fewer blocks"));
	CHECK_EQ(weir_pool_used(), 0);
	cfg.blocks.size = 2;
	cfg.blocks.slots = 2;
	CHECK(!IS_ERR(weir_job_add(&box.wn, &cfg, &extack)));
	mock_ram_pages = 1 << 20;
	box_down();
}

/* Every allocation of an addition fails once; nothing is left of it. */
static void job_without_memory(void)
{
	struct weir_job_config cfg = config();
	struct netlink_ext_ack extack;
	struct weir_job *job;
	int fail;

	box_up();
	cfg.has_group = true;
	cfg.group = box_addr(9);
	cfg.rate.packets = 1;
	for (fail = 0; ; fail++) {
		memset(&extack, 0, sizeof(extack));
		mock_fail_after = fail;
		job = weir_job_add(&box.wn, &cfg, &extack);
		if (mock_fail_after >= 0)
			break;
		CHECK_EQ(PTR_ERR(job), -ENOMEM);
		CHECK(strstr(extack.msg, "no memory"));
		CHECK(!weir_job_get(&box.wn, 7));
		CHECK_EQ(mock_pages, 0);
		CHECK_EQ(weir_pool_used(), 0);
	}
	mock_fail_after = -1;
	CHECK(!IS_ERR(job));
	CHECK_EQ(fail, 14);
	box_down();
}

static void source_without_memory(void)
{
	struct weir_source_config config = { .addr = box_addr(1) };
	struct weir_source_config other = { .addr = box_addr(2) };
	struct weir_job *job;
	int fail;

	box_up();
	job = box_job(7, 3, 4, 1024);
	weir_source_flush(job);
	for (fail = 0; fail < 4; fail++) {
		mock_fail_after = fail;
		CHECK_EQ(weir_source_bind(job, 0, &config), -ENOMEM);
		CHECK(!weir_source_get(job, 0));
	}
	mock_fail_after = -1;
	CHECK_EQ(weir_source_bind(job, 0, &config), 0);
	for (fail = 0; fail < 2; fail++) {
		mock_fail_after = fail;
		CHECK_EQ(weir_source_bind(job, 0, &other), -ENOMEM);
		CHECK(ipv6_addr_equal(&weir_source_get(job, 0)->dest.addr,
				      &config.addr));
	}
	mock_fail_after = -1;
	box_down();
}

static void source_keeps_its_counters(void)
{
	struct weir_source_config config = { .addr = box_addr(77), .port = 999 };
	struct weir_job *job;

	box_up();
	job = box_job(7, 3, 4, 1024);
	weir_count(weir_source_get(job, 1)->stats, WEIR_C_JOINS, 5);
	CHECK_EQ(weir_source_bind(job, 1, &config), 0);
	CHECK_EQ(weir_source_get(job, 1)->stats->c[WEIR_C_JOINS], 5);
	CHECK_EQ(weir_source_get(job, 1)->dest.port, htons(999));
	weir_source_unbind(job, 1);
	CHECK(!weir_source_get(job, 1));
	CHECK(!weir_source_get(job, 3));
	box_down();
}

static void source_address_is_taken(void)
{
	struct weir_source_config config = { .addr = box_addr(1) };
	struct weir_job *job;
	u32 id = 2;

	box_up();
	job = box_job(7, 3, 4, 1024);
	CHECK(weir_source_taken(job, &config, &id));
	CHECK_EQ(id, 0);
	id = 0;
	CHECK(!weir_source_taken(job, &config, &id));
	id = 2;
	config.port = 12001;
	CHECK(!weir_source_taken(job, &config, &id));
	box_down();
}

static void job_group_changes(void)
{
	struct in6_addr group = box_addr(9), none = { };
	struct weir_job *job;

	box_up();
	job = box_job(7, 3, 4, 1024);
	CHECK_EQ(weir_job_set(job, &group, NULL), 0);
	CHECK_EQ(weir_job_set(job, &group, NULL), 0);
	mock_fail_after = 0;
	CHECK_EQ(weir_job_set(job, &none, NULL), 0);
	mock_fail_after = 0;
	CHECK_EQ(weir_job_set(job, &group, NULL), -ENOMEM);
	mock_fail_after = 1;
	CHECK_EQ(weir_job_set(job, &group, NULL), -ENOMEM);
	mock_fail_after = -1;
	CHECK(!job->group);
	box_down();
}

static void job_generation_only_grows(void)
{
	struct weir_job *job;

	box_up();
	job = box_job(7, 3, 4, 1024);
	CHECK_EQ(weir_blocks_advance(&job->blocks, 5, 0), 5);
	CHECK_EQ(weir_blocks_advance(&job->blocks, 4, 0), 5);
	CHECK_EQ(weir_blocks_advance(&job->blocks, 5, 0), 5);
	CHECK_EQ(weir_blocks_advance(&job->blocks, 5 + 32767, 0), 5 + 32767);
	CHECK_EQ(weir_blocks_advance(&job->blocks, 5, 0), 5 + 32767);
	CHECK_EQ(weir_blocks_advance(&job->blocks, 65535, 0), 65535);
	CHECK_EQ(weir_blocks_advance(&job->blocks, 0, 0), 0);
	CHECK_EQ(weir_blocks_generation(&job->blocks), 0);
	box_down();
}

/* The settings of late sources reach all the code that acts on them. */
static void job_policy_is_set(void)
{
	struct weir_policy_config changed = {
		.mode = WEIR_POLICY_EXCLUDE, .quorum = 2,
		.timeout = 5000000, .dead_after = 70000000,
	};
	struct weir_job *job;

	box_up();
	job = box_job(7, 3, 4, 1024);
	CHECK(!job->scan.answer && !job->watch.exclude);
	weir_job_set_policy(job, &changed);
	CHECK_EQ(job->policy.mode, WEIR_POLICY_EXCLUDE);
	CHECK_EQ(job->blocks.quorum, 2);
	CHECK_EQ(job->scan.timeout, 5000000);
	CHECK(job->scan.answer);
	CHECK_EQ(job->watch.period, 70000000);
	CHECK(job->watch.exclude);
	changed.mode = WEIR_POLICY_PARTIAL;
	changed.dead_after = 0;
	weir_job_set_policy(job, &changed);
	CHECK(job->scan.answer && !job->watch.exclude);
	CHECK_EQ(job->watch.period, 5000000ULL * WEIR_DEAD_AFTER_DEFAULT);
	changed.mode = WEIR_POLICY_WAIT;
	weir_job_set_policy(job, &changed);
	CHECK(!job->scan.answer);
	box_down();
}

/* One grace period for a policer that goes, none for the first one. */
/* A hundred of the longest timeouts are longer than an administrator can say. */
static void job_default_of_dead_after_does_not_wrap(void)
{
	struct weir_policy_config changed = { };

	CHECK_EQ(weir_policy_dead_after(&changed), 1000000 * NSEC_PER_USEC);
	changed.timeout = 42949672 * NSEC_PER_USEC;
	CHECK_EQ(weir_policy_dead_after(&changed), 4294967200 * NSEC_PER_USEC);
	changed.timeout = 42949673 * NSEC_PER_USEC;
	CHECK_EQ(weir_policy_dead_after(&changed), U32_MAX * NSEC_PER_USEC);
	changed.timeout = U32_MAX * NSEC_PER_USEC;
	CHECK_EQ(weir_policy_dead_after(&changed), changed.timeout);
	changed.dead_after = 7;
	CHECK_EQ(weir_policy_dead_after(&changed), 7);
}

static void job_rate_is_set(void)
{
	struct weir_rate_config config = { .packets = 5, .packets_burst = 1 };
	const struct weir_rate_config none = { };
	struct weir_job *job;

	box_up();
	job = box_job(7, 3, 4, 1024);
	CHECK(!job->rate);
	mock_grace_periods = 0;
	CHECK_EQ(weir_job_set(job, NULL, &config), 0);
	CHECK_EQ(mock_grace_periods, 0);
	CHECK_EQ(job->rate->config.packets, 5);
	config.packets = 6;
	mock_fail_after = 0;
	CHECK_EQ(weir_job_set(job, NULL, &config), -ENOMEM);
	mock_fail_after = -1;
	CHECK_EQ(job->rate->config.packets, 5);
	CHECK_EQ(weir_job_set(job, NULL, &config), 0);
	CHECK_EQ(mock_grace_periods, 1);
	CHECK_EQ(job->rate->config.packets, 6);
	mock_fail_after = 0;
	CHECK_EQ(weir_job_set(job, NULL, &none), 0);
	mock_fail_after = -1;
	CHECK_EQ(mock_grace_periods, 2);
	CHECK(!job->rate);
	box_down();
}

/* Where there is memory for one of two changes only, neither is made. */
static void job_set_is_whole_or_not_at_all(void)
{
	struct weir_rate_config config = { .packets = 5, .packets_burst = 1 };
	struct in6_addr group = box_addr(9);
	struct weir_job *job;
	int fail;

	box_up();
	job = box_job(7, 3, 4, 1024);
	for (fail = 0; fail < 3; fail++) {
		mock_fail_after = fail;
		CHECK_EQ(weir_job_set(job, &group, &config), -ENOMEM);
		CHECK(!job->group);
		CHECK(!job->rate);
	}
	mock_fail_after = -1;
	CHECK_EQ(weir_job_set(job, &group, &config), 0);
	CHECK(job->group && job->rate);
	mock_grace_periods = 0;
	CHECK_EQ(weir_job_set(job, &group, &config), 0);
	CHECK_EQ(mock_grace_periods, 1);
	box_down();
}

/* However many there are. */
static void source_flush_waits_once(void)
{
	struct weir_job *job;
	unsigned int i;

	box_up();
	job = box_job(7, 256, 4, 16);
	weir_source_unbind(job, 100);
	mock_grace_periods = 0;
	weir_source_flush(job);
	CHECK_EQ(mock_grace_periods, 1);
	for (i = 0; i < 256; i++)
		CHECK(!weir_source_get(job, i) &&
		      test_bit(i, job->blocks.retention.absent));
	weir_source_flush(job);
	CHECK_EQ(mock_grace_periods, 1);
	CHECK_EQ(box_give(job, 0, 0, 1), WEIR_REASON_NO_SOURCE);
	box_down();
}

/* The first generation that a box gives out is any; the rest follow. */
static void job_generations_begin(void)
{
	struct weir_job *job;

	box_up();
	mock_random = 4710;
	job = box_job(7, 1, 4, 1024);
	CHECK(!job->joined);
	box_join(job, 0, 1);
	CHECK(job->joined);
	CHECK_EQ(weir_blocks_generation(&job->blocks), 4711);
	box_join(job, 0, 2);
	CHECK_EQ(weir_blocks_generation(&job->blocks), 4712);
	box_join(job, 0, 3);
	CHECK_EQ(weir_blocks_generation(&job->blocks), 4713);
	mock_random = 0;
	box_down();
}

const struct ktap_test job_tests[] = {
	KTAP_TEST(job_add_and_flush),
	KTAP_TEST(job_id_in_use),
	KTAP_TEST(job_over_the_limit),
	KTAP_TEST(job_without_memory),
	KTAP_TEST(source_without_memory),
	KTAP_TEST(source_keeps_its_counters),
	KTAP_TEST(source_address_is_taken),
	KTAP_TEST(job_group_changes),
	KTAP_TEST(job_generation_only_grows),
	KTAP_TEST(job_policy_is_set),
	KTAP_TEST(job_default_of_dead_after_does_not_wrap),
	KTAP_TEST(job_rate_is_set),
	KTAP_TEST(job_set_is_whole_or_not_at_all),
	KTAP_TEST(source_flush_waits_once),
	KTAP_TEST(job_generations_begin),
};
SUITE_END(job);
