// SPDX-License-Identifier: GPL-2.0
/*
 * Format kv: the table against a plain one, and whole runs between mappers and a reducer that are
 * written apart from the engine, over a network that loses, repeats and reorders.
 */
#include "box.h"
#include "agg/base/payload.h"
#include "agg/format/kv.h"
#include "agg/kv/engine.h"
#include "agg/kv/table.h"
#include "agg/type/reduce.h"
#include "unit.h"

/* The reducer, as a host of the box's link, and this box as a sender of it. */
#define REDUCER		200
#define OWN_NUMBER	3

#define KEYS		400
#define MAPPERS		3
#define PACKETS		120

/* A key of 3 to 64 bytes that tells its number; the longer ones have the same beginning. */
static u32 key_of(u32 k, u8 *key)
{
	u32 len = 3 + k % 62;

	memset(key, 'x', len);
	key[0] = k;
	key[len - 1] = 'a' + (k >> 8);
	key[1] = 'k';
	return len;
}

static u32 number_of(const u8 *key, u32 len)
{
	u8 own[64];
	u32 k = key[0] | (key[len - 1] - 'a') << 8;

	CHECK(k < KEYS && key_of(k, own) == len && !memcmp(own, key, len));
	return k < KEYS ? k : 0;
}

/* Small numbers come more often. */
static u32 some_key(void)
{
	u32 a = random() % KEYS, b = random() % KEYS;

	return min(a, b) * (u64)min(a, b) / KEYS;
}

static u32 width = 4;		/* bytes of a value */

static u32 put_pair(u8 *at, u32 k, s64 value, bool packed)
{
	u8 key[64] = { };
	u32 len = key_of(k, key);

	if (packed) {
		at[0] = len;
		memcpy(at + 1, key, len);
		weir_kv_put_value(value, at + 1 + len, width);
		return 1 + len + width;
	}
	memcpy(at, key, 64);
	weir_kv_put_value(value, at + 64, width);
	return 64 + width;
}

/* Adds packed pairs to @sums; returns how many there were. */
static u32 sum_packed(const u8 *at, u32 len, s64 *sums)
{
	u32 n = 0, used = 0, key;
	u64 value;

	for (; used < len; n++, used += 1 + key + width) {
		key = at[used];
		CHECK(key >= 1 && key <= 64 && used + 1 + key + width <= len);
		value = weir_kv_get_value(at + used + 1 + key, width);
		sums[number_of(at + used + 1, key)] += width == 8 ? (s64)value : (s32)value;
	}
	CHECK_EQ(used, len);
	return n;
}

static void table_is_exact(u32 keys, bool packed, u8 dtype)
{
	const struct weir_kv_config config = { .keys = keys, .dtype = dtype, .op = WEIR_OP_SUM };
	static s64 want[KEYS], got[KEYS];
	static u8 in[4096 + WEIR_KV_SLACK], out[8192];
	struct weir_kv_tally tally = { };
	struct weir_kv_table table = { };
	struct weir_kv_walk walk = { };
	u32 i, j, len, total = 0;

	width = dtype == WEIR_DTYPE_INT64 ? 8 : 4;
	memset(want, 0, sizeof(want));
	memset(got, 0, sizeof(got));
	CHECK(!weir_kv_table_init(&table, &config));
	for (i = 0; i < 400; i++) {
		struct weir_kv_pairs pairs = { .at = in, .n = 1 + random() % 40, .packed = packed };
		struct weir_kv_spill spill = { .at = out };
		u32 n = pairs.n;

		for (j = 0, len = 0; j < n; j++) {
			u32 k = some_key();
			s64 value = random() % 1000 - 500;

			/* The upper half counts, too. */
			if (width == 8)
				value *= 1LL << 33;
			want[k] += value;
			len += put_pair(in + len, k, value, packed);
		}
		CHECK(weir_kv_pairs_check(in, len, n, packed, width));
		spill.size = (packed ? len : n * (65 + width)) + random() % 200;
		weir_kv_table_reduce(&table, 1, &pairs, packed ? len : n * (65 + width), &spill, &tally);
		CHECK(spill.used <= spill.size);
		CHECK_EQ(sum_packed(out, spill.used, got), spill.pairs);
		CHECK(weir_kv_table_held(&table, 1) <= keys);
		total += n;
	}
	CHECK_EQ(tally.hits + tally.misses, total);
	walk.next = random() % table.buckets;
	walk.left = table.buckets;
	while (walk.left) {
		struct weir_kv_spill spill = { .at = out, .size = 600 };

		CHECK(weir_kv_table_sweep(&table, 1, &walk, 64, false, &spill) <= 64);
		sum_packed(out, spill.used, got);
	}
	CHECK_EQ(weir_kv_table_held(&table, 1), 0);
	for (i = 0; i < KEYS; i++)
		CHECK_EQ(got[i], want[i]);
	if (keys >= 2 * KEYS)
		CHECK(tally.evictions + tally.passed < total / 100);
	weir_kv_table_uninit(&table);
	width = 4;
}

static void kv_table_is_exact(void)
{
	static const u32 keys[] = { 1, 2, 17, KEYS / 10, KEYS, 4 * KEYS };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		table_is_exact(keys[i], true, WEIR_DTYPE_INT32);
		table_is_exact(keys[i], false, WEIR_DTYPE_INT32);
		table_is_exact(keys[i], true, WEIR_DTYPE_INT64);
		table_is_exact(keys[i], false, WEIR_DTYPE_INT64);
	}
}

/* A list of keys in order of last use, of so many at most, for comparison. */
#define MANY	20000
#define ROOM	(MANY / 10)

struct lru {
	int before[MANY], after[MANY], first, last;
	bool has[MANY];
	u32 n;
};

static void lru_unlink(struct lru *lru, int k)
{
	*(lru->before[k] < 0 ? &lru->first : &lru->after[lru->before[k]]) = lru->after[k];
	*(lru->after[k] < 0 ? &lru->last : &lru->before[lru->after[k]]) = lru->before[k];
}

/* Returns whether it was there. */
static bool lru_use(struct lru *lru, int k)
{
	bool has = lru->has[k];

	if (!has && lru->n == ROOM) {
		lru->has[lru->last] = false;
		lru_unlink(lru, lru->last);
		lru->n--;
	}
	if (has)
		lru_unlink(lru, k);
	lru->n += !has;
	lru->has[k] = true;
	lru->before[k] = -1;
	lru->after[k] = lru->first;
	*(lru->first < 0 ? &lru->last : &lru->before[lru->first]) = k;
	lru->first = k;
	return has;
}

