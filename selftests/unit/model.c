// SPDX-License-Identifier: GPL-2.0
/* A block table's behaviour, in plain slow code. */
#include <uapi/weir_bpf.h>

#include "model.h"

/* Return true if @a is at or ahead of @b, by less than half of all ids: they wrap. */
static bool reached(u32 a, u32 b)
{
	u32 ahead = a - b;

	return ahead < 1U << 31;
}

static struct model_memory *memory_new(void)
{
	struct model_memory *memory = malloc(sizeof(*memory));

	memory->holders = 1;
	return memory;
}

void model_hold(struct model_memory *memory)
{
	memory->holders++;
}

void model_put(struct model_memory *memory)
{
	if (--memory->holders)
		return;
	free(memory);
}

unsigned int model_pages_of(u16 count)
{
	return count > 1024 ? 2 : 1;
}

void model_make(struct model *m, u32 slots, u32 window, u16 sources)
{
	unsigned int i;

	m->slots = slots;
	m->window = window;
	m->evict_after = U64_MAX;
	m->front = -1;
	m->sources = sources;
	m->quorum = 0;
	memset(&m->now, 0, sizeof(m->now));
	memset(&m->before, 0, sizeof(m->before));
	m->no_memory = false;
	memset(m->behind, 0, sizeof(m->behind));
	memset(m->straggles, 0, sizeof(m->straggles));
	memset(m->retried, 0, sizeof(m->retried));
	memset(m->acked, 0, sizeof(m->acked));
	memset(m->given, -1, sizeof(m->given));
	memset(m->excluded, 0, sizeof(m->excluded));
	memset(m->absent, true, sizeof(m->absent));
	memset(m->shown, -1, sizeof(m->shown));
	for (i = 0; i < slots; i++) {
		m->block[i].state = MODEL_EMPTY;
		m->block[i].memory = memory_new();
	}
}

/* Memory that readers hold stays. */
void model_unmake(struct model *m)
{
	unsigned int i;

	for (i = 0; i < m->slots; i++)
		model_put(m->block[i].memory);
}

/* Return the place of a block of a generation in the order of all blocks. */
static s64 place(const struct model_epoch *epoch, u32 id)
{
	return epoch->first + (s32)(id - epoch->start);
}

static struct model_block *slot_of(struct model *m, s64 at)
{
	return &m->block[(u64)at % m->slots];
}

/* The generation that a packet means, of the two that it may mean. */
static const struct model_epoch *meant(const struct model *m, u16 generation)
{
	if (generation == (u16)m->now.generation)
		return &m->now;
	if (m->before.generation && generation == (u16)m->before.generation)
		return &m->before;
	return NULL;
}

struct model_block *model_slot(struct model *m, const struct weir_block_key *key)
{
	const struct model_epoch *epoch = meant(m, key->generation);

	return slot_of(m, place(epoch ? epoch : &m->now, key->id));
}

/* Behind all blocks that any source has shown. */
static s64 end(const struct model *m)
{
	s64 next = m->now.first;
	unsigned int i;

	for (i = 0; i < m->sources; i++)
		if (m->shown[i] >= next)
			next = m->shown[i] + 1;
	return next;
}

/* Only forward, where forward is less than half of 16 bits. */
static bool follow(struct model *m, u16 generation, u32 start)
{
	u16 ahead = generation - (u16)m->now.generation;
	u64 old = m->now.generation;

	if (old && (!ahead || ahead >= 1 << 15))
		return false;
	m->before = m->now;
	m->now.first = end(m);
	m->now.start = start;
	m->now.generation = old ? old + ahead : (1ULL << 32) + generation;
	return true;
}

/*
 * A packet begins it: a source that lacks a result of the one before may still get it. It begins with
 * block 0, or with a window before the packet's.
 */
u16 model_advance(struct model *m, u16 generation, u32 id)
{
	follow(m, generation, id < m->slots ? 0 : id - m->window);
	return m->now.generation;
}

