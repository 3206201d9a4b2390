/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_KV_TABLE_H
#define _WEIR_KV_TABLE_H

#include <linux/atomic.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "agg/kv/hash.h"
#include "agg/kv/pairs.h"

/* Keys that a bucket has at most, and that it is made for: with so many, few find no room. */
#define WEIR_KV_WAYS		16
#define WEIR_KV_WAYS_MEAN	8

/* Bytes of a bucket's entries; all of them leave it in no more. */
#define WEIR_KV_BUCKET_BYTES	456

/**
 * struct weir_kv_bucket - keys that share a part of the hash
 * @lock: protects all of it
 * @run: that its entries are of; those of an older one are no longer there
 * @used: bytes of @data
 * @n: entries
 * @tag: of each a further 8 bits of its hash
 * @at: offset of each in @data, in units of 4 bytes
 * @data: entries without gaps, and slack to be read
 */
struct weir_kv_bucket {
	spinlock_t	lock;	/* all of it */
	u32		run;
	u16		used;
	u8		n;
	u64		tag[WEIR_KV_WAYS / 8];
	u8		at[WEIR_KV_WAYS];
	u8		data[WEIR_KV_BUCKET_BYTES + WEIR_KV_SLACK] __aligned(4);
} ____cacheline_aligned_in_smp;

/**
 * struct weir_kv_config - a table as an administrator asks for it
 * @keys: maximum number of keys
 * @memory: bytes of its buckets, at most; 0 for what goes with @keys
 * @dtype: enum weir_dtype of values: int32, float32 or int64
 * @op: enum weir_op
 */
struct weir_kv_config {
	u32	keys;
	u64	memory;
	u8	dtype;
	u8	op;
};

/**
 * struct weir_kv_table - what has been seen of keys
 * @bucket: a key is in the one that its hash says, or nowhere
 * @buckets: number of buckets
 * @keys_max: keys that may be in it
 * @keys: that are, in this run and in the one before it, by turns: a packet that is in the middle
 *	of being taken when its run ends counts for that
 * @dtype: enum weir_dtype of values
 * @op: enum weir_op
 * @secret: of the hash
 *
 * Memory is allocated with it, and there are no chains: a key that finds no room makes another one
 * leave, or leaves itself. All work is bounded by a bucket's size.
 */
struct weir_kv_table {
	struct weir_kv_bucket	*bucket;
	u32			buckets;
	u32			keys_max;
	atomic_t		keys[2];
	u8			dtype;
	u8			op;
	struct weir_kv_secret	secret;
};

/**
 * struct weir_kv_walk - a walk over the buckets of a table, which may go on in the middle of it
 * @next: the next bucket
 * @left: buckets to look at, @next and those after it; behind the last one comes the first
 */
struct weir_kv_walk {
	u32	next;
	u32	left;
};

/**
 * struct weir_kv_tally - what became of pairs
 * @hits: their key was there
 * @misses: it was not
 * @evictions: pairs of the table that had to leave
 * @passed: pairs of new keys that went on themselves
 */
struct weir_kv_tally {
	u32	hits;
	u32	misses;
	u32	evictions;
	u32	passed;
};

/* Bytes of its buckets. */
static inline u64 weir_kv_table_memory(const struct weir_kv_table *table)
{
	return (u64)table->buckets * sizeof(*table->bucket);
}

/* Keys of a run that are in it. */
static inline u32 weir_kv_table_held(const struct weir_kv_table *table, u32 run)
{
	return atomic_read(&table->keys[run % 2]);
}

u64 weir_kv_table_bytes(const struct weir_kv_config *config);
int weir_kv_table_init(struct weir_kv_table *table, const struct weir_kv_config *config);
void weir_kv_table_uninit(struct weir_kv_table *table);
void weir_kv_table_begin(struct weir_kv_table *table, u32 run);
void weir_kv_table_reduce(struct weir_kv_table *table, u32 run, const struct weir_kv_pairs *pairs,
			  u32 bytes, struct weir_kv_spill *spill, struct weir_kv_tally *tally);
u32 weir_kv_table_sweep(struct weir_kv_table *table, u32 run, struct weir_kv_walk *walk, u32 most,
			bool rested, struct weir_kv_spill *spill);

#endif /* _WEIR_KV_TABLE_H */
