// SPDX-License-Identifier: GPL-2.0
/*
 * How workers agree on a generation. Without it, a job that is run a second
 * time would start again at block 0 of the same generation and be answered
 * with the retained results of the first run.
 *
 * Each worker says a number that is new for each communicator, again and again
 * until it is answered. When all sources have said one that is not in the
 * current generation, the next one begins; but only with those that still
 * speak. A worker that died while it waited left its number behind, so every
 * number that is new makes all the others say theirs once more.
 */
#include <linux/slab.h>

#include "join.h"

/**
 * weir_join_init() - set up a table
 * @table: the table
 * @sources: how many sources the job has
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
 * @table: the table, which no packet can reach any more
 */
void weir_join_uninit(struct weir_join_table *table)
{
	kfree(table->joiner);
}

static bool weir_join_complete(const struct weir_join_table *table)
{
	unsigned int i;

	for (i = 0; i < table->n; i++)
		if (!table->joiner[i].is_alive)
			return false;
	return true;
}

/* A number that was not heard before: who of the others is still there? */
static void weir_join_new(struct weir_join_table *table, struct weir_joiner *j,
			  u32 nonce)
{
	unsigned int i;

	for (i = 0; i < table->n; i++)
		table->joiner[i].is_alive = false;
	j->waiting = nonce;
	j->is_waiting = true;
}

static void weir_join_start(struct weir_join_table *table)
{
	struct weir_joiner *j;

	for (j = table->joiner; j < table->joiner + table->n; j++) {
		j->member = j->waiting;
		j->is_member = true;
		j->is_waiting = false;
		j->is_alive = false;
	}
}

/**
 * weir_join() - a source asks to be in the next generation
 * @table: the job's table
 * @source: source id, below the table's sources
 * @nonce: the number that it keeps for one communicator
 *
 * Called with bottom halves disabled.
 *
 * Return: enum weir_join_verdict.
 */
enum weir_join_verdict weir_join(struct weir_join_table *table,
				 unsigned int source, u32 nonce)
{
	struct weir_joiner *j = &table->joiner[source];
	enum weir_join_verdict verdict = WEIR_JOIN_WAIT;

	spin_lock(&table->lock);
	if (j->is_member && j->member == nonce) {
		verdict = WEIR_JOIN_AGAIN;
		goto unlock;
	}
	if (!j->is_waiting || j->waiting != nonce)
		weir_join_new(table, j, nonce);
	j->is_alive = true;
	if (weir_join_complete(table)) {
		weir_join_start(table);
		verdict = WEIR_JOIN_START;
	}
unlock:
	spin_unlock(&table->lock);
	return verdict;
}

/**
 * weir_join_nonce() - the nonce with which a source is in the generation
 * @table: the job's table
 * @source: source id
 */
u32 weir_join_nonce(const struct weir_join_table *table, unsigned int source)
{
	return READ_ONCE(table->joiner[source].member);
}