/* A number below MANY, k with a weight of 1 / (k + 1). */
static u32 zipf(const double *below)
{
	double at = random() / (RAND_MAX + 1.0) * below[MANY - 1];
	u32 low = 0, high = MANY - 1, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (below[mid] < at)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The table has room for a tenth of the keys: those that come often are to be in it. */
static void kv_keeps_frequent_keys(void)
{
	const struct weir_kv_config config = { .keys = ROOM, .dtype = WEIR_DTYPE_INT32, .op = WEIR_OP_SUM };
	static double below[MANY];
	static struct lru lru = { .first = -1, .last = -1 };
	struct weir_kv_tally tally = { };
	struct weir_kv_table table = { };
	u32 i, hits = 0;

	for (i = 0; i < MANY; i++)
		below[i] = (i ? below[i - 1] : 0) + 1.0 / (i + 1);
	CHECK(!weir_kv_table_init(&table, &config));
	for (i = 0; i < 10 * MANY; i++) {
		u32 k = zipf(below);
		u8 in[21 + WEIR_KV_SLACK] = { 16, k, k >> 8, k >> 16 }, out[1024];
		struct weir_kv_pairs pairs = { .at = in, .n = 1, .packed = true };
		struct weir_kv_spill spill = { .at = out, .size = sizeof(out) };

		hits += lru_use(&lru, k);
		weir_kv_table_reduce(&table, 1, &pairs, 21, &spill, &tally);
	}
	printf("# figure kv_hits_over_lru_tenth %.3f\n", (double)tally.hits / hits);
	CHECK(tally.hits >= hits * 95ULL / 100);
	weir_kv_table_uninit(&table);
}

#define COLLIDING	2000

/* Puts keys of 8 bytes into a table, once each; returns for how many there was no room. */
static u32 put_numbers(struct weir_kv_table *table, const u64 *key, u32 n)
{
	u8 in[16 + WEIR_KV_SLACK] = { 8 }, out[600];
	struct weir_kv_tally tally = { };
	u32 i;

	for (i = 0; i < n; i++) {
		struct weir_kv_spill spill = { .at = out, .size = sizeof(out) };
		struct weir_kv_pairs pairs = { .at = in, .n = 1, .packed = true };

		memcpy(in + 1, &key[i], 8);
		weir_kv_table_reduce(table, 1, &pairs, 13, &spill, &tally);
	}
	CHECK_EQ(tally.misses, n);
	return tally.evictions + tally.passed;
}

/* Keys that were chosen to meet in one bucket do so under the secret they were chosen for alone. */
static void kv_colliding_keys(void)
{
	const struct weir_kv_config config = { .keys = 4 * COLLIDING, .dtype = WEIR_DTYPE_INT32, .op = WEIR_OP_SUM };
	struct weir_kv_table known = { }, other = { };
	static u64 key[COLLIDING];
	u8 bytes[8 + WEIR_KV_SLACK] = { };
	u64 next;
	u32 n;

	CHECK(!weir_kv_table_init(&known, &config) && !weir_kv_table_init(&other, &config));
	for (next = 0, n = 0; n < COLLIDING; next++) {
		memcpy(bytes, &next, 8);
		if (!((u64)weir_kv_hash(&known.secret, bytes, 8) * known.buckets >> 32))
			key[n++] = next;
	}
	CHECK_EQ(put_numbers(&known, key, COLLIDING), COLLIDING - WEIR_KV_WAYS);
	CHECK(put_numbers(&other, key, COLLIDING) < COLLIDING / 100);
	weir_kv_table_uninit(&known);
	weir_kv_table_uninit(&other);
}

/* Whatever the secret, numbers in sequence fill a table as others do: half of its slots are spare. */
static void kv_keys_in_sequence(void)
{
	const struct weir_kv_config config = { .keys = 4000, .dtype = WEIR_DTYPE_INT32, .op = WEIR_OP_SUM };
	static u64 key[4000];
	struct weir_kv_table table;
	u32 round, i;

	for (round = 0; round < 100; round++) {
		table = (struct weir_kv_table){ };
		CHECK(!weir_kv_table_init(&table, &config));
		key[0] = random();
		for (i = 1; i < ARRAY_SIZE(key); i++)
			key[i] = key[i - 1] + 1;
		CHECK(put_numbers(&table, key, ARRAY_SIZE(key)) < ARRAY_SIZE(key) / 100);
		weir_kv_table_uninit(&table);
	}
}

/* One key, one value after another; returns what the table has of it then. */
static u64 fold(u8 dtype, u8 op, const u64 *value, u32 n, u32 *spilled)
{
	u32 bytes = dtype == WEIR_DTYPE_INT64 ? 8 : 4;
	const struct weir_kv_config config = { .keys = 8, .dtype = dtype, .op = op };
	struct weir_kv_table table = { };
	struct weir_kv_tally tally = { };
	u8 in[10 + WEIR_KV_SLACK] = { 1, 'a' }, out[600];
	struct weir_kv_spill spill = { .at = out, .size = sizeof(out) };
	struct weir_kv_walk walk = { .left = 1 };
	u32 i;
	u64 got;

	CHECK(!weir_kv_table_init(&table, &config));
	for (i = 0; i < n; i++) {
		struct weir_kv_pairs pairs = { .at = in, .n = 1, .packed = true };

		weir_kv_put_value(value[i], in + 2, bytes);
		weir_kv_table_reduce(&table, 1, &pairs, 2 + bytes, &spill, &tally);
	}
	*spilled = spill.pairs;
	spill.used = 0;
	CHECK_EQ(table.buckets, 1);
	CHECK_EQ(weir_kv_table_sweep(&table, 1, &walk, 64, false, &spill), 1);
	got = weir_kv_get_value(out + 2, bytes);
	weir_kv_table_uninit(&table);
	return got;
}

#define FOLD(dtype, op, spilled, ...) \
	fold(dtype, op, (const u64[]){ __VA_ARGS__ }, sizeof((u64[]){ __VA_ARGS__ }) / 8, spilled)

static void kv_operations(void)
{
	u32 spilled;

	CHECK_EQ(FOLD(WEIR_DTYPE_INT32, WEIR_OP_SUM, &spilled, 5, -7), -2U);
	CHECK_EQ(FOLD(WEIR_DTYPE_INT32, WEIR_OP_MIN, &spilled, 5, -7, 9), -7U);
	CHECK_EQ(FOLD(WEIR_DTYPE_INT32, WEIR_OP_MAX, &spilled, 5, -7, 9), 9);
	CHECK_EQ(spilled, 0);
	/* A sum that has no room goes on as it is, and is never wrong. */
	CHECK_EQ(FOLD(WEIR_DTYPE_INT32, WEIR_OP_SUM, &spilled, 0x7fffffff, 1), 1);
	CHECK_EQ(spilled, 1);
	CHECK_EQ(FOLD(WEIR_DTYPE_INT64, WEIR_OP_SUM, &spilled, 5, -7, 1LL << 40), (1LL << 40) - 2);
	CHECK_EQ(FOLD(WEIR_DTYPE_INT64, WEIR_OP_MIN, &spilled, 5, -1LL << 40, 9), -1LL << 40);
	CHECK_EQ(FOLD(WEIR_DTYPE_INT64, WEIR_OP_MAX, &spilled, 5, -1LL << 40, 1LL << 40), 1LL << 40);
	CHECK_EQ(spilled, 0);
	CHECK_EQ(FOLD(WEIR_DTYPE_INT64, WEIR_OP_SUM, &spilled, INT64_MIN, -1), -1ULL);
	CHECK_EQ(spilled, 1);
	CHECK_EQ(FOLD(WEIR_DTYPE_FLOAT32, WEIR_OP_SUM, &spilled, 0x3f800000, 0x40000000), 0x40400000);
	CHECK_EQ(FOLD(WEIR_DTYPE_FLOAT32, WEIR_OP_MIN, &spilled, 0x80000000, 0), 0x80000000);
	CHECK_EQ(FOLD(WEIR_DTYPE_FLOAT32, WEIR_OP_MAX, &spilled, 0x7fc00001, 0x40000000), 0x7fc00000);
	CHECK_EQ(spilled, 0);
}

static void kv_bad_pairs(void)
{
	u8 pairs[80] = { 2, 'a', 'b', 0, 0, 0, 1, 1, 'c', 0, 0, 0, 2 };

	CHECK(weir_kv_pairs_check(pairs, 13, 2, true, 4));
	CHECK(!weir_kv_pairs_check(pairs, 13, 1, true, 4));
	CHECK(!weir_kv_pairs_check(pairs, 13, 3, true, 4));
	CHECK(!weir_kv_pairs_check(pairs, 12, 2, true, 4));
	CHECK(!weir_kv_pairs_check(pairs, 14, 2, true, 4));
	pairs[7] = 0;
	CHECK(!weir_kv_pairs_check(pairs, 13, 2, true, 4));
	pairs[7] = 65;
	CHECK(!weir_kv_pairs_check(pairs, 77, 2, true, 4));
	CHECK(!weir_kv_pairs_check(pairs, 68, 2, false, 4));
	CHECK(weir_kv_pairs_check(pairs, 68, 1, false, 4));
	memset(pairs, 0, 64);
	CHECK(!weir_kv_pairs_check(pairs, 68, 1, false, 4));
	memset(pairs, 'a', 72);
	CHECK(weir_kv_pairs_check(pairs, 72, 1, false, 8));
	CHECK(!weir_kv_pairs_check(pairs, 68, 1, false, 8));
	pairs[0] = 1;
	CHECK(weir_kv_pairs_check(pairs, 10, 1, true, 8));
	CHECK(!weir_kv_pairs_check(pairs, 6, 1, true, 8));
}

/* Whole pairs go into a packet, up to its last byte. */
static void kv_pairs_fit(void)
{
	static const u8 pairs[] = { 2, 'a', 'b', 0, 0, 0, 1, 1, 'c', 0, 0, 0, 2, 1, 'd', 0, 0, 0, 3 };
	static const struct { u32 room, used, pairs; } cases[] = {
		{ 0, 0, 0 }, { 6, 0, 0 }, { 7, 7, 1 }, { 12, 7, 1 }, { 13, 13, 2 }, { 18, 13, 2 },
		{ 19, 19, 3 }, { 100, 19, 3 },
	};
	unsigned int i;
	u32 n;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		CHECK_EQ(weir_kv_pairs_fit(pairs, sizeof(pairs), cases[i].room, 4, &n), cases[i].used);
		CHECK_EQ(n, cases[i].pairs);
	}
}

