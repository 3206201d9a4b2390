/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_ENGINE_H
#define _WEIR_ENGINE_H

/* A job's operations on contributions, selected by its format when the job is added. */
#include <linux/types.h>

struct weir_blocks_config;
struct weir_contrib;
struct weir_job;
struct weir_kv_config;
struct weir_merged;
struct weir_path;
struct weir_payload;

/**
 * struct weir_engine_config - properties of a job's engine
 * @blocks: sources, and of engines with a slot table the table
 * @kv: of key-value streams, the table of keys
 */
struct weir_engine_config {
	const struct weir_blocks_config	*blocks;
	const struct weir_kv_config	*kv;
};

/**
 * struct weir_engine - operations of an engine
 * @bytes: memory that it allocates
 * @init: allocate it. Sleeps. Returns 0 or -ENOMEM, after which @free is called, too
 * @free: stop its timers and free its memory. Sleeps; no packet can reach the job
 * @check_shape: check a contribution's length and weight against the job. Returns 0 or an
 *	enum weir_reason
 * @take: take a contribution, or a query. Its shape, checksum, source and rate were checked; @pl is
 *	what follows the header. Returns as @check_shape
 * @ack: take an explicit acknowledgment. Returns as @check_shape. NULL if the engine has none
 * @check_down: check the length of a packet from the parent box. Returns as @check_shape
 * @down: take a packet from the parent box, whose shape and checksum were checked. Returns as
 *	@check_shape
 *
 * Packets come under RCU with bottom halves disabled and no lock held, on any number of CPUs at the
 * same time.
 */
struct weir_engine {
	u64	(*bytes)(const struct weir_engine_config *config);
	int	(*init)(struct weir_job *job, const struct weir_engine_config *config);
	void	(*free)(struct weir_job *job);
	int	(*check_shape)(const struct weir_job *job, const struct weir_contrib *c);
	int	(*take)(const struct weir_path *path, struct weir_contrib *c,
			const struct weir_payload *pl, u64 now);
	int	(*ack)(const struct weir_path *path, const struct weir_contrib *c);
	int	(*check_down)(const struct weir_job *job, const struct weir_contrib *c);
	int	(*down)(struct weir_job *job, const struct weir_contrib *c,
			struct weir_payload *pl, u64 now, struct weir_merged *merged);
};

extern const struct weir_engine weir_engine_kv;
extern const struct weir_engine weir_engine_pairs;
extern const struct weir_engine weir_engine_ranked;
extern const struct weir_engine weir_engine_sums;

#endif /* _WEIR_ENGINE_H */
