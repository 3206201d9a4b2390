// SPDX-License-Identifier: GPL-2.0
/*
 * Where the workers of a job of format lab are, and so which block a chunk is.
 *
 * Workers go in step: a worker sends no chunk before it has the result of the chunk before. So
 * each worker is at the newest chunk that any has sent, at the chunk before, whose result it
 * may have lost, or, once the newest is complete, at the chunk that follows. Packets carry
 * their chunk's number in the iteration, or none in the basic variants; blocks of the table
 * are numbered through.
 */
#include <linux/lockdep.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <uapi/weir.h>
#include <uapi/weir_bpf.h>

#include "agg/format/lab_place.h"
#include "agg/slots/block.h"

/*
 * Number of times in a row that a source sends a chunk without a place before its chunk is taken to
 * be another one, and before a new run begins, if all sources do. A late packet comes once, or
 * twice if the network duplicates it. Late packets of all sources must not end the current run,
 * because its results cannot be sent again then.
 */
#define WEIR_LAB_INSISTS	2
#define WEIR_LAB_ALL_INSIST	4

/**
 * struct weir_lab_source - the memory of a source
 * @sent: a hash of the bytes that it sent last for a chunk which needs them to be known
 * @block: the block of that chunk
 * @has_sent: it has, in this run
 * @asked: the name of the last chunk that it sent and that has no place
 * @bytes: a hash of that chunk's bytes
 * @times: number of times in a row that it has sent that chunk, WEIR_LAB_ALL_INSIST at most
 * @crossed: it has asked again for the result of an iteration's only chunk, and may have been
 *	answered meanwhile
 */
struct weir_lab_source {
	u64			sent;
	u32			block;
	bool			has_sent;
	struct weir_lab_name	asked;
	u64			bytes;
	u8			times;
	bool			crossed;
};

/**
 * struct weir_lab_state - where a job's workers are
 * @lock: guards everything below; taken with bottom halves disabled
 * @runs: some chunk has been sent
 * @has_before: @before is of this run
 * @now: the newest chunk
 * @before: the one before it
 * @block: the block of @now in the current generation; that of @before is one less
 * @source: by source id
 *
 * A run is a generation of the job: it begins with the first packet, and where workers have
 * restarted.
 */
struct weir_lab_state {
	spinlock_t		lock;	/* all of the below */
	bool			runs;
	bool			has_before;
	struct weir_lab_name	now;
	struct weir_lab_name	before;
	u32			block;
	struct weir_lab_source	source[];
};

/**
 * struct weir_lab_packet - a contribution that looks for its block
 * @name: its chunk
 * @bytes: a hash of its values, where they tell the chunk
 * @source: its sender
 */
struct weir_lab_packet {
	struct weir_lab_name	name;
	u64			bytes;
	struct weir_lab_source	*source;
};

/* Places of a packet's chunk. */
enum weir_lab_where {
	WEIR_LAB_NOW,		/* the newest chunk */
	WEIR_LAB_NEXT,		/* the one that follows it */
	WEIR_LAB_BEFORE,	/* the one before it */
	WEIR_LAB_PASSED,	/* the one before it, and its source has gone on since */
	WEIR_LAB_OTHER,		/* the newest, with other values than its source has sent for it */
	WEIR_LAB_NOWHERE,	/* a chunk that only a worker sends that has restarted */
};

/**
 * weir_lab_bytes() - memory for where a job's workers are
 * @sources: number of sources of the job
 * @blocks: the job's block slots
 */
size_t weir_lab_bytes(u32 sources, u32 blocks)
{
	return sizeof(struct weir_lab_state) + sources * sizeof(struct weir_lab_source);
}

/**
 * weir_lab_init() - no source has been heard of
 * @state: so many bytes, zeroed
 */
void weir_lab_init(void *state)
{
	struct weir_lab_state *lab = state;

	spin_lock_init(&lab->lock);
}

static bool weir_lab_is(const struct weir_lab_name *a, const struct weir_lab_name *b)
{
	return a->chunk == b->chunk && a->total == b->total;
}

/* Iterations may be of different lengths. */
static bool weir_lab_follows(const struct weir_lab_name *now,
			     const struct weir_lab_name *name)
{
	if (name->chunk == 1)
		return now->chunk && now->chunk == now->total;
	return name->total == now->total &&
	       name->chunk == now->chunk + !!now->chunk;
}

/**
 * weir_lab_tells() - test whether a chunk can be told from others only by its bytes
 * @name: the chunk
 *
 * The first of an iteration may be that of another one; and all may where there are so few
 * that names come again at once.
 */