/* A sender of the test's own. */
struct mapper {
	u16 id;
	u32 instance;
	u32 session;
	u64 cookie;
	u32 base;			/* what is acknowledged */
	u64 more;
	u32 window;
	bool done;
	bool unknown;
	bool silent;			/* of the packet that was heard last */
	u32 n;
	u32 len[PACKETS + 1];
	u16 pairs[PACKETS + 1];
	u8 flags[PACKETS + 1];
	u8 data[PACKETS + 1][512];
};

/* A receiver of the test's own. */
struct reducer {
	u32 instance;
	u32 session;
	u32 next;
	u64 more;
	u32 window;
	bool fin;
	u32 end;			/* after the packet that ends the stream */
	bool gone;			/* says nothing */
	bool blind;			/* does not look at pairs */
	u8 flags;			/* more of them in what it says */
	u32 packets;
	s64 sum[KEYS];
};

static struct weir_job *job;
static struct mapper mapper[MAPPERS];
static struct reducer reducer;
static unsigned int loss;		/* of a hundred packets */
static u8 type = WEIR_DTYPE_INT32;	/* of the job's values */

static bool lost(void)
{
	return random() % 100 < loss;
}

static void setup(u32 keys, unsigned int sources)
{
	struct weir_job_config cfg;

	box_up();
	box.mtu = 600;
	cfg = box_config(&weir_format_kv, 7, sources, 0, 0);
	cfg.has_parent = true;
	cfg.parent = (struct weir_parent_config) {
		.addr = box_addr(REDUCER), .port = WEIR_PORT_KV, .source = OWN_NUMBER,
		.vlan = WEIR_VLAN_ANY,
	};
	cfg.kv = (struct weir_kv_config) {
		.keys = keys, .dtype = type, .op = WEIR_OP_SUM,
	};
	cfg.blocks.reduction = weir_reduction_find(type, WEIR_OP_SUM, 0);
	job = box_job_of(&cfg);
	CHECK(job);
	memset(&reducer, 0, sizeof(reducer));
	reducer.window = WEIR_KV_WINDOW;
	loss = 0;
}

/* @words as a packet, from @host. */
static int give_words(int host, const struct weir_kv_words *words, const u8 *data, u32 len)
{
	u8 buf[8 + sizeof(struct weir_kv) + 9100] = { };
	struct in6_addr saddr = box_addr(host);
	struct weir_contrib c = {
		.job = 7, .source = words->source, .weight = 1, .count = words->pairs,
		.block = words->seq, .generation = words->window,
		.flags = words->kind == WEIR_KV_DOWN ? WEIR_CONTRIB_DOWN : 0,
		.udp_len = 8 + sizeof(struct weir_kv) + len, .payload_off = 8 + sizeof(struct weir_kv),
		.sport = WEIR_PORT_KV, .dport = WEIR_PORT_KV, .format = WEIR_FORMAT_KV,
		.said = { words->session, words->more >> 32, words->more,
			  words->dtype << 16 | words->op << 8 | words->flags },
	};
	struct weir_payload pl = { .n = 1, .seg = { { buf, c.udp_len } } };

	memcpy(c.saddr, &saddr, sizeof(saddr));
	memcpy(c.daddr, &job->local.addr, sizeof(job->local.addr));
	if (len)
		memcpy(buf + c.payload_off, data, len);
	return weir_contribute(&box.dev, &c, &pl, true);
}

static struct weir_kv_words words_of(const struct mapper *m)
{
	return (struct weir_kv_words) {
		.kind = WEIR_KV_UP, .op = WEIR_OP_SUM, .dtype = type, .source = m->id,
		.session = m->session,
	};
}

static void read_head(const struct box_sent *p, struct weir_kv_words *w)
{
	const struct weir_kv *h = (const void *)p->head;

	CHECK(h->flags & WEIR_KV_CPA);
	*w = (struct weir_kv_words) {
		.kind = h->kind, .flags = h->flags, .op = h->op, .dtype = h->dtype,
		.job = h->job[0] << 8 | h->job[1], .source = h->source[0] << 8 | h->source[1],
		.pairs = h->pairs[0] << 8 | h->pairs[1], .window = h->window[0] << 8 | h->window[1],
		.seq = get_unaligned_be32(h->seq), .session = get_unaligned_be32(h->session),
		.more = (u64)get_unaligned_be32(h->more) << 32 | get_unaligned_be32(h->more + 4),
	};
}

static void reducer_says(const struct weir_kv_words *to, u16 status, u32 seq, u64 more)
{
	const struct weir_kv_words words = {
		.kind = WEIR_KV_DOWN, .flags = WEIR_KV_CPK | reducer.flags, .op = WEIR_OP_SUM,
		.dtype = type, .source = to->source, .pairs = status, .seq = seq,
		.more = more, .session = to->session, .window = reducer.window,
	};

	if (!lost() && !reducer.gone)
		give_words(REDUCER, &words, NULL, 0);
}

static void reducer_opens(const struct weir_kv_words *w)
{
	if (w->more != 77) {
		reducer_says(w, WEIR_KV_STATUS_COOKIE, 0, 77);
		return;
	}
	if (w->session != reducer.instance) {
		reducer.instance = w->session;
		reducer.session++;
		reducer.next = 0;
		reducer.more = 0;
		reducer.fin = false;
		memset(reducer.sum, 0, sizeof(reducer.sum));
	}
	reducer_says(w, WEIR_KV_STATUS_OPENED, reducer.session, 0);
}

