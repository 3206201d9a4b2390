/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_BLOCK_H
#define _WEIR_BLOCK_H

#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/cache.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <uapi/weir.h>
#include <uapi/weir_wire.h>

#include "agg/slots/generation.h"
#include "agg/slots/pool.h"
#include "agg/slots/retention.h"

struct page;
struct weir_contrib;
struct weir_payload;
struct weir_reduction;

/* Most bytes of a block's mark. */
#define WEIR_MARK_MAX	96

/**
 * struct weir_marking - a format's data in blocks, beside the gradients: marks
 * @size: bytes a block, WEIR_MARK_MAX at most; 0 for none
 * @fold: adds a contribution's data to a block's mark; @first: it is the block's first, and
 *	the mark's bytes are undefined. Under the block's lock
 */
struct weir_marking {
	u8	size;
	void	(*fold)(void *mark, const struct weir_contrib *c, bool first);
};

/**
 * enum weir_block_state - state of a slot
 * @WEIR_BLOCK_FREE: nothing yet
 * @WEIR_BLOCK_OPEN: a block that still lacks sources
 * @WEIR_BLOCK_ABOVE: it has its sources, and its sum is on its way through the parent box
 * @WEIR_BLOCK_COMPLETE: a result, retained for sources that lack it
 */
enum weir_block_state {
	WEIR_BLOCK_FREE,
	WEIR_BLOCK_OPEN,
	WEIR_BLOCK_ABOVE,
	WEIR_BLOCK_COMPLETE,
};

/**
 * struct weir_block - a slot of a job's block table (Trio paper, figure 18)
 * @lock: guards everything below; taken with bottom halves disabled
 * @id: block id
 * @seq: its sequence number; not of a block of a pair
 * @generation: generation of the block, as weir_generations.now
 * @state: enum weir_block_state
 * @overflow: a sum of integers has left their range
 * @wide: a gradient was too large to rule an overflow out, see reduce.h
 * @aged: it has passed its timeout; the sources missing then are counted
 * @unsent: it is complete, and its result was not sent yet
 * @unlike: exponents are not all the same, or a contribution had another form, see
 *	weir_block_spoil()
 * @ecn: INET_ECN_CE where a contribution had it, else INET_ECN_NOT_ECT where one was not
 *	ECN-capable, else INET_ECN_ECT_0 or INET_ECN_ECT_1
 * @count: gradients (grad_cnt)
 * @has_exponent: contributions have an exponent
 * @little: gradients are little-endian in its packets
 * @form: @count, @has_exponent and @little, which contributions have in common
 * @received: contributions so far (rcvd_cnt)
 * @turn: number of its turn in the pair, serial arithmetic, see pair.h; 0 before the first
 * @empty: contributions whose gradients are not in the sums, where blocks have no pairs
 * @asked: the parent was asked about it and has not answered yet, or the time before which it
 *	is not asked again, ms, as weir_block_may_ask() has it; 0 for never
 * @exponent: the largest one so far
 * @start: time of the first contribution, ns of the monotonic clock
 *	(block_start_time)
 * @last: time of the last contribution that was summed, which stands for the
 *	paper's REF flag
 * @done: time when it was completed, ns
 * @mask: sources that have contributed (rcvd_mask_0 to _3)
 * @late: sources that contributed only after it was answered
 * @pages: sums in the reduction's form while open, gradients as packets have them when complete
 *	(aggr_paddr); weir_blocks.pages of them, in units that lie together, see pool.h. More parts
 *	follow, see struct weir_layout
 *
 * A block finds its slot by its sequence number alone, modulo the table's size, so
 * the table needs no hash, no list and no allocation.
 */
struct weir_block {
	spinlock_t	lock;	/* all of the below */
	u32		id;
	u32		seq;
	u32		generation;
	u8		state;
	u8		overflow:1;
	u8		wide:1;
	u8		aged:1;
	u8		unsent:1;
	u8		unlike:1;
	u8		ecn:2;
	union {
		struct {
			u16	count:14;
			u16	has_exponent:1;
			u16	little:1;
		};
		u16	form;
	};
	u16		received;
	union {
		u16	turn;
		u16	empty;
	};
	u32		asked;
	s32		exponent;
	u64		start;
	u64		last;
	u64		done;
	DECLARE_BITMAP(mask, WEIR_SOURCES_MAX);
	DECLARE_BITMAP(late, WEIR_SOURCES_MAX);
	struct page	*pages[];
} ____cacheline_aligned_in_smp;

