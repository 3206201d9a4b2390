/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_RETENTION_H
#define _WEIR_RETENTION_H

#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/types.h>
#include <uapi/weir.h>

/* flags of struct weir_progress */
#define WEIR_PROGRESS_STRAGGLES	BIT(0)	/* blocks do not wait for the source */
#define WEIR_PROGRESS_BEHIND	BIT(1)	/* a result that the source lacks was evicted */
#define WEIR_PROGRESS_REPORTED	BIT(2)	/* and that has been reported */
#define WEIR_PROGRESS_RETRIED	BIT(3)	/* blocks have waited once more */

/**
 * struct weir_progress - how far a source has got
 * @sent: the last block that it has sent, or asked about
 * @contributed: the last block that it has contributed to: a question does not show that the
 *	source's program is there
 * @acked: the first block whose result it has not acknowledged explicitly
 * @flags: WEIR_PROGRESS_*
 *
 * Nearly each packet of the source writes it, and the packets of other sources come on other CPUs:
 * so it has a cache line of its own.
 */
struct weir_progress {
	u32	sent;
	u32	contributed;
	u32	acked;
	atomic_t flags;
} ____cacheline_aligned_in_smp;

/**
 * struct weir_retention - which results the sources have, and which have to be retained
 * @sources: number of sources
 * @slots: results that the table holds, those of open blocks included
 * @window: blocks that a source may have outstanding
 * @evict_after: ns after which a result may be evicted though a source lacks it that is no
 *	straggler; U64_MAX for never, and no result that any source lacks is evicted
 * @absent: sources that no result is retained for: they have no address, or are dead
 * @behind: sources with WEIR_PROGRESS_BEHIND, for which no result is retained either
 * @stragglers: sources with WEIR_PROGRESS_STRAGGLES
 * @straggling: number of sources in @stragglers
 * @returned: number of times that a source has come back
 * @low: the low-water mark at the last look at all sources, and above that WEIR_LOW_KNOWN, which
 *	is clear from the return of a source until the next look
 * @front: the last block that was opened
 * @progress: by source id
 *
 * Blocks are sequence numbers here, see struct weir_generations.
 */
struct weir_retention {
	u16		sources;
	u32		slots;
	u32		window;
	u64		evict_after;
	DECLARE_BITMAP(absent, WEIR_SOURCES_MAX);
	DECLARE_BITMAP(behind, WEIR_SOURCES_MAX);
	DECLARE_BITMAP(stragglers, WEIR_SOURCES_MAX);
	atomic_t	straggling;
	atomic_t	returned;
	u64		low;
	u32		front;
	struct weir_progress *progress;
};

/**
 * enum weir_admission - whether a source may be at a block
 * @WEIR_ADMIT: all other sources have the result that the block's slot held before
 * @WEIR_ADMIT_HELD: some source lacks it
 * @WEIR_ADMIT_BEYOND: the block is more than a table ahead of all that any source has ever sent,
 *	its own blocks included: no honest worker is there
 */
enum weir_admission {
	WEIR_ADMIT,
	WEIR_ADMIT_HELD,
	WEIR_ADMIT_BEYOND,
};

int weir_retention_init(struct weir_retention *ret, u16 sources, u32 slots, u32 window);
void weir_retention_uninit(struct weir_retention *ret);
u32 weir_retention_end(const struct weir_retention *ret, u32 start);
void weir_retention_begin(struct weir_retention *ret, u32 next);
void weir_retention_leave(struct weir_retention *ret, u16 source);
void weir_retention_return(struct weir_retention *ret, u16 source);
bool weir_retention_has(const struct weir_retention *ret, u16 source, u32 seq);
bool weir_retention_is_at(const struct weir_retention *ret, u16 source, u32 seq);
enum weir_admission weir_retention_admit(struct weir_retention *ret, u16 source, u32 seq);
bool weir_retention_only_stragglers_lack(const struct weir_retention *ret, u16 source, u32 seq);
bool weir_retention_evict(struct weir_retention *ret, u16 source, u32 seq);
bool weir_retention_report(struct weir_retention *ret, u16 source);
bool weir_retention_ack(struct weir_retention *ret, u16 source, u32 seq, bool present);
void weir_retention_straggle(struct weir_retention *ret, u16 source, u32 seq);
void weir_retention_wait_for_all(struct weir_retention *ret);
void weir_retention_catch_up(struct weir_retention *ret, u16 source);
void weir_retention_moved(struct weir_retention *ret, u16 source, u32 seq, bool present);

/**
 * weir_retention_oldest() - get the first block from which on no result has been evicted
 * @ret: the retention
 */
static inline u32 weir_retention_oldest(const struct weir_retention *ret)
{
	return READ_ONCE(ret->front) + 1 - ret->slots;
}

/**
 * weir_retention_opened() - note that a block was opened
 * @ret: the retention
 * @seq: sequence number of the block
 *
 * Any context. CPUs that open blocks at the same time may leave the mark a few blocks low, until
 * the next block.
 */
static inline void weir_retention_opened(struct weir_retention *ret, u32 seq)
{
	if ((s32)(seq - READ_ONCE(ret->front)) > 0)
		WRITE_ONCE(ret->front, seq);
}

/**
 * weir_retention_sent() - note that a source sends a block, or asks about one
 * @ret: the retention
 * @source: source id
 * @seq: sequence number of the block
 * @contributes: it sends the block
 *
 * Any context. Of two contributions at the same time the mark of the former may be lost, until
 * the next one.
 */
static inline void weir_retention_sent(struct weir_retention *ret, u16 source, u32 seq,
				       bool contributes)
{
	struct weir_progress *progress = &ret->progress[source];
	u32 old = READ_ONCE(progress->sent), seen;

	while ((s32)(seq - old) > 0) {
		seen = cmpxchg(&progress->sent, old, seq);
		if (seen == old)
			break;
		old = seen;
	}
	if (contributes && (s32)(seq - READ_ONCE(progress->contributed)) > 0)
		WRITE_ONCE(progress->contributed, seq);
	if (unlikely(atomic_read(&progress->flags)))
		weir_retention_moved(ret, source, seq, contributes);
}

#endif /* _WEIR_RETENTION_H */