/* Takes a packet once. All sessions but its own it calls unknown. */
static void reducer_hears(const struct box_sent *p)
{
	struct weir_kv_words w;
	u32 ahead;

	read_head(p, &w);
	CHECK_EQ(w.kind, WEIR_KV_UP);
	CHECK_EQ(w.op, WEIR_OP_SUM);
	CHECK_EQ(w.dtype, type);
	CHECK_EQ(w.source, OWN_NUMBER);
	CHECK(p->bytes <= 600 - 28);
	CHECK_EQ(w.window, job->kv->hops + 1);
	if (w.flags & WEIR_KV_OPEN) {
		reducer_opens(&w);
		return;
	}
	if (w.session != reducer.session) {
		reducer_says(&w, WEIR_KV_STATUS_UNKNOWN, 0, 0);
		return;
	}
	ahead = w.seq - reducer.next;
	if ((w.pairs || w.flags & WEIR_KV_FIN) && (s32)ahead >= 0 && ahead < reducer.window &&
	    !(ahead && reducer.more >> (ahead - 1) & 1)) {
		if (p->len && !reducer.blind)
			CHECK_EQ(sum_packed(page_address(p->pages[0]), p->len, reducer.sum), w.pairs);
		if (w.flags & WEIR_KV_FIN)
			reducer.end = w.seq + 1;
		reducer.fin |= !!(w.flags & WEIR_KV_FIN);
		/* Nothing follows the end of a stream. */
		CHECK(!reducer.fin || (w.seq < reducer.end && reducer.next < reducer.end));
		reducer.packets++;
		if (ahead)
			reducer.more |= 1ULL << (ahead - 1);
		else
			do {
				reducer.next++;
				ahead = reducer.more & 1;
				reducer.more >>= 1;
			} while (ahead);
	}
	if (!(reducer.fin && !w.pairs && w.flags == WEIR_KV_CPA && w.seq == reducer.next))
		reducer_says(&w, WEIR_KV_STATUS_OK, reducer.next, reducer.more);
}

static void mapper_hears(struct mapper *m, const struct box_sent *p)
{
	struct weir_kv_words w;

	read_head(p, &w);
	CHECK_EQ(w.kind, WEIR_KV_DOWN);
	CHECK_EQ(w.op, WEIR_OP_SUM);
	CHECK_EQ(w.dtype, type);
	CHECK_EQ(w.job, 7);
	CHECK_EQ(w.source, m->id);
	CHECK(w.flags & WEIR_KV_CPK);
	m->silent = w.flags & WEIR_KV_SILENT;
	CHECK_EQ(p->bytes, sizeof(struct weir_kv));
	CHECK_EQ(p->dport, WEIR_PORT_KV);
	if (w.pairs == WEIR_KV_STATUS_COOKIE && w.session == m->instance) {
		m->cookie = w.more;
	} else if (w.pairs == WEIR_KV_STATUS_OPENED && w.session == m->instance) {
		m->session = w.seq;
		m->window = w.window;
	} else if (w.pairs == WEIR_KV_STATUS_UNKNOWN && w.session == m->session) {
		m->unknown = true;
	} else if (w.pairs == WEIR_KV_STATUS_OK && w.session == m->session &&
		   (s32)(w.seq - m->base) >= 0) {
		CHECK(w.seq <= m->n);
		m->base = w.seq;
		m->more = w.more;
		m->window = w.window;
		m->done = w.seq == m->n;
		if (m->done)
			CHECK(reducer.fin);
	}
}

static void deliver(void)
{
	struct in6_addr to_reducer = box_addr(REDUCER);
	unsigned int i;
	struct box_sent p;

	/* Packets that a delivery causes are appended, and delivered as well. */
	for (i = 0; i < box.sent; i++) {
		p = box.packet[i];
		if (lost())
			continue;
		if (ipv6_addr_equal(&p.to, &to_reducer))
			reducer_hears(&p);
		else
			mapper_hears(&mapper[ntohl(p.to.s6_addr32[3]) % 256 - 1], &p);
	}
	box_forget();
}

static void mapper_opens(struct mapper *m)
{
	struct weir_kv_words words = words_of(m);

	words.flags = WEIR_KV_OPEN;
	words.session = m->instance;
	words.more = m->cookie;
	if (!lost())
		CHECK_EQ(give_words(m->id + 1, &words, NULL, 0), 0);
}

static int mapper_sends(struct mapper *m, u32 seq)
{
	struct weir_kv_words words = words_of(m);

	words.seq = seq;
	words.pairs = m->pairs[seq];
	words.flags = m->flags[seq];
	return lost() ? 0 : give_words(m->id + 1, &words, m->data[seq], m->len[seq]);
}

static bool mapper_has_acked(const struct mapper *m, u32 seq)
{
	return seq < m->base || (seq > m->base && m->more >> (seq - m->base - 1) & 1);
}

/* Sends one of the packets that it may, whichever; or asks. */
static void mapper_step(struct mapper *m)
{
	u32 seq, left = m->n - m->base, room = max(m->window, 1U);

	if (!m->session) {
		mapper_opens(m);
		return;
	}
	seq = m->base + random() % min(left, room);
	if (!mapper_has_acked(m, seq))
		mapper_sends(m, seq);
}

static void mapper_fill(struct mapper *m, u16 id, s64 *want)
{
	u32 i, j;

	memset(m, 0, sizeof(*m));
	m->id = id;
	m->instance = random();
	m->n = PACKETS + 1;
	for (i = 0; i < PACKETS; i++) {
		bool packed = random() % 2;

		m->pairs[i] = 1 + random() % 7;
		m->flags[i] = (packed ? WEIR_KV_PACKED : 0) | (random() % 40 ? 0 : WEIR_KV_COLLECT);
		for (j = 0; j < m->pairs[i]; j++) {
			u32 k = some_key();
			s32 value = random() % 100;

			want[k] += value;
			m->len[i] += put_pair(m->data[i] + m->len[i], k, value, packed);
		}
	}
	m->flags[PACKETS] = WEIR_KV_FIN;
}

static void fill(s64 *want, unsigned int n)
{
	unsigned int i;

	memset(want, 0, KEYS * sizeof(*want));
	for (i = 0; i < n; i++)
		mapper_fill(&mapper[i], i, want);
}

/* Begins from the first packet, as a sender does whose run is void. */
static void mapper_again(struct mapper *m)
{
	m->instance = random();
	m->session = 0;
	m->base = 0;
	m->more = 0;
	m->done = false;
	m->unknown = false;
}

static bool all_done(unsigned int n)
{
	while (n--)
		if (!mapper[n].done)
			return false;
	return true;
}

/* All that is under way arrives, and a millisecond passes. */
static void settle(void)
{
	deliver();
	mock_run(mock_ns + NSEC_PER_MSEC);
	deliver();
}

static void step(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (mapper[i].unknown)
			mapper_again(&mapper[i]);
		if (!mapper[i].done)
			mapper_step(&mapper[i]);
	}
	settle();
}

/* A step in which the mapper surely hears the box: it sends the first packet that is lacking. */
static void step_and_hear(struct mapper *m)
{
	mapper_sends(m, m->base);
	settle();
}

#define STEPS 100000

static void run(unsigned int n, const s64 *want)
{
	unsigned int steps, k;

	for (steps = 0; steps < STEPS && !all_done(n); steps++)
		step(n);
	CHECK(all_done(n));
	for (k = 0; k < KEYS; k++)
		CHECK_EQ(reducer.sum[k], want[k]);
}