/**
 * struct weir_blocks_config - properties of a table
 * @size: blocks that may be open, a power of two
 * @slots: slots, a power of two and at least @size: blocks that may be open, and results retained
 * @sources: contributions that complete a block
 * @grads: gradients a block at most
 * @reduction: operation that combines contributions
 * @marking: the format's marks
 * @paired: slots are pairs, whose two blocks take turns; @size is 2 at least
 * @modular: sums of integers wrap around, and no overflow is noted
 * @repeat_after: ns from sending a result to a source until a repeated contribution of the
 *	source has the result sent to it again, 0 for at once
 * @ranks: workers of all boxes that the job spans, WEIR_RANKS_MAX at most; 0 for one box
 * @above: a block that has its sources is completed by a parent box
 */
struct weir_blocks_config {
	u32				size;
	u32				slots;
	u16				sources;
	u16				ranks;
	bool				above;
	u16				grads;
	const struct weir_reduction	*reduction;
	struct weir_marking		marking;
	bool				paired;
	bool				modular;
	u64				repeat_after;
};

/**
 * struct weir_layout - where the parts of a slot are whose size the job determines, in bytes
 * @mark: the block's mark, see struct weir_marking
 * @ranks: in a table with ranks, a bitmap of those that are in the block
 * @askers: in a table with @above, a bitmap of the sources that have asked since the parent last
 *	replied
 * @repeated: in a table with a repeat_after, a time for each source: when the result was last
 *	repeated to it, ns. A time before weir_block.last is of an earlier block
 * @brief: in a table without pairs, a bitmap of the sources that do not need the result's
 *	gradients; only valid if weir_blocks.has_briefs
 * @stride: from slot to slot
 */
struct weir_layout {
	u16	mark;
	u16	ranks;
	u16	askers;
	u16	repeated;
	u16	brief;
	u16	stride;
};

/**
 * struct weir_blocks - a job's block table
 * @size: slots, a power of two
 * @open_max: blocks that may be open, of which each source may have half outstanding
 * @layout: the parts of a slot
 * @pages: pages a block
 * @unit: number of pages that lie together and are held together, 1 or 2
 * @paired: each of the first @size / 2 slots makes a pair with the one so many further on, and
 *	@size is @open_max
 * @above: see struct weir_blocks_config
 * @has_briefs: some source has not needed the gradients of some result. Set once, under the lock of
 *	that result's block
 * @sources: the job's sources
 * @ranks: see struct weir_blocks_config
 * @quorum: contributions that a block is answered with, 0 for all
 * @bias: see weir_reduce_bias()
 * @reduction: operation that combines contributions
 * @marking: the format's marks
 * @repeat_after: see struct weir_blocks_config
 * @all: bitmap of all sources
 * @excluded: sources that blocks are complete without
 * @gens: the current generation and the one before
 * @retention: state of the retention of results
 * @slot: the slots; see weir_blocks_slot()
 */
struct weir_blocks {
	u32			size;
	u32			open_max;
	struct weir_layout	layout;
	u8			pages;
	u8			unit;
	bool			paired;
	bool			above;
	bool			has_briefs;
	u16			sources;
	u16			ranks;
	u16			quorum;
	u32			bias;
	const struct weir_reduction *reduction;
	struct weir_marking	marking;
	u64			repeat_after;
	DECLARE_BITMAP(all, WEIR_SOURCES_MAX);
	DECLARE_BITMAP(excluded, WEIR_SOURCES_MAX);
	struct weir_generations	gens;
	struct weir_retention	retention;
	void			*slot;
};

/**
 * struct weir_result - a complete block's content, outside of its lock
 * @id: block id
 * @generation: generation
 * @count: gradients
 * @len: bytes that they take
 * @received: contributors: sources, or where the job spans boxes ranks
 * @overflow: a sum of integers left their range
 * @aged: it had timed out before it was answered
 * @degraded: not all sources are in it, or not all ranks
 * @above: it is a sum for the parent box, and not a result
 * @little: the gradients are little-endian
 * @has_exponent: @exponent is the largest of its contributors'
 * @unlike: they have not all the same, or not all contributions had one form
 * @has_briefs: @brief is valid, else no source is in it
 * @exponent: see there
 * @ecn: the two bits of its packet's IP header, where its format has ECN: CE where a
 *	contribution had it, else ECT(0) where all were ECN-capable
 * @start: time of the first contribution
 * @mask: the sources that contributed here
 * @brief: of them, those that do not need the gradients
 * @ranks: in a table with ranks, a bitmap of those that are in it, of all boxes. Its memory is
 *	the caller's, which sets the pointer before the result is filled, or to NULL if it does not
 *	need them; NULL after that in a table without ranks
 * @pages: the gradients as packets have them; the holder owns a reference to each
 * @npages: pages used
 * @mark: the block's mark, weir_marking.size bytes of it
 *
 * It is on the stack of each packet, and therefore small: 4,096 ranks take 512 bytes, and only
 * the functions for jobs that span boxes have room for them.
 */