/* The box gives it out, to all. */
u16 model_begin(struct model *m, u16 generation, u32 start)
{
	unsigned int i;

	if (!follow(m, generation, start))
		return m->now.generation;
	m->before.generation = 0;
	for (i = 0; i < m->sources; i++) {
		m->shown[i] = m->now.first - 1;
		m->given[i] = m->now.first - 1;
		m->acked[i] = m->now.first;
		m->behind[i] = false;
		m->straggles[i] = false;
		m->retried[i] = false;
	}
	m->front = m->now.first - 1;
	return m->now.generation;
}

bool model_is_open(const struct model *m, const struct model_block *b)
{
	return b->state == MODEL_OPEN && b->generation == m->now.generation;
}

u32 model_count_open(const struct model *m)
{
	u32 i, n = 0;

	for (i = 0; i < m->slots; i++)
		n += model_is_open(m, &m->block[i]);
	return n;
}

s64 model_place(const struct model *m, u32 id)
{
	return place(&m->now, id);
}

/* The last result that a source has, with all before it. */
static s64 floor_of(const struct model *m, unsigned int source)
{
	s64 implied = m->shown[source] - m->window;

	return m->acked[source] - 1 > implied ? m->acked[source] - 1 : implied;
}

/* Return true if a source lacks a result older than the table's slots. */
static bool lacks_evicted(const struct model *m, unsigned int source)
{
	return floor_of(m, source) < m->front - m->slots;
}

/* A source has got further, and may have caught up. */
static void moved(struct model *m, unsigned int source, s64 at, bool present)
{
	bool was_behind = m->behind[source];

	if (!lacks_evicted(m, source))
		m->behind[source] = false;
	if (!present)
		return;
	if (at + m->window >= m->front) {
		m->straggles[source] = false;
		m->retried[source] = false;
	} else if (m->straggles[source] && !m->retried[source] && !was_behind) {
		m->straggles[source] = false;
		m->retried[source] = true;
	}
}

/* A block from a source shows that it has all results a window before it. */
static void show(struct model *m, unsigned int source, s64 at, bool gives)
{
	if (at > m->shown[source])
		m->shown[source] = at;
	if (gives && at > m->given[source])
		m->given[source] = at;
	moved(m, source, at, gives);
}

bool model_ack(struct model *m, unsigned int source, s64 at, bool present)
{
	if (at > m->front + m->slots)
		return false;
	if (at > m->acked[source])
		m->acked[source] = at;
	moved(m, source, at, present);
	return true;
}

void model_return(struct model *m, unsigned int source)
{
	if (m->evict_after != U64_MAX && lacks_evicted(m, source))
		m->behind[source] = true;
	m->absent[source] = false;
}

/* Return true if a result is retained for a source because the source lacks it. */
static bool is_held_for(const struct model *m, unsigned int source, s64 at)
{
	return !m->absent[source] && !m->behind[source] && floor_of(m, source) < at;
}

static bool is_beyond(const struct model *m, s64 at)
{
	unsigned int i;

	for (i = 0; i < m->sources; i++)
		if (at <= m->shown[i] + m->slots)
			return false;
	return true;
}

static bool is_far(const struct model *m, u16 source, s64 at)
{
	unsigned int i;

	for (i = 0; i < m->sources; i++)
		if (i != source && is_held_for(m, i, at - m->slots))
			return true;
	return false;
}

/* No source that blocks wait for lacks a result up to this one. */
static bool only_stragglers_lack(const struct model *m, u16 source, s64 at)
{
	unsigned int i;

	for (i = 0; i < m->sources; i++)
		if (i != source && !m->straggles[i] && is_held_for(m, i, at))
			return false;
	return true;
}

/* Return the negative reason for which a block may not take a slot, or 0. */
static int in_the_way(struct model *m, const struct model_block *b, const struct weir_block_key *key,
		      u64 now, struct model_outcome *out)
{
	const u16 source = key->source;
	const u32 id = key->id;
	s64 at = place(&m->now, id);
	bool far = is_far(m, source, at);
	bool is_now = b->state != MODEL_EMPTY && b->generation == m->now.generation;

	if (is_now ? !reached(id, b->id) : at < m->now.first)
		return -WEIR_REASON_STALE;
	if (far && is_beyond(m, at))
		return -WEIR_REASON_AHEAD;
	show(m, source, at, key->count);
	if (!far)
		return is_now && b->state == MODEL_OPEN ? -WEIR_REASON_BUSY : 0;
	out->evicted = m->evict_after != U64_MAX && b->state != MODEL_OPEN &&
		       (b->state == MODEL_EMPTY || now >= b->done + m->evict_after ||
			only_stragglers_lack(m, source, at - m->slots));
	out->retained = !out->evicted;
	out->retained_seq = at - m->slots;
	return out->evicted ? 0 : -WEIR_REASON_BUSY;
}

