// SPDX-License-Identifier: GPL-2.0
/*
 * The block table with real threads: workers contribute and ask, a timer scans, an
 * administrator looks, and deletes the table and makes another one. Built with
 * ThreadSanitizer, which reports accesses without order. Each block has one result for
 * all receivers, and that is the sum of just the workers that it names.
 */
#include <sched.h>
#include <time.h>

#include "kernel.h"

#include "../../bpf/ktap.h"
#include "agg/base/payload.h"
#include "agg/slots/block.h"
#include "agg/slots/pool.h"
#include "agg/type/reduce.h"
#include "pairs.h"

#define WORKERS		4
#define BLOCKS		64		/* slots */
#define IDS		2000		/* blocks of a table's life */
#define LIVES		20
#define GRADS		48
#define HELD		8		/* results that a receiver has not read yet */
#define TIMEOUT		300000		/* ns */

/**
 * struct life - a table, from its making to its end
 * @number: which one
 * @blocks: the table
 * @mask: by block, the workers that its result names; 0 before there is one
 */
struct life {
	unsigned int number;
	struct weir_blocks blocks;
	unsigned long mask[IDS];
};

static struct life *life;		/* read under the lock, as under RCU */
static pthread_rwlock_t rcu = PTHREAD_RWLOCK_INITIALIZER;
static bool over;
static unsigned long results, degraded, wrong;

static u64 now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

static void count(unsigned long *counter)
{
	__atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
}

static s32 grad(unsigned int number, unsigned int source, u32 id, unsigned int i)
{
	return number * 1000003 + source * 10007 + id * 101 + i;
}

/* A receiver reads, without any lock, from pages that it holds. */
static void check_sums(const struct weir_result *res, unsigned int number)
{
	const __be32 *sums = page_address(res->pages[0]);
	unsigned int i, s;
	u32 want;

	for (i = 0; i < res->count; i++) {
		want = 0;
		for (s = 0; s < WORKERS; s++)
			if (res->mask[0] >> s & 1)
				want += grad(number, s, res->id, i);
		if (ntohl(sums[i]) != want)
			count(&wrong);
	}
}

