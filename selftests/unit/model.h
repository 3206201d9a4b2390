/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A block table's behaviour, in plain slow code: written from the comments in
 * block.h, retention.h and weir_wire.h, to be compared with the module's own.
 */
#ifndef MODEL_H
#define MODEL_H

#include "kernel.h"

#include "agg/slots/block.h"

#define MODEL_SOURCES	16
#define MODEL_SLOTS	16
#define MODEL_GRADS	1030	/* some more than fit into a page */

/* A result's memory, one piece: it lives while the table or a reader holds it. */
struct model_memory {
	unsigned int holders;
};

enum model_state { MODEL_EMPTY, MODEL_OPEN, MODEL_ANSWERED };

struct model_block {
	enum model_state state;
	u32 id;
	u64 generation;			/* counted from 0, and never wraps */
	u16 count;
	bool little;
	u16 received;
	bool overflow;
	bool aged;
	u64 start;
	u64 last;
	u64 done;			/* when it was answered */
	s64 at;				/* where it is in the order of all blocks */
	bool in[MODEL_SOURCES];
	bool late[MODEL_SOURCES];
	bool brief[MODEL_SOURCES];	/* needs no gradients of the result */
	s32 sum[MODEL_GRADS];
	struct model_memory *memory;
};

/* A generation, and where in the order of all blocks its first one is. */
struct model_epoch {
	u64 generation;			/* 0 for none */
	u32 start;			/* block that it begins with */
	s64 first;			/* where that one is */
};

struct model {
	u32 slots;
	u16 sources;
	u16 quorum;
	struct model_epoch now, before;
	bool excluded[MODEL_SOURCES];
	bool absent[MODEL_SOURCES];
	bool behind[MODEL_SOURCES];	/* lacks a result that was evicted */
	bool straggles[MODEL_SOURCES];	/* blocks do not wait for it */
	bool retried[MODEL_SOURCES];	/* they have once more since */
	s64 shown[MODEL_SOURCES];	/* the furthest block sent or asked for */
	s64 given[MODEL_SOURCES];	/* the furthest block contributed to */
	s64 acked[MODEL_SOURCES];	/* the first that is not acknowledged */
	s64 front;			/* the last block opened */
	u32 window;			/* blocks outstanding at most */
	u64 evict_after;		/* U64_MAX for never */
	struct model_block block[MODEL_SLOTS];
	bool no_memory;			/* there is no page to be had */
};

/* Result of a contribution or query. */
struct model_outcome {
	int verdict;
	bool opened;
	bool abandoned;
	bool evicted;
	bool replaced;
	bool retained;
	u32 retained_seq;
	u16 received;
	u64 lateness;
};

void model_make(struct model *m, u32 slots, u32 window, u16 sources);
void model_unmake(struct model *m);
struct model_block *model_slot(struct model *m, const struct weir_block_key *key);
u16 model_advance(struct model *m, u16 generation, u32 id);
u16 model_begin(struct model *m, u16 generation, u32 start);
struct model_outcome model_contribute(struct model *m,
				      const struct weir_block_key *key,
				      const s32 *grads, u64 now);
struct model_outcome model_query(struct model *m,
				 const struct weir_block_key *key, u64 now);
bool model_ack(struct model *m, unsigned int source, s64 at, bool present);
void model_return(struct model *m, unsigned int source);
s64 model_place(const struct model *m, u32 id);
u64 model_due(const struct model *m, const struct model_block *b,
	      const struct weir_ageing *ageing);
enum weir_age model_age(struct model *m, struct model_block *b,
			const struct weir_ageing *ageing, u64 now);
bool model_is_open(const struct model *m, const struct model_block *b);
u32 model_count_open(const struct model *m);
unsigned int model_pages_of(u16 count);
void model_hold(struct model_memory *memory);
void model_put(struct model_memory *memory);

#endif /* MODEL_H */