static void kv_runs(void)
{
	static const struct { u32 keys; unsigned int loss; } cases[] = {
		{ 4 * KEYS, 0 }, { KEYS / 10, 0 }, { 1, 0 }, { 4 * KEYS, 1 }, { KEYS / 10, 10 },
		{ 1, 20 }, { 4 * KEYS, 20 },
	};
	static s64 want[KEYS];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		setup(cases[i].keys, MAPPERS);
		loss = cases[i].loss;
		fill(want, MAPPERS);
		run(MAPPERS, want);
		/* The next run is another one. */
		fill(want, MAPPERS);
		run(MAPPERS, want);
		box_down();
	}
}

static void kv_runs_of_int64(void)
{
	static const u32 keys[] = { 4 * KEYS, KEYS / 10 };
	static s64 want[KEYS];
	unsigned int i;

	type = WEIR_DTYPE_INT64;
	width = 8;
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		setup(keys[i], MAPPERS);
		loss = 10;
		fill(want, MAPPERS);
		run(MAPPERS, want);
		box_down();
	}
	type = WEIR_DTYPE_INT32;
	width = 4;
}

/* Pairs that fit into the table go to the reducer once. */
static void kv_reduces(void)
{
	static s64 want[KEYS];

	setup(4 * KEYS, MAPPERS);
	fill(want, MAPPERS);
	run(MAPPERS, want);
	CHECK_EQ(box_counter(WEIR_C_CONTRIBUTIONS), MAPPERS * (PACKETS + 1));
	CHECK(reducer.packets < MAPPERS * PACKETS);
	/* A key is new at first, and after each time that all have gone on. */
	CHECK(box_counter(WEIR_C_KV_MISSES) <= KEYS * (1 + box_counter(WEIR_C_KV_FLUSHES)));
	CHECK(box_counter(WEIR_C_KV_HITS) > KEYS);
	CHECK_EQ(box_counter(WEIR_C_KV_EVICTIONS) + box_counter(WEIR_C_KV_PASSED), 0);
	box_down();
}

/*
 * A mapper confirms the end of its run with the number after the last packet. An answer would be
 * confirmed, too, and so on for ever. All other questions are answered.
 */
static void kv_confirmation_is_not_answered(void)
{
	static s64 want[KEYS];
	struct mapper *m = &mapper[0];
	struct weir_kv_words words;
	u32 seq;

	setup(4 * KEYS, 1);
	fill(want, 1);
	run(1, want);
	settle();
	words = words_of(m);
	for (seq = m->n - 2; seq <= m->n + 1; seq++) {
		words.seq = seq;
		CHECK_EQ(give_words(m->id + 1, &words, NULL, 0), 0);
		CHECK_EQ(box.sent, seq != m->n);
		box_forget();
	}
	box_down();
}

/* A mapper that begins anew makes the run void, and its pairs count once. */
static void kv_mapper_begins_anew(void)
{
	static s64 want[KEYS];
	unsigned int i;
	u32 before;

	setup(KEYS / 10, MAPPERS);
	loss = 5;
	fill(want, MAPPERS);
	for (i = 0; i < 60; i++)
		step(MAPPERS);
	before = job->kv->run;
	mapper_again(&mapper[1]);
	mapper[1].cookie = 0;
	run(MAPPERS, want);
	/* Two runs that follow each other count their keys apart. */
	CHECK_EQ(job->kv->run, before + 1);
	box_down();
}

/* So does a reducer that has lost what it had. */
static void kv_reducer_begins_anew(void)
{
	static s64 want[KEYS];
	unsigned int i;

	setup(KEYS / 10, MAPPERS);
	fill(want, MAPPERS);
	for (i = 0; i < 100; i++)
		step(MAPPERS);
	reducer.session += 100;
	reducer.instance = 0;
	run(MAPPERS, want);
	box_down();
}

/* A reducer that takes nothing: mappers are stopped, nothing is lost and nothing grows. */
static void kv_backpressure(void)
{
	static s64 want[KEYS];
	unsigned int i;

	setup(1, MAPPERS);
	fill(want, MAPPERS);
	reducer.window = 0;
	for (i = 0; i < 3000; i++)
		step(MAPPERS);
	CHECK(!all_done(MAPPERS));
	CHECK_EQ(reducer.packets, 0);
	reducer.window = 2;
	run(MAPPERS, want);
	box_down();
}

/* A mapper that has no window sends nothing: the box says without being asked that there is room. */
static void kv_mapper_without_window_is_told_of_room(void)
{
	struct weir_kv_spill nothing = { };
	struct mapper *m = &mapper[0];
	struct weir_kv_words words;
	static s64 want[KEYS];
	unsigned int i;
	u32 rest;

	setup(1, 1);
	fill(want, 1);
	reducer.window = 0;
	for (i = 0; i < 30; i++)
		step(1);
	/* Packets of others are being taken, and may need all the room that there is. */
	rest = weir_kv_outbox_room(&job->kv->out);
	CHECK(weir_kv_outbox_reserve(&job->kv->out, rest));
	words = words_of(m);
	words.seq = m->base;
	CHECK_EQ(give_words(m->id + 1, &words, NULL, 0), 0);
	deliver();
	CHECK_EQ(m->window, 0);
	weir_kv_outbox_put(&job->kv->out, job->kv->run, &nothing, rest);
	reducer.window = 2;
	for (i = 0; i < 1000 && !m->window; i++)
		settle();
	CHECK(m->window);
	run(1, want);
	box_down();
}

/* Keys are collected in the run that it was asked in. */
static void kv_collection_ends_with_the_run(void)
{
	static s64 want[KEYS];
	struct mapper *m = &mapper[0];
	unsigned int i;
	u32 before;

	setup(64 * 1024, 1);
	fill(want, 1);
	while (!m->base)
		step(1);
	mock_ns += WEIR_KV_SILENCE_NS;
	before = job->kv->run;
	weir_kv_collect(job->kv);
	CHECK(job->kv->sweep.is);
	mapper_again(m);
	for (i = 0; i < 4 && job->kv->run == before; i++) {
		mapper_opens(m);
		deliver();
	}
	CHECK_EQ(job->kv->run, before + 1);
	CHECK(!job->kv->sweep.is);
	box_down();
}

/* Each field is at its place: compared with bytes that were written by hand. */
static void kv_header_on_the_wire(void)
{
	static const u8 want[] = {
		0x12, 0xf3 | WEIR_KV_CPA, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d,
		0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x2e, 0x2f,
	};
	const struct weir_kv_words words = {
		.kind = 0x12, .flags = 0xf3, .op = 0x14, .dtype = 0x15, .job = 0x1617, .source = 0x1819,
		.pairs = 0x1a1b, .window = 0x1c1d, .seq = 0x20212223, .session = 0x24252627,
		.more = 0x28292a2b2c2d2e2f,
	};
	struct weir_kv hdr = { };

	weir_kv_fill(&hdr, &words);
	CHECK_EQ(sizeof(hdr), sizeof(want));
	CHECK(!memcmp(&hdr, want, sizeof(want)));
}

/* An open that is taken says how many hops there are, and one that is refused does not. */
static void kv_open_says_hops(void)
{
	static const struct { u32 session; u16 hops, want; } cases[] = { { 1, 3, 3 }, { 2, 5, 3 }, { 1, 4, 4 } };
	struct weir_kv_words words = { .kind = WEIR_KV_UP, .op = WEIR_OP_SUM, .dtype = type, .flags = WEIR_KV_OPEN };
	unsigned int i;

	setup(4 * KEYS, 1);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		words.session = cases[i].session;
		words.window = cases[i].hops;
		words.more = weir_source_cookie(weir_source_get(job, 0), WEIR_PORT_KV, words.session);
		CHECK_EQ(give_words(1, &words, NULL, 0), 0);
		CHECK_EQ(job->kv->hops, cases[i].want);
	}
	box_down();
}

