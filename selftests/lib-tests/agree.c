// SPDX-License-Identifier: GPL-2.0
/* Ranks that do not call for the same, or not in the same order: all of them are told. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cluster.h"
#include "tests.h"
#include "vectors.h"

#define G CLUSTER_GRADS
#define LONGEST (40 * G)

/**
 * struct given - a rank's call
 * @count: elements
 * @type: type of the elements
 * @flags: of the call
 * @scale: 0 lets the ranks agree
 * @follow: it only follows
 */
struct given {
	size_t count;
	enum weir_type type;
	uint32_t flags;
	double scale;
	bool follow;
};

/**
 * struct dispute - two ranks' calls, and words of the sentences that they get
 * @job: the job's type
 * @calls: that of rank 0, and that of rank 1
 * @words: words of the sentence of rank 0, and of that of rank 1
 */
struct dispute {
	enum weir_type job;
	struct given calls[2];
	const char *words[2];
};

static int make_call(struct worker *worker, const struct given *given)
{
	const struct weir_extra extra = {
		.size = sizeof(extra), .scale = given->scale, .follow = given->follow,
	};
	int32_t *in = calloc(LONGEST, 4), *out = calloc(LONGEST, 4);
	int err = -ENOMEM;

	if (CHECK(in && out))
		err = weir_allreduce(worker->comm, given->follow ? NULL : in, out, given->count,
				     given->type, WEIR_SUM, given->flags, &extra);
	free(in);
	free(out);
	return err;
}

/* The error is final: the next call has it, too. */
static void disagree(struct worker *worker)
{
	const struct dispute *dispute = worker->data;
	const struct given *given = &dispute->calls[worker->rank];
	const char *words = dispute->words[worker->rank];

	for (unsigned int i = 0; i < 2; i++)
		expect(worker, make_call(worker, given), -EBADMSG);
	if (!CHECK(strstr(weir_error(worker->comm), words)))
		ktap_complain(__FILE__, __LINE__, "no '%s' in: %s", words, weir_error(worker->comm));
}

static void run_dispute(const struct dispute *dispute)
{
	struct cluster cluster;

	cluster_init(&cluster, 2);
	cluster.box.dtype = (uint8_t)dispute->job;
	cluster_run(&cluster, disagree, (void *)dispute);
}

/* Either rank may be the first one that the box hears. */
static void run_disputes(const struct dispute *disputes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct dispute *d = &disputes[i];
		const struct dispute turned = {
			d->job, { d->calls[1], d->calls[0] }, { d->words[1], d->words[0] },
		};

		run_dispute(d);
		run_dispute(&turned);
	}
}

#define DISPUTES(...) do { \
	static const struct dispute disputes[] = { __VA_ARGS__ }; \
	run_disputes(disputes, sizeof(disputes) / sizeof(disputes[0])); \
} while (0)

#define OWN(words) "is for " words

static void other_sizes(void)
{
	DISPUTES({ WEIR_INT32, { { .count = G, .type = WEIR_INT32 },
				 { .count = 10, .type = WEIR_INT32 } },
		   { OWN("the sum of int32, 64 elements"), OWN("the sum of int32, 10 elements") } },
		 { WEIR_INT32, { { .count = 4 * G, .type = WEIR_INT32 },
				 { .count = 8 * G, .type = WEIR_INT32 } },
		   { "at its block 3", "at its block 3" } },
		 { WEIR_INT32, { { .count = 8 * G, .type = WEIR_INT32 },
				 { .count = 3 * G + 1, .type = WEIR_INT32 } },
		   { "at its block 3", "at its block 3" } },
		 { WEIR_INT32, { { .count = 4 * G, .type = WEIR_FLOAT32 },
				 { .count = 8 * G, .type = WEIR_FLOAT32 } },
		   { "scaled, 256 elements", "scaled, 512 elements" } },
		 { WEIR_INT32, { { .count = 4 * G, .type = WEIR_FLOAT32 },
				 { .count = 3 * G + 7, .type = WEIR_FLOAT32 } },
		   { "scaled, 256 elements", "scaled, 199 elements" } });
}