bool weir_lab_tells(const struct weir_lab_name *name)
{
	return name->chunk == 1 || (name->chunk && name->total <= 2);
}

/* Return true if the last chunk that its source has sent was for this block. */
static bool weir_lab_has_sent(const struct weir_lab_packet *p, u32 block)
{
	const struct weir_lab_source *source = p->source;

	return weir_lab_tells(&p->name) && source->has_sent && source->block == block;
}

static bool weir_lab_repeats(const struct weir_lab_packet *p, u32 block)
{
	return weir_lab_has_sent(p, block) && p->source->sent == p->bytes;
}

/*
 * In iterations of one or two chunks the chunk that follows has the name of the newest one, or
 * of the one before. A source that is in the newest chunk does not lack the one before, and
 * once the newest is complete no source does: with two chunks that tells. With one chunk its
 * bytes tell: a repeated packet has the same.
 */
static enum weir_lab_where weir_lab_look(const struct weir_lab_state *lab,
					 const struct weir_lab_packet *p,
					 const struct weir_glance *newest)
{
	bool before = lab->has_before && weir_lab_is(&lab->before, &p->name);
	bool now = weir_lab_is(&lab->now, &p->name);

	if (newest->complete && weir_lab_follows(&lab->now, &p->name) &&
	    !(now && weir_lab_repeats(p, lab->block)))
		return WEIR_LAB_NEXT;
	if (before && !newest->in && (!now || weir_lab_repeats(p, lab->block - 1)))
		return WEIR_LAB_BEFORE;
	if (now)
		return WEIR_LAB_NOW;
	return before && !weir_lab_tells(&p->name) ? WEIR_LAB_PASSED : WEIR_LAB_NOWHERE;
}

/*
 * A repeated packet has the same bytes. Where it has others, its source has restarted, or the
 * packet before was a late duplicate.
 */
static enum weir_lab_where weir_lab_where(const struct weir_lab_state *lab,
					  const struct weir_lab_packet *p,
					  const struct weir_glance *newest)
{
	enum weir_lab_where where = weir_lab_look(lab, p, newest);
	u32 block = lab->block - (where == WEIR_LAB_BEFORE);

	if ((where != WEIR_LAB_NOW && where != WEIR_LAB_BEFORE) ||
	    !weir_lab_has_sent(p, block) || weir_lab_repeats(p, block))
		return where;
	if (where == WEIR_LAB_BEFORE || newest->complete)
		return WEIR_LAB_NOWHERE;
	return newest->aged ? WEIR_LAB_NOW : WEIR_LAB_OTHER;
}

/* Blocks before stay as they are: no source asks for them, and the table sweeps open ones away. */
static void weir_lab_begin(struct weir_lab_state *lab, struct weir_blocks *blocks,
			   const struct weir_lab_packet *p)
{
	unsigned int i;

	weir_blocks_begin(blocks, weir_blocks_generation(blocks) + 1, 0);
	lab->runs = true;
	lab->has_before = false;
	lab->now = p->name;
	lab->block = 0;
	for (i = 0; i < blocks->sources; i++)
		lab->source[i] = (struct weir_lab_source){};
}

static void weir_lab_advance(struct weir_lab_state *lab, const struct weir_lab_packet *p)
{
	lab->has_before = true;
	lab->before = lab->now;
	lab->now = p->name;
	lab->block++;
}

/* The sums of the newest chunk count no more: sources that are still there send it again. */
static void weir_lab_give_up(struct weir_lab_state *lab, struct weir_blocks *blocks)
{
	unsigned int i;

	weir_block_drop(blocks, lab->block);
	for (i = 0; i < blocks->sources; i++)
		if (lab->source[i].block == lab->block)
			lab->source[i].has_sent = false;
}

/*
 * Count a chunk without a place. Return true if its source has sent it WEIR_LAB_INSISTS times in a
 * row.
 */
static bool weir_lab_insists(const struct weir_lab_packet *p)
{
	struct weir_lab_source *source = p->source;

	if (!weir_lab_is(&source->asked, &p->name) || source->bytes != p->bytes)
		source->times = 0;
	source->asked = p->name;
	source->bytes = p->bytes;
	source->times += source->times < WEIR_LAB_ALL_INSIST;
	return source->times >= WEIR_LAB_INSISTS;
}

/* Return true if all sources do: all have restarted, or the box has lost their places. */
static bool weir_lab_all_insist(const struct weir_lab_state *lab, unsigned int sources,
				const struct weir_lab_name *name)
{
	unsigned int i;

	for (i = 0; i < sources; i++)
		if (lab->source[i].times < WEIR_LAB_ALL_INSIST ||
		    !weir_lab_is(&lab->source[i].asked, name))
			return false;
	return true;
}

