// SPDX-License-Identifier: GPL-2.0
/*
 * A table whose blocks are in pairs, with a thread a worker: each goes on in a pair when it
 * has the result of the turn before, or tries to before that, and says again what it has said,
 * now and long after. Each turn has one sum, of all.
 */
#include <sched.h>

#include "kernel.h"

#include "agg/base/payload.h"
#include "agg/slots/block.h"
#include "agg/type/reduce.h"
#include "pairs.h"

#define WORKERS		4
#define PAIRS		4
#define TURNS		6000
#define GRADS		48

static struct weir_blocks table;
static u32 answered[PAIRS];		/* turns that all have the result of */
static unsigned long wrong, repeats, stale;

static void count(unsigned long *counter)
{
	__atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
}

static s32 grad(unsigned int source, unsigned int pair, u32 turn)
{
	return source * 10007 + pair * 101 + turn;
}

static void check(const struct weir_result *res, unsigned int pair, u32 turn)
{
	const __be32 *sums = page_address(res->pages[0]);
	u32 want = 0;
	unsigned int i;

	for (i = 0; i < WORKERS; i++)
		want += grad(i, pair, turn);
	for (i = 0; i < res->count; i++)
		if (ntohl(sums[i]) != want)
			count(&wrong);
	if (res->received != WORKERS || res->id != turn % 1000 || res->generation != turn / 1000)
		count(&wrong);
}

static int say(unsigned int source, unsigned int pair, u32 turn)
{
	struct weir_block_key key = {
		.id = turn % 1000, .generation = turn / 1000, .source = source, .count = GRADS,
		.pair = pair, .second = turn & 1,
	};
	__be32 grads[GRADS];
	struct weir_payload pl = { .n = 1, .seg = { { (u8 *)grads, sizeof(grads) } } };
	struct weir_outcome out;
	unsigned int i;
	int verdict;

	for (i = 0; i < GRADS; i++)
		grads[i] = htonl(grad(source, pair, turn));
	verdict = weir_block_contribute_paired(&table, &key, &pl, turn, &out);
	if (verdict == WEIR_VERDICT_COMPLETE || verdict == WEIR_VERDICT_REPEAT) {
		check(&out.res, pair, turn);
		weir_result_put(&out.res);
	}
	/* As if it had been sent to all, which orders nothing. */
	if (verdict == WEIR_VERDICT_COMPLETE)
		WRITE_ONCE(answered[pair], turn + 1);
	return verdict;
}

/* Repeats @turn, and the turn before it, which is never answered any more. */
static void say_again(unsigned int source, unsigned int pair, u32 turn)
{
	int verdict = say(source, pair, turn);

	if (verdict == WEIR_VERDICT_REPEAT)
		count(&repeats);
	else if (verdict != -WEIR_REASON_DUPLICATE)
		count(&wrong);
	if (turn && say(source, pair, turn - 1) >= 0)
		count(&wrong);
	count(&stale);
}

static void *work(void *data)
{
	unsigned int source = (long)data, pair, done, gone;
	u32 turn[PAIRS] = { }, random = source;

	do {
		done = gone = 0;
		for (pair = 0; pair < PAIRS; pair++) {
			u32 seen = READ_ONCE(answered[pair]);

			/* It has sent @turn of them, and has the result of all but the last. */
			random = random * 1664525 + 1013904223;
			if (turn[pair] && random >> 31)
				say_again(source, pair, turn[pair] - 1);
			/* Some try before they have it. */
			if ((seen >= turn[pair] || random >> 29 & 1) && turn[pair] < TURNS) {
				int verdict = say(source, pair, turn[pair]);

				if (verdict >= 0)
					gone++, turn[pair]++;
				else if (verdict != -WEIR_REASON_BUSY)
					count(&wrong);
			}
			done += turn[pair] == TURNS && seen == TURNS;
		}
		/* A source that waits for the others lets them run. */
		if (!gone)
			sched_yield();
	} while (done < PAIRS && !__atomic_load_n(&wrong, __ATOMIC_RELAXED));
	return NULL;
}

bool pairs_run(void)
{
	const struct weir_blocks_config like = {
		.size = 2 * PAIRS, .slots = 2 * PAIRS, .sources = WORKERS, .grads = GRADS,
		.paired = true,
		.reduction = weir_reduction_find(WEIR_DTYPE_INT32, WEIR_OP_SUM,
						 WEIR_ORDER_ARRIVAL),
	};
	pthread_t threads[WORKERS];
	long i;

	if (weir_blocks_init(&table, &like))
		abort();
	for (i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	weir_blocks_uninit(&table);
	printf("# of %d turns %lu said again, %lu of them answered\n", PAIRS * TURNS, stale, repeats);
	return stale && repeats && !wrong;
}