/* Mark the sources that lack the result as behind. Return whether there are any. */
static bool evict(struct model *m, u16 source, s64 at)
{
	unsigned int i;
	bool any = false;

	for (i = 0; i < m->sources; i++) {
		if (i == source || !is_held_for(m, i, at))
			continue;
		m->behind[i] = true;
		any = true;
	}
	return any;
}

/* Memory that readers hold is left to them. */
static bool take_memory(struct model *m, struct model_block *b, struct model_outcome *out)
{
	if (b->memory->holders == 1)
		return true;
	if (m->no_memory)
		return false;
	model_put(b->memory);
	b->memory = memory_new();
	out->replaced = true;
	return true;
}

static int take_slot(struct model *m, struct model_block *b,
		     const struct weir_block_key *key, u64 now,
		     struct model_outcome *out)
{
	int err = in_the_way(m, b, key, now, out);

	if (err)
		return err;
	if (!take_memory(m, b, out))
		return -WEIR_REASON_NOMEM;
	out->opened = true;
	out->abandoned = b->state == MODEL_OPEN;
	b->state = MODEL_OPEN;
	b->id = key->id;
	b->generation = m->now.generation;
	b->count = key->count;
	b->little = key->little;
	b->received = 0;
	b->overflow = false;
	b->aged = false;
	b->start = now;
	memset(b->in, 0, sizeof(b->in));
	memset(b->late, 0, sizeof(b->late));
	memset(b->brief, 0, sizeof(b->brief));
	memset(b->sum, 0, sizeof(b->sum));
	b->at = place(&m->now, key->id);
	if (b->at > m->front)
		m->front = b->at;
	if (out->evicted)
		out->evicted = evict(m, key->source, b->at - m->slots);
	return 0;
}

static bool is_in_slot(const struct model *m, const struct model_block *b, u32 id)
{
	return b->state != MODEL_EMPTY && b->id == id &&
	       b->generation == m->now.generation;
}

static void sum_up(struct model_block *b, const s32 *grads)
{
	unsigned int i;
	s64 sum;

	for (i = 0; i < b->count; i++) {
		sum = (s64)b->sum[i] + grads[i];
		b->overflow |= sum < INT32_MIN || sum > INT32_MAX;
		b->sum[i] = (s32)(u32)sum;
	}
}

/* Return true if no source is waited for any longer. */
static bool is_done(const struct model *m, const struct model_block *b)
{
	unsigned int i;

	if (m->quorum && b->received >= m->quorum)
		return true;
	for (i = 0; i < m->sources; i++)
		if (!b->in[i] && !m->excluded[i] && !m->straggles[i])
			return false;
	return true;
}

static int take_late(struct model_block *b, u16 source)
{
	if (b->in[source] || b->late[source])
		return WEIR_VERDICT_REPEAT;
	b->late[source] = true;
	return WEIR_VERDICT_LATE;
}

static int take_in_time(struct model *m, struct model_block *b,
			const struct weir_block_key *key, const s32 *grads, u64 now)
{
	if (b->in[key->source])
		return -WEIR_REASON_DUPLICATE;
	b->in[key->source] = true;
	b->brief[key->source] = key->shares & WEIR_CONTRIB_BRIEF;
	b->received++;
	b->last = now;
	if (!(key->shares & WEIR_CONTRIB_EMPTY))
		sum_up(b, grads);
	if (!is_done(m, b))
		return WEIR_VERDICT_SUMMED;
	b->state = MODEL_ANSWERED;
	b->done = now;
	return WEIR_VERDICT_COMPLETE;
}

/* Of the generation before there are results, and nothing else. */
static bool is_left(const struct model *m, const struct model_block *b,
		    const struct weir_block_key *key)
{
	return b->state == MODEL_ANSWERED && b->id == key->id &&
	       b->generation == m->before.generation;
}

