/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	uapi/weir.yaml */
/* YNL-GEN uapi header */

#ifndef _UAPI_LINUX_WEIR_H
#define _UAPI_LINUX_WEIR_H

#define WEIR_FAMILY_NAME	"weir"
#define WEIR_FAMILY_VERSION	1

#define WEIR_SOURCES_MAX	256
#define WEIR_RANKS_MAX		4096
#define WEIR_BLOCKS_MAX		65536
#define WEIR_GRADS_MAX		2048
#define WEIR_JOB_ID_MAX		255
#define WEIR_TIMEOUT_DEFAULT	10000
#define WEIR_RETAIN_DEFAULT_MAX	67108864
#define WEIR_TIMERS_DEFAULT	100
#define WEIR_TIMERS_MAX		1024
#define WEIR_DEAD_AFTER_DEFAULT	100
#define WEIR_LATENESS_BUCKETS	24
#define WEIR_PORT_DEFAULT	12000
#define WEIR_PORT_LAB		8000
#define WEIR_PORT_SWITCHML	48864
#define WEIR_REPEAT_SWITCHML	7000
#define WEIR_PORT_PANAMA	12056
#define WEIR_KEYS_MAX		67108864
#define WEIR_PORT_KV		12064

/**
 * enum weir_format - wire format of a job's packets
 * @WEIR_FORMAT_TRIO: Trio-ML over UDP (Trio paper, figures 7 and 8)
 * @WEIR_FORMAT_LAB: SwitchML as students build it, over UDP: with and without
 *   recovery of losses, and with and without the scale of quantised floats
 *   (uapi/weir_wire.h)
 * @WEIR_FORMAT_LAB_ETHERNET: the same in Ethernet frames of EtherType 0x8777,
 *   without IP
 * @WEIR_FORMAT_SWITCHML: SwitchML over UDP, as its public worker sends it
 * @WEIR_FORMAT_PANAMA: PANAMA over UDP and IPv4, as its paper has it in
 *   sections 4 and 5 (DSCP 56, float32); one job a tree (uapi/weir_wire.h)
 * @WEIR_FORMAT_KV: key-value streams over UDP (P4COM paper, section III-C;
 *   uapi/weir_wire.h), which are reduced by key on their way to the parent
 */
enum weir_format {
	WEIR_FORMAT_TRIO = 1,
	WEIR_FORMAT_LAB,
	WEIR_FORMAT_LAB_ETHERNET,
	WEIR_FORMAT_SWITCHML,
	WEIR_FORMAT_PANAMA,
	WEIR_FORMAT_KV,
};

/**
 * enum weir_dtype - data type of a gradient. Floats are combined as IEEE 754
 *   says, rounded to the nearest, halves to even, with denormals and
 *   infinities; a NaN prevails, and has one bit pattern in results
 * @WEIR_DTYPE_INT32: 4 bytes, two's complement
 * @WEIR_DTYPE_FLOAT32: 4 bytes, IEEE 754 binary32
 * @WEIR_DTYPE_BFLOAT16: 2 bytes, the upper half of a binary32; summed as
 *   binary32, and rounded once
 * @WEIR_DTYPE_FLOAT16: 2 bytes, IEEE 754 binary16; summed as binary32, and
 *   rounded once
 * @WEIR_DTYPE_INT64: 8 bytes, two's complement
 * @WEIR_DTYPE_FLOAT64: 8 bytes, IEEE 754 binary64; not of values of format kv
 */
enum weir_dtype {
	WEIR_DTYPE_INT32 = 1,
	WEIR_DTYPE_FLOAT32,
	WEIR_DTYPE_BFLOAT16,
	WEIR_DTYPE_FLOAT16,
	WEIR_DTYPE_INT64,
	WEIR_DTYPE_FLOAT64,
};

