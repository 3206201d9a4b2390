// SPDX-License-Identifier: GPL-2.0
/*
 * Sources of packets, each with token buckets of its own, in memory that is there from the
 * beginning. The word of a bucket is the time at which it is full again; from then on the source
 * is as one that was never seen, so that to forget it changes nothing. It says what the paper's
 * REF flag says of a record, to the nanosecond: no packet sets a flag, and no scan clears one.
 * A timer forgets (section 7 of the paper); a source that finds its row full of others whose time
 * has come takes the place of one at once.
 *
 * To hold n places one has to send at n times the rate: a source whose bucket is not full is
 * known, and buckets fill at the rate. Forged addresses, with a packet each, hold their places for
 * as long as the rate takes for the packet.
 */
#include <linux/etherdevice.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <uapi/weir_xdp_nl.h>

#include "core/base/mix.h"
#include "xdp/base/notify.h"
#include "xdp/filter/sources.h"
#include "xdp/packet/headers.h"

/* All rows are looked at once a second, a part of them each time. */
#define WEIR_SOURCES_PARTS	16

/* Of so many sources listeners hear each time; of the others how many there are. */
#define WEIR_SOURCES_TOLD	8

/**
 * struct weir_sources_news - what a part of the rows has for listeners
 * @told: number of sources that they have heard of
 * @others: blocked, and not named
 */
struct weir_sources_news {
	u32	told;
	u32	others;
};

static bool weir_sources_is_blocked(const struct weir_sources_entry *entry, u64 now)
{
	return entry->until > now;
}

/* Return true if the entry is like that of a source that was never seen. */
static bool weir_sources_is_idle(const struct weir_sources *sources,
				 const struct weir_sources_entry *entry, u64 now)
{
	return !weir_sources_is_blocked(entry, now) &&
	       weir_rate_level_is_full(&sources->rate, &entry->level, now);
}

static void weir_sources_describe(const struct weir_sources_entry *entry, u64 now,
				  struct weir_sources_seen *seen)
{
	bool blocked = weir_sources_is_blocked(entry, now);

	*seen = (struct weir_sources_seen) {
		.key		= entry->key,
		.state		= blocked ? WEIR_XDP_FILTER_STATE_BLOCKED :
					    WEIR_XDP_FILTER_STATE_KNOWN,
		.left		= blocked ? entry->until - now : 0,
		.dropped	= entry->dropped,
	};
}

/* Return true if listeners are to be sent a source's state, and clear the note of that. */
static bool weir_sources_has_news(struct weir_sources_entry *entry, u64 now,
				  struct weir_sources_seen *seen)
{
	if (!entry->until)
		return false;
	weir_sources_describe(entry, now, seen);
	if (weir_sources_is_blocked(entry, now)) {
		if (entry->told)
			return false;
		entry->told = true;
		return true;
	}
	seen->state = WEIR_XDP_FILTER_STATE_FREE;
	entry->until = 0;
	entry->told = false;
	entry->dropped = 0;
	return true;
}

/* Return: how many of @seen are filled. */
static u32 weir_sources_scan_row(struct weir_sources *sources, struct weir_sources_row *row,
				 struct weir_sources_seen seen[WEIR_SOURCES_WAYS])
{
	struct weir_sources_entry *entry;
	u64 now = ktime_get_ns();
	u32 news = 0;

	spin_lock_bh(&row->lock);
	for (entry = row->way; entry < row->way + WEIR_SOURCES_WAYS; entry++) {
		if (!entry->used)
			continue;
		news += weir_sources_has_news(entry, now, &seen[news]);
		if (weir_sources_is_idle(sources, entry, now)) {
			entry->used = false;
			continue;
		}
		sources->seen++;
		sources->seen_blocked += weir_sources_is_blocked(entry, now);
	}
	spin_unlock_bh(&row->lock);
	return news;
}

static void weir_sources_tell(const struct weir_sources *sources, struct weir_sources_news *news,
			      const struct weir_sources_seen *seen, u32 count)
{
	for (; count; count--, seen++) {
		if (news->told++ < WEIR_SOURCES_TOLD)
			weir_xdp_notify->filter_source(&sources->owner, seen);
		else
			news->others += seen->state == WEIR_XDP_FILTER_STATE_BLOCKED;
	}
}

static void weir_sources_tell_others(const struct weir_sources *sources, u32 others)
{
	const struct weir_sources_seen seen = {
		.state	= WEIR_XDP_FILTER_STATE_BLOCKED,
		.others	= others,
	};

	if (others)
		weir_xdp_notify->filter_source(&sources->owner, &seen);
}