static int contribute(struct model *m, const struct weir_block_key *key,
		      const s32 *grads, u64 now, struct model_outcome *out)
{
	const struct model_epoch *epoch = meant(m, key->generation);
	struct model_block *b = model_slot(m, key);
	int err;

	if (!epoch || (epoch == &m->before && !is_left(m, b, key)))
		return -WEIR_REASON_GENERATION;
	if (epoch == &m->now && is_in_slot(m, b, key->id)) {
		show(m, key->source, place(epoch, key->id), key->count);
	} else if (epoch == &m->now) {
		err = take_slot(m, b, key, now, out);
		if (err)
			return err;
	}
	if (key->count != b->count || key->little != b->little)
		return -WEIR_REASON_COUNT;
	out->lateness = now > b->start ? now - b->start : 0;
	if (b->state == MODEL_ANSWERED)
		return take_late(b, key->source);
	return take_in_time(m, b, key, grads, now);
}

struct model_outcome model_contribute(struct model *m,
				      const struct weir_block_key *key,
				      const s32 *grads, u64 now)
{
	struct model_outcome out = { };

	out.verdict = contribute(m, key, grads, now, &out);
	out.received = model_slot(m, key)->received;
	return out;
}

static int query(struct model *m, const struct weir_block_key *key, u64 now,
		 struct model_outcome *out)
{
	const struct model_epoch *epoch = meant(m, key->generation);
	struct model_block *b = model_slot(m, key);

	if (!epoch)
		return -WEIR_REASON_GENERATION;
	if (epoch == &m->before)
		return is_left(m, b, key) ? WEIR_VERDICT_REPEAT :
					    -WEIR_REASON_GENERATION;
	if (!is_in_slot(m, b, key->id))
		return in_the_way(m, b, key, now, out) ?:
		       WEIR_VERDICT_WANTED;
	show(m, key->source, place(epoch, key->id), key->count);
	if (b->state == MODEL_ANSWERED)
		return WEIR_VERDICT_REPEAT;
	out->received = b->received;
	return b->in[key->source] ? WEIR_VERDICT_HELD : WEIR_VERDICT_WANTED;
}

struct model_outcome model_query(struct model *m,
				 const struct weir_block_key *key, u64 now)
{
	struct model_outcome out = { };

	out.verdict = query(m, key, now, &out);
	return out;
}

static u64 deadline(const struct model_block *b, const struct weir_ageing *ageing)
{
	u64 timeout = b->start + ageing->timeout;
	u64 grace = b->last + ageing->grace;

	if (!ageing->timeout)
		return U64_MAX;
	return timeout > grace ? timeout : grace;
}

/* Old generations' too: a visit has to sweep them away. */
u64 model_due(const struct model *m, const struct model_block *b,
	      const struct weir_ageing *ageing)
{
	if (b->state != MODEL_OPEN)
		return U64_MAX;
	if (is_done(m, b))
		return 0;
	return b->aged && !ageing->answer ? U64_MAX : deadline(b, ageing);
}

/* Mark sources as stragglers unless they have sent this block or a later one. */
static void note_stragglers(struct model *m, const struct model_block *b)
{
	unsigned int i;

	for (i = 0; i < m->sources; i++)
		if (!b->in[i] && m->given[i] < b->at)
			m->straggles[i] = true;
}

enum weir_age model_age(struct model *m, struct model_block *b,
			const struct weir_ageing *ageing, u64 now)
{
	bool again = b->aged, done = is_done(m, b);

	if (b->state != MODEL_OPEN)
		return WEIR_AGE_NONE;
	if (b->generation != m->now.generation) {
		b->state = MODEL_EMPTY;
		return WEIR_AGE_SWEPT;
	}
	if (!done && now < deadline(b, ageing))
		return WEIR_AGE_NONE;
	if (done || ageing->answer) {
		b->state = MODEL_ANSWERED;
		b->done = now;
	}
	if (done)
		return WEIR_AGE_DONE;
	b->aged = true;
	if (again)
		return ageing->answer ? WEIR_AGE_DONE : WEIR_AGE_NONE;
	if (ageing->answer)
		note_stragglers(m, b);
	return ageing->answer ? WEIR_AGE_ANSWERED : WEIR_AGE_COUNTED;
}