/**
 * enum weir_op - how contributions to one gradient are combined
 * @WEIR_OP_SUM: the sum of all
 * @WEIR_OP_MIN: the least of all; -0 is less than 0
 * @WEIR_OP_MAX: the greatest of all
 */
enum weir_op {
	WEIR_OP_SUM = 1,
	WEIR_OP_MIN,
	WEIR_OP_MAX,
};

/**
 * enum weir_order - whether the bits of a sum of floats depend on the order of
 *   arrival. All other results are the same in any order: minima, maxima, and
 *   sums of integers, of which only the flag that a sum left int32 on its way
 *   depends on it
 * @WEIR_ORDER_ARRIVAL: rounded after each contribution, in the order in which
 *   they arrive
 * @WEIR_ORDER_FIXED: bits depend on the contributions alone, even if packets
 *   race, are lost or repeated; rounded once. Takes four times the memory
 */
enum weir_order {
	WEIR_ORDER_ARRIVAL = 1,
	WEIR_ORDER_FIXED,
};

/**
 * enum weir_byte_order - byte order of gradients in the packets of a job
 * @WEIR_BYTE_ORDER_NETWORK: network byte order
 * @WEIR_BYTE_ORDER_WORKERS: little-endian in a generation whose workers have
 *   all said at their joins that they are little-endian, else network byte
 *   order
 */
enum weir_byte_order {
	WEIR_BYTE_ORDER_NETWORK = 1,
	WEIR_BYTE_ORDER_WORKERS,
};

/**
 * enum weir_policy - policy for sources that are late (Trio paper, section 5)
 * @WEIR_POLICY_WAIT: a block waits for all; with a timeout, late sources are
 *   counted
 * @WEIR_POLICY_PARTIAL: a block is answered at the timeout with the sources
 *   that are in it
 * @WEIR_POLICY_EXCLUDE: as partial, and blocks do not wait for sources that
 *   are dead
 */
enum weir_policy {
	WEIR_POLICY_WAIT = 1,
	WEIR_POLICY_PARTIAL,
	WEIR_POLICY_EXCLUDE,
};

/**
 * enum weir_owner - who makes, changes and ends a job
 * @WEIR_OWNER_ADMIN: an administrator; `weir save` and `weir restore` are
 *   about these jobs
 * @WEIR_OWNER_WEIRD: weird(8), for workers that ask
 * @WEIR_OWNER_SWITCHML: weir-switchml(8), for workers of SwitchML
 */
enum weir_owner {
	WEIR_OWNER_ADMIN = 1,
	WEIR_OWNER_WEIRD,
	WEIR_OWNER_SWITCHML,
};

/**
 * enum weir_source_state - State of a source in the last period of dead-after.
 *   The box looks only while blocks time out.
 * @WEIR_SOURCE_STATE_ACTIVE: no block has timed out for lack of its
 *   contribution
 * @WEIR_SOURCE_STATE_STRAGGLER: blocks have timed out for lack of its
 *   contributions, but it has sent packets
 * @WEIR_SOURCE_STATE_DEAD: blocks have timed out for lack of its
 *   contributions, and it has sent no packet; results are no longer retained
 *   for it
 * @WEIR_SOURCE_STATE_EXCLUDED: dead, and blocks are complete without it; it
 *   comes back by joining
 * @WEIR_SOURCE_STATE_BEHIND: a result that it lacks was evicted, and no other
 *   result is retained for it until it has caught up with those that are left
 *   the next generation
 */
enum weir_source_state {
	WEIR_SOURCE_STATE_ACTIVE = 1,
	WEIR_SOURCE_STATE_STRAGGLER,
	WEIR_SOURCE_STATE_DEAD,
	WEIR_SOURCE_STATE_EXCLUDED,
	WEIR_SOURCE_STATE_BEHIND,
};

/**
 * enum weir_mode - where the program that hands packets over is attached
 * @WEIR_MODE_XDP: XDP in the driver
 * @WEIR_MODE_GENERIC: XDP after the driver, on socket buffers
 * @WEIR_MODE_TC: tc ingress
 */
