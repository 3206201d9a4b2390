// SPDX-License-Identifier: GPL-2.0
/*
 * Let workers agree on a generation. Without it, a job that is run a second
 * time would start again at block 0 of the same generation and be answered
 * with the retained results of the first run.
 *
 * Each worker says a number that is new for each communicator, again and again
 * until it is answered. When all sources have said one that is not in the
 * current generation, the next generation begins, with the sources that still
 * speak. A worker that died while it waited left its number behind, so every
 * new number makes all other sources send their numbers once more. The table waits
 * for an excluded source only while it speaks; but from the first new number on
 * it leaves such sources time to come, as all workers may have been started
 * again, one after another.
 *
 * With its number a worker says the first block that it lacks, so that a
 * generation can begin in the middle of the work, where a box has been set up
 * again: with the earliest block that any of them lacks.
 */
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/siphash.h>
#include <linux/slab.h>

#include "agg/job/join.h"

/*
 * A generation does not wait for an excluded source that was silent for so long, ns.
 * Workers repeat their number each 640 ms at least; two of three may be lost.
 */
#define WEIR_JOIN_SILENCE	(2 * NSEC_PER_SEC)

/*
 * An excluded source has so long to come from the first number on, ns: as long as
 * it takes to start a worker that has data to load first. That is well within the
 * 30 s for which libweir waits by default.
 */
#define WEIR_JOIN_PATIENCE	(10 * NSEC_PER_SEC)

/*
 * Sources in the current generation are told no more often which sources wait for the
 * next one, ns: one join sends a packet to each of them. Workers repeat joins, so that a
 * notice which is lost, or was not due, follows with the next join.
 */
#define WEIR_JOIN_TELL_EVERY	(100 * NSEC_PER_MSEC)

/**
 * weir_join_init() - set up a table
 * @table: the table
 * @sources: number of sources of the job
 *
 * Return: 0 or -ENOMEM.
 */
int weir_join_init(struct weir_join_table *table, unsigned int sources)
{
	spin_lock_init(&table->lock);
	table->n = sources;
	table->joiner = kcalloc(sources, sizeof(*table->joiner),
				GFP_KERNEL_ACCOUNT);
	return table->joiner ? 0 : -ENOMEM;
}

/**
 * weir_join_uninit() - free a table
 * @table: the table, which no packet can reach
 */
void weir_join_uninit(struct weir_join_table *table)
{
	kfree(table->joiner);
}

static bool weir_join_speaks(const struct weir_joiner *j, u64 now)
{
	return j->is_waiting && now < j->heard + WEIR_JOIN_SILENCE;
}

/**
 * weir_join_is_complete() - test whether all sources have joined that a generation waits for
 * @table: the job's table, locked
 * @excluded: as of weir_join()
 * @now: time, ns of the monotonic clock
 */
bool weir_join_is_complete(const struct weir_join_table *table,
			   const unsigned long *excluded, u64 now)
{
	bool patient = now < table->since + WEIR_JOIN_PATIENCE;
	const struct weir_joiner *j;
	unsigned int i;

	for (i = 0; i < table->n; i++) {
		j = &table->joiner[i];
		if (!j->is_alive && (patient || !test_bit(i, excluded) ||
				     weir_join_speaks(j, now)))
			return false;
	}
	return true;
}

/* A new number: from now on the other sources have to show again that they are there. */
static void weir_join_new(struct weir_join_table *table, struct weir_joiner *j,
			  const struct weir_join_words *words, u64 now)
{
	bool first = true;
	unsigned int i;

	lockdep_assert_held(&table->lock);

	for (i = 0; i < table->n; i++) {
		first &= !weir_join_speaks(&table->joiner[i], now);
		table->joiner[i].is_alive = false;
	}
	if (first)
		table->since = now;
	j->waiting = words->nonce;
	j->lacks = words->lacks;
	j->grads = words->grads;
	j->little = words->little;
	j->is_waiting = true;
}

/* Return true if a notice of the waiting sources is due. Caller must hold the table's lock. */
static bool weir_join_tells(struct weir_join_table *table, u64 now)
{
	lockdep_assert_held(&table->lock);

	if (table->told && now < table->told + WEIR_JOIN_TELL_EVERY)
		return false;
	table->told = now;
	return true;
}

/* The same sources with the same numbers make the same one. */
static u32 weir_join_mix(u32 nonce, unsigned int source, u32 other)
{
	static const siphash_key_t none;

	return siphash_3u32(nonce, source, other, &none);
}

/**
 * weir_join_sum_up() - combine what the sources that have joined have announced
 * @table: the job's table, locked; one source has joined at least
 * @words: filled: a number made of their numbers, the earliest block that any lacks, the most
 *	gradients, and whether all can send and receive little-endian ones
 */
void weir_join_sum_up(const struct weir_join_table *table, struct weir_join_words *words)
{
	const struct weir_joiner *j;
	bool first = true;
	unsigned int i;

	lockdep_assert_held(&table->lock);

	*words = (struct weir_join_words){ .little = true };
	for (i = 0; i < table->n; i++) {
		j = &table->joiner[i];
		if (!j->is_alive)
			continue;
		words->nonce = weir_join_mix(words->nonce, i, j->waiting);
		words->grads = max(words->grads, j->grads);
		words->little &= j->little;
		if (first || (s32)(j->lacks - words->lacks) < 0)
			words->lacks = j->lacks;
		first = false;
	}
}

