// SPDX-License-Identifier: GPL-2.0
/*
 * The table of a key-value job: a key's value in the bucket that its hash says (P4COM paper,
 * algorithm 1). The paper sends the whole table to the reducer when it is full, and it would be
 * empty then for the next key. Here one key leaves, and which one is decided in its bucket alone:
 * each hit counts for a key, up to WEIR_KV_USES. A new key takes the place of one without a count.
 * If all have one, all lose one and the new key goes on itself. So keys that come often stay, as
 * in the frequent-items algorithm of Misra and Gries (1982), and those that come once do not push
 * them out, as they do from a list in order of last use.
 */
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "agg/kv/table.h"
#include "agg/kv/value.h"
#include "agg/slots/pool.h"

/* Hits that count, and the mark of a key that was seen since the last sweep for rested ones. */
#define WEIR_KV_USES		7
#define WEIR_KV_SEEN		0x80

/**
 * struct weir_kv_entry - a key in a bucket
 * @value: its value, host byte order, or the lower half of it
 * @len: bytes of the key
 * @uses: hits, and WEIR_KV_SEEN
 * @more: the upper half of the value, where that has 8 bytes; the key
 */
struct weir_kv_entry {
	u32	value;
	u8	len;
	u8	uses;
	u8	more[];
};

/**
 * struct weir_kv_take - a packet's pairs on their way into the table
 * @table: the table
 * @run: the run that they are of
 * @owed: bytes that the pairs behind the current one may take of the spill
 * @spill: gets those that leave
 * @tally: counted up, but for hits
 */
struct weir_kv_take {
	struct weir_kv_table	*table;
	u32			run;
	u32			owed;
	struct weir_kv_spill	*spill;
	struct weir_kv_tally	*tally;
};

/**
 * struct weir_kv_new - a pair that comes in
 * @key: the key; WEIR_KV_SLACK bytes behind it may be read
 * @len: its bytes
 * @value: host byte order
 */
struct weir_kv_new {
	const u8	*key;
	u32		len;
	u64		value;
};

/* Bytes of an entry before its key. */
static __always_inline u32 weir_kv_entry_head(u8 dtype)
{
	return offsetof(struct weir_kv_entry, more) + weir_kv_width(dtype) - sizeof(u32);
}

static u32 weir_kv_entry_bytes(u8 dtype, u32 len)
{
	return ALIGN(weir_kv_entry_head(dtype) + len, 4);
}

static __always_inline u8 *weir_kv_entry_key(struct weir_kv_entry *entry, u8 dtype)
{
	return (u8 *)entry + weir_kv_entry_head(dtype);
}

static __always_inline u64 weir_kv_entry_value(const struct weir_kv_entry *entry, u8 dtype)
{
	u32 upper;

	if (weir_kv_width(dtype) == sizeof(u32))
		return entry->value;
	memcpy(&upper, entry->more, sizeof(upper));
	return (u64)upper << 32 | entry->value;
}

static __always_inline void weir_kv_entry_set(struct weir_kv_entry *entry, u8 dtype, u64 value)
{
	const u32 upper = value >> 32;

	entry->value = value;
	if (weir_kv_width(dtype) != sizeof(u32))
		memcpy(entry->more, &upper, sizeof(upper));
}

static struct weir_kv_entry *weir_kv_entry(struct weir_kv_bucket *bucket, unsigned int i)
{
	return (void *)&bucket->data[bucket->at[i] * 4];
}

static u32 weir_kv_buckets(const struct weir_kv_config *config)
{
	u64 n = DIV_ROUND_UP(config->keys, WEIR_KV_WAYS_MEAN);

	if (config->memory)
		n = min_t(u64, n, div_u64(config->memory, sizeof(struct weir_kv_bucket)));
	return max_t(u64, n, 1);
}

/**
 * weir_kv_table_bytes() - memory that a table takes
 * @config: its properties
 */