enum weir_mode {
	WEIR_MODE_XDP = 1,
	WEIR_MODE_GENERIC,
	WEIR_MODE_TC,
};

/**
 * enum weir_reason - Why a packet was refused. A refused packet changes no
 *   sum. Packets with a reason below `runt` are passed to the stack, as they
 *   may be for another receiver; the others are dropped. Of switchml, whose
 *   workers take any answer for a result, `fragment` and `no-job` are dropped,
 *   too.
 * @WEIR_REASON_FRAGMENT: an IP fragment towards a weir port; passed
 * @WEIR_REASON_NO_PORT: did not come in by a weir port; passed
 * @WEIR_REASON_NO_JOB: no such job in this namespace at this port and format;
 *   passed, so that the stack answers port unreachable
 * @WEIR_REASON_NOT_LOCAL: sent to another address than the job's, or in a
 *   frame that is not for this host; passed
 * @WEIR_REASON_RUNT: ends before the header does
 * @WEIR_REASON_LENGTH: IP, UDP and gradient count disagree on the length
 * @WEIR_REASON_CHECKSUM: the checksum of UDP or of the IPv4 header is wrong
 * @WEIR_REASON_NO_SOURCE: no source with this id is bound to the job
 * @WEIR_REASON_SPOOFED: the source id is bound to another address, port, VLAN
 *   or device
 * @WEIR_REASON_JOB_RATE: above the job's rate of packets or bytes
 * @WEIR_REASON_SOURCE_RATE: above the source's rate of packets or bytes
 * @WEIR_REASON_TOO_LONG: more gradients than the job's blocks hold
 * @WEIR_REASON_COUNT: another number of gradients than the block's first
 *   packet, or an exponent where that had none, or none where it had one, or
 *   another variant of the format
 * @WEIR_REASON_WEIGHT: a worker's contribution must weigh one source
 * @WEIR_REASON_FLAGS: bits set that only results carry, or that mean nothing
 * @WEIR_REASON_GENERATION: of an old generation, or of one that this box did
 *   not give out
 * @WEIR_REASON_EXCLUDED: the source is excluded until the next generation
 * @WEIR_REASON_STALE: a block that its slot has already left behind
 * @WEIR_REASON_BUSY: the block's slot holds an open block, or the sender is
 *   half a table ahead of a source that may still lack results; it tries again
 * @WEIR_REASON_DUPLICATE: this source is already in the block, which is open,
 *   or whose result it was sent a moment ago
 * @WEIR_REASON_NOMEM: no page for the block; the sender tries again
 * @WEIR_REASON_JOIN: a join that does not fit the job (ranks differ)
 * @WEIR_REASON_MARTIAN: an IPv4-mapped address in an IPv6 header, which no
 *   host has
 * @WEIR_REASON_AHEAD: a block more than a table ahead of all that any source
 *   has shown in the generation, in which blocks count from 0 or the join's
 *   first; or one in a slot that the job has not, or that is not there when it
 *   is asked for
 * @WEIR_REASON_DIRECTION: sent by a box, with a mark of that in the packet; no
 *   box's answer is ever taken for a contribution, a question or a join
 * @WEIR_REASON_MERGED: stands for more datagrams than the stack merges into
 *   one packet
 * @WEIR_REASON_UNREADABLE: lies in the memory of a device, where the processor
 *   cannot read it
 * @WEIR_REASON_WORKERS: states another number of workers than the job has
 *   sources
 * @WEIR_REASON_CHUNK: numbers of the chunk that contradict each other
 * @WEIR_REASON_PAIR: a key of no bytes or of more than 64, or other pairs than
 *   the packet says
 * @WEIR_REASON_OPERATION: another operation or type of values than the job's
 * @WEIR_REASON_SESSION: of no session of this run
 * @WEIR_REASON_LOOP: pairs that have come by more than 16 boxes; some of these
 *   are each other's parents
 */