static void kv_rested_keys(void)
{
	static s64 want[KEYS];
	struct mapper *m = &mapper[0];
	unsigned int i;

	setup(4 * KEYS, 1);
	job->policy.timeout = 50 * NSEC_PER_MSEC;
	fill(want, 1);
	m->flags[0] &= WEIR_KV_PACKED;
	while (!m->base) {
		if (!m->session)
			mapper_opens(m);
		else
			mapper_sends(m, 0);
		deliver();
	}
	CHECK_EQ(reducer.packets, 0);
	for (i = 0; i < 400; i++) {
		mock_run(mock_ns + NSEC_PER_MSEC);
		deliver();
	}
	CHECK_EQ(reducer.packets, 1);
	CHECK_EQ(weir_kv_held(job->kv), 0);
	box_down();
}

/* Runs on for a time, in which mappers hear only what they ask for. */
static void pass_seconds(unsigned int seconds)
{
	unsigned int i;

	for (i = 0; i < seconds * 100; i++) {
		mock_run(mock_ns + 10 * NSEC_PER_MSEC);
		deliver();
	}
}

/* An administrator lets all go on, also what is added to all the time. */
static void kv_collected_keys(void)
{
	static s64 want[KEYS];
	struct mapper *m = &mapper[0];

	setup(4 * KEYS, 1);
	fill(want, 1);
	m->flags[0] &= WEIR_KV_PACKED;
	while (!m->base)
		step(1);
	CHECK(weir_kv_held(job->kv) > 0);
	weir_kv_collect(job->kv);
	weir_kv_pump(job->kv, mock_ns);
	pass_seconds(1);
	CHECK_EQ(weir_kv_held(job->kv), 0);
	CHECK(reducer.packets > 0);
	run(1, want);
	box_down();
}

/* A packet that asks for a sweep costs a piece of it, and cannot hold it at the beginning. */
static void kv_collects_without_end(void)
{
	static s64 want[KEYS];
	struct mapper *m = &mapper[0];
	struct weir_kv_words words;
	u32 before, packets = 0;

	setup(64 * 1024, 1);
	fill(want, 1);
	while (!m->base)
		step(1);
	CHECK_EQ(job->kv->table.buckets, 8192);
	words = words_of(m);
	words.flags = WEIR_KV_COLLECT;
	while (weir_kv_held(job->kv) && packets < 2 * 8192 / 64) {
		before = job->kv->sweep.walk.next;
		words.seq = job->kv->stream[0].next;
		CHECK_EQ(give_words(1, &words, NULL, 0), 0);
		CHECK((job->kv->sweep.walk.next - before) % 8192 <= 64);
		packets++;
		box_forget();
	}
	CHECK_EQ(weir_kv_held(job->kv), 0);
	/* The timer does more at once, and as often as is needed. */
	before = job->kv->sweep.walk.next;
	mock_run(mock_ns + NSEC_PER_MSEC);
	CHECK_EQ((job->kv->sweep.walk.next - before) % 8192, 1024);
	mock_run(mock_ns + 8 * NSEC_PER_MSEC);
	CHECK(!job->kv->sweep.is);
	box_down();
}

/* A box without a reducer says so: else its mappers would take it for one, and wait for ever. */
static void kv_silent_reducer(void)
{
	static s64 want[KEYS];
	struct mapper *m = &mapper[0];
	u16 status;

	setup(4 * KEYS, 1);
	fill(want, 1);
	reducer.gone = true;
	step(1);
	while (!m->base)
		step(1);
	CHECK(!m->silent);
	pass_seconds(WEIR_KV_SILENCE + 1);
	step_and_hear(m);
	CHECK(m->silent);
	/* Nor is what anyone can say who forges its address: none names the box's session. */
	for (status = WEIR_KV_STATUS_OK; status <= WEIR_KV_STATUS_TAKEN; status++)
		CHECK_EQ(give_words(REDUCER, &(struct weir_kv_words) {
			.kind = WEIR_KV_DOWN, .op = WEIR_OP_SUM, .dtype = type, .pairs = status,
			.source = OWN_NUMBER, .session = 4711, .seq = 4711, .more = 4711,
		}, NULL, 0), WEIR_REASON_SESSION);
	CHECK_EQ(box.sent, 0);
	step_and_hear(m);
	CHECK(m->silent);
	/* A box behind it that hears nothing itself is no sign of life. */
	reducer.gone = false;
	reducer.flags = WEIR_KV_SILENT;
	pass_seconds(1);
	step_and_hear(m);
	CHECK(m->silent);
	reducer.flags = 0;
	pass_seconds(2);
	step_and_hear(m);
	CHECK(!m->silent);
	run(1, want);
	box_down();
}

/* Nothing of a bad packet is taken, not even its first pair. */
static void kv_refusals(void)
{
	static s64 want[KEYS];
	struct mapper *m = &mapper[0];
	struct weir_kv_words words;

	setup(4 * KEYS, 2);
	fill(want, 1);
	while (!m->session) {
		mapper_opens(m);
		deliver();
	}
	words = words_of(m);
	words.flags = m->flags[0] & WEIR_KV_PACKED;
	words.pairs = m->pairs[0] + 1;
	CHECK_EQ(give_words(1, &words, m->data[0], m->len[0]), WEIR_REASON_PAIR);
	words.pairs = m->pairs[0];
	CHECK_EQ(give_words(1, &words, m->data[0], m->len[0] - 1), WEIR_REASON_PAIR);
	CHECK_EQ(give_words(1, &words, NULL, 0), WEIR_REASON_LENGTH);
	words.op = WEIR_OP_MAX;
	CHECK_EQ(give_words(1, &words, m->data[0], m->len[0]), WEIR_REASON_OPERATION);
	words.op = WEIR_OP_SUM;
	words.dtype = WEIR_DTYPE_FLOAT32;
	CHECK_EQ(give_words(1, &words, m->data[0], m->len[0]), WEIR_REASON_OPERATION);
	words.dtype = WEIR_DTYPE_INT32;
	words.session++;
	CHECK_EQ(give_words(1, &words, m->data[0], m->len[0]), WEIR_REASON_SESSION);
	words.session--;
	words.seq = 65;
	CHECK_EQ(give_words(1, &words, m->data[0], m->len[0]), WEIR_REASON_AHEAD);
	words.seq = 0;
	CHECK_EQ(give_words(2, &words, m->data[0], m->len[0]), WEIR_REASON_SPOOFED);
	words.source = 1;
	CHECK_EQ(give_words(2, &words, m->data[0], m->len[0]), WEIR_REASON_SESSION);
	words.source = 2;
	CHECK_EQ(give_words(3, &words, m->data[0], m->len[0]), WEIR_REASON_NO_SOURCE);
	CHECK_EQ(weir_kv_held(job->kv), 0);
	words.source = 0;
	words.window = WEIR_KV_HOPS + 1;
	CHECK_EQ(give_words(1, &words, m->data[0], m->len[0]), WEIR_REASON_LOOP);
	words.window = 2;
	CHECK_EQ(give_words(1, &words, m->data[0], m->len[0]), 0);
	CHECK_EQ(job->kv->hops, 2);
	CHECK_EQ(give_words(1, &words, m->data[0], m->len[0]), WEIR_REASON_DUPLICATE);
	/* A window ahead of the next one, 1, and no further. */
	words.seq = 1 + WEIR_KV_WINDOW + 1;
	CHECK_EQ(give_words(1, &words, m->data[0], m->len[0]), WEIR_REASON_AHEAD);
	words.seq = 1 + WEIR_KV_WINDOW;
	CHECK_EQ(give_words(1, &words, m->data[0], m->len[0]), 0);
	box_down();
}