u64 weir_kv_table_bytes(const struct weir_kv_config *config)
{
	return (u64)weir_kv_buckets(config) * sizeof(struct weir_kv_bucket);
}

/**
 * weir_kv_table_init() - make a table with all its memory
 * @table: the table
 * @config: its properties
 *
 * Sleeps. Return: 0 or -ENOMEM.
 */
int weir_kv_table_init(struct weir_kv_table *table, const struct weir_kv_config *config)
{
	u32 i;

	table->buckets = weir_kv_buckets(config);
	table->bucket = kvcalloc(table->buckets, sizeof(*table->bucket), WEIR_POOL_GFP);
	if (!table->bucket)
		return -ENOMEM;
	for (i = 0; i < table->buckets; i++)
		spin_lock_init(&table->bucket[i].lock);
	table->keys_max = config->keys;
	table->dtype = config->dtype;
	table->op = config->op;
	get_random_bytes(&table->secret, sizeof(table->secret));
	return 0;
}

/**
 * weir_kv_table_uninit() - free a table
 * @table: the table, which no packet can reach
 */
void weir_kv_table_uninit(struct weir_kv_table *table)
{
	kvfree(table->bucket);
}

/**
 * weir_kv_table_begin() - a run begins: the table is empty
 * @table: the table
 * @run: the run, one more than the one before
 */
void weir_kv_table_begin(struct weir_kv_table *table, u32 run)
{
	atomic_set(&table->keys[run % 2], 0);
}

/*
 * Begin the run in a bucket, whose older keys are forgotten; return false if it is of a newer run.
 */
static bool weir_kv_bucket_begin(struct weir_kv_bucket *bucket, u32 run)
{
	if ((s32)(bucket->run - run) > 0)
		return false;
	bucket->run = run;
	bucket->n = 0;
	bucket->used = 0;
	return true;
}

static __always_inline bool weir_kv_key_is(struct weir_kv_entry *entry, u8 dtype, const u8 *key,
					   u32 len)
{
	const u8 *own = weir_kv_entry_key(entry, dtype);

	if (entry->len != len)
		return false;
	for (; len >= 8; len -= 8, key += 8, own += 8)
		if (get_unaligned_le64(key) != get_unaligned_le64(own))
			return false;
	return !len || (get_unaligned_le64(key) ^ get_unaligned_le64(own)) << (64 - len * 8) == 0;
}

/* To be compared with eight at once. */
static u64 weir_kv_tags(u8 tag)
{
	return tag * 0x0101010101010101ULL;
}

/* Bytes of @word that are zero, as the highest bit of each; of others behind one perhaps, too. */
static u64 weir_kv_zeroes(u64 word)
{
	return (word - 0x0101010101010101ULL) & ~word & 0x8080808080808080ULL;
}

static __always_inline struct weir_kv_entry *weir_kv_find_in(struct weir_kv_bucket *bucket,
							     u8 dtype, unsigned int first,
							     u64 tag, const u8 *key, u32 len)
{
	u64 found = weir_kv_zeroes(le64_to_cpu((__force __le64)bucket->tag[first / 8]) ^ tag);
	struct weir_kv_entry *entry;
	unsigned int i;

	for (; found; found &= found - 1) {
		i = first + __ffs64(found) / 8;
		if (i >= bucket->n)
			break;
		entry = weir_kv_entry(bucket, i);
		if (likely(weir_kv_key_is(entry, dtype, key, len)))
			return entry;
	}
	return NULL;
}

static void weir_kv_bucket_drop(struct weir_kv_bucket *bucket, u8 dtype, unsigned int i)
{
	u32 size = weir_kv_entry_bytes(dtype, weir_kv_entry(bucket, i)->len);
	unsigned int at = bucket->at[i], last = bucket->n - 1, j;
	u8 *tag = (u8 *)bucket->tag;

	memmove(&bucket->data[at * 4], &bucket->data[at * 4 + size],
		bucket->used - at * 4 - size);
	bucket->used -= size;
	for (j = 0; j <= last; j++)
		if (bucket->at[j] > at)
			bucket->at[j] -= size / 4;
	tag[i] = tag[last];
	bucket->at[i] = bucket->at[last];
	bucket->n = last;
}