enum weir_reason {
	WEIR_REASON_FRAGMENT = 1,
	WEIR_REASON_NO_PORT,
	WEIR_REASON_NO_JOB,
	WEIR_REASON_NOT_LOCAL,
	WEIR_REASON_RUNT,
	WEIR_REASON_LENGTH,
	WEIR_REASON_CHECKSUM,
	WEIR_REASON_NO_SOURCE,
	WEIR_REASON_SPOOFED,
	WEIR_REASON_JOB_RATE,
	WEIR_REASON_SOURCE_RATE,
	WEIR_REASON_TOO_LONG,
	WEIR_REASON_COUNT,
	WEIR_REASON_WEIGHT,
	WEIR_REASON_FLAGS,
	WEIR_REASON_GENERATION,
	WEIR_REASON_EXCLUDED,
	WEIR_REASON_STALE,
	WEIR_REASON_BUSY,
	WEIR_REASON_DUPLICATE,
	WEIR_REASON_NOMEM,
	WEIR_REASON_JOIN,
	WEIR_REASON_MARTIAN,
	WEIR_REASON_AHEAD,
	WEIR_REASON_DIRECTION,
	WEIR_REASON_MERGED,
	WEIR_REASON_UNREADABLE,
	WEIR_REASON_WORKERS,
	WEIR_REASON_CHUNK,
	WEIR_REASON_PAIR,
	WEIR_REASON_OPERATION,
	WEIR_REASON_SESSION,
	WEIR_REASON_LOOP,

	/* private: */
	__WEIR_REASON_MAX,
	WEIR_REASON_MAX = (__WEIR_REASON_MAX - 1)
};

/**
 * enum weir_event - what happened on the data path
 * @WEIR_EVENT_GENERATION: all sources have joined; a new generation begins
 * @WEIR_EVENT_STRAGGLER: blocks time out for lack of contributions of a source
 *   that still sends packets
 * @WEIR_EVENT_DEAD: blocks time out for lack of contributions of a source that
 *   no longer sends packets
 * @WEIR_EVENT_RECOVERED: a straggler is in time again, or a dead source is
 *   back
 * @WEIR_EVENT_BEHIND: a result was evicted that a source lacks; the source has
 *   to resume at a later block
 */
enum weir_event {
	WEIR_EVENT_GENERATION = 1,
	WEIR_EVENT_STRAGGLER,
	WEIR_EVENT_DEAD,
	WEIR_EVENT_RECOVERED,
	WEIR_EVENT_BEHIND,
};

enum {
	WEIR_A_RATE_PACKETS = 1,
	WEIR_A_RATE_PACKETS_BURST,
	WEIR_A_RATE_BYTES,
	WEIR_A_RATE_BYTES_BURST,

	__WEIR_A_RATE_MAX,
	WEIR_A_RATE_MAX = (__WEIR_A_RATE_MAX - 1)
};

enum {
	WEIR_A_REFUSAL_REASON = 1,
	WEIR_A_REFUSAL_PACKETS,

	__WEIR_A_REFUSAL_MAX,
	WEIR_A_REFUSAL_MAX = (__WEIR_A_REFUSAL_MAX - 1)
};