/**
 * weir_join_begin() - the next generation begins, with the sources that have joined
 * @table: the job's table, locked
 * @start: block that it begins with
 * @little: its gradients are little-endian
 *
 * The caller sets @table->generation before it drops the lock.
 */
void weir_join_begin(struct weir_join_table *table, u32 start, bool little)
{
	struct weir_joiner *j;

	lockdep_assert_held(&table->lock);

	for (j = table->joiner; j < table->joiner + table->n; j++) {
		j->is_member = j->is_alive;
		if (!j->is_alive)
			continue;
		j->member = j->waiting;
		j->is_waiting = false;
		j->is_alive = false;
	}
	table->start = start;
	table->little = little;
}

/**
 * weir_join_forget() - the current generation is over, and no source is in one
 * @table: the job's table, locked
 *
 * Sources may join again with the numbers that they have.
 */
void weir_join_forget(struct weir_join_table *table)
{
	unsigned int i;

	lockdep_assert_held(&table->lock);

	for (i = 0; i < table->n; i++)
		table->joiner[i].is_member = false;
}

/**
 * weir_join() - a source asks to be in the next generation
 * @table: the job's table
 * @source: source id, below the table's sources
 * @words: the contents of its join
 * @excluded: bitmap of sources that a generation waits for only while they speak, and in
 *	the ten seconds after the first number
 * @now: time, ns of the monotonic clock
 *
 * Called with @table->lock held and bottom halves disabled. Where it was the last, the caller
 * begins the generation by weir_join_begin() before it drops the lock, or lets it wait.
 *
 * Return: enum weir_join_verdict, of those that are not of the callers.
 */
enum weir_join_verdict weir_join(struct weir_join_table *table,
				 unsigned int source, const struct weir_join_words *words,
				 const unsigned long *excluded, u64 now)
{
	struct weir_joiner *j = &table->joiner[source];

	lockdep_assert_held(&table->lock);

	if (j->is_member && j->member == words->nonce)
		return WEIR_JOIN_AGAIN;
	if (!j->is_waiting || j->waiting != words->nonce)
		weir_join_new(table, j, words, now);
	j->is_alive = true;
	j->heard = now;
	if (!weir_join_is_complete(table, excluded, now))
		return weir_join_tells(table, now) ? WEIR_JOIN_TELL :
						     WEIR_JOIN_WAIT;
	return WEIR_JOIN_START;
}

/**
 * weir_join_is_long() - test whether a source has waited so long that it is told for whom
 * @table: the job's table, locked
 * @verdict: result of weir_join() for the source's join
 * @now: time, ns of the monotonic clock
 *
 * If all sources come at about the same time, none is told.
 */
bool weir_join_is_long(const struct weir_join_table *table, enum weir_join_verdict verdict,
		       u64 now)
{
	lockdep_assert_held(&table->lock);

	return (verdict == WEIR_JOIN_WAIT || verdict == WEIR_JOIN_TELL) &&
	       now - table->since >= WEIR_JOIN_TELL_EVERY;
}

/**
 * weir_join_member() - test whether a source is in the current generation
 * @table: the job's table
 * @source: source id
 * @in: filled, where it is: all of it of one generation
 *
 * Called with bottom halves disabled.
 */
bool weir_join_member(struct weir_join_table *table, unsigned int source,
		      struct weir_membership *in)
{
	const struct weir_joiner *j = &table->joiner[source];
	bool is_member;

	spin_lock(&table->lock);
	in->nonce = j->member;
	in->start = table->start;
	in->generation = table->generation;
	in->little = table->little;
	is_member = j->is_member;
	spin_unlock(&table->lock);
	return is_member;
}

/**
 * weir_join_waits_with() - the number with which a source waits for the next generation
 * @table: the job's table
 * @source: source id; one that waits, or has waited
 *
 * Called with bottom halves disabled.
 */
u32 weir_join_waits_with(struct weir_join_table *table, unsigned int source)
{
	u32 nonce;

	spin_lock(&table->lock);
	nonce = table->joiner[source].waiting;
	spin_unlock(&table->lock);
	return nonce;
}

/**
 * weir_join_waiting() - count the sources that wait for the next generation
 * @table: the job's table
 * @now: time, ns of the monotonic clock
 *
 * Called with bottom halves disabled.
 */
unsigned int weir_join_waiting(struct weir_join_table *table, u64 now)
{
	unsigned int i, n = 0;

	spin_lock(&table->lock);
	for (i = 0; i < table->n; i++)
		n += weir_join_speaks(&table->joiner[i], now);
	spin_unlock(&table->lock);
	return n;
}

/**
 * weir_join_look() - list the sources in the current generation, and those that wait for the next
 * @table: the job's table
 * @members: bitmap of WEIR_SOURCES_MAX, filled with the former
 * @waiting: bitmap of WEIR_SOURCES_MAX, filled with the latter; a source may be in both
 *
 * Called with bottom halves disabled. Where the box has given out no generation, no source
 * is in one.
 */
void weir_join_look(struct weir_join_table *table, unsigned long *members,
		    unsigned long *waiting)
{
	unsigned int i;

	bitmap_zero(members, WEIR_SOURCES_MAX);
	bitmap_zero(waiting, WEIR_SOURCES_MAX);
	spin_lock(&table->lock);
	for (i = 0; i < table->n; i++) {
		if (table->joiner[i].is_member)
			__set_bit(i, members);
		if (table->joiner[i].is_waiting)
			__set_bit(i, waiting);
	}
	spin_unlock(&table->lock);
}