static void weir_kv_entry_spill(struct weir_kv_entry *entry, u8 dtype, struct weir_kv_spill *spill)
{
	weir_kv_spill(spill, weir_kv_entry_key(entry, dtype), entry->len,
		      weir_kv_entry_value(entry, dtype), weir_kv_width(dtype));
}

static void weir_kv_evict(struct weir_kv_table *table, struct weir_kv_bucket *bucket,
			  unsigned int i, struct weir_kv_spill *spill)
{
	weir_kv_entry_spill(weir_kv_entry(bucket, i), table->dtype, spill);
	weir_kv_bucket_drop(bucket, table->dtype, i);
	atomic_dec(&table->keys[bucket->run % 2]);
}

static unsigned int weir_kv_least_used(struct weir_kv_bucket *bucket)
{
	unsigned int i, least = 0, uses, min = WEIR_KV_SEEN;

	for (i = 0; i < bucket->n; i++) {
		uses = weir_kv_entry(bucket, i)->uses & ~WEIR_KV_SEEN;
		if (uses < min) {
			min = uses;
			least = i;
		}
	}
	return least;
}

static void weir_kv_bucket_age(struct weir_kv_bucket *bucket)
{
	unsigned int i;

	for (i = 0; i < bucket->n; i++)
		weir_kv_entry(bucket, i)->uses--;
}

/* Lets a key go that has no count, if there is one and the packet's spill has room for it. */
static bool weir_kv_bucket_give(const struct weir_kv_take *take, struct weir_kv_bucket *bucket,
				const struct weir_kv_new *new)
{
	u32 width = weir_kv_width(take->table->dtype);
	struct weir_kv_spill *spill = take->spill;
	struct weir_kv_entry *entry;
	unsigned int i;

	if (!bucket->n)
		return false;
	i = weir_kv_least_used(bucket);
	entry = weir_kv_entry(bucket, i);
	if (entry->uses & ~WEIR_KV_SEEN) {
		weir_kv_bucket_age(bucket);
		return false;
	}
	if (spill->used + weir_kv_pair_bytes(entry->len, width) + take->owed +
	    weir_kv_pair_bytes(new->len, width) > spill->size)
		return false;
	weir_kv_evict(take->table, bucket, i, spill);
	take->tally->evictions++;
	return true;
}

/* Room for one more key, which counts as one of the table's then. */
static bool weir_kv_bucket_room(const struct weir_kv_take *take, struct weir_kv_bucket *bucket,
				const struct weir_kv_new *new)
{
	struct weir_kv_table *table = take->table;
	u32 size = weir_kv_entry_bytes(table->dtype, new->len);

	while (bucket->n == WEIR_KV_WAYS || bucket->used + size > WEIR_KV_BUCKET_BYTES ||
	       !atomic_add_unless(&table->keys[take->run % 2], 1, table->keys_max))
		if (!weir_kv_bucket_give(take, bucket, new))
			return false;
	return true;
}

static void weir_kv_bucket_add(struct weir_kv_bucket *bucket, u8 dtype, u8 tag,
			       const struct weir_kv_new *new)
{
	struct weir_kv_entry *entry = (void *)&bucket->data[bucket->used];

	weir_kv_entry_set(entry, dtype, new->value);
	entry->len = new->len;
	entry->uses = WEIR_KV_SEEN;
	memcpy(weir_kv_entry_key(entry, dtype), new->key, new->len);
	((u8 *)bucket->tag)[bucket->n] = tag;
	bucket->at[bucket->n] = bucket->used / 4;
	bucket->n++;
	bucket->used += weir_kv_entry_bytes(dtype, new->len);
}