enum {
	WEIR_A_STATS_CONTRIBUTIONS = 1,
	WEIR_A_STATS_GRADIENTS,
	WEIR_A_STATS_BYTES,
	WEIR_A_STATS_BLOCKS,
	WEIR_A_STATS_DEGRADED,
	WEIR_A_STATS_AGED,
	WEIR_A_STATS_OVERFLOWS,
	WEIR_A_STATS_RESULTS,
	WEIR_A_STATS_REPEATS,
	WEIR_A_STATS_QUERIES,
	WEIR_A_STATS_REPLIES,
	WEIR_A_STATS_RESULT_ERRORS,
	WEIR_A_STATS_JOINS,
	WEIR_A_STATS_ANSWERS,
	WEIR_A_STATS_NOTICES,
	WEIR_A_STATS_LATE,
	WEIR_A_STATS_STRAGGLES,
	WEIR_A_STATS_ABANDONED,
	WEIR_A_STATS_POLICED_BYTES,
	WEIR_A_STATS_PARENT_SUMS,
	WEIR_A_STATS_PARENT_QUERIES,
	WEIR_A_STATS_PARENT_RESULTS,
	WEIR_A_STATS_KV_HITS,
	WEIR_A_STATS_KV_MISSES,
	WEIR_A_STATS_KV_EVICTIONS,
	WEIR_A_STATS_KV_PASSED,
	WEIR_A_STATS_KV_FLUSHES,
	WEIR_A_STATS_ACKS,
	WEIR_A_STATS_BEHIND,
	WEIR_A_STATS_PAGES_LEFT,
	WEIR_A_STATS_REFUSAL,

	__WEIR_A_STATS_MAX,
	WEIR_A_STATS_MAX = (__WEIR_A_STATS_MAX - 1)
};

enum {
	WEIR_A_JOB_ID = 1,
	WEIR_A_JOB_FORMAT,
	WEIR_A_JOB_DTYPE,
	WEIR_A_JOB_OP,
	WEIR_A_JOB_SOURCES,
	WEIR_A_JOB_BLOCKS,
	WEIR_A_JOB_GRADS,
	WEIR_A_JOB_ADDRESS,
	WEIR_A_JOB_PORT,
	WEIR_A_JOB_GROUP,
	WEIR_A_JOB_POLICY,
	WEIR_A_JOB_TIMEOUT,
	WEIR_A_JOB_QUORUM,
	WEIR_A_JOB_TIMERS,
	WEIR_A_JOB_DEAD_AFTER,
	WEIR_A_JOB_RATE,
	WEIR_A_JOB_RANKS,
	WEIR_A_JOB_PARENT,
	WEIR_A_JOB_GENERATION,
	WEIR_A_JOB_OPEN,
	WEIR_A_JOB_BOUND,
	WEIR_A_JOB_MEMORY,
	WEIR_A_JOB_STATS,
	WEIR_A_JOB_ORDER,
	WEIR_A_JOB_REPEAT_AFTER,
	WEIR_A_JOB_PARENT_SOURCE,
	WEIR_A_JOB_PARENT_PORT,
	WEIR_A_JOB_KEYS,
	WEIR_A_JOB_KEY_MEMORY,
	WEIR_A_JOB_HELD,
	WEIR_A_JOB_DEAD_RANKS,
	WEIR_A_JOB_EXCLUDED_RANKS,
	WEIR_A_JOB_PARENT_TIMEOUT,
	WEIR_A_JOB_PARENT_IFINDEX,
	WEIR_A_JOB_PARENT_VLAN,
	WEIR_A_JOB_RETAIN,
	WEIR_A_JOB_OWNER,
	WEIR_A_JOB_BYTE_ORDER,

	__WEIR_A_JOB_MAX,
	WEIR_A_JOB_MAX = (__WEIR_A_JOB_MAX - 1)
};

enum {
	WEIR_A_SOURCE_JOB = 1,
	WEIR_A_SOURCE_ID,
	WEIR_A_SOURCE_ADDRESS,
	WEIR_A_SOURCE_PORT,
	WEIR_A_SOURCE_IFINDEX,
	WEIR_A_SOURCE_VLAN,
	WEIR_A_SOURCE_RATE,
	WEIR_A_SOURCE_STATE,
	WEIR_A_SOURCE_MISSING,
	WEIR_A_SOURCE_LATENESS,
	WEIR_A_SOURCE_STATS,