/*
 * A packet without a place is late, or from a worker that has restarted. Such a worker sends
 * it again and again: one worker that does so is believed that its own chunk is another, and
 * all together that they are somewhere else. Workers of the basic variants send no packet
 * again: there a new run begins where no other source loses a contribution by it.
 */
static int weir_lab_believe(const struct weir_lab_state *lab, unsigned int sources,
			    const struct weir_lab_packet *p, enum weir_lab_where where,
			    bool idle)
{
	if (!p->name.chunk)
		return idle ? 0 : WEIR_REASON_COUNT;
	if (weir_lab_insists(p) && (where == WEIR_LAB_OTHER ||
				    weir_lab_all_insist(lab, sources, &p->name)))
		return 0;
	return where == WEIR_LAB_NOWHERE && weir_lab_follows(&lab->now, &p->name) ?
	       WEIR_REASON_AHEAD : WEIR_REASON_STALE;
}

/*
 * A worker whose iterations have one chunk takes a result that it gets twice for the one of
 * its next chunk. It asks for one again and again that it has not got. So one question for
 * each answer is passed over: it may have been sent before the answer came.
 */
static bool weir_lab_crosses(const struct weir_lab_packet *p, bool answered)
{
	if (p->name.total != 1 || !answered)
		return false;
	p->source->crossed = !p->source->crossed;
	return p->source->crossed;
}

/*
 * Lets the newest chunk be the one that the packet is for, or the one after that. An open
 * chunk that no packet has added to for the job's timeout is left from workers that are gone.
 * Returns enum weir_lab_where, or a negated enum weir_reason.
 */
static int weir_lab_step(struct weir_lab_state *lab, struct weir_blocks *blocks,
			 const struct weir_lab_packet *p)
{
	enum weir_lab_where where = WEIR_LAB_NOWHERE;
	struct weir_glance newest;
	int reason = 0;

	lockdep_assert_held(&lab->lock);

	weir_block_glance(blocks, lab->block, p->source - lab->source, &newest);
	if (lab->runs)
		where = weir_lab_where(lab, p, &newest);
	if (lab->runs && where >= WEIR_LAB_OTHER)
		reason = weir_lab_believe(lab, blocks->sources, p, where,
					  newest.complete || newest.aged);
	else if (weir_lab_crosses(p, where == WEIR_LAB_BEFORE ||
				  (where == WEIR_LAB_NOW && newest.complete)))
		reason = WEIR_REASON_DUPLICATE;
	if (where == WEIR_LAB_PASSED)
		reason = WEIR_REASON_STALE;
	if (reason)
		return -reason;
	if (where == WEIR_LAB_NOWHERE)
		weir_lab_begin(lab, blocks, p);
	if (where == WEIR_LAB_NEXT)
		weir_lab_advance(lab, p);
	if (where == WEIR_LAB_OTHER || (where == WEIR_LAB_NOW && newest.aged))
		weir_lab_give_up(lab, blocks);
	return where;
}

static void weir_lab_note(const struct weir_lab_packet *p, u32 block)
{
	struct weir_lab_source *source = p->source;

	source->times = 0;
	if (!weir_lab_tells(&p->name))
		return;
	if (!weir_lab_has_sent(p, block))
		source->crossed = false;
	source->has_sent = true;
	source->block = block;
	source->sent = p->bytes;
}

/**
 * weir_lab_find() - the block of a chunk
 * @state: the places of the job's workers, struct weir_lab_state
 * @blocks: its table
 * @c: the contribution; gets generation and block where it is not refused
 * @name: its chunk
 * @bytes: a hash of its values, where weir_lab_tells() says so, else 0
 *
 * Called with bottom halves disabled; takes the state's lock, and slots' locks inside.
 *
 * Return: 0 or an enum weir_reason.
 */
int weir_lab_find(void *state, struct weir_blocks *blocks, struct weir_contrib *c,
		  const struct weir_lab_name *name, u64 bytes)
{
	struct weir_lab_state *lab = state;
	const struct weir_lab_packet p = {
		.name = *name, .bytes = bytes, .source = &lab->source[c->source],
	};
	int where;

	spin_lock(&lab->lock);
	where = weir_lab_step(lab, blocks, &p);
	if (where >= 0) {
		c->block = lab->block - (where == WEIR_LAB_BEFORE);
		c->generation = weir_blocks_generation(blocks);
		weir_lab_note(&p, c->block);
	}
	spin_unlock(&lab->lock);
	return where < 0 ? -where : 0;
}