/* All copies of a block's result name the same contributors. */
static void check_one(struct life *in, const struct weir_result *res)
{
	unsigned long none = 0;

	if (__atomic_compare_exchange_n(&in->mask[res->id], &none, res->mask[0], false,
					__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
		count(&results);
		if (res->degraded)
			count(&degraded);
	} else if (none != res->mask[0]) {
		count(&wrong);
	}
}

/**
 * struct receiver - results that are read some time after they came
 * @res: the results
 * @number: of the life that each is of
 * @next: the oldest one
 */
struct receiver {
	struct weir_result res[HELD];
	unsigned int number[HELD];
	unsigned int next;
};

static void read_oldest(struct receiver *r)
{
	struct weir_result *oldest = &r->res[r->next];

	if (oldest->npages) {
		check_sums(oldest, r->number[r->next]);
		weir_result_put(oldest);
	}
	oldest->npages = 0;
}

static void receive(struct receiver *r, struct life *in, const struct weir_result *res)
{
	check_one(in, res);
	read_oldest(r);
	r->res[r->next] = *res;
	r->number[r->next] = in->number;
	r->next = (r->next + 1) % HELD;
}

static void read_all(struct receiver *r)
{
	unsigned int i;

	for (i = 0; i < HELD; i++) {
		r->next = i;
		read_oldest(r);
	}
}

/* Returns whether the worker goes on to its next block. */
static bool contribute(struct life *in, unsigned int source, u32 id, struct receiver *r)
{
	struct weir_block_key key = { .id = id, .source = source, .count = GRADS };
	__be32 grads[GRADS];
	struct weir_payload pl = { .n = 1, .seg = { { (u8 *)grads, sizeof(grads) } } };
	struct weir_outcome out;
	unsigned int i;
	int verdict;

	for (i = 0; i < GRADS; i++)
		grads[i] = htonl(grad(in->number, source, id, i));
	verdict = weir_block_contribute(&in->blocks, &key, &pl, now(), &out);
	switch (verdict) {
	case WEIR_VERDICT_COMPLETE:
	case WEIR_VERDICT_REPEAT:
	case WEIR_VERDICT_LATE:
		receive(r, in, &out.res);
		return true;
	case WEIR_VERDICT_SUMMED:
	case -WEIR_REASON_DUPLICATE:
	case -WEIR_REASON_STALE:
		return true;
	case -WEIR_REASON_BUSY:
	case -WEIR_REASON_NOMEM:
		return false;
	default:
		count(&wrong);
		return true;
	}
}

static void ask(struct life *in, unsigned int source, u32 id, struct receiver *r)
{
	struct weir_block_key key = { .id = id, .source = source };
	struct weir_outcome out;

	if (weir_block_query(&in->blocks, &key, now(), &out) == WEIR_VERDICT_REPEAT)
		receive(r, in, &out.res);
}

static void *work(void *data)
{
	unsigned int source = (long)data, number = 0;
	struct receiver r = { };
	u32 id = 0;

	while (!READ_ONCE(over)) {
		pthread_rwlock_rdlock(&rcu);
		if (life->number != number) {
			number = life->number;
			id = 0;
		}
		if (id < IDS && contribute(life, source, id, &r))
			id++;
		if (id)
			ask(life, source, id - 1, &r);
		pthread_rwlock_unlock(&rcu);
		sched_yield();
	}
	read_all(&r);
	return NULL;
}

static void *scan(void *data)
{
	const struct weir_ageing ageing = { TIMEOUT, TIMEOUT / 16, true };
	struct weir_result res;
	struct receiver r = { };
	enum weir_age age;
	unsigned int i;

	(void)data;
	while (!READ_ONCE(over)) {
		pthread_rwlock_rdlock(&rcu);
		for (i = 0; i < BLOCKS; i++) {
			struct weir_block *block = weir_blocks_slot(&life->blocks, i);

			if (weir_block_due(&life->blocks, block, &ageing) > now())
				continue;
			age = weir_block_age(&life->blocks, block, &ageing, now(), &res);
			if (age == WEIR_AGE_ANSWERED || age == WEIR_AGE_DONE)
				receive(&r, life, &res);
		}
		pthread_rwlock_unlock(&rcu);
		sched_yield();
	}
	read_all(&r);
	return NULL;
}

static void *look(void *data)
{
	struct weir_result res;
	unsigned int i;

	(void)data;
	while (!READ_ONCE(over)) {
		pthread_rwlock_rdlock(&rcu);
		if (weir_blocks_open(&life->blocks) > BLOCKS)
			count(&wrong);
		for (i = 0; i < BLOCKS; i++)
			if (weir_block_look(&life->blocks, weir_blocks_slot(&life->blocks, i), &res) &&
			    (!res.received || res.received >= WORKERS))
				count(&wrong);
		pthread_rwlock_unlock(&rcu);
		sched_yield();
	}
	return NULL;
}

static struct life *born(unsigned int number)
{
	const struct weir_blocks_config like = {
		.size = BLOCKS, .slots = BLOCKS, .sources = WORKERS, .grads = GRADS,
		.reduction = weir_reduction_find(WEIR_DTYPE_INT32, WEIR_OP_SUM,
						 WEIR_ORDER_ARRIVAL),
	};
	struct life *fresh = mock_alloc(sizeof(*fresh));

	if (!fresh || weir_blocks_init(&fresh->blocks, &like))
		abort();
	fresh->number = number;
	return fresh;
}

/* A grace period, after which no thread can be in it any more. */
static void replace(struct life *by)
{
	struct life *old;

	pthread_rwlock_wrlock(&rcu);
	old = life;
	life = by;
	pthread_rwlock_unlock(&rcu);
	if (!old)
		return;
	weir_blocks_uninit(&old->blocks);
	mock_free(old);
}

/* The next life begins when this one's blocks are answered, most of them. */
static void live(unsigned int number)
{
	unsigned long seen = __atomic_load_n(&results, __ATOMIC_RELAXED);
	u64 limit = now() + 20 * NSEC_PER_SEC;

	replace(born(number));
	while (__atomic_load_n(&results, __ATOMIC_RELAXED) - seen < IDS / 2 && now() < limit)
		sched_yield();
}

int main(void)
{
	pthread_t threads[WORKERS + 2];
	long i;

	ktap_header();
	weir_pool_init();
	replace(born(1));
	for (i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	pthread_create(&threads[WORKERS], NULL, scan, NULL);
	pthread_create(&threads[WORKERS + 1], NULL, look, NULL);
	for (i = 2; i < LIVES; i++)
		live(i);
	WRITE_ONCE(over, true);
	for (i = 0; i < WORKERS + 2; i++)
		pthread_join(threads[i], NULL);
	replace(NULL);
	printf("# %lu results, %lu of them degraded\n", results, degraded);
	ktap_ok(results > LIVES * IDS / 4, "blocks are answered");
	ktap_ok(degraded && degraded < results, "in full, and when they have aged");
	ktap_ok(!wrong, "each with one result, which is the sum of those who are in it");
	ktap_ok(pairs_run(), "each turn of a pair with one, while somebody may lack it");
	return ktap_end();
}