struct weir_result {
	u32		id;
	u16		generation;
	u16		count;
	u16		len;
	u16		received;
	bool		overflow;
	bool		aged;
	bool		degraded;
	bool		above;
	bool		little;
	bool		has_exponent;
	bool		unlike;
	bool		has_briefs;
	u8		ecn;
	s32		exponent;
	u64		start;
	DECLARE_BITMAP(mask, WEIR_SOURCES_MAX);
	DECLARE_BITMAP(brief, WEIR_SOURCES_MAX);
	unsigned long	*ranks;
	struct page	*pages[WEIR_RESULT_PAGES];
	unsigned int	npages;
	u8		mark[WEIR_MARK_MAX] __aligned(8);
};

static_assert(sizeof(struct weir_result) <= 232);

/**
 * enum weir_verdict - the effect of a contribution or query that was not refused
 * @WEIR_VERDICT_SUMMED: it is in the sum, other sources are missing
 * @WEIR_VERDICT_COMPLETE: it was the last; the result is filled
 * @WEIR_VERDICT_REPEAT: the block is complete already; the result is filled, for
 *	this source alone
 * @WEIR_VERDICT_LATE: as WEIR_VERDICT_REPEAT, and the source is not in it and is late for the first
 *	time
 * @WEIR_VERDICT_HELD: a query; the source is in the block, other sources are missing
 * @WEIR_VERDICT_WANTED: a query; the source is not in the block, or no source is
 * @WEIR_VERDICT_ABOVE: a query or a contribution; the block's sum is with the parent box
 * @WEIR_VERDICT_LATE_ABOVE: as WEIR_VERDICT_ABOVE, for a contribution that is not in it, the first
 *	time
 *
 * Refusals are the negated enum weir_reason.
 */
enum weir_verdict {
	WEIR_VERDICT_SUMMED,
	WEIR_VERDICT_COMPLETE,
	WEIR_VERDICT_REPEAT,
	WEIR_VERDICT_LATE,
	WEIR_VERDICT_HELD,
	WEIR_VERDICT_WANTED,
	WEIR_VERDICT_ABOVE,
	WEIR_VERDICT_LATE_ABOVE,
};

/* The contributors that a result names: sources, or ranks in a table with ranks. */
static inline const unsigned long *weir_result_contributors(const struct weir_result *res)
{
	return res->ranks ?: res->mask;
}

/* Return true if the block's sum is with the parent box. */
static inline bool weir_verdict_is_above(int verdict)
{
	return verdict == WEIR_VERDICT_ABOVE || verdict == WEIR_VERDICT_LATE_ABOVE;
}

/**
 * enum weir_claim - the aim of a contribution to a block of a pair
 * @WEIR_CLAIM_SUM: be summed, as the first one to a block where it is not open
 * @WEIR_CLAIM_JOIN: be summed, where its block is there
 * @WEIR_CLAIM_ASK: not be summed: its sender wants the result, where its block is there
 * @WEIR_CLAIM_REMIND: not be summed: its sender wants the result, if its block is complete and
 *	the result was not repeated to its sender yet. In a table without a repeat_after no block is
 *	as if there
 */
enum weir_claim {
	WEIR_CLAIM_SUM,
	WEIR_CLAIM_JOIN,
	WEIR_CLAIM_ASK,
	WEIR_CLAIM_REMIND,
};

/* Of struct weir_block.form: the bits behind the number of gradients. */
#define WEIR_FORM_EXPONENT	BIT(14)
#define WEIR_FORM_LITTLE	BIT(15)

static_assert(WEIR_GRADS_MAX < WEIR_FORM_EXPONENT);