static void weir_kv_miss(const struct weir_kv_take *take, struct weir_kv_bucket *bucket, u8 tag,
			 const struct weir_kv_new *new)
{
	take->tally->misses++;
	if (weir_kv_bucket_room(take, bucket, new)) {
		weir_kv_bucket_add(bucket, take->table->dtype, tag, new);
		return;
	}
	weir_kv_spill(take->spill, new->key, new->len, new->value,
		      weir_kv_width(take->table->dtype));
	take->tally->passed++;
}

/* The sum has no room in its type: what it was so far goes on. */
static noinline void weir_kv_overflow(struct weir_kv_entry *entry, u8 dtype, u64 value,
				      struct weir_kv_spill *spill)
{
	weir_kv_entry_spill(entry, dtype, spill);
	weir_kv_entry_set(entry, dtype, value);
}

/* A hit counts up to WEIR_KV_USES. */
static __always_inline void weir_kv_entry_use(struct weir_kv_entry *entry)
{
	u8 uses = entry->uses | WEIR_KV_SEEN;

	entry->uses = uses + (uses < (WEIR_KV_USES | WEIR_KV_SEEN));
}

static __always_inline void weir_kv_hit(u8 dtype, u8 op, struct weir_kv_entry *entry, u64 value,
					struct weir_kv_spill *spill)
{
	u64 now = weir_kv_entry_value(entry, dtype);

	if (likely(weir_kv_value_add(dtype, op, &now, value)))
		weir_kv_entry_set(entry, dtype, now);
	else
		weir_kv_overflow(entry, dtype, value, spill);
	weir_kv_entry_use(entry);
}

/* Not in the first half of the bucket's keys. The bucket is locked. */
static noinline void weir_kv_take_slowly(const struct weir_kv_take *take,
					 struct weir_kv_bucket *bucket, u8 tag, const u8 *key,
					 u32 len, u64 value)
{
	const struct weir_kv_new new = { .key = key, .len = len, .value = value };
	struct weir_kv_entry *entry = NULL;
	u8 dtype = take->table->dtype;

	if (bucket->run != take->run && !weir_kv_bucket_begin(bucket, take->run))
		return;
	if (bucket->n > 8)
		entry = weir_kv_find_in(bucket, dtype, 8, weir_kv_tags(tag), key, len);
	if (entry)
		weir_kv_hit(dtype, take->table->op, entry, value, take->spill);
	else
		weir_kv_miss(take, bucket, tag, &new);
}

static __always_inline void weir_kv_take_one(const struct weir_kv_take *take, u8 dtype, u8 op,
					     const u8 *key, u32 len, u64 value)
{
	const struct weir_kv_table *table = take->table;
	u32 hash = weir_kv_hash(&table->secret, key, len);
	struct weir_kv_bucket *bucket = &table->bucket[(u64)hash * table->buckets >> 32];
	struct weir_kv_entry *entry = NULL;

	spin_lock(&bucket->lock);
	if (likely(bucket->run == take->run))
		entry = weir_kv_find_in(bucket, dtype, 0, weir_kv_tags(hash), key, len);
	if (likely(entry))
		weir_kv_hit(dtype, op, entry, value, take->spill);
	else
		weir_kv_take_slowly(take, bucket, hash, key, len, value);
	spin_unlock(&bucket->lock);
}

static __always_inline void weir_kv_take_packed(struct weir_kv_take *take, u8 dtype, u8 op,
						const u8 *at, u32 left)
{
	u32 width = weir_kv_width(dtype), len;

	for (; left; left--, at += weir_kv_pair_bytes(len, width)) {
		len = *at;
		take->owed -= weir_kv_pair_bytes(len, width);
		weir_kv_take_one(take, dtype, op, at + 1, len,
				 weir_kv_get_value(at + 1 + len, width));
	}
}

