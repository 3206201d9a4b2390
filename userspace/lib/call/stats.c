// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "base/sized.h"
#include "call/trees.h"
#include "comm/comm.h"
#include "comm/guard.h"
#include "path/absence.h"

#define STRINGS(x)	#x
#define STRING(x)	STRINGS(x)

static struct weir_stats count(const struct weir *comm)
{
	struct weir_stats now = comm->stats;

	now.generation = comm->member.generation;
	now.window = comm->config.window;
	now.blocks = comm->member.blocks;
	now.grads = comm->config.grads;
	now.receive_buffer = comm->receive_buffer;
	now.rtt_us = (uint32_t)(comm->recovery.rtt.smoothed / NSEC_PER_USEC);
	now.rttvar_us = (uint32_t)(comm->recovery.rtt.deviation / NSEC_PER_USEC);
	now.rtt_min_us = (uint32_t)(comm->recovery.rtt.min / NSEC_PER_USEC);
	now.flight_limit = comm->pace.limit;
	now.type = comm->config.type;
	now.operation = comm->config.operation;
	now.rank = comm->config.rank;
	now.ranks = comm->config.ranks;
	now.job = comm->config.job;
	now.port = address_port(&comm->config.box);
	now.trees = 1;
	now.behind = state_is_behind(comm->state);
	return now;
}

static struct weir_stats read_one(const struct weir *comm)
{
	bool is_shared = guard_begin_read(comm);
	struct weir_stats now = count(comm);

	if (is_shared)
		guard_end_read(comm);
	return now;
}

static void add(struct weir_stats *sum, const struct weir_stats *one)
{
	sum->packets_sent += one->packets_sent;
	sum->packets_received += one->packets_received;
	sum->retransmits += one->retransmits;
	sum->timeouts += one->timeouts;
	sum->duplicates += one->duplicates;
	sum->malformed += one->malformed;
	sum->elements += one->elements;
	sum->window += one->window;
	sum->blocks += one->blocks;
	sum->receive_buffer += one->receive_buffer;
	sum->flight_limit += one->flight_limit;
	sum->queries += one->queries;
	sum->notices += one->notices;
	sum->early += one->early;
	sum->merged_sent += one->merged_sent;
	sum->merged_received += one->merged_received;
	sum->marked += one->marked;
	sum->moves += one->moves;
	sum->acks += one->acks;
	sum->kept += one->kept;
	sum->behind |= one->behind;
	sum->trees++;
	/* A vector waits for the slowest. */
	if (one->rtt_us > sum->rtt_us) {
		sum->rtt_us = one->rtt_us;
		sum->rttvar_us = one->rttvar_us;
	}
	if (one->rtt_min_us && (!sum->rtt_min_us || one->rtt_min_us < sum->rtt_min_us))
		sum->rtt_min_us = one->rtt_min_us;
}

static struct weir_stats read_all(const struct weir *comm)
{
	struct weir_stats sum;

	if (!comm->trees)
		return read_one(comm);
	sum = read_one(comm->trees->tree[0]);
	for (unsigned int i = 1; i < comm->trees->count; i++) {
		struct weir_stats one = read_one(comm->trees->tree[i]);

		add(&sum, &one);
	}
	return sum;
}

int weir_get_stats(const struct weir *comm, struct weir_stats *stats)
{
	struct weir_stats now = read_all(comm);

	return sized_out(stats, stats->size, &now, sizeof(now));
}

int weir_get_tree_stats(const struct weir *comm, unsigned int tree, struct weir_stats *stats)
{
	struct weir_stats now;

	if (tree >= (comm->trees ? comm->trees->count : 1))
		return -EINVAL;
	now = read_one(comm->trees ? comm->trees->tree[tree] : comm);
	return sized_out(stats, stats->size, &now, sizeof(now));
}

/* The caller's calls alone write it. */
int weir_get_info(const struct weir *comm, struct weir_info *info)
{
	struct weir_info now = comm->info;

	return sized_out(info, info->size, &now, sizeof(now));
}

static void put_ranks(uint64_t few[4], const uint64_t **all, const uint64_t bitmap[BITMAP_WORDS])
{
	memcpy(few, bitmap, 4 * sizeof(*few));
	*all = bitmap;
}

static void add_ranks(uint64_t sum[BITMAP_WORDS], const uint64_t bitmap[BITMAP_WORDS])
{
	for (unsigned int i = 0; i < BITMAP_WORDS; i++)
		sum[i] |= bitmap[i];
}

/* Add the ranks that one tree's box reports to those that the others report. */
static void add_members(const struct weir *comm, struct members *sum, uint64_t missing[BITMAP_WORDS])
{
	bool is_shared = guard_begin_read(comm);

	sum->notices += comm->members.notices;
	add_ranks(sum->dead, comm->members.dead);
	add_ranks(sum->excluded, comm->members.excluded);
	add_ranks(sum->waiting, comm->members.waiting);
	if (absence_is_known(comm))
		add_ranks(missing, comm->absence.ranks);
	if (is_shared)
		guard_end_read(comm);
}

static void read_trees(struct trees *trees)
{
	memset(&trees->members, 0, sizeof(trees->members));
	memset(trees->missing, 0, sizeof(trees->missing));
	for (unsigned int i = 0; i < trees->count; i++)
		add_members(trees->tree[i], &trees->members, trees->missing);
}

static struct weir_members tell_members(const struct members *now, const uint64_t *missing)
{
	struct weir_members told = { .notices = now->notices };

	put_ranks(told.dead, &told.all_dead, now->dead);
	put_ranks(told.excluded, &told.all_excluded, now->excluded);
	put_ranks(told.waiting, &told.all_waiting, now->waiting);
	put_ranks(told.missing, &told.all_missing, missing);
	return told;
}

int weir_get_members(const struct weir *comm, struct weir_members *members)
{
	static const uint64_t nobody[BITMAP_WORDS];
	bool is_shared = guard_begin_read(comm);
	struct weir_members told;

	if (comm->trees) {
		read_trees(comm->trees);
		told = tell_members(&comm->trees->members, comm->trees->missing);
	} else {
		told = tell_members(&comm->members,
				    absence_is_known(comm) ? comm->absence.ranks : nobody);
	}
	if (is_shared)
		guard_end_read(comm);
	return sized_out(members, members->size, &told, sizeof(told));
}

const char *weir_version(void)
{
	return STRING(WEIR_VERSION_MAJOR) "." STRING(WEIR_VERSION_MINOR) "." STRING(WEIR_VERSION_PATCH);
}