/**
 * struct weir_block_key - identifies a contribution and its block
 * @id: block id
 * @generation: generation
 * @source: source id, below the table's sources
 * @count: gradients; 0 in a query
 * @has_exponent: there is an exponent
 * @little: the gradients are little-endian
 * @form: these three, as one contribution and its block are compared
 * @exponent: a number of which the result has the largest
 * @ecn: the two bits of the packet's IP header
 * @shares: WEIR_CONTRIB_EMPTY if its gradients are left out, WEIR_CONTRIB_BRIEF if its source does
 *	not need the result's
 * @said: the whole contribution, for weir_marking.fold
 * @ranks: in a table with ranks, those that it is the sum of; a bitmap of so many
 * @overflow: it is the sum of a box, in which integers have left their range
 * @unlike: it is the sum of a box, whose contributions had unlike exponents, or another form
 * @pair: the pair that the block is of, where the table has pairs
 * @second: it is the second one of it
 * @claim: its aim, where the table has pairs
 */
struct weir_block_key {
	u32	id;
	u16	generation;
	u16	source;
	union {
		struct {
			u16	count:14;
			u16	has_exponent:1;
			u16	little:1;
		};
		u16	form;
	};
	s32	exponent;
	u8	ecn;
	u16	shares;
	const struct weir_contrib *said;
	const unsigned long *ranks;
	bool	overflow;
	bool	unlike;
	u16	pair;
	bool	second;
	enum weir_claim	claim;
};

/**
 * struct weir_outcome - further effects of a contribution or query
 * @opened: it was the block's first
 * @abandoned: an open block of an older generation was swept away for it
 * @evicted: a result was evicted for it, and sources that lacked it are behind from now on; of a
 *	query, a result would be
 * @replaced: pages that were left to receivers which held them
 * @retained: it was refused, as some source lacks the result of the block a table earlier
 * @retained_seq: sequence number of that block
 * @seq: the block's sequence number, where its generation is accepted
 * @received: contributions to the block, this one included; to a query the ranks in it, where
 *	the table has them
 * @lateness: ns since the block's first contribution
 * @res: filled for verdicts with a result; the caller puts it. Of other queries only its mask and
 *	its ranks are, with the contributors so far
 */
struct weir_outcome {
	bool			opened;
	bool			abandoned;
	bool			evicted;
	bool			retained;
	u8			replaced;
	u32			retained_seq;
	u32			seq;
	u16			received;
	u64			lateness;
	struct weir_result	res;
};

/**
 * struct weir_glance - state of a block for one source
 * @complete: it has a result
 * @aged: it is open, and has passed its timeout
 * @in: the source has contributed
 */
struct weir_glance {
	bool	complete;
	bool	aged;
	bool	in;
};

/**
 * struct weir_ageing - the rule by which blocks age
 * @timeout: ns after its first contribution, 0 for never
 * @grace: ns after its last contribution
 * @answer: answer the block then; else only missing sources are counted
 */
struct weir_ageing {
	u64	timeout;
	u64	grace;
	bool	answer;
};

/**
 * enum weir_age - result of a look at a slot
 * @WEIR_AGE_NONE: nothing to do now
 * @WEIR_AGE_SWEPT: an open block of an older generation, swept away
 * @WEIR_AGE_COUNTED: a block has aged, and goes on waiting
 * @WEIR_AGE_ANSWERED: a block has aged; its result is filled
 * @WEIR_AGE_DONE: a block that was counted before, or that is complete since the quorum was
 *	lowered or a source excluded, or whose result was left unsent; its result is filled
 */
enum weir_age {
	WEIR_AGE_NONE,
	WEIR_AGE_SWEPT,
	WEIR_AGE_COUNTED,
	WEIR_AGE_ANSWERED,
	WEIR_AGE_DONE,
};

/*
 * Return how many blocks a source may have outstanding. This is constant, as a job has a table of
 * its own; PANAMA divides one memory by the number of jobs.
 */
static inline u16 weir_blocks_room(const struct weir_blocks *blocks)
{
	return clamp_t(u32, blocks->open_max / 2, 1, U16_MAX);
}

int weir_blocks_init(struct weir_blocks *blocks, const struct weir_blocks_config *config);
void weir_blocks_uninit(struct weir_blocks *blocks);
u32 weir_blocks_slots(const struct weir_blocks_config *config, u64 retain);
u32 weir_blocks_slots_default(const struct weir_blocks_config *config);
u64 weir_blocks_retain(const struct weir_blocks *blocks);
u64 weir_blocks_bytes(const struct weir_blocks_config *config);
u32 weir_blocks_open(struct weir_blocks *blocks);