static void weir_sources_scan_part(struct weir_sources *sources)
{
	u32 count, rows = DIV_ROUND_UP(sources->rows, WEIR_SOURCES_PARTS);
	struct weir_sources_seen seen[WEIR_SOURCES_WAYS];
	struct weir_sources_news news = {};

	for (; rows && sources->next < sources->rows; rows--) {
		count = weir_sources_scan_row(sources, &sources->row[sources->next++], seen);
		weir_sources_tell(sources, &news, seen, count);
		cond_resched();
	}
	weir_sources_tell_others(sources, news.others);
}

static void weir_sources_scan(struct work_struct *work)
{
	struct weir_sources *sources = container_of(to_delayed_work(work), struct weir_sources,
						    scan);

	weir_sources_scan_part(sources);
	if (sources->next == sources->rows) {
		WRITE_ONCE(sources->known, sources->seen);
		WRITE_ONCE(sources->blocked, sources->seen_blocked);
		sources->next = 0;
		sources->seen = 0;
		sources->seen_blocked = 0;
	}
	schedule_delayed_work(&sources->scan, HZ / WEIR_SOURCES_PARTS);
}

/**
 * weir_sources_make() - make room for sources
 * @config: the rates of each source
 * @room: sources that are known at once; made a power of two, at least WEIR_SOURCES_WAYS
 * @time: ns that a source above the rate is blocked; 0 for none
 *
 * Sleeps. Return: it, or NULL.
 */
struct weir_sources *weir_sources_make(const struct weir_rate_config *config, u32 room, u64 time)
{
	struct weir_sources *sources = kzalloc(sizeof(*sources), GFP_KERNEL_ACCOUNT);
	u32 i;

	if (!sources)
		return NULL;
	sources->rows = roundup_pow_of_two(DIV_ROUND_UP(room, WEIR_SOURCES_WAYS));
	sources->row = kvcalloc(sources->rows, sizeof(*sources->row), GFP_KERNEL_ACCOUNT);
	if (!sources->row) {
		kfree(sources);
		return NULL;
	}
	for (i = 0; i < sources->rows; i++)
		spin_lock_init(&sources->row[i].lock);
	sources->time = time;
	get_random_bytes(sources->secret, sizeof(sources->secret));
	weir_rate_init(&sources->rate, config);
	INIT_DELAYED_WORK(&sources->scan, weir_sources_scan);
	return sources;
}

/**
 * weir_sources_start() - begin to forget sources, and to tell of them
 * @sources: it, which packets may see already
 * @owner: copied; stays until weir_sources_stop()
 */
void weir_sources_start(struct weir_sources *sources, const struct weir_sources_owner *owner)
{
	sources->owner = *owner;
	schedule_delayed_work(&sources->scan, HZ / WEIR_SOURCES_PARTS);
}

/**
 * weir_sources_stop() - stop the timer that looks at sources
 * @sources: it
 *
 * Sleeps.
 */
void weir_sources_stop(struct weir_sources *sources)
{
	cancel_delayed_work_sync(&sources->scan);
}

/**
 * weir_sources_free() - free sources that neither packets nor a timer see
 * @sources: it, or NULL
 *
 * Any context but NMI.
 */
void weir_sources_free(struct weir_sources *sources)
{
	if (!sources)
		return;
	kvfree(sources->row);
	kfree(sources);
}

/**
 * weir_source_key() - identify the source of a packet
 * @key: filled
 * @headers: of the packet
 * @mac: the Ethernet address that it comes from
 */
void weir_source_key(struct weir_source_key *key, const struct weir_headers *headers,
		     const u8 *mac)
{
	const struct weir_flow_key *flow = &headers->key;

	key->vlan = flow->vlan;
	key->addr = flow->word[0];
	switch (flow->ip) {
	case 4:
		key->kind = WEIR_SOURCE_IPV4;
		break;
	case 6:
		key->kind = WEIR_SOURCE_IPV6;
		if (likely((flow->src[0] & htonl(0xffc00000)) != htonl(0xfe800000)))
			break;
		key->kind = WEIR_SOURCE_LOCAL;
		key->addr = flow->word[1];
		break;
	default:
		key->kind = WEIR_SOURCE_LINK;
		key->addr = ether_addr_to_u64(mac);
	}
}