static noinline void weir_kv_take_fixed(struct weir_kv_take *take, const u8 *at, u32 left)
{
	u8 dtype = take->table->dtype;
	u32 width = weir_kv_width(dtype);

	for (; left; left--, at += WEIR_KV_KEY_MAX + width) {
		take->owed -= weir_kv_pair_bytes(WEIR_KV_KEY_MAX, width);
		weir_kv_take_one(take, dtype, take->table->op, at, weir_kv_key_len(at),
				 weir_kv_get_value(at + WEIR_KV_KEY_MAX, width));
	}
}

/**
 * weir_kv_table_reduce() - take a packet's pairs
 * @table: the table
 * @run: the run that they are of; if the table is in a later run, they are dropped
 * @pairs: the pairs, which were checked; WEIR_KV_SLACK bytes behind them may be read
 * @bytes: that they take at most once they are packed
 * @spill: gets those that leave; has room for @bytes at least, and for evictions where for more
 * @tally: counted up
 *
 * Softirq. Each pair is in the table then, or in @spill.
 */
void weir_kv_table_reduce(struct weir_kv_table *table, u32 run, const struct weir_kv_pairs *pairs,
			  u32 bytes, struct weir_kv_spill *spill, struct weir_kv_tally *tally)
{
	struct weir_kv_take take = {
		.table	= table,
		.run	= run,
		.owed	= bytes,
		.spill	= spill,
		.tally	= tally,
	};
	u32 misses = tally->misses;

	if (!pairs->packed)
		weir_kv_take_fixed(&take, pairs->at, pairs->n);
	else if (table->dtype == WEIR_DTYPE_INT32 && table->op == WEIR_OP_SUM)
		/* The most frequent case is compiled by itself. */
		weir_kv_take_packed(&take, WEIR_DTYPE_INT32, WEIR_OP_SUM, pairs->at, pairs->n);
	else
		weir_kv_take_packed(&take, table->dtype, table->op, pairs->at, pairs->n);
	tally->hits += pairs->n - (tally->misses - misses);
}

static void weir_kv_bucket_sweep(struct weir_kv_table *table, struct weir_kv_bucket *bucket,
				 bool rested, struct weir_kv_spill *spill)
{
	struct weir_kv_entry *entry;
	unsigned int i = bucket->n;

	/* From the end on, as the last one takes the place of one that goes. */
	while (i--) {
		entry = weir_kv_entry(bucket, i);
		if (rested && entry->uses & WEIR_KV_SEEN)
			entry->uses &= ~WEIR_KV_SEEN;
		else
			weir_kv_evict(table, bucket, i, spill);
	}
}

/**
 * weir_kv_table_sweep() - let keys go, from where the last call has ended
 * @table: the table
 * @run: of this run alone
 * @walk: the walk, moved on
 * @most: buckets to look at, at most
 * @rested: only those that were not seen since the last sweep for such
 * @spill: gets them; has room for WEIR_KV_BUCKET_BYTES at least
 *
 * Softirq. Return: how many buckets were looked at, fewer than @most if the walk is at its end or
 * @spill may have no room for the keys of another one.
 */
u32 weir_kv_table_sweep(struct weir_kv_table *table, u32 run, struct weir_kv_walk *walk, u32 most,
			bool rested, struct weir_kv_spill *spill)
{
	struct weir_kv_bucket *bucket;
	u32 looked;

	for (looked = 0; looked < most && walk->left; looked++, walk->left--) {
		if (spill->size - spill->used < WEIR_KV_BUCKET_BYTES)
			break;
		bucket = &table->bucket[walk->next];
		if (++walk->next == table->buckets)
			walk->next = 0;
		spin_lock(&bucket->lock);
		if (bucket->run == run)
			weir_kv_bucket_sweep(table, bucket, rested, spill);
		spin_unlock(&bucket->lock);
	}
	return looked;
}