	__WEIR_A_SOURCE_MAX,
	WEIR_A_SOURCE_MAX = (__WEIR_A_SOURCE_MAX - 1)
};

enum {
	WEIR_A_BLOCK_JOB = 1,
	WEIR_A_BLOCK_ID,
	WEIR_A_BLOCK_GENERATION,
	WEIR_A_BLOCK_GRADS,
	WEIR_A_BLOCK_RECEIVED,
	WEIR_A_BLOCK_AGE,
	WEIR_A_BLOCK_MISSING,

	__WEIR_A_BLOCK_MAX,
	WEIR_A_BLOCK_MAX = (__WEIR_A_BLOCK_MAX - 1)
};

enum {
	WEIR_A_PORT_IFINDEX = 1,
	WEIR_A_PORT_IFNAME,
	WEIR_A_PORT_MODE,
	WEIR_A_PORT_STATS,

	__WEIR_A_PORT_MAX,
	WEIR_A_PORT_MAX = (__WEIR_A_PORT_MAX - 1)
};

enum {
	WEIR_A_TOTAL_JOBS = 1,
	WEIR_A_TOTAL_PORTS,
	WEIR_A_TOTAL_MEMORY,
	WEIR_A_TOTAL_MEMORY_LIMIT,
	WEIR_A_TOTAL_MEMORY_USED,
	WEIR_A_TOTAL_REDUCTION,
	WEIR_A_TOTAL_STATS,

	__WEIR_A_TOTAL_MAX,
	WEIR_A_TOTAL_MAX = (__WEIR_A_TOTAL_MAX - 1)
};

enum {
	WEIR_A_EVENT_EVENT = 1,
	WEIR_A_EVENT_JOB,
	WEIR_A_EVENT_GENERATION,
	WEIR_A_EVENT_SOURCE,
	WEIR_A_EVENT_STRAGGLES,

	__WEIR_A_EVENT_MAX,
	WEIR_A_EVENT_MAX = (__WEIR_A_EVENT_MAX - 1)
};

enum {
	WEIR_A_DEVICE_IFINDEX = 1,
	WEIR_A_DEVICE_IFNAME,
	WEIR_A_DEVICE_UNFINISHED,

	__WEIR_A_DEVICE_MAX,
	WEIR_A_DEVICE_MAX = (__WEIR_A_DEVICE_MAX - 1)
};

enum {
	WEIR_CMD_JOB_ADD = 1,
	WEIR_CMD_JOB_SET,
	WEIR_CMD_JOB_DEL,
	WEIR_CMD_JOB_GET,
	WEIR_CMD_JOB_FLUSH,
	WEIR_CMD_JOB_NTF,
	WEIR_CMD_JOB_DEL_NTF,
	WEIR_CMD_SOURCE_ADD,
	WEIR_CMD_SOURCE_SET,
	WEIR_CMD_SOURCE_DEL,
	WEIR_CMD_SOURCE_GET,
	WEIR_CMD_SOURCE_FLUSH,
	WEIR_CMD_SOURCE_NTF,
	WEIR_CMD_SOURCE_DEL_NTF,
	WEIR_CMD_BLOCK_GET,
	WEIR_CMD_PORT_ADD,
	WEIR_CMD_PORT_SET,
	WEIR_CMD_PORT_DEL,
	WEIR_CMD_PORT_GET,
	WEIR_CMD_PORT_FLUSH,
	WEIR_CMD_PORT_NTF,
	WEIR_CMD_PORT_DEL_NTF,
	WEIR_CMD_STATS_GET,
	WEIR_CMD_EVENT_NTF,
	WEIR_CMD_JOB_COLLECT,
	WEIR_CMD_DEVICE_GET,

	__WEIR_CMD_MAX,
	WEIR_CMD_MAX = (__WEIR_CMD_MAX - 1)
};

#define WEIR_MCGRP_EVENTS	"events"

#endif /* _UAPI_LINUX_WEIR_H */