int weir_block_contribute(struct weir_blocks *blocks,
			  const struct weir_block_key *key,
			  const struct weir_payload *pl, u64 now,
			  struct weir_outcome *out);
int weir_block_contribute_paired(struct weir_blocks *blocks, const struct weir_block_key *key,
				 const struct weir_payload *pl, u64 now,
				 struct weir_outcome *out);
int weir_block_spoil(struct weir_blocks *blocks, const struct weir_block_key *key, u64 now,
		     struct weir_outcome *out);
int weir_block_query(struct weir_blocks *blocks,
		     const struct weir_block_key *key, u64 now,
		     struct weir_outcome *out);
int weir_block_answer(struct weir_blocks *blocks, const struct weir_block_key *key, bool aged,
		      const struct weir_payload *pl, u64 now, struct weir_outcome *out);
bool weir_block_may_ask(struct weir_blocks *blocks, u32 seq, u16 source, u64 now);
bool weir_block_replied(struct weir_blocks *blocks, const struct weir_block_key *key,
			struct weir_result *res, unsigned long *askers);
bool weir_block_lose(struct weir_blocks *blocks, const struct weir_block_key *key,
		     unsigned long *askers);
void weir_block_glance(struct weir_blocks *blocks, u32 id, u16 source,
		       struct weir_glance *glance);
void weir_block_drop(struct weir_blocks *blocks, u32 id);
bool weir_block_leave_unsent(struct weir_blocks *blocks, u32 seq,
			     const struct weir_result *res);
bool weir_block_may_be_due(const struct weir_block *block);
u64 weir_block_due(const struct weir_blocks *blocks,
		   const struct weir_block *block,
		   const struct weir_ageing *ageing);
enum weir_age weir_block_age(struct weir_blocks *blocks,
			     struct weir_block *block,
			     const struct weir_ageing *ageing, u64 now,
			     struct weir_result *res);
bool weir_block_look(struct weir_blocks *blocks, struct weir_block *block,
		     struct weir_result *res);
void weir_block_awaited(struct weir_blocks *blocks, struct weir_block *block,
			unsigned long *awaited);
void weir_block_missing(const struct weir_blocks *blocks,
			const struct weir_result *res, unsigned long *missing);
void weir_result_put(struct weir_result *res);

/**
 * weir_blocks_generation() - the current generation, as packets carry it
 * @blocks: the table
 */
static inline u16 weir_blocks_generation(const struct weir_blocks *blocks)
{
	return READ_ONCE(blocks->gens.now);
}

/* Return true if any generation has begun. */
static inline bool weir_blocks_have_begun(const struct weir_blocks *blocks)
{
	return READ_ONCE(blocks->gens.now);
}

/*
 * Begin a generation by a packet that carries a newer one, see weir_generations_advance(). Nearly
 * all packets carry the current one.
 */
static inline u16 weir_blocks_advance(struct weir_blocks *blocks, u16 generation, u32 id)
{
	u32 now = READ_ONCE(blocks->gens.now);

	if (likely(now && (u16)now == generation))
		return generation;
	return weir_generations_advance(&blocks->gens, &blocks->retention, generation, id);
}

/* The box begins a generation, see weir_generations_begin(). */
static inline u16 weir_blocks_begin(struct weir_blocks *blocks, u16 generation,
				    u32 start)
{
	return weir_generations_begin(&blocks->gens, &blocks->retention, generation, start);
}

/* The first packet is from the middle of a generation, see weir_generations_resume(). */
static inline void weir_blocks_resume(struct weir_blocks *blocks, u16 generation, u32 start)
{
	weir_generations_resume(&blocks->gens, &blocks->retention, generation, start);
}

/**
 * weir_blocks_slot() - a slot of the table
 * @blocks: the table
 * @i: index of the slot, below the table's size
 */
static inline struct weir_block *weir_blocks_slot(const struct weir_blocks *blocks, u32 i)
{
	return blocks->slot + (size_t)i * blocks->layout.stride;
}

static inline u32 weir_block_slot(const struct weir_blocks *blocks, u32 seq)
{
	return seq & (blocks->size - 1);
}

#endif /* _WEIR_BLOCK_H */
