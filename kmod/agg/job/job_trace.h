/* SPDX-License-Identifier: GPL-2.0 */
/* Tracepoints of jobs: events/weir under tracefs. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM weir

#if !defined(_WEIR_JOB_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _WEIR_JOB_TRACE_H

#include <linux/tracepoint.h>
#include <uapi/weir_bpf.h>

#include "agg/job/job.h"

/* Every enum weir_reason, in its order, by the name that the tools show. */
/* generated: reasons */
#define WEIR_REASON_NAMES(x) \
	x(FRAGMENT, "fragment") \
	x(NO_PORT, "no-port") \
	x(NO_JOB, "no-job") \
	x(NOT_LOCAL, "not-local") \
	x(RUNT, "runt") \
	x(LENGTH, "length") \
	x(CHECKSUM, "checksum") \
	x(NO_SOURCE, "no-source") \
	x(SPOOFED, "spoofed") \
	x(JOB_RATE, "job-rate") \
	x(SOURCE_RATE, "source-rate") \
	x(TOO_LONG, "too-long") \
	x(COUNT, "count") \
	x(WEIGHT, "weight") \
	x(FLAGS, "flags") \
	x(GENERATION, "generation") \
	x(EXCLUDED, "excluded") \
	x(STALE, "stale") \
	x(BUSY, "busy") \
	x(DUPLICATE, "duplicate") \
	x(NOMEM, "nomem") \
	x(JOIN, "join") \
	x(MARTIAN, "martian") \
	x(AHEAD, "ahead") \
	x(DIRECTION, "direction") \
	x(MERGED, "merged") \
	x(UNREADABLE, "unreadable") \
	x(WORKERS, "workers") \
	x(CHUNK, "chunk") \
	x(PAIR, "pair") \
	x(OPERATION, "operation") \
	x(SESSION, "session") \
	x(LOOP, "loop")
/* generated: end */

#define WEIR_REASON_DEFINE(id, name) TRACE_DEFINE_ENUM(WEIR_REASON_##id);
#define WEIR_REASON_SYMBOL(id, name) { WEIR_REASON_##id, name },
#define WEIR_REASON_COUNT_ONE(id, name) + 1
static_assert(0 WEIR_REASON_NAMES(WEIR_REASON_COUNT_ONE) == WEIR_REASON_MAX);

WEIR_REASON_NAMES(WEIR_REASON_DEFINE)
TRACE_DEFINE_ENUM(WEIR_VERDICT_SUMMED);
TRACE_DEFINE_ENUM(WEIR_VERDICT_COMPLETE);
TRACE_DEFINE_ENUM(WEIR_VERDICT_REPEAT);
TRACE_DEFINE_ENUM(WEIR_VERDICT_LATE);
TRACE_DEFINE_ENUM(WEIR_VERDICT_ABOVE);
TRACE_DEFINE_ENUM(WEIR_VERDICT_LATE_ABOVE);
TRACE_DEFINE_ENUM(WEIR_SOURCE_STATE_ACTIVE);
TRACE_DEFINE_ENUM(WEIR_SOURCE_STATE_STRAGGLER);
TRACE_DEFINE_ENUM(WEIR_SOURCE_STATE_DEAD);
TRACE_DEFINE_ENUM(WEIR_SOURCE_STATE_EXCLUDED);
TRACE_DEFINE_ENUM(WEIR_SOURCE_STATE_BEHIND);

TRACE_EVENT(weir_contribution,
	TP_PROTO(int ifindex, const struct weir_contrib *c, int verdict,
		 u64 lateness),
	TP_ARGS(ifindex, c, verdict, lateness),
	TP_STRUCT__entry(
		__field(u64, lateness)
		__field(int, ifindex)
		__field(u32, block)
		__field(u16, job)
		__field(u16, generation)
		__field(u16, source)
		__field(u16, count)
		__field(int, verdict)
	),
	TP_fast_assign(
		__entry->lateness = lateness;
		__entry->ifindex = ifindex;
		__entry->block = c->block;
		__entry->job = c->job;
		__entry->generation = c->generation;
		__entry->source = c->source;
		__entry->count = c->count;
		__entry->verdict = verdict;
	),
	TP_printk("ifindex=%d job=%u generation=%u block=%u source=%u count=%u verdict=%s lateness_ns=%llu",
		  __entry->ifindex, __entry->job, __entry->generation,
		  __entry->block, __entry->source, __entry->count,
		  __print_symbolic(__entry->verdict,
				   { WEIR_VERDICT_SUMMED, "summed" },
				   { WEIR_VERDICT_COMPLETE, "complete" },
				   { WEIR_VERDICT_REPEAT, "repeat" },
				   { WEIR_VERDICT_LATE, "late" },
				   { WEIR_VERDICT_ABOVE, "above" },
				   { WEIR_VERDICT_LATE_ABOVE, "late-above" }),
		  __entry->lateness)
);

