/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_JOB_KV_H
#define _WEIR_JOB_KV_H

/* Jobs of format kv: streams of pairs come in, and one stream goes out. */
#include <linux/hrtimer.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include <uapi/weir_wire.h>

#include "agg/kv/outbox.h"
#include "agg/kv/table.h"

struct weir_contrib;
struct weir_job;
struct weir_kv_words;
struct weir_merged;
struct weir_path;
struct weir_payload;

#define WEIR_KV_SILENCE_NS	(WEIR_KV_SILENCE * (u64)NSEC_PER_SEC)

/* Bytes that evictions may take of the outbox, beyond those of the packet's own pairs. */
#define WEIR_KV_SPARE		1024

/* All that may leave the table for a packet. Fixed pairs are longer once they are packed. */
#define WEIR_KV_SPILL_MAX	(WEIR_KV_BYTES_MAX / (WEIR_KV_KEY_MAX + 4) * WEIR_KV_PAIR_MAX + \
				 WEIR_KV_SPARE)

/**
 * struct weir_kv_stream - what comes from one source
 * @lock: protects all of it; taken with bottom halves disabled
 * @run: that it is of
 * @session: its number, 0 before the first one
 * @instance: whom it was opened by
 * @next: all packets before this one are taken
 * @more: of those behind it the ones that are taken, by bits
 * @last: the number of WEIR_KV_FIN
 * @has_last: that has been taken
 * @ended: it, and all before it
 * @starved: a packet could not be taken, or the window is closed, for lack of room in the outbox
 * @port: UDP port of the sender, host byte order
 * @bytes: of the outbox that its last packet might have needed
 * @heard: time of the last packet, ns
 * @in: room for a packet's pairs: they are copied before they are checked, as the sender may still
 *	write to its packet
 * @spill: room for pairs that leave the table
 */
struct weir_kv_stream {
	spinlock_t	lock;	/* all of it */
	u32		run;
	u32		session;
	u32		instance;
	u32		next;
	u64		more;
	u32		last;
	bool		has_last;
	bool		ended;
	bool		starved;
	u16		port;
	u32		bytes;
	u64		heard;
	u8		in[WEIR_KV_BYTES_MAX + WEIR_KV_SLACK];
	u8		spill[WEIR_KV_SPILL_MAX];
};

enum weir_kv_state {
	WEIR_KV_CLOSED,
	WEIR_KV_OPENING,
	WEIR_KV_OPENED,
};

/**
 * struct weir_kv_above - the stream that goes out
 * @state: of its session
 * @instance: the number that it was opened with
 * @session: its number, also of the last one
 * @cookie: that the receiver has sent
 * @said: time at which a packet was last sent, ns
 * @hops_due: the receiver is to be told of more hops now
 * @heard: time of the last sign of life of the reducer, or of the run's start, ns; 0 before that
 */
struct weir_kv_above {
	enum weir_kv_state	state;
	u32			instance;
	u32			session;
	u64			cookie;
	bool			hops_due;
	u64			said;
	u64			heard;
};

/**
 * struct weir_kv_sweep - the table, or what has rested in it, is on its way out
 * @is: it is
 * @rested: only keys that no sender has added to
 * @again: time at which the next sweep for rested keys is due, ns
 * @walk: the buckets that it has not come to yet
 * @spill: room for pairs
 */
struct weir_kv_sweep {
	bool	is;
	bool	rested;
	u64	again;
	struct weir_kv_walk walk;
	u8	spill[2 * WEIR_KV_PARCEL_BYTES];
};

/**
 * struct weir_kv_job - the engine of a job of format kv
 * @job: the job
 * @table: the keys
 * @out: pairs that go to the receiver
 * @timer: runs while a run does
 * @lock: protects what follows, but for @stream; inside of a stream's lock
 * @run: number of the run; also read without the lock
 * @done: the run is complete, and all of it is at the receiver; also read without the lock
 * @done_run: the last run that was; also read without the lock
 * @silent: nothing was heard of the receiver for a while, and senders are told; also read
 *	without the lock
 * @hops: boxes that pairs of the run have come by, or that are below, at most; also read without
 *	the lock
 * @opened: streams of the run that were opened
 * @ended: those that have ended
 * @sealed: nothing more goes into the outbox in this run
 * @sweep: the sweep
 * @above: the stream out
 * @stream: by source
 */
struct weir_kv_job {
	struct weir_job		*job;
	struct weir_kv_table	table;
	struct weir_kv_outbox	out;
	struct hrtimer		timer;
	spinlock_t		lock;	/* the run, the sweep and the stream out */
	u32			run;
	bool			done;
	u32			done_run;
	bool			silent;
	u16			hops;
	u16			opened;
	u16			ended;
	bool			sealed;
	struct weir_kv_sweep	sweep;
	struct weir_kv_above	above;
	struct weir_kv_stream	*stream;
};

/* Keys that are in the table. */
static inline u32 weir_kv_held(struct weir_kv_job *kv)
{
	return weir_kv_table_held(&kv->table, READ_ONCE(kv->run));
}

/* engine.c */
void weir_kv_begin(struct weir_kv_job *kv, u32 size);
void weir_kv_collect(struct weir_kv_job *kv);
void weir_kv_end(struct weir_kv_job *kv);
void weir_kv_pump(struct weir_kv_job *kv, u64 now);

/* above.c */
u32 weir_kv_above_size(struct weir_kv_job *kv);
void weir_kv_above_send(struct weir_kv_job *kv, u64 now);
int weir_kv_check_down(const struct weir_job *job, const struct weir_contrib *c);
int weir_kv_down(struct weir_job *job, const struct weir_contrib *c, struct weir_payload *pl,
		 u64 now, struct weir_merged *merged);

/* take.c */
int weir_kv_check_shape(const struct weir_job *job, const struct weir_contrib *c);
int weir_kv_take(const struct weir_path *path, struct weir_contrib *c,
		 const struct weir_payload *pl, u64 now);
void weir_kv_tell(struct weir_kv_job *kv, bool starved);

#endif /* _WEIR_JOB_KV_H */