/* A packet has pairs after its header if it says so, and then not too many bytes of them. */
static void kv_shapes(void)
{
	const u16 head = 8 + sizeof(struct weir_kv);
	const struct { u16 payload_off, udp_len, count; int reason; } cases[] = {
		{ head, head, 0, 0 }, { head, head + 1, 1, 0 },
		{ head, head + WEIR_KV_BYTES_MAX, 1, 0 },
		{ head, head + WEIR_KV_BYTES_MAX + 1, 1, WEIR_REASON_TOO_LONG },
		{ head, head, 1, WEIR_REASON_LENGTH }, { head, head + 1, 0, WEIR_REASON_LENGTH },
		{ head, head - 1, 0, WEIR_REASON_LENGTH }, { head, head - 1, 1, WEIR_REASON_LENGTH },
		{ head - 1, head, 0, WEIR_REASON_LENGTH }, { head + 1, head + 1, 1, WEIR_REASON_LENGTH },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct weir_contrib c = {
			.udp_off = 34, .payload_off = 34 + cases[i].payload_off,
			.udp_len = cases[i].udp_len, .count = cases[i].count,
		};

		CHECK_EQ(weir_kv_check_shape(NULL, &c), cases[i].reason);
	}
}

/* So many pairs of the fixed form has the longest packet. */
#define MOST		(WEIR_KV_BYTES_MAX / (WEIR_KV_KEY_MAX + 4))

/* Opens the session of mapper @id. */
static struct mapper *mapper_opened(u16 id)
{
	struct mapper *m = &mapper[id];

	memset(m, 0, sizeof(*m));
	m->id = id;
	m->instance = random();
	m->n = ~0U >> 1;
	while (!m->session) {
		mapper_opens(m);
		deliver();
	}
	return m;
}

/* A pair whose key has @len bytes and a number. */
static u32 put_numbered(u8 *at, u32 number, u32 len, bool packed)
{
	u8 key[WEIR_KV_KEY_MAX] = { };

	memset(key, 'k', len);
	memcpy(key, &number, sizeof(number));
	if (packed)
		*at++ = len;
	memcpy(at, key, packed ? len : sizeof(key));
	put_unaligned_be32(1, at + (packed ? len : sizeof(key)));
	return packed + (packed ? len : sizeof(key)) + 4;
}

/*
 * Each long key of the longest packet makes several short ones leave: there is no more room in a
 * stream than a packet can take, and the next stream begins behind it.
 */
static void kv_longest_packet(void)
{
	struct weir_kv_words words;
	static u8 data[9000];
	u32 i, len, short_keys = 0, rounds;
	struct mapper *m;

	setup(4096, 2);
	/* Buckets are to be full of short keys. */
	job->kv->table.keys_max = ~0;
	reducer.blind = true;
	m = mapper_opened(0);
	mapper_opened(1);
	words = words_of(m);
	for (rounds = 0; rounds < 80; rounds++) {
		words.flags = WEIR_KV_PACKED;
		words.pairs = 200;
		for (i = 0, len = 0; i < words.pairs; i++)
			len += put_numbered(data + len, ++short_keys << 8 | 1, 25, true);
		while (give_words(1, &words, data, len) == WEIR_REASON_BUSY)
			pass_seconds(1);
		words.seq++;
		if (rounds < 60)
			continue;
		words.flags = 0;
		words.pairs = MOST;
		for (i = 0, len = 0; i < words.pairs; i++)
			len += put_numbered(data + len, ++short_keys << 8 | 2, WEIR_KV_KEY_MAX, false);
		while (give_words(1, &words, data, len) == WEIR_REASON_BUSY)
			pass_seconds(1);
		words.seq++;
		CHECK_EQ(job->kv->stream[1].run, job->kv->run);
		CHECK_EQ(job->kv->stream[1].session, mapper[1].session);
		CHECK_EQ(job->kv->stream[1].next, 0);
	}
	CHECK(box_counter(WEIR_C_KV_EVICTIONS) > MOST);
	box_down();
}

/* Another instance has to wait until the first one is silent. */
static void kv_number_is_taken(void)
{
	static s64 want[KEYS];
	struct mapper *m = &mapper[0];
	u32 session;

	setup(4 * KEYS, 2);
	fill(want, 1);
	while (!m->session) {
		mapper_opens(m);
		deliver();
	}
	session = m->session;
	mapper_again(m);
	mapper_opens(m);
	deliver();
	mapper_opens(m);
	deliver();
	CHECK_EQ(m->session, 0);
	mock_ns += (WEIR_KV_SILENCE + 1) * NSEC_PER_SEC;
	mapper_opens(m);
	deliver();
	CHECK(m->session && m->session != session);
	box_down();
}

/* Packets that went to the reducer, and the hops that the last one has said. */
static unsigned int went_up(u16 *hops)
{
	struct in6_addr to_reducer = box_addr(REDUCER);
	struct weir_kv_words last;
	unsigned int i, n = 0;

	for (i = 0; i < box.sent; i++) {
		if (!ipv6_addr_equal(&box.packet[i].to, &to_reducer))
			continue;
		read_head(&box.packet[i], &last);
		*hops = last.window;
		n++;
	}
	return n;
}

/* A sender that is its receiver's receiver: each round says more hops, at once. */
static void kv_loop_is_found(void)
{
	static s64 want[KEYS];
	struct mapper *m = &mapper[1];
	struct weir_kv_words words;
	u16 hops, said = 0;

	setup(4 * KEYS, 2);
	fill(want, 2);
	mapper_opened(0);
	mapper_opened(1);
	while (job->kv->above.state != WEIR_KV_OPENED)
		settle();
	words = words_of(m);
	for (hops = 2; hops <= WEIR_KV_HOPS; hops += 2) {
		box_forget();
		words.window = hops;
		CHECK_EQ(give_words(2, &words, NULL, 0), 0);
		CHECK_EQ(went_up(&said), 1);
		CHECK_EQ(said, hops + 1);
		/* A number of hops that it knows changes nothing. */
		box_forget();
		CHECK_EQ(give_words(2, &words, NULL, 0), 0);
		CHECK_EQ(went_up(&said), 0);
	}
	box_forget();
	words.window = WEIR_KV_HOPS + 1;
	CHECK_EQ(give_words(2, &words, NULL, 0), WEIR_REASON_LOOP);
	words.flags = WEIR_KV_OPEN;
	words.session = 4711;
	words.more = weir_source_cookie(weir_source_get(job, 1), WEIR_PORT_KV, 4711);
	CHECK_EQ(give_words(2, &words, NULL, 0), WEIR_REASON_LOOP);
	CHECK_EQ(box.sent, 0);
	words.window = WEIR_KV_HOPS;
	CHECK_EQ(give_words(2, &words, NULL, 0), 0);
	CHECK_EQ(box.sent, 1);
	box_down();
}

static struct weir_kv_outbox outbox;