TRACE_EVENT(weir_refusal,
	TP_PROTO(int ifindex, const struct weir_contrib *c, u32 reason),
	TP_ARGS(ifindex, c, reason),
	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(u32, reason)
		__field(u32, block)
		__field(u16, job)
		__field(u16, source)
	),
	TP_fast_assign(
		__entry->ifindex = ifindex;
		__entry->reason = reason;
		__entry->block = c->block;
		__entry->job = c->job;
		__entry->source = c->source;
	),
	TP_printk("ifindex=%d reason=%s job=%u block=%u source=%u",
		  __entry->ifindex,
		  __print_symbolic(__entry->reason,
				   WEIR_REASON_NAMES(WEIR_REASON_SYMBOL)
				   { 0, "none" }),
		  __entry->job, __entry->block, __entry->source)
);

TRACE_EVENT(weir_result,
	TP_PROTO(const struct weir_job *job, const struct weir_result *res,
		 u64 age),
	TP_ARGS(job, res, age),
	TP_STRUCT__entry(
		__field(u64, age)
		__field(u32, block)
		__field(u16, generation)
		__field(u16, count)
		__field(u16, received)
		__field(u8, job)
		__field(u8, overflow)
		__field(u8, degraded)
		__field(u8, aged)
	),
	TP_fast_assign(
		__entry->age = age;
		__entry->block = res->id;
		__entry->generation = res->generation;
		__entry->count = res->count;
		__entry->received = res->received;
		__entry->job = job->id;
		__entry->overflow = res->overflow;
		__entry->degraded = res->degraded;
		__entry->aged = res->aged;
	),
	TP_printk("job=%u generation=%u block=%u count=%u sources=%u degraded=%u aged=%u overflow=%u age_ns=%llu",
		  __entry->job, __entry->generation, __entry->block,
		  __entry->count, __entry->received, __entry->degraded,
		  __entry->aged, __entry->overflow, __entry->age)
);

TRACE_EVENT(weir_aged,
	TP_PROTO(const struct weir_job *job, const struct weir_result *res,
		 const unsigned long *missing, u64 age),
	TP_ARGS(job, res, missing, age),
	TP_STRUCT__entry(
		__field(u64, age)
		__field(u32, block)
		__field(u16, generation)
		__field(u16, received)
		__field(u8, job)
		__bitmask(missing, WEIR_SOURCES_MAX)
	),
	TP_fast_assign(
		__entry->age = age;
		__entry->block = res->id;
		__entry->generation = res->generation;
		__entry->received = res->received;
		__entry->job = job->id;
		__assign_bitmask(missing, missing, WEIR_SOURCES_MAX);
	),
	TP_printk("job=%u generation=%u block=%u sources=%u missing=%s age_ns=%llu",
		  __entry->job, __entry->generation, __entry->block,
		  __entry->received, __get_bitmask(missing), __entry->age)
);

TRACE_EVENT(weir_scan,
	TP_PROTO(const struct weir_job *job, u32 looked, u32 answered,
		 u64 took),
	TP_ARGS(job, looked, answered, took),
	TP_STRUCT__entry(
		__field(u64, took)
		__field(u32, looked)
		__field(u32, answered)
		__field(u8, job)
	),
	TP_fast_assign(
		__entry->took = took;
		__entry->looked = looked;
		__entry->answered = answered;
		__entry->job = job->id;
	),
	TP_printk("job=%u looked=%u answered=%u took_ns=%llu", __entry->job,
		  __entry->looked, __entry->answered, __entry->took)
);

TRACE_EVENT(weir_source_state,
	TP_PROTO(const struct weir_job *job, u32 source, u32 state,
		 u32 straggles),
	TP_ARGS(job, source, state, straggles),
	TP_STRUCT__entry(
		__field(u32, state)
		__field(u32, straggles)
		__field(u16, source)
		__field(u8, job)
	),
	TP_fast_assign(
		__entry->state = state;
		__entry->straggles = straggles;
		__entry->source = source;
		__entry->job = job->id;
	),
	TP_printk("job=%u source=%u state=%s straggles=%u", __entry->job,
		  __entry->source,
		  __print_symbolic(__entry->state,
				   { WEIR_SOURCE_STATE_ACTIVE, "active" },
				   { WEIR_SOURCE_STATE_STRAGGLER, "straggler" },
				   { WEIR_SOURCE_STATE_DEAD, "dead" },
				   { WEIR_SOURCE_STATE_EXCLUDED, "excluded" },
				   { WEIR_SOURCE_STATE_BEHIND, "behind" }),
		  __entry->straggles)
);

TRACE_EVENT(weir_send_error,
	TP_PROTO(const struct weir_job *job, const struct in6_addr *addr,
		 int err),
	TP_ARGS(job, addr, err),
	TP_STRUCT__entry(
		__field(u8, job)
		__array(u8, addr, 16)
		__field(int, err)
	),
	TP_fast_assign(
		__entry->job = job->id;
		memcpy(__entry->addr, addr, 16);
		__entry->err = err;
	),
	TP_printk("job=%u to=%pI6c error=%d", __entry->job, __entry->addr,
		  __entry->err)
);

#endif /* _WEIR_JOB_TRACE_H */

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE agg/job/job_trace
#include <trace/define_trace.h>