static void other_types(void)
{
	DISPUTES({ WEIR_FLOAT32, { { .count = G, .type = WEIR_FLOAT32 },
				   { .count = G, .type = WEIR_FLOAT16 } },
		   { "another rank is for the sum of float16 at", OWN("the sum of float16") } },
		 { WEIR_INT32, { { .count = 2 * G, .type = WEIR_FLOAT32 },
				 { .count = 2 * G, .type = WEIR_INT32 } },
		   { OWN("the sum of float32, scaled"), OWN("the sum of int32") } },
		 { WEIR_FLOAT32, { { .count = G, .type = WEIR_FLOAT32, .flags = WEIR_AVERAGE },
				   { .count = G, .type = WEIR_FLOAT32 } },
		   { OWN("the sum (mean) of float32"),
		     "another rank is for the sum (mean) of float32" } });
}

static void other_scales(void)
{
	DISPUTES({ WEIR_INT32, { { .count = G, .type = WEIR_FLOAT32, .scale = 1024 },
				 { .count = G, .type = WEIR_FLOAT32, .scale = 256 } },
		   { "scaled by 1024", "scaled by 256" } },
		 { WEIR_INT32, { { .count = 3 * G, .type = WEIR_FLOAT32 },
				 { .count = 3 * G, .type = WEIR_FLOAT32, .scale = 256 } },
		   { "float32, scaled, 192", "float32, scaled by 256, 192" } },
		 { WEIR_INT32, { { .count = 1, .type = WEIR_FLOAT32 },
				 { .count = 1, .type = WEIR_FLOAT32, .scale = 256 } },
		   { "float32, scaled, 1 ", "float32, scaled by 256, 1 " } });
}

/* A long one in two halves is as long. */
static void in_another_order(struct worker *worker)
{
	const struct given whole = { .count = 8 * G, .type = WEIR_INT32 };
	const struct given half = { .count = 4 * G, .type = WEIR_INT32 };

	one_int32(worker, 3 * G, 1, false);
	expect(worker, make_call(worker, worker->rank ? &whole : &half), -EBADMSG);
	CHECK(strstr(weir_error(worker->comm), "call 1 of rank"));
}

static void other_order(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 2);
	cluster_run(&cluster, in_another_order, NULL);
}

/* One of many, and with losses: all of the others are told, too. */
static void one_of_many(struct worker *worker)
{
	struct given given = { .count = 40 * G, .type = WEIR_FLOAT32, .scale = 16 };

	if (worker->rank == 5)
		given.scale = 17;
	one_int32(worker, 7 * G, 1, false);
	expect(worker, make_call(worker, &given), -EBADMSG);
}

static void all_ranks_are_told(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 16);
	cluster_run(&cluster, one_of_many, NULL);
}

/* The box has answered without rank 1, which sees by the result that it calls for another. */
static void late_one(struct worker *worker)
{
	const struct given given = {
		.count = 2 * G, .type = WEIR_INT32, .flags = WEIR_ACCEPT_DEGRADED,
	};
	const struct given other = {
		.count = G, .type = WEIR_INT32, .flags = WEIR_ACCEPT_DEGRADED,
	};

	if (worker->rank == 0)
		expect(worker, make_call(worker, &given), 0);
	while (worker->rank && weir_behind(worker->comm) < 2)
		;
	if (worker->rank)
		expect(worker, make_call(worker, &other), -EBADMSG);
}

static void late_ranks_are_told(void)
{
	struct cluster cluster;

	cluster_init(&cluster, 2);
	cluster.box.quorum = 1;
	cluster_run(&cluster, late_one, NULL);
}

static int never(void *context, const struct weir_failure *failure)
{
	(void)failure;
	CHECK(!context);
	return 0;
}

/* Ranks that do not agree would not agree there, either. */
static void no_fallback(void)
{
	static const struct dispute dispute = {
		WEIR_INT32, { { .count = G, .type = WEIR_INT32 }, { .count = 1, .type = WEIR_INT32 } },
		{ "", "" },
	};
	struct cluster cluster;

	cluster_init(&cluster, 2);
	cluster.options.fallback = never;
	cluster.options.fallback_context = &cluster;
	cluster_run(&cluster, disagree, (void *)&dispute);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(other_sizes),
	KTAP_TEST(other_types),
	KTAP_TEST(other_scales),
	KTAP_TEST(other_order),
	KTAP_TEST(all_ranks_are_told),
	KTAP_TEST(late_ranks_are_told),
	KTAP_TEST(no_fallback),
};

const struct test_table agree_table = { tests, sizeof(tests) / sizeof(tests[0]) };