/* Strongly universal and mixed, as the hash of flows: who sends packets chooses addresses. */
static u32 weir_sources_hash(const struct weir_sources *sources, const struct weir_source_key *key)
{
	const u64 *secret = sources->secret;
	u64 sum = secret[0] + (secret[1] + (u32)key->addr) * (secret[2] + (key->addr >> 32)) +
		  secret[3] * (key->vlan | key->kind << 16);

	return weir_mix_low(sum);
}

static bool weir_source_key_equal(const struct weir_source_key *a, const struct weir_source_key *b)
{
	return a->addr == b->addr && a->vlan == b->vlan && a->kind == b->kind;
}

/* The source's entry; else one that may be taken for it, or NULL. */
static struct weir_sources_entry *weir_sources_entry(const struct weir_sources *sources,
						     struct weir_sources_row *row,
						     const struct weir_source_key *key, u64 now)
{
	struct weir_sources_entry *entry, *idle = NULL;

	for (entry = row->way; entry < row->way + WEIR_SOURCES_WAYS; entry++) {
		if (entry->used && weir_source_key_equal(&entry->key, key))
			return entry;
		if (!entry->used || (!idle && weir_sources_is_idle(sources, entry, now)))
			idle = entry;
	}
	if (idle)
		*idle = (struct weir_sources_entry){ .key = *key, .used = true };
	return idle;
}

static enum weir_sources_verdict weir_sources_crowded(struct weir_sources *sources, u32 bytes,
						      u64 now)
{
	return weir_rate_spend(&sources->rate, now, 1, bytes) ? WEIR_SOURCES_CROWDED :
								WEIR_SOURCES_CROWDED_OVER;
}

/* By what a source has left, and by whether it is blocked. */
static enum weir_sources_verdict weir_sources_judge(const struct weir_sources *sources,
						    struct weir_sources_entry *entry, u32 bytes,
						    u64 now)
{
	if (weir_sources_is_blocked(entry, now)) {
		entry->dropped++;
		return WEIR_SOURCES_OVER;
	}
	if (weir_rate_level_take(&sources->rate, &entry->level, now, bytes))
		return WEIR_SOURCES_PASS;
	if (!sources->time)
		return WEIR_SOURCES_OVER;
	entry->until = now + sources->time;
	entry->told = false;
	entry->dropped = 1;
	return WEIR_SOURCES_BLOCK;
}

/**
 * weir_sources_take() - judge a packet by what its source may send
 * @sources: the sources
 * @key: the source
 * @bytes: of the packet
 * @now: time, ns of the monotonic clock
 *
 * Any context but hardirq.
 */
enum weir_sources_verdict weir_sources_take(struct weir_sources *sources,
					    const struct weir_source_key *key, u32 bytes, u64 now)
{
	u32 hash = weir_sources_hash(sources, key);
	struct weir_sources_row *row = &sources->row[hash & (sources->rows - 1)];
	enum weir_sources_verdict verdict = WEIR_SOURCES_CROWDED;
	struct weir_sources_entry *entry;

	spin_lock_bh(&row->lock);
	entry = weir_sources_entry(sources, row, key, now);
	if (entry)
		verdict = weir_sources_judge(sources, entry, bytes, now);
	spin_unlock_bh(&row->lock);
	return entry ? verdict : weir_sources_crowded(sources, bytes, now);
}

/* Describe the source at this place; return false if there is none. */
static bool weir_sources_look(struct weir_sources *sources, long at, struct weir_sources_seen *seen)
{
	struct weir_sources_row *row = &sources->row[at / WEIR_SOURCES_WAYS];
	struct weir_sources_entry *entry = &row->way[at % WEIR_SOURCES_WAYS];
	u64 now = ktime_get_ns();
	bool known;

	spin_lock_bh(&row->lock);
	known = entry->used && !weir_sources_is_idle(sources, entry, now);
	if (known)
		weir_sources_describe(entry, now, seen);
	spin_unlock_bh(&row->lock);
	return known;
}

/**
 * weir_sources_dump() - tell of all sources that are known
 * @sources: it
 * @at: the place to begin with; becomes that of the first source that was not taken
 * @tell: called for each, and returns 0, or an error that ends it
 * @to: for @tell
 *
 * Process context. Return: 0, or the error.
 */
int weir_sources_dump(struct weir_sources *sources, long *at,
		      int (*tell)(void *to, const struct weir_sources_seen *seen), void *to)
{
	struct weir_sources_seen seen;
	int err;

	for (; *at < (long)sources->rows * WEIR_SOURCES_WAYS; ++*at) {
		cond_resched();
		err = weir_sources_look(sources, *at, &seen) ? tell(to, &seen) : 0;
		if (err)
			return err;
	}
	return 0;
}