/* @n packets of a pair each are to go. */
static void outbox_put(u32 n)
{
	u8 pair[6 + WEIR_KV_SLACK] = { 1, 'a' };
	const struct weir_kv_spill spill = { .at = pair, .used = 6, .pairs = 1 };

	while (n--) {
		CHECK(weir_kv_outbox_reserve(&outbox, spill.used));
		weir_kv_outbox_put(&outbox, outbox.run, &spill, spill.used);
		weir_kv_outbox_seal(&outbox, outbox.run, false);
	}
}

static void outbox_is_idle(u64 now)
{
	struct weir_kv_due due;

	CHECK(!weir_kv_outbox_due(&outbox, now, &due));
}

static void outbox_sends(u64 now, u32 seq)
{
	struct weir_kv_due due;

	CHECK(weir_kv_outbox_due(&outbox, now, &due));
	CHECK_EQ(due.seq, seq);
	CHECK_EQ(due.len, 6);
	CHECK_EQ(due.pairs, 1);
}

/* @n packets from @seq on, and no more. */
static void outbox_sends_all(u64 now, u32 seq, u32 n)
{
	while (n--)
		outbox_sends(now, seq++);
	outbox_is_idle(now);
}

static bool outbox_acked(u32 seq, u64 more, u32 limit, u64 now)
{
	return weir_kv_outbox_acked(&outbox, seq, more, limit, now);
}

/* The window grows by a packet each time that it is acknowledged, and is halved once by a loss. */
static void kv_outbox_window(void)
{
	u64 now = NSEC_PER_SEC;
	u32 run, window, seq, i;

	CHECK(!weir_kv_outbox_init(&outbox, 4));
	/* A run is like the first one, whatever the run before has left. */
	for (run = 1; run <= 3; run++) {
		weir_kv_outbox_begin(&outbox, run, 600);
		outbox_put(100);
		outbox_is_idle(now);
		weir_kv_outbox_open(&outbox, 64);
		outbox_sends_all(now, 0, 10);
		outbox_is_idle(now + 100 * NSEC_PER_MSEC - 1);
		for (window = 10, seq = 0; window < 15; window++) {
			now += NSEC_PER_MSEC;
			CHECK(outbox_acked(seq + window - 1, 0, 64, now));
			outbox_sends_all(now, seq + window, window - 1);
			seq += window;
			CHECK(outbox_acked(seq, 0, 64, now));
			outbox_sends_all(now, seq + window - 1, 2);
		}
		/* 60 and 64 are lost: three after each have arrived. */
		now += NSEC_PER_MSEC;
		CHECK(!outbox_acked(60, 0x37, 64, now));
		outbox_sends(now, 60);
		outbox_is_idle(now);
		CHECK(!outbox_acked(60, 0x77, 64, now));
		outbox_sends(now, 64);
		outbox_is_idle(now);
		CHECK(outbox_acked(75, 0, 64, now));
		outbox_sends_all(now, 75, 8);
		/* Nothing arrives. */
		for (i = 0; i < 9; i++) {
			u64 wait = (10 << min(i, 6U)) * NSEC_PER_MSEC;

			outbox_is_idle(now + wait - 1);
			now += wait;
			outbox_sends_all(now, 75, 8);
		}
		CHECK(outbox_acked(83, 0, 64, now));
		outbox_sends_all(now, 83, 5);
		/* The receiver has room for two. */
		now += NSEC_PER_MSEC;
		CHECK(outbox_acked(84, 0, 2, now));
		outbox_is_idle(now);
		CHECK(!outbox_acked(83, 0, 64, now));
		CHECK(!outbox_acked(89, 0, 64, now));
		outbox_is_idle(now);
		CHECK(!outbox_acked(84, 0, 64, now));
		outbox_sends_all(now, 88, 2);
		CHECK(outbox_acked(86, 0, 64, now));
	}
	weir_kv_outbox_uninit(&outbox);
}

/* A packet is sent again after two round trips, which packets that were sent once measure. */
static void kv_outbox_round_trip(void)
{
	static const struct { u32 rtt; bool again; u32 timeout; } cases[] = {
		{ 40, false, 80 }, { 85, true, 80 }, { 79, false, 89 }, { 1, false, 78 },
	};
	u64 now = NSEC_PER_SEC, ms = NSEC_PER_MSEC;
	u32 i;

	CHECK(!weir_kv_outbox_init(&outbox, 4));
	weir_kv_outbox_begin(&outbox, 1, 600);
	weir_kv_outbox_open(&outbox, 64);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		outbox_put(1);
		outbox_sends(now, i);
		if (cases[i].again)
			outbox_sends(now + cases[i].rtt * ms, i);
		CHECK(outbox_acked(i + 1, 0, 64, now + cases[i].rtt * ms));
		CHECK_EQ(outbox.timeout / ms, cases[i].timeout);
	}
	/* A second at most. */
	weir_kv_outbox_begin(&outbox, 2, 600);
	weir_kv_outbox_open(&outbox, 64);
	outbox_put(2);
	outbox_sends(now, 0);
	CHECK(outbox_acked(1, 0, 64, now + 600 * ms));
	outbox_sends(now, 1);
	outbox_is_idle(now + NSEC_PER_SEC - 1);
	outbox_sends(now + NSEC_PER_SEC, 1);
	weir_kv_outbox_uninit(&outbox);
}

/* Without memory nothing is left behind. */
static void kv_no_memory(void)
{
	long allowed;

	for (allowed = 0;; allowed++) {
		struct weir_job_config cfg;

		box_up();
		cfg = box_config(&weir_format_kv, 7, 2, 0, 0);
		cfg.has_parent = true;
		cfg.parent = (struct weir_parent_config) { .addr = box_addr(REDUCER), .port = 1 };
		cfg.kv = (struct weir_kv_config) { .keys = 100, .dtype = WEIR_DTYPE_INT32, .op = WEIR_OP_SUM };
		mock_fail_after = allowed;
		job = box_job_of(&cfg);
		mock_fail_after = -1;
		box_down();
		if (job)
			break;
	}
	CHECK(allowed > WEIR_KV_PARCELS);
}

const struct ktap_test kv_tests[] = {
	KTAP_TEST(kv_table_is_exact),
	KTAP_TEST(kv_keeps_frequent_keys),
	KTAP_TEST(kv_colliding_keys),
	KTAP_TEST(kv_keys_in_sequence),
	KTAP_TEST(kv_operations),
	KTAP_TEST(kv_bad_pairs),
	KTAP_TEST(kv_pairs_fit),
	KTAP_TEST(kv_runs),
	KTAP_TEST(kv_runs_of_int64),
	KTAP_TEST(kv_reduces),
	KTAP_TEST(kv_confirmation_is_not_answered),
	KTAP_TEST(kv_mapper_begins_anew),
	KTAP_TEST(kv_reducer_begins_anew),
	KTAP_TEST(kv_backpressure),
	KTAP_TEST(kv_mapper_without_window_is_told_of_room),
	KTAP_TEST(kv_collection_ends_with_the_run),
	KTAP_TEST(kv_header_on_the_wire),
	KTAP_TEST(kv_open_says_hops),
	KTAP_TEST(kv_rested_keys),
	KTAP_TEST(kv_collected_keys),
	KTAP_TEST(kv_collects_without_end),
	KTAP_TEST(kv_silent_reducer),
	KTAP_TEST(kv_refusals),
	KTAP_TEST(kv_shapes),
	KTAP_TEST(kv_longest_packet),
	KTAP_TEST(kv_number_is_taken),
	KTAP_TEST(kv_loop_is_found),
	KTAP_TEST(kv_outbox_window),
	KTAP_TEST(kv_outbox_round_trip),
	KTAP_TEST(kv_no_memory),
};
SUITE_END(kv);
